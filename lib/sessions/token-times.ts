import { type Bounded, createSecretMemory } from '../crypto/memory-by-secret.js'
import type { SessionTimes } from './lifetime.js'

/** The longest lifetimes of token sessions, among all configurations of this process. */
export type LongestTimes = Pick<SessionTimes, 'maxAge' | 'maxLifetime'>

/** How long the tokens of some secrets live. */
export interface TokenTimes {
  longest(): LongestTimes
  /** Records the lifetime of a token that was read, in seconds. */
  note(maxAge: number): void
}

/** What is known of the tokens of one secret. */
class KnownTimes implements Bounded {
  longest = NO_TIMES

  get size() {
    return this.longest === NO_TIMES ? 0 : 1
  }

  shrinkTo(size: number) {
    if (size < 1) this.longest = NO_TIMES
  }
}

const NO_TIMES: LongestTimes = { maxAge: 0, maxLifetime: 0 }

/** For how many secrets the times are kept; far more than a process has. */
const memory = createSecretMemory(() => new KnownTimes(), 10_000)

/**
 * The longest lifetimes of tokens of some secrets, among all configurations of this process that have one of these
 * secrets. An application may give another `maxAge` for each request. Then a copy of the token may live longer than the
 * token with which the visitor signs out.
 *
 * @param now milliseconds since the epoch
 * @param own the times of the configuration that asks
 */
export function tokenTimesOf(secrets: readonly string[], now: () => number, own: LongestTimes): TokenTimes {
  const shared = memory(secrets, 'session times', now)

  const add = (times: LongestTimes) => {
    for (let index = 0; index < shared.count; index += 1) {
      shared.change((known) => {
        known.longest = longer(known.longest, times)
      }, index)
    }
  }

  add(own)
  return {
    longest() {
      let longest = own
      for (let index = 0; index < shared.count; index += 1) longest = longer(longest, shared.at(index)?.longest ?? own)
      return longest
    },
    note: (maxAge) => add({ maxAge, maxLifetime: own.maxLifetime }),
  }
}

const longer = (one: LongestTimes, other: LongestTimes): LongestTimes => ({
  maxAge: Math.max(one.maxAge, other.maxAge),
  maxLifetime: Math.max(one.maxLifetime, other.maxLifetime),
})
