import { type AuthError, RequestRefused, UntrustedHost } from '../errors.js'
import { isLoopback } from './back-channel.js'
import { matchesHost } from './host-patterns.js'

/** What decides on the public origin of a request. */
export interface OriginSettings {
  /** The configured public URL; its origin then holds for every request. */
  readonly url: URL | null
  /** Whether the `Host` header may be believed. */
  readonly trustHost: boolean
  /** Patterns of the hosts that a request may name; null when it may name any. */
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
 * The configured URL wins; then what a trusted proxy says; then the `Host` header, if the application trusts it. What a
 * request says must be one of the configured hosts, if there are any.
 *
 * @returns null when nothing may be believed, or what may be is no host, or none of the configured
 */
export function publicOrigin(facts: OriginFacts, settings: OriginSettings): string | null {
  if (settings.url) return settings.url.origin
  if (!facts.proxyTrusted && !settings.trustHost) return null
  return facts.host === undefined ? null : originOf(facts.protocol, facts.host, settings.hosts)
}

/**
 * Whether an origin may go where somebody else than the sender of the request follows it, as in a mail: it was
 * configured, or means this very machine. Anybody can ask for a mail to another person's address, and says which host
 * is meant.
 */
export const isVouchedFor = (origin: string, { url, hosts }: OriginSettings): boolean =>
  url !== null || hosts !== null || isLoopback(new URL(origin))

/**
 * Why {@link publicOrigin} gave null: what may be believed is no host, which is the visitor's fault; or nothing may be.
 */
export function noOrigin({ trustHost, hosts }: OriginSettings): AuthError {
  if (hosts) return new RequestRefused(400, 'The host is none of those that this application answers for (`hosts`).')
  if (trustHost) return new RequestRefused(400, 'The Host header is no host.')
  return new UntrustedHost(
    'Nothing says which public origin this application has. Set AUTH_URL to its URL; or tell Express about the proxy in front ' +
      'with app.set("trust proxy", …); or name its hosts with `hosts`; or set trustHost: true, if whatever stands in front checks the Host header.',
  )
}

/** What was asked for last: nearly always the same again. */
let last:
  | {
      readonly protocol: string
      readonly host: string
      readonly hosts: OriginSettings['hosts']
      readonly origin: string | null
    }
  | undefined

function originOf(protocol: 'http' | 'https', host: string, hosts: OriginSettings['hosts']): string | null {
  if (last?.host === host && last.protocol === protocol && last.hosts === hosts) return last.origin
  const origin = hosts && !matchesHost(host, hosts) ? null : rememberedOrigin(protocol, host)
  last = { protocol, host, hosts, origin }
  return origin
}

function rememberedOrigin(protocol: 'http' | 'https', host: string): string | null {
  const text = `${protocol}://${host}`
  const known = originsByHost.get(text)
  if (known !== undefined) return known
  const origin = HOST.test(host) && URL.canParse(text) ? new URL(text).origin : null
  // The visitor chooses the header, so the cache must not grow with it.
  if (originsByHost.size >= CACHE_SIZE) originsByHost.clear()
  originsByHost.set(text, origin)
  return origin
}
