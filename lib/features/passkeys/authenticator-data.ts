import { CborError, readItem, readOnlyItem } from './cbor.js'

/** What an authenticator says of itself and of the person in front of it (WebAuthn Level 3 §6.1). */
export interface AuthenticatorData {
  /** A person was there. */
  readonly userPresent: boolean
  /** The person was verified, by fingerprint, face or PIN. */
  readonly userVerified: boolean
  /** The passkey may be copied to other devices; never changes. */
  readonly backupEligible: boolean
  /** The passkey was copied to other devices. */
  readonly backedUp: boolean
  readonly counter: number
  /** Only with a new passkey. */
  readonly credential: { readonly aaguid: string; readonly id: Uint8Array } | null
}

/** A new passkey's attestation. */
export interface Attestation {
  /** `none`, `packed`, … */
  readonly format: string
  /** Whether certificates came with it. */
  readonly hasCertificates: boolean
  readonly data: AuthenticatorData
}

const FIXED_LENGTH = 37
const MAX_CREDENTIAL_ID_BYTES = 1023
const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  credential: 0x40,
  extensions: 0x80,
}

/**
 * Reads authenticator data strictly. The library reads the data again when it verifies them, and is less strict in what
 * it accepts: docs/decisions/17-passkeys.md.
 *
 * @throws {Error} when it is malformed or contradicts itself
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < FIXED_LENGTH) throw new CborError('the authenticator data is too short')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const flags = view.getUint8(32)
  const has = (flag: keyof typeof FLAGS) => (flags & FLAGS[flag]) !== 0
  if (has('backedUp') && !has('backupEligible')) {
    throw new Error('the authenticator says that a passkey is backed up which cannot be')
  }
  let end = FIXED_LENGTH
  let credential: AuthenticatorData['credential'] = null
  if (has('credential')) {
    if (bytes.length < FIXED_LENGTH + 18) throw new CborError('the authenticator data is too short')
    const length = view.getUint16(FIXED_LENGTH + 16)
    if (length < 1 || length > MAX_CREDENTIAL_ID_BYTES) {
      throw new Error(`a passkey's id has 1 to ${MAX_CREDENTIAL_ID_BYTES} bytes, not ${length}`)
    }
    const start = FIXED_LENGTH + 18
    end = start + length
    if (bytes.length < end) throw new CborError('the authenticator data is too short')
    credential = { aaguid: uuid(bytes.subarray(FIXED_LENGTH, FIXED_LENGTH + 16)), id: bytes.slice(start, end) }
    end = readItem(bytes, end).end
  }
  if (has('extensions')) end = readItem(bytes, end).end
  if (end !== bytes.length) throw new CborError('bytes follow the authenticator data')
  return {
    userPresent: has('userPresent'),
    userVerified: has('userVerified'),
    backupEligible: has('backupEligible'),
    backedUp: has('backedUp'),
    counter: view.getUint32(33),
    credential,
  }
}

/**
 * Reads an attestation object strictly.
 *
 * @throws {Error} when it is malformed
 */
export function readAttestation(bytes: Uint8Array): Attestation {
  const { value: members } = readOnlyItem(bytes)
  if (!(members instanceof Map) || members.size !== 3) throw new CborError('the attestation is no map of three')
  const format: unknown = members.get('fmt')?.value
  const statement: unknown = members.get('attStmt')?.value
  const data: unknown = members.get('authData')?.value
  if (typeof format !== 'string' || !(statement instanceof Map) || !(data instanceof Uint8Array)) {
    throw new CborError('the attestation has no fmt, attStmt or authData')
  }
  return {
    format,
    hasCertificates: statement.has('x5c') || format === 'android-safetynet',
    data: readAuthenticatorData(data),
  }
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
