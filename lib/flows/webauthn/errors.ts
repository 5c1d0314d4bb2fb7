import { AuthError, type ErrorType } from '../../errors.js'

/** A passkey was not accepted: the ceremony is unknown, over or wrong, or nobody has the passkey. */
export class WebAuthnVerificationError extends AuthError {
  static override readonly type: ErrorType = 'WebAuthnVerificationError'
}

/** The browser has no cookie of the ceremony that an answer ends. */
export class NoOpenCeremony extends WebAuthnVerificationError {
  override name = 'WebAuthnVerificationError'
}

/** A feature without a promise of stability is used, and the configuration does not say that this is known. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  static override readonly type: ErrorType = 'ExperimentalFeatureNotEnabled'
}

/** Two passkey providers want to fill in the same form. */
export class DuplicateConditionalUI extends AuthError {
  static override readonly type: ErrorType = 'DuplicateConditionalUI'
}

/** A passkey form has no field with `autocomplete="webauthn"`, where browsers offer passkeys. */
export class MissingWebAuthnAutocomplete extends AuthError {
  static override readonly type: ErrorType = 'MissingWebAuthnAutocomplete'
}
