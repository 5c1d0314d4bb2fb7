import type { Effort, Spread } from '../section.js'
import type { Activity, Done } from './load.js'
import { REFERENCE_BARE } from './reference.js'
import { interleave } from './rounds.js'
import type { Server } from './server.js'
import { spreadOf } from './spread.js'

/** One of two sides that take turns. */
export interface Side {
  readonly run: Activity
  /** How often it is done in a turn: few times, so that turns take milliseconds. */
  readonly times: number
  /** Seconds of load before the first turn, until the compiler is done and caches are full. */
  readonly warmUp: number
}

/** What is measured, and the bare route of the same process. */
export interface Entrant {
  readonly name: string
  readonly server: Server
  readonly measured: Side
  readonly bare: Side
  /** Pairs of turns in each round. */
  readonly pairs: number
}

/** A turn. */
export interface Turn {
  /** CPU microseconds of the server each time. */
  readonly cost: number
  /** How often in a second. */
  readonly rate: number
}

/** Two turns right after one another. */
export interface Pair {
  readonly measured: Turn
  readonly bare: Turn
}

/**
 * Puts the two sides of each entrant under load by turns of a few milliseconds. What slows the machine down for longer than that slows both turns of a
 * pair; what comes between falls into few pairs.
 *
 * @returns the pairs of each entrant, in their order
 */
export async function contest(
  entrants: readonly Entrant[],
  rounds: number,
  progress: Effort['progress'],
): Promise<Pair[][]> {
  for (const { name, measured, bare } of entrants) {
    progress(`warming up ${name}`)
    for (const { run, warmUp } of [bare, measured, bare, measured]) await run({ seconds: warmUp / 2 })
  }
  let visits = 0
  const results = await interleave(entrants, rounds, progress, (entrant) => {
    visits += 1
    return visits % 2 === 0 ? pairsOf(entrant, ['bare', 'measured']) : pairsOf(entrant, ['measured', 'bare'])
  })
  return results.map((ofRounds) => ofRounds.flat())
}

/** @param order which of a pair comes first */
async function pairsOf(entrant: Entrant, order: readonly (keyof Pair)[]): Promise<Pair[]> {
  const turns: { readonly side: keyof Pair; readonly done: Done }[] = []
  const take = async (side: keyof Pair) => {
    const { run, times } = entrant[side]
    turns.push({ side, done: await run({ requests: times }) })
  }
  // A pair before and one behind that do not count: what the change from another process costs falls into the former, the question into the latter.
  for (let pair = 0; pair < entrant.pairs + 2; pair += 1) for (const side of order) await take(side)
  const cpu = (await entrant.server.turns()).slice(-turns.length)
  const taken = turns.map(({ side, done: { times, seconds } }, index) => {
    return { side, cost: (cpu[index] ?? Number.NaN) / times, rate: times / seconds }
  })
  const pairs: Pair[] = []
  for (let at = 2; at < taken.length - 2; at += 2) {
    const [one, other] = [taken[at], taken[at + 1]]
    if (one && other) pairs.push(one.side === 'bare' ? { bare: one, measured: other } : { bare: other, measured: one })
  }
  return pairs
}

/** What pairs come to. */
export interface Summary {
  /** CPU microseconds each time. */
  readonly cost: Spread
  /** The same of the bare route. */
  readonly bare: Spread
  readonly added: Spread
  /** CPU of the bare route over its own: the share that is left of a core. */
  readonly share: Spread
  /** The same of all pairs together, with every disturbance and every garbage collection in it. */
  readonly wholeShare: number
  /** How often in a second, over the bare route. */
  readonly rate: Spread
  /** CPU microseconds where the bare route costs {@link REFERENCE_BARE}. */
  readonly normalised: Spread
  /** CPU microseconds added there. */
  readonly normalisedAdded: Spread
}

/** Medians and quartiles of what is found pair by pair. */
export function summaryOf(pairs: readonly Pair[]): Summary {
  const spread = (value: (pair: Pair) => number) => spreadOf(pairs.map(value))
  const ratio = spread(({ measured, bare }) => measured.cost / bare.cost)
  return {
    cost: spread(({ measured }) => measured.cost),
    bare: spread(({ bare }) => bare.cost),
    added: spread(({ measured, bare }) => measured.cost - bare.cost),
    share: spread(({ measured, bare }) => bare.cost / measured.cost),
    wholeShare: sum(pairs.map(({ bare }) => bare.cost)) / sum(pairs.map(({ measured }) => measured.cost)),
    rate: spread(({ measured, bare }) => measured.rate / bare.rate),
    normalised: mapSpread(ratio, (value) => value * REFERENCE_BARE),
    normalisedAdded: mapSpread(ratio, (value) => (value - 1) * REFERENCE_BARE),
  }
}

/** Each figure of a spread, by a function that keeps their order. */
const mapSpread = ({ median, low, high }: Spread, change: (value: number) => number): Spread => ({
  median: change(median),
  low: change(low),
  high: change(high),
})

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
