import type { NextRequest } from 'next/server.js'
import { isBuiltByNext } from '../../config/env.js'
import type { ConfigSource } from '../../config/options.js'
import type { MaybePromise } from '../../kernel/awaitable.js'
import { fieldsOfForm } from '../../kernel/body.js'
import { visitorOf } from '../web/framework-session.js'
import { type CookieChange, prepareWebAuth, type RequestAuth } from '../web/index.js'
import { type AuthOf, createAuth, currentAuth, type NextAuthConfig, type NextAuthResult } from './auth.js'
import { nextNavigation, publicRequest } from './request-facts.js'

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
} from './auth.js'

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

/** Fields that Next.js adds to a form of a server action. */
const ADDED_BY_NEXT = '$ACTION_'

/** What server actions and route handlers do for their visitor. */
function createActions(authOf: AuthOf) {
  return {
    async signIn(provider, options = {}, authorizationParams) {
      const { redirect, redirectTo, ...fields } = fieldsOf(options)
      if (!provider) return redirectOrReturn(await signInPage(authOf, textOrUndefined(redirectTo)), redirect)
      const { url } = await change(authOf, (auth) =>
        auth.signIn({ provider, fields, redirectTo: textOrUndefined(redirectTo), authorizationParams }),
      )
      return redirectOrReturn(url, redirect)
    },
    async signOut({ redirect, redirectTo, endSession } = {}) {
      const { url } = await change(authOf, (auth) => auth.signOut(redirectTo, endSession))
      return redirectOrReturn(url, redirect)
    },
    async unstable_update(data) {
      return (await change(authOf, (auth) => auth.updateSession(data))).session
    },
    async visitor() {
      const { auth } = await currentAuth(authOf)
      return visitorOf(auth, (work) => change(authOf, work))
    },
  } satisfies Pick<NextAuthResult, 'signIn' | 'signOut' | 'unstable_update' | 'visitor'>
}

/**
 * The URL of the sign-in page. The return target is in its query, because a server component can set no cookie; the page
 * checks it.
 */
async function signInPage(authOf: AuthOf, redirectTo: string | undefined): Promise<string> {
  const { auth, request } = await currentAuth(authOf)
  const { url } = await auth.signIn({ redirectTo })
  const page = new URL(url)
  const callbackUrl = redirectTo ?? request.headers.get('referer')
  if (callbackUrl) page.searchParams.set('callbackUrl', callbackUrl)
  return page.href
}

/** Does what changes cookies on behalf of the current request, and sets them. */
async function change<Result extends { readonly cookies: readonly CookieChange[] }>(
  authOf: AuthOf,
  work: (auth: RequestAuth) => Promise<Result>,
): Promise<Result> {
  const { auth, store } = await currentAuth(authOf)
  const result = await work(auth)
  for (const { name, value, options } of result.cookies) store.set(name, value, options)
  return result
}

/** @throws {RequestRefused} 400 when a form repeats a field */
function fieldsOf(options: FormData | Record<string, unknown>): Record<string, unknown> {
  if (!(options instanceof FormData)) return options
  return fieldsOfForm([...options].filter(([name]) => !name.startsWith(ADDED_BY_NEXT)))
}

const textOrUndefined = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Redirects by an error that Next.js catches, or returns the URL. */
async function redirectOrReturn(url: string, redirects: unknown): Promise<never> {
  if (redirects === false) return url as never
  const { redirect } = await nextNavigation()
  return redirect(url)
}

export default NextAuth
