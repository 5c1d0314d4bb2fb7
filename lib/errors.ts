/** Which page a visitor is sent to when a sign-in fails. */
export type ErrorPage = 'signIn' | 'error'

/** What a visitor learns of one kind of error. */
export interface ErrorRule {
  /** The page that tells the visitor. */
  readonly page: ErrorPage
  /** Value of the `error` query parameter there. `Configuration` says nothing about the cause; the log has it. */
  readonly shownAs: string
  /**
   * Who erred, which decides how it is logged. `visitor`: somebody at a browser, or anybody may make it happen. `either`: as `visitor`, unless something
   * was thrown; `cause.isFault` says it where neither is so. Absent: the application, its set-up, a provider or a store.
   */
  readonly by?: 'visitor' | 'either'
  /** Value of the `code` query parameter beside it, where the same `error` has several reasons. */
  readonly code?: string
}

const hidden: ErrorRule = { page: 'error', shownAs: 'Configuration' }

/**
 * Every kind of error, and what a visitor learns of it. The names are those of Auth.js, so that an application that matches
 * on `error.type` keeps working; docs/errors.md explains each one.
 */
export const ERROR_RULES = {
  AccessDenied: { page: 'error', shownAs: 'AccessDenied', by: 'either' },
  AccountNotLinked: { page: 'signIn', shownAs: 'AccountNotLinked', by: 'visitor' },
  AdapterError: hidden,
  AuthError: hidden,
  CallbackRouteError: { ...hidden, by: 'either' },
  CredentialsSignin: { page: 'signIn', shownAs: 'CredentialsSignin', by: 'visitor' },
  DuplicateConditionalUI: hidden,
  EmailNotConfirmed: { page: 'error', shownAs: 'EmailNotConfirmed', by: 'either' },
  EmailSignInError: { page: 'signIn', shownAs: 'EmailSignin', by: 'either' },
  ErrorPageLoop: hidden,
  EventError: hidden,
  ExperimentalFeatureNotEnabled: hidden,
  InvalidCallbackUrl: { ...hidden, by: 'visitor' },
  InvalidCheck: { page: 'signIn', shownAs: 'OAuthCallbackError', by: 'visitor' },
  InvalidConfiguration: hidden,
  InvalidEndpoints: hidden,
  InvalidProvider: hidden,
  JWTSessionError: hidden,
  MissingAdapter: hidden,
  MissingAdapterMethods: hidden,
  MissingAuthorize: hidden,
  MissingCSRF: { page: 'signIn', shownAs: 'MissingCSRF', by: 'visitor' },
  MissingSecret: hidden,
  MissingWebAuthnAutocomplete: hidden,
  OAuthAccountNotLinked: { page: 'signIn', shownAs: 'OAuthAccountNotLinked', by: 'visitor' },
  OAuthCallbackError: { page: 'signIn', shownAs: 'OAuthCallbackError', by: 'visitor' },
  OAuthProfileParseError: { page: 'signIn', shownAs: 'OAuthCallbackError' },
  OAuthSignInError: hidden,
  RecentSignInRequired: { page: 'signIn', shownAs: 'RecentSignInRequired', by: 'visitor' },
  RequestRefused: { ...hidden, by: 'visitor' },
  SessionChanged: { page: 'signIn', shownAs: 'SessionChanged', by: 'visitor' },
  SessionTokenError: hidden,
  SignInError: { page: 'signIn', shownAs: 'Signin', by: 'either' },
  SignInExpired: { page: 'signIn', shownAs: 'OAuthCallbackError', code: 'SignInExpired', by: 'either' },
  SignOutError: { page: 'error', shownAs: 'SignOut' },
  UnknownAction: { ...hidden, by: 'visitor' },
  UnsupportedStrategy: hidden,
  UntrustedHost: hidden,
  Verification: { page: 'error', shownAs: 'Verification', by: 'visitor' },
  WebAuthnVerificationError: { page: 'error', shownAs: 'WebAuthnVerificationError', by: 'visitor' },
} as const satisfies Record<string, ErrorRule>

/** Identifies an error in logs and in code; never changes once released. */
export type ErrorType = keyof typeof ERROR_RULES

/**
 * What was known when the error was made; `err` is the error that caused it. `isFault` says whether somebody has to mend something, of errors for which that
 * depends: it decides whether they are logged as `error` or as `info`.
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
    this.name = new.target.name
    this.type = new.target.type
    if (cause) this.cause = cause
  }
}

/** A sign-in that failed. */
export class SignInError extends AuthError {
  static override readonly type: ErrorType = 'SignInError'
}

/**
 * Thrown from `authorize` to refuse a credentials sign-in. Subclass it, or set `code`, to tell the sign-in page why.
 */
export class CredentialsSignin extends SignInError {
  static override readonly type: ErrorType = 'CredentialsSignin'
  /** Appears in the URL of the sign-in page as `code`; must not hint at which part of the credentials was wrong. */
  code = 'credentials'
}

/** The `signIn` callback refused, or threw; then the message is that of what it threw. */
export class AccessDenied extends AuthError {
  static override readonly type: ErrorType = 'AccessDenied'
}

/** A passkey or its address belongs to another user. */
export class AccountNotLinked extends SignInError {
  static override readonly type: ErrorType = 'AccountNotLinked'
}

/** A persistence adapter failed, or lacks a method that was needed. */
export class AdapterError extends AuthError {
  static override readonly type: ErrorType = 'AdapterError'
}

/** The callback of a provider failed for a reason that is not the visitor's. */
export class CallbackRouteError extends AuthError {
  static override readonly type: ErrorType = 'CallbackRouteError'
}

/** A mailed link would have let its owner in to a user whom somebody else may have made with the address. */
export class EmailNotConfirmed extends AuthError {
  static override readonly type: ErrorType = 'EmailNotConfirmed'
}

/** A link could not be sent: the address is not one, or the mail did not go out. */
export class EmailSignInError extends SignInError {
  static override readonly type: ErrorType = 'EmailSignInError'
}

/** An event handler threw. Logged only: events change nothing. */
export class EventError extends AuthError {
  static override readonly type: ErrorType = 'EventError'
}

/** The one-time values of a sign-in attempt are missing, expired, used up, or of another provider. */
export class InvalidCheck extends AuthError {
  static override readonly type: ErrorType = 'InvalidCheck'
}

/** A sign-in at a provider came back after its time, or before it: it took too long, or a clock was set meanwhile. */
export class SignInExpired extends InvalidCheck {
  static override readonly type: ErrorType = 'SignInExpired'
}

/** The configuration cannot work; the message lists everything that is wrong and how to mend it. */
export class InvalidConfiguration extends AuthError {
  static override readonly type: ErrorType = 'InvalidConfiguration'
}

/** An OAuth provider has neither an issuer nor all the endpoints it needs. */
export class InvalidEndpoints extends AuthError {
  static override readonly type: ErrorType = 'InvalidEndpoints'
}

/** A provider is incomplete, has the id of another, or is not one. */
export class InvalidProvider extends AuthError {
  static override readonly type: ErrorType = 'InvalidProvider'
}

/** A session token could not be written or read because of a fault; the session itself may be sound. */
export class JWTSessionError extends AuthError {
  static override readonly type: ErrorType = 'JWTSessionError'
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
}

/** The e-mail address belongs to a user who signs in another way. */
export class OAuthAccountNotLinked extends SignInError {
  static override readonly type: ErrorType = 'OAuthAccountNotLinked'
}

/** The provider answered with an error, or the visitor cancelled there. */
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

/** Somebody who signed in long ago, or nobody knows when, is to sign in again before they add a way to. */
export class RecentSignInRequired extends SignInError {
  static override readonly type: ErrorType = 'RecentSignInRequired'
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

/** Somebody signed in or out in the browser while a sign-in was on its way, and that ended it. */
export class SessionChanged extends SignInError {
  static override readonly type: ErrorType = 'SessionChanged'
}

/** A stored session could not be written or read because of a fault; the session itself may be sound. */
export class SessionTokenError extends AuthError {
  static override readonly type: ErrorType = 'SessionTokenError'
}

/** Somebody signed out in their browser, and the session could not be ended: whoever has a copy of the cookie is still signed in. */
export class SignOutError extends AuthError {
  static override readonly type: ErrorType = 'SignOutError'
}

/** The path names no action. */
export class UnknownAction extends AuthError {
  static override readonly type: ErrorType = 'UnknownAction'
}

/** The session strategy does not go with the rest of the configuration. */
export class UnsupportedStrategy extends AuthError {
  static override readonly type: ErrorType = 'UnsupportedStrategy'
}

/** Nothing tells which public origin the application has. */
export class UntrustedHost extends AuthError {
  static override readonly type: ErrorType = 'UntrustedHost'
}

/** A mailed link is unknown, used or expired. */
export class Verification extends AuthError {
  static override readonly type: ErrorType = 'Verification'
}

/** Whether an error is what a visitor did, or anybody may do, so that nobody has to mend anything. */
export function isVisitors(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  const { by }: ErrorRule = ERROR_RULES[error.type]
  if (by !== 'either') return by === 'visitor'
  return !(error.cause?.isFault ?? error.cause?.err !== undefined)
}

/**
 * An error as one that is safe to hand to a logger: its name, message, code and stack, and those of its causes.
 * Libraries keep answers of token endpoints in further members, so none of these are carried over.
 */
export function withoutDetails(error: unknown, depth = 0): Error {
  if (error instanceof AuthError) return error
  if (!(error instanceof Error)) return new Error(typeof error === 'string' ? error : `a ${typeof error} was thrown`)
  const bare = new Error(textOf(error, 'message'))
  bare.name = textOf(error, 'name') || 'Error'
  const stack = textOf(error, 'stack')
  if (stack !== '') bare.stack = stack
  const code = textOf(error, 'code')
  if (code !== '') Object.assign(bare, { code })
  const cause = memberOf(error, 'cause')
  if (cause instanceof Error && depth < 4) bare.cause = withoutDetails(cause, depth + 1)
  return bare
}

/** A member of an error of anybody's: it may be of any type, and reading it may throw. */
export function memberOf(error: object, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
}

/** A member that should be a text; empty where it is none. Libraries copy parsed answers over their errors, with whatever `message` was there. */
export function textOf(error: Error, name: 'name' | 'message' | 'code' | 'stack'): string {
  const value = memberOf(error, name)
  return typeof value === 'string' ? value : ''
}

/** The frames of a stack. Its head repeats the message, whose lines anybody may have written: what looks like a frame there is none. */
export function stackFrames({ stack = '', message }: Pick<Error, 'stack' | 'message'>): string[] {
  const at = message === '' ? -1 : stack.indexOf(message)
  const below = at < 0 ? stack : stack.slice(at + message.length)
  return below.split('\n').filter((line) => /^\s+at /.test(line))
}
