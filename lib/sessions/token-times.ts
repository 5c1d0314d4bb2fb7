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

interface Known extends Bounded {
  times: LongestTimes | null
}

/** For how many secrets the times are kept; far more than a process has. */
const CAPACITY = 10_000

const memory = createSecretMemory<Known>(createKnown, CAPACITY)

function createKnown(): Known {
  const known = {
    times: null as LongestTimes | null,
    get size() {
      return known.times === null ? 0 : 1
    },
    shrinkTo(size: number) {
      if (size < 1) known.times = null
    },
  }
  return known
}

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
      const before = shared.at(index)?.times
      if (before && before.maxAge >= times.maxAge && before.maxLifetime >= times.maxLifetime) continue
      shared.change((known) => {
        known.times = longer(known.times, times)
      }, index)
    }
  }

  add(own)
  return {
    longest() {
      let longest = own
      for (let index = 0; index < shared.count; index += 1) longest = longer(shared.at(index)?.times ?? null, longest)
      return longest
    },
    note: (maxAge) => add({ maxAge, maxLifetime: own.maxLifetime }),
  }
}

const longer = (one: LongestTimes | null, other: LongestTimes): LongestTimes => ({
  maxAge: Math.max(one?.maxAge ?? 0, other.maxAge),
  maxLifetime: Math.max(one?.maxLifetime ?? 0, other.maxLifetime),
})
