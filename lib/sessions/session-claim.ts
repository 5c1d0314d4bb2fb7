import type { ProviderSession } from '../adapters/adapter.js'
import type { JWT } from '../kernel/claims.js'
import { sha256Base64url } from '../kernel/digest.js'
import { textOf } from '../kernel/json-object.js'
import { randomToken } from '../kernel/random.js'
import { type Authentication, authenticationIn } from './authentication.js'

/** What all tokens of one session say about the session. */
export interface SessionClaim {
  /** Id of the session. Renewals and updates write new tokens with the same id, so a sign-out ends all of them. */
  readonly id: string
  /** A digest that is the same in all sessions of one person; null if the person is unknown. In the claim it is `subject`. */
  readonly personDigest: string | null
  /** When the user signed in, milliseconds since the epoch; null if that is unknown. */
  readonly authenticatedAt: number | null
  /** Id of the user, if their address was unconfirmed when the session began. */
  readonly unconfirmed?: string
  /** What the sign-in decided about the lifetime of the session. */
  readonly lifetime?: LifetimeChoice
  /** When the user was last read, milliseconds since the epoch. Absent unless `session.refreshUser` is set. */
  readonly refreshedAt?: number
  /** Whether the token was issued for a program, so that no cookie may have it. */
  readonly kind?: 'token'
  /** What an issued token is for (RFC 6749 §3.3); absent if it is not restricted. */
  readonly scope?: string
  /**
   * Until when tokens of this session count that were issued while `maxAge` was longer, milliseconds since the epoch. Absent if
   * this token expires last.
   */
  readonly until?: number
  /** Where the session began. Absent in sessions of earlier versions. */
  readonly providerSession?: ProviderSession
  /** How the user has proved who they are. In the claim its members stand alone. */
  readonly authentication?: Authentication
}

/** What a session token has: the claims of Auth.js, and the session claim of Latchkey. */
export interface SessionToken {
  readonly claims: JWT
  readonly sessionClaim: SessionClaim
}

/** A session token that was read. */
export interface DecodedSessionToken extends SessionToken, SessionClaim {
  /** Whether the token itself has the session claim. If not, the claim was made of the other claims. */
  readonly hasSessionClaim: boolean
  /** Id of the user that the token names; null if it names none. */
  readonly userId: string | null
  /** When the token was issued, and when it expires, milliseconds since the epoch; null if it does not say that. */
  readonly issuedAt: number | null
  readonly expires: number | null
}

/** Ids of ended sessions are remembered, so they must be short. A longer id is replaced by its digest. */
const MAX_ID_LENGTH = 64
/** 128 bits. */
const ID_BYTES = 16
const DIGEST_LENGTH = 22
/** 96 bits. If two users had the same, they would only share one place in a list. */
const PERSON_LENGTH = 16
const GROUP_LENGTH = 8

/** The claim of a new session. */
export const newSessionClaim = (about: Omit<SessionClaim, 'id'>): SessionClaim => ({
  id: randomToken(ID_BYTES),
  ...about,
})

const shortDigestOf = (name: string): string => sha256Base64url(name).slice(0, PERSON_LENGTH)

/** The digest of the person who has an account at a provider. */
export const personDigestOfAccount = (provider: string, providerAccountId: string): string =>
  shortDigestOf(`${provider} ${providerAccountId}`)

/** The digest of a user with an id. It never looks like that of an account, whatever the id is. */
export const personDigestOfUser = (id: string): string => `user.${shortDigestOf(id)}`

/**
 * The digest of a user to whom the application gives no id, so that Latchkey makes a new one at each sign-in. It is made
 * of their address or name instead. Users may have typed that themselves, and one person may use many names. So it
 * begins with a digest of the provider, and all such users of one provider can be counted as one.
 */
export const personDigestWithoutId = (provider: string, name: string): string =>
  `${shortDigestOf(provider).slice(0, GROUP_LENGTH)}.${shortDigestOf(name)}`

/** The part that the digests of all users without ids of one provider have in common; null for any other digest. */
export const groupOf = (personDigest: string): string | null =>
  personDigest[GROUP_LENGTH] === '.' ? personDigest.slice(0, GROUP_LENGTH) : null

/**
 * All claims of a token except its times and its id. The session claim is written last, so that no claim of an application
 * can replace it.
 */
export function withSessionClaim({ claims, sessionClaim }: SessionToken): JWT {
  const { id, personDigest, authentication, ...others } = sessionClaim
  const subject = personDigest === personDigestInClaims(claims) ? {} : { subject: personDigest }
  return { ...claims, latchkey: { id, ...subject, ...others, ...authentication } }
}

/**
 * Separates the session claim from the other claims of a token. A token of Auth.js, or of an `encode` of the application,
 * may have no session claim. Then the id of the session is that of the token, or a digest of the token if it has no id.
 *
 * @param token the encoded token
 */
export function takeSessionClaim({ latchkey, ...claims }: JWT, token: string): DecodedSessionToken {
  const own = parseSessionClaim(latchkey, personDigestInClaims(claims))
  const sessionClaim = own ?? claimOfOthersToken(claims, token)
  return {
    ...sessionClaim,
    claims,
    sessionClaim,
    hasSessionClaim: own !== null,
    userId: userIdOf(claims),
    issuedAt: issuedAtOf(claims),
    expires: claims.exp === undefined ? null : claims.exp * 1000,
  }
}

/** Id of the user that a token names; null when it names none. Some stores number their users. */
export function userIdOf({ sub }: { readonly sub?: unknown }): string | null {
  return (typeof sub === 'string' && sub !== '') || typeof sub === 'number' || typeof sub === 'bigint'
    ? (sub as string)
    : null
}

/** A codec of the application may write any `iat`, such as milliseconds. */
const issuedAtOf = ({ iat }: JWT): number | null =>
  typeof iat === 'number' && iat > 0 && iat < LATEST_IAT ? iat * 1000 : null

/** Seconds since the epoch; in the year 5138. */
const LATEST_IAT = 1e11

/** The digest of the user whom a token names, which the session claim need not repeat; null if it names none. */
const personDigestInClaims = ({ sub }: { readonly sub?: unknown }): string | null =>
  typeof sub === 'string' || typeof sub === 'number' ? personDigestOfUser(String(sub)) : null

function parseSessionClaim(value: unknown, usualDigest: string | null): SessionClaim | null {
  if (!isObject(value)) return null
  const claim = value as Partial<Record<keyof SessionClaim | keyof Authentication | 'subject', unknown>>
  const { id, subject, authenticatedAt, unconfirmed, lifetime, refreshedAt, kind, scope, until, providerSession } =
    claim
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return null
  const choice = lifetime === undefined ? undefined : parseLifetimeChoice(lifetime)
  const began = isObject(providerSession) ? providerSessionIn(providerSession) : undefined
  const isKnown = (claim.factors ?? claim.amr ?? claim.acr ?? claim.act) !== undefined
  const authentication = isKnown ? authenticationIn(claim) : undefined
  return {
    id,
    // A version that does not know that it may be left out writes null.
    personDigest: typeof subject === 'string' ? subject : usualDigest,
    authenticatedAt: Number.isFinite(authenticatedAt) ? (authenticatedAt as number) : null,
    // A cast, because the ids of some stores are numbers.
    ...(unconfirmed !== undefined && { unconfirmed: unconfirmed as string }),
    ...(choice && { lifetime: choice }),
    ...(Number.isFinite(refreshedAt) && { refreshedAt: refreshedAt as number }),
    // Fails closed: what is no usable restriction restricts the token to nothing.
    ...(kind !== undefined && { kind: 'token' as const }),
    ...(scope !== undefined && { scope: textOf(scope) }),
    ...(Number.isFinite(until) && { until: until as number }),
    ...(began && { providerSession: began }),
    ...(authentication && { authentication }),
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Where a session began, as its claim or its row says; undefined if that is not known. */
export function providerSessionIn(value: Partial<Record<keyof ProviderSession, unknown>>): ProviderSession | undefined {
  const { provider, subject, sid } = value
  if (typeof provider !== 'string' || provider === '') return undefined
  return { provider, ...(typeof subject === 'string' && { subject }), ...(typeof sid === 'string' && { sid }) }
}

function claimOfOthersToken(
  { jti, ...claims }: { readonly jti?: unknown; readonly sub?: unknown },
  token: string,
): SessionClaim {
  const personDigest = personDigestInClaims(claims)
  if (typeof jti !== 'string' || jti === '')
    return { id: digestOf(oneSpelling(token)), personDigest, authenticatedAt: null }
  return { id: jti.length > MAX_ID_LENGTH ? digestOf(jti) : jti, personDigest, authenticatedAt: momentOfId(jti) }
}

/**
 * The only spelling of a compact JWS or JWE. Decoders ignore the last bits of a part, and some ignore other characters. So a
 * token that has ended could be shown again in another spelling, and would have another digest.
 *
 * @see RFC 4648 §3.5
 */
function oneSpelling(token: string): string {
  // The header of a JWT is a JSON object. In any other token, each character may count.
  if (!token.startsWith('eyJ')) return token
  const spelled = (part: string) => Buffer.from(part, 'base64url').toString('base64url')
  return token.split('.').map(spelled).join('.')
}

const digestOf = (text: string) => sha256Base64url(text).slice(0, DIGEST_LENGTH)

/** In Latchkey 0.1.0 the `jti` was a UUID of version 8 (RFC 9562 §5.8) that began with the time of the sign-in. */
function momentOfId(jti: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(jti) ?? []
  return high === undefined ? null : Number.parseInt(`${high}${low}`, 16)
}

/** What a sign-in decided about the lifetime of its session. The session keeps it until its end. */
export interface LifetimeChoice {
  /** Whether the visitor asked to stay signed in; absent if nobody asked the visitor. */
  readonly remember?: boolean
  /** Seconds from a renewal to the expiry, if the application chose them for this session. */
  readonly maxAge?: number
  /** Seconds from the sign-in to the absolute limit, if the application chose them for this session. */
  readonly maxLifetime?: number
}

/**
 * A choice as it was read from a session. Only whoever has the secret can have written it, so a member that no
 * sign-in writes comes from a changed configuration or codec, and is left out.
 *
 * @returns undefined if nothing was chosen
 */
export function parseLifetimeChoice(value: unknown): LifetimeChoice | undefined {
  if (!isObject(value)) return undefined
  const { remember, maxAge, maxLifetime } = value as Partial<Record<keyof LifetimeChoice, unknown>>
  const choice: LifetimeChoice = {
    ...(typeof remember === 'boolean' && { remember }),
    ...(isSeconds(maxAge) && { maxAge }),
    ...(isSeconds(maxLifetime) && { maxLifetime }),
  }
  return Object.keys(choice).length === 0 ? undefined : choice
}

/** A longer time gives no date (ECMA-262 §21.4.1.1), and nobody means it. */
const MOST_SECONDS = 100 * 365 * 24 * 60 * 60

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= MOST_SECONDS
