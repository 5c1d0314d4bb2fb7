import { formFields } from '../../http/body.js'
import type { CookieChange, RequestAuth } from '../../web/index.js'
import type { AuthOf } from './auth.js'
import { nextNavigation } from './framework.js'
import { currentRequest } from './request-facts.js'
import type { NextAuthResult } from './types.js'

/** Fields that Next.js adds to a form of a server action. */
const ADDED_BY_NEXT = '$ACTION_'

/** What server actions and route handlers do for their visitor. */
export function createActions(authOf: AuthOf) {
  return {
    async signIn(provider, options = {}, authorizationParams) {
      const { redirect, redirectTo, ...fields } = fieldsOf(options)
      const { url } = await act(authOf, (visitor) =>
        visitor.signIn({ provider, fields, redirectTo: textOf(redirectTo), authorizationParams }),
      )
      return leave(url, redirect)
    },
    async signOut({ redirect, redirectTo } = {}) {
      const { url } = await act(authOf, (visitor) => visitor.signOut(redirectTo))
      return leave(url, redirect)
    },
    async unstable_update(data) {
      return (await act(authOf, (visitor) => visitor.updateSession(data))).session
    },
  } satisfies Pick<NextAuthResult, 'signIn' | 'signOut' | 'unstable_update'>
}

/** Does something for the visitor of the current request, and sets the cookies that it gives. */
async function act<Result extends { readonly cookies: readonly CookieChange[] }>(
  authOf: AuthOf,
  work: (visitor: RequestAuth) => Promise<Result>,
): Promise<Result> {
  const { request, facts, store } = await currentRequest()
  const result = await work((await authOf(undefined)).forRequest(request, facts))
  for (const { name, value, options } of result.cookies) store.set(name, value, options)
  return result
}

/** @throws {RequestRefused} 400 when a form repeats a field */
function fieldsOf(options: FormData | Record<string, unknown>): Record<string, unknown> {
  if (!(options instanceof FormData)) return options
  return formFields([...options].filter(([name]) => !name.startsWith(ADDED_BY_NEXT)))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Sends the visitor on by an error that Next.js catches; or gives the address. */
async function leave(url: string, redirects: unknown): Promise<never> {
  if (redirects === false) return url as never
  const { redirect } = await nextNavigation()
  return redirect(url)
}
