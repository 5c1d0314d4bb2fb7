import type { ProviderSession } from '../adapters/adapter.js'
import type { JWT } from '../kernel/claims.js'
import type { LogSource } from '../kernel/logger.js'

/** The argument of the `signOut` event: the token's claims, or the stored session. */
export type SignOutMessage = { token: JWT | null } | { session: unknown }

/** A logout at a provider: which sessions end here. */
export interface ProviderLogout {
  readonly at: ProviderSession
  /**
   * Sessions that began later stay, milliseconds since the epoch: they are not of the sign-in that has ended. Sessions with the
   * `sid` of `at` end in any case: a session that has ended at the provider cannot have begun after that.
   */
  readonly beganUntil: number
  /**
   * Who the subject is here; null if that is not known. Of some of their sessions
   * nobody knows where they began. They may have begun at this provider, so they end too if the logout names no `sid`.
   */
  readonly userId: string | null
  /** The same for a subject whose user is not stored, as {@link SessionIndex.list} knows them. */
  readonly owner: string | null
  /** The request that brought it, as it came, which lines of the log are about. */
  readonly source?: LogSource | undefined
}

/** What a logout at a provider has done. */
export interface LogoutCounts {
  readonly ended: number
  /** Sessions that fit, and stay: they began after the logout. */
  readonly left: number
}

/** A session that has ended without a request of its browser. */
export interface EndedElsewhere {
  readonly userId: string
  /** The `sub` of the session at the provider, as its row says; absent if that is not known. */
  readonly subject?: string
  /** The argument of the `signOut` event. */
  readonly message: SignOutMessage
}

/** A logout whose sessions here have ended. */
export interface EndedAt extends ProviderSession {
  /** Whether sessions of the same people stay, which began after it. Then the stored tokens may be theirs. */
  readonly hasNewer?: boolean
}
