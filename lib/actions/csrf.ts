import { RequestRefused } from '../errors.js'
import { type Action, json } from './action.js'

/** GET csrf: the token for forms of the application's own. */
export const handOutCsrfToken: Action = ({ config, cookies, scheme }) => {
  if (!config.csrf) throw new RequestRefused(404, 'CSRF protection is turned off.')
  const { token, cookies: changes } = config.csrf.handOut(cookies, scheme.specs.csrfToken)
  return json({ csrfToken: token }, changes)
}
