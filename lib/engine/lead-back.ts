import { keepForm, leadsToSignIn } from '../actions/kept-form.js'
import { lookAtSession } from '../actions/look-at-session.js'
import type { Visit } from '../context/visit.js'
import { type AuthError, MissingCSRF } from '../errors.js'
import { isRemembered } from '../flows/remember-field.js'
import type { CookieChange } from '../http/cookies.js'
import { parseTarget } from '../http/return-target.js'
import type { AuthAction } from './action-names.js'

/** What leads the visitor back to a form that failed. */
export interface LedBack {
  /** They keep what was entered, and where the visitor wanted to go. */
  readonly cookies: readonly CookieChange[]
  /** The page with the form, if it is one for signed-in visitors. */
  readonly backUrl?: string | undefined
  /** Whether nobody is signed in any more. */
  readonly isSignedOut?: boolean
  /** Where the sign-in page leads, if the application has its own: it cannot read the cookie. */
  readonly callbackUrl?: string | undefined
  readonly isRemembered?: boolean
}

/** Actions whose forms are in pages for signed-in visitors. The page of their failure leads back there. */
const OF_SIGNED_IN: ReadonlySet<AuthAction | null> = new Set(['accounts', 'sessions', 'link'])

export const leadBack = (visit: Visit, action: AuthAction | null, error: AuthError): Promise<LedBack> =>
  OF_SIGNED_IN.has(action) ? toPageOfSignedIn(visit, error) : toSignInPage(visit, error)

async function toPageOfSignedIn(visit: Visit, error: AuthError): Promise<LedBack> {
  if (!namesTarget(visit) || !visit.wantsPage) return { cookies: [] }
  const backUrl = await targetOf(visit)
  // A sign-out replaces the CSRF token, so a form from before it has a wrong one.
  const reading = error instanceof MissingCSRF ? await lookAtSession(visit) : null
  return { cookies: [], backUrl, isSignedOut: reading !== null && reading.session === null }
}

async function toSignInPage(visit: Visit, error: AuthError): Promise<LedBack> {
  const cookies = await keepForm(visit, error)
  const isOwnPage = visit.urls.ownPage('signIn') !== undefined && leadsToSignIn(error)
  const isShownAgain = isOwnPage || error instanceof MissingCSRF
  if (!isShownAgain || !namesTarget(visit) || !visit.wantsPage) return { cookies }
  return { cookies, callbackUrl: await targetOf(visit), isRemembered: isRemembered(visit.fields) }
}

const namesTarget = ({ fields, origin }: Visit): boolean => parseTarget(fields['callbackUrl'], origin) !== null

/** If the `redirect` callback throws, the failure that is to be shown counts. */
const targetOf = (visit: Visit): Promise<string | undefined> => visit.returnTarget().catch(() => undefined)
