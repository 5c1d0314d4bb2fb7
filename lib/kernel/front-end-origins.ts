import { isLoopback } from './back-channel.js'
import { hostPatternProblem, matchesHost } from './host-patterns.js'
import { isAbsoluteUrl, parseUrl } from './urls.js'

/** The origins, beside its own, at which an application has pages: `origins` of the configuration. */
export interface FrontEndOrigins {
  /** Whether a text is exactly one of them, as browsers write an origin. */
  has(origin: string | undefined): boolean
}

/** An origin or a pattern of origins, as URLs spell it. */
interface ReadOrigin {
  readonly origin: string
  readonly protocol: string
  /** With its port, the default one too: a pattern of hosts without a port would match every port. */
  readonly host: string
  readonly url: URL
}

/** Longer texts are no origins, and are not parsed: a visitor chooses them. */
const MAX_LENGTH = 300
// A comma is a list, as in a variable of the environment that nobody has split.
const ORIGIN = /^https?:\/\/[^\s/?#@\\,]+$/i

/** Suffixes below which anybody gets a host, with the cookies and the pages of a stranger. */
const SHARED_SUFFIXES: ReadonlySet<string> = new Set(
  'appspot.com azurewebsites.net cloudfront.net fly.dev firebaseapp.com github.io gitlab.io herokuapp.com netlify.app ngrok.app ngrok.io onrender.com pages.dev railway.app surge.sh vercel.app web.app workers.dev'.split(
    ' ',
  ),
)
const NATIONAL_SUFFIX = /^(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/

const isSharedSuffix = (name: string) => SHARED_SUFFIXES.has(name) || NATIONAL_SUFFIX.test(name)

/** @param origins texts for which {@link originProblem} gives no problem */
export function frontEndOrigins(origins: readonly string[]): FrontEndOrigins {
  const read = origins.flatMap((origin) => readOrigin(origin) ?? [])
  const hostsOf = (scheme: string) => read.filter(({ protocol }) => protocol === scheme).map(({ host }) => host)
  const hosts: Readonly<Record<string, readonly string[]>> = { 'https:': hostsOf('https:'), 'http:': hostsOf('http:') }
  return Object.freeze({
    has(text: string | undefined) {
      const asked = text === undefined ? null : readOrigin(text)
      return asked !== null && asked.origin === text && matchesHost(asked.host, hosts[asked.protocol] ?? [])
    },
  })
}

/** Whether a page of a front end sent a request. A page of the public origin is none, even if that origin is listed. */
export const isFromFrontEnd = (
  origins: FrontEndOrigins | null,
  header: (name: string) => string | undefined,
  publicOrigin: string,
): boolean => origins !== null && header('origin') !== publicOrigin && origins.has(header('origin'))

/**
 * What is wrong with an origin, and how to write it; null if it is correct.
 *
 * @param needsHttps whether everybody on the way could be a page of an origin with http
 */
export function originProblem(text: unknown, needsHttps: boolean): string | null {
  const read = typeof text === 'string' ? readOrigin(text) : null
  if (read === null) return problemOfOther(text)
  const { protocol, host, url } = read
  const pattern = hostPatternProblem(host)
  if (pattern !== null) return pattern
  const labels = url.hostname.split('.')
  if (labels.length > 2 && labels.at(-3)?.includes('*') && isSharedSuffix(labels.slice(-2).join('.')))
    return 'it would allow hosts of anybody; "*" goes before a domain of yours, as in "https://*.app.example"'
  return protocol === 'http:' && needsHttps && !isLoopback(url)
    ? 'it has http, so everybody on the way can change its pages; use https'
    : null
}

function problemOfOther(text: unknown): string {
  if (text === '*') return 'it would allow every page there is; list the origins of your own pages'
  if (text === 'null') return 'it is the origin of frames and files of anybody; list the origins of your own pages'
  const url = typeof text === 'string' && /^https?:/i.test(text) && isAbsoluteUrl(text) ? new URL(text) : null
  if (url !== null && readOrigin(url.origin) !== null)
    return `it is more than an origin; write ${JSON.stringify(url.origin)}`
  return 'it is no origin; write scheme and host, such as "https://app.example"'
}

/**
 * Whether pages of an origin are of another site than the mount, so that browsers do not send it `SameSite=Lax` cookies with
 * their requests. Without the list of all public suffixes, an origin below an unknown one passes for the same site.
 *
 * @see RFC 6265bis §5.2 (same-site)
 */
export function isOtherSite(origin: string, mount: URL): boolean {
  const url = readOrigin(origin)?.url
  return url !== undefined && (url.protocol !== mount.protocol || siteOf(url.hostname) !== siteOf(mount.hostname))
}

function siteOf(hostname: string): string {
  if (/^\[|^[\d.]+$/.test(hostname)) return hostname
  const labels = hostname.split('.')
  return labels.slice(isSharedSuffix(labels.slice(-2).join('.')) ? -3 : -2).join('.')
}

function readOrigin(text: string): ReadOrigin | null {
  const url = text.length > MAX_LENGTH || !ORIGIN.test(text) ? null : parseUrl(text)
  if (url === null) return null
  const { origin, protocol, hostname, port } = url
  return { origin, protocol, host: `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`, url }
}
