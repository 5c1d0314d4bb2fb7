import { csrfTokenOf } from '../context/csrf-token.js'
import { json } from '../context/outcome.js'
import { rememberReturnTarget } from '../context/return-target.js'
import type { Action } from '../context/visit.js'
import { RequestRefused } from '../errors.js'

/** GET csrf: the token for forms of the application's own. */
export const getCsrfToken: Action = async (visit) => {
  if (!visit.config.csrf) throw new RequestRefused(404, 'CSRF protection is turned off.')
  const { token, cookies } = csrfTokenOf(visit)
  // A form of the application's own starts here. Like the built-in form, it has a return target.
  return json({ csrfToken: token }, [...cookies, ...(await rememberReturnTarget(visit))])
}
