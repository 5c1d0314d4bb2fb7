import type { ErrorType } from '../kernel/errors.js'
import type { AccountChange } from './account-change.js'

/** What a security event is about. Later versions may have further types. */
export type SecurityEventType =
  | 'sign-in'
  | 'sign-in-failed'
  | 'second-factor-failed'
  | 'limit-reached'
  | 'acting-refused'
  | 'sign-out'
  | 'account-linked'
  | 'passkey-added'
  | AccountChange['kind']

/**
 * Something that matters for the security of an account, ready for `JSON.stringify`. Every member is always there; later versions may
 * add members, and change none. It has no secret, nothing that somebody entered, and no id of an account at a provider.
 */
export interface SecurityEvent {
  readonly type: SecurityEventType
  /** When, in UTC: `2026-11-29T12:00:00.000Z` (ISO 8601). Of several, the last time. */
  readonly at: string
  /** Id of the user whose account it is about; null if nobody knows. */
  readonly userId: string | null
  /** Id of the administrator who acts as the user; null where nobody does, and in the list of a person. */
  readonly actorId: string | null
  /** Id of the provider, as configured; null for none. */
  readonly provider: string | null
  /**
   * How many there were: sessions that ended, browsers that are not trusted any more, or failures that were put together in the list
   * of a person. 1 for all else.
   */
  readonly count: number
  /** Of a failure, the `type` of its error, such as `CredentialsSignin`; null for all else. */
  readonly reason: ErrorType | null
  /** How somebody has signed in, in the words of RFC 8176, such as `otp`; empty where nothing is known beyond one factor. */
  readonly amr: readonly string[]
  /** 2 for a sign-in with two factors, 1 where a trusted browser stood in for the second one; null where nothing is known. */
  readonly factors: 1 | 2 | null
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known, and with `session.devices: false`. */
  readonly browser: string | null
  /** The system that the browser runs on, such as `Windows`; null like `browser`. */
  readonly system: string | null
  /** The network of the client without the host bits, such as `203.0.113.0/24`; null like `browser`. */
  readonly network: string | null
}
