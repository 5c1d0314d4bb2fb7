import { type ErrorPage, RecentSignInRequired } from '../kernel/errors.js'
import { formatPath } from '../kernel/return-target.js'

/** Paths or URLs of pages of the application, which replace the built-in pages. */
export interface PagesOptions {
  signIn: string
  signOut: string
  /** Has `error` in its query. */
  error: string
  verifyRequest: string
  /** Where people ask for a password, choose one and change it. Where a mailed link leads, it has `token` in its query. */
  password: string
  /** Where people who are signed in see what is theirs. */
  account: string
  /** New users are redirected to this page at their first sign-in. */
  newUser: string
}

export type ActionUrls = ReturnType<typeof actionUrls>

/** The `code` of a `RecentSignInRequired` for which a second factor alone would not do. */
export const OPEN_PAGE = 'OpenPage'

const BUILT_IN = {
  signIn: 'signin',
  signOut: 'signout',
  error: 'error',
  verifyRequest: 'verify-request',
  password: 'password',
  account: 'account',
} as const

/** The URLs of the mount at `basePath`, which has no trailing slash and is empty at the root. */
export function actionUrls(origin: string, basePath: string, pages: Readonly<Partial<PagesOptions>>) {
  /** Public URL of the mount, without a trailing slash. */
  const mount = origin + basePath
  /** URL of an action, or of a provider under it. */
  const action = (name: string, providerId?: string) =>
    providerId === undefined ? `${mount}/${name}` : `${mount}/${name}/${providerId}`
  /** Absolute URL of the page that shows an error: the application's own page if it has one. */
  const errorTarget = (page: ErrorPage | 'signOut', params: Readonly<Record<string, string | undefined>>): string => {
    // The built-in page leads on to that of the application, unless a second factor is all that is missing.
    const isUndecided =
      page === 'signIn' && params['error'] === RecentSignInRequired.type && params['code'] !== OPEN_PAGE
    const own = isUndecided ? undefined : pages[page]
    return new URL(withParams(own ?? action(BUILT_IN[page]), params, origin), origin).href
  }
  return {
    /** Public origin, without a trailing slash. */
    origin,
    mount,
    action,
    errorTarget,
    /** The page to sign in at, which leads to the return target afterwards, and says why it is there. */
    signInPage: (callbackUrl: string, why: { readonly error?: string; readonly code?: string | undefined } = {}) =>
      errorTarget('signIn', { ...why, callbackUrl }),
    /** Address of the application's own page that replaces a built-in page; undefined when there is none. */
    ownPage(page: keyof typeof BUILT_IN): string | undefined {
      const own = pages[page]
      if (own === undefined) return undefined
      const url = new URL(own, origin)
      // An address that is the built-in page itself would redirect to itself for ever. The router skips empty segments.
      const path = url.pathname.replace(/\/+/g, '/').replace(/\/$/, '')
      const isBuiltIn = url.origin + path === action(BUILT_IN[page])
      return isBuiltIn ? undefined : own
    },
  }
}

/**
 * A page's address with parameters added; those that are undefined are left out. A path stays a path, as it was
 * configured.
 *
 * @param address a path or an absolute URL; it may have a query of its own
 */
export function withParams(
  address: string,
  params: Readonly<Record<string, string | undefined>>,
  origin: string,
): string {
  const url = new URL(address, origin)
  for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.append(name, value)
  return address.startsWith('/') ? formatPath(url) : url.href
}

/**
 * In the query of the page that adds a second factor, for who was led there by a page that they cannot see without: back is no
 * way on.
 */
export const DEMANDED = 'demanded'

/** In the query of the sign-in page, and of the page that asks who wants a password: whose address is filled in. */
export const INVITED = 'invited'

/** In the query of the sign-in page, for who is invited and wants another way to sign in than the password that is offered first. */
export const OTHERWISE = 'otherwise'

/** In the query of the sign-in page: the session ended before a form of a signed-in visitor came. */
export const ENDED_MEANWHILE = { error: 'SessionRequired', code: 'Ended' } as const

/** In the query of the sign-in page: the visitor acted as a user, and that has ended by itself. */
export const ACTING_ENDED = { error: 'SessionRequired', code: 'ActingEnded' } as const

/**
 * The absolute URL of a page to sign in at, which leads to the return target afterwards.
 *
 * @param page path or URL
 */
export const signInPageUrl = (page: string, callbackUrl: string, origin: string): string =>
  new URL(withParams(page, { callbackUrl }, origin), origin).href

/** What pages show of the site that they belong to. */
export const siteOf = (origin: string) => ({
  host: new URL(origin).host,
  /** Whether what a visitor enters goes over the network unencrypted. */
  insecure: origin.startsWith('http:'),
})
