import type { CurrentSession } from '../../sessions/session.js'
import { factsOf, prepareAuth, type SolidAuthSource } from './middleware.js'

export { AuthError, CredentialsSignin, MissingCSRF, RequestRefused } from '../../kernel/errors.js'
export type { CurrentSession, Session } from '../../sessions/session.js'
export type { AuthorizationParams, Visitor, VisitorOfRequest } from '../web/index.js'
export type { SignInOptions, SubmittedForm } from './actions.js'
export { checkSender, type SignOutOptions, signIn, signOut, updateSession, visitor } from './actions.js'
export type { SolidAuthConfig, SolidAuthSource, SolidEvent } from './middleware.js'
export { authSession, type MiddlewareEvent, requireAuth, type SessionMiddleware } from './middleware.js'

/** What an API route of SolidStart gets, as far as it is needed. */
export interface APIEvent {
  readonly request: Request
  /** The IP address of the client, as the server knows it. */
  readonly clientAddress?: string | undefined
}

/** Answers an event; undefined when its path is not that of the mount, so that SolidStart goes on with it. */
export type APIHandler = (event: APIEvent) => Promise<Response | undefined>

/**
 * The handlers of the API route that is the mount: `export const { GET, POST } = SolidAuth(config)` in
 * `src/routes/api/auth/[...auth].ts`.
 *
 * @throws {AuthError} at once, when a configuration given as an object cannot work
 */
export function SolidAuth(config: SolidAuthSource): { GET: APIHandler; POST: APIHandler } {
  const authOf = prepareAuth(config, 'SolidAuth(config)')
  const serve: APIHandler = async (event) => {
    const { request } = event
    const auth = await authOf(request)
    return auth.isServed(new URL(request.url).pathname) ? auth.serve(request, factsOf(event)) : undefined
  }
  return { GET: serve, POST: serve }
}

/**
 * The session of a request, null when nobody is signed in. It does not renew the session, so it can run while a page
 * is streamed.
 *
 * @throws {AuthError} when the session cannot be read because of a fault; a fault never means that nobody is signed in
 */
export async function getSession(request: Request, config: SolidAuthSource): Promise<CurrentSession | null> {
  const auth = await prepareAuth(config, 'getSession(request, config)')(request)
  return auth.forRequest(request).getSession()
}
