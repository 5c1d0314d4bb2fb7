import type { Client } from '../http/client.js'
import type { RequestContext } from '../http/request-context.js'
import type { RequestCookies } from '../http/request-cookies.js'

const NO_COOKIES: RequestCookies = new Map()

/**
 * A request that comes with a token in the header `Authorization`. The stores see the token in the place of the session
 * cookie, and no cookie that the request brought: the session of a browser is never mixed with that of a token.
 */
export class BearerContext implements RequestContext {
  readonly cookies: RequestCookies
  readonly client: Client | undefined
  readonly origin: string
  readonly isOpenConnection: boolean | undefined
  readonly #request: RequestContext

  /** @param token null if the header is malformed: then nobody is signed in */
  constructor(request: RequestContext, cookieName: string, token: string | null) {
    this.cookies = token === null ? NO_COOKIES : new Map([[cookieName, token]])
    this.client = request.client
    this.origin = request.origin
    this.isOpenConnection = request.isOpenConnection
    this.#request = request
  }

  header(name: string): string | undefined {
    return this.#request.header(name)
  }

  clientAddress(): unknown {
    return this.#request.clientAddress?.()
  }
}
