import { RequestRefused } from '../errors.js'
import { type Action, redirect } from './action.js'
import { completeSignIn } from './complete-signin.js'
import { flowRequest } from './flow-request.js'
import { showConfirm } from './show-page.js'

/** GET and POST callback: ends a sign-in with the answer of a provider, or with what was entered into a form. */
export const finishSignIn: Action = async (context) => {
  const { provider, callbackUrl, scheme } = context
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  const request = flowRequest(context)
  const outcome = await provider.flow.finish(request, () => scheme.sessions.readPrincipal(context))
  if (outcome.kind === 'confirm') return showConfirm(context, provider.provider.id, outcome)
  const cleared = provider.flow.clearOneTime(request)
  if (outcome.kind === 'forward') return redirect(outcome.url, cleared)
  return completeSignIn(context, outcome.identity, outcome.callbackUrl ?? callbackUrl, cleared)
}
