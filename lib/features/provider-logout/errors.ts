import { AuthError, type ErrorRule, type ErrorType } from '../../kernel/errors.js'

/** A logout at a provider was refused: its token is not one of the provider, was used before, or could not be checked. */
export class LogoutTokenError extends AuthError {
  static override readonly type: ErrorType = 'LogoutTokenError'
  static override readonly rule: ErrorRule = { ...AuthError.rule, by: 'either' }
}
