import type { NextRequest } from 'next/server.js'
import { nextBasePath } from '../../config/env.js'

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
 * `basePath` (vercel/next.js issues 40490 and 44334). A rule for `/papers` would not apply to it.
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
  const found = cutsOf(mount).find(isMisplaced)
  if (found === undefined) return { url, basePath }
  return { url: origin + pathname.slice(locale.length + 1) + search, basePath: found }
}

/**
 * What `basePath` of `next.config` is. Where it is not known, it may be each beginning of the mount: `/a` and `/a/api` for
 * `/a/api/auth`.
 */
function cutsOf(mount: string): readonly string[] {
  const known = nextBasePath()
  if (known !== undefined) return known === '' ? [] : [known]
  return [...mount.matchAll(/\//g)].flatMap(({ index }) => (index > 0 ? [mount.slice(0, index)] : []))
}

/** Whether a path is that of the mount or below it. */
const isBelow = (path: string, mount: string): boolean => path === mount || path.startsWith(`${mount}/`)
