import {
  authjs,
  bare,
  betterAuth,
  type Contestant,
  expressOpenIdConnect,
  ironSession,
  latchkey,
  passport,
} from '../harness/contestants.js'
import { Load } from '../harness/load.js'
import { startServer } from '../harness/server.js'
import { spreadOf } from '../harness/spread.js'
import { admit } from '../harness/start-contestant.js'
import type { Measure, Row } from '../section.js'

const CONTESTANTS = [
  bare,
  latchkey('Latchkey'),
  authjs('@auth/express'),
  betterAuth('better-auth'),
  expressOpenIdConnect,
  passport,
  ironSession,
]

/** What a server keeps in memory: when it has just started, and after a load by many people. */
export const measure: Measure = async ({ quick, progress }) => {
  const scale = quick ? { people: 20, requests: 200 } : { people: 30, requests: 1200 }
  const rows: Row[] = []
  for (const contestant of CONTESTANTS) {
    progress(contestant.name)
    const { idle, used } = await memoryOf(contestant, scale)
    const bytes = [idle.rss, idle.heapUsed, used.rss, used.heapUsed]
    rows.push({ name: contestant.name, cells: bytes.map((amount) => spreadOf([amount / 2 ** 20])) })
  }
  return {
    id: 'memory',
    title: 'Memory',
    how: `One server at a time, after a garbage collection: idle, once a stranger has asked for the guarded route; and after ${scale.people} sign-ins and ${scale.requests} requests of those people to it. Resident is all that the process has: it varies from run to run, and is given back to the system late or never.`,
    columns: ['resident idle, MiB', 'heap idle, MiB', 'resident after load, MiB', 'heap after load, MiB'],
    rows,
    goals: [],
  }
}

async function memoryOf(contestant: Contestant, { people, requests }: { people: number; requests: number }) {
  const server = await startServer(contestant.file, { options: contestant.options ?? {}, memory: true })
  try {
    await (await fetch(`${server.origin}/hello`)).text()
    const idle = await server.memory()
    const cookies = await admit(contestant, server, people)
    const load = new Load(server.origin)
    await load.on({ path: '/hello', cookies })({ requests })
    const used = await server.memory()
    load.close()
    return { idle, used }
  } finally {
    await server.stop()
  }
}
