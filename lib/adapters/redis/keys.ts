import { AdapterError, InvalidConfiguration } from '../../kernel/errors.js'

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
