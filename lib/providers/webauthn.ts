import { withoutUndefined } from '../shapes/without-undefined.js'
import type { WebAuthnConfig, WebAuthnUserConfig } from './provider.js'
import { ownEntry } from './resolve-webauthn-provider.js'

/** Milliseconds that a browser gives a person to answer. */
const TIMEOUT_MS = 5 * 60 * 1000

/**
 * A sign-in with passkeys or security keys, as WebAuthn has them: a key that knows no person by itself will do. For passkeys that
 * sign in without a name being entered, use `latchkey/providers/passkey`.
 *
 * The `id` is `webauthn` and the `name` is `WebAuthn` unless given. Options of `@simplewebauthn/server` are merged with the entry's own.
 */
export default function WebAuthn(config: WebAuthnUserConfig = {}): WebAuthnConfig {
  return {
    id: 'webauthn',
    name: 'WebAuthn',
    enableConditionalUI: true,
    formFields: { email: { label: 'E-mail', type: 'email', required: true, autocomplete: 'username webauthn' } },
    ...withoutUndefined(config),
    authenticationOptions: { timeout: TIMEOUT_MS, ...withoutUndefined(config.authenticationOptions) },
    registrationOptions: { timeout: TIMEOUT_MS, ...withoutUndefined(config.registrationOptions) },
    type: 'webauthn',
    [ownEntry]: true,
  } as WebAuthnConfig
}
