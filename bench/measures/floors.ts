import type { Cost } from '../loop/hot-loop.js'
import { runPinned } from '../loop/pinned.js'
import type { Measure } from '../section.js'

/** What single steps cost by themselves, and the guard without a server around it. */
export const measure: Measure = async ({ quick, progress }) => {
  progress('single steps in a loop')
  const pace = quick ? { rounds: 5, millis: 15 } : { rounds: 9, millis: 40 }
  const costs = await runPinned<Cost[]>(import.meta.resolve('./floors/process.js'), pace)
  return {
    id: 'floors',
    title: 'Floors: single steps in a hot loop',
    how:
      'One process on one core does each step again and again, in turn with all others; inputs rotate. Everything is compiled and in the ' +
      "processor's caches, so a server pays more for the same step; these are the least that it can cost. CPU time has the garbage collector's " +
      'in it, and that of other threads.',
    columns: ['CPU, µs', 'elapsed, µs'],
    rows: costs.map(({ name, cpu, elapsed }) => ({ name, cells: [cpu, elapsed] })),
    goals: [],
  }
}
