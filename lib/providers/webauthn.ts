import { withInherited } from '../kernel/inherited.js'
import { withoutUndefined } from '../kernel/objects.js'
import type { WebAuthnConfig, WebAuthnUserConfig } from './provider-object.js'

/** Marks providers that this package made. A copy of one, such as `{ ...Passkey(), id: 'key' }`, has it too. */
const ownEntry = Symbol('latchkey-webauthn')

/** Milliseconds that a browser waits for the person. */
const TIMEOUT_MS = 5 * 60 * 1000

const ANY = { members: {} }
/** The options that are merged with defaults. */
export const WEBAUTHN_OPTIONS = {
  members: {
    authenticationOptions: ANY,
    registrationOptions: { members: { authenticatorSelection: ANY } },
    verifyAuthenticationOptions: ANY,
    verifyRegistrationOptions: ANY,
  },
}

/**
 * A sign-in with passkeys or security keys, also with keys that do not store which user they belong to. Use
 * `latchkey/providers/passkey` for a sign-in in which nobody has to enter a name.
 *
 * By default the `id` is `webauthn` and the `name` is `WebAuthn`. Options of `@simplewebauthn/server` are merged with the
 * defaults of this provider.
 */
export default function WebAuthn(config: WebAuthnUserConfig = {}): WebAuthnConfig {
  const given = withInherited(config, WEBAUTHN_OPTIONS)
  return {
    id: 'webauthn',
    name: 'WebAuthn',
    enableConditionalUI: true,
    formFields: { email: { type: 'email', required: true, autocomplete: 'username webauthn' } },
    ...withoutUndefined(given),
    authenticationOptions: { timeout: TIMEOUT_MS, ...withoutUndefined(given.authenticationOptions) },
    registrationOptions: { timeout: TIMEOUT_MS, ...withoutUndefined(given.registrationOptions) },
    type: 'webauthn',
    [ownEntry]: true,
  } as WebAuthnConfig
}
