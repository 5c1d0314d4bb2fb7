import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '../harness/connection.js'
import { BARE_ROUTE } from '../harness/server.js'
import { storedSessions } from '../loop/stored-sessions.js'
import { cookieHeader, createMint, SECRET } from '../loop/tokens.js'
import type { Measure } from '../section.js'
import type { LayersOptions } from '../servers/layers.js'
import { type Counted, startCounted } from './instructions/callgrind.js'

const ROUTES = [
  { path: BARE_ROUTE, name: 'the bare route' },
  { path: '/layer', name: 'with a layer of the router that does nothing' },
  { path: '/headers', name: 'with a layer that sets `Cache-Control` and `Vary`' },
  { path: '/seen', name: 'with the guard, token seen before' },
  { path: '/stored', name: 'with the guard, stored session, memory adapter' },
  { path: '/unseen', name: 'with the guard, token never seen' },
] as const

const PEOPLE = 200
const FULL = { warmUp: 12_000, requests: 200, rounds: 3 }
const QUICK: typeof FULL = { warmUp: 1500, requests: 50, rounds: 1 }

/**
 * What a guard adds in instructions: the same at every run, whatever else the machine does. It takes valgrind and some minutes, so that it
 * is no part of a whole run.
 */
export const measure: Measure = async ({ quick, progress }) => {
  const scale = quick ? QUICK : FULL
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-instructions-'))
  const options: LayersOptions = { people: PEOPLE, seed: randomUUID() }
  const server = await startCounted('layers', options, folder)
  const connection = new Connection(server.port)
  try {
    const requests = await requestsOf(server.port, options)
    const visit = async (path: string, times: number) => {
      for (let time = 0; time < times; time += 1) {
        const { status } = await connection.exchange(requests(path, time))
        if (status !== 200) throw new Error(`${path} answered ${status}.`)
      }
    }
    for (const { path, name } of ROUTES) {
      progress(`warming up ${name}`)
      await visit(path, scale.warmUp)
    }
    const lowest = new Map<string, Counted>()
    for (let round = 0; round < scale.rounds; round += 1) {
      for (const { path, name } of ROUTES) {
        progress(`round ${round + 1} of ${scale.rounds}: ${name}`)
        const counted = await server.count(() => visit(path, scale.requests))
        const before = lowest.get(path)
        if (!before || counted.instructions < before.instructions) lowest.set(path, counted)
      }
    }
    const perRequest = (path: string, what: keyof Counted) => (lowest.get(path)?.[what] ?? Number.NaN) / scale.requests
    const cell = (path: string, what: keyof Counted) => perRequest(path, what).toFixed(0)
    const above = (path: string, what: keyof Counted) =>
      (perRequest(path, what) - perRequest(BARE_ROUTE, what)).toFixed(0)
    return {
      id: 'instructions',
      title: 'Instructions of a guarded request',
      how: `Counted by valgrind’s callgrind in user mode, with simulated caches of 32 kB, after ${scale.warmUp} requests of each; the lowest of ${scale.rounds} rounds of ${scale.requests} requests, so that no garbage collection is in it. ${PEOPLE} people ask in turn.`,
      columns: ['instructions', 'above the bare route', 'lines of code not in the cache', 'above the bare route'],
      rows: ROUTES.map(({ path, name }) => ({
        name,
        cells: [
          cell(path, 'instructions'),
          above(path, 'instructions'),
          cell(path, 'codeMisses'),
          above(path, 'codeMisses'),
        ],
      })),
      goals: [],
    }
  } finally {
    connection.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The bytes of requests: everybody in turn. */
async function requestsOf(port: number, { people, seed }: LayersOptions) {
  const mint = await createMint(SECRET)
  const sessions = storedSessions(seed)
  const numbers = Array.from({ length: people }, (_, person) => person)
  const tokens = numbers.map((person) => cookieHeader(mint(person)))
  const stored = numbers.map((person) => cookieHeader(sessions.token(person)))
  return (path: string, time: number) => {
    const cookie = (path === '/stored' ? stored : tokens)[time % people]
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`
  }
}
