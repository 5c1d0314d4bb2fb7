import { createHmac } from 'node:crypto'
import { deriveKey } from '../../kernel/keys.js'
import type { OneTimeLedger } from '../../kernel/one-time.js'
import type { ResolvedWebAuthnProvider } from '../../providers/provider.js'
import type { Parts } from '../../sign-in/feature.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { Visit } from '../../sign-in/visit.js'

/** What the flow of passkeys needs of a configuration. */
export interface WebAuthnFlowSettings extends Pick<Parts, 'store' | 'secrets' | 'transactions' | 'now' | 'logger'> {
  /** Seconds since the sign-in, at most, for a user who adds a passkey. */
  readonly recentAuthAge: number
}

/** A request to a passkey provider, and what the ceremonies work with. */
export interface PasskeyRequest extends WebAuthnFlowSettings {
  readonly request: Visit
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
export const keepsDetails = ({ store }: Pick<PasskeyRequest, 'store'>): boolean => store.has('updateAuthenticator')

/** Converts base64, as stores hold it, to base64url, as browsers send it. */
export const toBase64url = (base64: string): string => Buffer.from(base64, 'base64').toString('base64url')

/** Converts base64url to base64. */
export const toBase64 = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('base64')

/** A ceremony with a passkey. */
export const PASSKEY_TRANSACTION: TransactionKind = {
  name: 'passkey',
  cookies: { webauthnChallenge: { name: 'authjs.challenge', purpose: 'webauthn-challenge' } },
  secretOption: 'jwt.secret',
  isOffered: true,
  makesRoom: true,
}

/** A passkey as options name it. */
export interface CredentialDescriptor {
  /** Base64url. */
  readonly id: string
  readonly type: 'public-key'
  readonly transports?: readonly string[]
}

/** Bytes of an id and transports, as common authenticators have them. */
const SHAPES = [
  { bytes: 20, transports: ['internal', 'hybrid'] },
  { bytes: 16, transports: ['hybrid', 'internal'] },
  { bytes: 32, transports: ['internal'] },
  { bytes: 16, transports: ['internal', 'hybrid'] },
] as const

/**
 * Makes passkeys that do not exist, for people who are not known here: always the same for the same name, so that
 * asking twice reveals nothing (WEBAUTHN-21). A user without passkeys gets them, too.
 *
 * @param secrets one of them makes the passkeys, the same one in every order of the secrets. So while a secret is
 *   rotated, the passkeys change once, and not at each step
 */
export function createDecoys(secrets: readonly string[]): (name: string) => CredentialDescriptor[] {
  const [chosen] = secrets
    .map((secret) => deriveKey(secret, 'latchkey:webauthn-decoy', 'A256GCM'))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  const key = chosen?.bytes ?? ''
  const digest = (name: string, index: number) => createHmac('sha256', key).update(`${index} ${name}`).digest()
  return (name) => {
    const [first = 0] = digest(name, 0)
    // Most people have one passkey; one in four has two.
    const count = first % 4 === 0 ? 2 : 1
    return Array.from({ length: count }, (_, index) => {
      const [choice = 0] = digest(name, 10 + index)
      const { bytes, transports } = SHAPES[choice % SHAPES.length] ?? SHAPES[0]
      const id = digest(name, 20 + index)
        .subarray(0, bytes)
        .toString('base64url')
      return { id, type: 'public-key', transports: [...transports] }
    })
  }
}
