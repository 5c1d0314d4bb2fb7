import type { ERROR_RULES, ErrorPage, ErrorType } from '../error-rules.js'

type ShownOn<Page extends ErrorPage> = Extract<(typeof ERROR_RULES)[ErrorType], { page: Page }>['shownAs']

/** Values of `error` that the sign-in page has a text for. */
export type SignInErrorCode =
  | ShownOn<'signIn'>
  // Latchkey never produces these values. Auth.js does, and links with them may still be followed.
  | 'OAuthSignin'
  | 'OAuthCreateAccount'
  | 'EmailCreateAccount'
  | 'Callback'
  | 'SessionRequired'

/** Values of `error` that the error page has a text for. */
export type ErrorPageCode = ShownOn<'error'> | 'Configuration'

/** A title and a sentence for a visitor. */
export interface Notice {
  readonly title: string
  readonly text: string
}

const NOT_STARTED = 'We could not start that sign-in. Please try again, or choose another way to sign in.'
const NOT_CREATED = 'We could not create an account for you that way. Please choose another way to sign in.'

const SIGN_IN_MESSAGES = {
  AccountNotLinked: 'That account belongs to another user here. Sign in with the account that you used before.',
  Callback: 'That sign-in could not be completed. Please start again right here.',
  CredentialsSignin: 'Those details do not match an account. Check them and try again.',
  EmailCreateAccount: NOT_CREATED,
  EmailSignin: 'We could not send the e-mail. Check the address and try again.',
  MissingCSRF: 'This page was open for too long, or your browser does not keep our cookies. Please try once more.',
  OAuthAccountNotLinked: 'You signed in with this e-mail address in another way before. Please sign in that way again.',
  OAuthCallbackError:
    'That sign-in was cancelled, took too long, or had already been used. You can start again right here.',
  OAuthCreateAccount: NOT_CREATED,
  OAuthSignin: NOT_STARTED,
  RecentSignInRequired:
    'You signed in a while ago. Please sign in again in a way that you used before, and then add the new one. To sign in as another user, sign out first.',
  SessionChanged:
    'You or somebody else has signed in or out in this browser meanwhile, and that ended this sign-in. You can start again right here.',
  SessionRequired: 'Please sign in to see that page.',
  Signin: NOT_STARTED,
} satisfies Record<SignInErrorCode, string>

/** Texts of the page where an account is connected. */
const LINK_MESSAGES: Readonly<Record<string, string>> = {
  MissingCSRF:
    'This page was open for too long, or your browser does not keep our cookies. Please press the button again.',
  OAuthCallbackError:
    'That was cancelled, took too long, or had already been used. Nothing has changed. You can try again.',
}

const GENERAL_LINK_MESSAGE = 'The account could not be connected. Nothing has changed. You can try again.'

const SIGN_OUT_MESSAGES: Readonly<Record<string, string>> = {
  MissingCSRF:
    'You are still signed in: the page was open for too long, or your browser does not keep our cookies. Please press the button again.',
}

/** Texts that replace the text for an `error`, if its `code` is more exact. */
const MESSAGES_BY_CODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EmailSignin: {
    Unavailable: 'We cannot send e-mails right now. Please try again in a moment, or choose another way to sign in.',
  },
  RecentSignInRequired: {
    EndSessions:
      'You signed in a while ago. Please sign in again in a way that you used before, and then end the other sessions.',
    RemoveAccount:
      'You signed in a while ago. Please sign in again in a way that you used before, and then remove the account.',
  },
  OAuthCallbackError: {
    SignInExpired: 'We could not complete that sign-in in time. You can start again right here.',
  },
}

const ERROR_NOTICES = {
  AccessDenied: {
    title: 'No access',
    text: 'You signed in, but this account has no access here. If you have another account, try that account.',
  },
  Configuration: {
    title: 'A problem on our side',
    text: 'Something is set up incorrectly, and we could not complete your request. Please try again later.',
  },
  SignOut: {
    title: 'Signed out in this browser',
    text:
      'You are signed out in this browser, and you do not have to do anything. On our side, your session may still be open for a while. ' +
      'This matters only if somebody has a copy of it. If you think so, please tell us.',
  },
  EmailNotConfirmed: {
    title: 'This address is not confirmed',
    text: 'Somebody signed up here with this e-mail address in another way, and never confirmed it. If that was you, sign in that way again. If it was not you, please tell the people who run this site. The link has been used up.',
  },
  Verification: {
    title: 'This link no longer works',
    text: 'It was already used, or it has expired. Sign in again to get a new link.',
  },
  WebAuthnVerificationError: {
    title: 'Your passkey was not accepted',
    text: 'We could not verify it. Please try again, or sign in another way.',
  },
} satisfies Record<ErrorPageCode, Notice>

/** Notices that replace the notice for an `error`, if its `code` is more exact. */
const ERROR_NOTICES_BY_CODE: Readonly<Record<string, Readonly<Record<string, Notice>>>> = {
  Configuration: {
    Unavailable: {
      title: 'One moment, please',
      text: 'A part of our service does not answer right now. Nothing is lost. Please try again in a moment.',
    },
  },
}

/** The notice that replaces a guarded page while the session cannot be read. */
export const SESSION_UNAVAILABLE: Notice = {
  title: 'One moment, please',
  text: 'We cannot check right now whether you are signed in. Nothing is lost. Please try again in a moment.',
}

/** The notice that replaces a guarded page for somebody who is signed in and may not see it. */
export const NOT_ALLOWED: Notice = {
  title: 'No access to this page',
  text: 'You are signed in, but your account may not open this page. If you have another account, sign in with that account.',
}

const REFUSALS: Readonly<Record<number, Notice>> = {
  404: { title: 'Nothing here', text: 'There is no page at this address. Please check the address for mistakes.' },
  405: { title: 'That does not work here', text: 'This address cannot be used in that way. Please start again.' },
  409: {
    title: 'Your only way to sign in',
    text: 'Without it you could not sign in any more, so it was not removed. Add another way to sign in first.',
  },
  413: { title: 'Too large', text: 'Your request is larger than we accept. Please shorten it and try again.' },
  415: {
    title: 'Unknown format',
    text: 'Your request has a format that we cannot read. Please use the form on this site.',
  },
}

/** For a form of a signed-in visitor, whose page they can go back to. */
const FORM_REFUSALS: Readonly<Record<number, Notice>> = {
  403: {
    title: 'Please try again',
    text: 'The page was open for too long, or your browser does not keep our cookies. Nothing has changed. Go back, and press the button again.',
  },
  404: { title: 'Not found', text: 'It may have been removed already. Go back to see what is there now.' },
}

const GENERAL_MESSAGE = 'We could not sign you in. Please try again.'
const GENERAL_NOTICE: Notice = {
  title: 'Something went wrong',
  text: 'That did not work. Please try again.',
}
const GENERAL_REFUSAL: Notice = {
  title: 'We did not understand that',
  text: 'The request was incomplete or damaged. Please start again.',
}

/**
 * The sign-in page's text for an `error` parameter. The value is looked up and never shown: otherwise an attacker could
 * put any text on our page with a link (CVE-2025-71404).
 *
 * @param code the `code` parameter, looked up as well; an unknown value has no effect
 * @returns null without an error; one fixed text for every unknown value
 */
export function signInMessage(error: string | undefined, code?: string): string | null {
  if (!error) return null
  const byCode = lookUpCode(MESSAGES_BY_CODE, error, code)
  if (byCode !== undefined) return byCode
  return Object.hasOwn(SIGN_IN_MESSAGES, error) ? SIGN_IN_MESSAGES[error as SignInErrorCode] : GENERAL_MESSAGE
}

/**
 * The sign-in page's text for somebody who signed in at a provider whose address another user has here.
 *
 * @param provider name of that provider
 * @param isProven whether the visitor has proved that the address is theirs: then the page names only the ways that they have
 */
export const addressTakenMessage = (provider: string, isProven: boolean): string =>
  isProven
    ? `You have an account here already, with the same e-mail address. Sign in the way that you used before. Then you can connect ${provider}.`
    : `The e-mail address of that account is in use here. If it is yours, sign in the way that you used before, or with a link that we e-mail to you. Then you can connect ${provider}.`

/** Whether an account was not connected because another user has it. */
export const isOfAnotherUser = (error: string | undefined): boolean => error === 'OAuthAccountNotLinked'

/** The text of the page where an account is connected, looked up like {@link signInMessage}. */
export function linkMessage(
  error: string | undefined,
  { providerName, letsChoose }: { readonly providerName: string; readonly letsChoose: boolean },
): string | null {
  if (!error) return null
  if (!isOfAnotherUser(error)) {
    return Object.hasOwn(LINK_MESSAGES, error) ? (LINK_MESSAGES[error] ?? null) : GENERAL_LINK_MESSAGE
  }
  const next = letsChoose
    ? `To connect another account, press the button. Then ${providerName} asks you which account it is.`
    : `To connect another account, sign out at ${providerName} first. Then press the button.`
  return `That account belongs to another user here, so it was not connected. Nothing has changed. ${next}`
}

/**
 * The sign-out page's text for an `error` parameter, looked up like {@link signInMessage}; null for an unknown value.
 */
export const signOutMessage = (error: string | undefined): string | null =>
  error && Object.hasOwn(SIGN_OUT_MESSAGES, error) ? (SIGN_OUT_MESSAGES[error] ?? null) : null

/** The entry of a table for an `error` and a `code`, which are untrusted; undefined if there is none. */
function lookUpCode<T>(
  table: Readonly<Record<string, Readonly<Record<string, T>>>>,
  error: string,
  code: string | undefined,
): T | undefined {
  const byCode = Object.hasOwn(table, error) ? table[error] : undefined
  return code && byCode && Object.hasOwn(byCode, code) ? byCode[code] : undefined
}

/** The error page's text for an `error` parameter and its `code`, looked up like {@link signInMessage}. */
export function errorNotice(error: string | undefined, code?: string): Notice {
  const byCode = error ? lookUpCode(ERROR_NOTICES_BY_CODE, error, code) : undefined
  if (byCode) return byCode
  return error && Object.hasOwn(ERROR_NOTICES, error) ? ERROR_NOTICES[error as ErrorPageCode] : GENERAL_NOTICE
}

/** The notice for a form of a signed-in visitor that was refused with a 4xx status. */
export const formRefusalNotice = (status: number): Notice => FORM_REFUSALS[status] ?? refusalNotice(status)

/** The notice for a request that was refused with a 4xx status. */
export const refusalNotice = (status: number): Notice => REFUSALS[status] ?? GENERAL_REFUSAL
