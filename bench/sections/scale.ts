import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AT_REFERENCE, COST_COLUMNS, compareRoutes, ROUNDS, SMALL_BATCH } from '../compare.js'
import type { Measure } from '../results.js'

/** What a guarded request costs when there are more providers, tenants, cookies or stored sessions. */
export const measure: Measure = async (quick) => {
  const [few, many] = quick ? [100, 1000] : [1000, 100_000]
  const common = { file: 'latchkey', people: 200, batch: SMALL_BATCH, samples: 20, warmUp: 4000 } as const
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-scale-'))
  const sqlite = (sessions: number) => ({
    name: `sessions in SQLite: ${sessions.toLocaleString('en')}`,
    options: { sqlite: join(folder, `${sessions}.db`), storedSessions: sessions },
  })
  try {
    const cases = [
      { name: 'one provider, tenant and cookie' },
      { name: 'providers: 100', options: { otherProviders: 99 } },
      { name: 'tenants: 1,000', options: { tenants: 1000 } },
      { name: 'cookies of a session: 2', options: { groups: 250 } },
      { name: 'cookies of a session: 3', options: { groups: 500 } },
      sqlite(few),
      sqlite(many),
    ]
    const all = cases.map((application) => ({ ...common, ...application }))
    const found = await compareRoutes(all, quick)
    return {
      id: 'scale',
      title: 'Scale',
      how: `The guarded route of Latchkey, as above, with more of one thing. ${common.people} people request it, with tokens that were seen before, unless sessions are stored. Batches of ${SMALL_BATCH.load} requests alternate with the bare route: ${ROUNDS * common.samples} samples. Tenants are configurations with secrets of their own; a function selects one for each request. A session that needs two or three cookies has many groups of the user.`,
      columns: [...COST_COLUMNS, `CPU added, ${AT_REFERENCE}`],
      rows: Array.from(found, ([name, found]) => ({ name, cells: [found.cost, found.bare, found.addedAtReference] })),
      goals: [],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
