import type { Middleware, MiddlewareRequest, MiddlewareResponse } from '../../dist/index.js'

/** A request as far as a guard looks at it: without the cost of a server, which other measurements have. */
export const fakeRequest = (cookie: string, host = '127.0.0.1:3000'): MiddlewareRequest =>
  ({
    method: 'GET',
    url: '/private',
    originalUrl: '/private',
    headers: { host, accept: 'text/html', cookie },
    socket: { remoteAddress: '127.0.0.1', encrypted: false },
  }) as unknown as MiddlewareRequest

class FakeResponse {
  readonly #headers: Record<string, unknown> = Object.create(null)
  statusCode = 200
  locals: Record<string, unknown> | undefined

  hasHeader(name: string) {
    return this.#headers[name.toLowerCase()] !== undefined
  }

  getHeader(name: string) {
    return this.#headers[name.toLowerCase()]
  }

  setHeader(name: string, value: unknown) {
    this.#headers[name.toLowerCase()] = value
    return this
  }

  getHeaderNames() {
    return Object.keys(this.#headers)
  }

  removeHeader(name: string) {
    delete this.#headers[name.toLowerCase()]
  }

  end() {
    throw new Error(`The guard answered ${this.statusCode} in place of letting the request through.`)
  }
}

/**
 * Sends a request through a guard.
 *
 * @returns the answer's `locals` when it was let through
 * @throws whatever the guard hands on, and when it answers by itself: a guard that refuses would look fast
 */
export function passThrough(guard: Middleware, cookie: string, host?: string): Promise<Record<string, unknown>> {
  const res = new FakeResponse()
  return new Promise((resolve, reject) => {
    guard(fakeRequest(cookie, host), res as unknown as MiddlewareResponse, (error) => {
      if (error === undefined) resolve(res.locals ?? {})
      else reject(error)
    })
  })
}

/** The address that a guard found in a session; undefined when nobody is signed in. */
export const emailIn = (locals: Record<string, unknown>): unknown =>
  (locals['session'] as { user?: { email?: unknown } } | null | undefined)?.user?.email
