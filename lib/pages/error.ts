import { type ErrorPageCode, errorNotice, refusalNotice, SESSION_UNAVAILABLE } from './messages.js'
import type { ErrorView } from './view.js'

/** What the error page is made of. */
export interface ErrorPageInput {
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The `code` parameter, looked up as well. */
  readonly code?: string | undefined
  /** `{base}/signin`, with the return target where it is known; null where that page cannot be shown */
  readonly signInUrl: string | null
}

/** What the page of a refused request is made of. */
export interface RefusalPageInput {
  /** 4xx */
  readonly status: number
  /** `{base}/signin`; null where nothing tells where that is */
  readonly signInUrl: string | null
}

/** What the page is made of that stands in for a guarded one. */
export interface UnavailablePageInput {
  /** The address that was asked for; null where it cannot be asked for again. */
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

/** A fault that passes: whoever asks again in a moment may get what they wanted. */
const PASSING = { status: 503, icon: 'fault', passes: true } as const

/**
 * The error page. Its status is that of the error: 500 for `Configuration`, 503 where that passes, 403 for a refusal, 200 for what is not known.
 */
export function errorPage({ error, code, signInUrl }: ErrorPageInput): ErrorView {
  const { title, text } = errorNotice(error, code)
  if (error === 'Configuration' && code === 'Unavailable') {
    return { page: 'error', title, text, link: linkTo(signInUrl, 'Start again'), ...PASSING }
  }
  const known: Kind =
    error && Object.hasOwn(KNOWN, error) ? KNOWN[error as ErrorPageCode] : { status: 200, icon: 'fault' }
  return { page: 'error', title, text, link: linkTo(signInUrl, TO_SIGN_IN), passes: false, ...known }
}

/** The page in place of a guarded one, while it cannot be told whether the visitor is signed in. */
export function unavailablePage({ url }: UnavailablePageInput): ErrorView {
  return { page: 'error', ...SESSION_UNAVAILABLE, link: linkTo(url, 'Try again'), ...PASSING }
}

/** The page for a request that cannot be served: an unknown path, a wrong method, a body too large or unreadable. */
export function refusalPage({ status, signInUrl }: RefusalPageInput): ErrorView {
  return {
    page: 'error',
    status,
    icon: 'lost',
    passes: false,
    link: linkTo(signInUrl, TO_SIGN_IN),
    ...refusalNotice(status),
  }
}

const TO_SIGN_IN = 'Go to sign-in'

const linkTo = (url: string | null, text: string): ErrorView['link'] => (url === null ? null : { url, text })
