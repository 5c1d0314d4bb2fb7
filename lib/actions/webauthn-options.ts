import { AuthError, RequestRefused, withoutDetails } from '../errors.js'
import { type Action, json } from './action.js'
import { flowRequest } from './flow-request.js'

/**
 * GET webauthn-options: what `navigator.credentials` is asked with. A script reads the answer, so a fault is JSON as well, and not a way
 * to a page.
 */
export const webAuthnOptions: Action = async (context) => {
  const { provider, config } = context
  if (!provider?.flow.options) return json({ error: 'Invalid request' }, [], 400)
  try {
    const made = await provider.flow.options(flowRequest(context))
    return json(made.body, made.cookies, made.status)
  } catch (error) {
    if (error instanceof RequestRefused) throw error
    config.logger.error(
      error instanceof AuthError ? error : new AuthError('Something threw.', { err: withoutDetails(error) }),
    )
    return json({ error: 'Configuration' }, [], 500)
  }
}
