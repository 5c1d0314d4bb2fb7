import { type CookieChange, clearCookie, setCookie } from '../kernel/cookies.js'
import { equalInConstantTime, keyedDigest } from '../kernel/digest.js'
import type { Principal } from '../sessions/session.js'
import type { CookieRequest } from './cookies.js'

/**
 * Tells a session that began in this browser from one that somebody planted. A sibling host such as `blog.app.example` can set the
 * cookie of a session for `app.example`, but no cookie whose name begins with `__Host-` (RFC 6265bis §4.1.3.2). Whoever signs in gets
 * such a cookie, and only with it may something be added to the user of the session.
 */
export type OwnSignIns = ReturnType<typeof createOwnSignIns>

/** The cookie is no use longer than a sign-in is recent. Browsers keep none for longer than 400 days (RFC 6265bis §5.5). */
const LONGEST_SECONDS = 400 * 24 * 60 * 60

/** 128 bits, as hex. */
const DIGEST_LENGTH = 32

/**
 * @param secrets at least one; the first makes the cookie, and cookies of all of them count
 * @param recentAuthAge seconds for which a sign-in is recent
 * @param addsWays whether accounts, passkeys or another address can be added to users, or they can delete their account
 * @param mailsLinks whether there is a provider that mails links: a link keeps all ways to sign in of a user who is signed in
 * @param now milliseconds since the epoch
 */
export function createOwnSignIns(
  secrets: readonly string[],
  settings: { recentAuthAge: number; addsWays: boolean; mailsLinks: boolean; now: () => number },
) {
  const { recentAuthAge, addsWays, mailsLinks, now } = settings
  const lifetimeSeconds = Math.floor(Math.min(recentAuthAge, LONGEST_SECONDS))
  // Some stores number their users.
  const digests = secrets.map((secret) => {
    const digest = keyedDigest(secret, 'own-sign-in')
    return (userId: unknown, until: string) => digest([String(userId), until]).slice(0, DIGEST_LENGTH)
  })
  return {
    /** The cookie for a sign-in; where nothing can ever be added to this user, the deletion of an earlier one. */
    note(
      { cookies, specs }: CookieRequest,
      { id, emailVerified }: { readonly id?: unknown; readonly emailVerified?: unknown },
    ): readonly CookieChange[] {
      if (id === undefined || !(addsWays || (mailsLinks && !emailVerified))) return forgetOwnSignIn({ cookies, specs })
      const until = String(Math.floor(now() / 1000) + lifetimeSeconds)
      const value = `${until}.${digests[0]?.(id, until)}`
      return [setCookie(specs.ownSignIn, value, { maxAge: lifetimeSeconds })]
    },
    /** The principal, with {@link Principal.signedInHere}. */
    mark({ cookies, specs }: CookieRequest, principal: Principal | null): Principal | null {
      if (principal === null) return null
      const [until = '', digest = ''] = cookies.get(specs.ownSignIn.name)?.split('.') ?? []
      const isMade = () => digests.some((digestOf) => equalInConstantTime(digestOf(principal.id, until), digest))
      return { ...principal, signedInHere: Number(until) * 1000 >= now() && isMade() }
    },
  }
}

/** Deletes the cookie: another person may use the browser after a sign-out. */
export const forgetOwnSignIn = ({ cookies, specs }: CookieRequest): readonly CookieChange[] =>
  cookies.has(specs.ownSignIn.name) ? [clearCookie(specs.ownSignIn)] : []
