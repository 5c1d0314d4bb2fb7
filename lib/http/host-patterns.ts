/** One pattern, read: what a host must be. */
interface HostPattern {
  readonly labels: RegExp
  /** Null when any port will do. */
  readonly port: string | null
}

/** A host as a `Host` header or a URL has it: a name or an address, and perhaps a port. */
const HOST = /^(?:[^\s:/?#@%[\]\\]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** Top-level domains in which nobody can register a name (RFC 6761; `internal` is kept free by ICANN). */
const NOT_REGISTRABLE: ReadonlySet<string> = new Set(['localhost', 'test', 'local', 'internal'])

const compiled = new WeakMap<readonly string[], readonly HostPattern[]>()

/**
 * Whether a host is one of those that a list of patterns allows.
 *
 * `*` stands for one or more characters of a single label, never for a dot: `*.app.example` is `pr-7.app.example`, and neither `app.example` nor
 * `a.b.app.example`. A pattern with a port wants that port, one without takes any. Case does not count; names in other scripts are compared in
 * punycode. A pattern that {@link hostPatternProblem} finds fault with allows nothing.
 *
 * @param host name or address, with its port if it has one; what is no host is not allowed
 * @param patterns a list that does not change any more: what it means is remembered by it
 */
export function matchesHost(host: string, patterns: readonly string[]): boolean {
  const given = splitHost(host)
  if (!given) return false
  let known = compiled.get(patterns)
  if (!known) {
    known = patterns.flatMap((pattern) => readPattern(pattern).pattern ?? [])
    compiled.set(patterns, known)
  }
  return known.some(({ labels, port }) => labels.test(given.name) && isPort(given.port, port))
}

/**
 * What is wrong with a pattern, and how it is written instead; null when nothing is. A star in the last two labels is wrong; a star before a public
 * suffix of two, such as `*.co.uk`, is not found, since that takes a list of all of them.
 */
export const hostPatternProblem = (pattern: string): string | null => readPattern(pattern).problem ?? null

/** A host without a port is on the one that its scheme has by itself. */
const isPort = (given: string | null, wanted: string | null) =>
  wanted === null || given === wanted || (given === null && (wanted === '443' || wanted === '80'))

type Read =
  | { readonly pattern: HostPattern; readonly problem?: never }
  | { readonly pattern?: never; readonly problem: string }

function readPattern(pattern: unknown): Read {
  if (typeof pattern !== 'string' || pattern === '')
    return { problem: 'it is not a string; write a host such as "app.example"' }
  if (pattern.includes('://')) return { problem: 'it has a scheme; write the host alone, such as "app.example"' }
  const host = splitHost(pattern)
  if (!host) return { problem: 'it is no host; write a name such as "app.example", without a path' }
  const labels = host.name.split('.')
  if (labels.some((label) => label === ''))
    return { problem: 'it has an empty label; write a name such as "app.example"' }
  // A name in another script becomes punycode, in which a place for "any characters" means nothing.
  if (labels.some((label) => label.startsWith('xn--') && label.includes('*'))) {
    return { problem: 'it has "*" and letters beyond ASCII in one label; write that label in punycode, or "*" alone' }
  }
  if (labels.some((label) => label.split('*').length > 2))
    return { problem: 'it has "*" twice in one label; once is enough' }
  const top = labels.at(-1) ?? ''
  const fixed = NOT_REGISTRABLE.has(top) ? labels.slice(-1) : labels.slice(-2)
  if (fixed.some((label) => label.includes('*'))) {
    return { problem: 'it would allow hosts of anybody; "*" goes before a domain of yours, as in "*.app.example"' }
  }
  return { pattern: { labels: new RegExp(`^${labels.map(labelSource).join('\\.')}$`), port: host.port } }
}

const labelSource = (label: string) =>
  label.replace(/[^a-z0-9*_-]/g, (character) => `\\${character}`).replace('*', '[a-z0-9_-]+')

/** Name and port in the one spelling that URLs have; null for what is no host. */
function splitHost(text: string): { readonly name: string; readonly port: string | null } | null {
  const port = HOST.exec(text)?.[1]
  if (text.length > 300 || !HOST.test(text) || Number(port ?? 0) > 65_535) return null
  const bare = port === undefined ? text : text.slice(0, -port.length - 1)
  if (!URL.canParse(`http://${bare}`)) return null
  return { name: new URL(`http://${bare}`).hostname, port: port === undefined ? null : String(Number(port)) }
}
