import { type CookieChange, clearCookie, setCookie } from '../../kernel/cookies.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { randomToken } from '../../kernel/random.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { Parts } from '../../sign-in/feature.js'
import { deleteRecordsOf } from '../../sign-in/records.js'

/** What a trusted browser is among the records. */
const KIND = 'trusted-browser'

/** What the encrypted value of a record has. */
interface StoredBrowser {
  readonly userId: string
  /** When the person began to trust it, milliseconds since the epoch. */
  readonly since: number
}

/**
 * Browsers in which people are not asked for their second factor for a time. Keeps one record a browser, and in the browser a secret
 * that changes with each sign-in: a copy of the cookie ends when its owner signs in next. It stands for the second factor alone, so nobody signs in with it.
 */
export function createTrustedBrowsers({ store, secrets, now }: Pick<Parts, 'store' | 'secrets' | 'now'>) {
  const encryption = createValueEncryption(secrets, 'trusted-browser', now, { isInStore: true })
  const secretIn = ({ cookies, specs }: CookieRequest) => cookies.get(specs['trustedBrowser']?.name ?? '') || null

  const find = async (request: CookieRequest, userId: string, since: number) => {
    const secret = secretIn(request)
    const key = secret && sha256Base64url(secret)
    const record = key ? await store.getRecord(KIND, key) : null
    if (!record?.expires || new Date(record.expires).getTime() <= now()) return null
    const value = (await encryption.decrypt(record.value)) as StoredBrowser | null
    // Another second factor needs trust of its own.
    return value?.userId === userId && value.since >= since ? { record, value } : null
  }

  const put = async (
    { specs }: CookieRequest,
    value: StoredBrowser,
    expires: Date,
  ): Promise<readonly CookieChange[]> => {
    const spec = specs['trustedBrowser']
    const maxAge = Math.ceil((expires.getTime() - now()) / 1000)
    if (spec === undefined || maxAge < 1) return []
    const secret = randomToken()
    await store.createRecord({
      kind: KIND,
      key: sha256Base64url(secret),
      owner: value.userId,
      value: await encryption.encrypt(value, maxAge),
      expires,
      version: 1,
    })
    return [setCookie(spec, secret, { maxAge })]
  }

  return {
    /** @param since when the second factor was added: who trusted a browser before did not mean this one */
    has: async (request: CookieRequest, userId: string, since: number): Promise<boolean> =>
      (await find(request, userId, since)) !== null,
    /** @param seconds from now */
    trust: (request: CookieRequest, userId: string, seconds: number): Promise<readonly CookieChange[]> =>
      put(request, { userId, since: now() }, new Date(now() + seconds * 1000)),
    /** Gives the browser another secret, after a sign-in. Its time stays. */
    async renew(request: CookieRequest, userId: string, since: number): Promise<readonly CookieChange[]> {
      const found = await find(request, userId, since)
      const { expires } = found?.record ?? {}
      // Of two sign-ins at once, one has it.
      if (!found || !expires || !(await store.deleteRecord(KIND, found.record.key))) return []
      return put(request, found.value, new Date(expires))
    },
    /** Ends the trust in this browser. */
    async forget(request: CookieRequest): Promise<readonly CookieChange[]> {
      const secret = secretIn(request)
      const spec = request.specs['trustedBrowser']
      if (secret === null || spec === undefined) return []
      await store.deleteRecord(KIND, sha256Base64url(secret))
      return [clearCookie(spec)]
    },
    /** How many browsers a user trusts. */
    async count(userId: string): Promise<number> {
      const all = await store.listRecordsByOwner(KIND, userId)
      return all.filter(({ expires }) => expires !== null && new Date(expires).getTime() > now()).length
    },
    /** Ends the trust in all browsers of a user. */
    forgetAll: (userId: string): Promise<void> => deleteRecordsOf(store, KIND, userId),
  }
}
