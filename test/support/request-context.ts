import type { Engine } from '../../lib/engine/engine.js'
import { RequestRefused } from '../../lib/kernel/errors.js'
import type { Client } from '../../lib/kernel/incoming.js'
import type { RequestContext } from '../../lib/kernel/request-context.js'
import { parseCookies, type RequestCookies } from '../../lib/kernel/request-cookies.js'
import type { IssuedToken, TokenRequest } from '../../lib/sessions/session-manager.js'
import type { Caller } from '../../lib/sign-in/operation.js'
import { carryOut } from '../../lib/sign-in/operation.js'
import {
  issueToken,
  listSessions,
  revokeAllSessions,
  revokeOtherSessions,
  revokeSession,
} from '../../lib/sign-in/session-operations.js'

/**
 * The context of a request that brings these cookies and nothing else.
 *
 * @param cookies the `Cookie` header, or the cookies by name
 */
export const requestContext = (
  cookies: string | RequestCookies | undefined,
  origin = 'http://localhost:3000',
  client?: Client,
): RequestContext => ({
  cookies: typeof cookies === 'object' ? cookies : parseCookies(cookies),
  client,
  origin,
  header: () => undefined,
})

/** Such a request, as code of the application asks for something on behalf of its visitor. */
export const callerWith = (engine: Engine, context: RequestContext): Caller => ({
  config: engine.config,
  context,
  method: 'GET',
  read: () => engine.readSession(context),
  visit() {
    throw new Error('There is no request.')
  },
})

/**
 * An engine with what its visitors do with their sessions. Here they may do it however old their sign-in is, and null says that
 * nobody is signed in.
 */
export function withSessions(engine: Engine) {
  const anyAge = { maxAuthAge: Number.POSITIVE_INFINITY }
  const orNobody = <T>(result: Promise<T>): Promise<T | null> =>
    result.catch((error: unknown) => {
      if (error instanceof RequestRefused && error.status === 401) return null
      throw error
    })
  return {
    ...engine,
    issueToken: (context: RequestContext, wanted: TokenRequest): Promise<IssuedToken> =>
      carryOut(issueToken, callerWith(engine, context), [wanted]),
    listSessions: (context: RequestContext) => orNobody(carryOut(listSessions, callerWith(engine, context), [])),
    revokeSession: (context: RequestContext, id: string) =>
      orNobody(carryOut(revokeSession, callerWith(engine, context), [id, anyAge])),
    revokeOtherSessions: (context: RequestContext) =>
      orNobody(carryOut(revokeOtherSessions, callerWith(engine, context), [anyAge])),
    revokeAllSessions: (userId: string) => revokeAllSessions(engine.config, userId),
  }
}
