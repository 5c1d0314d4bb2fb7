import {
  type CookieRequest,
  KINDS,
  keysOf,
  TRANSACTION_KINDS,
  type TransactionKind,
  type TransactionReadings,
} from './transaction-kinds.js'

/** A transaction that the browser has cookies of. */
export interface OpenTransaction {
  readonly kind: TransactionKind
  /** The eight characters that end the names of its cookies. */
  readonly id: string
  /** Bytes of its cookies in the `Cookie` header. */
  readonly bytes: number
}

const SUFFIX = /^[\w-]{8}$/
const MAX_OPEN_OF_A_KIND = 5
/**
 * Bytes that the cookies of all transactions may have together. Many servers and proxies refuse a `Cookie` header over
 * 8 KB, so a few abandoned sign-ins would lock the visitor out of the whole site.
 */
const MAX_OPEN_BYTES = 6000
/** The transactions of a browser, in the order of the `Cookie` header. */
export function listOpen({ cookies, specs }: CookieRequest): readonly OpenTransaction[] {
  const prefixes = KINDS.flatMap((kind) => keysOf(kind).map((key) => ({ kind, prefix: `${specs[key].name}.` })))
  const open = new Map<string, OpenTransaction>()
  for (const [name, value] of cookies) {
    for (const { kind, prefix } of prefixes) {
      const id = name.slice(prefix.length)
      if (!name.startsWith(prefix) || !SUFFIX.test(id)) continue
      const key = `${kind} ${id}`
      open.set(key, { kind, id, bytes: (open.get(key)?.bytes ?? 0) + cookieBytes(name, value) })
    }
  }
  return [...open.values()]
}

/** Bytes of a cookie in the `Cookie` header. */
export const cookieBytes = (name: string, value: string): number => name.length + value.length + '=; '.length

/**
 * The transactions that make room for a new one.
 *
 * By number, a kind only makes room within itself. By bytes, the oldest go first, of whichever kind. A transaction that
 * a GET begins deletes all others of its kind before it deletes one of another kind: nobody shall end a visitor's
 * sign-in at a provider by having them load pages.
 *
 * @param added the new one
 * @param read gives what the cookies of a transaction hold
 */
export async function chooseEvicted(
  open: readonly OpenTransaction[],
  added: { readonly kind: TransactionKind; readonly bytes: number },
  read: (transaction: OpenTransaction) => Promise<TransactionReadings>,
): Promise<readonly OpenTransaction[]> {
  const surplus = open.filter(({ kind }) => kind === added.kind).length - (MAX_OPEN_OF_A_KIND - 1)
  if (surplus <= 0 && bytesOf(open) + added.bytes <= MAX_OPEN_BYTES) return []

  const dated = await Promise.all(
    open.map(async (transaction) => ({ transaction, begun: begunAt(transaction.kind, await read(transaction)) })),
  )
  const oldest = oldestFirst(dated).map(({ transaction }) => transaction)
  const own = oldest.filter(({ kind }) => kind === added.kind)
  const others = oldest.filter(({ kind }) => kind !== added.kind)
  const evicted = own.slice(0, Math.max(0, surplus))
  for (const transaction of TRANSACTION_KINDS[added.kind].isBegunByGet ? [...own, ...others] : oldest) {
    if (bytesOf(open) - bytesOf(evicted) + added.bytes <= MAX_OPEN_BYTES) break
    if (!evicted.includes(transaction)) evicted.push(transaction)
  }
  return evicted
}

const bytesOf = (transactions: readonly OpenTransaction[]): number =>
  transactions.reduce((sum, { bytes }) => sum + bytes, 0)

/** Milliseconds since the epoch; null for a transaction that cannot be dated here, 0 for one that is good nowhere. */
function begunAt(kind: TransactionKind, readings: TransactionReadings): number | null {
  const all = Object.values(readings)
  const times = all.flatMap((reading) => (reading.state === 'valid' ? (reading.content as { t: number }).t : []))
  if (times.length === 0 && all.some(({ state }) => state === 'unknown-secret')) return null
  return Math.max(0, ...times) * TRANSACTION_KINDS[kind].timeUnitMs
}

/**
 * Sorts transactions by when they began. One that cannot be dated may have begun a moment ago in another process, with
 * a secret that is not known here. It counts as old as the one that the browser lists before it, since browsers list
 * older cookies first.
 *
 * @param listed in the order of the `Cookie` header
 * @see RFC 6265 §5.4 (the order of cookies)
 */
function oldestFirst<T extends { readonly begun: number | null }>(listed: readonly T[]): readonly T[] {
  let before = 0
  const dated = listed.map((transaction) => {
    before = transaction.begun ?? before
    return { transaction, begun: before }
  })
  return dated.sort((one, other) => one.begun - other.begun).map(({ transaction }) => transaction)
}
