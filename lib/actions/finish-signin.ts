import { RequestRefused } from '../errors.js'
import { FlowFailure } from '../flows/flow-failure.js'
import { type Action, redirect } from './action.js'
import { completeSignIn } from './complete-signin.js'
import { flowRequest } from './flow-request.js'
import { showConfirm } from './show-page.js'

/** GET and POST callback: ends a sign-in with the answer of a provider, or with what was entered into a form. */
export const finishSignIn: Action = async (context) => {
  const { provider, callbackUrl } = context
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  const outcome = await provider.flow.finish(flowRequest(context))
  if (outcome.kind === 'confirm') return showConfirm(context, provider.provider.id, outcome)
  const { cookies } = outcome
  if (outcome.kind === 'forward') return redirect(outcome.url, cookies)
  try {
    return await completeSignIn(context, outcome.identity, outcome.returnTarget ?? callbackUrl, cookies)
  } catch (error) {
    throw new FlowFailure(error, cookies)
  }
}
