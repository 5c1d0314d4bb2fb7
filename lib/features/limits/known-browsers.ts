import { type CookieChange, type DeclaredCookie, setCookie } from '../../kernel/cookies.js'
import { createPublicIds } from '../../kernel/digest.js'
import { randomToken } from '../../kernel/random.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { AccountName } from '../../sign-in/visit.js'

/** The cookie of a browser with which people have signed in, by the key that configures it. */
export const KNOWN_BROWSER: Readonly<Record<'knownBrowser', DeclaredCookie>> = {
  knownBrowser: { name: 'authjs.known-browser' },
}

/** Accounts that one browser is known to; it forgets the one that came in first. */
const MOST_ACCOUNTS = 5
/** A year, from the last sign-in. */
const KEPT_SECONDS = 365 * 24 * 60 * 60

/**
 * Tells the browsers with which somebody has signed in to an account from all others, so that nobody is locked out by the tries of
 * strangers: tries of such browsers are counted apart (RATE-05), all together, since anybody who once came in can have many cookies.
 * The cookie has an id of the browser, and a digest for each account that can be made only with the secret. It says nothing of a
 * person, and it signs nobody in. It stays after a sign-out.
 *
 * @param secrets at least one; the first makes digests, and those of all count
 */
export function createKnownBrowsers(secrets: readonly string[]) {
  const digests = createPublicIds(secrets, 'known-browser')
  const read = ({ cookies, specs }: CookieRequest): readonly [id: string, accounts: readonly string[]] => {
    const [id = '', ...accounts] = cookies.get(specs['knownBrowser']?.name ?? '')?.split('.') ?? []
    return [id, accounts.slice(0, MOST_ACCOUNTS)]
  }
  return {
    /** Whether somebody has signed in to each of the accounts with the browser; false without accounts. */
    has(request: CookieRequest, accounts: readonly AccountName[]): boolean {
      const [id, known] = read(request)
      // Whoever has read the mail of an address is known wherever that is the name.
      const isKnown = ({ space, name }: AccountName) =>
        known.some((digest) => digests.fits(digest, [id, space, name]) || digests.fits(digest, [id, '', name]))
      return accounts.length > 0 && accounts.every(isKnown)
    },
    /** Whether the browser has a cookie at all; anybody can write one. */
    isMaybe: (request: CookieRequest): boolean => read(request)[1].length > 0,
    /** The cookie after a sign-in to accounts. */
    note(request: CookieRequest, signedInTo: readonly AccountName[]): readonly CookieChange[] {
      const spec = request.specs['knownBrowser']
      const named = signedInTo.filter(({ name }) => name !== '')
      if (spec === undefined || named.length === 0) return []
      const [former, others] = read(request)
      const id = others.length > 0 ? former : randomToken(16)
      const accounts = named.map(({ space, name }) => [id, space, name])
      const isOther = (digest: string) => !accounts.some((account) => digests.fits(digest, account))
      const all = [...new Set(accounts.map((account) => digests.make(account))), ...others.filter(isOther)]
      return [setCookie(spec, [id, ...all.slice(0, MOST_ACCOUNTS)].join('.'), { maxAge: KEPT_SECONDS })]
    },
  }
}
