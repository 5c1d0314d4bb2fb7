import { sha256Hex } from '../crypto/digest.js'
import { describeValue } from '../shapes/describe-value.js'

const MARK = 'sha256:'

/**
 * What the store holds of a session token: a digest, marked as one, so that whoever reads the store cannot sign in with what is there
 * (SESS-01). The token is random and long, so a plain digest is enough.
 *
 * @param instance its name is in the digest, so that instances with one store do not find one another's sessions
 */
export const storedForm = (token: string, instance?: string): string =>
  // No token has a blank, so no token of a single instance has the digest of one of another.
  MARK + sha256Hex(instance === undefined ? token : `${instance} ${token}`)

/** Visible ASCII: of no other characters do collations make these, as they do of letters with accents, full-width ones, and digits of other scripts. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** How a stored form begins, for a database that ignores case and signs. */
const LIKE_STORED = /^[^a-z0-9]*s[^a-z0-9]*h[^a-z0-9]*a[^a-z0-9]*2[^a-z0-9]*5[^a-z0-9]*6/i

/**
 * Whether a presented value can be a token. What a database could take for a stored form is none: that was read from a store, not given to a visitor.
 * A look-up by it might find the row, and some adapters give the key that they were asked for as that of the row.
 */
export const isSessionToken = (value: string): boolean => VISIBLE_ASCII.test(value) && !LIKE_STORED.test(value)

/** Fewer characters hold no 128 bits that are random (SESS-01), whatever they are made of. */
const SHORTEST_TOKEN = 16

/**
 * What `session.generateSessionToken` gave.
 *
 * @throws {TypeError} when it is no token that a visitor could present, or one that could be guessed; the message does not have it
 */
export function requireSessionToken(given: unknown): string {
  if (typeof given === 'string' && given.length >= SHORTEST_TOKEN && isSessionToken(given)) return given
  throw new TypeError(
    `session.generateSessionToken gave ${describeValue(given)}. It gives a random text of ${SHORTEST_TOKEN} characters or more, of visible ASCII, ` +
      `that does not begin with "${MARK}".`,
  )
}
