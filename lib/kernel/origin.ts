import { isLoopback } from './back-channel.js'
import { type AuthError, RequestRefused, UntrustedHost } from './errors.js'
import { matchesHost } from './host-patterns.js'
import { parseUrl } from './urls.js'

/** The settings that decide on the public origin of a request. */
export interface OriginSettings {
  /** The configured public URL, whose origin is then that of every request; null if none is configured. */
  readonly url: URL | null
  /** Whether the `Host` header is trusted. */
  readonly trustHost: boolean
  /** Patterns of the hosts that a request may name; null if it may name any. */
  readonly hosts: readonly string[] | null
}

/** What a request says about its origin. */
export interface OriginFacts {
  /** `https` when the connection is encrypted, or a trusted proxy says that the visitor's was. */
  readonly protocol: 'http' | 'https'
  /** The `Host` header, or what a trusted proxy forwarded in its place. */
  readonly host: string | undefined
  /** Whether the application trusts the proxy that sent the request (Express's `trust proxy`). */
  readonly proxyTrusted: boolean
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const CACHE_SIZE = 256
const originsByHost = new Map<string, string | null>()

/**
 * The public origin of a request, as visitors see it: `https://app.example`, without a trailing slash.
 *
 * The configured URL comes first, then what a trusted proxy says, then the `Host` header, if the application trusts it.
 * If hosts are configured, the host of a request must be one of them.
 *
 * @returns null when nothing is trusted, or when the host is malformed or is not one of the configured hosts
 */
export function publicOrigin({ protocol, host, proxyTrusted }: OriginFacts, settings: OriginSettings): string | null {
  const { url, trustHost, hosts } = settings
  if (url) return url.origin
  if (host === undefined || !(proxyTrusted || trustHost)) return null
  if (last?.host === host && last.protocol === protocol && last.hosts === hosts) return last.origin
  const origin = hosts && !matchesHost(host, hosts) ? null : rememberedOrigin(protocol, host)
  last = { protocol, host, hosts, origin }
  return origin
}

/**
 * Whether an origin may be used in a link for somebody other than the sender of the request, as in a mail: it was
 * configured, or means this machine. Anybody can request a mail to the address of another person, and chooses the host
 * of that request.
 */
export const isVouchedFor = (origin: string, { url, hosts }: OriginSettings): boolean =>
  url !== null || hosts !== null || isLoopback(new URL(origin))

/**
 * The error when {@link publicOrigin} gave null: a host that is refused is the visitor's mistake; that nothing is
 * trusted is a fault of the configuration.
 */
export function noOrigin({ trustHost, hosts }: OriginSettings): AuthError {
  if (hosts) return unknownHost()
  if (trustHost) return new RequestRefused(400, 'The Host header is not a host.')
  return new UntrustedHost(
    'Nothing says which public origin this application has. Set AUTH_URL to its URL; or let Express trust the proxy in front of it ' +
      'with app.set("trust proxy", …); or name its hosts with `hosts`; or set trustHost: true, if the proxy in front checks the Host header.',
  )
}

/** The last result: nearly every request has the same host. */
let last:
  | {
      readonly protocol: string
      readonly host: string
      readonly hosts: OriginSettings['hosts']
      readonly origin: string | null
    }
  | undefined

function rememberedOrigin(protocol: 'http' | 'https', host: string): string | null {
  const text = `${protocol}://${host}`
  const known = originsByHost.get(text)
  if (known !== undefined) return known
  const origin = HOST.test(host) ? (parseUrl(text)?.origin ?? null) : null
  // The visitor chooses the header, so the cache must not grow with it.
  if (originsByHost.size >= CACHE_SIZE) originsByHost.clear()
  originsByHost.set(text, origin)
  return origin
}

/** The error when a request names a host that is not one of `hosts`. */
export const unknownHost = () =>
  new RequestRefused(400, 'The host is not one of those that this application answers for (`hosts`).')
