export type {
  AccessTokenResult,
  LiveAccessToken,
  ReauthorizationReason,
  TokenUnavailable,
} from './account-tokens/access-token.js'
export type { ConfirmEmailCallback, ConfirmEmailParams, RemainingWay } from './accounts/ask-confirmation.js'
export type { ChosenTimes, SignInCallback, SignInCallbackParams, SignInPermission } from './accounts/ask-signin.js'
export type { Passkey, RemovalOptions } from './accounts/passkeys.js'
export type { AccountReference, LinkedAccount } from './accounts/user-accounts.js'
export type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  Authenticator,
  AuthenticatorChanges,
  DeleteExpiredOptions,
  ExpiredCounts,
  ExpiredReport,
  VerificationToken,
} from './adapters/adapter.js'
export { setEnvDefaults } from './config/env.js'
export type * from './config/options.js'
export { raw, skipCSRFCheck } from './config/options.js'
export type { AuthorizationParams } from './context/sign-in-form.js'
export type { DefaultJWT, JWT } from './crypto/claims.js'
export type { JWTDecodeParams, JWTEncodeParams } from './crypto/session-jwt.js'
export { type AuthAction, isAuthAction } from './engine/action-names.js'
export { Auth, createActionURL } from './engine/auth.js'
export type { ErrorType } from './error-rules.js'
export {
  AccessDenied,
  AccountNotLinked,
  AccountTokenError,
  AdapterError,
  AuthError,
  type AuthErrorCause,
  type AuthErrorOptions,
  CallbackRouteError,
  CredentialsSignin,
  EmailNotConfirmed,
  EmailSignInError,
  ErrorPageLoop,
  EventError,
  InvalidCallbackUrl,
  InvalidCheck,
  InvalidConfiguration,
  InvalidEndpoints,
  InvalidProvider,
  JWTSessionError,
  MissingAdapter,
  MissingAdapterMethods,
  MissingAuthorize,
  MissingCSRF,
  MissingSecretError,
  // The name of the class in Auth.js.
  MissingSecretError as MissingSecret,
  OAuthAccountNotLinked,
  OAuthCallbackError,
  OAuthProfileParseError,
  OAuthSignInError,
  RecentSignInRequired,
  RequestRefused,
  SessionChanged,
  SessionTokenError,
  SignInError,
  SignInExpired,
  SignOutError,
  UnknownAction,
  UnsupportedStrategy,
  UntrustedHost,
  Verification,
} from './errors.js'
export { authSession } from './express/auth-session.js'
export { corsOptions } from './express/cors-options.js'
export { csrfToken, verifyCsrfToken } from './express/csrf-token.js'
export { getSession, updateSession } from './express/current-session.js'
export {
  type ConfigOf,
  type DefinedAuth,
  defineAuth,
  type RequireAuthOptionsOf,
} from './express/define-auth.js'
export { expressAuth } from './express/express-auth.js'
export { startLink } from './express/link.js'
export type {
  Middleware,
  MiddlewareRequest,
  MiddlewareResponse,
  NextFunction,
  SessionMiddleware,
} from './express/middleware.js'
export {
  getAccessToken,
  issueToken,
  linkUrl,
  listAccounts,
  listPasskeys,
  listSessions,
  removePasskey,
  renamePasskey,
  revokeAllSessions,
  revokeOtherSessions,
  revokeSession,
  unlinkAccount,
} from './express/operations.js'
export { type RequireAuthOptions, requireAuth } from './express/require-auth.js'
export { type SignInUrlOptions, signInUrl } from './express/sign-in-url.js'
export { type SignOutOptions, signOut } from './express/sign-out.js'
export { type StartSignInOptions, startSignIn } from './express/start-sign-in.js'
export { upgradeSession } from './express/upgrade-session.js'
export {
  DuplicateConditionalUI,
  ExperimentalFeatureNotEnabled,
  MissingWebAuthnAutocomplete,
  WebAuthnVerificationError,
} from './flows/webauthn/errors.js'
export type { ResponseInternal } from './http/answer.js'
export type { CookieAttributes, CookieOption, CookiesOptions } from './http/cookies.js'
export type { LogContext, LoggerInstance, LoggingOptions, WarningCode } from './logger.js'
export type {
  ActionMessage,
  EndOfWork,
  OutgoingCallMessage,
  RefusalMessage,
  SessionReadMessage,
  SignInMessage,
} from './logging/diagnostics.js'
export type { Theme } from './pages/theme.js'
export type { CredentialInput, CredentialsConfig } from './providers/credentials.js'
export type * from './providers/email-config.js'
export type * from './providers/oauth-config.js'
export { customFetch } from './providers/oauth-config.js'
export type { IssuerOption, ScopeOption } from './providers/oauth-provider.js'
export type { AppProvider, Provider, ProviderObject, PublicProvider } from './providers/provider.js'
export type * from './providers/user.js'
export type * from './providers/webauthn-config.js'
export type { RefreshedUser, RefreshUserCallback, RefreshUserParams } from './sessions/fresh-users.js'
export type { ListedSession } from './sessions/listed-session.js'
export type * from './sessions/session.js'
export type { UnlinkOptions } from './visitor/accounts.js'
export type { AccessTokenOptions, LinkOptions } from './visitor/links.js'
export type { FormProof, RecentSignIn } from './visitor/operation.js'
export type { PasskeyChange, PasskeyRemoval, PasskeyRenaming, RemovedPasskey } from './visitor/passkeys.js'
export type { RevocationOptions } from './visitor/sessions.js'
export type { AcceptedUpgrade, RefusedUpgrade, UpgradeOptions } from './visitor/upgrade.js'
export type { Visitor } from './visitor/visitor.js'
export type { SessionRead, SessionRules } from './web/session-rules.js'
