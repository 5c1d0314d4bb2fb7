import { OPERATION_NAMES } from '../visitor/operations.js'
import type { RequestAuth, SessionRevocation, Visitor, VisitorOfRequest } from './web/index.js'

/**
 * The operations for the visitor of a request. Of those, only the end of the session of the request changes cookies.
 *
 * @param change does what changes cookies, and sets them as the framework does it
 */
export function visitorOf(
  auth: RequestAuth,
  change: (work: (auth: RequestAuth) => Promise<SessionRevocation>) => Promise<SessionRevocation>,
): VisitorOfRequest {
  const operations = Object.fromEntries(OPERATION_NAMES.map((name) => [name, auth[name]])) as unknown as Visitor
  const { upgradeSession } = auth
  return {
    ...operations,
    upgradeSession,
    revokeSession: (id, options) => change((now) => now.revokeSession(id, options)),
  }
}
