import type { CookieChange } from '../http/cookies.js'
import type { FlowOutcome, FlowQuestion, FlowResult } from './flow.js'

/**
 * An error together with the cookies that the answer to it must carry: those that clear the transaction that it ended,
 * and those of a session that was renewed before it. It is unwrapped before anything is logged or shown.
 */
export class FlowFailure extends Error {
  override readonly name = 'FlowFailure'
  override readonly cause: unknown
  readonly cookies: readonly CookieChange[]

  /** @param cause what was thrown */
  constructor(cause: unknown, cookies: readonly CookieChange[]) {
    super('A sign-in failed, and the answer has cookies to set or to clear.')
    this.cause = cause
    this.cookies = cookies
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
 * Runs the work that ends a transaction, and clears its cookies whether the work succeeds or fails. A question ends
 * nothing, so it clears nothing.
 *
 * @param cookies the changes that clear the transaction
 * @throws {FlowFailure} when the work fails and there are cookies to clear; without cookies, the error itself
 */
export async function finishAndClear(
  cookies: readonly CookieChange[],
  work: () => Promise<FlowResult | FlowQuestion>,
): Promise<FlowOutcome | FlowQuestion> {
  const result = await carrying(cookies, work)
  return result.kind === 'confirm' ? result : { ...result, cookies }
}
