import type { PagesOptions } from '../config/options.js'
import type { ErrorPage } from '../errors.js'
import { formatPath } from '../http/callback-url.js'

/** The URLs of one mount, as one visitor sees them. */
export interface ActionUrls {
  /** Public origin, without a trailing slash. */
  readonly origin: string
  /** Public URL of the mount, without a trailing slash. */
  readonly mount: string
  /** URL of an action, or of a provider under it. */
  action(action: string, providerId?: string): string
  /** Absolute URL of the page that tells of an error, the application's own if it has one. */
  errorTarget(page: ErrorPage | 'signOut', params: Readonly<Record<string, string | undefined>>): string
}

/** The URLs of the mount at `basePath`, which has no trailing slash and is empty at the root. */
export function actionUrls(origin: string, basePath: string, pages: Readonly<Partial<PagesOptions>>): ActionUrls {
  const mount = origin + basePath
  const action = (name: string, providerId?: string) =>
    providerId === undefined ? `${mount}/${name}` : `${mount}/${name}/${providerId}`
  return {
    origin,
    mount,
    action,
    errorTarget: (page, params) =>
      new URL(withParams(pages[page] ?? action(BUILT_IN[page]), params, origin), origin).href,
  }
}

const BUILT_IN = { signIn: 'signin', signOut: 'signout', error: 'error' } as const

/**
 * A page's address with parameters added, absent ones left out. A path stays a path, as it was configured.
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
