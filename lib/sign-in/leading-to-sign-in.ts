import { RecentSignInRequired, RequestRefused } from '../kernel/errors.js'
import { ACTING_ENDED, OPEN_PAGE } from '../pages/action-urls.js'
import { SIGN_IN_ENDED } from '../pages/messages.js'
import { isRecent, lacksFactorAlone } from '../sessions/may-be-used.js'
import { SECOND_FACTOR_PAGE } from './config.js'
import { forgetPageOfMount, homeOf, urlLeadingOn } from './find-return-target.js'
import { json, redirect } from './outcome.js'
import { type Action, lookAtSession, type Visit } from './visit.js'

/**
 * With what somebody who is signed in is led to the sign-in page, because a second factor alone would not do there. That page does not
 * judge it again: it does not know how recent the sign-in has to be.
 */
export const SIGN_IN_AGAIN = { error: RecentSignInRequired.type, code: OPEN_PAGE } as const

/**
 * An action that leads people who must sign in first, or anew, to the sign-in page, and from there to a page. A script gets
 * the error as JSON, as from lists.
 *
 * @param page under the mount: `password/change`
 * @param asked what that page says to whoever is not signed in, and sends no form
 */
export const leadingToSignIn =
  (page: string, action: Action, asked: Readonly<Record<string, string>> = { error: 'SessionRequired' }): Action =>
  async (visit) => {
    forgetPageOfMount(visit)
    try {
      return await action(visit)
    } catch (error) {
      const isTooOld = error instanceof RecentSignInRequired
      const isNobody = error instanceof RequestRefused && error.status === 401
      if (isTooOld && !visit.wantsPage) return json({ error: error.type }, [], 403)
      if (!visit.wantsPage || !(isTooOld || isNobody)) throw error
      visit.leadTo(await urlLeadingOn(visit, page))
      // Whoever sends a form was in, or was about to be, when its page was shown.
      const isForm = visit.method === 'POST'
      const why = isTooOld ? SIGN_IN_AGAIN : isForm ? SIGN_IN_ENDED : asked
      const asksFactor = isTooOld ? await pageForFactorAlone(visit) : null
      return redirect(asksFactor ?? signInPageFor(visit, await visit.returnTarget(), why))
    }
  }

/**
 * As {@link leadingToSignIn}, for a form that nobody sends from a front end on another origin: whoever takes that one over must not
 * be able to. They are led to the page here.
 */
export const onThisOrigin = (page: string, action: Action): Action =>
  leadingToSignIn(page, (visit) => (visit.mayBeFromFrontEnd ? redirect(visit.urls.action(page)) : action(visit)))

/**
 * The sign-in page for whom a page needs to be signed in. Who acted as a user until now reads that this has ended, and is led home: what
 * they wanted was the user's.
 */
export const signInPageFor = (
  visit: Visit,
  returnTarget: string,
  why: Readonly<Record<string, string>> = {},
): string =>
  visit.sessions.acting?.isBrought(visit)
    ? visit.urls.signInPage(homeOf(visit.config, visit.origin), ACTING_ENDED)
    : visit.urls.signInPage(returnTarget, why)

/**
 * The page that asks for the second factor, where that is all that the sign-in of a visitor lacks to be recent; null for everybody
 * else.
 */
export async function pageForFactorAlone(visit: Visit): Promise<string | null> {
  const { recentAuthAge, now, services } = visit.config
  const page = services.get(SECOND_FACTOR_PAGE)
  if (page === undefined) return null
  const reading = await lookAtSession(visit, 'read')
  if (!reading) return null
  // The factor may have been taken away since.
  const isLeft = lacksFactorAlone(reading, recentAuthAge, now)
    ? await page.canAnswer(String(reading.userId))
    : isRecent(reading, recentAuthAge, now) && (await page.lacksOne(visit.config, reading))
  return isLeft ? urlLeadingOn(visit, page.path) : null
}

/**
 * Whether the visitor has two factors, and has shown one, so that they add no way to sign in. {@link pageForFactorAlone} asks for the
 * other.
 */
export async function lacksFactor(visit: Visit): Promise<boolean> {
  const page = visit.config.services.get(SECOND_FACTOR_PAGE)
  // What is not configured costs nothing.
  return page ? page.lacksOne(visit.config, await visit.sessions.read(visit)) : false
}
