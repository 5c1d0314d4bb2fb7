import type { Config } from '../config/config.js'
import type { MiddlewareRequest } from './middleware.js'
import { warnOnce } from './warn-once.js'

/** What the proxies in front say of the request as the visitor sent it. */
export interface Forwarded {
  readonly protocol: string | undefined
  readonly host: string | undefined
}

/**
 * What the outermost proxy says that Express's `trust proxy` trusts; null when it does not even trust the peer of the
 * connection.
 *
 * Each proxy appends to `X-Forwarded-For` whom its request came from, and so it is with the protocol and the host, or
 * it replaces these. So they are read from the right, as far as proxies are trusted: what stands further left came with
 * the request, and anybody may have written it.
 */
export function trustedForwarded(req: MiddlewareRequest): Forwarded | null {
  const hops = trustedHops(req)
  if (hops === 0) return null
  const added = (name: string) => {
    const entries = listOf(req.headers[name])
    return entries[Math.max(0, entries.length - hops)]
  }
  return { protocol: added('x-forwarded-proto'), host: added('x-forwarded-host') }
}

/** How many proxies stand between the visitor and this server, as far as they are trusted. */
function trustedHops({ app, headers, socket }: MiddlewareRequest): number {
  const trusts = app?.get?.('trust proxy fn')
  if (typeof trusts !== 'function' || trusts(socket.remoteAddress, 0) !== true) return 0
  // Every sender is trusted, so nothing shows where the proxies end and the visitor begins: only the peer of the
  // connection is known to be a proxy.
  if (app?.get?.('trust proxy') === true) return 1
  const senders = listOf(headers['x-forwarded-for']).reverse()
  let hops = 1
  // The last sender is the visitor, whatever their address.
  while (hops < senders.length && trusts(senders[hops - 1], hops) === true) hops += 1
  return hops
}

const listOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** Warns where headers of a proxy that is not trusted would have changed the public origin. */
export function warnOfIgnored({ headers, app }: MiddlewareRequest, direct: Forwarded, config: Config): void {
  const host = listOf(headers['x-forwarded-host']).at(-1)
  const ignored = [
    ...(direct.protocol === 'http' && /https/i.test(String(headers['x-forwarded-proto'])) ? ['X-Forwarded-Proto'] : []),
    ...(host !== undefined && host.toLowerCase() !== direct.host?.toLowerCase() ? ['X-Forwarded-Host'] : []),
  ]
  if (ignored.length === 0) return
  const cure = app
    ? "tell Express which proxy stands in front, app.set('trust proxy', …), or set AUTH_URL to the public URL."
    : 'set AUTH_URL, or `url` in the configuration, to the public URL.'
  warnOnce(config, 'forwarded-headers-ignored', {
    headers: ignored,
    fix: `If a proxy sent them, cookies and links are made for ${direct.protocol}://${direct.host}: ${cure}`,
  })
}
