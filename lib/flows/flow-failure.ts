import type { CookieChange } from '../http/cookies.js'
import type { FlowOutcome, FlowQuestion, FlowResult } from './flow.js'

/**
 * An error together with the cookies that the answer must clear. It is unwrapped before anything is logged or shown.
 */
export class FlowFailure extends Error {
  override readonly name = 'FlowFailure'
  override readonly cause: unknown
  readonly cookies: readonly CookieChange[]

  /** @param cause what was thrown */
  constructor(cause: unknown, cookies: readonly CookieChange[]) {
    super('A sign-in failed, and its cookies are to be cleared.')
    this.cause = cause
    this.cookies = cookies
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
  try {
    const result = await work()
    return result.kind === 'confirm' ? result : { ...result, cookies }
  } catch (error) {
    throw cookies.length === 0 ? error : new FlowFailure(error, cookies)
  }
}
