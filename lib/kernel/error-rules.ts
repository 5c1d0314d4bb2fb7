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

const hidden: ErrorRule = { page: 'error', shownAs: 'Configuration' }

/**
 * Every kind of error, and what a visitor learns of it. The names are those of Auth.js, so that an application
 * that matches on `error.type` keeps working. docs/errors.md explains each one.
 */
export const ERROR_RULES = {
  AccessDenied: { page: 'error', shownAs: 'AccessDenied', by: 'either' },
  AccountNotLinked: { page: 'signIn', shownAs: 'AccountNotLinked', by: 'visitor' },
  AccountTokenError: { ...hidden, by: 'either' },
  AdapterError: hidden,
  AuthError: hidden,
  CallbackRouteError: hidden,
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
  LogoutTokenError: { ...hidden, by: 'either' },
  MissingAdapter: hidden,
  MissingAdapterMethods: hidden,
  MissingAuthorize: hidden,
  MissingCSRF: { page: 'signIn', shownAs: 'MissingCSRF', by: 'visitor' },
  MissingSecret: hidden,
  MissingWebAuthnAutocomplete: hidden,
  OAuthAccountNotLinked: { page: 'signIn', shownAs: 'OAuthAccountNotLinked', by: 'visitor' },
  OAuthCallbackError: { page: 'signIn', shownAs: 'OAuthCallbackError', by: 'visitor' },
  OAuthProfileParseError: hidden,
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
