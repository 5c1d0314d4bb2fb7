import { isIPv4, isIPv6 } from 'node:net'

/** What has the address of a client: a Node request, and what Express adds to it. */
interface Addressed {
  /** The client as Express knows it: it honours `trust proxy`. */
  readonly ip?: unknown
  readonly socket?: { readonly remoteAddress?: string | undefined } | null
}

/**
 * The address of the client of a request. Without Express, it is that of the other end of the connection: a header such as
 * `X-Forwarded-For` is never believed here, because any client can send it.
 */
export const addressOf = ({ ip, socket }: Addressed): unknown => ip ?? socket?.remoteAddress

/** The address of the client of a request. A framework may throw where it knows none, and so may a `trust proxy` function. */
export function clientAddressOf(request: { readonly clientAddress?: (() => unknown) | undefined }): unknown {
  try {
    return request.clientAddress?.()
  } catch {
    return undefined
  }
}

/** An address of IPv6 with the name of a network interface. */
const MAX_ADDRESS = 100

/**
 * The network of an address: /24 of IPv4, /48 of IPv6. It shows where requests come from and does not identify a
 * person. Null if the value is not an address.
 *
 * @param groups how many groups of an IPv6 address are kept, of 16 bits each
 */
export function networkOf(address: unknown, groups = 3): string | null {
  if (typeof address !== 'string' || address.length > MAX_ADDRESS) return null
  const bare = plainAddress(address)
  if (isIPv4(bare)) return `${bare.split('.').slice(0, 3).join('.')}.0/24`
  return isIPv6(bare) ? `${prefixOf(bare, groups)}::/${groups * 16}` : null
}

/**
 * An address without the name of a network interface, and without the port that some gateways write behind it; of an IPv4 address in one
 * of IPv6, as a server that listens to both kinds sees it, the IPv4 address (RFC 4291 §2.5.5.2).
 */
export function plainAddress(given: string): string {
  if (isIPv4(given)) return given
  const address = given
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/%.*$/, '')
  if (!isIPv6(address)) return address
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? []
  if (high === undefined || low === undefined) return address
  const value = Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join('.')
}

/** The first groups of an address, without the zeros that they end with. */
function prefixOf(address: string, count: number): string {
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  // An IPv4 address at the end stands for two groups.
  const rest = after ? after.split(':').length + (after.includes('.') ? 1 : 0) : 0
  const zeros = after === undefined ? 0 : 8 - groups.length - rest
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...(after ? after.split(':') : [])]
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
    .replace(/(:?\b0)+$/, '')
}
