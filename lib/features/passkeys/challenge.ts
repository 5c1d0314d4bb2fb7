import type { CookieChange } from '../../kernel/cookies.js'
import { equalInConstantTime, sha256Base64url } from '../../kernel/digest.js'
import { AuthError } from '../../kernel/errors.js'
import { inMinutes, validityMessage } from '../../kernel/one-time.js'
import type { User } from '../../providers/provider.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { FoundTransaction } from '../../sign-in/transaction-cookies.js'
import { PASSKEY_TRANSACTION, type PasskeyRequest } from './dependencies.js'
import { refused } from './errors.js'

/** What a browser is asked to do: to make a passkey, or to prove that it has a passkey. */
export type Ceremony = 'register' | 'authenticate'

/** What a ceremony that was begun must end with. */
export interface Challenge {
  /** Random, base64url. */
  readonly challenge: string
  readonly ceremony: Ceremony
  /** Id of the user who adds a passkey; null for somebody who signs up, and for a proof. */
  readonly userId: string | null
  /** {@link shortDigest} of the user whose passkey must answer a proof; null when any user's may. */
  readonly owner: string | null
  /** Whether the person must be verified. It is decided when the ceremony begins, never by the answer. */
  readonly userVerification: boolean
  /** {@link shortDigest} of each passkey that may answer; empty when any may. */
  readonly allowed: readonly string[]
  /** Of a registration. */
  readonly registration?: {
    /** Who signs up; null when somebody who is signed in adds a passkey. */
    readonly user: User | null
    /** What the authenticator will know the user by, base64. */
    readonly userHandle: string
    /** COSE numbers of the signatures that were offered. */
    readonly algorithms: readonly number[]
    /** Whether the browser may make the passkey without a dialog, so that nobody need be present (§5.1.3). */
    readonly isConditional: boolean
  }
}

/** How long a ceremony can be completed (WEBAUTHN-01). The `timeout` of the browser is an option of the provider. */
const LIFETIME_SECONDS = 10 * 60
/** Browsers drop a cookie of more than 4096 bytes, its name and attributes included. */
const MAX_COOKIE_LENGTH = 3800

/** What the cookie holds. The names are short because browsers and proxies limit the sum of all cookies. */
interface CookieContent {
  /** Challenge. */
  readonly c: string
  /** Kind of ceremony. */
  readonly k: Ceremony
  /** Provider. */
  readonly p: string
  /** Begun at, in milliseconds since the epoch. */
  readonly t: number
  /** User id. */
  readonly u: string | null
  /** Owner. */
  readonly o: string | null
  /** User verification. */
  readonly v: boolean
  /** Digests of the allowed passkeys. */
  readonly a: readonly string[]
  /** Registration: user, handle, algorithms, conditional. */
  readonly r?: readonly [User | null, string, readonly number[], boolean?]
}

/**
 * A short digest by which a cookie names a passkey or a user. All digests have the same length, so the length of the
 * cookie reveals nothing (WEBAUTHN-21).
 */
export const shortDigest = (id: string): string => sha256Base64url(id).slice(0, 11)

const referenceTo = (challenge: string) => ({ kind: PASSKEY_TRANSACTION, id: sha256Base64url(challenge) })

/** What a ceremony is begun with. */
type Beginning = Pick<PasskeyRequest, 'provider' | 'transactions' | 'now'> & { readonly request: CookieRequest }

/**
 * The cookie of a new ceremony. Each ceremony has its own cookie, so that two tabs do not disturb each other.
 *
 * @throws {AuthError} when `getUserInfo()` gave more than a cookie can hold
 */
export function saveChallenge(
  { request, provider, transactions, now }: Beginning,
  { challenge, ceremony, userId, owner, userVerification, allowed, registration }: Challenge,
): readonly CookieChange[] {
  const content: CookieContent = {
    c: challenge,
    k: ceremony,
    p: provider.id,
    t: now(),
    u: userId,
    o: owner,
    v: userVerification,
    a: allowed,
    ...(registration && {
      r: [registration.user, registration.userHandle, registration.algorithms, registration.isConditional],
    }),
  }
  const cookies = transactions.open(request, {
    ...referenceTo(challenge),
    contents: { webauthnChallenge: content },
    lifetimeSeconds: LIFETIME_SECONDS,
    maxAge: LIFETIME_SECONDS,
  })
  if (cookies.some(({ value }) => value.length > MAX_COOKIE_LENGTH)) {
    throw new AuthError(`Provider "${provider.id}": getUserInfo() gave more of a user than a cookie can hold.`)
  }
  return cookies
}

/** What the browser has of the ceremony that a challenge belongs to. */
export const findChallenge = ({ request, transactions }: PasskeyRequest, challenge: string): FoundTransaction =>
  transactions.find(request, referenceTo(challenge))

/**
 * The ceremony that an answer with this challenge ends. It can be taken once, whether the answer is accepted or not.
 *
 * @param found what {@link findChallenge} gave for the challenge
 * @throws {WebAuthnVerificationError} when the browser has no such ceremony, or the ceremony has expired, was answered
 *   before, or is of another kind or provider
 */
export function takeChallenge(
  { provider, used, now }: PasskeyRequest,
  challenge: string,
  ceremony: Ceremony,
  { readings }: FoundTransaction,
): Challenge {
  const unfit = (why: string) => refused(provider, `the ceremony ${why}.`)
  const { webauthnChallenge: reading } = readings
  if (reading?.state === 'out-of-time') throw unfit(validityMessage(reading.outOfTime, LIFETIME_SECONDS))
  if (reading?.state === 'unknown-secret')
    throw refused(provider, "the ceremony's cookie was made with a secret that this process does not have.")
  if (reading?.state !== 'valid')
    throw unfit('was not begun in this browser, has ended, or its cookie was lost or damaged')
  const content = reading.content as CookieContent
  if (!equalInConstantTime(content.c, challenge)) throw unfit('is another than that of its cookie')
  const expiresAt = content.t + LIFETIME_SECONDS * 1000
  // The challenge is used up before anything is verified: after a wrong answer the visitor begins again.
  if (!used.consume(challenge, expiresAt)) throw unfit('was answered already')
  if (expiresAt <= now()) throw unfit(`took longer than ${inMinutes(LIFETIME_SECONDS)}`)
  if (content.p !== provider.id || content.k !== ceremony) throw unfit('is of another kind or provider')
  const [user, userHandle, algorithms, isConditional = false] = content.r ?? []
  return {
    challenge,
    ceremony,
    userId: content.u,
    owner: content.o,
    userVerification: content.v,
    allowed: content.a,
    ...(userHandle !== undefined &&
      algorithms !== undefined && { registration: { user: user ?? null, userHandle, algorithms, isConditional } }),
  }
}
