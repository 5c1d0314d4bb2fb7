import { AccessDenied, AuthError, withoutDetails } from '../errors.js'
import type { Identity } from '../flows/flow.js'
import { formatTarget, parseTarget } from '../http/callback-url.js'
import type { CookieChange } from '../http/cookies.js'
import type { SessionStart } from '../sessions/strategy.js'
import { type ActionContext, type Outcome, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'

/**
 * THE sign-in completion: asks the `signIn` callback, starts the session, tells the event and sends the visitor on. Every flow
 * ends here, so that no flow can forget a step.
 *
 * @throws {AccessDenied} when the callback refuses or throws
 */
export async function completeSignIn(
  context: ActionContext,
  identity: Identity,
  callbackUrl: string,
  cleared: readonly CookieChange[],
): Promise<Outcome> {
  const { config, scheme, cookies } = context
  const verdict = await askSignIn(context, identity)
  if (typeof verdict === 'string') {
    return redirect(await elsewhere(context, verdict), [...cleared, ...callbackUrlCookie(context)])
  }
  const { user, account, profile } = identity
  const start: SessionStart = { user, account, profile, isNewUser: isNewUser(identity) }
  const session = await scheme.sessions.issue(start, cookies)
  await config.tell('signIn', eventMessage(start))
  // Values of before the sign-in are worthless after it, so nobody gains by having planted them (fixation).
  const csrf = config.csrf?.renew(cookies, scheme.specs.csrfToken) ?? []
  return redirect(callbackUrl, [...csrf, ...cleared, ...callbackUrlCookie(context, callbackUrl), ...session])
}

async function askSignIn({ config }: ActionContext, identity: Identity): Promise<true | string> {
  const { user, account, profile, credentials } = identity
  let verdict: boolean | string | null | undefined
  try {
    verdict = await config.callbacks.signIn({
      user,
      account,
      ...(profile && { profile }),
      ...(credentials && { credentials }),
    })
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
  if (!verdict) throw new AccessDenied('The signIn callback refused.')
  return typeof verdict === 'string' ? verdict : true
}

async function elsewhere({ config, urls }: ActionContext, url: string): Promise<string> {
  const baseUrl = urls.origin
  const chosen = await config.callbacks.redirect({ url, baseUrl })
  const target = parseTarget(chosen, baseUrl)
  return target ? formatTarget(target, chosen) : baseUrl
}

/** Without an adapter nobody knows whether a user is new; credentials never make one. */
const isNewUser = ({ account }: Identity) => (account.type === 'credentials' ? false : undefined)

function eventMessage({ user, account, profile, isNewUser }: SessionStart) {
  if (account.type === 'credentials') return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}
