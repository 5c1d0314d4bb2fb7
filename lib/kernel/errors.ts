import { isError } from './describe-value.js'

/** Which page a visitor is sent to when a sign-in fails. */
export type ErrorPage = 'signIn' | 'error'

/** What a visitor learns of one kind of error. */
export interface ErrorRule {
  /** The page that shows the error. */
  readonly page: ErrorPage
  /** Value of the `error` query parameter there. `Configuration` says nothing about the cause; the log has it. */
  readonly shownAs: string
  /**
   * Who caused the error. It decides the level of the log line. `visitor`: somebody at a browser; anybody can make it
   * happen. `either`: as `visitor`, unless the error has a cause that was thrown; `cause.isFault` overrides this.
   * Absent: the application, its configuration, a provider or a store.
   */
  readonly by?: 'visitor' | 'either'
  /** Value of the `code` query parameter beside it, where the same `error` has several reasons. */
  readonly code?: string
}

/**
 * Identifies an error in logs and in code; never changes once released. The names are those of Auth.js, so that an application that
 * matches on `error.type` keeps working. They are part of the contract with applications, so they are here in one list, also those
 * of features: the type of `AuthError.type` is made of it.
 */
export type ErrorType =
  | 'AccessDenied'
  | 'AccountNotLinked'
  | 'AccountTokenError'
  | 'AdapterError'
  | 'AuthError'
  | 'CallbackRouteError'
  | 'CredentialsSignin'
  | 'DuplicateConditionalUI'
  | 'EmailNotConfirmed'
  | 'EmailSignInError'
  | 'ErrorPageLoop'
  | 'EventError'
  | 'ExperimentalFeatureNotEnabled'
  | 'InvalidCallbackUrl'
  | 'InvalidCheck'
  | 'InvalidConfiguration'
  | 'InvalidEndpoints'
  | 'InvalidProvider'
  | 'JWTSessionError'
  | 'LogoutTokenError'
  | 'MissingAdapter'
  | 'MissingAdapterMethods'
  | 'MissingAuthorize'
  | 'MissingCSRF'
  | 'MissingSecret'
  | 'MissingWebAuthnAutocomplete'
  | 'OAuthAccountNotLinked'
  | 'OAuthCallbackError'
  | 'OAuthProfileParseError'
  | 'OAuthSignInError'
  | 'PasswordRefused'
  | 'RecentSignInRequired'
  | 'RequestRefused'
  | 'SessionChanged'
  | 'SessionTokenError'
  | 'SignInError'
  | 'SignInExpired'
  | 'SignOutError'
  | 'UnknownAction'
  | 'UnsupportedStrategy'
  | 'UntrustedHost'
  | 'Verification'
  | 'WebAuthnVerificationError'

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
  /** For Latchkey itself: what a visitor learns of instances of this class. By default nothing of the cause. */
  static readonly rule: ErrorRule = { page: 'error', shownAs: 'Configuration' }

  /** Identifies the error in logs and in code. */
  readonly type: ErrorType

  override readonly cause?: AuthErrorCause

  /**
   * @param message for the developer; or the options, when there is nothing to say beyond the cause
   * @param options the error that caused this one, or a record with it as `err`
   */
  constructor(message?: string | AuthErrorOptions, options?: AuthErrorOptions) {
    const given = typeof message === 'string' || message === undefined ? options : message
    const cause: AuthErrorCause | undefined = isError(given) ? { err: given } : given
    super(typeof message === 'string' ? message : (cause?.err?.message ?? ''))
    // Not the name of the class: a bundler that minifies gives it another one.
    this.name = new.target.type
    this.type = new.target.type
    if (cause) this.cause = cause
  }
}

/**
 * The base of the errors of one type.
 *
 * @param rule where it differs from the rule of `Base`
 */
export const errorOf = (type: ErrorType, rule: Partial<ErrorRule> = {}, Base = AuthError): typeof AuthError =>
  class extends Base {
    static override readonly type: ErrorType = type
    static override readonly rule: ErrorRule = { ...Base.rule, ...rule }
  }

/** A sign-in that failed. */
export class SignInError extends errorOf('SignInError', { page: 'signIn', shownAs: 'Signin', by: 'either' }) {}

/**
 * Thrown from `authorize` to refuse a credentials sign-in. Subclass it, or set `code`, to give the sign-in page
 * the reason.
 */
export class CredentialsSignin extends errorOf(
  'CredentialsSignin',
  { shownAs: 'CredentialsSignin', by: 'visitor' },
  SignInError,
) {
  /** Appears in the URL of the sign-in page as `code`; must not hint at which part of the credentials was wrong. */
  code = 'credentials'
}

/**
 * Somebody may not sign in: the `signIn` callback refused or threw, whose message it then has, or the user is disabled.
 */
export class AccessDenied extends errorOf('AccessDenied', { shownAs: 'AccessDenied', by: 'either' }) {}

/** A passkey or its address belongs to another user. */
export class AccountNotLinked extends errorOf(
  'AccountNotLinked',
  { shownAs: 'AccountNotLinked', by: 'visitor' },
  SignInError,
) {}

/** A persistence adapter failed, or lacks a method that was needed. */
export class AdapterError extends errorOf('AdapterError') {}

/** The callback of a provider failed for a reason that is not the visitor's. */
export class CallbackRouteError extends errorOf('CallbackRouteError') {}

/** A mailed link was refused: somebody else may have signed up with the address before, and can still sign in. */
export class EmailNotConfirmed extends errorOf('EmailNotConfirmed', { shownAs: 'EmailNotConfirmed', by: 'either' }) {}

/** A link could not be sent: the address is not valid, or the mail server refused the mail. */
export class EmailSignInError extends errorOf('EmailSignInError', { shownAs: 'EmailSignin' }, SignInError) {}

/** The application's own error page leads to itself. Latchkey does not throw it; Auth.js does. */
export class ErrorPageLoop extends errorOf('ErrorPageLoop') {}

/** An event handler threw. Logged only: events change nothing. */
export class EventError extends errorOf('EventError') {}

/** A return target is no URL. Latchkey does not throw it; Auth.js does. */
export class InvalidCallbackUrl extends errorOf('InvalidCallbackUrl', { by: 'visitor' }) {}

/** The configuration cannot work; the message lists every problem and how to solve it. */
export class InvalidConfiguration extends errorOf('InvalidConfiguration') {}

/** An OAuth provider has neither an issuer nor all the endpoints it needs. */
export class InvalidEndpoints extends errorOf('InvalidEndpoints') {}

/** A provider is incomplete, has the id of another provider, or is not a provider. */
export class InvalidProvider extends errorOf('InvalidProvider') {}

/** A session token could not be written or read because of a fault; the session itself may be sound. */
export class JWTSessionError extends errorOf('JWTSessionError') {}

/** A provider or strategy needs an adapter and the configuration has none. */
export class MissingAdapter extends errorOf('MissingAdapter') {}

/** The adapter lacks methods that the configured providers need. */
export class MissingAdapterMethods extends errorOf('MissingAdapterMethods') {}

/** A credentials provider has no `authorize`. */
export class MissingAuthorize extends errorOf('MissingAuthorize') {}

/** A form came without the CSRF token, with a wrong one, or from another site. */
export class MissingCSRF extends errorOf('MissingCSRF', { shownAs: 'MissingCSRF', by: 'visitor' }, SignInError) {}

/** There is no secret in the configuration nor in `AUTH_SECRET`. */
export class MissingSecretError extends errorOf('MissingSecret') {
  override readonly name: string = 'MissingSecretError'
}

/** The e-mail address belongs to a user who signs in another way. */
export class OAuthAccountNotLinked extends errorOf(
  'OAuthAccountNotLinked',
  { shownAs: 'OAuthAccountNotLinked', by: 'visitor' },
  SignInError,
) {}

/** Nobody signed in at the provider, or with less than was asked for: cancelled, too late, or made up. */
export class OAuthCallbackError extends errorOf(
  'OAuthCallbackError',
  { shownAs: 'OAuthCallbackError', by: 'visitor' },
  SignInError,
) {}

/** A provider's profile could not be turned into a user. */
export class OAuthProfileParseError extends errorOf('OAuthProfileParseError') {}

/**
 * The sign-in is too old, or its time is unknown: the user must sign in again before they add an account or a passkey, end
 * another session, or get a token.
 */
export class RecentSignInRequired extends errorOf(
  'RecentSignInRequired',
  { shownAs: 'RecentSignInRequired', by: 'visitor' },
  SignInError,
) {
  /** HTTP status with which an error handler answers. */
  readonly status = 403
}

/** The request itself is unusable: too large, malformed, of a wrong type, method or path. */
export class RequestRefused extends errorOf('RequestRefused', { by: 'visitor' }) {
  /** HTTP status of the answer: 4xx; or 503 if the process is too busy, or the client has gone, so that nobody reads the answer. */
  readonly status: number
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * With 409: something was changed meanwhile, or has as many parts as it can have. With 403: somebody acts as another user, or may
   * not. Null for all else.
   */
  readonly conflict: 'changed' | 'full' | 'acting' | 'may-not-act' | null

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    conflict: RequestRefused['conflict'] = null,
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.conflict = conflict
  }
}

/** Somebody signed in or out in the browser during an authorization transaction, which ended the transaction. */
export class SessionChanged extends errorOf(
  'SessionChanged',
  { shownAs: 'SessionChanged', by: 'visitor' },
  SignInError,
) {}

/** A stored session could not be written or read because of a fault; the session itself may be sound. */
export class SessionTokenError extends errorOf('SessionTokenError') {}

/** A user signed out in the browser, but the session could not be revoked: a copy of its cookie still works. */
export class SignOutError extends errorOf('SignOutError', { shownAs: 'SignOut' }) {}

/** The path names no action. */
export class UnknownAction extends errorOf('UnknownAction', { by: 'visitor' }) {}

/** The session strategy does not fit the rest of the configuration. Latchkey does not throw it; Auth.js does. */
export class UnsupportedStrategy extends errorOf('UnsupportedStrategy') {}

/** The public origin of the application is unknown. */
export class UntrustedHost extends errorOf('UntrustedHost') {}

/** The rule of the class of an error. */
export const ruleOf = (error: AuthError): ErrorRule => (error.constructor as typeof AuthError).rule

/** Whether a visitor caused an error, so that nobody has to repair anything. */
export function isVisitors(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  const { by } = ruleOf(error)
  if (by !== 'either') return by === 'visitor'
  return !(error.cause?.isFault ?? error.cause?.err !== undefined)
}

/** What was thrown, as an error of Latchkey: any other error becomes the cause of one with this message. */
export const ownError = (thrown: unknown, message: string): AuthError =>
  thrown instanceof AuthError ? thrown : new AuthError(message, { err: withoutDetails(thrown) })

/**
 * A copy of an error that is safe for a logger: name, message, code and stack of the error and of its causes. Other
 * members are left out, because libraries store responses of token endpoints in them.
 *
 * @param inLog makes of a message what may be logged
 */
export function withoutDetails(error: unknown, inLog = (message: string) => message, depth = 0): Error {
  if (error instanceof AuthError) return error
  if (typeof error === 'string') return new Error(error)
  if (!isError(error)) return errorInstead(error)
  const message = textMember(error, 'message')
  const bare = new Error(inLog(message))
  bare.name = textMember(error, 'name') || 'Error'
  const stack = textMember(error, 'stack')
  if (stack !== '') bare.stack = [`${bare.name}: ${bare.message}`, ...stackFrames({ stack, message })].join('\n')
  const code = textMember(error, 'code')
  if (code !== '') Object.assign(bare, { code })
  const cause = memberOf(error, 'cause')
  if (isError(cause) && depth < 4) bare.cause = withoutDetails(cause, inLog, depth + 1)
  return bare
}

/** For a thrown value that is no error. It says nothing of the value, which may be secret. */
export const errorInstead = (thrown: unknown): Error => new Error(`a value of type ${typeof thrown} was thrown`)

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
export function textMember(error: Error, name: 'name' | 'message' | 'code' | 'stack'): string {
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
