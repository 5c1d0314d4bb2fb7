import { withInherited } from '../kernel/inherited.js'
import { withoutUndefined } from '../kernel/objects.js'
import type { WebAuthnConfig, WebAuthnUserConfig } from './provider-object.js'
import WebAuthn, { WEBAUTHN_OPTIONS } from './webauthn.js'

/**
 * A sign-in with passkeys: the authenticator stores which user a key belongs to, and asks for a fingerprint, a face or a PIN.
 *
 * By default the `id` is `passkey` and the `name` is `Passkey`. Options of `@simplewebauthn/server` are merged with the
 * defaults of this provider.
 */
export default function Passkey(config: WebAuthnUserConfig = {}): WebAuthnConfig {
  const given = withInherited(config, WEBAUTHN_OPTIONS)
  const { authenticationOptions, registrationOptions, verifyAuthenticationOptions, verifyRegistrationOptions } = given
  return WebAuthn({
    id: 'passkey',
    name: 'Passkey',
    ...withoutUndefined(given),
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
