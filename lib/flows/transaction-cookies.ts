import { createValueEncryption, type ValueEncryption } from '../crypto/encrypted-values.js'
import { type CookieChange, type CookieSpec, clearCookie, setCookie, suffixed } from '../http/cookies.js'
import { chooseEvicted, cookieBytes, listOpen } from './transaction-eviction.js'
import {
  type CookieReading,
  type CookieRequest,
  KINDS,
  keysOf,
  TRANSACTION_KINDS,
  type TransactionCookieKey,
  type TransactionKind,
  type TransactionReadings,
} from './transaction-kinds.js'

/** Which transaction. */
export interface TransactionReference {
  readonly kind: TransactionKind
  /** A digest, base64url; its first eight characters end the names of the cookies. */
  readonly id: string
  /** Whether the provider answers with a POST from its own site, so that the cookies must be `SameSite=None`. */
  readonly isAnsweredCrossSite?: boolean
}

/** A transaction that begins. */
export interface NewTransaction extends TransactionReference {
  /**
   * What each cookie holds: JSON values. Each says in `t` when it was made: in seconds since the epoch for `oauth`, in
   * milliseconds for all others.
   */
  readonly contents: Readonly<Partial<Record<TransactionCookieKey, { readonly t: number }>>>
  /** How long the values count, in seconds. */
  readonly lifetimeSeconds: number
  /** Seconds until the browser deletes the cookies; as configured when absent. */
  readonly maxAge?: number
}

/** Keeps transactions in encrypted cookies of the browser, so that nothing is stored before somebody has signed in. */
export interface TransactionCookies {
  /**
   * The cookies of a new transaction, and the deletions of older transactions that make room for it. A kind has at most
   * five, and the cookies of all kinds have at most 6000 bytes.
   */
  open(request: CookieRequest, transaction: NewTransaction): Promise<readonly CookieChange[]>
  /** What the browser has of a transaction; empty when it has nothing. */
  read(request: CookieRequest, reference: TransactionReference): Promise<TransactionReadings>
  /**
   * Deletes what the browser has of a transaction, unless it may have been made with a secret that is not known here.
   */
  clear(request: CookieRequest, reference: TransactionReference): readonly CookieChange[]
  /** As {@link clear}, for every transaction of a kind. */
  clearKind(request: CookieRequest, kind: TransactionKind): readonly CookieChange[]
}

/** The secrets of each kind, at least one each: the first encrypts, all of them decrypt. */
export type TransactionSecrets = Readonly<Record<TransactionKind, readonly string[]>>

const SUFFIX_LENGTH = 8

/**
 * The transactions of one configuration.
 *
 * @param now milliseconds since the epoch
 */
export function createTransactionCookies(secrets: TransactionSecrets, now: () => number): TransactionCookies {
  const encryptions = encryptionsOf(secrets, now)

  const readCookie = async (key: TransactionCookieKey, value: string): Promise<CookieReading> => {
    const decrypted = await encryptions[key].decryptInTime(value)
    if (!decrypted) return { state: encryptions[key].mayBeOfOtherKey(value) ? 'unknown-secret' : 'unreadable' }
    return 'outOfTime' in decrypted
      ? { state: 'out-of-time', outOfTime: decrypted.outOfTime }
      : { state: 'valid', content: decrypted.value }
  }

  const read: TransactionCookies['read'] = async (request, reference) => {
    const readings: Partial<Record<TransactionCookieKey, CookieReading>> = {}
    for (const { key, value } of presentCookies(request, reference)) readings[key] = await readCookie(key, value)
    return readings
  }

  const clear: TransactionCookies['clear'] = (request, reference) => {
    const present = presentCookies(request, reference)
    return present.some(({ key, value }) => encryptions[key].mayBeOfOtherKey(value))
      ? []
      : present.map(({ spec }) => clearCookie(spec))
  }

  return {
    read,
    clear,
    clearKind: (request, kind) =>
      listOpen(request)
        .filter((open) => open.kind === kind)
        .flatMap((open) => clear(request, open)),
    async open(request, transaction) {
      const made: CookieChange[] = []
      for (const key of keysOf(transaction.kind)) {
        const content = transaction.contents[key]
        if (content === undefined) continue
        const value = await encryptions[key].encrypt(content, transaction.lifetimeSeconds)
        const lifetime = transaction.maxAge === undefined ? {} : { maxAge: transaction.maxAge }
        made.push(setCookie(specOf(request, transaction, key), value, lifetime))
      }
      const bytes = made.reduce((sum, { name, value }) => sum + cookieBytes(name, value), 0)
      const evicted = await chooseEvicted(listOpen(request), { kind: transaction.kind, bytes }, (open) =>
        read(request, open),
      )
      return [...evicted.flatMap((open) => clearUnread(request, open)), ...made]
    },
  }
}

/**
 * Deletes the cookies of every transaction in the browser, with whatever secret they were made: when somebody signs in
 * or out, sign-ins that were begun before may be those of somebody else.
 */
export const clearAllTransactions = (request: CookieRequest): readonly CookieChange[] =>
  listOpen(request).flatMap((open) => clearUnread(request, open))

const clearUnread = (request: CookieRequest, reference: TransactionReference): readonly CookieChange[] =>
  presentCookies(request, reference).map(({ spec }) => clearCookie(spec))

/** The cookies that the browser has of a transaction. */
function presentCookies(request: CookieRequest, reference: TransactionReference) {
  return keysOf(reference.kind).flatMap((key) => {
    const spec = specOf(request, reference, key)
    const value = request.cookies.get(spec.name)
    return value === undefined ? [] : [{ key, spec, value }]
  })
}

function specOf(
  { specs }: CookieRequest,
  { id, isAnsweredCrossSite }: TransactionReference,
  key: TransactionCookieKey,
): CookieSpec {
  const { name, attributes } = suffixed(specs[key], id.slice(0, SUFFIX_LENGTH))
  // Lax cookies do not travel with a POST from another site, and None ones must be Secure.
  return isAnsweredCrossSite
    ? { name, attributes: { ...attributes, sameSite: 'none', secure: true } }
    : { name, attributes }
}

function encryptionsOf(secrets: TransactionSecrets, now: () => number) {
  const encryptions: Partial<Record<TransactionCookieKey, ValueEncryption>> = {}
  for (const kind of KINDS) {
    for (const [key, purpose] of Object.entries(TRANSACTION_KINDS[kind].purposes)) {
      encryptions[key as TransactionCookieKey] = createValueEncryption(secrets[kind], purpose, now)
    }
  }
  return encryptions as Readonly<Record<TransactionCookieKey, ValueEncryption>>
}
