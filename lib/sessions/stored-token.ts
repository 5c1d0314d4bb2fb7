import { describeValue } from '../kernel/describe-value.js'
import { equalInConstantTime, keyedDigest, sha256Base64url, sha256Hex } from '../kernel/digest.js'
import { randomHex } from '../kernel/random.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { type LifetimeChoice, parseLifetimeChoice } from './session-claim.js'

const PREFIX = 'sha256:'

/**
 * What the store has in place of a session token: a digest with a prefix. Nobody who reads the store can sign in with
 * it (SESS-01). The token is random and long, so a plain digest is enough.
 *
 * @param instance the name of the instance, which is in the digest, so that instances that share a store do not find
 *   the sessions of each other
 */
export const storedForm = (token: string, instance?: string): string =>
  // No token contains a space. So a token without an instance never has the digest of a token of an instance.
  PREFIX + sha256Hex(instance === undefined ? token : `${instance} ${token}`)

/** The digest of the token of a row. A row of Auth.js has the token itself. */
export const storedFormOf = (rowToken: string, instance?: string): string =>
  isStoredForm(rowToken) ? rowToken : storedForm(rowToken, instance)

/** Whether the token of a row is a digest. No token of a cookie begins like one. */
export const isStoredForm = (rowToken: string): boolean => rowToken.startsWith(PREFIX)

/** 128 bits and more. */
const ID_LENGTH = 22

/**
 * The public id of a session in a row. It is made of the stored form of the token, so no column is needed for it. It is a
 * digest of its own: neither the token nor the key of the row can be found out from it.
 *
 * @param stored the stored form of the token
 */
export function rowSessionId(stored: string): string {
  const known = ids.get(stored)
  if (known !== undefined) return known
  const id = sha256Base64url(`session id ${stored}`).slice(0, ID_LENGTH)
  ids.set(stored, id)
  return id
}

/** Ids by stored forms: every request of a session needs the same. Each needs about 200 bytes. */
const ids = createRecentCache<string, string>(10_000)

/**
 * Visible ASCII. A collation can take other characters for ASCII: letters with accents, full-width letters, and digits
 * of other scripts.
 */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The prefix of a digest, for a database whose comparisons ignore case and punctuation. */
const LIKE_STORED = /^[^a-z0-9]*s[^a-z0-9]*h[^a-z0-9]*a[^a-z0-9]*2[^a-z0-9]*5[^a-z0-9]*6/i

/**
 * Whether a value from a cookie can be a token. A value that a database could take for a digest is not a token: it was
 * read from a store. A look-up with it might find the row, and some adapters give the key they were asked for in place
 * of the key of the row.
 */
export const isSessionToken = (value: string): boolean => VISIBLE_ASCII.test(value) && !LIKE_STORED.test(value)

/** Fewer characters of visible ASCII cannot hold 128 random bits (SESS-01). */
const SHORTEST_TOKEN = 16

/**
 * Checks what `session.generateSessionToken` gave.
 *
 * @throws {TypeError} when it cannot be a token of a cookie, or could be guessed; the message does not contain it
 */
export function requireSessionToken(given: unknown): string {
  if (
    typeof given === 'string' &&
    given.length >= SHORTEST_TOKEN &&
    isSessionToken(given) &&
    !given.includes(CHOICE_MARK)
  )
    return given
  throw new TypeError(
    `session.generateSessionToken gave ${describeValue(given)}. It gives a random text of ${SHORTEST_TOKEN} characters or more, of visible ASCII, ` +
      `that does not begin with "${PREFIX}", and does not contain "${CHOICE_MARK}".`,
  )
}

/** What stands between the random part of a token and the choice. */
const CHOICE_MARK = '~latchkey.'

const CHOICE = /^(?:r([01]))?(?:a(\d{1,10}))?(?:l(\d{1,10}))?$/

/**
 * What a sign-in has decided about the lifetime of a stored session, as the column of its row has it: `r1a3600l7200`. The token
 * has it, too: `{random}~latchkey.r1a3600l7200`, since other processes may be of a version that had no column yet. The store has
 * a digest of the whole text, so a visitor cannot change the choice: no row has the digest of another text.
 */
export function choiceText({ remember, maxAge, maxLifetime }: LifetimeChoice): string {
  const parts = [
    remember === undefined ? '' : `r${remember ? 1 : 0}`,
    maxAge === undefined ? '' : `a${maxAge}`,
    maxLifetime === undefined ? '' : `l${maxLifetime}`,
  ]
  return parts.join('')
}

/** The token of a stored session with what its sign-in has decided. */
export const tokenWithChoice = (random: string, choice: LifetimeChoice | undefined): string =>
  choice === undefined ? random : random + CHOICE_MARK + choiceText(choice)

/** What a row, or else the token of its cookie, says about the lifetime; undefined if neither says anything. */
export function choiceOf(kept: string | null | undefined, token: string): LifetimeChoice | undefined {
  const at = token.lastIndexOf(CHOICE_MARK)
  const inToken = at < 0 ? undefined : token.slice(at + CHOICE_MARK.length)
  // A row that was cut or made by hand has nothing that can be read.
  const text = kept && CHOICE.test(kept) ? kept : inToken
  if (text === undefined) return undefined
  const [, remember, maxAge, maxLifetime] = CHOICE.exec(text) ?? []
  return parseLifetimeChoice({
    ...(remember !== undefined && { remember: remember === '1' }),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
    ...(maxLifetime !== undefined && { maxLifetime: Number(maxLifetime) }),
  })
}

/** 192 bits; with the digest, a token has 64 characters, as before. */
const RANDOM_BYTES = 24
const RANDOM_LENGTH = 2 * RANDOM_BYTES
/** 64 bits. */
const DIGEST_LENGTH = 16

/**
 * Makes tokens of stored sessions, and tells them from texts that somebody made up. A token is random, and ends with a keyed
 * digest of its random part. While the store is down, nothing else says which sign-outs are of sessions that exist.
 *
 * @param secrets the first makes digests, and those of all of them count
 */
export function createTokenMaker(secrets: readonly string[]) {
  const digests = secrets.map((secret) => {
    const digest = keyedDigest(secret, 'stored-session')
    return (random: string) => digest([random]).slice(0, DIGEST_LENGTH)
  })
  return {
    make(): string {
      const random = randomHex(RANDOM_BYTES)
      return random + digests[0]?.(random)
    },
    /** Whether this application may have made a token. Nobody else can make one for which this is true. */
    mayHaveMade(token: string): boolean {
      const [random, digest] = [
        token.slice(0, RANDOM_LENGTH),
        token.slice(RANDOM_LENGTH, RANDOM_LENGTH + DIGEST_LENGTH),
      ]
      return digests.some((digestOf) => equalInConstantTime(digestOf(random), digest))
    },
  }
}
