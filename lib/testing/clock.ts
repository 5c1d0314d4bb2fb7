import { processEnv } from '../config/env.js'
import { AuthError, InvalidConfiguration } from '../kernel/errors.js'

/** A length of time; the members are added. A day has 24 hours. */
export interface Duration {
  readonly days?: number
  readonly hours?: number
  readonly minutes?: number
  readonly seconds?: number
}

/** The clock of a test. */
export interface TestClock extends Disposable {
  /**
   * Moves the time forward at once, for everything in this process that reads it from `Date`.
   *
   * @throws {AuthError} for an unknown unit, or a number that is negative or not finite
   */
  advance(by: Duration): void
  /** Puts the right time back. */
  restore(): void
}

const UNITS: Readonly<Record<keyof Duration, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
}

/** Whether a clock has replaced `Date`. A second one would take the `Date` of the first for the real one, and put that back. */
let isRunning = false

/**
 * Replaces `Date` of this process by one whose time a test can move. Time goes on in between. Timers are not touched, so
 * servers, sockets and test runners go on as before.
 *
 * @throws {AuthError} in production, or if another clock has not been restored
 */
export function testClock(): TestClock {
  if (processEnv().isProduction) {
    throw new InvalidConfiguration(
      'testClock() makes sessions and links end, or begin again, at the wrong time, so it does not work in production.',
    )
  }
  if (isRunning)
    throw new AuthError('Another testClock() is at work. Call its restore() first, such as after each test.')
  isRunning = true
  const realDate = globalThis.Date
  let ahead = 0
  const now = () => realDate.now() + ahead
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given),
    // Date() without `new` gives a text.
    apply: () => new realDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })

  let isRestored = false
  function restore(): void {
    if (isRestored) return
    isRestored = true
    isRunning = false
    globalThis.Date = realDate
  }

  return {
    advance(by) {
      ahead += milliseconds(by)
    },
    restore,
    [Symbol.dispose]: restore,
  }
}

function milliseconds(by: Duration): number {
  return Object.entries(by).reduce((sum, [unit, count]) => {
    const length = Object.hasOwn(UNITS, unit) ? UNITS[unit as keyof Duration] : undefined
    if (length === undefined) throw new AuthError(`A duration has ${Object.keys(UNITS).join(', ')}, and no "${unit}".`)
    if (!(Number.isFinite(count) && count >= 0)) throw new AuthError(`"${unit}" of a duration must be a number from 0.`)
    return sum + count * length
  }, 0)
}
