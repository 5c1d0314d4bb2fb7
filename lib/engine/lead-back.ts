import { type AuthError, MissingCSRF } from '../kernel/errors.js'
import { parseTarget } from '../kernel/return-target.js'
import { keptValues } from '../pages/provider-forms.js'
import type { FailureRule } from '../sign-in/feature.js'
import { lookAtSession } from '../sign-in/look-at-session.js'
import type { Entered } from '../sign-in/note.js'
import type { Visit } from '../sign-in/visit.js'

/** What leads a signed-in visitor back to a form that failed. */
export interface LedBack {
  /** The page with the form. */
  readonly backUrl?: string | undefined
  /** Whether nobody is signed in any more. */
  readonly isSignedOut?: boolean
}

export async function leadBack(visit: Visit, rule: FailureRule, error: AuthError): Promise<LedBack> {
  const backUrl = rule.leadsBack ? await formTarget(visit) : undefined
  if (backUrl === undefined) return {}
  // A sign-out replaces the CSRF token, so a form from before it has a wrong one.
  const reading = error instanceof MissingCSRF ? await lookAtSession(visit) : null
  return { backUrl, isSignedOut: reading !== null && reading.session === null }
}

/** Where a posted form was to lead; undefined if it names no usable target, or a script sent it. */
export async function formTarget(visit: Visit): Promise<string | undefined> {
  const { fields, origin } = visit
  if (parseTarget(fields['callbackUrl'], origin) === null || !visit.wantsPage) return undefined
  // If the `redirect` callback throws, the failure that is to be shown counts.
  return visit.returnTarget().catch(() => undefined)
}

/** What was entered into a form that failed, without passwords. Undefined if there is nothing to keep. */
export function enteredIn({ provider, fields }: Visit): Entered | undefined {
  if (provider === null) return undefined
  const values = keptValues(provider.settings, fields)
  return Object.keys(values).length === 0 ? undefined : { provider: provider.settings.id, values }
}
