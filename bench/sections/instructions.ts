import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from '@auth/core/jwt'
import { openConnections } from '../load.js'
import { SECRET, userOf } from '../people.js'
import type { Measure } from '../results.js'
import { BARE_ROUTE, withServers } from '../server.js'
import { storedToken } from '../servers/layers.js'

const ROUTES = [
  { path: BARE_ROUTE, name: 'the bare route' },
  { path: '/layer', name: 'with a layer of the router that does nothing' },
  { path: '/headers', name: 'with a layer that sets `Cache-Control` and `Vary`' },
  { path: '/seen', name: 'with the guard, token seen before' },
  { path: '/stored', name: 'with the guard, stored session, memory adapter' },
  { path: '/unseen', name: 'with the guard, token never seen' },
]
const PEOPLE = 200
const CALLGRIND =
  '--tool=callgrind --instr-atstart=no --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,8,64'
// Node generates machine code while it runs.
const VALGRIND = ['valgrind', ...CALLGRIND.split(' '), '--smc-check=all-non-file']
// Room for all garbage of a round: a garbage collection would be most of what is counted.
const NODE = [process.execPath, '--min-semi-space-size=64', '--max-semi-space-size=64']
/** The cookies that a browser has beside the session. */
const OTHERS = [
  '_ga=GA1.1.1184772904.1763712345; theme=dark; locale=en-GB',
  `authjs.csrf-token=${'5f3a'.repeat(16)}%7C${'c81d'.repeat(16)}`,
  'authjs.callback-url=http%3A%2F%2F127.0.0.1%3A3000%2Fprivate',
].join('; ')
const SESSION_COOKIE = 'authjs.session-token'

/** Instructions, and cache lines of code that were not in the first cache of the processor. */
type Counts = readonly [instructions: number, codeMisses: number]

/** How many instructions a guard adds. Other programs on the machine change the counts little. It needs valgrind. */
export const measure: Measure = async (quick) => {
  const [warmUp, requests, rounds] = quick ? [300, 20, 1] : [12_000, 200, 3]
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-instructions-'))
  const counted: Counts[][] = ROUTES.map(() => [])
  try {
    await withServers(async (start) => {
      const command = [...VALGRIND, `--callgrind-out-file=${join(folder, 'out')}`, ...NODE]
      const server = await start('layers', { people: PEOPLE }, command)
      const loadOf = openConnections(server.origin, 1)
      const people = Array.from({ length: PEOPLE }, (_, person) => person)
      const cookies = (sessions: readonly string[]) =>
        sessions.map((session) => `${OTHERS}; ${SESSION_COOKIE}=${session}`)
      const tokens = cookies(await Promise.all(people.map(tokenOf)))
      const stored = cookies(people.map(storedToken))
      const loads = ROUTES.map(({ path }) => loadOf(path, path === '/stored' ? stored : tokens))
      for (const load of loads) await load(warmUp)
      for (let round = 0; round < rounds; round += 1) {
        for (const [index, load] of loads.entries()) {
          counted[index]?.push(await count(server.pid, folder, () => load(requests)))
        }
      }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const lowest = counted.map((counts) => counts.toSorted(([one], [other]) => one - other)[0] ?? [])
  return {
    id: 'instructions',
    title: 'Instructions of a guarded request',
    how: `Counted by callgrind of valgrind in user mode, with simulated caches of 32 kB, after ${warmUp} requests to each route. The figures are the lowest of ${rounds} rounds of ${requests} requests, so that no garbage collection is counted. ${PEOPLE} people send the requests in turn.`,
    columns: ['instructions', 'above the bare route', 'lines of code not in the cache', 'above the bare route'],
    rows: ROUTES.map(({ name }, index) => {
      const perRequest = (what: number, route = index) => (lowest[route]?.[what] ?? Number.NaN) / requests
      const cells = [0, 1].flatMap((what) => [perRequest(what), perRequest(what) - perRequest(what, 0)])
      return { name, cells: cells.map((value) => value.toFixed(0)) }
    }),
    goals: [],
  }
}

function tokenOf(person: number): Promise<string> {
  const { name, email } = userOf(person)
  const sub = `00000000-0000-4000-8000-${String(person).padStart(12, '0')}`
  const token = { name, email, picture: `https://img.app.example/${person}.png`, sub }
  return encode({ token, secret: SECRET, salt: SESSION_COOKIE })
}

/** Counts for a process under callgrind, while some work is done. */
async function count(pid: number, folder: string, work: () => Promise<void>): Promise<Counts> {
  const control = (...args: string[]) => execFileSync('callgrind_control', [...args, String(pid)], { stdio: 'ignore' })
  for (const file of await readdir(folder)) await rm(join(folder, file))
  control('-i', 'on')
  control('-z')
  await work()
  control('-d')
  control('-i', 'off')
  for (const file of await readdir(folder)) {
    const text = await readFile(join(folder, file), 'latin1')
    const wordsOf = (line: RegExp) => line.exec(text)?.[1]?.split(' ') ?? []
    const [events, totals] = [wordsOf(/^events: (.+)$/m), wordsOf(/^(?:totals|summary): (.+)$/m)]
    if (totals.length > 0) return [Number(totals[events.indexOf('Ir')]), Number(totals[events.indexOf('I1mr')])]
  }
  throw new Error('valgrind wrote no counts.')
}
