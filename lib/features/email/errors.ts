import { AuthError, type ErrorRule, type ErrorType } from '../../kernel/errors.js'

/** A mailed link is unknown, used or expired. */
export class Verification extends AuthError {
  static override readonly type: ErrorType = 'Verification'
  static override readonly rule: ErrorRule = { page: 'error', shownAs: 'Verification', by: 'visitor' }
}
