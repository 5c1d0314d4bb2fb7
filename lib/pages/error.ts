import {
  type Conflict,
  errorMessage,
  type FailureMessage,
  formRefusalMessage,
  NOT_ALLOWED,
  refusalMessage,
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

type WaysOn = Pick<ErrorView, 'link' | 'others'> & Partial<Pick<ErrorView, 'text' | 'sendLink' | 'isForDeveloper'>>
type Home = Pick<ErrorPageInput, 'homeUrl'>

const viewOf = (message: FailureMessage, ways: WaysOn): ErrorView => ({
  page: 'error',
  sendLink: null,
  isForDeveloper: false,
  ...message,
  ...ways,
})

/**
 * The error page. Its status is that of the error: 500 for `Configuration`, 503 for a temporary fault, 403 for a
 * refusal, 200 for an unknown error.
 */
export function errorPage(input: ErrorPageInput): ErrorView {
  const { error, code, signInUrl, homeUrl, isDevelopment = false } = input
  const message = errorMessage(error, code)
  const link = linkTo(signInUrl, message.isTemporary ? 'error.startAgain' : 'error.toSignIn')
  const isForDeveloper = isDevelopment && error === 'Configuration' && !message.isTemporary
  const better = error === 'Verification' ? afterUnusableLink(input) : null
  return viewOf(message, better ?? { ...waysOn(link, homeUrl), isForDeveloper })
}

/** How somebody goes on after a mailed link that no longer works; null if only the sign-in page is left. */
function afterUnusableLink({ continueUrl, sendLink, otherAddressUrl = null, homeUrl }: ErrorPageInput): WaysOn | null {
  if (continueUrl) {
    return {
      text: pageText('error.verification.textSignedIn'),
      ...waysOn(linkTo(continueUrl, 'error.continue'), homeUrl),
    }
  }
  if (!sendLink) return null
  const text = pageText('error.verification.textSend', { address: sendLink.address })
  return { text, link: null, others: present(linkTo(otherAddressUrl, 'verifyRequest.other')), sendLink }
}

/**
 * The page that is shown in place of a guarded page while nobody can say whether the visitor is signed in.
 *
 * @param input `url`: what was requested; null when the visitor cannot request it again
 */
export const unavailablePage = ({ url, homeUrl }: Home & { readonly url: string | null }): ErrorView =>
  viewOf(SESSION_UNAVAILABLE, waysOn(linkTo(url, 'error.tryAgain'), homeUrl))

/**
 * The page that is shown in place of a guarded page to somebody who is signed in and may not see it.
 *
 * @param input `stop`: where whoever acts as a user stops; null for everybody else. `otherAccountUrl`: where they sign out, and then in
 *   with another account; null when this URL is not known
 */
export const forbiddenPage = ({
  stop,
  otherAccountUrl,
  homeUrl,
}: Home & { readonly stop: PageLink | null; readonly otherAccountUrl: string | null }): ErrorView =>
  viewOf(NOT_ALLOWED, {
    // They cannot sign in with another account.
    ...(stop && { text: pageText('error.notAllowed.textActing') }),
    ...waysOn(stop ?? linkTo(otherAccountUrl, 'error.otherAccount'), homeUrl),
  })

/** The input of the page of a refused request. */
interface RefusalPageInput extends Home {
  /** 4xx */
  readonly status: number
  /** As `RequestRefused` has it. */
  readonly conflict?: Conflict
  /** The page with the form that was refused; null when this URL is not known. It counts before `signInUrl`. */
  readonly backUrl?: string | null
  /** Where the visitor goes on in place of all that; absent or empty for nowhere else. */
  readonly links?: readonly PageLink[] | undefined
  /** `{base}/signin`; null when this URL is not known */
  readonly signInUrl: string | null
  /** Where whoever acts as a user stops; null or absent when this URL is not known. */
  readonly stopUrl?: string | null
  /** Seconds after which the request may succeed; absent if that is not known. */
  readonly retryAfter?: number | undefined
  /** A form that is not refused meanwhile; null or absent for none. */
  readonly sendLink?: SendLinkForm | null
}

/** The page for a request that cannot be served: an unknown path, a wrong method, a body too large or unreadable. */
export function refusalPage(input: RefusalPageInput): ErrorView {
  const { status, conflict = null, backUrl = null, links = [], homeUrl, retryAfter, sendLink = null } = input
  const refusal = { status, isTemporary: false, ...(retryAfter !== undefined && { retryAfter }) }
  // Those are signed in.
  const isDenied = conflict === 'acting' || conflict === 'may-not-act'
  const stop = linkTo((conflict === 'acting' && input.stopUrl) || null, 'acting.stop')
  const [first = null, ...others] = links
  if (backUrl !== null && first === null) {
    const icon = status === 409 || isDenied ? 'denied' : status === 403 || status === 429 ? 'expired' : 'lost'
    return viewOf(
      { ...refusal, icon, ...formRefusalMessage(status, conflict) },
      stop ? { link: stop, others: present(linkTo(backUrl, 'error.goBack')) } : waysOn(linkTo(backUrl, 'error.goBack')),
    )
  }
  const link = stop ?? linkTo(isDenied ? null : input.signInUrl, 'error.toSignIn')
  const ways = sendLink ? { link: null, others: present(link), sendLink } : waysOn(link, homeUrl)
  return viewOf(
    {
      ...refusal,
      icon: status === 429 ? 'expired' : isDenied ? 'denied' : 'lost',
      ...refusalMessage(status, conflict),
    },
    first ? { link: first, others } : ways,
  )
}

/** What a page says that leads on. */
export type Said = Pick<ErrorView, 'title' | 'text'> & Partial<Pick<ErrorView, 'status' | 'icon' | 'codes' | 'more'>>

/** The page that says that something was done. */
export const donePage = ({
  continueUrl,
  ...said
}: Said & Pick<ErrorView, 'host'> & { readonly continueUrl: string }): ErrorView =>
  viewOf(
    { status: 200, icon: 'done', isTemporary: false, ...said },
    { link: linkTo(continueUrl, 'error.continue'), others: [] },
  )

/** The page for a form of a signed-in visitor who is not signed in any more. */
export const signedOutMeanwhilePage = ({ signInUrl }: { readonly signInUrl: string }): ErrorView =>
  viewOf(SIGNED_OUT_MEANWHILE, waysOn(linkTo(signInUrl, 'error.toSignIn')))

/** No page is a dead end: where there is no better way, the first page of the application is the way on. */
const waysOn = (link: PageLink | null, homeUrl: string | null = null): WaysOn => {
  const home = linkTo(homeUrl, 'error.home')
  if (link === null) return { link: home, others: [] }
  return { link, others: link.url === homeUrl ? [] : present(home) }
}

const present = (link: PageLink | null): readonly PageLink[] => (link === null ? [] : [link])

const linkTo = (url: string | null, key: TextKey): PageLink | null =>
  url === null ? null : { url, text: pageText(key) }
