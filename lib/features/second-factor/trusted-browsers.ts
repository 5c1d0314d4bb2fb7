import { type CookieChange, type CookieSpec, clearCookie, setCookie } from '../../kernel/cookies.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { randomToken } from '../../kernel/random.js'
import { keptClientDetails } from '../../sessions/session-use.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { Parts } from '../../sign-in/feature.js'
import { createSecretRecords, deleteRecordsOf } from '../../sign-in/records.js'
import type { Visit } from '../../sign-in/visit.js'

/** What a trusted browser is among the records. */
const KIND = 'trusted-browser'

/** A browser that somebody trusts. */
interface TrustedBrowser {
  readonly userId: string
  /** `since` of the second factor that they had shown. */
  readonly factor: number
  /** When the person began to trust it, milliseconds since the epoch. */
  readonly since: number
  /** When they are asked again, the same. */
  readonly until: number
  /** What must still be so: the address and the password of the sign-in. */
  readonly state: string
  /** Digest of the token that its cookie has since the last sign-in. */
  readonly token: string
  /** The one before, and until when it counts as well, milliseconds since the epoch. */
  readonly former?: { readonly token: string; readonly until: number }
  readonly userAgent?: string | null | undefined
}

/** Milliseconds for which a browser may still send the cookie of before its last sign-in: in another tab, or after a second click. */
const FORMER_MS = 10_000

/** A trusted browser, as its owner sees it. */
export interface ListedBrowser extends Pick<TrustedBrowser, 'since' | 'until'> {
  /** Leads to no secret. */
  readonly id: string
  /** Whether it is the browser of the request. */
  readonly isCurrent: boolean
  /** The `User-Agent` header of the last sign-in; null if it is not kept. */
  readonly userAgent: string | null
}

type Request = CookieRequest & Pick<Visit, 'header' | 'clientAddress'>

/**
 * Browsers in which people are not asked for their second factor for a time. Keeps one record a browser, so that its owner can end it
 * at any moment. The cookie has a secret that leads to the record, and a token that changes with each sign-in: a copy of the cookie
 * ends when its owner signs in next. It stands for the second factor alone, so nobody signs in with it.
 *
 * @param keepsDevices whether sessions keep what browser they are in
 */
export function createTrustedBrowsers(parts: Pick<Parts, 'store' | 'secrets' | 'now'>, keepsDevices: boolean) {
  const { store, now } = parts
  const records = createSecretRecords<TrustedBrowser>(KIND, parts)
  const clientOf = keptClientDetails(keepsDevices)

  const cookieIn = ({ cookies, specs }: CookieRequest) => {
    const spec = specs['trustedBrowser'] as CookieSpec
    const [secret = '', token = ''] = cookies.get(spec.name)?.split('.') ?? []
    return { spec, secret, digest: sha256Base64url(token) }
  }

  /** @param since when the second factor was added: who trusted a browser with another one did not mean this one */
  const isOf = (browser: TrustedBrowser, userId: string, since: number): boolean =>
    browser.userId === userId && browser.factor === since

  /** The cookie of a browser, and what its record has of it. */
  const newToken = (request: Request) => {
    const token = randomToken()
    const { userAgent } = clientOf(request)
    return { token, known: { token: sha256Base64url(token), userAgent } }
  }

  return {
    /**
     * Whether the browser of a sign-in is trusted, or was until now; null for neither.
     *
     * @param since when the second factor was added
     * @param state gives what the trust counts with now; asked only where there is any
     */
    async look(
      request: CookieRequest,
      userId: string,
      since: number,
      state: () => Promise<string>,
    ): Promise<'trusted' | 'ended' | null> {
      const { secret, digest } = cookieIn(request)
      const browser = secret === '' ? null : await records.look(secret)
      if (browser === null || !isOf(browser, userId, since)) return null
      const { token, former } = browser
      const isOwn = token === digest || (former && former.until > now() && former.token === digest)
      if (isOwn && browser.state === (await state())) return 'trusted'
      // Their address or password is another one by now. Or two have the cookie, and one has signed in since: nobody knows which of them
      // is a thief (as RFC 9700 §4.14.2 has it for tokens).
      return (await records.take(secret)) ? 'ended' : null
    },
    /**
     * Begins to trust this browser, in place of what it was trusted for.
     *
     * @param seconds from now
     * @param shown of when it was shown: what has changed since ends the trust
     * @returns the cookie, and what ends the trust whose cookie the browser does not have in the end: the former one, or this one if its
     * sign-in fails
     */
    async trust(request: Request, userId: string, seconds: number, shown: { state: string; factor: number }) {
      const { spec, secret: former } = cookieIn(request)
      const { token, known } = newToken(request)
      const browser = { userId, ...shown, since: now(), until: now() + seconds * 1000, ...known }
      const secret = await records.make(userId, browser, seconds)
      return {
        cookie: setCookie(spec, `${secret}.${token}`, { maxAge: seconds }),
        async endOther(isSignedIn: boolean): Promise<void> {
          const ended = isSignedIn ? former : secret
          if (ended !== '') await records.take(ended)
        },
      }
    },
    /** Gives the browser another token, after a sign-in. Its time stays. */
    async renew(request: Request, userId: string, since: number): Promise<readonly CookieChange[]> {
      const { spec, secret, digest } = cookieIn(request)
      if (secret === '') return []
      const { token, known } = newToken(request)
      // Of two sign-ins at once, one has it. And what was ended meanwhile stays so.
      const browser = await records.change(secret, (found) =>
        isOf(found, userId, since) && found.token === digest
          ? { ...found, ...known, former: { token: digest, until: now() + FORMER_MS } }
          : null,
      )
      const maxAge = browser && Math.ceil((browser.until - now()) / 1000)
      return maxAge === null ? [] : [setCookie(spec, `${secret}.${token}`, { maxAge })]
    },
    /** Deletes the cookie of this browser, if nobody trusts it any more. */
    async cookiesLeft(request: CookieRequest): Promise<readonly CookieChange[]> {
      const { spec, secret } = cookieIn(request)
      return secret !== '' && (await records.look(secret)) === null ? [clearCookie(spec)] : []
    },
    /** The browsers that a user trusts: this one first, then the newest. */
    async list(request: CookieRequest, userId: string, since: number): Promise<readonly ListedBrowser[]> {
      const own = sha256Base64url(cookieIn(request).secret)
      return [...(await records.listOf(userId))]
        .filter(([, browser]) => isOf(browser, userId, since))
        .map(([id, { since: from, until, userAgent = null }]) => ({
          id,
          since: from,
          until,
          userAgent,
          isCurrent: id === own,
        }))
        .sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent) || other.since - one.since)
    },
    /** Ends the trust in one browser of a user. False if they have none with this id. */
    async forgetOne(userId: string, id: string): Promise<boolean> {
      const browser = (await records.listOf(userId)).get(id)
      return browser?.userId === userId && (await store.deleteRecord(KIND, id)) !== null
    },
    /** Ends the trust in all browsers of a user. */
    forgetAll: (userId: string): Promise<number> => deleteRecordsOf(store, KIND, userId),
  }
}
