import type { Action } from '../context/action-context.js'
import { json } from '../context/outcome.js'

/** GET webauthn-options: the options that a script hands to `navigator.credentials`. */
export const getWebAuthnOptions: Action = async (context) => {
  const { flow } = context.provider ?? {}
  if (!flow?.options) return NO_PASSKEYS
  const { body, cookies, status } = await flow.options(context)
  return json(body, cookies, status)
}

/** HEAD webauthn-options: the headers of the options, which are made for nobody. */
export const headWebAuthnOptions: Action = ({ provider }) => (provider?.flow.options ? json(undefined) : NO_PASSKEYS)

const NO_PASSKEYS = json({ error: 'Invalid request' }, [], 400)
