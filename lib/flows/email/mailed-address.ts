import { createValueEncryption } from '../../crypto/encrypted-values.js'
import { type CookieChange, clearCookie, setCookie } from '../../http/cookies.js'
import type { CookieRequest } from '../transaction-kinds.js'

/** The last address to which a browser asked for a link. */
export interface MailedAddress {
  /** Id of the e-mail provider. */
  readonly provider: string
  /** The address as the link has it. */
  readonly address: string
  /** Whether this browser had asked for a link to the same address just before. */
  readonly isAgain: boolean
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered: boolean
  /** Seconds that the link works. */
  readonly lifetimeSeconds: number
}

/**
 * Keeps the last address to which a browser asked for a link, encrypted in a cookie. The pages that follow name the
 * address, and everybody can open their URLs: so neither the URL nor the server may give it away.
 */
export interface MailedAddresses {
  remember(request: CookieRequest, mailed: MailedAddress): Promise<readonly CookieChange[]>
  /** Null if this browser asked for no link lately. */
  read(request: CookieRequest): Promise<MailedAddress | null>
}

/** After the end of the link, the page that says so can still offer a new one. */
const MARGIN_SECONDS = 60 * 60

/**
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createMailedAddresses(secrets: readonly string[], now: () => number): MailedAddresses {
  const encryption = createValueEncryption(secrets, 'mailed-address', now)
  return {
    async remember({ specs }, mailed) {
      const lifetimeSeconds = mailed.lifetimeSeconds + MARGIN_SECONDS
      const value = await encryption.encrypt(mailed, lifetimeSeconds)
      return [setCookie(specs.mailedAddress, value, { maxAge: Math.floor(lifetimeSeconds) })]
    },
    async read({ cookies, specs }) {
      const value = cookies.get(specs.mailedAddress.name)
      // Nobody else can make such a value, so it has the members that it was made with.
      return value === undefined ? null : ((await encryption.decrypt(value)) as MailedAddress | null)
    },
  }
}

/** Deletes the address: after a sign-in it has done its work, and after a sign-out another person may use the browser. */
export const forgetMailedAddress = ({ cookies, specs }: CookieRequest): readonly CookieChange[] =>
  cookies.has(specs.mailedAddress.name) ? [clearCookie(specs.mailedAddress)] : []
