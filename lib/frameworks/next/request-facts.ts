import type { IncomingMessage } from 'node:http'
import type { NextRequest } from 'next/server.js'
import { cookieHeader } from '../web/headers.js'
import type { WebRequest, WebRequestFacts } from '../web/index.js'

/** A request as `latchkey/web` takes it. */
interface Known {
  readonly request: WebRequest
  readonly facts: WebRequestFacts
}

type CookieStore = Awaited<ReturnType<Awaited<ReturnType<typeof nextHeaders>>['cookies']>>

/**
 * The request that code of the app router runs for, which is not handed to it, and its cookies.
 *
 * While Next.js makes a page in advance, this ends the making of what depends on the request, so it must come before
 * everything else, and nothing may catch what it throws.
 */
export async function currentRequest(): Promise<Known & { readonly store: CookieStore }> {
  const { headers, cookies } = await nextHeaders()
  const [given, store] = await Promise.all([headers(), cookies()])
  // After an action has set a cookie, the store has the new value and the header has the old one.
  return { request: { headers: new Headers(given) }, facts: { cookies: cookieHeader(store.getAll()) }, store }
}

/**
 * A request of the proxy or of a route handler.
 *
 * @param mount public path of the mount
 */
export async function webRequest(request: NextRequest, mount: string): Promise<Known> {
  const { NextRequest } = await nextServer()
  const { locale, defaultLocale } = request.nextUrl ?? {}
  const { url, basePath } = publicAddress(request, mount)
  // Without the locales, the path that the callback sees would begin with the locale.
  const i18n = defaultLocale ? { locales: [...new Set([locale || defaultLocale, defaultLocale])], defaultLocale } : null
  return {
    request: { headers: request.headers, method: request.method, signal: request.signal, url },
    facts: { toRequest: (plain) => new NextRequest(plain, { nextConfig: { basePath, i18n } }) },
  }
}

/** A request of the pages router. Next.js has completed its forwarded headers. */
export function nodeRequest({ headers: given, method = 'GET', socket }: IncomingMessage): Known {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) for (const each of [value ?? []].flat()) headers.append(name, each)
  const isSecure = socket !== undefined && 'encrypted' in socket
  return { request: { headers, method }, facts: isSecure ? { protocol: 'https' } : {} }
}

/**
 * The request at its public path. With `basePath` in `next.config.js`, Next.js cuts that path off before route handlers
 * see it, and the mount's public path still has it.
 *
 * @param url that of the request
 * @param mount public path of the mount
 */
export function publicRequest(request: Request, url: URL, mount: string): Request {
  if (isBelow(url.pathname, mount)) return request
  const cut = cutsOf(mount).find((basePath) => isBelow(url.pathname, mount.slice(basePath.length)))
  if (cut === undefined) return request
  return new Request(new URL(cut + url.pathname + url.search, url.origin), request)
}

/**
 * The address that was asked for, and the `basePath` of `next.config` in it.
 *
 * With `basePath` and `i18n`, Next.js shows a proxy `/de/shop/de/papers` for `/shop/de/papers`, and says that there is no
 * `basePath` (vercel/next.js issues 40490 and 44334). A rule for `/papers` would not apply to it. Without `basePath`, the same
 * path is that of a page, and a rule for `/shop` must apply to it.
 *
 * @param mount public path of the mount
 */
export function publicAddress(
  { url, nextUrl }: Pick<NextRequest, 'url'> & Partial<Pick<NextRequest, 'nextUrl'>>,
  mount: string,
): { readonly url: string; readonly basePath: string } {
  const { basePath = '', locale = '' } = nextUrl ?? {}
  if (basePath !== '' || locale === '') return { url, basePath }
  const { origin, pathname, search } = new URL(url)
  const path = pathname.slice(locale.length + 1).toLowerCase()
  const isMisplaced = (cut: string) =>
    pathname.startsWith(`/${locale}${cut}/`) && isBelow(path, `${cut}/${locale}`.toLowerCase())
  const found = cutsOf(mount).find((cut) => isMisplaced(cut) && nextUrl !== undefined && isBasePath(cut, nextUrl))
  if (found === undefined) return { url, basePath }
  return { url: origin + pathname.slice(locale.length + 1) + search, basePath: found }
}

/** Whether `next.config` has this `basePath`: Next.js takes it out of an address that begins with it. */
function isBasePath(path: string, nextUrl: NextRequest['nextUrl']): boolean {
  const probe = nextUrl.clone()
  probe.href = nextUrl.origin + path
  return probe.basePath === path
}

/** What `basePath` of `next.config` may be: `/a` and `/a/api` for the mount `/a/api/auth`. */
const cutsOf = (mount: string): readonly string[] =>
  [...mount.matchAll(/\//g)].flatMap(({ index }) => (index > 0 ? [mount.slice(0, index)] : []))

/** Whether a path is that of the mount or below it. */
const isBelow = (path: string, mount: string): boolean => path === mount || path.startsWith(`${mount}/`)

// The modules of Next.js, loaded when first needed.
//
// Its bundlers know them by these names, and choose by the names what a server component gets and what other code gets.
// Where Node.js itself loads this package (the pages router, `serverExternalPackages`, tests), the names are not found,
// since Next.js declares no `exports`: there the name of the file is needed, and the bundlers must not follow it.
const nextHeaders = () =>
  import('next/headers').catch(() => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/headers.js'))

export const nextNavigation = () =>
  import('next/navigation').catch(
    () => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/navigation.js'),
  )

export const nextServer = () =>
  import('next/server').catch(() => import(/* webpackIgnore: true */ /* turbopackIgnore: true */ 'next/server.js'))
