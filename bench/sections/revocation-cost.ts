import { goal, type Measure, quartilesOf, type Row } from '../results.js'
import { nodeOn, type Server, withServers } from '../server.js'
import type { COMPARED, GuardPair } from '../servers/guard-alone.js'

const PEOPLE = 2000
const REQUESTS = 200
const PAIRS = { warmUp: 200, measured: 1000 }
/** Garbage is collected seldom. A collection takes longer than a block. */
const NODE = [...nodeOn('server'), '--min-semi-space-size=64', '--max-semi-space-size=64']

const CASES: Readonly<Record<(typeof COMPARED)[number], string>> = {
  same: 'Guard alone: the same one again, to show the noise',
  every30: 'Guard alone: revocation, a look-up every 30 s',
  everyTime: 'Guard alone: revocation, a look-up at every request',
}

/** How the cost of revocation is measured, in a few sentences of Markdown. */
export const HOW = `"Guard alone": one process calls two guards without HTTP, with the objects that Express gives to a middleware: a guard without revocation, and the same with it, over the memory adapter. Blocks of ${REQUESTS} requests of both alternate, each of about two milliseconds. The figure is the median of ${PAIRS.measured} differences between neighbouring blocks, in CPU µs of this machine. ${PEOPLE} sessions request in turn, in tokens that were seen before.`

/** What revocation adds to the guard of a token session. */
export const measure: Measure = async (quick) => {
  const found = await withServers(async (start) =>
    measureIn(await start('guard-alone', { people: PEOPLE }, NODE), quick),
  )
  const rows = Object.entries(CASES).map(([id, name]): Row => {
    const pairs = found[id as keyof typeof CASES]
    const cells = [quartilesOf(pairs.map(([plain]) => plain)), quartilesOf(pairs.map(([, other]) => other))]
    return { name, cells: [...cells, addedBy(pairs)] }
  })
  return {
    id: 'revocation-cost',
    title: 'Revocation at the guard',
    how: HOW,
    columns: ['CPU of the guard without it, µs', 'CPU with it, µs', 'CPU added, µs'],
    rows,
    goals: [goal('CPU added by revocation every 30 s', 'at most', 2, 'µs', addedBy(found.every30).median)],
  }
}

const addedBy = (pairs: readonly GuardPair[]) => quartilesOf(pairs.map(([plain, other]) => other - plain))

async function measureIn({ origin }: Server, quick: boolean): Promise<Record<keyof typeof CASES, GuardPair[]>> {
  const found = { same: [] as GuardPair[], every30: [] as GuardPair[], everyTime: [] as GuardPair[] }
  const ids = Object.keys(CASES) as (keyof typeof CASES)[]
  const request = async (id: string, pairs: number): Promise<GuardPair[]> =>
    (await fetch(`${origin}/measure/${id}/${pairs}/${REQUESTS}`)).json() as Promise<GuardPair[]>
  for (const id of ids) await request(id, quick ? 1 : PAIRS.warmUp)
  // In rounds: a disturbance that lasts does not meet one of them alone.
  for (let round = 0; round < (quick ? 1 : 10); round += 1) {
    for (const id of ids) found[id].push(...(await request(id, quick ? 5 : PAIRS.measured / 10)))
  }
  return found
}
