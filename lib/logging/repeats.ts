import { AsyncResource } from 'node:async_hooks'
import { timerMs } from '../awaitable.js'

/** Writes one line; `repeated` is how often it happened since the line before, absent for the first. It never throws. */
export type WriteLine = (repeated?: number) => void

/** What happens again and again, counted in place of being written each time. */
export interface Repeats {
  /**
   * Writes what happens for the first time, and what happens again at the end of an interval, once.
   *
   * @param key tells one thing that happens from another
   * @param kind stands in for the key where too many things happen at a time
   * @param interval seconds; 0 writes each
   */
  pass(key: string, kind: string, interval: number, write: WriteLine): void
}

interface Counted {
  count: number
  /** Writes the latest of them. */
  write: WriteLine
}

/**
 * What the module was loaded in: no request. A timer that begins in a request belongs to it, holds its object, and has the application's logger find what the
 * application keeps of it.
 */
const outside = new AsyncResource('latchkey repeats')
/** Things that are told apart at a time. */
const CAPACITY = 500

/** Counts for one place that lines are written to. */
export function createRepeats(capacity = CAPACITY): Repeats {
  const counted = new Map<string, Counted>()

  const wait = (key: string, interval: number) => {
    const timer = outside.runInAsyncScope(() => setTimeout(() => sumUp(key, interval), timerMs(interval * 1000)))
    // A process that has nothing else to do may end: that it happened is in the log, and only how often is lost.
    timer.unref()
  }

  const sumUp = (key: string, interval: number) => {
    const entry = counted.get(key)
    if (!entry || entry.count === 0) {
      counted.delete(key)
      return
    }
    const { count, write } = entry
    entry.count = 0
    wait(key, interval)
    write(count)
  }

  return {
    pass(key, kind, interval, write) {
      if (interval === 0) return write()
      const name = counted.has(key) || counted.size < capacity ? key : kind
      const entry = counted.get(name)
      if (entry) {
        entry.count += 1
        entry.write = write
        return
      }
      counted.set(name, { count: 0, write })
      wait(name, interval)
      write()
    },
  }
}
