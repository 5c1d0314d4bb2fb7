import { RequestRefused } from '../errors.js'
import { type Action, json } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'

/** GET csrf: the token for forms of the application's own. */
export const handOutCsrfToken: Action = (context) => {
  const { config, cookies, scheme } = context
  if (!config.csrf) throw new RequestRefused(404, 'CSRF protection is turned off.')
  const { token, cookies: changes } = config.csrf.handOut(cookies, scheme.specs.csrfToken)
  // A form of the application's own starts here, and like the built-in one it has a return target for the redirect callback.
  return json({ csrfToken: token }, [...changes, ...callbackUrlCookie(context)])
}
