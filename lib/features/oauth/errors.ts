import { errorOf, SignInError } from '../../kernel/errors.js'

/** The one-time values of an authorization transaction are missing, expired, used, or belong to another provider. */
export class InvalidCheck extends errorOf('InvalidCheck', {
  page: 'signIn',
  shownAs: 'OAuthCallbackError',
  by: 'visitor',
}) {}

/** A sign-in at a provider took too long, or its times lie in the future because a clock was changed. */
export class SignInExpired extends errorOf(
  'SignInExpired',
  { shownAs: 'OAuthCallbackError', code: 'SignInExpired', by: 'either' },
  InvalidCheck,
) {}

/** A sign-in with an OAuth provider could not be started. */
export class OAuthSignInError extends errorOf(
  'OAuthSignInError',
  { page: 'error', shownAs: 'Configuration' },
  SignInError,
) {}
