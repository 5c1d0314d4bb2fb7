import { json } from '../context/outcome.js'
import type { Action } from '../context/visit.js'

/** GET webauthn-options: the options that a script hands to `navigator.credentials`. */
export const getWebAuthnOptions: Action = async (context) => {
  const { flow } = context.provider ?? {}
  if (!flow?.options) return json({ error: 'Invalid request' }, [], 400)
  const { body, cookies, status } = await flow.options(context)
  return json(body, cookies, status)
}
