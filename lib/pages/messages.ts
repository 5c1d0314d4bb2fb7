import { ownMember } from '../kernel/objects.js'
import { pageText, type Text, type TextKey } from './texts/text.js'
import type { ErrorView } from './view.js'

/** A title and a sentence for a visitor. */
interface Message {
  readonly title: Text
  readonly text: Text
}

/** Values of `error` that the sign-in page has a text for. */
const SIGN_IN_MESSAGES: Readonly<Record<string, TextKey>> = {
  AccountNotLinked: 'signIn.error.accountNotLinked',
  CredentialsSignin: 'signIn.error.credentials',
  EmailSignin: 'signIn.error.email',
  InvitationOver: 'signIn.error.invitationOver',
  MissingCSRF: 'signIn.error.csrf',
  OAuthAccountNotLinked: 'signIn.error.otherWay',
  OAuthCallbackError: 'signIn.error.cancelled',
  RecentSignInRequired: 'signIn.error.recent',
  SessionChanged: 'signIn.error.sessionChanged',
  Signin: 'signIn.error.notStarted',
  // Latchkey never produces these values. Auth.js does, and links with them may still be followed.
  Callback: 'signIn.error.callback',
  EmailCreateAccount: 'signIn.error.notCreated',
  OAuthCreateAccount: 'signIn.error.notCreated',
  OAuthSignin: 'signIn.error.notStarted',
  SessionRequired: 'signIn.error.sessionRequired',
}

/** Texts of the page where an account is connected. */
const LINK_MESSAGES: Readonly<Record<string, TextKey>> = {
  MissingCSRF: 'link.error.csrf',
  OAuthCallbackError: 'link.error.cancelled',
}

const SIGN_OUT_MESSAGES: Readonly<Record<string, TextKey>> = { MissingCSRF: 'signOut.error.csrf' }

/** Texts that replace the text for an `error`, if its `code` is more exact. */
const MESSAGES_BY_CODE: Readonly<Record<string, Readonly<Record<string, TextKey>>>> = {
  EmailSignin: { Unavailable: 'signIn.error.emailUnavailable' },
  RecentSignInRequired: {
    OpenPage: 'signIn.error.recentOpenPage',
    EndSessions: 'signIn.error.recentEndSessions',
    RemoveAccount: 'signIn.error.recentRemoveAccount',
    RemovePasskey: 'signIn.error.recentRemovePasskey',
  },
  SessionRequired: {
    ActingEnded: 'acting.ended',
    Ended: 'signIn.error.sessionEnded',
    KeepFactor: 'signIn.error.keepFactor',
    PasswordNotSaved: 'signIn.error.passwordNotSaved',
    SignInExpired: 'signIn.error.signInOver',
    TooManyCodes: 'signIn.error.tooManyCodes',
  },
  OAuthCallbackError: { Incomplete: 'signIn.error.callback', SignInExpired: 'signIn.error.expired' },
}

/** In the query of the sign-in page, for whoever has waited too long: their sign-in, or their session, has ended. */
export const SIGN_IN_ENDED = { error: 'SessionRequired', code: 'SignInExpired' } as const

/** The same, for whoever has chosen a password by mail, which waited for a second factor. */
export const PASSWORD_NOT_SAVED = { error: 'SessionRequired', code: 'PasswordNotSaved' } as const

/** The same, for whoever comes from the mail about a second factor that is to be taken away. */
export const FACTOR_TO_KEEP = { error: 'SessionRequired', code: 'KeepFactor' } as const

/** In place of an `error` of the query, where an invitation leads to the sign-in page that does not count any more. */
export const INVITATION_OVER = 'InvitationOver'

type MessageName = {
  [Key in TextKey]: Key extends `${infer Name}.title` ? (`${Name}.text` extends TextKey ? Name : never) : never
}[TextKey]

/** The message whose texts have these keys: `{name}.title` and `{name}.text`. */
const message = (name: MessageName): Message => ({ title: pageText(`${name}.title`), text: pageText(`${name}.text`) })

/** What the page of a failure says, and with which status. */
export type FailureMessage = Pick<ErrorView, 'title' | 'text' | 'status' | 'icon' | 'isTemporary'>

const failure = (name: MessageName, status: number, icon: ErrorView['icon']): FailureMessage => ({
  ...message(name),
  status,
  icon,
  isTemporary: false,
})

/** A temporary fault: the same request may succeed in a moment. */
const temporary = (name: MessageName): FailureMessage => ({ ...failure(name, 503, 'fault'), isTemporary: true })

const ACCESS_DENIED = failure('error.accessDenied', 403, 'denied')

/** Values of `error` that the error page has a text for. */
const FAILURES: Readonly<Record<string, FailureMessage>> = {
  AccessDenied: ACCESS_DENIED,
  Configuration: failure('error.configuration', 500, 'fault'),
  SignOut: failure('error.signOut', 503, 'exit'),
  EmailNotConfirmed: failure('error.emailNotConfirmed', 403, 'denied'),
  Verification: failure('error.verification', 403, 'expired'),
  WebAuthnVerificationError: failure('error.passkey', 200, 'denied'),
}

/** Messages that replace the message for an `error`, if its `code` is more exact. */
const FAILURES_BY_CODE: Readonly<Record<string, Readonly<Record<string, FailureMessage>>>> = {
  AccessDenied: {
    NoSignUp: failure('error.noSignUp', 403, 'denied'),
    UnusableId: { ...ACCESS_DENIED, text: pageText('error.accessDenied.textId') },
  },
  Configuration: { Unavailable: temporary('error.unavailable') },
}

/** The message that replaces a guarded page while the session cannot be read. */
export const SESSION_UNAVAILABLE = temporary('error.sessionUnavailable')

/** The message for a form of a signed-in visitor who is not signed in any more. */
export const SIGNED_OUT_MEANWHILE = failure('refusal.signedOut', 403, 'exit')

/** The message that replaces a guarded page for somebody who is signed in and may not see it. */
export const NOT_ALLOWED = failure('error.notAllowed', 403, 'denied')

const REFUSALS: Readonly<Record<number, Message>> = {
  401: message('refusal.signedOut'),
  403: message('refusal.notAccepted'),
  404: message('refusal.notFound'),
  405: message('refusal.method'),
  409: message('refusal.lastWay'),
  413: message('refusal.tooLarge'),
  415: message('refusal.format'),
  429: message('refusal.tooMany'),
  503: message('error.unavailable'),
}

/** For the conflicts of a `RequestRefused`; without one, the last way to sign in was to be removed. */
const CONFLICTS = {
  changed: message('refusal.changed'),
  full: message('refusal.full'),
  acting: message('refusal.acting'),
  'may-not-act': message('refusal.mayNotAct'),
} as const

/** Why a request is in conflict with what there is; null for all else. */
export type Conflict = keyof typeof CONFLICTS | null

/** For a form of a signed-in visitor, whose page they can go back to. */
const FORM_REFUSALS: Readonly<Record<number, Message>> = {
  403: message('refusal.form'),
  404: message('refusal.gone'),
}

/**
 * The sign-in page's text for an `error` parameter. The value is looked up and never shown: otherwise an attacker could
 * put any text on our page with a link (CVE-2025-71404).
 *
 * @param code the `code` parameter, looked up as well; an unknown value has no effect
 * @returns null without an error; one fixed text for every unknown value
 */
export function signInMessage(error: string | undefined, code?: string): Text | null {
  if (!error) return null
  const byCode = ownMember(ownMember(MESSAGES_BY_CODE, error), code)
  return pageText(byCode ?? ownMember(SIGN_IN_MESSAGES, error) ?? 'signIn.error.general')
}

/**
 * The sign-in page's text for somebody who signed in at a provider whose address another user has here.
 *
 * @param provider name of that provider
 * @param facts whether the visitor has proved that the address is theirs: then the page names only the ways that they have; and
 *   whether that provider gave them another id before
 */
export function addressTakenMessage(
  provider: string,
  { isProven, hasOtherId }: { readonly isProven: boolean; readonly hasOtherId: boolean },
): Text {
  const ofOwner = hasOtherId ? 'signIn.error.otherId' : 'signIn.error.addressTaken'
  return pageText(isProven ? ofOwner : 'signIn.error.addressTakenUnproven', { provider })
}

/** Whether an account was not connected because another user has it. */
export const isOfAnotherUser = (error: string | undefined): boolean => error === 'OAuthAccountNotLinked'

/** The text of the page where an account is connected, looked up like {@link signInMessage}. */
export function linkMessage(
  error: string | undefined,
  { providerName, letsChoose }: { readonly providerName: string; readonly letsChoose: boolean },
): Text | null {
  if (!error) return null
  if (!isOfAnotherUser(error)) return pageText(ownMember(LINK_MESSAGES, error) ?? 'link.error.general')
  return pageText(letsChoose ? 'link.error.ofAnotherUser' : 'link.error.ofAnotherUserSignOut', {
    provider: providerName,
  })
}

/**
 * The sign-out page's text for an `error` parameter, looked up like {@link signInMessage}; null for an unknown value.
 */
export function signOutMessage(error: string | undefined): Text | null {
  const key = ownMember(SIGN_OUT_MESSAGES, error)
  return key ? pageText(key) : null
}

/** The error page's text for an `error` parameter and its `code`, looked up like {@link signInMessage}. */
export function errorMessage(error: string | undefined, code?: string): FailureMessage {
  const byCode = ownMember(ownMember(FAILURES_BY_CODE, error), code)
  return byCode ?? ownMember(FAILURES, error) ?? failure('error.general', 200, 'fault')
}

/** The message for a form of a signed-in visitor that was refused with a 4xx status. */
export const formRefusalMessage = (status: number, conflict: Conflict = null): Message =>
  (conflict === null && FORM_REFUSALS[status]) || refusalMessage(status, conflict)

/** The message for a request that was refused with a 4xx status. */
export const refusalMessage = (status: number, conflict: Conflict = null): Message =>
  conflict === null ? (REFUSALS[status] ?? message('refusal.general')) : CONFLICTS[conflict]
