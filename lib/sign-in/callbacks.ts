import type { Account, Awaitable, Profile, User } from '../providers/provider.js'
import type { RefreshUserCallback } from '../sessions/fresh-users.js'
import type { JWTCallback } from '../sessions/jwt-claims.js'
import type { CurrentSession, SessionMessage } from '../sessions/session.js'
import type { SessionCallback } from '../sessions/session-callback.js'
import type { SignOutMessage } from '../sessions/session-manager.js'
import type { ConfirmEmailCallback } from '../users/ask-confirmation.js'
import type { SignUpCallback } from '../users/ask-sign-up.js'
import type { SignInCallback } from './ask-signin.js'
import type { SecurityEvent } from './security-event.js'

/** Functions that decide. docs/guides/callbacks.md says when each one is called, and with what. */
export interface Callbacks {
  /** Whether a person may sign in: true, false, or a URL to which they are redirected. By default everybody may. */
  signIn?: SignInCallback
  /**
   * Whether somebody new may become a user, asked before one is created: by an account at a provider, a passkey or a mailed link. By
   * default everybody may. With credentials, your own code creates users.
   */
  signUp?: SignUpCallback
  /**
   * Called before a mailed link confirms the address of a user who signed up in another way and never confirmed it. It
   * must end the access that `remaining` names, such as a password, and return true. Without this callback, such a link
   * is refused if `remaining` is not empty.
   */
  confirmEmail?: ConfirmEmailCallback
  /**
   * The address to which a return target leads; by default one of this origin. The browser is redirected to whatever the
   * callback returns, so it must check the host.
   */
  redirect?: (params: { url: string; baseUrl: string }) => Awaitable<string>
  /** The claims of the session token; null ends the session. */
  jwt?: JWTCallback
  /**
   * Gives the user of a token session as it is now; null if there is no such user any more. Called if `session.refreshUser`
   * is set, in place of `getUser` of the adapter.
   */
  refreshUser?: RefreshUserCallback
  /** What clients and routes see of a session; by default name, e-mail address, image and expiry. */
  session?: SessionCallback
  /**
   * Whether `requireAuth` lets a request through: true, false, or the answer to the request. By default every signed-in
   * user passes.
   */
  authorized?: (params: { auth: CurrentSession | null; request: Request }) => Awaitable<boolean | Response>
}

/** Functions that are called after something has happened. They are awaited. If they throw, that is logged and changes nothing. */
export interface EventCallbacks {
  signIn?: (message: { user: User; account: Account | null; profile?: Profile; isNewUser?: boolean }) => Awaitable<void>
  signOut?: (message: SignOutMessage) => Awaitable<void>
  createUser?: (message: { user: User }) => Awaitable<void>
  updateUser?: (message: { user: User }) => Awaitable<void>
  linkAccount?: (message: { user: User; account: Account; profile: User }) => Awaitable<void>
  /** A user has removed an account. The account has no tokens. */
  unlinkAccount?: (message: { user: User; account: Account }) => Awaitable<void>
  session?: (message: SessionMessage) => Awaitable<void>
  /**
   * Each sign-in, failed sign-in, sign-out and change of an account, for a log of security events. No answer waits for it after a
   * failure, so that its work does not show who has an account.
   */
  security?: (event: SecurityEvent) => Awaitable<void>
}
