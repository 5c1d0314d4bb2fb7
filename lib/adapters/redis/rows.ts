import { AdapterError, InvalidConfiguration } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'

/** What a session is known by at a provider. */
export type ProviderName = 'subject' | 'sid'

/** The key of every kind of row. */
export interface Keys {
  user(id: string): string
  /** The provider accounts of a user, as a set of {@link Keys.account} keys; in the slot of the user. */
  accountsOf(userId: string): string
  /** The ids of a user's passkeys, as a set; in the slot of the user. */
  authenticatorsOf(userId: string): string
  /** The tokens of a user's sessions, sorted by their expiry; in the slot of the user. */
  sessionsOf(userId: string): string
  /** The ids of a user's token sessions, sorted by the end of their rows; in the slot of the user. */
  tokenSessionsOf(userId: string): string
  /** The tokens of the sessions that began at a provider with a name there, sorted by their expiry. */
  sessionsAt(provider: string, name: ProviderName, value: string): string
  /** As {@link Keys.sessionsAt}: the ids of token sessions, sorted by the end of their rows. */
  tokenSessionsAt(provider: string, name: ProviderName, value: string): string
  /**
   * The marker of a deletion: it exists from the deletion of a user until all rows of the user are deleted; in the slot
   * of the user.
   */
  deletion(userId: string): string
  /** The announcement that a user will get an address. It expires soon; in the slot of the user. */
  emailMove(userId: string, email: string): string
  /** Who has an address: `nonce:id`. */
  email(email: string): string
  account(provider: string, providerAccountId: string): string
  session(sessionToken: string): string
  tokenSession(id: string): string
  verificationToken(identifier: string, token: string): string
  authenticator(credentialID: string): string
  /** Patterns of SCAN for the sets of users and for the reservations of addresses. */
  readonly lists: KeyKind<{ readonly userId: string; readonly list: string }>
  readonly emails: KeyKind<string>
}

/** Keys that SCAN searches. */
export interface KeyKind<Parts> {
  readonly pattern: string
  read(key: string): Parts | null
}

/**
 * The keys below a prefix. On a cluster, the text in the first braces decides the slot: all keys of one user share a
 * slot, and every other row has its own. Parts are percent-encoded, so no value can close a brace, or look like two
 * parts.
 */
export function createKeys(prefix: string): Keys {
  if (/[{}]/.test(prefix)) {
    throw new InvalidConfiguration(`The prefix of redisAdapter() must not contain braces, and "${prefix}" does.`)
  }
  const ofUser = (id: string) => `${prefix}{user:${part(id)}}`
  return {
    user: ofUser,
    accountsOf: (userId) => `${ofUser(userId)}:accounts`,
    authenticatorsOf: (userId) => `${ofUser(userId)}:authenticators`,
    sessionsOf: (userId) => `${ofUser(userId)}:sessions`,
    tokenSessionsOf: (userId) => `${ofUser(userId)}:token-sessions`,
    sessionsAt: (provider, name, value) => `${prefix}sessions-at:${part(provider)}:${name}:${part(value)}`,
    tokenSessionsAt: (provider, name, value) => `${prefix}token-sessions-at:${part(provider)}:${name}:${part(value)}`,
    deletion: (userId) => `${ofUser(userId)}:deletion`,
    emailMove: (userId, email) => `${ofUser(userId)}:email-move:${part(email)}`,
    email: (email) => `${prefix}email:${part(email)}`,
    account: (provider, providerAccountId) => `${prefix}account:${part(provider)}:${part(providerAccountId)}`,
    session: (sessionToken) => `${prefix}session:${part(sessionToken)}`,
    tokenSession: (id) => `${prefix}token-session:${part(id)}`,
    verificationToken: (identifier, token) => `${prefix}verification-token:${part(identifier)}:${part(token)}`,
    authenticator: (credentialID) => `${prefix}authenticator:${part(credentialID)}`,
    lists: {
      pattern: `${literally(prefix)}{user:*}:*`,
      read(key) {
        const [, encoded = '', list = ''] = partsOf(key, prefix, /^\{user:([^{}:]*)\}:([a-z]+)$/)
        const userId = decode(encoded)
        return userId ? { userId, list } : null
      },
    },
    emails: {
      pattern: `${literally(prefix)}email:*`,
      read: (key) => decode(partsOf(key, prefix, /^email:([^{}:]*)$/)[1] ?? '') || null,
    },
  }
}

const partsOf = (key: string, prefix: string, form: RegExp): readonly string[] =>
  (key.startsWith(prefix) && form.exec(key.slice(prefix.length))) || []

/** Decodes a text that {@link part} encoded; empty for another text. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A pattern of SCAN that matches this text only. */
const literally = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&')

function part(value: unknown): string {
  try {
    return encodeURIComponent(String(value))
  } catch {
    // Half a surrogate pair has no bytes of its own: two such texts would share one key.
    throw new AdapterError('A value to look up is not well-formed Unicode.')
  }
}

/**
 * Encodes a row as the fields of a Redis hash. Each member is JSON, except dates, which are `@` and the date in ISO
 * 8601. JSON never begins with `@`. Undefined members are left out. Dates inside other values are read as text.
 */
export function encodeRow(row: object): string[] {
  return Object.entries(membersOf(row)).flatMap(([name, value]) =>
    value === undefined ? [] : [name, encodeValue(value)],
  )
}

/** One member of a row, as {@link encodeRow} writes it. */
export const encodeValue = (value: unknown): string =>
  value instanceof Date ? `@${value.toISOString()}` : JSON.stringify(typeof value === 'bigint' ? String(value) : value)

/** The row of a hash; null if there is no hash. Redis has no hashes without fields. */
export function decodeRow<Row>(fields: Record<string, string>): Row | null {
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return Object.fromEntries(entries.map(([name, text]) => [name, decodeValue(text)])) as Row
}

/** Decodes a row, as {@link decodeRow}, from the flat list of names and values that a script gives. */
export function decodeReply<Row>(reply: unknown): Row | null {
  const list = (reply ?? []) as string[]
  const fields = Object.fromEntries(list.flatMap((name, index) => (index % 2 ? [] : [[name, list[index + 1] ?? '']])))
  return decodeRow<Row>(fields)
}

const decodeValue = (text: string): unknown => (text.startsWith('@') ? new Date(text.slice(1)) : JSON.parse(text))

/** The command and the time that set no expiry. */
export const NO_EXPIRY = ['', ''] as const

/** The command and the time that set an expiry, for the scripts that write rows. */
export const expiryOf = (expires: Date | undefined) =>
  expires ? (['PEXPIREAT', String(expires.getTime())] as const) : NO_EXPIRY

/** The row as a later read gives it. */
export const stored = <Row extends object>(row: Row): Row =>
  required(decodeReply<Row>(encodeRow(row)), 'The row is empty.')

/** @throws {AdapterError} when there is no row */
export function required<Row>(row: Row | null, otherwise: string): Row {
  if (row === null) throw new AdapterError(otherwise)
  return row
}
