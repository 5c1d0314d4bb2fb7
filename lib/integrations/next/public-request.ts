import { isBelow } from '../../web/mount-paths.js'

/**
 * The request at its public path. With `basePath` in `next.config.js`, Next.js cuts that path off before route handlers
 * see it, and the mount's public path still has it.
 *
 * @param mount public path of the mount
 */
export function publicRequest(request: Request, mount: string): Request {
  const url = new URL(request.url)
  if (isBelow(url.pathname, mount)) return request
  for (let cut = mount.indexOf('/', 1); cut > 0; cut = mount.indexOf('/', cut + 1)) {
    if (!isBelow(url.pathname, mount.slice(cut))) continue
    url.pathname = mount.slice(0, cut) + url.pathname
    return new Request(url, request)
  }
  return request
}
