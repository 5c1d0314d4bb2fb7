import type { OutOfTime } from '../crypto/claims.js'

/**
 * What an operator is told of a one-time value whose time is over or to come, as the end of a sentence.
 *
 * @param lifetime how long it counts, such as "15 minutes"
 */
export function tellOutOfTime({ state, seconds }: OutOfTime, lifetime: string): string {
  const clocks = 'or the clocks of your processes differ'
  return state === 'not-yet'
    ? `was begun ${seconds} s in the future by this machine's clock: that was set back meanwhile, ${clocks}`
    : `was over ${seconds} s ago by this machine's clock. It took longer than ${lifetime}; or, since browsers delete its cookies by then, the clock was set forward meanwhile, ${clocks}`
}
