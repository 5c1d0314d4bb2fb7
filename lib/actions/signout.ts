import { clearCookie } from '../http/cookies.js'
import { type Action, redirect } from './action.js'
import { endAttempts } from './end-attempts.js'

/** POST signout: ends the session in hand, if any, and sends the visitor back where they came from. */
export const signOut: Action = async ({ config, scheme, cookies, callbackUrl }) => {
  const { specs, sessions } = scheme
  const { cookies: cleared, ended } = await sessions.revoke(cookies)
  if (ended) await config.tell('signOut', ended)
  // What is left in a shared browser says nothing about who was here.
  const csrf = config.csrf?.clear(cookies, specs.csrfToken) ?? []
  const target = cookies.has(specs.callbackUrl.name) ? [clearCookie(specs.callbackUrl)] : []
  return redirect(callbackUrl, [...csrf, ...target, ...endAttempts({ cookies, scheme }), ...cleared])
}
