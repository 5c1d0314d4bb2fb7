import type { Store } from '../../adapters/gateway.js'
import type { Log } from '../../kernel/logger.js'
import type { OneTimeLedger } from '../../kernel/one-time.js'
import type { ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { TransactionCookies } from '../../sign-in/transaction-cookies.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { CredentialDescriptor } from './decoys.js'

/** What the flow of passkeys needs of a configuration. */
export interface WebAuthnFlowSettings {
  readonly store: Store
  /** At least one. */
  readonly secrets: readonly string[]
  readonly transactions: TransactionCookies
  /** Seconds since the sign-in, at most, for a user who adds a passkey. */
  readonly recentAuthAge: number
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What the ceremonies work with; made once per provider. */
export interface WebAuthnDependencies extends WebAuthnFlowSettings {
  readonly provider: ResolvedWebAuthnProvider
  /** Challenges that were answered. */
  readonly used: OneTimeLedger
  readonly decoys: (name: string) => CredentialDescriptor[]
  /** Counters that passkeys have shown here: two answers with one counter are a passkey and its copy. */
  readonly counters: OneTimeLedger
  /** Names that passkeys got a moment ago, by user, so that two passkeys made at once get different names. */
  readonly names: OneTimeLedger
}

/** Whether the adapter keeps the members of a passkey that Auth.js does not know. */
export const keepsDetails = ({ store }: Pick<WebAuthnDependencies, 'store'>): boolean =>
  store.has('updateAuthenticator')

/** Converts base64, as stores hold it, to base64url, as browsers send it. */
export const toBase64url = (base64: string): string => Buffer.from(base64, 'base64').toString('base64url')

/** Converts base64url to base64. */
export const toBase64 = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64')

/** A ceremony with a passkey. */
export const PASSKEY_TRANSACTION: TransactionKind = {
  name: 'passkey',
  cookies: {
    webauthnChallenge: { name: 'authjs.challenge', purpose: 'webauthn-challenge' },
  },
  secretOption: 'jwt.secret',
  timeUnitMs: 1,
  isOffered: true,
  makesRoom: true,
}
