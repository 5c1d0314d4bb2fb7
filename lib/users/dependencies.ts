import type { AdapterAccount } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { Log, LogSource } from '../kernel/logger.js'
import type { Account, AccountNoticeKind, ProviderType, User } from '../providers/provider.js'
import type { ConfirmEmailCallback } from './ask-confirmation.js'
import type { Admit, SignUpCallback } from './ask-sign-up.js'

/** What identities are resolved with: a part of the configuration. */
export interface UserDependencies {
  readonly store: Store
  /** Stores the tokens of accounts. Absent: they are stored as the provider gave them. */
  readonly accountTokens?: TokenKeeper
  /** Whether sessions are rows that point to a stored user, as with the database strategy. */
  readonly sessionsNeedUser: boolean
  /** Ends all sessions of a user that are in tokens, and known to a revocation store; absent if there is no such store. */
  readonly endTokenSessions?: ((userId: string) => Promise<unknown>) | undefined
  /** The configured providers. */
  readonly providers: readonly ProviderKind[]
  /** What features keep for users, and these sign in with. Absent: nothing. */
  readonly holds?: () => readonly Holding[]
  /** Called before an address is confirmed; null when the application has no such callback. */
  readonly confirmEmail: ConfirmEmailCallback | null
  /** Called before a user is created, and before `signUp`; null or absent if everybody may become a user. */
  readonly admit?: Admit | null
  /** Called before a user is created. */
  readonly signUp?: SignUpCallback | undefined
  /** Whether a disabled user is refused. */
  readonly refusesDisabledUsers: boolean
  /** Seconds since the sign-in, at most, for a user who adds an account or a passkey. */
  readonly recentAuthAge: number
  /** Seconds that a sign-in waits for another sign-in with the same account; `Infinity` waits without a limit. */
  readonly storeTimeout: number
  /** Calls an event handler, and never rejects; undefined when there is no such handler. */
  readonly emit: <Name extends keyof AccountEvents>(
    name: Name,
    message: AccountEvents[Name],
    source: LogSource | undefined,
  ) => Promise<void> | undefined
  readonly logger: Log
  /** At least one; the newest first. */
  readonly secrets: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What a feature keeps for users, who sign in with it. It counts only while their address is confirmed. */
export interface Holding {
  /** As exports and the log name it. */
  readonly kind: string
  /** What the owner of the address is told if its confirmation takes it away; absent for what is no way into the account. */
  readonly removal?: Extract<AccountNoticeKind, `${string}-removed`>
  /** How many a user has. */
  count(userId: string): Promise<number>
  /** Takes them away from a user. Gives how many there were. */
  revoke(userId: string): Promise<number>
  /** Gives another text after each change that ends what was begun before it: whoever keeps something for longer compares. */
  stateOf?(userId: string): Promise<string>
}

/** Keeps the tokens that come with accounts. */
export interface TokenKeeper {
  /** An account as the adapter of the configuration stores it. Events and callbacks get the account as it was. */
  toStore<Kind extends Account>(account: Kind): Promise<Kind>
  /**
   * Call this at each later sign-in with an account. Its tokens replace the stored ones; what the provider did not send
   * again stays. It never rejects: a sign-in does not fail because of tokens.
   *
   * @param chosen gives the account with the tokens that are stored. It may call a function of the application
   */
  noteSignIn(
    name: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
    chosen: () => Account,
    source: LogSource | undefined,
  ): Promise<void>
  /**
   * Revokes tokens at the provider that are in no store any more, as after their account was unlinked. It never rejects: what
   * fails is logged.
   *
   * @param row the account as it was stored
   * @param source undefined if several requests may have waited for it
   */
  revoke(row: AdapterAccount, source: LogSource | undefined): Promise<void>
}

interface AccountEvents {
  createUser: { user: User }
  updateUser: { user: User }
  linkAccount: { user: User; account: Account; profile: User }
  unlinkAccount: { user: User; account: Account }
}

/** What this folder needs to know of a provider. */
export interface ProviderKind {
  readonly id: string
  /** As pages show it. */
  readonly name?: string
  readonly type: ProviderType
  /** Set if Latchkey keeps the passwords of these credentials. */
  readonly password?: object | null
}
