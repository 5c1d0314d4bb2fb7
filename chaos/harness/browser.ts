import { request } from 'node:http'
import { parseSetCookie } from 'cookie'
import type { Person, Provider } from './provider.js'

/** The answer to a request. */
export interface Answer {
  /** 0 if there was no answer. */
  readonly status: number
  readonly text: string
  readonly location: string
  /** Milliseconds until the answer came, or until the browser stopped waiting. */
  readonly took: number
  /** Whether the time limit ended the request. */
  readonly hung: boolean
  readonly setCookie: readonly string[]
}

export interface Asking {
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Gives the origin of a process of the application, for the next request. */
export type Origins = () => string

/** A browser without a screen. Its requests never throw: a request without an answer has the status 0. */
export class Browser {
  readonly cookies = new Map<string, string>()

  /** @param limitMs how long a request may take */
  constructor(
    readonly origins: Origins,
    readonly limitMs = 20_000,
  ) {}

  get isSignedIn(): boolean {
    return [...this.cookies.keys()].some((name) => name.includes('session-token'))
  }

  /** Another browser with the same cookies, as a thief has. */
  copy(): Browser {
    const other = new Browser(this.origins, this.limitMs)
    for (const [name, value] of this.cookies) other.cookies.set(name, value)
    return other
  }

  get(path: string, asking: Asking = {}): Promise<Answer> {
    return this.#send('GET', path, asking)
  }

  /** Sends a form with the CSRF token of this browser. */
  async post(path: string, fields: Record<string, string> = {}, asking: Asking = {}): Promise<Answer> {
    const csrf = await this.get('/auth/csrf')
    if (csrf.status !== 200) return csrf
    const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string }
    return this.#send('POST', path, { ...asking, form: { csrfToken, ...fields } })
  }

  /** Goes to a provider, agrees there, and returns the path of the callback. If that fails, returns the answer that failed. */
  async goTo(provider: Provider, person: Person, id = 'oidc'): Promise<string | Answer> {
    const answer = await this.post(`/auth/signin/${id}`)
    if (!answer.location.startsWith(provider.issuer)) return answer
    return `/auth/callback/${id}?${provider.authorize(answer.location, person)}`
  }

  /** Signs in at a provider. @returns null if that worked, otherwise the answer that says why not */
  async signIn(provider: Provider, person: Person, id = 'oidc'): Promise<Answer | null> {
    const back = await this.goTo(provider, person, id)
    if (typeof back !== 'string') return back
    const answer = await this.get(back)
    return answer.status === 302 && errorOf(answer) === null && this.isSignedIn ? null : answer
  }

  #send(method: string, path: string, { form, headers = {} }: Asking): Promise<Answer> {
    const start = performance.now()
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form && new URLSearchParams(form).toString()
    return new Promise((resolve) => {
      let hung = false
      const nothing = () =>
        resolve({ status: 0, text: '', location: '', took: performance.now() - start, hung, setCookie: [] })
      // Each request has a new connection: an old connection would lead to a process that was replaced.
      const sent = request(new URL(path, this.origins()), {
        method,
        agent: false,
        headers: {
          ...(cookie && { cookie }),
          ...(body !== undefined && {
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
        },
      })
      const timer = setTimeout(() => {
        hung = true
        sent.destroy()
        nothing()
      }, this.limitMs)
      sent.once('close', () => clearTimeout(timer))
      sent.once('error', nothing)
      sent.once('response', (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', nothing)
        answer.once('end', () => {
          const setCookie = answer.headers['set-cookie'] ?? []
          this.#keep(setCookie)
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            location: answer.headers.location ?? '',
            took: performance.now() - start,
            hung,
            setCookie,
          })
        })
      })
      sent.end(body)
    })
  }

  #keep(setCookie: readonly string[]): void {
    for (const text of setCookie) {
      const { name, value = '', maxAge, expires } = parseSetCookie(text, { decode: (value) => value })
      const isGone = maxAge === 0 || (expires !== undefined && expires.getTime() <= 0)
      if (isGone) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

/** The path and the query to which an answer redirects. */
export function pathOf({ location }: Answer): string {
  const { pathname, search } = new URL(location, 'http://chaos.example')
  return pathname + search
}

/** The value of `error` in the query to which an answer redirects. Null if there is none. */
export const errorOf = ({ location }: Answer): string | null =>
  location === '' ? null : new URL(location, 'http://chaos.example').searchParams.get('error')

/** An answer in a few words: "302 error=OAuthAccountNotLinked", "no answer". */
export function inWords(answer: Answer | null): string {
  if (answer === null) return 'signed in'
  if (answer.status === 0) return answer.hung ? 'no answer' : 'no connection'
  const error = errorOf(answer)
  return error === null ? String(answer.status) : `${answer.status} error=${error}`
}

/** How often each text occurs: "57 × 503, 3 × 200"; the most frequent first. */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.map(([word, count]) => `${count} × ${word}`).join(', ') || 'nothing'
}
