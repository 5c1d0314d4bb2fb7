import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { AuthError } from '../../kernel/errors.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'

/** Options of {@link softwareAuthenticator}. */
export interface SoftwareAuthenticatorOptions {
  /** Origin of the page that asks for passkeys: `http://localhost:3000`. */
  readonly origin: string
  /** Whether finger, face or PIN are the owner's; true by default. */
  readonly userVerified?: boolean
}

/** Names one passkey (WebAuthn Level 3 §5.8.3). */
export interface PasskeyDescriptor {
  /** Base64url. */
  readonly id: string
}

/** Options that make a passkey, as JSON; further members are ignored (WebAuthn Level 3 §5.4). */
export interface PasskeyCreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string; readonly name: string }
  readonly pubKeyCredParams: readonly { readonly alg: number }[]
  readonly excludeCredentials?: readonly PasskeyDescriptor[]
  readonly authenticatorSelection?: { readonly userVerification?: string }
}

/** Options that use a passkey, as JSON; further members are ignored (WebAuthn Level 3 §5.5). */
export interface PasskeyRequestOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly allowCredentials?: readonly PasskeyDescriptor[]
  readonly userVerification?: string
}

/** The answer of a browser, as JSON; all bytes are base64url (WebAuthn Level 3 §5.1). */
export interface PasskeyAnswer {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly authenticatorAttachment: 'platform'
  readonly clientExtensionResults: Readonly<Record<string, never>>
  readonly response: Readonly<Record<string, string | readonly string[]>>
}

/** A passkey that an authenticator keeps. */
export interface TestPasskey {
  /** Base64url. */
  readonly id: string
  readonly rpId: string
  /** The id of the user that the site gave; base64url. */
  readonly userHandle: string
  /** The name that the site gave, usually an address. */
  readonly userName: string
}

/** A browser with an authenticator, in software. */
export interface SoftwareAuthenticator {
  /** All passkeys, oldest first. */
  readonly passkeys: readonly TestPasskey[]
  /** Whether finger, face or PIN are the owner's from now on. */
  userVerified: boolean
  /**
   * Answers `/auth/webauthn-options/…`.
   *
   * @param body the answer of the application, read as JSON
   * @returns the fields of the form that is posted to the callback of the provider
   * @throws {AuthError} if the body has no options; {@link DOMException} as the two methods below
   */
  answer(body: unknown): { readonly action: 'register' | 'authenticate'; readonly data: string }
  /**
   * Makes a passkey, as `navigator.credentials.create` does.
   *
   * @throws {DOMException} as a browser does: `InvalidStateError` if the site knows a passkey of this authenticator already,
   *   `NotAllowedError` if the person cannot be verified, `SecurityError` for an id that the origin may not have
   */
  create(options: PasskeyCreationOptions): PasskeyAnswer
  /**
   * Uses the newest passkey that the site accepts, as `navigator.credentials.get` does.
   *
   * @throws {DOMException} as a browser does: `NotAllowedError` if there is none, or the person cannot be verified
   */
  get(options: PasskeyRequestOptions): PasskeyAnswer
}

interface StoredPasskey extends TestPasskey {
  readonly privateKey: KeyObject
}

/** COSE number of ES256 (RFC 9053 §2.1). */
const ES256 = -7
/** Bits of authenticator data (WebAuthn Level 3 §6.1). The passkeys count as those that a person has on all devices. */
const FLAGS = { present: 0x01, verified: 0x04, backupEligible: 0x08, backedUp: 0x10, newCredential: 0x40 } as const

/**
 * Makes an authenticator for tests without a browser. It keeps its passkeys in memory, and signs with ES256.
 *
 * @throws {AuthError} if `origin` is not an origin
 */
export function softwareAuthenticator(options: SoftwareAuthenticatorOptions): SoftwareAuthenticator {
  if (!isAbsoluteUrl(options.origin)) throw new AuthError('`origin` must be an origin, such as http://localhost:3000.')
  const { origin, hostname } = new URL(options.origin)
  const passkeys: StoredPasskey[] = []

  function requireRpId(id: string | undefined): string {
    const rpId = id ?? hostname
    const isAddress = /^[\d.]+$|^\[/.test(rpId)
    if (!isAddress && (hostname === rpId || hostname.endsWith(`.${rpId}`))) return rpId
    throw new DOMException(`A page of ${origin} may not have passkeys of "${rpId}".`, 'SecurityError')
  }

  function requirePerson(verification: string | undefined): void {
    if (verification === 'required' && !authenticator.userVerified)
      throw new DOMException('The person could not be verified.', 'NotAllowedError')
  }

  /** Authenticator data: digest of the id, flags, a counter that stays at 0, and the data of a new passkey. */
  function authenticatorData(rpId: string, more: number, credential: Uint8Array = Buffer.alloc(0)): Buffer {
    const verified = authenticator.userVerified ? FLAGS.verified : 0
    const flags = FLAGS.present | verified | FLAGS.backupEligible | FLAGS.backedUp | more
    return Buffer.concat([digest(rpId), Buffer.from([flags, 0, 0, 0, 0]), credential])
  }

  const clientData = (type: 'webauthn.create' | 'webauthn.get', challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  const authenticator: SoftwareAuthenticator = {
    passkeys,
    userVerified: options.userVerified ?? true,
    answer(body) {
      const { action, options: asked } = (body ?? {}) as { readonly action?: unknown; readonly options?: unknown }
      if ((action !== 'register' && action !== 'authenticate') || typeof asked !== 'object' || asked === null)
        throw new AuthError(`The application gave no options for a passkey, but ${JSON.stringify(body)}.`)
      const answer =
        action === 'register'
          ? authenticator.create(asked as PasskeyCreationOptions)
          : authenticator.get(asked as PasskeyRequestOptions)
      return { action, data: JSON.stringify(answer) }
    },
    create({ challenge, rp, user, pubKeyCredParams, excludeCredentials = [], authenticatorSelection }) {
      const rpId = requireRpId(rp.id)
      if (!pubKeyCredParams.some(({ alg }) => alg === ES256))
        throw new DOMException('The site does not accept ES256.', 'NotSupportedError')
      if (passkeys.some((one) => one.rpId === rpId && excludeCredentials.some(({ id }) => id === one.id)))
        throw new DOMException('The authenticator has a passkey of this user already.', 'InvalidStateError')
      requirePerson(authenticatorSelection?.userVerification)

      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const id = randomBytes(16)
      passkeys.push({ id: base64url(id), rpId, userHandle: user.id, userName: user.name, privateKey })
      // No AAGUID: sixteen zeros.
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(coseKey(publicKey))])
      const attestation = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authenticatorData(rpId, FLAGS.newCredential, credential)],
        ]),
      )
      return answerOf(base64url(id), {
        clientDataJSON: base64url(clientData('webauthn.create', challenge)),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      })
    },
    get({ challenge, rpId: wanted, allowCredentials = [], userVerification }) {
      const rpId = requireRpId(wanted)
      const isAllowed = ({ id }: TestPasskey) =>
        allowCredentials.length === 0 || allowCredentials.some((allowed) => allowed.id === id)
      const passkey = passkeys.findLast((one) => one.rpId === rpId && isAllowed(one))
      if (!passkey) throw new DOMException('The authenticator has no passkey that the site accepts.', 'NotAllowedError')
      requirePerson(userVerification)
      const data = authenticatorData(rpId, 0)
      const client = clientData('webauthn.get', challenge)
      return answerOf(passkey.id, {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(sign('sha256', Buffer.concat([data, digest(client)]), passkey.privateKey)),
        userHandle: passkey.userHandle,
      })
    },
  }
  return authenticator
}

const answerOf = (id: string, response: PasskeyAnswer['response']): PasskeyAnswer => ({
  id,
  rawId: id,
  type: 'public-key',
  authenticatorAttachment: 'platform',
  clientExtensionResults: {},
  response,
})

/** A public key as COSE has it (RFC 9053 §7.1.1): kind, algorithm, curve, and the two coordinates. */
function coseKey(publicKey: KeyObject): Cbor {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return new Map<number, Cbor>([
    [1, 2],
    [3, ES256],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const digest = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

/** What {@link cbor} writes. Numbers are integers from -65 536 to 65 535. */
export type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>

/** CBOR of a value, as far as an authenticator needs it (RFC 8949 §3). Members of a map are in the order of the map. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

/** The first bytes of an item: its major type, and its number or length. */
function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument])
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument])
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255])
}
