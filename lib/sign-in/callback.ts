import { RequestRefused } from '../kernel/errors.js'
import { isRemembered } from '../pages/form-field.js'
import { flowOf } from './flow.js'
import { redirect } from './outcome.js'
import { signIn } from './sign-in.js'
import type { Action } from './visit.js'

/** GET and POST callback: ends a sign-in with the response of a provider, or with the fields of a form. */
export const callback: Action = async (visit) => {
  const { provider } = visit
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  // A form of Latchkey has the return target in it. Asks the `redirect` callback now, before `authorize()`, as Auth.js
  // does, and before a link is used up; `returnTarget()` remembers the result. The response of a provider has no return
  // target: the transaction has it.
  const flow = flowOf(visit.config, provider)
  if (!flow.keepsReturnTarget) await visit.returnTarget()
  visit.keep.onFailure({ isRemembered: isRemembered(visit.fields) })
  const result = await flow.finish(visit)
  if (result.kind === 'answer') return result.outcome
  return result.kind === 'identity' ? signIn(visit, result) : redirect(result.url)
}
