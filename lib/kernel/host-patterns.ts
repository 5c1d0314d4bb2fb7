import { onceFor } from './awaitable.js'
import { parseUrl } from './urls.js'

/** One parsed pattern: what a host must be. */
interface HostPattern {
  readonly labels: RegExp
  /** Null if every port is allowed. */
  readonly port: string | null
}

/** A host as in a `Host` header or a URL: a name or an address, and perhaps a port. */
const HOST = /^(?:[^\s:/?#@%[\]\\]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** Top-level domains in which nobody can register a name (RFC 6761; `internal` is kept free by ICANN). */
const NOT_REGISTRABLE: ReadonlySet<string> = new Set(['localhost', 'test', 'local', 'internal'])

const compiled = onceFor((patterns: readonly string[]): readonly HostPattern[] =>
  patterns.flatMap((pattern) => readPattern(pattern).pattern ?? []),
)

/**
 * Whether a host is one of those that a list of patterns allows.
 *
 * `*` stands for one or more characters of a single label, never for a dot: `*.app.example` matches `pr-7.app.example`,
 * and neither `app.example` nor `a.b.app.example`. A pattern with a port matches that port, a pattern without a port
 * matches every port. Case does not count. Names in other scripts are compared in punycode. A pattern for which
 * {@link hostPatternProblem} gives a problem matches nothing.
 *
 * @param host name or address, with its port if it has one; a text that is not a host is not allowed
 * @param patterns a list that never changes: the parsed patterns are cached by it
 */
export function matchesHost(host: string, patterns: readonly string[]): boolean {
  const given = splitHost(host)
  if (!given) return false
  return compiled(patterns).some(({ labels, port }) => labels.test(given.name) && isPort(given.port, port))
}

/**
 * What is wrong with a pattern, and how to write it; null if it is correct. A star in the last two labels is wrong. A
 * star before a public suffix of two labels, such as `*.co.uk`, is not found, because that would need a list of all
 * public suffixes.
 */
export const hostPatternProblem = (pattern: string): string | null => readPattern(pattern).problem ?? null

/** Whether a port matches. A host without a port has the default port of its scheme. */
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
  // A name in another script becomes punycode, and there "*" would not stand for characters of the name.
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

/** Name and port as URLs spell them; null for a text that is not a host. */
function splitHost(text: string): { readonly name: string; readonly port: string | null } | null {
  const port = HOST.exec(text)?.[1]
  if (!HOST.test(text) || Number(port ?? 0) > 65_535) return null
  const url = parseUrl(`http://${port === undefined ? text : text.slice(0, -port.length - 1)}`)
  return url && { name: url.hostname, port: port === undefined ? null : String(Number(port)) }
}
