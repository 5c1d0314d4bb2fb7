import type { AdapterAuthenticator, AdapterUser, ProviderSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { AccountNotLinked } from '../kernel/errors.js'
import type { LogSource } from '../kernel/logger.js'
import type { Account, AccountCallback, Profile, User } from '../providers/provider.js'
import type { Authentication } from '../sessions/authentication.js'
import type { Principal } from '../sessions/session.js'

/** Whom a flow has identified: what a provider, `authorize` or a passkey vouches for. Nothing is decided or stored yet. */
export interface Identity {
  /**
   * The user as the provider or `authorize` describes them. With credentials the `id` is the application's; otherwise it is new at
   * each sign-in, and belongs to no stored user.
   */
  readonly user: User & { id: string }
  /** Whether `authorize()` gave no id; only credentials have it. */
  readonly isIdMadeUp?: boolean
  readonly account: Account
  /** Whether a stored user had the address when it was looked up; only mailed links and codes have it. */
  readonly isKnown?: boolean
  /** The provider's profile, unchanged; only OAuth and OpenID Connect have one. */
  readonly profile?: Profile
  /** What was entered; only credentials have it. */
  readonly credentials?: Record<string, unknown>
  /** Which state of the password of the user counted; where Latchkey checked a password, or one was chosen. */
  readonly passwordVersion?: number
  /** The password that they have chosen, in the place of that state: stored once nothing is asked of them any more. */
  readonly newPassword?: NewPassword
  /** When the application began to check what was entered, milliseconds since the epoch; only credentials have it. */
  readonly checkedFrom?: number
  /**
   * Set if `authorize()` gave what `createUser` had returned, with an address that counted as confirmed from the beginning;
   * only credentials have it. Then no other person can have confirmed the address meanwhile.
   */
  readonly isCreatedConfirmed?: boolean
  /**
   * A digest of the principal who began the transaction; {@link NOBODY} for nobody, and null if that is not known, or does not count.
   * Only OAuth and OpenID Connect have it.
   */
  readonly initiator?: string | null
  /** Set if a link of anybody can bring it about: without checks, or by a mailed link that asks nothing. */
  readonly isUnbound?: boolean
  /**
   * Digest of the session in which a link was begun, as `sessionDigest` gives it; null for a sign-in. A link adds the
   * account to the user of that very session, and signs nobody in. Only OAuth and OpenID Connect have it.
   */
  readonly linkSessionDigest?: string | null
  /** How the account may be linked; only OAuth and OpenID Connect have it. */
  readonly linking?: AccountLinking
  /** What the ID token says of the session at the provider; only OpenID Connect has it. */
  readonly providerSession?: ProviderSession
  /** How they proved who they are. What a provider says of that gives no second factor: see {@link saysTwoFactors}. */
  readonly authentication?: Authentication | undefined
  /** The result of a WebAuthn ceremony; only passkeys have it. */
  readonly passkey?: PasskeyResult
  /** The request that brought it, as it came, which lines of the log are about. */
  readonly source?: LogSource | undefined
}

/** A password that was chosen with a mailed link, or after a temporary one. */
export interface NewPassword {
  /** Id of the user who has the address; null for a sign-up. */
  readonly forUser: string | null
  readonly email: string
  readonly hash: string
  /** Whether nobody has confirmed the address before. */
  readonly confirms: boolean
}

/** How an account of OAuth or OpenID Connect may be linked, and which of its tokens are stored. */
interface AccountLinking {
  /** Whether the provider says that it has verified the user's address. */
  readonly isEmailVerified: boolean
  /** Whether the application links this provider's accounts by address. */
  readonly linksByEmail: boolean
  readonly storedTokens: AccountCallback
}

/**
 * Whether the word of a provider confirms an address here: the provider says that it has verified it, and the application trusts it
 * with addresses. The word of any other provider would let it into the accounts of people who sign in elsewhere, or by mail.
 */
export const isAddressTrusted = ({ linking }: Identity): boolean =>
  linking?.linksByEmail === true && linking.isEmailVerified

/**
 * Whether the provider says that the person has shown two factors: by `mfa` (RFC 8176 §2). Anybody may run a provider, so its word
 * counts only where the application says so.
 */
export const saysTwoFactors = ({ authentication = {} }: Identity): boolean =>
  authentication.amr?.includes('mfa') === true

/**
 * The result of a WebAuthn ceremony. After an authentication, the identity's user is the owner of the passkey. After a registration,
 * the passkey is still to be stored.
 */
export type PasskeyResult =
  | { readonly ceremony: 'authenticate' }
  | {
      readonly ceremony: 'register'
      /** Id of the user who was signed in when the registration began; null for a sign-up. */
      readonly forUser: string | null
      readonly authenticator: NewPasskey
    }

/** A passkey that is to be stored. */
export type NewPasskey = Omit<AdapterAuthenticator, 'userId'>

/** Whose an identity is, as far as the store has said it before anything is written. */
export interface Entry {
  readonly identity: Identity
  /** The stored user who has the account. Null if nobody has it, or it is to be looked up when the entry is settled. */
  readonly owner: AdapterUser | null
  /** Whether something is added to the user who is signed in. Then no session begins. */
  readonly isAddition: boolean
}

/** The user to whom an entry led. */
export interface SettledUser {
  readonly user: User & { id: string }
  readonly account: Account
  /** Undefined where no users are stored. */
  readonly isNewUser: boolean | undefined
  /** Present if an existing user has a further way to sign in now. */
  readonly added?: 'account' | 'passkey'
  /** Kinds of what they could sign in with until their address was confirmed: `accounts`, `passkeys`, and those of features. */
  readonly revoked?: readonly string[]
  /** Set where an owner of the user's address may confirm it later, which revokes access to the user. */
  readonly isUnconfirmed?: boolean
}

/** Reads the principal of the request that an identity comes with; null when nobody is signed in. */
export type PrincipalReader = () => Promise<Principal | null>

/** The user who is signed in in this browser, as stored. */
export interface SignedInUser {
  readonly user: AdapterUser
  /** When the user signed in, milliseconds since the epoch; null when that is not known. */
  readonly authenticatedAt: number | null
  /** Public id of the session; null where it is not known. */
  readonly sessionId: string | null
  /**
   * Whether the user may add an account or a passkey: the sign-in is recent and was in this browser, and the address was not
   * confirmed after it.
   */
  readonly mayAdd: boolean
}

/** One kind of identity: what is looked up before the `signIn` callback, and what is stored after it. */
export interface IdentityKind {
  /** As {@link Users.find}. Absent: nothing is looked up before the entry is settled. */
  find?(identity: Identity, isOwnerNeeded: boolean): MaybePromise<Omit<Entry, 'identity'>>
  /** As {@link Users.settle}, under the lock of the account. */
  settle(entry: Entry, readPrincipal: PrincipalReader): Promise<Settlement>
  /** As {@link Users.add}, under the lock of the account. */
  add?(identity: Identity, readPrincipal: PrincipalReader): Promise<Settlement>
}

/** What a kind of identity has found or stored. */
export interface Settlement extends Pick<SettledUser, 'added' | 'revoked'> {
  readonly user: AdapterUser | null
  readonly isNewUser: boolean
}

/** THE only place that finds, creates and links users. `users.ts` says in which order. */
export interface Users {
  /**
   * Looks up whose an identity is. Writes nothing.
   *
   * @param isOwnerNeeded whether anything depends on the owner of the account before the entry is settled
   */
  find(identity: Identity, isOwnerNeeded: boolean): Promise<Entry>
  /**
   * Decides which user signs in, and stores what that needs. It looks the account up under its lock if nobody was found before,
   * or it had to wait for the lock.
   *
   * @throws {OAuthAccountNotLinked} when the account, or its address, belongs to another user; {@link AccountNotLinked} for a passkey
   * @throws {SessionChanged} when the initiator of the transaction is not signed in any more
   * @throws {AccessDenied} when the user is disabled, and disabled users are refused
   * @throws {AdapterError} when the store fails
   */
  settle(entry: Entry, readPrincipal: PrincipalReader): Promise<SettledUser>
  /**
   * Whom an identity would sign in, as far as the store says it now; null for somebody new. Writes nothing.
   *
   * @throws {AdapterError} when the store fails
   */
  ownerOf(identity: Identity): Promise<AdapterUser | null>
  /**
   * Adds something to the user who is signed in: in the session in which it began, of a recent sign-in in this browser. That is
   * looked at before the write, and again after it.
   *
   * @throws {RecentSignInRequired} when the user has not signed in recently in this browser
   * @throws as {@link settle} does
   */
  add(entry: Entry, readPrincipal: PrincipalReader): Promise<SettledUser>
  /**
   * Checks a user once more, after a session was issued. The owner of the address may have confirmed it since the entry was
   * settled, and so have revoked the access that the session was issued for; or the user was deleted or disabled meanwhile.
   *
   * @param hasFailed whether no session could be stored
   * @throws {OAuthAccountNotLinked} when that happened; {@link AccountNotLinked} for a passkey; {@link AccessDenied} when the user
   *   is disabled
   */
  recheck(settled: SettledUser, hasFailed?: boolean): Promise<void>
  /**
   * The configured providers with which a user can sign in. Those of passwords are always among them. Null where the store cannot
   * list accounts.
   *
   * @throws {AdapterError} when the store fails
   */
  waysOf(userId: string): Promise<readonly string[] | null>
  /** The user who is signed in in this browser; null for nobody. */
  signedIn(readPrincipal: PrincipalReader): Promise<SignedInUser | null>
  /**
   * Stores another address of a user, which somebody has confirmed by a mailed link (ACCT-04). Never call it for a user whose present
   * address nobody has confirmed: its owner may confirm it at the same moment, and get this user (ACCT-05).
   *
   * @returns the user as stored; null if another user has the address
   * @throws {AccessDenied} when the user is disabled, and disabled users are refused
   * @throws {AdapterError} when the store fails
   */
  changeAddress(
    user: AdapterUser,
    address: { readonly email: string; readonly emailVerified?: Date | undefined },
    source: LogSource | undefined,
  ): Promise<AdapterUser | null>
  /** The initiator of a transaction that begins now, as a digest; null when nobody is signed in. */
  initiator(readPrincipal: PrincipalReader): Promise<string | null>
}

/** Users where there is no adapter. Nothing is stored, and each sign-in gives a user with a new id. */
export const withoutStore: Users = {
  find: async (identity) => ({ identity, owner: null, isAddition: false }),
  // Credentials never create a user. For the others it is not known whether the user is new.
  settle: async ({ identity: { user, account } }) => ({
    user,
    account,
    isNewUser: account.type === 'credentials' ? false : undefined,
  }),
  add: async () => Promise.reject(new AccountNotLinked('Without an adapter, nothing can be added to a user.')),
  recheck: async () => {},
  ownerOf: async () => null,
  waysOf: async () => null,
  signedIn: async () => null,
  changeAddress: async () => null,
  initiator: async () => null,
}
