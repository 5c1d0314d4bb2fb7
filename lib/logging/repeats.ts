import { AsyncResource } from 'node:async_hooks'
import { timerMs } from '../awaitable.js'

/** Writes one line; `repeated` is how often it happened since the line before, absent for the first. It never throws. */
export type WriteLine = (repeated?: number) => void

/** One thing that may happen again. Neither member holds anything that only a visitor decides. */
export interface Occurrence {
  /** What kind of thing it is, and where in the code it began. */
  readonly kind: string
  /** What tells those of one kind apart, such as the message. */
  readonly detail: string
}

/** What happens again and again, counted in place of being written each time. */
export interface Repeats {
  /**
   * Writes what happens for the first time, and what happens again at the end of an interval, once.
   *
   * @param interval seconds; 0 writes each
   */
  pass(occurrence: Occurrence, interval: number, write: WriteLine): void
}

/** How much is told apart at a time. */
export interface RepeatLimits {
  /** Details of one kind. Beyond it those of the kind are counted together. */
  readonly perKind: number
  /** Of all kinds. Beyond it the oldest is forgotten, and what was counted of it is written. */
  readonly total: number
}

interface Counted {
  readonly kind: string
  count: number
  /** Writes the latest of them. */
  write: WriteLine
  /** At the end of the interval. */
  timer?: NodeJS.Timeout
}

const LIMITS: RepeatLimits = { perKind: 20, total: 500 }
/**
 * What the module was loaded in: no request. A timer that begins in a request belongs to it, holds its object, and has the application's logger find what the
 * application keeps of it.
 */
const outside = new AsyncResource('latchkey repeats')

/**
 * Counts for one place that lines are written to.
 *
 * Its memory has an end, and nobody can use that to hide a fault. A kind has room of its own, so that no other kind can fill it. Where there are too many
 * kinds, more lines are written, and none is lost.
 */
export function createRepeats({ perKind, total }: RepeatLimits = LIMITS): Repeats {
  const counted = new Map<string, Counted>()
  /** How many are counted of each kind. */
  const kinds = new Map<string, number>()

  const wait = (key: string, entry: Counted, interval: number) => {
    const timer = outside.runInAsyncScope(() => setTimeout(() => sumUp(key, entry, interval), timerMs(interval * 1000)))
    // A process that has nothing else to do may end: that it happened is in the log, and only how often is lost.
    timer.unref()
    entry.timer = timer
  }

  const sumUp = (key: string, entry: Counted, interval: number) => {
    if (entry.count === 0) return forget(key, entry)
    const { count, write } = entry
    entry.count = 0
    wait(key, entry, interval)
    write(count)
  }

  const forget = (key: string, { kind, timer }: Counted) => {
    clearTimeout(timer)
    counted.delete(key)
    const left = (kinds.get(kind) ?? 1) - 1
    if (left === 0) kinds.delete(kind)
    else kinds.set(kind, left)
  }

  /** The oldest that has not happened again goes first: those of a flood of different ones, and not a store that is down. */
  const makeRoom = () => {
    const all = [...counted]
    const oldest = all.find(([, { count }]) => count === 0) ?? all[0]
    if (!oldest) return
    const [key, entry] = oldest
    forget(key, entry)
    if (entry.count > 0) entry.write(entry.count)
  }

  const keyOf = ({ kind, detail }: Occurrence) => {
    const own = `${kind}\n${detail}`
    return counted.has(own) || (kinds.get(kind) ?? 0) < perKind ? own : kind
  }

  return {
    pass(occurrence, interval, write) {
      if (interval === 0) return write()
      const key = keyOf(occurrence)
      const known = counted.get(key)
      if (known) {
        known.count += 1
        known.write = write
        return
      }
      if (counted.size >= total) makeRoom()
      const { kind } = occurrence
      const entry: Counted = { kind, count: 0, write }
      counted.set(key, entry)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      wait(key, entry, interval)
      write()
    },
  }
}
