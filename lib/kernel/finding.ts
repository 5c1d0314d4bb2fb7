import type { ErrorType } from './error-rules.js'
import type { AuthError } from './errors.js'

/** Something that is wrong with a configuration. The message also says how to correct it. */
export interface Finding {
  readonly type: ErrorType
  readonly message: string
  /** The class of the error, where a feature has one of its own. */
  readonly Kind?: new (
    message: string,
  ) => AuthError
}

/** A finding about an option of the configuration. */
export const invalid = (message: string): Finding => ({ type: 'InvalidConfiguration', message })
