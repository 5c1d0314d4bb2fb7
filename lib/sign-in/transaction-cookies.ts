import { type CookieAttributes, type CookieChange, setCookie } from '../kernel/cookies.js'
import { createValueEncryption, type ValueEncryption } from '../kernel/encrypted-values.js'
import { findSuffixed, listSuffixed, suffixed } from '../kernel/suffixed-cookies.js'
import type { CookieRequest } from './cookies.js'
import { begunAt, chooseEvicted, cookieBytes, type OpenTransaction } from './transaction-eviction.js'
import type {
  CookieReading,
  SecretOption,
  TransactionCookie,
  TransactionKind,
  TransactionReadings,
} from './transaction-kinds.js'

/** Which transaction. */
export interface TransactionReference {
  readonly kind: TransactionKind
  /** Base64url; its first eight characters end the names of the cookies. */
  readonly id: string
  /** Whether the provider answers with a POST from its own site, so that the cookies must be `SameSite=None`. */
  readonly isAnsweredCrossSite?: boolean
}

/** A transaction that begins. */
export interface NewTransaction extends TransactionReference {
  /** What each cookie holds: JSON values. Each says in `t` when it was made: the time since the epoch, in units of the kind. */
  readonly contents: Readonly<Record<string, { readonly t: number }>>
  /** How long the values count, in seconds. */
  readonly lifetimeSeconds: number
  /** Seconds until the browser deletes the cookies. If absent: as configured, or else {@link lifetimeSeconds}. */
  readonly maxAge?: number
}

/** What the browser has of a transaction. */
export interface FoundTransaction {
  /** As in the {@link TransactionReference}. */
  readonly id: string
  /** What its cookies hold; empty when the browser has none of them. */
  readonly readings: TransactionReadings
  /**
   * The changes that delete its cookies; none when a cookie may have been made with a secret that is not known here.
   */
  readonly deletions: readonly CookieChange[]
}

/** Keeps transactions in encrypted cookies of the browser, so that nothing is stored before somebody has signed in. */
export interface TransactionCookies {
  /**
   * The cookies of a new transaction, and the deletions of older transactions that make room for it. A kind has at most
   * five, and the cookies of all kinds have at most 6000 bytes.
   */
  open(request: CookieRequest, transaction: NewTransaction): readonly CookieChange[]
  /** Reads what the browser has of a transaction. */
  find(request: CookieRequest, reference: TransactionReference): FoundTransaction
  /** What the transactions of a kind hold, the newest first; of those that began in one millisecond, the one that browsers list last. */
  list(request: CookieRequest, kind: TransactionKind): readonly Omit<FoundTransaction, 'id'>[]
  /** The {@link FoundTransaction.deletions} of every transaction of a kind. */
  clearKind(request: CookieRequest, kind: TransactionKind): readonly CookieChange[]
  /**
   * Deletes the cookies of every transaction in the browser, with whatever secret they were made: when somebody signs out,
   * sign-ins that were begun before may be those of somebody else.
   *
   * @param kind only those of one kind
   */
  clearAll(request: CookieRequest, kind?: TransactionKind): readonly CookieChange[]
}

/** The secrets of each option, at least one each: the first encrypts, all of them decrypt. */
export type TransactionSecrets = Readonly<Record<SecretOption, readonly string[]>>

const SUFFIX_LENGTH = 8
const SUFFIX = /^[\w-]{8}$/
/** Lax cookies do not travel with a POST from another site, and None ones must be Secure. */
const CROSS_SITE: CookieAttributes = { sameSite: 'none', secure: true }

/**
 * The transactions of one configuration.
 *
 * @param now milliseconds since the epoch
 */
export function createTransactionCookies(
  kinds: readonly TransactionKind[],
  secrets: TransactionSecrets,
  now: () => number,
): TransactionCookies {
  const declared = declaredBy(kinds, secrets, now)
  const keys = [...declared.keys()]
  const declaredAs = (key: string): DeclaredByKind => declared.get(key) ?? undeclared(key)

  const readingOf = ({ key, value }: TransactionCookie): CookieReading => {
    const { encryption } = declaredAs(key)
    const decrypted = encryption.decryptInTime(value)
    if (!decrypted) return { state: encryption.mayBeOfOtherKey(value) ? 'unknown-secret' : 'unreadable' }
    return 'outOfTime' in decrypted
      ? { state: 'out-of-time', outOfTime: decrypted.outOfTime }
      : { state: 'valid', content: decrypted.value }
  }

  const read = (cookies: readonly TransactionCookie[]): TransactionReadings =>
    Object.fromEntries(cookies.map((cookie) => [cookie.key, readingOf(cookie)]))

  /** The cookies that the browser has of all transactions, in the order of the `Cookie` header. */
  const listCookies = ({ cookies, specs }: CookieRequest): readonly TransactionCookie[] =>
    listSuffixed(cookies, specs, keys, SUFFIX)

  /** The transactions of a browser, in the order of the `Cookie` header. */
  const listOpen = (request: CookieRequest): readonly OpenTransaction[] => {
    const open = new Map<string, { readonly kind: TransactionKind; readonly cookies: TransactionCookie[] }>()
    for (const cookie of listCookies(request)) {
      const { kind } = declaredAs(cookie.key)
      const id = `${kind.name} ${cookie.suffix}`
      const known = open.get(id)
      if (known) known.cookies.push(cookie)
      else open.set(id, { kind, cookies: [cookie] })
    }
    return [...open.values()]
  }

  const readKind = (request: CookieRequest, kind: TransactionKind) =>
    listOpen(request)
      .filter((transaction) => transaction.kind === kind)
      .map(({ cookies }) => ({ cookies, readings: read(cookies) }))

  return {
    find(request, { kind, id, isAnsweredCrossSite }) {
      const suffix = id.slice(0, SUFFIX_LENGTH)
      const attributes = isAnsweredCrossSite ? CROSS_SITE : {}
      const cookies = findSuffixed(request.cookies, request.specs, Object.keys(kind.cookies), suffix, attributes)
      const readings = read(cookies)
      return { id, readings, deletions: deletionsOf(cookies, readings) }
    },
    list(request, kind) {
      return readKind(request, kind)
        .map(({ cookies, readings }) => ({ readings, deletions: deletionsOf(cookies, readings) }))
        .reverse()
        .sort((one, other) => (begunAt(kind, other.readings) ?? 0) - (begunAt(kind, one.readings) ?? 0))
    },
    clearKind: (request, kind) =>
      readKind(request, kind).flatMap(({ cookies, readings }) => deletionsOf(cookies, readings)),
    open(request, { kind, id, isAnsweredCrossSite, contents, lifetimeSeconds, maxAge }) {
      const made: CookieChange[] = []
      for (const [key, content] of Object.entries(contents)) {
        const value = declaredAs(key).encryption.encrypt(content, lifetimeSeconds)
        const spec = suffixed(
          request.specs[key] ?? undeclared(key),
          id.slice(0, SUFFIX_LENGTH),
          isAnsweredCrossSite ? CROSS_SITE : {},
        )
        made.push(setCookie(spec, value, { maxAge: maxAge ?? spec.attributes.maxAge ?? lifetimeSeconds }))
      }
      const evicted = chooseEvicted(listOpen(request), { kind, bytes: cookieBytes(made) }, ({ cookies }) =>
        read(cookies),
      )
      return [...evicted.flatMap(({ cookies }) => cookies.map(({ deletion }) => deletion)), ...made]
    },
    clearAll: (request, kind) =>
      listCookies(request).flatMap(({ key, deletion }) =>
        kind === undefined || declaredAs(key).kind === kind ? [deletion] : [],
      ),
  }
}

/** Another process may be able to read what was made with a secret that is not known here, so that is not deleted. */
const deletionsOf = (cookies: readonly TransactionCookie[], readings: TransactionReadings): readonly CookieChange[] =>
  Object.values(readings).some(({ state }) => state === 'unknown-secret') ? [] : cookies.map(({ deletion }) => deletion)

function undeclared(key: string): never {
  throw new RangeError(`no kind of transaction has a cookie "${key}"`)
}

interface DeclaredByKind {
  readonly kind: TransactionKind
  readonly encryption: ValueEncryption
}

/** The cookies of all kinds, by their keys. */
function declaredBy(
  kinds: readonly TransactionKind[],
  secrets: TransactionSecrets,
  now: () => number,
): ReadonlyMap<string, DeclaredByKind> {
  const declared = new Map<string, DeclaredByKind>()
  for (const kind of kinds) {
    for (const [key, { purpose }] of Object.entries(kind.cookies)) {
      declared.set(key, { kind, encryption: createValueEncryption(secrets[kind.secretOption], purpose, now) })
    }
  }
  return declared
}
