import { goal, type Measure, quartilesOf, type Row } from '../results.js'
import { nodeOn, withServers } from '../server.js'

const MIB = 2 ** 20

/** The memory of a process that has seen many sessions, each of which it looked up in a revocation store. */
export const measure: Measure = async (quick) => {
  const [few, some, many] = quick ? [100, 1000, 2000] : [100_000, 500_000, 1_000_000]
  const found = await withServers(async (start) => {
    const { origin, usage } = await start('revocation', {}, [...nodeOn('server'), '--expose-gc'])
    const heaps: { readonly seen: number; readonly heap: number }[] = []
    let before = 0
    for (const seen of [few, some, many]) {
      const answer = await fetch(`${origin}/see/${seen - before}`)
      if ((await answer.json()) !== seen - before) throw new Error('Not every session was accepted.')
      before = seen
      heaps.push({ seen, heap: (await usage()).memory[1] / MIB })
    }
    return heaps
  })
  const heapAfter = (count: number) => found.find(({ seen }) => seen === count)?.heap ?? Number.NaN
  return {
    id: 'revocation',
    title: 'Memory with revocable token sessions',
    how: 'Heap of one process after a garbage collection, when it has read so many different token sessions and has looked up each of them in a revocation store. The store is a function, so its rows are not in this memory.',
    columns: ['heap, MiB'],
    rows: found.map(({ seen, heap }): Row => ({ name: seen.toLocaleString('en'), cells: [quartilesOf([heap])] })),
    goals: [
      goal('Heap from the first to the last number of sessions', 'at most', 5, 'MiB', heapAfter(many) - heapAfter(few)),
    ],
  }
}
