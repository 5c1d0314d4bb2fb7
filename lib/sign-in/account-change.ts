import type { AccountNoticeKind } from '../providers/provider.js'

/** Told as what was added: `Arrived`. */
type Addition = 'account-linked' | 'passkey-added'

/** What is told to nobody by mail: code or an administrator of the application did it, or the person has just seen it. */
const QUIET = [
  'password-set',
  'user-disabled',
  'session-ended',
  'token-issued',
  'token-revoked',
  'browser-trusted',
  'browser-trust-ended',
  'acting-began',
  'acting-ended',
] as const

/** As the list of it: the owner gets no mail. */
export type QuietChange = (typeof QUIET)[number]

/** Something of an account that was changed, beside what was added to it. */
export interface AccountChange {
  readonly kind: Exclude<AccountNoticeKind, Addition> | QuietChange
  readonly userId: string
  /** Id of the administrator who acts as the user; absent where nobody does. */
  readonly actorId?: string
  /** Id of the provider whose account it was; absent for all else. */
  readonly provider?: string
  /** How many sessions have ended, or how many browsers are not trusted any more; absent for one. */
  readonly count?: number
  /** Whether all sessions were to end, perhaps because of a thief: then trusted browsers and sign-ins that wait end as well. */
  readonly isEverywhere?: true
  /**
   * Whether the owner does not read that the other sessions have ended, as after other changes of this kind: they go on, or all have
   * ended.
   */
  readonly namesNoSessions?: true
  /** Where the owner is told: an address that was replaced, that of a deleted user. By default it is looked up. */
  readonly email?: string
  /** When it will be done; absent for what is done. */
  readonly at?: Date
  /** Where the owner can do something against it, without a secret in it. */
  readonly remedyUrl?: string
}

/** Whether its owner gets no mail about a change. */
export const isQuiet = (kind: AccountChange['kind']): kind is QuietChange => (QUIET as readonly string[]).includes(kind)

/**
 * After these, what was begun before counts no more: mailed links, sign-ins that wait, browsers that are trusted. Whoever makes such a
 * change may want to keep somebody out who was in.
 */
export const ENDING_CHANGES: ReadonlySet<AccountChange['kind']> = new Set([
  'password-changed',
  'password-removed',
  'password-set',
  'address-changed',
  'address-removed',
  'primary-address-changed',
  'user-disabled',
])
