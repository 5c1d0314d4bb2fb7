import { RecentSignInRequired, RequestRefused } from '../kernel/errors.js'
import { leaveOwnPage, urlLeadingOn } from './find-return-target.js'
import { json, redirect } from './outcome.js'
import type { Action } from './visit.js'

/**
 * The same, for a form that nobody sends from a front end on another origin: whoever takes that one over must not be able to. They are
 * led to the page here.
 */
export const onOwnPage = (page: string, action: Action): Action =>
  leadingToSignIn(page, (visit) => (visit.mayBeFromFrontEnd ? redirect(visit.urls.action(page)) : action(visit)))

/**
 * An action that leads people who must sign in first, or anew, to the sign-in page, and from there to a page. A script gets
 * the error as JSON, as from lists.
 *
 * @param page under the mount: `password/change`
 */
export const leadingToSignIn =
  (page: string, action: Action): Action =>
  async (visit) => {
    leaveOwnPage(visit)
    try {
      return await action(visit)
    } catch (error) {
      const isTooOld = error instanceof RecentSignInRequired
      const isNobody = error instanceof RequestRefused && error.status === 401
      if (isTooOld && !visit.wantsPage) return json({ error: error.type }, [], 403)
      if (!visit.wantsPage || !(isTooOld || isNobody)) throw error
      const why = isTooOld ? { error: error.type, code: 'OpenPage' } : { error: 'SessionRequired' }
      return redirect(visit.urls.signInPage(await urlLeadingOn(visit, page), why))
    }
  }
