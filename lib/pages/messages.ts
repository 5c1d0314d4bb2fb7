import type { ERROR_RULES, ErrorPage, ErrorType } from '../errors.js'

type ShownOn<Page extends ErrorPage> = Extract<(typeof ERROR_RULES)[ErrorType], { page: Page }>['shownAs']

/** Values of `error` that the sign-in page has a text for. */
export type SignInErrorCode =
  | ShownOn<'signIn'>
  // Never produced today, but links with them are out there: specification, sign-in page `error` values.
  | 'OAuthSignin'
  | 'OAuthCreateAccount'
  | 'EmailCreateAccount'
  | 'Callback'
  | 'SessionRequired'

/** Values of `error` that the error page has a text for. */
export type ErrorPageCode = ShownOn<'error'> | 'Configuration'

/** What a page tells a visitor. */
export interface Notice {
  readonly title: string
  readonly text: string
}

const NOT_STARTED = 'We could not start that sign-in. Please try again, or choose another way to sign in.'
const NOT_CREATED = 'We could not create an account for you that way. Please choose another way to sign in.'

const SIGN_IN_MESSAGES = {
  AccountNotLinked: 'That account belongs to somebody else here. Sign in with the one you have used before.',
  Callback: 'That sign-in could not be completed. Please start again right here.',
  CredentialsSignin: 'Those details do not match an account. Check them and try again.',
  EmailCreateAccount: NOT_CREATED,
  EmailSignin: 'We could not send the e-mail. Check the address and try again.',
  MissingCSRF:
    'This page had been open for too long, or your browser is not keeping our cookies. Please try once more.',
  OAuthAccountNotLinked: 'You have signed in another way before with this e-mail address. Please use that way again.',
  OAuthCallbackError:
    'That sign-in was cancelled, took too long, or had already been used. You can start again right here.',
  OAuthCreateAccount: NOT_CREATED,
  OAuthSignin: NOT_STARTED,
  RecentSignInRequired:
    'It has been a while since you signed in. Sign in again the way you have used before, and then add the new one. To come in as somebody else, sign out first.',
  SessionChanged:
    'You or somebody else has signed in or out in this browser meanwhile, so that sign-in was ended. You can start again right here.',
  SessionRequired: 'Please sign in to see that page.',
  Signin: NOT_STARTED,
} satisfies Record<SignInErrorCode, string>

const SIGN_OUT_MESSAGES: Readonly<Record<string, string>> = {
  MissingCSRF:
    'That did not sign you out: the page had been open for too long, or your browser is not keeping our cookies. Please press the button once more.',
}

/** What is told in place of the text for an `error`, where its `code` says more. */
const MESSAGES_BY_CODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OAuthCallbackError: {
    SignInExpired: 'We could not complete that sign-in in time. You can start again right here.',
  },
}

const ERROR_NOTICES = {
  AccessDenied: {
    title: 'No access',
    text: 'You signed in, but this account is not allowed to enter. If you have another one, try that.',
  },
  Configuration: {
    title: 'A problem on our side',
    text: 'Something is not set up as it should be, and we could not complete your request. Please try again later.',
  },
  SignOut: {
    title: 'Signed out in this browser',
    text:
      'You are signed out in this browser, and there is nothing that you have to do. On our side your session may still be open for a while, which matters ' +
      'only if somebody has a copy of it. If you think so, please tell us.',
  },
  EmailNotConfirmed: {
    title: 'This address is not confirmed',
    text: 'Somebody has signed up here with this e-mail address in another way, and never confirmed it. If it was you, sign in the way you did then. If it was not, please tell the people who run this site. The link has been used up.',
  },
  Verification: {
    title: 'This link no longer works',
    text: 'It may have been used already, or it has expired. Sign in once more to get a fresh one.',
  },
  WebAuthnVerificationError: {
    title: 'Your passkey was not accepted',
    text: 'We could not verify it. Please try again, or sign in another way.',
  },
} satisfies Record<ErrorPageCode, Notice>

/** What is told in place of the notice for an `error`, where its `code` says more. */
const ERROR_NOTICES_BY_CODE: Readonly<Record<string, Readonly<Record<string, Notice>>>> = {
  Configuration: {
    Unavailable: {
      title: 'One moment, please',
      text: 'Something on our side does not answer right now. That will pass, and nothing is lost: please try again in a moment.',
    },
  },
}

/** What is told in place of a guarded page. */
export const SESSION_UNAVAILABLE: Notice = {
  title: 'One moment, please',
  text: 'We cannot tell right now whether you are signed in. Nothing is lost: try again in a moment.',
}

const REFUSALS: Readonly<Record<number, Notice>> = {
  404: { title: 'Nothing here', text: 'This address does not lead anywhere. It may have been mistyped.' },
  405: { title: 'That does not work here', text: 'This address cannot be used that way. Please start over.' },
  413: { title: 'Too much at once', text: 'What was sent is larger than we accept. Please shorten it and try again.' },
  415: {
    title: 'Unknown format',
    text: 'What was sent is in a format that we do not read. Please use the form of this site.',
  },
}

const GENERAL_MESSAGE = 'We could not sign you in. Please try again.'
const GENERAL_NOTICE: Notice = {
  title: 'Something went wrong',
  text: 'That did not work. You are welcome to try again.',
}
const GENERAL_REFUSAL: Notice = {
  title: 'We did not understand that',
  text: 'The request was incomplete or damaged. Please start over.',
}

/**
 * The sign-in page's text for an `error` parameter. The value itself is looked up, never shown: whoever can make somebody
 * follow a link would otherwise write on our page (CVE-2025-71404).
 *
 * @param code the `code` parameter, looked up as well; one that is not known changes nothing
 * @returns null without an error; one fixed text for every unknown value
 */
export function signInMessage(error: string | undefined, code?: string): string | null {
  if (!error) return null
  const byCode = lookUpCode(MESSAGES_BY_CODE, error, code)
  if (byCode !== undefined) return byCode
  return Object.hasOwn(SIGN_IN_MESSAGES, error) ? SIGN_IN_MESSAGES[error as SignInErrorCode] : GENERAL_MESSAGE
}

/** The sign-out page's text for an `error` parameter, looked up like {@link signInMessage}; null for one that is not known. */
export const signOutMessage = (error: string | undefined): string | null =>
  error && Object.hasOwn(SIGN_OUT_MESSAGES, error) ? (SIGN_OUT_MESSAGES[error] ?? null) : null

/** What a table has for an `error` and a `code` that anybody may have written; undefined for nothing. */
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

/** What is said to a request that was refused with a 4xx status. */
export const refusalNotice = (status: number): Notice => REFUSALS[status] ?? GENERAL_REFUSAL
