import { type Answer, Connection } from './connection.js'

/** What is sent beside the address. */
export interface Sending {
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/** Keeps cookies per origin and follows no redirect by itself. */
export class Browser {
  readonly #connections = new Map<string, Connection>()
  readonly #cookies = new Map<string, Map<string, string>>()

  /** @param cookies sent in place of those that it keeps */
  get(url: string, cookies?: string): Promise<Answer> {
    return this.#send('GET', new URL(url), cookies)
  }

  post(url: string, { form, json }: Sending = {}): Promise<Answer> {
    const content = form
      ? { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() }
      : { type: 'application/json', text: JSON.stringify(json ?? {}) }
    return this.#send('POST', new URL(url), undefined, content)
  }

  /** The value of the header `Cookie` for an origin. */
  cookiesFor(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Gives it a cookie as if the origin had set it. */
  keep(origin: string, name: string, value: string): void {
    this.#jarOf(origin).set(name, value)
  }

  /** Throws the cookies of an origin away, as a visitor who comes for the first time has none. */
  forget(origin: string): void {
    this.#cookies.delete(origin)
  }

  /** Becomes the browser of somebody else. */
  forgetEverything(): void {
    this.#cookies.clear()
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close()
    this.#connections.clear()
  }

  async #send(
    method: string,
    url: URL,
    cookies = this.cookiesFor(url.origin),
    content?: { readonly type: string; readonly text: string },
  ): Promise<Answer> {
    const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`]
    if (cookies) lines.push(`Cookie: ${cookies}`)
    if (content) {
      const length = Buffer.byteLength(content.text)
      lines.push(`Origin: ${url.origin}`, `Content-Type: ${content.type}`, `Content-Length: ${length}`)
    }
    const request = `${lines.join('\r\n')}\r\n\r\n${content?.text ?? ''}`
    const answer = await this.#connectionTo(url).exchange(request)
    this.#keepCookies(url.origin, answer.head)
    return answer
  }

  #connectionTo({ host, port }: URL): Connection {
    const connection = this.#connections.get(host) ?? new Connection(Number(port))
    this.#connections.set(host, connection)
    return connection
  }

  #jarOf(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, jar)
    return jar
  }

  #keepCookies(origin: string, head: string): void {
    const jar = this.#jarOf(origin)
    for (const [, name = '', value = '', attributes = ''] of head.matchAll(
      /^set-cookie: ([^=\r]+)=([^;\r]*)(.*)$/gim,
    )) {
      if (isGone(attributes)) jar.delete(name)
      else jar.set(name, value)
    }
  }
}

/** Where an answer redirects to, as a whole URL; null when it does not. */
export function locationOf({ status, head }: Answer, base: string): string | null {
  const location = status >= 300 && status < 400 ? /^location: (\S+)/im.exec(head)?.[1] : undefined
  return location === undefined ? null : new URL(location, base).href
}

function isGone(attributes: string): boolean {
  const expires = /;\s*expires=([^;\r]+)/i.exec(attributes)?.[1]
  return /;\s*max-age=0\b/i.test(attributes) || (expires !== undefined && Date.parse(expires) <= Date.now())
}
