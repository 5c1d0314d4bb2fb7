/**
 * The request at its public path. With `basePath` in `next.config.js`, Next.js cuts that path off before route handlers
 * see it, and the mount's public path still has it.
 *
 * @param url that of the request
 * @param mount public path of the mount
 */
export function publicRequest(request: Request, url: URL, mount: string): Request {
  if (isBelow(url.pathname, mount)) return request
  for (let cut = mount.indexOf('/', 1); cut > 0; cut = mount.indexOf('/', cut + 1)) {
    if (!isBelow(url.pathname, mount.slice(cut))) continue
    const path = mount.slice(0, cut) + url.pathname
    return new Request(new URL(path + url.search, url.origin), request)
  }
  return request
}

/** Whether a path is that of the mount or below it. */
const isBelow = (path: string, mount: string): boolean => path === mount || path.startsWith(`${mount}/`)
