import { AdapterError, InvalidConfiguration } from '../../errors.js'

/** The key of every kind of row. */
export interface Keys {
  user(id: string): string
  /** The provider accounts of a user, as a set of {@link Keys.account} keys; in the slot of the user. */
  accountsOf(userId: string): string
  /** The ids of a user's passkeys, as a set; in the slot of the user. */
  authenticatorsOf(userId: string): string
  /** The tokens of a user's sessions, sorted by their end; in the slot of the user. */
  sessionsOf(userId: string): string
  /** Stands from when a user is deleted until all that is theirs is; in the slot of the user. */
  deletion(userId: string): string
  /** Stands for a while when a user is about to get an address; in the slot of the user. */
  emailMove(userId: string, email: string): string
  /** Who has an address: `nonce:id`. */
  email(email: string): string
  account(provider: string, providerAccountId: string): string
  session(sessionToken: string): string
  verificationToken(identifier: string, token: string): string
  authenticator(credentialID: string): string
  /** Patterns of SCAN for the lists of users and the claims to addresses, and what such a key is of; null for one of another kind. */
  readonly lists: KeyKind<{ readonly userId: string; readonly list: string }>
  readonly emails: KeyKind<string>
}

/** Keys that are looked for. */
export interface KeyKind<Parts> {
  readonly pattern: string
  read(key: string): Parts | null
}

/**
 * The keys below a prefix. On a cluster the text in the first braces decides the slot: all keys of one user share one, and every other
 * row has its own. Parts are percent-encoded, so no value can close a brace, or pass for two parts.
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
    deletion: (userId) => `${ofUser(userId)}:deletion`,
    emailMove: (userId, email) => `${ofUser(userId)}:email-move:${part(email)}`,
    email: (email) => `${prefix}email:${part(email)}`,
    account: (provider, providerAccountId) => `${prefix}account:${part(provider)}:${part(providerAccountId)}`,
    session: (sessionToken) => `${prefix}session:${part(sessionToken)}`,
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

/** What {@link part} encoded; empty for what it did not. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A text as a pattern of SCAN that nothing else matches. */
const literally = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&')

function part(value: unknown): string {
  try {
    return encodeURIComponent(String(value))
  } catch {
    // Half a surrogate pair has no bytes of its own: two such texts would share one key.
    throw new AdapterError('A value to look up is not well-formed Unicode.')
  }
}
