import type { BodyFields } from '../kernel/body.js'
import type { CookieChange } from '../kernel/cookies.js'
import type { LogSource } from '../kernel/logger.js'
import { isFirstTime } from '../kernel/logger.js'
import { formatTarget, parseTarget, returnTargetCookie } from '../kernel/return-target.js'
import { withParams } from '../pages/action-urls.js'
import type { Config } from './config.js'
import type { CookieRequest } from './cookies.js'

/** A request that may say where the visitor goes. */
interface TargetedRequest extends CookieRequest {
  readonly origin: string
  readonly query: URLSearchParams
  readonly config: Config
  readonly source?: LogSource | undefined
}

/**
 * Where visitors go without a return target: the public origin, or the root of an application of which a proxy cuts off the
 * path.
 */
export const homeOf = ({ strippedPrefix }: Pick<Config, 'strippedPrefix'>, origin: string): string =>
  strippedPrefix === '' ? origin : `${origin}${strippedPrefix}/`

/**
 * The return target of a request: the first usable value of body, query and cookie, as the `redirect` callback maps it.
 * Unusable values count as absent.
 *
 * @returns the home of the application when there is no value, or when the callback gives no http(s) URL
 */
export async function findReturnTarget(request: TargetedRequest, fields: BodyFields): Promise<string> {
  const { config, origin, query, cookies, specs, source } = request
  const values = [fields['callbackUrl'], query.getAll('callbackUrl').at(-1), cookies.get(specs.callbackUrl.name)]
  for (const value of values) {
    const asked = parseTarget(value, origin)
    if (asked === null) continue
    const target = await mapRedirect(config, String(value), origin)
    if (target === null) config.logger.warn('redirect-refused', { reason: NO_URL }, source)
    else warnOfOtherOrigin(request, asked.origin, target)
    return target ?? homeOf(config, origin)
  }
  return homeOf(config, origin)
}

const NO_URL = 'the redirect callback gave no http(s) URL'

/** A visitor can ask for any target, so it is said once, and without its address. */
function warnOfOtherOrigin({ config, origin, source }: TargetedRequest, asked: string, target: string): void {
  const isUsed = asked === origin || parseTarget(target, origin)?.origin === asked
  if (isUsed || !isFirstTime(config, 'redirect-refused')) return
  const fix = 'If a front end of yours has that origin, list it in `origins`.'
  config.logger.warn('redirect-refused', { reason: 'it is on another origin', fix }, source)
}

/**
 * The URL for an address that a `signIn` callback returned, as the `redirect` callback maps it. It is the home of the
 * application if the result is not an http(s) URL.
 */
export const redirectTarget = async (
  { config, origin }: Pick<TargetedRequest, 'config' | 'origin'>,
  url: string,
): Promise<string> => (await mapRedirect(config, url, origin)) ?? homeOf(config, origin)

/** A return target as the `redirect` callback maps it, and the home of the application for a value that is none. */
export const mappedTarget = async (value: unknown, config: Config, origin: string): Promise<string> =>
  typeof value === 'string' && parseTarget(value, origin) !== null
    ? redirectTarget({ config, origin }, value)
    : homeOf(config, origin)

async function mapRedirect(
  { callbacks, strippedPrefix }: Config,
  url: string,
  baseUrl: string,
): Promise<string | null> {
  const chosen = await callbacks.redirect({ url, baseUrl })
  const target = parseTarget(chosen, baseUrl)
  // The root of the origin, which is also what the default callback gives for other sites, is another application's then.
  if (strippedPrefix !== '' && target?.href === `${baseUrl}/`) return homeOf({ strippedPrefix }, baseUrl)
  return target && formatTarget(target, chosen)
}

/** The cookie that remembers the return target of a request for the requests that follow, if the browser needs it. */
export const rememberReturnTarget = async (
  request: TargetedRequest & { returnTarget(): Promise<string> },
): Promise<readonly CookieChange[]> =>
  returnTargetCookie(request.cookies, request.specs.callbackUrl, await request.returnTarget())

/**
 * The address of a page under the mount that leads on to where this request would have.
 *
 * @param page `second-factor`
 */
export const urlLeadingOn = async (
  visit: { readonly mountUrl: string; readonly origin: string; returnTarget(): Promise<string> },
  page: string,
  params: Readonly<Record<string, string>> = {},
): Promise<string> =>
  withParams(`${visit.mountUrl}/${page}`, { callbackUrl: await visit.returnTarget(), ...params }, visit.origin)

/**
 * Where a page under the mount leads on; null for every other target.
 *
 * @param page `second-factor`; by default any
 */
export async function targetBeyond(
  { config, origin, mountUrl }: Pick<TargetedRequest, 'config' | 'origin'> & Pick<OpenedPage, 'mountUrl'>,
  target: string,
  page?: string,
): Promise<string | null> {
  const url = parseTarget(target, origin)
  const address = `${url?.origin}${url?.pathname}`
  if (page === undefined ? !address.startsWith(`${mountUrl}/`) : address !== `${mountUrl}/${page}`) return null
  return mappedTarget(url?.searchParams.get('callbackUrl'), config, origin)
}

/**
 * Where a page is opened without a return target, the cookie leads to no page of the mount: the visitor has left that page, and would
 * come back to it at a later sign-in that has nothing to do with it. The requests that follow one page still find it there.
 */
export function forgetPageOfMount(visit: TargetedRequest & OpenedPage): void {
  const { config, origin, query, cookies, specs, method, mountUrl } = visit
  if (method !== 'GET' || query.has('callbackUrl') || query.has('error') || mountUrl === origin) return
  const kept = parseTarget(cookies.get(specs.callbackUrl.name), origin)
  if (kept?.href.startsWith(`${mountUrl}/`)) visit.leadTo(homeOf(config, origin))
}

interface OpenedPage {
  readonly method: string
  readonly mountUrl: string
  leadTo(target: string): void
}
