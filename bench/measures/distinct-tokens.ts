import { runPinned } from '../loop/pinned.js'
import type { Measure } from '../section.js'
import type { Filled } from './distinct-tokens/process.js'

/** What the memory of a process comes to while it meets more and more session tokens. */
export const measure: Measure = async ({ quick, progress }) => {
  const numbers = quick ? [1000, 10_000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
  progress(`${numbers.at(-1)} distinct tokens`)
  const script = import.meta.resolve('./distinct-tokens/process.js')
  const filled = await runPinned<Filled[]>(script, numbers, ['--expose-gc'])
  return {
    id: 'distinct-tokens',
    title: 'Memory under distinct tokens',
    how:
      'One guard, with the settings that it comes with, is shown one session token after another, each of them once. The heap is measured after a ' +
      'garbage collection, above what it was before the first: opened tokens are remembered, up to a number, and then forgotten again.',
    columns: ['heap, MB', 'CPU per request, µs'],
    rows: filled.map(({ tokens, heap, cpu }) => ({
      name: `${tokens.toLocaleString('en')} tokens`,
      cells: [exactly(heap / 1e6), exactly(cpu)],
    })),
    goals: [],
    curves: {
      x: 'distinct tokens shown',
      y: 'heap above that of the start, MB',
      lines: [
        { name: 'token cache', points: filled.map(({ tokens, heap }) => ({ x: tokens, y: exactly(heap / 1e6) })) },
      ],
    },
  }
}

/** It is done once: a million tokens take their time. */
const exactly = (value: number) => ({ median: value, low: value, high: value })
