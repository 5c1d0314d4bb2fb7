import { rememberReturnTarget } from '../context/return-target.js'
import type { Visit } from '../context/visit.js'
import { ERROR_RULES } from '../error-rules.js'
import { AuthError } from '../errors.js'
import type { CookieChange } from '../http/cookies.js'
import { isCrossSite } from '../http/csrf.js'
import { parseTarget } from '../http/return-target.js'
import { keptValues } from '../pages/kept-values.js'

/**
 * The cookies with which the sign-in page has a form that failed as the visitor left it: what was entered, without passwords, and
 * the return target, which another tab may have replaced meanwhile. None for a form of another site, and none if the visitor is
 * not sent to the built-in page.
 */
export async function keepForm(context: Visit, error: unknown): Promise<readonly CookieChange[]> {
  const { config, method, provider, fields, header, origin, urls } = context
  if (method !== 'POST' || provider === null || !leadsToSignIn(error) || !context.wantsPage) return []
  if (urls.ownPage('signIn') !== undefined || isCrossSite(header, origin)) return []
  const values = keptValues(provider.settings, fields)
  const entered =
    Object.keys(values).length === 0
      ? []
      : await config.enteredFields.keep(context, { provider: provider.settings.id, values })
  return [...entered, ...(await keepReturnTarget(context))]
}

/** If the `redirect` callback throws, the failure that is to be shown counts. */
const keepReturnTarget = async (context: Visit): Promise<readonly CookieChange[]> =>
  parseTarget(context.fields['callbackUrl'], context.origin) === null
    ? []
    : rememberReturnTarget(context).catch(() => [])

/** Whether the page of a failure is the sign-in page. */
export const leadsToSignIn = (error: unknown): boolean =>
  error instanceof AuthError && ERROR_RULES[error.type].page === 'signIn'
