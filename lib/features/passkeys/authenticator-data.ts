import type { Authentication } from '../../sessions/authentication.js'

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

/** Whoever unlocks a passkey has it, and knows its PIN or has its finger: two factors. One that is synced is in software. */
export function authenticationBy({ backupEligible, userVerified }: AuthenticatorData): Authentication {
  const key = backupEligible ? 'swk' : 'hwk'
  return userVerified ? { factors: 2, amr: [key, 'user'] } : { amr: [key] }
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

/** Attestation statements have a list of certificates in a map in a map. Nothing that is needed is deeper. */
const MAX_DEPTH = 4

/** A CBOR item and where it ends. Texts, numbers, byte strings and maps are read; everything else is only measured. */
interface CborItem {
  readonly value: string | number | Uint8Array | ReadonlyMap<unknown, CborItem> | null
  readonly start: number
  readonly end: number
}

/** Thrown for bytes that are not strict CBOR. */
class CborError extends Error {
  override readonly name = 'CborError'
}

/**
 * The one item that bytes hold.
 *
 * @throws {CborError} when they are malformed, go on after it, repeat a key, or nest too deeply
 */
function readOnlyItem(bytes: Uint8Array): CborItem {
  const item = readItem(bytes, 0)
  if (item.end !== bytes.length) throw new CborError('bytes follow the CBOR item')
  return item
}

/**
 * The item at a position, in the part of CTAP2's canonical subset that excludes ambiguity: only definite lengths, and
 * no key twice. Decoders read other forms differently, so one could verify other values than another one stores.
 *
 * @throws {CborError} when it is malformed
 * @see CTAP 2.2 §8, RFC 8949 §5.6
 */
function readItem(bytes: Uint8Array, start: number, depth = 0): CborItem {
  if (depth > MAX_DEPTH) throw new CborError('the CBOR is nested too deeply')
  const { major, argument, next } = readHead(bytes, start)
  switch (major) {
    case 0:
      return { value: argument, start, end: next }
    case 1:
      return { value: -1 - argument, start, end: next }
    case 2:
    case 3: {
      const end = next + argument
      if (end > bytes.length) throw truncated()
      const slice = bytes.subarray(next, end)
      return { value: major === 2 ? slice : text(slice), start, end }
    }
    case 4: {
      let end = next
      for (let index = 0; index < argument; index++) end = readItem(bytes, end, depth + 1).end
      return { value: null, start, end }
    }
    case 5:
      return { ...readMap(bytes, next, argument, depth), start }
    case 7:
      return { value: null, start, end: next }
    default:
      throw new CborError('CBOR tags have no place here')
  }
}

function readMap(bytes: Uint8Array, start: number, pairs: number, depth: number) {
  const members = new Map<unknown, CborItem>()
  let end = start
  for (let index = 0; index < pairs; index++) {
    const key = readItem(bytes, end, depth + 1)
    if (typeof key.value !== 'string' && typeof key.value !== 'number')
      throw new CborError('a CBOR key is no text or number')
    if (members.has(key.value)) throw new CborError('a CBOR key comes twice')
    const member = readItem(bytes, key.end, depth + 1)
    members.set(key.value, member)
    end = member.end
  }
  return { value: members, end }
}

/** Bytes that the argument of a head takes, by the low bits of its first byte. */
const ARGUMENT_BYTES: Readonly<Record<number, number>> = { 24: 1, 25: 2, 26: 4, 27: 8 }

function readHead(bytes: Uint8Array, at: number) {
  const first = bytes[at]
  if (first === undefined) throw truncated()
  const [major, low] = [first >> 5, first & 31]
  if (low < 24) return { major, argument: low, next: at + 1 }
  const size = ARGUMENT_BYTES[low]
  if (size === undefined) throw new CborError('a CBOR length is indefinite or reserved')
  const next = at + 1 + size
  if (next > bytes.length) throw truncated()
  let argument = 0
  for (let index = at + 1; index < next; index++) argument = argument * 256 + (bytes[index] ?? 0)
  if (!Number.isSafeInteger(argument) && major !== 7) throw new CborError('a CBOR number is too large')
  return { major, argument, next }
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CborError('a CBOR text is not UTF-8')
  }
}

const truncated = () => new CborError('the CBOR ends too early')
