import { type Action, json } from './action.js'

/** GET webauthn-options: no provider of this version has passkeys, and the answer is the one for a provider of another kind. */
export const webAuthnOptions: Action = () => json({ error: 'Invalid request' }, [], 400)
