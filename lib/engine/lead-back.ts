import { lookAtSession } from '../actions/look-at-session.js'
import type { Visit } from '../context/visit.js'
import { type AuthError, MissingCSRF } from '../errors.js'
import type { Entered } from '../flows/note.js'
import { parseTarget } from '../http/return-target.js'
import { keptValues } from '../pages/provider-forms.js'
import type { AuthAction } from './action-names.js'

/** What leads the visitor back to a form that failed. */
export interface LedBack {
  /** The page with the form, if it is one for signed-in visitors. */
  readonly backUrl?: string | undefined
  /** Whether nobody is signed in any more. */
  readonly isSignedOut?: boolean
  /** Where a form of a sign-in was to lead. */
  readonly formTarget?: string | undefined
}

/** Actions whose forms are in pages for signed-in visitors. The page of their failure leads back there. */
const OF_SIGNED_IN: ReadonlySet<AuthAction | null> = new Set(['accounts', 'sessions', 'link'])

export async function leadBack(visit: Visit, action: AuthAction | null, error: AuthError): Promise<LedBack> {
  const { fields, origin } = visit
  if (parseTarget(fields['callbackUrl'], origin) === null || !visit.wantsPage) return {}
  // If the `redirect` callback throws, the failure that is to be shown counts.
  const target = await visit.returnTarget().catch(() => undefined)
  if (!OF_SIGNED_IN.has(action)) return { formTarget: target }
  // A sign-out replaces the CSRF token, so a form from before it has a wrong one.
  const reading = error instanceof MissingCSRF ? await lookAtSession(visit) : null
  return { backUrl: target, isSignedOut: reading !== null && reading.session === null }
}

/** What was entered into a form that failed, without passwords. Undefined if there is nothing to keep. */
export function enteredIn({ provider, fields }: Visit): Entered | undefined {
  if (provider === null) return undefined
  const values = keptValues(provider.settings, fields)
  return Object.keys(values).length === 0 ? undefined : { provider: provider.settings.id, values }
}
