import { equalInConstantTime } from '../../kernel/digest.js'
import { AuthError, withoutDetails } from '../../kernel/errors.js'
import { isObject, parseObject } from '../../kernel/json-object.js'
import type { SimpleWebAuthn, SimpleWebAuthnOptions } from '../../providers/provider.js'
import type { Ceremony, Challenge } from './challenge.js'
import type { PasskeyRequest } from './dependencies.js'
import { refused } from './errors.js'
import { type Party, partyOf } from './hooks.js'
import { functionsOf } from './library.js'

/** What a browser says of the page that asked it (WebAuthn Level 3 §5.8.1). */
interface ClientData {
  readonly type: string
  readonly challenge: string
  readonly origin: string
  readonly crossOrigin?: unknown
  readonly topOrigin?: unknown
}

/** The answer of a browser, read and within its limits. Nothing of it has been verified. */
export interface Answer {
  /** The passkey's id, base64url. */
  readonly id: string
  readonly clientData: ClientData
  /** Base64url texts of the answer, as the library takes them. */
  readonly response: Readonly<Record<string, string>>
  /** How the authenticator can be reached; only with a new passkey. */
  readonly transports: readonly string[]
}

/**
 * Characters that the members of an answer may have. A certificate chain of a security module is the longest that is
 * known.
 */
const LIMITS = {
  clientDataJSON: 8192,
  attestationObject: 32_768,
  authenticatorData: 4096,
  signature: 8192,
  userHandle: 86,
} as const
/** 1023 bytes (WebAuthn Level 3 §5.1). */
const MAX_ID_LENGTH = 1364
const MAX_DATA_LENGTH = 48_000
const MAX_TRANSPORTS = 16

const REGISTERING = ['clientDataJSON', 'attestationObject'] as const
const AUTHENTICATING = ['clientDataJSON', 'authenticatorData', 'signature'] as const

/**
 * The answer in the `data` field of a callback, which is JSON text. Lengths are looked at before anything is decoded
 * (WEBAUTHN-23), and extension outputs are left out: nobody asked for any (WEBAUTHN-20).
 *
 * @returns null when the text is not such an answer
 */
export function parseAnswer(data: unknown): Answer | null {
  const parsed = typeof data === 'string' && data.length <= MAX_DATA_LENGTH ? parseObject(data) : null
  const response = parsed?.['response']
  if (!parsed || !isObject(response)) return null
  const { id, rawId, type } = parsed
  if (!isBase64url(id, MAX_ID_LENGTH) || id !== rawId || type !== 'public-key') return null
  const names = 'attestationObject' in response ? REGISTERING : AUTHENTICATING
  if (!names.every((name) => isBase64url(response[name], LIMITS[name]))) return null
  // Absent, null or empty where the authenticator does not know the person.
  const handle = response['userHandle'] || undefined
  if (handle !== undefined && !isBase64url(handle, LIMITS.userHandle)) return null
  const clientData = parseClientData(String(response['clientDataJSON']))
  if (!clientData) return null
  const kept = Object.fromEntries(names.map((name) => [name, String(response[name])]))
  return {
    id,
    clientData,
    response: typeof handle === 'string' ? { ...kept, userHandle: handle } : kept,
    transports: transportsOf(response['transports']),
  }
}

/** Bytes of a base64url text. */
export const bytesOf = (base64url: string): Uint8Array => new Uint8Array(Buffer.from(base64url, 'base64url'))

function parseClientData(base64url: string): ClientData | null {
  const parsed = parseObject(Buffer.from(base64url, 'base64url').toString('utf8'))
  if (!parsed) return null
  const { type, challenge, origin } = parsed
  const isComplete = typeof type === 'string' && isBase64url(challenge, 512) && typeof origin === 'string'
  return isComplete ? (parsed as unknown as ClientData) : null
}

/** The store joins transports by commas, so the name of a transport must not have a comma. */
const transportsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.slice(0, MAX_TRANSPORTS).filter((name) => typeof name === 'string' && /^[a-z0-9-]{1,32}$/.test(name))
    : []

/** Whether a text is the only base64url text of its bytes: then two different texts are two different ids. */
function isBase64url(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength || !/^[A-Za-z0-9_-]+$/.test(value))
    return false
  return Buffer.from(value, 'base64url').toString('base64url') === value
}

const TYPES: Readonly<Record<Ceremony, string>> = { register: 'webauthn.create', authenticate: 'webauthn.get' }

/** An answer that ends a ceremony. */
export interface Finishing extends PasskeyRequest {
  readonly answer: Answer
  readonly challenge: Challenge
}

/**
 * Verifies an answer. Every error of a check becomes one kind of refusal.
 *
 * @param options of the provider, for the library
 * @param check makes the checks that the library does not make, and calls it
 * @throws {WebAuthnVerificationError} whose cause says what was wrong
 */
export async function verified<T>(
  at: Finishing,
  options: SimpleWebAuthnOptions,
  check: (library: SimpleWebAuthn, asked: SimpleWebAuthnOptions) => Promise<T>,
): Promise<T> {
  const { provider, answer, challenge } = at
  const party = partyOf(at, 'callback')
  const library = await functionsOf(provider)
  try {
    checkClientData(at, party, options)
    return await check(library, {
      ...options,
      response: libraryAnswer(answer),
      expectedType: TYPES[challenge.ceremony],
      expectedChallenge: challenge.challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: challenge.userVerification,
    })
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw refused(provider, `a passkey was refused: ${err.message}`, err)
  }
}

/** The answer as the library takes it: without extension outputs, since none were asked for. */
const libraryAnswer = ({ id, response, transports }: Answer) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  response: { ...response, transports: [...transports] },
  clientExtensionResults: {},
})

/**
 * Compares what a browser says of the page with the ceremony. The library compares it again, but accepts an answer from
 * a frame within another site. Here such an answer is refused unless that site is configured (WEBAUTHN-05).
 *
 * @throws {Error} when something is not as it must be
 */
function checkClientData(
  { answer: { clientData }, challenge: { challenge, ceremony } }: Finishing,
  { origins }: Party,
  { expectedTopOrigin }: SimpleWebAuthnOptions,
): void {
  const { type, origin, crossOrigin, topOrigin } = clientData
  if (type !== TYPES[ceremony]) throw new Error(`the type of the answer is not ${TYPES[ceremony]}`)
  if (!equalInConstantTime(clientData.challenge, challenge)) throw new Error('the challenge of the answer is another')
  if (!origins.includes(origin)) {
    throw new Error(`the answer is from an origin that is not one of ${origins.join(', ')}; set relayingParty.origin`)
  }
  const isFramed = (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
  if (!isFramed) return
  const accepted: unknown[] = [expectedTopOrigin ?? []].flat()
  if (crossOrigin !== true || typeof topOrigin !== 'string' || !accepted.includes(topOrigin)) {
    throw new Error('the answer is from a frame within another site; set expectedTopOrigin if that is meant')
  }
}
