import { ERROR_RULES, type ErrorRule, type ErrorType } from './error-rules.js'

/**
 * Data about an error. `err` is the error that caused it. `isFault` says whether somebody has to repair something, for
 * the errors whose rule is `either`: it decides whether they are logged as `error` or as `info`.
 */
export type AuthErrorCause = Record<string, unknown> & { err?: Error; isFault?: boolean }

/** Options of {@link AuthError}: any members become its `cause`. */
export type AuthErrorOptions = Error | AuthErrorCause

/** The base of every error that Latchkey throws. */
export class AuthError extends Error {
  /** The type that instances of this class have. */
  static readonly type: ErrorType = 'AuthError'

  /** Identifies the error in logs and in code. */
  readonly type: ErrorType

  override readonly cause?: AuthErrorCause

  /**
   * @param message for the developer; or the options, when there is nothing to say beyond the cause
   * @param options the error that caused this one, or a record with it as `err`
   */
  constructor(message?: string | AuthErrorOptions, options?: AuthErrorOptions) {
    const given = typeof message === 'string' || message === undefined ? options : message
    const cause: AuthErrorCause | undefined = given instanceof Error ? { err: given } : given
    super(typeof message === 'string' ? message : (cause?.err?.message ?? ''))
    // Not the name of the class: a bundler that minifies gives it another one.
    this.name = new.target.type
    this.type = new.target.type
    if (cause) this.cause = cause
  }
}

/** A sign-in that failed. */
export class SignInError extends AuthError {
  static override readonly type: ErrorType = 'SignInError'
}

/**
 * Thrown from `authorize` to refuse a credentials sign-in. Subclass it, or set `code`, to give the sign-in page
 * the reason.
 */
export class CredentialsSignin extends SignInError {
  static override readonly type: ErrorType = 'CredentialsSignin'
  /** Appears in the URL of the sign-in page as `code`; must not hint at which part of the credentials was wrong. */
  code = 'credentials'
}

/** The `signIn` callback refused or threw. If it threw, the message is the message of that error. */
export class AccessDenied extends AuthError {
  static override readonly type: ErrorType = 'AccessDenied'
}

/** A passkey or its address belongs to another user. */
export class AccountNotLinked extends SignInError {
  static override readonly type: ErrorType = 'AccountNotLinked'
}

/** The tokens of an account at a provider could not be refreshed, stored, read or revoked. Logged only. */
export class AccountTokenError extends AuthError {
  static override readonly type: ErrorType = 'AccountTokenError'
}

/** A persistence adapter failed, or lacks a method that was needed. */
export class AdapterError extends AuthError {
  static override readonly type: ErrorType = 'AdapterError'
}

/** The callback of a provider failed for a reason that is not the visitor's. */
export class CallbackRouteError extends AuthError {
  static override readonly type: ErrorType = 'CallbackRouteError'
}

/** A mailed link was refused: somebody else may have signed up with the address before, and can still sign in. */
export class EmailNotConfirmed extends AuthError {
  static override readonly type: ErrorType = 'EmailNotConfirmed'
}

/** A link could not be sent: the address is not valid, or the mail server refused the mail. */
export class EmailSignInError extends SignInError {
  static override readonly type: ErrorType = 'EmailSignInError'
}

/** The application's own error page leads to itself. Latchkey does not throw it; Auth.js does. */
export class ErrorPageLoop extends AuthError {
  static override readonly type: ErrorType = 'ErrorPageLoop'
}

/** An event handler threw. Logged only: events change nothing. */
export class EventError extends AuthError {
  static override readonly type: ErrorType = 'EventError'
}

/** A return target is no URL. Latchkey does not throw it; Auth.js does. */
export class InvalidCallbackUrl extends AuthError {
  static override readonly type: ErrorType = 'InvalidCallbackUrl'
}

/** The one-time values of an authorization transaction are missing, expired, used, or belong to another provider. */
export class InvalidCheck extends AuthError {
  static override readonly type: ErrorType = 'InvalidCheck'
}

/** A sign-in at a provider took too long, or its times lie in the future because a clock was changed. */
export class SignInExpired extends InvalidCheck {
  static override readonly type: ErrorType = 'SignInExpired'
}

/** The configuration cannot work; the message lists every problem and how to solve it. */
export class InvalidConfiguration extends AuthError {
  static override readonly type: ErrorType = 'InvalidConfiguration'
}

/** An OAuth provider has neither an issuer nor all the endpoints it needs. */
export class InvalidEndpoints extends AuthError {
  static override readonly type: ErrorType = 'InvalidEndpoints'
}

/** A provider is incomplete, has the id of another provider, or is not a provider. */
export class InvalidProvider extends AuthError {
  static override readonly type: ErrorType = 'InvalidProvider'
}

/** A session token could not be written or read because of a fault; the session itself may be sound. */
export class JWTSessionError extends AuthError {
  static override readonly type: ErrorType = 'JWTSessionError'
}

/** A logout at a provider was refused: its token is not one of the provider, was used before, or could not be checked. */
export class LogoutTokenError extends AuthError {
  static override readonly type: ErrorType = 'LogoutTokenError'
}

/** A provider or strategy needs an adapter and the configuration has none. */
export class MissingAdapter extends AuthError {
  static override readonly type: ErrorType = 'MissingAdapter'
}

/** The adapter lacks methods that the configured providers need. */
export class MissingAdapterMethods extends AuthError {
  static override readonly type: ErrorType = 'MissingAdapterMethods'
}

/** A credentials provider has no `authorize`. */
export class MissingAuthorize extends AuthError {
  static override readonly type: ErrorType = 'MissingAuthorize'
}

/** A form came without the CSRF token, with a wrong one, or from another site. */
export class MissingCSRF extends SignInError {
  static override readonly type: ErrorType = 'MissingCSRF'
}

/** There is no secret in the configuration nor in `AUTH_SECRET`. */
export class MissingSecretError extends AuthError {
  static override readonly type: ErrorType = 'MissingSecret'
  override readonly name: string = 'MissingSecretError'
}

/** The e-mail address belongs to a user who signs in another way. */
export class OAuthAccountNotLinked extends SignInError {
  static override readonly type: ErrorType = 'OAuthAccountNotLinked'
}

/** Nobody signed in at the provider, or with less than was asked for: cancelled, too late, or made up. */
export class OAuthCallbackError extends SignInError {
  static override readonly type: ErrorType = 'OAuthCallbackError'
}

/** A provider's profile could not be turned into a user. */
export class OAuthProfileParseError extends AuthError {
  static override readonly type: ErrorType = 'OAuthProfileParseError'
}

/** A sign-in with an OAuth provider could not be started. */
export class OAuthSignInError extends SignInError {
  static override readonly type: ErrorType = 'OAuthSignInError'
}

/**
 * The sign-in is too old, or its time is unknown: the user must sign in again before they add an account or a passkey, end
 * another session, or get a token.
 */
export class RecentSignInRequired extends SignInError {
  static override readonly type: ErrorType = 'RecentSignInRequired'

  /** HTTP status with which an error handler answers. */
  readonly status = 403
}

/** The request itself is unusable: too large, malformed, of a wrong type, method or path. */
export class RequestRefused extends AuthError {
  static override readonly type: ErrorType = 'RequestRefused'

  /** HTTP status of the answer, 4xx. */
  readonly status: number
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** Somebody signed in or out in the browser during an authorization transaction, which ended the transaction. */
export class SessionChanged extends SignInError {
  static override readonly type: ErrorType = 'SessionChanged'
}

/** A stored session could not be written or read because of a fault; the session itself may be sound. */
export class SessionTokenError extends AuthError {
  static override readonly type: ErrorType = 'SessionTokenError'
}

/** A user signed out in the browser, but the session could not be revoked: a copy of its cookie still works. */
export class SignOutError extends AuthError {
  static override readonly type: ErrorType = 'SignOutError'
}

/** The path names no action. */
export class UnknownAction extends AuthError {
  static override readonly type: ErrorType = 'UnknownAction'
}

/** The session strategy does not fit the rest of the configuration. Latchkey does not throw it; Auth.js does. */
export class UnsupportedStrategy extends AuthError {
  static override readonly type: ErrorType = 'UnsupportedStrategy'
}

/** The public origin of the application is unknown. */
export class UntrustedHost extends AuthError {
  static override readonly type: ErrorType = 'UntrustedHost'
}

/** A mailed link is unknown, used or expired. */
export class Verification extends AuthError {
  static override readonly type: ErrorType = 'Verification'
}

/** Whether a visitor caused an error, so that nobody has to repair anything. */
export function isVisitors(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  const { by }: ErrorRule = ERROR_RULES[error.type]
  if (by !== 'either') return by === 'visitor'
  return !(error.cause?.isFault ?? error.cause?.err !== undefined)
}

/**
 * A copy of an error that is safe for a logger: name, message, code and stack of the error and of its causes. Other
 * members are left out, because libraries store responses of token endpoints in them.
 *
 * @param inLog makes of a message what may be logged
 */
export function withoutDetails(error: unknown, inLog = (message: string) => message, depth = 0): Error {
  if (error instanceof AuthError) return error
  if (!(error instanceof Error)) return new Error(typeof error === 'string' ? error : `a ${typeof error} was thrown`)
  const message = textOf(error, 'message')
  const bare = new Error(inLog(message))
  bare.name = textOf(error, 'name') || 'Error'
  const stack = textOf(error, 'stack')
  if (stack !== '') bare.stack = [`${bare.name}: ${bare.message}`, ...stackFrames({ stack, message })].join('\n')
  const code = textOf(error, 'code')
  if (code !== '') Object.assign(bare, { code })
  const cause = memberOf(error, 'cause')
  if (cause instanceof Error && depth < 4) bare.cause = withoutDetails(cause, inLog, depth + 1)
  return bare
}

/** A member of an error that any code may have thrown: the member may have any type, and reading it may throw. */
export function memberOf(error: object, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}

/**
 * A member of an error that should be a string; empty for another type. Libraries copy parsed responses over errors.
 */
export function textOf(error: Error, name: 'name' | 'message' | 'code' | 'stack'): string {
  const value = memberOf(error, name)
  return typeof value === 'string' ? value : ''
}

/**
 * The frames of a stack. The message at its start is skipped, since a visitor may have written lines that look like
 * frames.
 */
export function stackFrames({ stack = '', message }: Pick<Error, 'stack' | 'message'>): string[] {
  const at = message === '' ? -1 : stack.indexOf(message)
  const below = at < 0 ? stack : stack.slice(at + message.length)
  return below.split('\n').filter((line) => /^\s+at /.test(line))
}
