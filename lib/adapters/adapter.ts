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
}

/** A stored session. */
export interface AdapterSession {
  sessionToken: string
  userId: string
  expires: Date
  /** Beyond Auth.js: when the user last proved who they are. Sessions that Auth.js made have none. */
  authenticatedAt?: Date | null
}

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
  /** Beyond Auth.js, as are all that follow: what the owner calls it. */
  name?: string | null
  createdAt?: Date | null
  lastUsedAt?: Date | null
  /** By what the authenticator knows its user, 1 to 64 random bytes in base64. */
  userHandle?: string | null
  /** The model of the authenticator, a UUID; all zeros when it does not tell. */
  aaguid?: string | null
  /** Whether the person was verified, by fingerprint or PIN, when it was made. */
  userVerified?: boolean | null
  /** The attestation, in base64, where the application asked for one. */
  attestationObject?: string | null
}

/** What of a stored passkey changes with time, beside its counter. */
export type AuthenticatorChanges = Partial<Pick<Authenticator, 'name' | 'lastUsedAt' | 'credentialBackedUp'>>

/** A stored passkey with its owner. */
export interface AdapterAuthenticator extends Authenticator {
  userId: string
}

/** A new user with the account by which they sign in, and their passkey where that is one. Whose the account and the passkey are, the user's id tells. */
export interface SignUp {
  user: AdapterUser
  account: Account & Pick<AdapterAccount, 'type'>
  authenticator?: Omit<AdapterAuthenticator, 'userId'>
}

/** How {@link Adapter.deleteExpired} goes about it. */
export interface DeleteExpiredOptions {
  /** How many rows one step deletes, so that nobody waits long for it: 1 to 10,000; 1,000 by default. */
  batch?: number
  /** Counts, and deletes nothing. */
  dryRun?: boolean
  /** Stops before the next step. What is deleted stays deleted, and the counts tell how far it came. */
  signal?: AbortSignal
  /** Called after each step with the counts so far. */
  onProgress?: (counts: ExpiredCounts) => void
}

/** Rows that {@link Adapter.deleteExpired} deleted; with `dryRun`, those that it would delete. */
export interface ExpiredCounts {
  readonly sessions: number
  readonly verificationTokens: number
  /** What was left of users whose deletion broke off, and claims to addresses that nobody has: in Redis only. */
  readonly leftovers: number
}

/** What became of the rows that are over. */
export interface ExpiredReport extends ExpiredCounts {
  /** Rows whose `expires` is empty or cannot be read. They are left, and nobody is signed in by them. */
  readonly unreadable: number
  /** False when `signal` stopped it. */
  readonly complete: boolean
  /** What makes it slow or incomplete, and what to do about it: a sentence each, free of values. */
  readonly hints: readonly string[]
}

/**
 * Persistence, as Auth.js defines it: every method is optional, and one that is called but missing fails the operation.
 * What each must do, beyond its types, is what `latchkey/testing/adapter` checks and docs/guides/adapters.md tells.
 */
export interface Adapter {
  createUser?(user: AdapterUser): Awaitable<AdapterUser>
  /**
   * Beyond Auth.js: stores all of a sign-up in one step, or nothing, and gives the user as stored. Throws when the id or the address of the user, the account,
   * or the passkey is there already; with `cause.unsupported`, where it turns out that it cannot do so at once. Where the application has put a `createUser` or `linkAccount`
   * of its own in place of those of one of Latchkey's adapters, these are called instead.
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
  createSession?(session: AdapterSession): Awaitable<AdapterSession>
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>
  /**
   * Beyond Auth.js: the session alone, whoever its user is; null when absent. It lets a store hold sessions and no users
   * (`latchkey/adapters/combine`). The caller finds the user, and ends up with no session when there is none.
   */
  getSession?(sessionToken: string): Awaitable<AdapterSession | null>
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>,
  ): Awaitable<AdapterSession | null | undefined>
  /**
   * Beyond Auth.js: gives a session another token and keeps all else of its row; null or nothing when there is none. Sessions that Auth.js began are kept
   * under the token itself, and come under its digest by this. With an adapter that lacks it they stay as they are until they end.
   */
  changeSessionToken?(
    sessionToken: string,
    newSessionToken: string,
  ): Awaitable<AdapterSession | null | undefined | void>
  deleteSession?(sessionToken: string): Awaitable<AdapterSession | null | undefined | void>
  /**
   * Beyond Auth.js: ends all sessions of a user. An adapter with this method keeps `authenticatedAt`; others are never handed it.
   */
  deleteSessionsByUserId?(userId: string): Awaitable<void>
  createVerificationToken?(token: VerificationToken): Awaitable<VerificationToken | null | undefined>
  useVerificationToken?(token: { identifier: string; token: string }): Awaitable<VerificationToken | null>
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>
  listAuthenticatorsByUserId?(userId: string): Awaitable<AdapterAuthenticator[]>
  updateAuthenticatorCounter?(credentialID: string, newCounter: number): Awaitable<AdapterAuthenticator>
  /**
   * Beyond Auth.js: changes a passkey; throws when there is none. An adapter with this method keeps the optional members of
   * {@link Authenticator}; others are never handed any of them.
   */
  updateAuthenticator?(credentialID: string, changes: AuthenticatorChanges): Awaitable<AdapterAuthenticator>
  /** Beyond Auth.js: deletes a passkey and gives it; null or nothing when there is none. */
  deleteAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null | undefined | void>
  /** Beyond Auth.js: the accounts of a user; an empty array when there is none. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>
  /**
   * Beyond Auth.js: deletes sessions and tokens of mailed links that are over, a batch at a time, and never one that is not. What ended in the last few minutes
   * may stay, since clocks differ. Latchkey never calls it: the application does, or `npx latchkey prune`.
   *
   * @throws when the store fails; what was deleted until then stays deleted
   */
  deleteExpired?(options?: DeleteExpiredOptions): Awaitable<ExpiredReport>
}

const METHODS: Readonly<Record<keyof Adapter, true>> = {
  createUser: true,
  createUserWithAccount: true,
  getUser: true,
  getUserByEmail: true,
  getUserByAccount: true,
  updateUser: true,
  deleteUser: true,
  linkAccount: true,
  unlinkAccount: true,
  getAccount: true,
  createSession: true,
  getSessionAndUser: true,
  getSession: true,
  updateSession: true,
  changeSessionToken: true,
  deleteSession: true,
  deleteSessionsByUserId: true,
  createVerificationToken: true,
  useVerificationToken: true,
  createAuthenticator: true,
  getAuthenticator: true,
  listAuthenticatorsByUserId: true,
  updateAuthenticatorCounter: true,
  updateAuthenticator: true,
  deleteAuthenticator: true,
  listAccountsByUserId: true,
  deleteExpired: true,
}

/** The names of all methods of the contract. */
export const ADAPTER_METHODS = Object.keys(METHODS) as readonly (keyof Adapter)[]
