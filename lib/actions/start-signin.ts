import { withoutDetails } from '../errors.js'
import type { CookieChange } from '../http/cookies.js'
import { principalOf } from '../sessions/session.js'
import { type Action, type ActionContext, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'
import { elsewhere } from './elsewhere.js'
import { flowRequest } from './flow-request.js'

/** POST signin: sends the visitor to the provider, or to the sign-in page when the provider's form is there. */
export const startSignIn: Action = async (context) => {
  const { provider, urls } = context
  const remembered = callbackUrlCookie(context)
  if (!provider?.flow.start) return redirect(urls.action('signin'), remembered)
  const { initiator, cookies } = await readInitiator(context)
  const start = await provider.flow.start(flowRequest(context), initiator)
  if ('redirectTo' in start) return redirect(await elsewhere(context, start.redirectTo), [...remembered, ...cookies])
  return redirect(start.url, [...remembered, ...cookies, ...start.cookies])
}

interface Initiator {
  /** As {@link Claim.initiator}. */
  readonly initiator: string | null
  /** Those of their session: what the `jwt` callback gives when it is read must not be lost. */
  readonly cookies: readonly CookieChange[]
}

/** Who begins a sign-in. */
async function readInitiator(context: ActionContext): Promise<Initiator> {
  const { config, scheme } = context
  try {
    const reading = await scheme.sessions.renew(context)
    const initiator = await config.accounts.initiator(async () => principalOf(reading))
    return { initiator, cookies: reading.cookies }
  } catch (error) {
    // Signing in again is the cure for a session that cannot be read. What begins like this adds no account to anybody.
    config.logger.error(withoutDetails(error))
    return { initiator: null, cookies: [] }
  }
}
