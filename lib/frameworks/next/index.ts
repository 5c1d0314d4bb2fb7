import type { NextRequest } from 'next/server.js'
import { isBuiltByNext } from '../../config/env.js'
import type { ConfigSource } from '../../config/options.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { prepareWebAuth } from '../web/index.js'
import { createActions } from './actions.js'
import { type AuthOf, createAuth } from './auth.js'
import { publicRequest } from './request-facts.js'
import type { NextAuthConfig, NextAuthResult } from './types.js'

export { AuthError, CredentialsSignin } from '../../kernel/errors.js'
export type { Account, Profile, User } from '../../providers/provider.js'
export type { CurrentSession, Session } from '../../sessions/session.js'
export type {
  Auth,
  NextAuthConfig,
  NextAuthRequest,
  NextAuthResult,
  PagesContext,
  RedirectOptions,
  RouteContext,
} from './types.js'

/** The folder `app/api/auth/[...nextauth]`. */
const BASE_PATH = '/api/auth'

/**
 * Latchkey for Next.js 15 and 16, in the app router and the pages router, on the Node.js runtime.
 *
 * @param source the configuration; or a function that gives it for a request, which is undefined in server components,
 *   server actions and the pages router. Its `basePath` is `/api/auth` by default.
 * @throws {AuthError} one error that lists everything that cannot work; not while `next build` runs, whose environment
 *   may lack the secrets: then it is thrown at the first use
 */
export function NextAuth(
  source: NextAuthConfig | ((request: NextRequest | undefined) => MaybePromise<NextAuthConfig>),
): NextAuthResult {
  const prepare = () =>
    prepareWebAuth(source as ConfigSource<NextRequest | undefined>, { basePath: BASE_PATH, call: 'NextAuth(config)' })
  let prepared = isBuiltByNext() ? undefined : prepare()
  const authOf: AuthOf = (request) => {
    prepared ??= prepare()
    return prepared(request)
  }
  const serve = async (request: NextRequest) => {
    // First of all: where Next.js tries whether it can make the answer in advance, this ends the try.
    const url = new URL(request.url)
    const auth = await authOf(request)
    return auth.serve(publicRequest(request, url, auth.basePath))
  }
  return { handlers: { GET: serve, POST: serve }, auth: createAuth(authOf), ...createActions(authOf) }
}

export default NextAuth
