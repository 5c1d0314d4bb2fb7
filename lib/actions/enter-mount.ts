import { redirect } from '../context/outcome.js'
import type { Action } from '../context/visit.js'
import { RequestRefused } from '../errors.js'
import { signInPageWithTarget } from './send-link-form.js'

/**
 * GET of the mount itself, such as `/auth`: a person who shortened the address comes to the sign-in page. A script asked for
 * something that is not there.
 */
export const enterMount: Action = async (visit) => {
  if (!visit.wantsPage) throw new RequestRefused(404, 'There is no such action.')
  return redirect(await signInPageWithTarget(visit))
}
