import { AuthError, ERROR_RULES } from './errors.js'

/** Codes of the warnings that Latchkey gives; stable, so that an application can match on them. */
export type WarningCode =
  | 'accounts-ended'
  | 'authorized-spelling'
  | 'cross-site-post'
  | 'csrf-disabled'
  | 'debug-enabled'
  | 'env-url-basepath-mismatch'
  | 'env-url-basepath-redundant'
  | 'experimental-webauthn'
  | 'forwarded-headers-ignored'
  | 'fresh-configurations'
  | 'inexact-adapter'
  | 'mount-basepath-mismatch'
  | 'provider-outage'
  | 'redirect-proxy-without-hosts'
  | 'redirect-refused'
  | 'session-claim-lost'
  | 'session-without-user'
  | 'shared-secret'
  | 'sign-in-time-unknown'
  | 'sign-outs-forgotten'
  | 'unbound-code'
  | 'unchecked-provider'
  | 'unconfirmed-addresses'
  | 'unmarked-sign-up'
  | 'unused-option'
  | 'weak-secret'

/**
 * Where Latchkey reports. Any member may be replaced through `config.logger`; the others keep writing to the console.
 *
 * No secret, token, code or cookie value is handed to any of them.
 */
export interface LoggerInstance {
  /** A fault, or a sign-in that failed. {@link AuthError.type} says which; `error.cause.err` is what was thrown first. */
  error(error: Error): void
  /** Something that works but should be looked at. */
  warn(code: WarningCode, metadata?: unknown): void
  /** Details for a developer; silent unless `config.debug` is set. */
  debug(message: string, metadata?: unknown): void
}

/** A logger that writes to the console: errors with their causes, warnings, and debug lines only when `debug` is true. */
function createConsoleLogger(debug: boolean): LoggerInstance {
  return {
    error: (error) => console.error(`[latchkey][error] ${isVisitors(error) ? summary(error) : describeError(error)}`),
    warn: (code, metadata) =>
      console.warn(`[latchkey][warn] ${code}${metadata === undefined ? '' : ` ${text(metadata)}`}`),
    debug: (message, metadata) => {
      if (debug) console.debug(`[latchkey][debug] ${message}${metadata === undefined ? '' : ` ${text(metadata)}`}`)
    },
  }
}

/** Fills the members an application left out of its logger; a custom logger decides itself what to do with debug lines. */
export function completeLogger(custom: Partial<LoggerInstance> | undefined, debug: boolean): LoggerInstance {
  const fallback = createConsoleLogger(debug)
  return {
    error: (error) => report(() => (custom?.error ? custom.error(error) : fallback.error(error)), fallback),
    warn: (code, metadata) =>
      report(() => (custom?.warn ? custom.warn(code, metadata) : fallback.warn(code, metadata)), fallback),
    debug: (message, metadata) =>
      report(() => (custom?.debug ? custom.debug(message, metadata) : fallback.debug(message, metadata)), fallback),
  }
}

/** A logger that throws must not change what a visitor gets, nor hide that it did. */
function report(write: () => void, fallback: LoggerInstance): void {
  try {
    write()
  } catch (error) {
    fallback.error(error instanceof Error ? error : new Error('The logger of the application threw.'))
  }
}

/** Name, message and stack of an error and of what caused it. Extra members stay out: libraries keep token responses in them. */
export function describeError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : Object.prototype.toString.call(error)
  const own = error.stack?.includes(error.message) ? error.stack : `${error.name}: ${error.message}`
  const cause = causeOf(error)
  if (cause === undefined || depth >= 4) return own
  return `${own}\n  caused by ${describeError(cause, depth + 1)}`
}

/** What a visitor did, and no fault of the application's: where it was thrown helps nobody. An application's own kinds are shown in full. */
const isVisitors = (error: Error): error is AuthError =>
  error instanceof AuthError &&
  error.cause === undefined &&
  error.name === error.type &&
  ERROR_RULES[error.type].shownAs !== 'Configuration'

const summary = ({ name, message }: Error) => `${name}: ${message}`

function causeOf(error: Error): unknown {
  const cause = error.cause
  if (cause instanceof Error || cause === undefined) return cause
  return typeof cause === 'object' && cause !== null && 'err' in cause ? cause.err : undefined
}

function text(metadata: unknown): string {
  return metadata instanceof Error ? describeError(metadata) : JSON.stringify(metadata)
}
