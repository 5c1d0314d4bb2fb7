import type { ClientErrorCode } from '../client/errors.js'
import type { PasskeyTexts } from '../client/passkeys.js'
import type { TextKey } from './texts/text.js'
import type { Words } from './texts/words.js'

type Keys = Readonly<Record<string, TextKey | null>>

const FAILED = 'passkey.error.failed'
const SERVER = 'passkey.error.server'

/** The text for each failure; null for none. */
const SIGN_IN = {
  aborted: null,
  'access-denied': 'passkey.error.accessDenied',
  'account-not-linked': 'passkey.error.accountNotLinked',
  'already-registered': 'passkey.error.alreadyRegistered',
  cancelled: 'passkey.error.cancelled',
  failed: FAILED,
  'no-authenticator': 'passkey.error.noAuthenticator',
  'not-allowed': 'passkey.error.notAllowed',
  // Only a sign-out can fail with these codes, and this page has no sign-out.
  'last-way-in': null,
  'not-ended': null,
  'not-verified': 'passkey.error.notVerified',
  offline: 'passkey.error.offline',
  refused: FAILED,
  'server-error': SERVER,
  'sign-in-again': 'passkey.error.recent',
  'session-changed': 'passkey.error.sessionChanged',
  'timed-out': 'passkey.error.timedOut',
  'unknown-provider': SERVER,
  unsupported: 'passkey.error.unsupported',
} as const satisfies Readonly<Record<ClientErrorCode, TextKey | null>>

/** The texts that are different when a passkey is made. */
const REGISTER: Keys = { cancelled: 'passkey.error.notCreated', refused: 'passkey.error.refused' }

/** The texts that the script of the sign-in page says. */
export function passkeyTexts({ say }: Words): PasskeyTexts {
  const inWords = (keys: Keys) =>
    Object.fromEntries(Object.entries(keys).map(([code, key]) => [code, key && say(key)])) as PasskeyTexts['signIn']
  const [waiting, signedIn] = [say('passkey.waiting'), say('passkey.signedIn')]
  return { waiting, signedIn, signIn: inWords(SIGN_IN), register: inWords(REGISTER) }
}
