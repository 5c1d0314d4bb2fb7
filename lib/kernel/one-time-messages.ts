import type { OutOfTime } from './claims.js'
import { isFirstTime, type Log } from './logger.js'

/**
 * Says to an operator why a one-time value has expired or is not valid yet, as the end of a sentence.
 *
 * @param lifetimeSeconds how long the value counts
 */
export function validityMessage({ state, seconds }: OutOfTime, lifetimeSeconds: number): string {
  const clocks = 'or the clocks of your processes differ'
  return state === 'not-yet'
    ? `was begun ${seconds} s in the future by this machine's clock: the clock was set back meanwhile, ${clocks}`
    : `expired ${seconds} s ago by this machine's clock. It took longer than ${inMinutes(lifetimeSeconds)}; or, since browsers delete its cookies by then, the clock was set forward meanwhile, ${clocks}`
}

/** A lifetime as messages show it: `15 minutes`. */
export const inMinutes = (seconds: number): string => `${seconds / 60} minutes`

/** Warns once that used answers were forgotten, for each ledger of them. */
export const warnOfForgotten = (logger: Log) => (): void => {
  if (isFirstTime(logger, 'used-answers-forgotten')) logger.warn('used-answers-forgotten')
}
