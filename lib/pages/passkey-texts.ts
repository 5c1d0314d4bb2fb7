import type { PasskeyTexts } from '../client/passkeys.js'
import type { TextKey } from './texts/text.js'
import type { Words } from './texts/words.js'

const FAILED = 'passkey.error.failed'
const SERVER = 'passkey.error.server'

/** The text for each thing that the script of the sign-in page says; null for none. */
const KEYS = {
  waiting: 'passkey.waiting',
  signedIn: 'passkey.signedIn',
  signIn: {
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
  },
  register: { cancelled: 'passkey.error.notCreated', refused: 'passkey.error.refused' },
} as const satisfies TextsOf<TextKey>

type TextsOf<Value> = {
  [Part in keyof PasskeyTexts]: Part extends 'waiting' | 'signedIn' ? Value : Messages<Part, Value>
}
type Messages<Part extends keyof PasskeyTexts, Value> = {
  readonly [Code in keyof PasskeyTexts[Part]]: Value | null
}

/** The texts that the script of the sign-in page says. */
export const passkeyTexts = ({ say }: Words): PasskeyTexts => ({
  waiting: say(KEYS.waiting),
  signedIn: say(KEYS.signedIn),
  signIn: inWords(KEYS.signIn, say),
  register: inWords(KEYS.register, say),
})

const inWords = <Code extends string>(
  keys: Readonly<Record<Code, TextKey | null>>,
  say: Words['say'],
): Record<Code, string | null> =>
  Object.fromEntries(Object.entries<TextKey | null>(keys).map(([code, key]) => [code, key && say(key)])) as Record<
    Code,
    string | null
  >
