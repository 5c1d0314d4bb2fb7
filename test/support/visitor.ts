import { parseSetCookie } from 'cookie'
import { Agent, request } from 'undici'

/** Its answers are those of `fetch` in half of the time, which counts where thousands are asked for. */
const dispatcher = new Agent()

/** What `fetch` of Node says of itself. */
const OWN_HEADERS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }

/** What a visitor's browser got back: the answer, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed lazily, so that asking for the JSON of a page fails the test that asks. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all shapes
  json(): any
  readonly location: URL | null
  /** Names and values of the cookies that the answer set or deleted. */
  readonly cookies: ReadonlyMap<string, string>
  readonly setCookie: readonly string[]
}

export interface VisitOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A browser without a screen: it keeps cookies and follows redirects when asked to. */
export class Visitor {
  readonly jar = new Map<string, string>()

  constructor(readonly origin: string) {}

  /** Another browser with the same cookies, as a copy made by a thief would be. */
  copy(): Visitor {
    const other = new Visitor(this.origin)
    for (const [name, value] of this.jar) other.jar.set(name, value)
    return other
  }

  cookieHeader(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async visit(path: string, { method = 'GET', headers = {}, body }: VisitOptions = {}): Promise<Answer> {
    const cookie = this.cookieHeader()
    const sent = new Headers({ ...OWN_HEADERS, ...(cookie && { cookie }), ...headers })
    if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'text/plain;charset=UTF-8')
    const response = await request(new URL(path, this.origin), {
      dispatcher,
      method,
      headers: Object.fromEntries(sent),
      ...(body !== undefined && { body }),
    })
    const given = new Headers()
    for (const [name, values = []] of Object.entries(response.headers))
      for (const value of [values].flat()) given.append(name, Buffer.from(value).toString('latin1'))
    const setCookie = given.getSetCookie()
    const cookies = new Map<string, string>()
    for (const text of setCookie) {
      const { name, value = '', maxAge, expires } = parseSetCookie(text, { decode: (value) => value })
      cookies.set(name, value)
      if (maxAge === 0 || (expires && expires.getTime() <= Date.now())) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    const text = await response.body.text()
    const location = given.get('location')
    return {
      status: response.statusCode,
      headers: given,
      text,
      json: () => JSON.parse(text),
      location: location === null ? null : new URL(location, new URL(path, this.origin)),
      cookies,
      setCookie,
    }
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.visit(path, { headers })
  }

  /** Sends a form, as a browser would. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.visit(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  }

  postJson(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.visit(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  }

  /** The CSRF token for forms of this browser. */
  async csrfToken(mount = '/auth'): Promise<string> {
    return (await this.get(`${mount}/csrf`)).json().csrfToken
  }

  /** Signs in with the credentials form. */
  async signIn(fields: Record<string, string>, mount = '/auth'): Promise<Answer> {
    const csrfToken = await this.csrfToken(mount)
    return this.post(`${mount}/callback/credentials`, { csrfToken, ...fields })
  }

  async session(mount = '/auth') {
    return (await this.get(`${mount}/session`)).json()
  }
}
