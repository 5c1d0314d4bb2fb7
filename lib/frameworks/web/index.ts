export { isAuthAction } from '../../engine/action-names.js'
export type { AccountRendering } from '../../features/account-page/operations.js'
export type {
  AccessTokenResult,
  LiveAccessToken,
  ReauthorizationReason,
} from '../../features/account-tokens/access-token.js'
export type { AccessTokenOptions } from '../../features/account-tokens/operations.js'
export type { LinkOptions, UnlinkOptions } from '../../features/linking/links.js'
export type { AccountReference, LinkedAccount } from '../../features/linking/user-accounts.js'
export type {
  PasskeyChange,
  PasskeyRemoval,
  PasskeyRenaming,
  RemovedPasskey,
} from '../../features/passkeys/operations.js'
export type { Passkey } from '../../features/passkeys/user-passkeys.js'
export { type CookieAttributes, type CookieChange, serializeCookie } from '../../kernel/cookies.js'
export type { RenderedAccount } from '../../pages/renderer.js'
export type { ListedSession, SessionRevocation } from '../../sessions/session-manager.js'
export type { FormProof, RecentSignIn } from '../../sign-in/operation.js'
export type { Redirection } from '../../sign-in/outcome.js'
export type { RevocationOptions } from '../../sign-in/session-operations.js'
export type { AuthorizationParams } from '../../sign-in/sign-in-form.js'
export type { RemovalOptions } from '../../users/ways-in.js'
export type { AcceptedUpgrade, RefusedUpgrade, UpgradeOptions } from '../../visitor/upgrade.js'
export type { OperationName, Operator, Visitor } from '../../visitor/visitor.js'
export type { GuardAnswer, GuardOptions, SessionAnswer } from './guard.js'
export type { SessionRead } from './guard-decision.js'
export { appendCookies, forVisitorAlone, privateByDefault, setCookies } from './headers.js'
export type { RequestAuth, SignInRequest, VisitorOfRequest, WebUpgradeOptions } from './request-auth.js'
export { prepareWebAuth, type WebAuth, type WebAuthDefaults, webAuth } from './web-auth.js'
export type { WebRequest, WebRequestFacts } from './web-request.js'
