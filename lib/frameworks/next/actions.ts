import { fieldsOfForm } from '../../kernel/body.js'
import { visitorOf } from '../own-visitor.js'
import type { CookieChange, RequestAuth } from '../web/index.js'
import type { AuthOf } from './auth.js'
import { currentRequest, nextNavigation } from './request-facts.js'
import type { NextAuthResult } from './types.js'

/** Fields that Next.js adds to a form of a server action. */
const ADDED_BY_NEXT = '$ACTION_'

/** What server actions and route handlers do for their visitor. */
export function createActions(authOf: AuthOf) {
  return {
    async signIn(provider, options = {}, authorizationParams) {
      const { redirect, redirectTo, ...fields } = fieldsOf(options)
      if (!provider) return redirectOrReturn(await signInPage(authOf, textOf(redirectTo)), redirect)
      const { url } = await change(authOf, (auth) =>
        auth.signIn({ provider, fields, redirectTo: textOf(redirectTo), authorizationParams }),
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
      const { request, facts } = await currentRequest()
      const auth = (await authOf(undefined)).forRequest(request, facts)
      return visitorOf(auth, (work) => change(authOf, work))
    },
  } satisfies Pick<NextAuthResult, 'signIn' | 'signOut' | 'unstable_update' | 'visitor'>
}

/**
 * The URL of the sign-in page. The return target is in its query, because a server component can set no cookie; the page
 * checks it.
 */
async function signInPage(authOf: AuthOf, redirectTo: string | undefined): Promise<string> {
  const { request, facts } = await currentRequest()
  const { url } = await (await authOf(undefined)).forRequest(request, facts).signIn({ redirectTo })
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
  const { request, facts, store } = await currentRequest()
  const result = await work((await authOf(undefined)).forRequest(request, facts))
  for (const { name, value, options } of result.cookies) store.set(name, value, options)
  return result
}

/** @throws {RequestRefused} 400 when a form repeats a field */
function fieldsOf(options: FormData | Record<string, unknown>): Record<string, unknown> {
  if (!(options instanceof FormData)) return options
  return fieldsOfForm([...options].filter(([name]) => !name.startsWith(ADDED_BY_NEXT)))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Redirects by an error that Next.js catches, or returns the URL. */
async function redirectOrReturn(url: string, redirects: unknown): Promise<never> {
  if (redirects === false) return url as never
  const { redirect } = await nextNavigation()
  return redirect(url)
}
