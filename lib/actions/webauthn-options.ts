import { json } from '../context/outcome.js'
import type { Action } from '../context/visit.js'

/** GET webauthn-options: the options that a script hands to `navigator.credentials`. */
export const getWebAuthnOptions: Action = async (visit) => {
  const { flow } = visit.provider ?? {}
  if (!flow?.options) return json({ error: 'Invalid request' }, [], 400)
  const { body, cookies, status } = await flow.options(visit)
  return json(body, cookies, status)
}
