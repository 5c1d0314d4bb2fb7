import { type ErrorPageCode, errorNotice, refusalNotice } from './messages.js'
import type { ErrorView } from './view.js'

/** What the error page is made of. */
export interface ErrorPageInput {
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** `{base}/signin` */
  readonly signInUrl: string
}

/** What the page of a refused request is made of. */
export interface RefusalPageInput {
  /** 4xx */
  readonly status: number
  /** `{base}/signin` */
  readonly signInUrl: string
}

const KNOWN = {
  AccessDenied: { status: 403, icon: 'denied' },
  Configuration: { status: 500, icon: 'fault' },
  SignOut: { status: 503, icon: 'fault' },
  EmailNotConfirmed: { status: 403, icon: 'denied' },
  Verification: { status: 403, icon: 'expired' },
  WebAuthnVerificationError: { status: 200, icon: 'denied' },
} as const satisfies Record<ErrorPageCode, Pick<ErrorView, 'status' | 'icon'>>

/** The error page. Its status is that of the error: 500 for `Configuration`, 403 for a refusal, 200 for what is not known. */
export function errorPage({ error, signInUrl }: ErrorPageInput): ErrorView {
  const { title, text } = errorNotice(error)
  const known =
    error && Object.hasOwn(KNOWN, error) ? KNOWN[error as ErrorPageCode] : { status: 200, icon: 'fault' as const }
  return { page: 'error', title, text, signInUrl, ...known }
}

/** The page for a request that cannot be served: an unknown path, a wrong method, a body too large or unreadable. */
export function refusalPage({ status, signInUrl }: RefusalPageInput): ErrorView {
  return { page: 'error', status, icon: 'lost', signInUrl, ...refusalNotice(status) }
}
