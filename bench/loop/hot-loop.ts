import { spreadOf } from '../harness/spread.js'
import type { Spread } from '../section.js'

/** Something to be done again and again. */
export interface Loop {
  readonly name: string
  /** Does it once. The number counts the runs, so that inputs can rotate. */
  readonly run: (index: number) => unknown
  /** Whether a run is over only when its promise is. */
  readonly waits?: boolean
}

/** What one run costs. */
export interface Cost {
  readonly name: string
  /** CPU time of the process, in µs, collecting garbage included. */
  readonly cpu: Spread
  /** Time from its start to its end, in µs. */
  readonly elapsed: Spread
}

/** How long to look. */
export interface Pace {
  readonly rounds: number
  /** Milliseconds of CPU, about, that each loop gets in each round. */
  readonly millis: number
}

/** Times loops side by side: each gets its turn in every round, so that a disturbance meets all of them. */
export async function timeLoops(loops: readonly Loop[], { rounds, millis }: Pace): Promise<Cost[]> {
  const timed: { loop: Loop; runs: number; cpu: number[]; elapsed: number[] }[] = []
  for (const loop of loops) timed.push({ loop, runs: await runsFor(loop, millis), cpu: [], elapsed: [] })
  for (let round = 0; round < rounds; round++) {
    for (const { loop, runs, cpu, elapsed } of timed) {
      // Goes on where the last batch ended, so that inputs that are many take turns in short batches as well.
      const batch = await timeBatch(loop, runs, round * runs)
      cpu.push(batch.cpu / runs)
      elapsed.push(batch.elapsed / runs)
    }
  }
  return timed.map(({ loop, cpu, elapsed }) => ({ name: loop.name, cpu: spreadOf(cpu), elapsed: spreadOf(elapsed) }))
}

/** How many runs take about as long as is wanted. Finding out also warms the loop up. */
async function runsFor(loop: Loop, millis: number): Promise<number> {
  for (let runs = 16; ; runs *= 2) {
    const { elapsed } = await timeBatch(loop, runs)
    if (elapsed >= millis * 1000) return Math.max(1, Math.round((runs * millis * 1000) / elapsed))
  }
}

// Kept, so that no run is optimised away.
let last: unknown

async function timeBatch({ run, waits }: Loop, runs: number, first = 0): Promise<{ cpu: number; elapsed: number }> {
  const end = first + runs
  const began = process.hrtime.bigint()
  const before = process.cpuUsage()
  if (waits) for (let index = first; index < end; index++) last = await run(index)
  else for (let index = first; index < end; index++) last = run(index)
  const { user, system } = process.cpuUsage(before)
  return { cpu: user + system, elapsed: Number(process.hrtime.bigint() - began) / 1000 }
}

/** What the loops gave last; nobody needs it, and the compiler cannot know. */
export const lastResult = (): unknown => last
