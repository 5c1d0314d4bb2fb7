import type { TransactionCookie, TransactionKind, TransactionReadings } from './transaction-kinds.js'

/** A transaction that the browser has cookies of. */
export interface OpenTransaction {
  readonly kind: TransactionKind
  /** At least one. */
  readonly cookies: readonly TransactionCookie[]
}

const MAX_OPEN_OF_A_KIND = 5
/**
 * Bytes that the cookies of all transactions may have together. Many servers and proxies refuse a `Cookie` header over
 * 8 KB, so a few abandoned sign-ins would lock the visitor out of the whole site.
 */
const MAX_OPEN_BYTES = 6000

/** Bytes that cookies have in the `Cookie` header. */
export const cookieBytes = (cookies: readonly { readonly name: string; readonly value: string }[]): number =>
  cookies.reduce((sum, { name, value }) => sum + name.length + value.length + '=; '.length, 0)

/**
 * The transactions that make room for a new one.
 *
 * There are two limits. If a kind has too many transactions, its own oldest ones go. If all cookies have too many bytes,
 * transactions of every kind can go, in this order: first those that have expired or are damaged, then those that were
 * perhaps only offered, then those that a person began; the oldest first in each group. So nobody can end a visitor's
 * sign-in at a provider by having them load pages, unless a single ceremony has no room beside it. A sign-out at a provider
 * makes room for another one only: sign-ins that begin must not keep the visitor signed in there.
 *
 * @param added the new one
 * @param read gives what the cookies of a transaction hold
 */
export function chooseEvicted(
  open: readonly OpenTransaction[],
  added: { readonly kind: TransactionKind; readonly bytes: number },
  read: (transaction: OpenTransaction) => TransactionReadings,
): readonly OpenTransaction[] {
  const surplus = open.filter(({ kind }) => kind === added.kind).length - (MAX_OPEN_OF_A_KIND - 1)
  if (surplus <= 0 && bytesOf(open) + added.bytes <= MAX_OPEN_BYTES) return []

  const dated = open.map((transaction) => ({ transaction, begun: begunAt(transaction.kind, read(transaction)) }))
  const oldest = oldestFirst(dated)
  const own = oldest.map(({ transaction }) => transaction).filter(({ kind }) => kind === added.kind)
  const evicted = own.slice(0, Math.max(0, surplus))
  const others = oldest.filter(({ transaction: { kind } }) => kind === added.kind || kind.makesRoom)
  for (const { transaction } of [...others].sort((one, other) => worth(one) - worth(other))) {
    if (bytesOf(open) - bytesOf(evicted) + added.bytes <= MAX_OPEN_BYTES) break
    if (!evicted.includes(transaction)) evicted.push(transaction)
  }
  return evicted
}

/** What the loss of a transaction would cost: nothing; a request of the page; what a person did. */
const worth = ({ transaction, begun }: { transaction: OpenTransaction; begun: number | null }): number =>
  begun === 0 ? 0 : transaction.kind.isOffered ? 1 : 2

const bytesOf = (transactions: readonly OpenTransaction[]): number =>
  cookieBytes(transactions.flatMap(({ cookies }) => cookies))

/**
 * Milliseconds since the epoch; null when the time cannot be read here, 0 when the transaction has expired or is
 * damaged.
 */
export function begunAt(kind: TransactionKind, readings: TransactionReadings): number | null {
  const all = Object.values(readings)
  const times = all.flatMap((reading) => (reading.state === 'valid' ? (reading.content as { t: number }).t : []))
  if (times.length === 0 && all.some(({ state }) => state === 'unknown-secret')) return null
  return Math.max(0, ...times) * (kind.timeUnitMs ?? 1)
}

/**
 * Sorts transactions by when they began. A transaction whose time cannot be read may have begun a moment ago in another
 * process, with a secret that is not known here. It gets the time of the transaction before it in the header, because
 * browsers list older cookies first.
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
