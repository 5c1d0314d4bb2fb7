import { type CookieChange, clearCookie, setCookie } from '../../kernel/cookies.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { Parts } from '../../sign-in/feature.js'
import { createSecretRecords, deleteRecordsOf } from '../../sign-in/records.js'

/** What a trusted browser is among the records. */
const KIND = 'trusted-browser'

/** A browser that somebody trusts. */
interface TrustedBrowser {
  readonly userId: string
  /** When the person began to trust it, milliseconds since the epoch. */
  readonly since: number
  /** When they are asked again, the same. */
  readonly until: number
}

/**
 * Browsers in which people are not asked for their second factor for a time. Keeps one record a browser, and in the browser a secret
 * that changes with each sign-in: a copy of the cookie ends when its owner signs in next. It stands for the second factor alone, so nobody signs in with it.
 */
export function createTrustedBrowsers(parts: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const { store, secrets, now } = parts
  const encryption = createValueEncryption(secrets, 'trusted-browser', now, { isInStore: true })
  const records = createSecretRecords<TrustedBrowser>(KIND, encryption, parts)
  const secretIn = ({ cookies, specs }: CookieRequest) => cookies.get(specs['trustedBrowser']?.name ?? '') || null

  const find = async (request: CookieRequest, userId: string, since: number) => {
    const secret = secretIn(request)
    const browser = secret === null ? null : await records.look(secret)
    // Another second factor needs trust of its own.
    return browser?.userId === userId && browser.since >= since ? { secret: secret ?? '', browser } : null
  }

  const put = async ({ specs }: CookieRequest, browser: TrustedBrowser): Promise<readonly CookieChange[]> => {
    const spec = specs['trustedBrowser']
    const maxAge = Math.ceil((browser.until - now()) / 1000)
    if (spec === undefined || maxAge < 1) return []
    return [setCookie(spec, await records.make(browser.userId, browser, maxAge), { maxAge })]
  }

  return {
    /** @param since when the second factor was added: who trusted a browser before did not mean this one */
    has: async (request: CookieRequest, userId: string, since: number): Promise<boolean> =>
      (await find(request, userId, since)) !== null,
    /** @param seconds from now */
    trust: (request: CookieRequest, userId: string, seconds: number): Promise<readonly CookieChange[]> =>
      put(request, { userId, since: now(), until: now() + seconds * 1000 }),
    /** Gives the browser another secret, after a sign-in. Its time stays. */
    async renew(request: CookieRequest, userId: string, since: number): Promise<readonly CookieChange[]> {
      const found = await find(request, userId, since)
      // Of two sign-ins at once, one has it.
      const browser = found && (await records.take(found.secret))
      return browser ? put(request, browser) : []
    },
    /** Ends the trust in this browser. */
    async forget(request: CookieRequest): Promise<readonly CookieChange[]> {
      const secret = secretIn(request)
      const spec = request.specs['trustedBrowser']
      if (secret === null || spec === undefined) return []
      await records.take(secret)
      return [clearCookie(spec)]
    },
    /** How many browsers a user trusts. */
    async count(userId: string): Promise<number> {
      const all = await store.listRecordsByOwner(KIND, userId)
      return all.filter(({ expires }) => expires !== null && new Date(expires).getTime() > now()).length
    },
    /** Ends the trust in all browsers of a user. */
    forgetAll: (userId: string): Promise<number> => deleteRecordsOf(store, KIND, userId),
  }
}
