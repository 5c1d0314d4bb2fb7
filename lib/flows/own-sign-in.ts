import { createValueEncryption } from '../crypto/encrypted-values.js'
import { type CookieChange, clearCookie, setCookie } from '../http/cookies.js'
import type { Principal } from '../sessions/session.js'
import type { CookieRequest } from './transaction-kinds.js'

/**
 * Tells a session that began in this browser from one that somebody planted. A sibling host such as `blog.app.example` can set the
 * cookie of a session for `app.example`, but no cookie whose name begins with `__Host-` (RFC 6265bis §4.1.3.2). Whoever signs in while
 * their address is unconfirmed gets such a cookie.
 */
export interface OwnSignIns {
  /** The cookie for a sign-in; none where the address is confirmed, or no link is ever mailed. */
  note(
    request: CookieRequest,
    user: { readonly id?: unknown; readonly emailVerified?: unknown },
  ): Promise<readonly CookieChange[]>
  /** The principal, if the browser signed in as this user itself; null otherwise. */
  confirm(request: CookieRequest, principal: Principal | null): Promise<Principal | null>
}

/** The cookie is no use longer than a session is recent; with `recentAuthAge: Infinity`, it is for as long as this. */
const LONGEST_SECONDS = 24 * 60 * 60

/**
 * @param secrets at least one; the first encrypts
 * @param recentAuthAge seconds for which a sign-in is recent
 * @param mailsLinks whether there is a provider that mails links
 * @param now milliseconds since the epoch
 */
export function createOwnSignIns(
  secrets: readonly string[],
  { recentAuthAge, mailsLinks, now }: { recentAuthAge: number; mailsLinks: boolean; now: () => number },
): OwnSignIns {
  const encryption = createValueEncryption(secrets, 'own-sign-in', now)
  const lifetimeSeconds = Math.min(recentAuthAge, LONGEST_SECONDS)
  return {
    async note({ cookies, specs }, { id, emailVerified }) {
      if (!mailsLinks || id === undefined || emailVerified) return forgetOwnSignIn({ cookies, specs })
      const value = await encryption.encrypt({ userId: String(id) }, lifetimeSeconds)
      return [setCookie(specs.ownSignIn, value, { maxAge: Math.floor(lifetimeSeconds) })]
    },
    async confirm({ cookies, specs }, principal) {
      const value = cookies.get(specs.ownSignIn.name)
      if (principal === null || value === undefined) return null
      // Nobody else can make such a value, so it has the member that it was made with.
      const noted = (await encryption.decrypt(value)) as { readonly userId: string } | null
      // Some stores number their users.
      return noted?.userId === String(principal.id) ? principal : null
    },
  }
}

/** Deletes the cookie: another person may use the browser after a sign-out. */
export const forgetOwnSignIn = ({ cookies, specs }: CookieRequest): readonly CookieChange[] =>
  cookies.has(specs.ownSignIn.name) ? [clearCookie(specs.ownSignIn)] : []
