import { type ErrorType, SignInError } from '../../errors.js'

/** A link could not be sent: the address is not one, or the mail did not go out. */
export class EmailSignInError extends SignInError {
  static override readonly type: ErrorType = 'EmailSignInError'
}
