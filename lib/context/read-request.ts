import type { Config } from '../config/config.js'
import type { CookieSpecs } from '../http/cookies.js'
import { isSameOrigin } from '../http/csrf.js'
import { isFromFrontEnd } from '../http/front-end-origins.js'
import type { Incoming } from '../http/incoming.js'
import { noOrigin } from '../http/origin.js'
import type { RequestContext } from '../http/request-context.js'
import type { SessionManager } from '../sessions/session.js'
import { type ActionUrls, actionUrls } from './action-urls.js'
import { comesWithBearer } from './bearer-request.js'

/** Where Latchkey serves, as one visitor sees it. */
export interface Mount {
  /** Public origin, without a trailing slash; null if no trusted source has it. */
  readonly origin: string | null
  /** Path of the mount, without a trailing slash; empty at the root. */
  readonly basePath: string
}

/** What is known of a request to the mount before its body is read. */
export interface MountRequest extends RequestContext {
  readonly config: Config
  readonly incoming: Incoming
  /** HEAD counts as GET. */
  readonly method: string
  /** Path of the target as it came, with the mount and without the query. */
  readonly path: string
  /** The query; every pair is well formed, and names may be repeated. */
  readonly query: URLSearchParams
  readonly urls: ActionUrls
  /** Public URL of the mount, without a trailing slash. */
  readonly mountUrl: string
  readonly specs: CookieSpecs
  readonly sessions: SessionManager
  /**
   * Whether anybody may have caused the request, such as the author of a link that the visitor has followed. A sign-in that
   * begins then has no initiator, so it adds no account to the user who is signed in.
   */
  readonly mayBeForged?: boolean
  /**
   * Whether a page of `origins` sent the request. It may do what a page of the public origin may do, except to add a way in:
   * whoever takes such a page over must not be able to come back when it is repaired.
   */
  readonly fromFrontEnd: boolean
  /** Whether a page of a front end may have sent the request, though nothing says so: it can have browsers write `Origin: null`. */
  readonly mayBeFromFrontEnd: boolean
  /** Why the request cannot be served at all, or null. */
  readonly problem: Error | null
}

/** Whether the client asks for a page, as a browser does that navigates or submits a form. Scripts get JSON. */
export const wantsPage = (request: Pick<MountRequest, 'config' | 'header'>): boolean =>
  !comesWithBearer(request) && (request.header('accept')?.includes('text/html') ?? false)

/** Stands for an unknown origin in the answer that refuses the request. */
const NO_ORIGIN = 'http://localhost'

/**
 * Reads a request to the mount, except its body. It never throws: an error is in `problem`, because the answer to the error
 * needs the request as well.
 */
export function readRequest(
  incoming: Incoming,
  { origin: trustedOrigin, basePath }: Mount,
  config: Config,
): MountRequest {
  const { cookies, client, source, header, clientAddress, path, query } = incoming
  const origin = trustedOrigin ?? NO_ORIGIN
  const { specs, sessions } = config.schemeFor(origin)
  return {
    config,
    incoming,
    method: incoming.method === 'HEAD' ? 'GET' : incoming.method,
    path,
    query: query.parameters,
    urls: actionUrls(origin, basePath, config.pages),
    origin,
    mountUrl: origin + basePath,
    specs,
    sessions,
    cookies,
    header,
    client,
    source,
    clientAddress,
    fromFrontEnd: isFromFrontEnd(config.origins, header, origin),
    // Browsers send `Origin` with every POST; a request without it is no page's.
    mayBeFromFrontEnd: config.origins !== null && header('origin') !== undefined && !isSameOrigin(header, origin),
    problem: trustedOrigin === null ? noOrigin(config.origin) : query.problem,
  }
}
