import { createValueEncryption } from '../crypto/encrypted-values.js'
import { type CookieChange, clearCookie, setCookie } from '../http/cookies.js'
import type { CookieRequest } from './transaction-kinds.js'

/** What a visitor entered into a form that failed, as far as it may be shown again. */
export interface Entered {
  /** Id of the provider. */
  readonly provider: string
  /** Values by the names of their fields; never a password or a code. */
  readonly values: Readonly<Record<string, string>>
}

/**
 * Keeps what was entered from a form that failed to the page that shows why. It is encrypted in a cookie: a URL would show it to
 * logs and in the history of the browser.
 */
export interface EnteredFields {
  keep(request: CookieRequest, entered: Entered): Promise<readonly CookieChange[]>
  /** What was kept, and the change that deletes it: it is shown once. */
  take(request: CookieRequest): Promise<{ readonly entered: Entered | null; readonly cookies: readonly CookieChange[] }>
}

/** Long enough for the redirect to the page, also on a slow line. */
const KEPT_SECONDS = 2 * 60

/**
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createEnteredFields(secrets: readonly string[], now: () => number): EnteredFields {
  const encryption = createValueEncryption(secrets, 'entered-fields', now)
  return {
    async keep({ specs }, entered) {
      return [setCookie(specs.enteredFields, await encryption.encrypt(entered, KEPT_SECONDS), { maxAge: KEPT_SECONDS })]
    },
    async take({ cookies, specs }) {
      const value = cookies.get(specs.enteredFields.name)
      if (value === undefined) return { entered: null, cookies: [] }
      // Nobody else can make such a value, so it has the members that it was made with.
      const entered = (await encryption.decrypt(value)) as Entered | null
      return { entered, cookies: [clearCookie(specs.enteredFields)] }
    },
  }
}
