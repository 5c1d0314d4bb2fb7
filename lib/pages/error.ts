import {
  type ErrorPageCode,
  errorNotice,
  formRefusalNotice,
  NOT_ALLOWED,
  type Notice,
  refusalNotice,
  SESSION_UNAVAILABLE,
  SIGNED_OUT_MEANWHILE,
} from './messages.js'
import { pageText, type TextKey } from './texts/text.js'
import type { ErrorView, PageLink, SendLinkForm } from './view.js'

/** The input of the error page. */
interface ErrorPageInput {
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The `code` parameter, looked up as well. */
  readonly code?: string | undefined
  /** `{base}/signin`, with the return target if it is known; null when that page cannot be shown */
  readonly signInUrl: string | null
  /** The first page of the application; null or absent when its origin is not known. */
  readonly homeUrl?: string | null
  /** For a mailed link that no longer works: where a visitor who is signed in goes on; null or absent if nobody is. */
  readonly continueUrl?: string | null
  /** For such a link: the form for a new one; null or absent if this browser did not ask for one. */
  readonly sendLink?: SendLinkForm | null
  /** The sign-in page with the address of that form filled in, to correct it. */
  readonly otherAddressUrl?: string | null
  /** Whether the application runs outside of production, so that a developer may be looking. */
  readonly isDevelopment?: boolean
}

/** The input of the page of a refused request. */
interface RefusalPageInput extends Pick<ErrorPageInput, 'homeUrl'> {
  /** 4xx */
  readonly status: number
  /** The page with the form that was refused; null when this URL is not known. It counts before `signInUrl`. */
  readonly backUrl?: string | null
  /** `{base}/signin`; null when this URL is not known */
  readonly signInUrl: string | null
}

/** The input of the page for somebody who is signed in and may not see a guarded page. */
interface ForbiddenPageInput extends Pick<ErrorPageInput, 'homeUrl'> {
  /** Where they sign out, and then in with another account; null when this URL is not known */
  readonly otherAccountUrl: string | null
}

/** The input of the page that is shown in place of a guarded page. */
interface UnavailablePageInput extends Pick<ErrorPageInput, 'homeUrl'> {
  /** The URL that was requested; null when the visitor cannot request it again. */
  readonly url: string | null
}

type Kind = Pick<ErrorView, 'status' | 'icon'>

const KNOWN = {
  AccessDenied: { status: 403, icon: 'denied' },
  Configuration: { status: 500, icon: 'fault' },
  SignOut: { status: 503, icon: 'exit' },
  EmailNotConfirmed: { status: 403, icon: 'denied' },
  Verification: { status: 403, icon: 'expired' },
  WebAuthnVerificationError: { status: 200, icon: 'denied' },
} as const satisfies Record<ErrorPageCode, Kind>

/** A temporary fault: the same request may succeed in a moment. */
const TEMPORARY = { status: 503, icon: 'fault', isTemporary: true } as const

/** What few pages have. */
const PLAIN = { page: 'error', sendLink: null, isForDeveloper: false, isTemporary: false } as const

/**
 * The error page. Its status is that of the error: 500 for `Configuration`, 503 for a temporary fault, 403 for a
 * refusal, 200 for an unknown error.
 */
export function errorPage(input: ErrorPageInput): ErrorView {
  const { error, code, signInUrl, homeUrl = null, isDevelopment = false } = input
  const notice = errorNotice(error, code)
  if (error === 'Configuration' && code === 'Unavailable') {
    return { ...PLAIN, ...notice, ...waysOn(linkTo(signInUrl, 'error.startAgain'), homeUrl), ...TEMPORARY }
  }
  const known: Kind =
    error && Object.hasOwn(KNOWN, error) ? KNOWN[error as ErrorPageCode] : { status: 200, icon: 'fault' }
  const shown = { ...PLAIN, ...notice, ...known, isForDeveloper: isDevelopment && error === 'Configuration' }
  const better = error === 'Verification' ? afterUnusableLink(input, notice) : null
  return { ...shown, ...(better ?? waysOn(linkTo(signInUrl, 'error.toSignIn'), homeUrl)) }
}

/** How somebody goes on after a mailed link that no longer works; null if only the sign-in page is left. */
function afterUnusableLink(
  { continueUrl = null, sendLink = null, otherAddressUrl = null, homeUrl = null }: ErrorPageInput,
  notice: Notice,
): (Notice & WaysOn & Partial<Pick<ErrorView, 'sendLink'>>) | null {
  if (continueUrl !== null) {
    const link = linkTo(continueUrl, 'error.continue')
    return { ...notice, text: pageText('error.verification.textSignedIn'), ...waysOn(link, homeUrl) }
  }
  if (sendLink === null) return null
  const other = linkTo(otherAddressUrl, 'verifyRequest.other')
  const { address } = sendLink
  return {
    ...notice,
    text: pageText('error.verification.textSend', { address }),
    link: null,
    others: present(other),
    sendLink,
  }
}

/** The page that is shown in place of a guarded page while nobody can say whether the visitor is signed in. */
export const unavailablePage = ({ url, homeUrl = null }: UnavailablePageInput): ErrorView => ({
  ...PLAIN,
  ...SESSION_UNAVAILABLE,
  ...waysOn(linkTo(url, 'error.tryAgain'), homeUrl),
  ...TEMPORARY,
})

/** The page that is shown in place of a guarded page to somebody who is signed in and may not see it. */
export const forbiddenPage = ({ otherAccountUrl, homeUrl = null }: ForbiddenPageInput): ErrorView => ({
  ...PLAIN,
  ...NOT_ALLOWED,
  ...waysOn(linkTo(otherAccountUrl, 'error.otherAccount'), homeUrl),
  status: 403,
  icon: 'denied',
})

/** The page for a request that cannot be served: an unknown path, a wrong method, a body too large or unreadable. */
export function refusalPage({ status, backUrl = null, signInUrl, homeUrl = null }: RefusalPageInput): ErrorView {
  if (backUrl !== null) {
    const icon = status === 409 ? 'denied' : status === 403 ? 'expired' : 'lost'
    return { ...PLAIN, status, icon, ...formRefusalNotice(status), ...waysOn(linkTo(backUrl, 'error.goBack'), null) }
  }
  return {
    ...PLAIN,
    status,
    icon: 'lost',
    ...refusalNotice(status),
    ...waysOn(linkTo(signInUrl, 'error.toSignIn'), homeUrl),
  }
}

/** The page for a form of a signed-in visitor who is not signed in any more. */
export const signedOutMeanwhilePage = ({ signInUrl }: { readonly signInUrl: string }): ErrorView => ({
  ...PLAIN,
  ...SIGNED_OUT_MEANWHILE,
  ...waysOn(linkTo(signInUrl, 'error.toSignIn'), null),
  status: 403,
  icon: 'exit',
})

type WaysOn = Pick<ErrorView, 'link' | 'others'>

/** No page is a dead end: where there is no better way, the first page of the application is the way on. */
const waysOn = (link: PageLink | null, homeUrl: string | null): WaysOn => {
  const home = linkTo(homeUrl, 'error.home')
  if (link === null) return { link: home, others: [] }
  return { link, others: link.url === homeUrl ? [] : present(home) }
}

const present = (link: PageLink | null): readonly PageLink[] => (link === null ? [] : [link])

const linkTo = (url: string | null, key: TextKey): PageLink | null =>
  url === null ? null : { url, text: pageText(key) }
