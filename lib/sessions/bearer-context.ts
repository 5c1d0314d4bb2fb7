import type { CookieSpec } from '../kernel/cookies.js'
import type { Client } from '../kernel/incoming.js'
import type { LogSource } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import type { RequestCookies } from '../kernel/request-cookies.js'
import { sessionCookieValues } from './session-cookie.js'

const NO_COOKIES: RequestCookies = new Map()

/** A request as if it had brought one session cookie, and no other cookie. */
class OneSessionContext implements RequestContext {
  readonly cookies: RequestCookies
  readonly client: Client | undefined
  readonly origin: string
  readonly isOpenConnection: boolean | undefined
  readonly #request: RequestContext

  /** @param token null for none: then nobody is signed in */
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

  get source(): LogSource | undefined {
    return this.#request.source
  }

  clientAddress(): unknown {
    return this.#request.clientAddress?.()
  }
}

/**
 * A request that comes with a token in the header `Authorization`. The stores see the token in the place of the session
 * cookie, and no cookie that the request brought: the session of a browser is never mixed with that of a token. If the header is
 * malformed, there is no token. Nothing but its class tells it from the request of a browser.
 */
export class BearerContext extends OneSessionContext {}

/**
 * The request once for each session cookie that it brought, so that each is read: for itself the first counts.
 *
 * @returns the request itself first
 */
export function forEachSession(request: RequestContext, cookie: CookieSpec): readonly RequestContext[] {
  const [, ...others] = sessionCookieValues(request.cookies, cookie)
  return [request, ...others.map((token) => new OneSessionContext(request, cookie.name, token))]
}
