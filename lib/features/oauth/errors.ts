import { AuthError, type ErrorRule, type ErrorType, SignInError } from '../../kernel/errors.js'

/** The one-time values of an authorization transaction are missing, expired, used, or belong to another provider. */
export class InvalidCheck extends AuthError {
  static override readonly type: ErrorType = 'InvalidCheck'
  static override readonly rule: ErrorRule = { page: 'signIn', shownAs: 'OAuthCallbackError', by: 'visitor' }
}

/** A sign-in at a provider took too long, or its times lie in the future because a clock was changed. */
export class SignInExpired extends InvalidCheck {
  static override readonly type: ErrorType = 'SignInExpired'
  static override readonly rule: ErrorRule = {
    page: 'signIn',
    shownAs: 'OAuthCallbackError',
    code: 'SignInExpired',
    by: 'either',
  }
}

/** A sign-in with an OAuth provider could not be started. */
export class OAuthSignInError extends SignInError {
  static override readonly type: ErrorType = 'OAuthSignInError'
  static override readonly rule: ErrorRule = AuthError.rule
}
