import { RequestRefused } from './errors.js'

/** How the router of the application compares paths. */
interface Routing {
  /** Whether `/Admin` runs the route `/admin`, which is the default of Express and Connect. */
  readonly foldsCase: boolean
}

/**
 * Paths that every reader reads alike: without capitals, encoded characters, dots, or slashes that a reader could
 * resolve.
 */
const PLAIN = /^\/(?:[a-z0-9_~!$&'()*+,;=:@-]+\/)*[a-z0-9_~!$&'()*+,;=:@-]+$/

/**
 * Characters that all readers read alike: printable ASCII except `\`, which browsers take for `/`, and `#` (RFC 9112
 * §3.2).
 */
const UNDISPUTED = /^\/[!"$->@-[\]-~]*$/

/** Empty segments and dot segments. An empty segment at the end is a trailing slash and does not count. */
const RESOLVED_BY_SOME = /\/\.{0,2}\/|\/\.{1,2}$/

/**
 * The ways in which the code behind a guard may read a path. A rule must apply to each of them.
 *
 * Routes match a path as it came, and may ignore case. Parameters, and middlewares that serve files, decode the path:
 * for them `/%61dmin` is `/admin`, and `%2F` may be a slash. A route `/admin` answers `/admin/`, too. The first reading
 * is the path as it came. A plain path without a trailing slash has no other reading. No reading has a trailing slash
 * that the path did not have, so a rule can let exactly `/login` pass.
 *
 * @throws {RequestRefused} 400 for a text that cannot be a path, for broken encoding, and for segments and characters
 *   that one reader resolves and another keeps
 */
export function pathReadings(path: string, { foldsCase }: Routing): readonly [string, ...string[]] {
  if (path === '/' || PLAIN.test(path)) return [path]
  if (!UNDISPUTED.test(path)) throw unclear('has a character that no path may have')
  refuseBrokenEncoding(path)
  const canonical = decodeUndisputed(path, foldsCase)
  const withSlashes = canonical.replaceAll('%2F', '/')
  if (RESOLVED_BY_SOME.test(withSlashes)) throw unclear('has an empty segment or a dot segment')
  const readings = [path, canonical, withSlashes]
  const others = new Set([...readings, ...readings.map(withoutTrailingSlash)])
  others.delete(path)
  return [path, ...others]
}

/** A path without the slash at its end, unless it is `/`. */
export const withoutTrailingSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

/**
 * Characters that mean the same for every decoder, encoded or not (RFC 3986 §3.3, `pchar`, and others that URLs do not
 * encode).
 */
const SAME_DECODED = /^[a-z0-9\-._~!$&'()*+,;=:@[\]|]$/i

/** The path with one spelling for each character (RFC 3986 §6.2.2). */
function decodeUndisputed(path: string, foldsCase: boolean): string {
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (encoded, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16))
    return SAME_DECODED.test(character) ? character : encoded.toUpperCase()
  })
  // The hexadecimal digits of an encoded character are not letters of the path.
  return foldsCase ? decoded.replace(/%..|[A-Z]+/g, (part) => (part[0] === '%' ? part : part.toLowerCase())) : decoded
}

function refuseBrokenEncoding(path: string): void {
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    throw unclear('is encoded wrongly')
  }
  if (/[\p{Cc}\\]/u.test(decoded)) throw unclear('has an encoded control character or backslash')
}

const unclear = (what: string) =>
  new RequestRefused(400, `The path ${what}: a rule and a route could read it differently.`)
