import type { ErrorType } from '../../kernel/error-rules.js'
import { AuthError } from '../../kernel/errors.js'

/** A passkey was not accepted: the ceremony is unknown, expired or wrong, or the passkey belongs to no user. */
export class WebAuthnVerificationError extends AuthError {
  static override readonly type: ErrorType = 'WebAuthnVerificationError'
}

/** A feature without a promise of stability is used, and the configuration does not say that this is known. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  static override readonly type: ErrorType = 'ExperimentalFeatureNotEnabled'
}

/** Two passkey providers want to fill in the same form. */
export class DuplicateConditionalUI extends AuthError {
  static override readonly type: ErrorType = 'DuplicateConditionalUI'
}
