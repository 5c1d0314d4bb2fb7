import { AuthError, type ErrorRule, type ErrorType } from '../../kernel/errors.js'

/** The tokens of an account at a provider could not be refreshed, stored, read or revoked. Logged only. */
export class AccountTokenError extends AuthError {
  static override readonly type: ErrorType = 'AccountTokenError'
  static override readonly rule: ErrorRule = { ...AuthError.rule, by: 'either' }
}
