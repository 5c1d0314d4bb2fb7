/** The headers of an answer that is not sent yet, as Node's `ServerResponse` has them. */
export interface ResponseHeaders {
  getHeader(name: string): HeaderValue
  /** In lower case. */
  getHeaderNames(): readonly string[]
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): void
}

type HeaderValue = number | string | readonly string[] | undefined

/**
 * Headers that a shared cache obeys in place of `Cache-Control` (RFC 9213 §2.2, and before it `Surrogate-Control`,
 * `Edge-Control` and nginx's `X-Accel-Expires`).
 */
const isTargeted = (name: string) =>
  name.endsWith('-cache-control') ||
  name === 'surrogate-control' ||
  name === 'edge-control' ||
  name === 'x-accel-expires'

/**
 * Keeps an answer that the application finishes out of caches that serve several people (COOKIE-12). A `Cache-Control`
 * that does so stays as it is; any other is replaced, since RFC 9111 lets such a cache keep `Set-Cookie` as well.
 */
export function keepOutOfSharedCaches(res: ResponseHeaders): void {
  for (const name of res.getHeaderNames()) {
    if (isTargeted(name) && !keepsOut(res.getHeader(name))) res.removeHeader(name)
  }
  const caching = res.getHeader('cache-control')
  // Nearly every answer has none yet, and the guard runs for each of them.
  if (caching === undefined || !keepsOut(caching)) res.setHeader('cache-control', NO_STORE['cache-control'])
}

/**
 * Says in the headers that an answer depends on the visitor, and keeps it out of caches that serve several people
 * (COOKIE-12). A route can set other headers afterwards.
 */
export function varyByVisitor(res: ResponseHeaders): void {
  keepOutOfSharedCaches(res)
  varyBy(res, 'Cookie')
}

/** Whether headers tell caches what to do with an answer. */
export const saysCaching = (res: ResponseHeaders): boolean =>
  res.getHeaderNames().some((name) => name === 'cache-control' || isTargeted(name))

/** Says in the headers that an answer depends on the cookies of its request (RFC 9110 §12.5.5). */
export const varyByCookie = (res: ResponseHeaders): void => varyBy(res, 'Cookie')

/** Says in the headers that an answer depends on a header of its request (RFC 9110 §12.5.5). */
export function varyBy(res: ResponseHeaders, name: string): void {
  const present = res.getHeader('vary')
  // Nearly every answer has none yet, and the guard runs for each of them.
  if (present === undefined) {
    res.setHeader('vary', name)
    return
  }
  const names = Array.isArray(present) ? present.join(', ') : String(present)
  const wanted = name.toLowerCase()
  if (names.split(',').some((each) => each.trim() === '*' || each.trim().toLowerCase() === wanted)) return
  res.setHeader('vary', names === '' ? name : `${names}, ${name}`)
}

/**
 * Whether a header forbids shared caches to keep the whole answer. `private="x"` concerns only the field x (RFC 9111
 * §5.2.2.7).
 */
function keepsOut(header: HeaderValue): boolean {
  if (header === NO_STORE['cache-control']) return true
  const directives = new Set(
    String(header ?? '')
      .toLowerCase()
      .replace(/"[^"]*"/g, '""')
      .split(',')
      .map((directive) => directive.trim()),
  )
  if (directives.has('public') || [...directives].some((directive) => directive.startsWith('s-maxage'))) return false
  return directives.has('private') || directives.has('no-store')
}

/** Headers of an answer that depends on the visitor, and that no cache may keep (COOKIE-12). */
export const NO_STORE = {
  'cache-control': 'private, no-cache, no-store',
  expires: '0',
  pragma: 'no-cache',
  vary: 'Cookie',
} as const

/**
 * The header of every 503: of the mount, and of guards. A client should ask again after these seconds (RFC 9110
 * §10.2.3); most interruptions of a store are over by then.
 */
export const RETRY_AFTER = { 'retry-after': '5' } as const
