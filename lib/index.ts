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
export { type AuthAction, isAuthAction } from './engine/action-names.js'
export { Auth, createActionURL } from './engine/auth.js'
export type { AccountRendering } from './features/account-page/operations.js'
export type {
  AccessTokenResult,
  LiveAccessToken,
  ReauthorizationReason,
  TokenUnavailable,
} from './features/account-tokens/access-token.js'
export { AccountTokenError } from './features/account-tokens/errors.js'
export type { AccessTokenOptions } from './features/account-tokens/operations.js'
export type { ActAsOptions } from './features/acting/options.js'
export { Verification } from './features/email/errors.js'
export type { LinkOptions, UnlinkOptions } from './features/linking/links.js'
export type { AccountReference, LinkedAccount } from './features/linking/user-accounts.js'
export { InvalidCheck, OAuthSignInError, SignInExpired } from './features/oauth/errors.js'
export {
  DuplicateConditionalUI,
  ExperimentalFeatureNotEnabled,
  WebAuthnVerificationError,
} from './features/passkeys/errors.js'
export type { PasskeyChange, PasskeyRemoval, PasskeyRenaming, RemovedPasskey } from './features/passkeys/operations.js'
export type { Passkey } from './features/passkeys/user-passkeys.js'
export { type PasswordRefusal, PasswordRefused } from './features/password/errors.js'
export type { NewPassword, PasswordRemoval, PasswordToVerify } from './features/password/operations.js'
export type { ExportedUser, Invitation } from './features/people/operations.js'
export { LogoutTokenError } from './features/provider-logout/errors.js'
export type { SecondFactorReset } from './features/second-factor/operations.js'
export type { SecondFactorOptions } from './features/second-factor/options.js'
export type { SecurityEventsOptions } from './features/security-events/options.js'
export { corsOptions, csrfToken, verifyCsrfToken } from './frameworks/express/cross-origin.js'
export { authSession, getSession, updateSession, upgradeSession } from './frameworks/express/current-session.js'
export {
  type ConfigOf,
  type DefinedAuth,
  defineAuth,
  type RequireAuthOptionsOf,
} from './frameworks/express/define-auth.js'
export { expressAuth } from './frameworks/express/express-auth.js'
export type {
  Middleware,
  MiddlewareRequest,
  MiddlewareResponse,
  NextFunction,
  SessionMiddleware,
} from './frameworks/express/middleware.js'
export {
  deleteUser,
  disableUser,
  enableUser,
  exportUser,
  getAccessToken,
  inviteUser,
  issueToken,
  linkUrl,
  listAccounts,
  listAddresses,
  listPasskeys,
  listSecurityEvents,
  listSessions,
  removePasskey,
  removePassword,
  renamePasskey,
  renderAccount,
  resetSecondFactor,
  revokeAllSessions,
  revokeInvitation,
  revokeOtherSessions,
  revokeSession,
  setPassword,
  startLink,
  unlinkAccount,
  verifyPassword,
} from './frameworks/express/operations.js'
export { type RequireAuthOptions, requireAuth } from './frameworks/express/require-auth.js'
export {
  type SignInUrlOptions,
  type SignOutOptions,
  type StartSignInOptions,
  signInUrl,
  signOut,
  startSignIn,
} from './frameworks/express/sign-in.js'
export type { SessionRead, SessionRules } from './frameworks/web/guard-decision.js'
export type { ResponseInternal } from './kernel/answer.js'
export type { DefaultJWT, JWT } from './kernel/claims.js'
export type { CookieAttributes, CookieOption } from './kernel/cookies.js'
export type {
  ActionMessage,
  EndOfWork,
  OutgoingCallMessage,
  RefusalMessage,
  SessionReadMessage,
  SignInMessage,
} from './kernel/diagnostics.js'
export {
  AccessDenied,
  AccountNotLinked,
  AdapterError,
  AuthError,
  type AuthErrorCause,
  type AuthErrorOptions,
  CallbackRouteError,
  CredentialsSignin,
  EmailNotConfirmed,
  EmailSignInError,
  ErrorPageLoop,
  type ErrorType,
  EventError,
  InvalidCallbackUrl,
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
  RecentSignInRequired,
  RequestRefused,
  SessionChanged,
  SessionTokenError,
  SignInError,
  SignOutError,
  UnknownAction,
  UnsupportedStrategy,
  UntrustedHost,
} from './kernel/errors.js'
export type { LogContext, LoggerInstance, LoggingOptions, WarningCode } from './kernel/logger.js'
export type { RenderedAccount } from './pages/renderer.js'
export type { Theme } from './pages/theme.js'
export type { CredentialInput, CredentialsConfig } from './providers/credentials.js'
export type * from './providers/local-config.js'
export type * from './providers/oauth-config.js'
export { customFetch } from './providers/oauth-config.js'
export type { IssuerOption, ScopeOption } from './providers/oauth-provider.js'
export type { AppProvider, Provider, ProviderObject, PublicProvider } from './providers/provider.js'
export { MissingWebAuthnAutocomplete } from './providers/resolve-local-provider.js'
export type * from './providers/user.js'
export type { RefreshedUser, RefreshUserCallback, RefreshUserParams } from './sessions/fresh-users.js'
export type { JWTCallback, JWTCallbackParams } from './sessions/jwt-claims.js'
export type {
  CurrentSession,
  DefaultSession,
  Principal,
  Session,
  SessionMessage,
  SessionReading,
} from './sessions/session.js'
export type { SessionCallback, SessionCallbackParams } from './sessions/session-callback.js'
export type { JWTDecodeParams, JWTEncodeParams } from './sessions/session-jwt.js'
export type {
  AddedAccount,
  CookieSessions,
  IssuedToken,
  ListedSession,
  SessionEnd,
  SessionManager,
  SessionStart,
  SignOutMessage,
  TokenRequest,
} from './sessions/session-manager.js'
export type { ChosenTimes, SignInCallback, SignInCallbackParams, SignInPermission } from './sign-in/ask-signin.js'
export type { FormProof, RecentSignIn } from './sign-in/operation.js'
export type { SecurityEvent, SecurityEventType } from './sign-in/security-event.js'
export type { RevocationOptions } from './sign-in/session-operations.js'
export type { AuthorizationParams } from './sign-in/sign-in-form.js'
export type { ConfirmEmailCallback, ConfirmEmailParams, RemainingWay } from './users/ask-confirmation.js'
export type { SignUpCallback, SignUpCallbackParams } from './users/ask-sign-up.js'
export type { RemovalOptions } from './users/ways-in.js'
export type { AcceptedUpgrade, RefusedUpgrade, UpgradeOptions } from './visitor/upgrade.js'
export type { Operator, Visitor } from './visitor/visitor.js'
