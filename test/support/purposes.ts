import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TRANSACTION_KINDS } from '../../lib/compose.js'

const LIB = fileURLToPath(new URL('../../lib', import.meta.url))

/**
 * What encrypted values are for, by the folder that has them. They are in cookies, URLs and stores of running applications, so
 * none may ever change: it would make their values unreadable.
 */
const PURPOSES_OF: Readonly<Record<string, readonly string[]>> = {
  'features/oauth': ['state', 'pkce', 'nonce', 'posted-answer', 'proxy-state'],
  'features/passkeys': ['webauthn-challenge'],
  'features/email': ['email-request'],
  'sign-in': ['note', 'held-sign-in'],
  'features/password': ['password-link', 'stored-password'],
  'features/people': ['invitation', 'invitation-link'],
  'features/address': ['address-link'],
  'features/second-factor': ['second-factor', 'offered-second-factor', 'trusted-browser'],
  'features/security-events': ['security-events'],
  'features/account-tokens': ['account-token'],
  'features/linking': ['link-request'],
  'features/provider-logout': ['logout-state'],
}

/** Those of the folders that there are. */
export const PURPOSES: readonly string[] = Object.entries(PURPOSES_OF).flatMap(([folder, purposes]) =>
  existsSync(`${LIB}/${folder}`) ? purposes : [],
)

/** Those of values in a store. */
export const PURPOSES_IN_STORE: readonly string[] = [
  'held-sign-in',
  'account-token',
  'address-link',
  'password-link',
  'stored-password',
  'invitation',
  'second-factor',
  'trusted-browser',
  'security-events',
]

/** A purpose as the code has it, and the place. */
interface UsedPurpose {
  readonly purpose: string
  readonly place: string
  readonly isInStore: boolean
}

/** They make the encryption for purposes that others give. */
const GIVEN_PURPOSE = [
  'kernel/encrypted-values.ts',
  'sign-in/mailed-links.ts',
  'sign-in/records.ts',
  'sign-in/transaction-cookies.ts',
]
const CALL = /createValueEncryption\(([^)]*)\)/g
/** Records under a secret: the purpose is their kind, and they are in a store. */
const RECORDS = /create(?:SecretRecords|MailedLinks)<\w+>\(([^,]*),/g

/** Every purpose in the code of lib/. */
export function usedPurposes(): readonly UsedPurpose[] {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !GIVEN_PURPOSE.includes(file),
  )
  const given = files.flatMap((place) => {
    const code = readFileSync(`${LIB}/${place}`, 'utf8')
    // A call whose purpose is no plain text shows up in the comparison with the list.
    const named = (call: string) => /'([a-z-]+)'/.exec(call)?.[1] ?? `unknown: ${call}`
    const kindIn = (call: string) => (call === 'KIND' ? (/^const KIND = .*$/m.exec(code)?.[0] ?? call) : call)
    return [
      ...[...code.matchAll(CALL)].map(([, call = '']) => ({
        purpose: named(call),
        place,
        isInStore: call.includes('isInStore: true'),
      })),
      ...[...code.matchAll(RECORDS)].map(([, call = '']) => ({ purpose: named(kindIn(call)), place, isInStore: true })),
    ]
  })
  const ofTransactions = TRANSACTION_KINDS.flatMap(({ name, cookies }) =>
    Object.values(cookies).map(({ purpose }) => ({ purpose, place: name, isInStore: false })),
  )
  return [...given, ...ofTransactions]
}
