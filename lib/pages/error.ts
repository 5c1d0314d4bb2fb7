import {
  type ErrorPageCode,
  errorNotice,
  formRefusalNotice,
  NOT_ALLOWED,
  refusalNotice,
  SESSION_UNAVAILABLE,
} from './messages.js'
import type { TextKey } from './texts/english.js'
import { pageText } from './texts/text.js'
import type { ErrorView } from './view.js'

/** The input of the error page. */
export interface ErrorPageInput {
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The `code` parameter, looked up as well. */
  readonly code?: string | undefined
  /** `{base}/signin`, with the return target if it is known; null when that page cannot be shown */
  readonly signInUrl: string | null
}

/** The input of the page of a refused request. */
export interface RefusalPageInput {
  /** 4xx */
  readonly status: number
  /** The page with the form that was refused; null when this URL is not known. It counts before `signInUrl`. */
  readonly backUrl?: string | null
  /** `{base}/signin`; null when this URL is not known */
  readonly signInUrl: string | null
}

/** The input of the page that is shown in place of a guarded page. */
export interface UnavailablePageInput {
  /** The URL that was requested; null when the visitor cannot request it again. */
  readonly url: string | null
}

type Kind = Pick<ErrorView, 'status' | 'icon'>

const KNOWN = {
  AccessDenied: { status: 403, icon: 'denied' },
  Configuration: { status: 500, icon: 'fault' },
  SignOut: { status: 503, icon: 'fault' },
  EmailNotConfirmed: { status: 403, icon: 'denied' },
  Verification: { status: 403, icon: 'expired' },
  WebAuthnVerificationError: { status: 200, icon: 'denied' },
} as const satisfies Record<ErrorPageCode, Kind>

/** A temporary fault: the same request may succeed in a moment. */
const TEMPORARY = { status: 503, icon: 'fault', isTemporary: true } as const

/**
 * The error page. Its status is that of the error: 500 for `Configuration`, 503 for a temporary fault, 403 for a
 * refusal, 200 for an unknown error.
 */
export function errorPage({ error, code, signInUrl }: ErrorPageInput): ErrorView {
  const notice = errorNotice(error, code)
  if (error === 'Configuration' && code === 'Unavailable') {
    return { page: 'error', ...notice, link: linkTo(signInUrl, 'error.startAgain'), ...TEMPORARY }
  }
  const known: Kind =
    error && Object.hasOwn(KNOWN, error) ? KNOWN[error as ErrorPageCode] : { status: 200, icon: 'fault' }
  return { page: 'error', ...notice, link: linkTo(signInUrl, 'error.toSignIn'), isTemporary: false, ...known }
}

/** The page that is shown in place of a guarded page while nobody can say whether the visitor is signed in. */
export function unavailablePage({ url }: UnavailablePageInput): ErrorView {
  return { page: 'error', ...SESSION_UNAVAILABLE, link: linkTo(url, 'error.tryAgain'), ...TEMPORARY }
}

/** The page that is shown in place of a guarded page to somebody who is signed in and may not see it. */
export function forbiddenPage({ signInUrl }: { readonly signInUrl: string | null }): ErrorView {
  const link = linkTo(signInUrl, 'error.otherAccount')
  return { page: 'error', status: 403, icon: 'denied', isTemporary: false, link, ...NOT_ALLOWED }
}

/** The page for a request that cannot be served: an unknown path, a wrong method, a body too large or unreadable. */
export function refusalPage({ status, backUrl = null, signInUrl }: RefusalPageInput): ErrorView {
  if (backUrl !== null) {
    const icon = status === 409 ? 'denied' : status === 403 ? 'expired' : 'lost'
    const link = linkTo(backUrl, 'error.goBack')
    return { page: 'error', status, icon, isTemporary: false, link, ...formRefusalNotice(status) }
  }
  return {
    page: 'error',
    status,
    icon: 'lost',
    isTemporary: false,
    link: linkTo(signInUrl, 'error.toSignIn'),
    ...refusalNotice(status),
  }
}

const linkTo = (url: string | null, key: TextKey): ErrorView['link'] =>
  url === null ? null : { url, text: pageText(key) }
