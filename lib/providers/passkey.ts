import { withoutUndefined } from '../shapes/without-undefined.js'
import type { WebAuthnConfig, WebAuthnUserConfig } from './provider.js'
import WebAuthn from './webauthn.js'

/**
 * A sign-in with passkeys: keys that know the person they belong to, and that ask for a fingerprint, a face or a PIN.
 *
 * The `id` is `passkey` and the `name` is `Passkey` unless given. Options of `@simplewebauthn/server` are merged with the entry's own.
 */
export default function Passkey(config: WebAuthnUserConfig = {}): WebAuthnConfig {
  const { authenticationOptions, registrationOptions, verifyAuthenticationOptions, verifyRegistrationOptions } = config
  return WebAuthn({
    id: 'passkey',
    name: 'Passkey',
    ...withoutUndefined(config),
    authenticationOptions: { userVerification: 'required', ...withoutUndefined(authenticationOptions) },
    registrationOptions: {
      ...registrationOptions,
      authenticatorSelection: {
        residentKey: 'required',
        userVerification: 'required',
        ...withoutUndefined(registrationOptions?.['authenticatorSelection']),
      },
    },
    verifyAuthenticationOptions: { requireUserVerification: true, ...withoutUndefined(verifyAuthenticationOptions) },
    verifyRegistrationOptions: { requireUserVerification: true, ...withoutUndefined(verifyRegistrationOptions) },
  })
}
