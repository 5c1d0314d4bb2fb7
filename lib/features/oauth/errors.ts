import { AuthError, type ErrorRule, errorOf, SignInError } from '../../kernel/errors.js'

/** The one-time values of an authorization transaction are missing, expired, used, or belong to another provider. */
export class InvalidCheck extends errorOf('InvalidCheck', {
  page: 'signIn',
  shownAs: 'OAuthCallbackError',
  by: 'visitor',
}) {}

/** A sign-in at a provider took too long, or its times lie in the future because a clock was changed. */
export class SignInExpired extends errorOf('SignInExpired', { code: 'SignInExpired', by: 'either' }, InvalidCheck) {}

/** A sign-in with an OAuth provider could not be started. */
export class OAuthSignInError extends errorOf('OAuthSignInError', {}, SignInError) {
  // Nothing of the base: unlike other sign-ins, it fails for a fault of the set-up or of the provider.
  static override readonly rule: ErrorRule = AuthError.rule
}
