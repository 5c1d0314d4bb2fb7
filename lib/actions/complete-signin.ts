import { askSignIn } from '../accounts/ask-signin.js'
import type { Identity } from '../accounts/identity.js'
import { clearAllTransactions } from '../flows/transaction-cookies.js'
import type { CookieChange } from '../http/cookies.js'
import type { SessionStart } from '../sessions/session.js'
import { type ActionContext, type Outcome, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'
import { elsewhere } from './elsewhere.js'
import { withParams } from './urls.js'

/**
 * THE sign-in completion: asks the `signIn` callback, finds or makes the user, starts the session, tells the event and sends the visitor on. Every flow
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
  const { config, scheme, cookies, urls } = context
  const { user, account, profile, credentials, isIdMadeUp } = identity
  const known = await config.accounts.known(identity)
  const verdict = await askSignIn(config.callbacks.signIn, {
    user: known ?? user,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials }),
  })
  if (typeof verdict === 'string') {
    return redirect(await elsewhere(context, verdict), [...cleared, ...callbackUrlCookie(context)])
  }
  const resolved = await config.accounts.resolve(identity, () => scheme.sessions.readPrincipal(context))
  const start: SessionStart = { ...resolved, profile, ...(isIdMadeUp && { isIdMadeUp }) }
  const session = await scheme.sessions.issue(context, start)
  // A session that ought not to be has been stored by now, and nobody is ever told its token.
  await config.accounts.recheck(resolved)
  await config.emit('signIn', eventMessage(start))
  // Values of before the sign-in are worthless after it, so nobody gains by having planted them (fixation).
  const csrf = config.csrf?.renew(cookies, scheme.specs.csrfToken) ?? []
  const welcome = start.isNewUser ? config.pages.newUser : undefined
  const target = welcome === undefined ? callbackUrl : withParams(welcome, { callbackUrl }, urls.origin)
  return redirect(target, [
    ...csrf,
    ...clearAllTransactions({ cookies, specs: scheme.specs }),
    ...cleared,
    ...callbackUrlCookie(context, callbackUrl),
    ...session,
  ])
}

function eventMessage({ user, account, profile, isNewUser }: SessionStart) {
  if (account.type === 'credentials') return { user, account }
  return { user, account, ...(profile && { profile }), ...(isNewUser !== undefined && { isNewUser }) }
}
