import type { AdapterAuthenticator } from '../adapters/adapter.js'
import type { Account, AccountCallback, Profile, User } from '../providers/provider.js'
import type { Principal } from '../sessions/session.js'

/** Who a flow says that the visitor is. Nothing has been decided or stored yet. */
export interface Identity {
  /** The person. Without an adapter the `id` is new at every sign-in, except for credentials, where it is the application's. */
  readonly user: User & { id: string }
  /** Whether `authorize()` gave no id; only credentials have it. */
  readonly isIdMadeUp?: boolean
  readonly account: Account
  /** The provider's profile as it came; only OAuth and OpenID Connect have one. */
  readonly profile?: Profile
  /** What was entered; only credentials have it. */
  readonly credentials?: Record<string, unknown>
  /** For credentials: when the application began to check what was entered, milliseconds since the epoch. */
  readonly checkedFrom?: number
  /** For OAuth and OpenID Connect: a digest of the user who was signed in when the sign-in began; null for nobody. */
  readonly initiator?: string | null
  /** For OAuth and OpenID Connect: how the account may be linked, and what of its tokens is stored. */
  readonly linking?: AccountLinking
  /** What was done with a passkey; only those who come with one have it. */
  readonly passkey?: PasskeyResult
}

/** How an account of OAuth or OpenID Connect may be linked, and what of its tokens is stored. */
export interface AccountLinking {
  /** Whether the provider says that it has verified the user's address. */
  readonly isEmailVerified: boolean
  /** Whether the application links this provider's accounts by address. */
  readonly linksByEmail: boolean
  readonly storedTokens: AccountCallback
}

/** What was done with a passkey: it was proved, and the identity's user is its owner; or it was made, and is to be stored. */
export type PasskeyResult =
  | { readonly ceremony: 'authenticate' }
  | {
      readonly ceremony: 'register'
      /** Id of the user who was signed in when it was begun; null for somebody who signs up. */
      readonly forUser: string | null
      readonly authenticator: Omit<AdapterAuthenticator, 'userId'>
    }

/** The user that a identity belongs to. */
export interface ResolvedUser {
  readonly user: User & { id: string }
  readonly account: Account
  /** Undefined when nobody keeps users. */
  readonly isNewUser: boolean | undefined
  /** Set where an account was added to whoever was signed in: when they had signed in, null when that is not known. */
  readonly authenticatedAt?: number | null
  /** Whether the user has an address that nobody has confirmed yet. */
  readonly isUnconfirmed?: boolean
}

/** Who is signed in in the browser that a identity comes from. */
export type PrincipalReader = () => Promise<Principal | null>

/** THE identity resolver: the only place that finds, makes and links users. */
export interface IdentityResolver {
  /** The stored user of a known account, for the `signIn` callback; null when there is none. */
  known(identity: Identity): Promise<User | null>
  /** A digest of the user that a sign-in which begins now may add an account to; null when nobody is signed in. */
  initiator(readPrincipal: PrincipalReader): Promise<string | null>
  /**
   * Carries the linking decision out.
   *
   * @throws {OAuthAccountNotLinked} when it would give one person's account to another; {@link AccountNotLinked} for a passkey
   */
  resolve(identity: Identity, readPrincipal: PrincipalReader): Promise<ResolvedUser>
  /**
   * Looks once more at somebody who has been given a session: the owner of the address may have confirmed it since they were resolved, and ended what they
   * came in by.
   *
   * @throws {OAuthAccountNotLinked} when it was; {@link AccountNotLinked} for a passkey
   */
  recheck(resolved: ResolvedUser): Promise<void>
}

/** Without an adapter nothing is stored: whoever a provider names is the user, under a new id each time. */
export const withoutStore: IdentityResolver = {
  known: async () => null,
  initiator: async () => null,
  // Credentials never make a user; of others nobody can know whether they are new.
  resolve: async ({ user, account }) => ({
    user,
    account,
    isNewUser: account.type === 'credentials' ? false : undefined,
  }),
  recheck: async () => {},
}
