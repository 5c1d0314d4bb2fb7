import type { AccountRendering } from '../features/account-page/operations.js'
import type { AccessTokenResult } from '../features/account-tokens/access-token.js'
import type { AccessTokenOptions } from '../features/account-tokens/operations.js'
import type { LinkOptions, UnlinkOptions } from '../features/linking/links.js'
import type { AccountReference, LinkedAccount } from '../features/linking/user-accounts.js'
import type { PasskeyRemoval, PasskeyRenaming, RemovedPasskey } from '../features/passkeys/operations.js'
import type { Passkey } from '../features/passkeys/user-passkeys.js'
import type { NewPassword, PasswordRemoval, PasswordToVerify } from '../features/password/operations.js'
import type { ExportedUser, Invitation } from '../features/people/operations.js'
import type { SecondFactorReset } from '../features/second-factor/operations.js'
import type { RenderedAccount } from '../pages/renderer.js'
import type { IssuedToken, ListedSession, SessionRevocation, TokenRequest } from '../sessions/session-manager.js'
import type { FormProof } from '../sign-in/operation.js'
import type { SecurityEvent } from '../sign-in/security-event.js'
import type { RevocationOptions } from '../sign-in/session-operations.js'
import type { RemainingWay } from '../users/ask-confirmation.js'

/**
 * What people do with what is theirs: sessions, accounts, passkeys, tokens. All of it acts on the visitor's own only: what
 * belongs to another user is as unknown as what does not exist.
 *
 * What changes something is for a request that is not GET or HEAD, and that a page of this origin sent. The browser says so, or
 * the options have the `csrfToken` of a form. With a bearer token, no such proof is needed.
 *
 * @throws {RequestRefused} 401 when nobody is signed in; 405 for a change with GET or HEAD
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RecentSignInRequired} when the visitor must sign in again first
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @throws {AuthError} when the configuration keeps nothing of the kind, or the store or the session fails
 */
export interface Visitor {
  /** Where the visitor is signed in: their sessions in all browsers and programs, the newest first. */
  listSessions(): Promise<readonly ListedSession[]>
  /**
   * Ends one session of the visitor, such as one on a lost device. If it was that of the request, the cookies of the result
   * sign the browser out, also if there is a `fault`. For that one, no recent sign-in is needed.
   *
   * @param id as {@link listSessions} gives it; what a form brought can be handed on as it is
   */
  revokeSession(id: string, options?: RevocationOptions): Promise<SessionRevocation>
  /**
   * Ends all sessions of the visitor but that of the request, as after a change of the password; needs a recent sign-in.
   *
   * @returns how many sessions ended
   */
  revokeOtherSessions(options?: RevocationOptions): Promise<number>
  /**
   * Issues a token for a script or a mobile app of the visitor, which sends it as `Authorization: Bearer` (RFC 6750 §2.1). The
   * token is a session of its own, with a fixed end. It can be listed and revoked, and is never a cookie. Show it once: nothing
   * keeps it. It needs a recent sign-in.
   *
   * @throws {RequestRefused} 403 when the request comes with a bearer token itself
   */
  issueToken(wanted: TokenRequest & FormProof): Promise<IssuedToken>
  /** The accounts of the visitor at providers. Passkeys are in {@link listPasskeys}. */
  listAccounts(): Promise<readonly LinkedAccount[]>
  /**
   * Removes an account of the visitor, so that they cannot sign in with it any more; needs a recent sign-in. Sessions go on:
   * {@link revokeOtherSessions} ends them.
   *
   * @param account its `id` as {@link listAccounts} gives it, or its provider and its id there; what a form brought can be
   *   handed on as it is
   * @throws {RequestRefused} 404 when they have no such account; 409 when it is their last way to sign in
   */
  unlinkAccount(account: AccountReference, options?: UnlinkOptions): Promise<LinkedAccount>
  /**
   * The URL of the page where the visitor adds their account at a provider, or allows more there: for a link in a page of the
   * application. The page asks before anything happens.
   *
   * @returns an absolute URL. With a scope, it is good for an hour and for this user only
   * @throws {RequestRefused} 404 when there is no such provider; 401 when there is a scope and nobody is signed in
   */
  linkUrl(provider: string, options?: LinkOptions): Promise<string>
  /**
   * An access token of the visitor for the API of a provider. If it expires soon, it is refreshed first: once, for all requests
   * and all processes. Nothing of it reaches the browser.
   *
   * @param provider id of the provider: `google`
   * @returns null when nobody is signed in, or the request comes with a bearer token that is restricted to a scope, and no
   *   guard before has asked for this scope. Otherwise `status` says what came of it: `ok` with the token; `reauthorize` with
   *   the `url` to which the user is sent; `unavailable` if the provider or the store cannot answer, which is in the log
   * @throws {RequestRefused} 404 when there is no such provider of OAuth or OpenID Connect
   * @see RFC 6749 §6
   */
  getAccessToken(provider: string, options?: AccessTokenOptions): Promise<AccessTokenResult | null>
  /**
   * The e-mail addresses that the visitor has confirmed here: `user.email`, and those that they added with `maxAddresses`. None while
   * `user.email` is not confirmed.
   */
  listAddresses(): Promise<readonly string[]>
  /** The passkeys of the visitor, the oldest first. */
  listPasskeys(): Promise<Passkey[]>
  /**
   * Renames a passkey of the visitor.
   *
   * @throws {RequestRefused} 404 when they have no such passkey, 400 for an unusable name
   */
  renamePasskey(change: PasskeyRenaming): Promise<Passkey>
  /**
   * Removes a passkey of the visitor; needs a recent sign-in (WEBAUTHN-22). The page gives the `signal` to the browser.
   *
   * @throws {RequestRefused} 404 when they have no such passkey, 409 when it is their last way to sign in
   */
  removePasskey(removal: PasskeyRemoval): Promise<RemovedPasskey>
  /**
   * Removes the password that Latchkey keeps of the visitor, ends their other sessions where they can be ended, and tells them by
   * mail; needs a recent sign-in.
   *
   * @throws {RequestRefused} 404 when they have none; 409 when it is their last way to sign in; 403 with a bearer token
   */
  removePassword(options?: PasswordRemoval): Promise<void>
  /**
   * The parts of the account page of the visitor as HTML, for a page in the layout of the application. Their forms go to the mount, and
   * come back to `pages.account`. The style sheet is at `assets/pages.css` of the mount. Keep the page out of shared caches.
   */
  renderAccount(options: AccountRendering): Promise<RenderedAccount>
}

/** The name of an operation: `listSessions`. */
export type OperationName = keyof Visitor

/**
 * What code of the application does with users, without a request: for administrators, imports and scripts. Nothing here asks who
 * calls it.
 *
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type, or the configuration does not allow it
 * @throws {AuthError} when the configuration keeps nothing of the kind, or the store fails: then call it again
 */
export interface Operator {
  /**
   * Ends all sessions of a user, in every browser and program: for administrators, and for a user whose password was reset.
   *
   * @param userId the id of the user, as in `session.user.id`
   * @returns how many sessions were known
   */
  revokeAllSessions(userId: string): Promise<number>
  /**
   * Stores a password of a user, for somebody who was invited, or for an import. It ends the user's sessions where they can be ended, and
   * links with which a password could have been chosen.
   *
   * @param given `password`, which must be good enough for a new one, or `hash`, which Latchkey or one of the `importers` reads.
   *   With `mustChange`, it gives no session, but the page on which its owner chooses another one
   * @throws {PasswordRefused} with a `reason`, if this cannot be a password of this user; nothing is stored
   */
  setPassword(given: NewPassword): Promise<void>
  /**
   * Whether a password is that of a user: before something that cannot be undone. It takes as long for a user who has none, and
   * for nobody. A password that must be changed is right, too. Limit how often it is called: nothing here does.
   *
   * @throws {RequestRefused} 503 when too many passwords are being checked
   */
  verifyPassword(given: PasswordToVerify): Promise<boolean>
  /**
   * Mails an invitation, in place of an earlier one: whoever signs in and thereby confirms the address becomes a user. The mail has
   * no secret, and a button to the sign-in page. It needs `signUp: 'invited'`, and `url` or `AUTH_URL`.
   *
   * @returns false if somebody has the address: then nothing is sent
   * @throws {EmailSignInError} when this is no address, or the mail could not be sent: then there is no invitation
   */
  inviteUser(invitation: Invitation): Promise<boolean>
  /**
   * Takes an invitation back.
   *
   * @returns false if there is none: it has expired, or was used, perhaps at this moment. Then look for a user with the address
   */
  revokeInvitation(email: string): Promise<boolean>
  /**
   * Keeps a user out, and ends their sessions and issued tokens where they can be ended: sets `disabled`, a column of your own. It
   * needs `session.refreshUser`. Session tokens that no store knows end when that reads the user again.
   *
   * @returns false for an unknown user
   */
  disableUser(userId: string): Promise<boolean>
  /**
   * Lets a disabled user in again.
   *
   * @returns false for an unknown user
   */
  enableUser(userId: string): Promise<boolean>
  /**
   * Deletes a user with everything that Latchkey keeps for them: sessions, issued tokens, accounts, passkeys, password. Tokens of
   * accounts are revoked at their providers, where `accountTokens` revokes them. Sessions that are kept in another store under
   * another `instance` stay.
   *
   * @returns what you have to delete, because the adapter or Latchkey could not: an empty list for nothing. Null for an unknown
   *   user
   */
  deleteUser(userId: string): Promise<readonly RemainingWay[] | null>
  /**
   * What is stored about a person, without any secret.
   *
   * @returns null for an unknown user
   */
  exportUser(userId: string): Promise<ExportedUser | null>
  /**
   * Takes away the second factor of somebody who has lost it, at once or `after` some seconds, and ends their sessions and trusted
   * browsers. The owner is told by mail; who signs in with the second factor meanwhile keeps it. It needs `url` or `AUTH_URL`.
   * Ask who it is first: whoever gets this has half of an account.
   *
   * @returns false if there is none
   */
  resetSecondFactor(reset: SecondFactorReset): Promise<boolean>
  /**
   * What has happened to the account of a user, the newest first, as far as `securityEvents` keeps it. None for an unknown user.
   *
   * @throws {InvalidConfiguration} when the configuration keeps none
   */
  listSecurityEvents(userId: string): Promise<readonly SecurityEvent[]>
}
