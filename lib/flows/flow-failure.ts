import type { CookieChange } from '../http/cookies.js'
import type { FlowOutcome, FlowPause, FlowResult } from './flow.js'

/** What the page that shows a failure needs beside the error. What is absent or undefined is not known. */
export interface FailurePage {
  /** True if the visitor asked to stay signed in: then the checkbox of the page is ticked. */
  readonly isRemembered?: boolean | undefined
  /** URL of the page where the visitor can begin the link again; absent if it was no link that failed. */
  readonly linkPage?: string | undefined
  /** What the sign-in page can say beside the error, encrypted. */
  readonly hint?: string | undefined
  /** Mapped return target of the form that failed, of a signed-in visitor. */
  readonly backUrl?: string | undefined
  /** Mapped return target of the form that failed, for the page where the visitor tries again. */
  readonly returnTarget?: string | undefined
  /** True if the form is one for signed-in visitors, and nobody is signed in any more. */
  readonly isSignedOut?: boolean | undefined
}

/**
 * An error together with the cookies that the answer to it must carry: those that clear the transaction that it ended,
 * and those of a session that was renewed before it. It is unwrapped before anything is logged or shown.
 */
export class FlowFailure extends Error {
  override readonly name = 'FlowFailure'
  override readonly cause: unknown
  readonly cookies: readonly CookieChange[]
  readonly page: FailurePage

  /** @param cause what was thrown. If it is a FlowFailure itself, its cause, its cookies and its page are kept */
  constructor(cause: unknown, cookies: readonly CookieChange[], page: FailurePage = {}) {
    super('An action failed, and its answer has cookies to set or to clear, or something to keep.')
    const inner = cause instanceof FlowFailure ? cause : null
    this.cause = inner ? inner.cause : cause
    this.cookies = inner ? [...inner.cookies, ...cookies] : cookies
    // What the outer work does not know takes nothing away.
    this.page = { ...inner?.page, ...Object.fromEntries(Object.entries(page).filter(([, value]) => value)) }
  }
}

/**
 * Runs work after which cookies must be sent, whether it succeeds or fails.
 *
 * @throws {FlowFailure} when the work fails and there are cookies; without cookies, the error itself
 */
export async function carrying<T>(cookies: readonly CookieChange[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw cookies.length === 0 ? error : new FlowFailure(error, cookies)
  }
}

/**
 * Runs work, and keeps what the page of its failure needs: whether the visitor asked to stay signed in; the page where a link can be
 * begun again; or where the visitor wanted to go, since another tab may have replaced the cookie that has it.
 *
 * @param counts whether a failure is one of that kind; any one by default
 * @throws {FlowFailure} when the work fails so, and there is something to keep; otherwise, the error itself
 */
export async function keepingPage<T>(
  page: FailurePage,
  work: () => Promise<T>,
  counts: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw counts(error) && Object.values(page).some(Boolean) ? new FlowFailure(error, [], page) : error
  }
}

/**
 * Runs the work that ends a transaction, and clears its cookies whether the work succeeds or fails. A question ends
 * nothing, nor does a repetition, so they clear nothing.
 *
 * @param cookies the changes that clear the transaction
 * @throws {FlowFailure} when the work fails and there are cookies to clear; without cookies, the error itself
 */
export async function finishAndClear(
  cookies: readonly CookieChange[],
  work: () => Promise<FlowResult | FlowPause>,
): Promise<FlowOutcome | FlowPause> {
  const result = await carrying(cookies, work)
  return result.kind === 'confirm' || result.kind === 'repeat' ? result : { ...result, cookies }
}
