import type { NextRequest } from 'next/server.js'

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
