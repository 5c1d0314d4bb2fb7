import { RecentSignInRequired, RequestRefused } from '../kernel/errors.js'
import { redirect } from './outcome.js'
import type { Action } from './visit.js'

/**
 * Leads people who must sign in first, or anew, to the sign-in page, and from there to a page. A script gets the error.
 *
 * @param page under the mount: `password/change`
 */
export const afterSignIn =
  (page: string, action: Action): Action =>
  async (visit) => {
    try {
      return await action(visit)
    } catch (error) {
      const isTooOld = error instanceof RecentSignInRequired
      const isNobody = error instanceof RequestRefused && error.status === 401
      if (!visit.wantsPage || !(isTooOld || isNobody)) throw error
      const params = isTooOld ? { error: error.type, code: 'OpenPage' } : { error: 'SessionRequired', code: undefined }
      return redirect(visit.urls.errorTarget('signIn', { ...params, callbackUrl: `${visit.mountUrl}/${page}` }))
    }
  }
