import type { Effort } from '../section.js'

/**
 * Runs every contestant once in each round, so that what slows the machine down for a while slows all of them. The order turns from round to
 * round: nobody always comes after the same neighbour.
 *
 * @returns for each contestant, in their order, the results of the rounds
 */
export async function interleave<C extends { readonly name: string }, R>(
  contestants: readonly C[],
  rounds: number,
  progress: Effort['progress'],
  run: (contestant: C) => Promise<R>,
): Promise<R[][]> {
  const results: R[][] = contestants.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const index of order(contestants.length, round)) {
      const contestant = contestants[index]
      if (!contestant) continue
      progress(`round ${round + 1} of ${rounds}: ${contestant.name}`)
      results[index]?.push(await run(contestant))
    }
  }
  return results
}

function order(length: number, round: number): number[] {
  const turned = Array.from({ length }, (_, place) => (place + round) % length)
  return round % 2 === 0 ? turned : turned.reverse()
}
