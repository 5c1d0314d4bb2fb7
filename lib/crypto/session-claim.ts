import { sha256Base64url } from './digest.js'
import type { JWT } from './jwt.js'
import { randomToken } from './random.js'

/** What a session token says of its session, whichever form of it the token is. */
export interface SessionClaim {
  /** Id of the session: it stays when the token is extended, updated or written again, so that a sign-out ends every form of it. */
  readonly id: string
  /** Tells the sessions of one person from those of others, by a digest; null when nobody knows whose it is. */
  readonly subject: string | null
  /** When its owner signed in, milliseconds since the epoch; null when that is not known. */
  readonly authenticatedAt: number | null
  /** Id of the user, where they had an address that nobody had confirmed when the session began. */
  readonly unconfirmed?: string
}

/** What a session token holds: the claims, as Auth.js has them, and what is Latchkey's own. */
export interface SessionToken {
  readonly claims: JWT
  readonly sessionClaim: SessionClaim
}

/** Ids are remembered when their session ends, so they are short; whatever is longer stands there as a digest. */
const MAX_ID_LENGTH = 64
/** 128 bits. */
const ID_BYTES = 16
const DIGEST_LENGTH = 22
/** 96 bits: should two people share one, they share a place in a list. */
const SUBJECT_LENGTH = 16
const GROUP_LENGTH = 8

/** The claim of a session that begins. */
export const newSessionClaim = (about: Omit<SessionClaim, 'id'>): SessionClaim => ({
  id: randomToken(ID_BYTES),
  ...about,
})

/** The `subject` of whoever goes by a name, such as the id of a user. */
export const subjectOf = (name: string): string => sha256Base64url(name).slice(0, SUBJECT_LENGTH)

/**
 * The `subject` of somebody whom the application gives no id, so that another is made up at each sign-in: by their address or name. That may be what they
 * have typed, so it tells of the provider, too: where one person has many names, all who come by that provider stand for one.
 */
export const subjectWithoutId = (provider: string, name: string): string =>
  `${subjectOf(provider).slice(0, GROUP_LENGTH)}.${subjectOf(name)}`

/** What is common to the subjects of a provider's people without ids; null for any other subject. */
export const groupOf = (subject: string): string | null =>
  subject[GROUP_LENGTH] === '.' ? subject.slice(0, GROUP_LENGTH) : null

/** All members of a token but its times and its id. Ours is written last, so that no claim of an application can take its place. */
export const withSessionClaim = ({ claims, sessionClaim }: SessionToken): JWT => ({
  ...claims,
  latchkey: { ...sessionClaim },
})

/**
 * Takes our claim out of the members of a token. Where there is none, because Auth.js wrote it or an encode of the application's own, the session's id
 * is that of the token, or a digest of it where it has none.
 *
 * @param token its text
 */
export function takeSessionClaim({ latchkey, ...claims }: JWT, token: string): SessionToken {
  return { claims, sessionClaim: parseSessionClaim(latchkey) ?? claimOfOthersToken(claims, token) }
}

function parseSessionClaim(value: unknown): SessionClaim | null {
  if (typeof value !== 'object' || value === null) return null
  const { id, subject, authenticatedAt, unconfirmed } = value as Partial<Record<keyof SessionClaim, unknown>>
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return null
  return {
    id,
    subject: typeof subject === 'string' ? subject : null,
    authenticatedAt: Number.isFinite(authenticatedAt) ? (authenticatedAt as number) : null,
    // Some stores number their users.
    ...(unconfirmed !== undefined && { unconfirmed: unconfirmed as string }),
  }
}

function claimOfOthersToken(
  { jti, sub }: { readonly jti?: unknown; readonly sub?: unknown },
  token: string,
): SessionClaim {
  const subject = typeof sub === 'string' || typeof sub === 'number' ? subjectOf(String(sub)) : null
  if (typeof jti !== 'string' || jti === '') return { id: digestOf(token), subject, authenticatedAt: null }
  return { id: jti.length > MAX_ID_LENGTH ? digestOf(jti) : jti, subject, authenticatedAt: momentOfId(jti) }
}

const digestOf = (text: string) => sha256Base64url(text).slice(0, DIGEST_LENGTH)

/** Latchkey 0.1.0 kept the time of the sign-in in the `jti`, a UUID of version 8 (RFC 9562 §5.8) that begins with it. */
function momentOfId(jti: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(jti) ?? []
  return high === undefined ? null : Number.parseInt(`${high}${low}`, 16)
}
