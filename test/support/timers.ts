import { syncBuiltinESMExports } from 'node:module'
import promised from 'node:timers/promises'

const FASTER = 50
const sleep = promised.setTimeout

/**
 * From now on the pauses of the code under test are a fiftieth of what they are, so that no test sits them out.
 *
 * @param longest longer timers take their time: they are limits for something real, such as the answer of a server
 * @returns puts the timers of Node back
 */
export function hurryTimers(longest = 1000): () => void {
  const { setTimeout } = globalThis
  const shorter = (ms = 0) => (ms > longest ? ms : ms / FASTER)
  const hurried = (call: () => void, ms?: number, ...args: []) => setTimeout(call, shorter(ms), ...args)
  globalThis.setTimeout = Object.assign(hurried, setTimeout)
  promised.setTimeout = (ms, ...rest) => sleep(shorter(ms), ...rest)
  syncBuiltinESMExports()
  return () => {
    globalThis.setTimeout = setTimeout
    promised.setTimeout = sleep
    syncBuiltinESMExports()
  }
}

/** While timers hurry: time for what would come within three seconds, and must come, or must not. */
export const aMoment = (): Promise<void> => sleep(100)

/** As {@link hurryTimers}, for the tests of a suite: call it where `before` may be called. */
export function inAHurry(longest?: number): void {
  let takeTime = () => {}
  before(() => {
    takeTime = hurryTimers(longest)
  })
  after(() => takeTime())
}

/** Does something at a later time, as the clock of this process has it. */
export async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => now() + ms
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
