import type { Account, Awaitable, ProviderType, User } from '../providers/provider.js'

/** A stored user. */
export interface AdapterUser extends User {
  id: string
  email: string
  /** When the address was first confirmed, by a mailed link or by a provider that has verified it; null before. */
  emailVerified: Date | null
}

/** A stored account. */
export interface AdapterAccount extends Account {
  userId: string
  type: Extract<ProviderType, 'oauth' | 'oidc' | 'email' | 'webauthn'>
  /**
   * Beyond Auth.js: set while one process refreshes the tokens, so that no other one does. Only `updateAccount` writes it.
   */
  tokenLease?: string | null
}

/**
 * Something small that Latchkey keeps for a time or for a user, beside the rows of Auth.js. The kind and the key together
 * identify it.
 */
export interface AdapterRecord {
  /** What it is: at most 64 characters. */
  kind: string
  /** At most 128 characters. */
  key: string
  /** Id of the user whose record it is, at most 255 characters; null if it belongs to nobody. The user may be in another store. */
  owner: string | null
  /** At most 60,000 bytes. Latchkey encrypts what must stay secret. */
  value: string
  /** From when on the record can be deleted; null if never. Until it is deleted, the store gives it. */
  expires: Date | null
  /** 1 in a new record, and one more after each change. */
  version: number
}

/** The members of an account that change with time; null deletes a member. */
export type AccountChanges = {
  [Name in (typeof CHANGING_ACCOUNT_MEMBERS)[number]]?: AdapterAccount[Name] | null
}

/** Every member of {@link AccountChanges}. */
export const CHANGING_ACCOUNT_MEMBERS = [
  'access_token',
  'refresh_token',
  'id_token',
  'expires_at',
  'scope',
  'token_type',
  'session_state',
  'tokenLease',
] as const

/** What the members of an account must be for a change to be made; null is for a member without a value. */
export type AccountExpectation = Pick<AccountChanges, 'access_token' | 'refresh_token' | 'tokenLease'>

/** What a store knows of a session for the list of sessions that its user sees. All members are beyond Auth.js. */
export interface SessionDetails {
  /** When the session began; of a token session, when its user proved last who they are. */
  createdAt?: Date | null
  /** When a request last used the session, to a quarter of an hour. */
  lastSeenAt?: Date | null
  /** The `User-Agent` of the browser, at most 512 characters. */
  userAgent?: string | null
  /** The network of the client, with the host bits cut off: `203.0.113.0/24`, `2001:db8:1::/48`. */
  network?: string | null
  /** `token` if the application issued it for a program. Null or absent: a browser. */
  kind?: 'token' | null
  /** The name that the application gave an issued token. */
  name?: string | null
  /** What an issued token is for, as in RFC 6749 §3.3; null or absent if it is not restricted. */
  scope?: string | null
  /** Name of the instance whose session it is. A stored session of a configuration without a name has an empty text. */
  instance?: string | null
  /** Id of the provider at which the session began; null or absent if that is not known. */
  provider?: string | null
  /** The subject of the session at an OpenID provider: the `sub` of its ID token, at most 255 characters. */
  subject?: string | null
  /** The session at an OpenID provider: the `sid` of its ID token, at most 255 characters. */
  sid?: string | null
}

/**
 * Sessions that began at one OpenID provider: those with this `sid`, or with this `subject`, or with both. It has at least
 * one of the two.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.4
 */
export interface ProviderSession {
  readonly provider: string
  readonly subject?: string
  readonly sid?: string
}

/** Whether a session began at this provider, as the session or as the subject that is asked for. */
export function beganAt(session: SessionDetails, { provider, subject, sid }: ProviderSession): boolean {
  if (subject === undefined && sid === undefined) return false
  const fits = (wanted: string | undefined, found: string | null | undefined) =>
    wanted === undefined || wanted === found
  return session.provider === provider && fits(subject, session.subject) && fits(sid, session.sid)
}

/** A stored session. */
export interface AdapterSession extends SessionDetails {
  sessionToken: string
  userId: string
  expires: Date
  /** Beyond Auth.js: when the user last proved who they are. Sessions that Auth.js made have none. */
  authenticatedAt?: Date | null
  /** Beyond Auth.js: what its sign-in has decided about its lifetime, in a form of Latchkey; null or absent for nothing. */
  lifetime?: string | null
  /** Beyond Auth.js: how the user has proved who they are, as JSON of at most 1,000 characters; null or absent if nothing is known. */
  authentication?: string | null
}

/**
 * What a store keeps of a session whose token is in a cookie, so that it can be listed and revoked. Nobody can sign in
 * with it. It does not refer to a stored user, because there may be none.
 */
export interface AdapterTokenSession extends SessionDetails {
  /** Public id of the session: at most 64 characters. */
  id: string
  /** Whose session it is. */
  userId: string
  /** From when on no token of the session can be valid. Then the row can be deleted. */
  expires: Date
  /** When the session was revoked; null if it was not. */
  revokedAt: Date | null
  /** When the newest token that a client has shown was issued; null if that is not known. */
  tokenIssuedAt: Date | null
}

/** The members of a token session that change with time. */
export type TokenSessionChanges = Partial<
  Pick<
    AdapterTokenSession,
    'expires' | 'createdAt' | 'lastSeenAt' | 'userAgent' | 'network' | 'revokedAt' | 'tokenIssuedAt'
  >
>

/** A stored token of a mailed link; `token` is a hash. */
export interface VerificationToken {
  identifier: string
  token: string
  expires: Date
}

/** A stored passkey. */
export interface Authenticator {
  credentialID: string
  credentialPublicKey: string
  counter: number
  credentialBackedUp: boolean
  credentialDeviceType: string
  providerAccountId: string
  transports?: string | null
  userId?: string
  /** The name that the owner gave it. This member and all that follow are beyond Auth.js. */
  name?: string | null
  createdAt?: Date | null
  lastUsedAt?: Date | null
  /** The user handle, by which the authenticator knows its user: 1 to 64 random bytes in base64. */
  userHandle?: string | null
  /** The model of the authenticator, a UUID; all zeros if the authenticator does not name its model. */
  aaguid?: string | null
  /** Whether the person was verified, by fingerprint or PIN, when it was made. */
  userVerified?: boolean | null
  /** The attestation, in base64, if the application asked for one. */
  attestationObject?: string | null
}

/** The members of a stored passkey that change with time, except its counter. */
export type AuthenticatorChanges = Partial<
  Pick<Authenticator, 'name' | 'lastUsedAt' | 'credentialBackedUp' | 'credentialDeviceType'>
>

/** A stored passkey with its owner. */
export interface AdapterAuthenticator extends Authenticator {
  userId: string
}

/**
 * A new user with the account by which they sign in, and with their passkey if that is a passkey account. The account
 * and the passkey get the id of the user as their `userId`.
 */
export interface SignUp {
  user: AdapterUser
  account: Account & Pick<AdapterAccount, 'type'>
  authenticator?: Omit<AdapterAuthenticator, 'userId'>
}

/** Options of {@link Adapter.deleteExpired}. */
export interface DeleteExpiredOptions {
  /** How many rows one step deletes, so that other calls do not wait long: 1 to 10,000; 1,000 by default. */
  batch?: number
  /** Counts, and deletes nothing. */
  dryRun?: boolean
  /** Stops before the next step. What is deleted stays deleted, and the counts show how much that is. */
  signal?: AbortSignal
  /** Called after each step with the counts so far. */
  onProgress?: (counts: ExpiredCounts) => void
}

/** Rows that {@link Adapter.deleteExpired} deleted; with `dryRun`, those that it would delete. */
export interface ExpiredCounts {
  /** Sessions and token sessions. */
  readonly sessions: number
  readonly verificationTokens: number
  /**
   * Records; in Redis, which deletes those itself, rows of users whose deletion broke off, and reservations of addresses
   * that no user has.
   */
  readonly leftovers: number
}

/** What was done with the expired rows. */
export interface ExpiredReport extends ExpiredCounts {
  /** Rows whose `expires` is empty or cannot be read. They stay in the store, and sign nobody in. */
  readonly unreadable: number
  /** False when `signal` stopped it. */
  readonly complete: boolean
  /** What makes the deletion slow or incomplete, and what to do about it: a sentence each, without values of rows. */
  readonly hints: readonly string[]
}

/**
 * The contract of a store, as Auth.js defines it. Every method is optional. An operation that needs a missing method
 * fails. What each method must do, beyond its types, is in docs/guides/adapters.md, and `latchkey/testing/adapter`
 * checks it.
 */
export interface Adapter {
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /**
   * Beyond Auth.js: stores a whole sign-up in one step, or nothing, and gives the user as stored. Throws when the id or
   * the address of the user, the account, or the passkey is there already. Throws with `cause.unsupported` when the
   * store turns out to be unable to store all in one step. When the application has replaced `createUser` or
   * `linkAccount` of one of Latchkey's adapters, those functions are called in place of this method.
   */
  createUserWithAccount?(signUp: SignUp): Awaitable<AdapterUser>
  getUser?(id: string): Awaitable<AdapterUser | null>
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>
  getUserByAccount?(account: Pick<AdapterAccount, 'provider' | 'providerAccountId'>): Awaitable<AdapterUser | null>
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, 'id'>): Awaitable<AdapterUser>
  deleteUser?(userId: string): Awaitable<AdapterUser | null | undefined | void>
  linkAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>
  unlinkAccount?(
    account: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
  ): Awaitable<AdapterAccount | undefined | void>
  getAccount?(providerAccountId: string, provider: string): Awaitable<AdapterAccount | null>
  /**
   * Beyond Auth.js: changes the given members of an account and no others, in one step, and only if the account has the
   * expected values. An adapter with this method keeps `tokenLease`.
   *
   * @returns whether it was changed; false when there is no such account, or a member has another value than expected
   */
  updateAccount?(
    account: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
    changes: AccountChanges,
    expected?: AccountExpectation,
  ): Awaitable<boolean>
  createSession?(session: AdapterSession): Awaitable<AdapterSession>
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  /**
   * Beyond Auth.js: the session without its user; null when absent. With this method a store can hold sessions and no
   * users (`latchkey/adapters/combine`). The caller finds the user; without a user, the session does not count.
   */
  getSession?(sessionToken: string): Awaitable<AdapterSession | null>
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>,
  ): Awaitable<AdapterSession | null | undefined>
  /**
   * Beyond Auth.js: gives a session another token and keeps the rest of its row; null or nothing when there is none.
   * The sessions that Auth.js began are stored under the token itself. This method puts them under the digest of the
   * token. Without it they stay as they are until they expire.
   */
  changeSessionToken?(
    sessionToken: string,
    newSessionToken: string,
  ): Awaitable<AdapterSession | null | undefined | void>
  deleteSession?(sessionToken: string): Awaitable<AdapterSession | null | undefined | void>
  /**
   * Beyond Auth.js: ends all sessions of a user. An adapter with this method keeps `authenticatedAt`; others are never
   * given it.
   */
  deleteSessionsByUserId?(userId: string): Awaitable<void>
  /**
   * Beyond Auth.js: at most 1,000 sessions of a user, those with the latest `expires` first; an empty array when there is
   * none. Expired ones may be among them. Whoever ends the ones given gets the next ones from another call. An adapter
   * with this method keeps the details of sessions, such as browser and network; others are never given any of them.
   */
  listSessionsByUserId?(userId: string): Awaitable<AdapterSession[]>
  /**
   * Beyond Auth.js: at most 1,000 sessions that began at a provider, those with the latest `expires` first; an empty array
   * when there is none. Expired ones may be among them. Whoever ends the ones given gets the next ones from another call.
   */
  listSessionsByProvider?(at: ProviderSession): Awaitable<AdapterSession[]>
  /** Beyond Auth.js: stores a token session. It leaves a row that has the id already as it is. */
  createTokenSession?(session: AdapterTokenSession): Awaitable<void>
  /** Beyond Auth.js: a token session, revoked or not; null when absent. */
  getTokenSession?(id: string): Awaitable<AdapterTokenSession | null>
  /**
   * Beyond Auth.js: changes the given members of a token session and no others, in one step; does nothing when there is
   * none.
   */
  updateTokenSession?(id: string, changes: TokenSessionChanges): Awaitable<void>
  /**
   * Beyond Auth.js: sets `revokedAt` of a token session that has none, in one step. Of several calls at once, one gives
   * true; false when it was revoked before, or when there is none.
   */
  revokeTokenSession?(id: string, revokedAt: Date): Awaitable<boolean>
  /**
   * Beyond Auth.js: at most 1,000 token sessions of a user, those with the latest `expires` first; an empty array when
   * there is none. Never revoked ones, which are kept for long and may be many; expired ones may be among them. Whoever
   * revokes the ones given gets the next ones from another call.
   */
  listTokenSessionsByUserId?(userId: string): Awaitable<AdapterTokenSession[]>
  /** Beyond Auth.js: as `listSessionsByProvider`, of token sessions that are not revoked. */
  listTokenSessionsByProvider?(at: ProviderSession): Awaitable<AdapterTokenSession[]>
  /**
   * Beyond Auth.js: stores a record if there is none with its kind and key, in one step. Of several calls at once, one gives
   * true; the others give false and change nothing.
   */
  createRecord?(record: AdapterRecord): Awaitable<boolean>
  /** Beyond Auth.js: a record, whether or not it has expired; null when absent. */
  getRecord?(kind: string, key: string): Awaitable<AdapterRecord | null>
  /**
   * Beyond Auth.js: gives a record another value, expiry and version, in one step, if its version was one less. Gives whether
   * there was such a record. The owner stays.
   */
  updateRecord?(record: AdapterRecord): Awaitable<boolean>
  /** Beyond Auth.js: deletes a record and gives it; null when absent. Of several calls at once, one gets it. */
  deleteRecord?(kind: string, key: string): Awaitable<AdapterRecord | null>
  /**
   * Beyond Auth.js: at most 1,000 records of one kind that a user has; an empty array when there is none. `deleteUser` deletes
   * those of all kinds.
   */
  listRecordsByOwner?(kind: string, owner: string): Awaitable<AdapterRecord[]>
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  useVerificationToken?(token: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  /**
   * Beyond Auth.js: gives a token as it is stored, and leaves it there. With it, the page of a mailed link that no longer
   * works says so before the visitor presses its button.
   */
  getVerificationToken?(token: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>
  listAuthenticatorsByUserId?(userId: string): Awaitable<AdapterAuthenticator[]>
  updateAuthenticatorCounter?(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
  /**
   * Beyond Auth.js: changes a passkey; throws when there is none. An adapter with this method keeps the optional
   * members of {@link Authenticator}; others are never given any of them.
   */
  updateAuthenticator?(credentialID: string, changes: AuthenticatorChanges): Awaitable<AdapterAuthenticator>
  /** Beyond Auth.js: deletes a passkey and gives it; null or nothing when there is none. */
  deleteAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null | undefined | void>
  /** Beyond Auth.js: the accounts of a user; an empty array when there is none. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>
  /**
   * Beyond Auth.js: deletes expired sessions, tokens of mailed links and records, a batch at a time, and no others. Rows
   * that expired in the last few minutes may stay, since clocks differ. Latchkey never calls it: the application does,
   * or `npx latchkey prune`.
   *
   * @throws when the store fails; what was deleted until then stays deleted
   */
  deleteExpired?(options?: DeleteExpiredOptions): Awaitable<ExpiredReport>
}

/**
 * How many sessions of one user a store gives at a time. Somebody with the password of a user can begin any number of
 * sessions, and a list of all of them would not come within the time limit of a call.
 */
export const MOST_LISTED = 1000
