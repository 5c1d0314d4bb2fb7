import { type CookieChange, serializeCookie } from './cookies.js'

/** What an integration gets in place of a web `Response` if it sets `raw`. */
// biome-ignore lint/suspicious/noExplicitAny: the body's type depends on the action
export interface ResponseInternal<Body = any> {
  status?: number
  headers?: Headers | Record<string, string>
  body?: Body
  /** Bytes of the body, if they are known already. */
  byteLength?: number
  /** Where to redirect. */
  redirect?: string
  cookies?: CookieChange[]
}

/** The answer as a web `Response`, with one `Set-Cookie` header for each cookie. */
export function toResponse({ status = 200, headers, body, redirect, cookies = [] }: ResponseInternal): Response {
  const all = new Headers(headers)
  for (const cookie of cookies) all.append('set-cookie', serializeCookie(cookie))
  if (redirect !== undefined) all.set('location', redirect)
  return new Response(serializeBody(body), { status, headers: all })
}

/** The body as it is sent: text as it is, anything else as JSON. */
export function serializeBody(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** What the answer to a failure needs to know of the request that failed. */
export interface FailurePage {
  /** Whether the visitor asked to stay signed in; the page of another try keeps the tick. */
  readonly isRemembered?: boolean | undefined
  /** The page of the link that was being made, which shows the error. */
  readonly linkPage?: string | undefined
  /** Where a sign-in was to lead. The sign-in page leads there if somebody else has signed in meanwhile. */
  readonly returnTarget?: string | undefined
  /** Cookies that lead whoever signs in now to where they wanted to go. */
  readonly wayBack?: readonly CookieChange[]
  /** Whose account the request was about: for who hears of the failure, and not for the page. */
  readonly userId?: string
}

/** What the cookies of every answer are about. */
type Subject = 'session' | 'transaction' | 'held sign-in' | 'return target' | 'note'

/**
 * What the answer to a request must carry, also if the action fails later: no error carries it. A session that begins is never
 * kept here, because the page of a failure would sign in.
 */
export class Keep {
  readonly #cookies = new Map<Subject, readonly CookieChange[]>()
  #page: FailurePage = {}

  /** Cookies of every answer. They replace those that were kept of the same subject before. */
  always(subject: Subject, cookies: readonly CookieChange[]): void {
    this.#cookies.set(subject, cookies)
  }

  /** Keeps nothing of a subject after all. */
  drop(subject: Subject): void {
    this.#cookies.delete(subject)
  }

  /** For the answer to a failure only. */
  onFailure(page: FailurePage): void {
    this.#page = { ...this.#page, ...page }
  }

  get cookies(): readonly CookieChange[] {
    return [...this.#cookies.values()].flat()
  }

  get page(): FailurePage {
    return this.#page
  }
}
