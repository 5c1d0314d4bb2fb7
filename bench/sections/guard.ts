import type { Application } from '../applications.js'
import { AT_REFERENCE, COST_COLUMNS, compareRoutes, LARGE_BATCH, ROUNDS, SMALL_BATCH } from '../compare.js'
import { goal, type Measure, type Row } from '../results.js'
import * as revocation from './revocation-cost.js'

/** The size of the token cache where no token may have been seen before: each is forgotten before it comes again. */
const CACHE_SIZE = 200
/** How often one of the applications calls getSession again. */
const READS = 50
/** How many people request the route, except for peers and further reads. */
const PEOPLE = { seen: 500, revocable: 500, unseen: 1000, stored: 500 }
const PEOPLE_OF_PEERS = 100

/** What a peer is compared with: Latchkey with sessions in cookies, or with stored sessions. */
const TOKEN = ['seen', 'unseen'] as const
const STORED = ['stored'] as const

const CACHED = { cookieCache: true }
const authjs = { file: 'authjs', options: { storesSessions: true } } as const
const seen = { name: 'Latchkey, token seen before', file: 'latchkey' } as const
const CASES: Readonly<Record<string, Application & { readonly over?: readonly string[] }>> = {
  bare: { name: 'Express alone, to show the noise', file: 'express' },
  seen,
  revocable: { ...seen, name: 'Latchkey, token seen before, revocable', options: { checkEvery: 30 } },
  unseen: { ...seen, name: 'Latchkey, token never seen', options: { tokenCacheSize: CACHE_SIZE } },
  stored: { ...seen, name: 'Latchkey, stored, memory adapter', options: { storesSessions: true } },
  read: { ...seen, name: 'Latchkey, one more getSession', options: { reads: READS } },
  authjsToken: { name: '@auth/express, token', file: 'authjs', over: TOKEN },
  authjsStored: { ...authjs, name: '@auth/express, stored, Map as adapter', atProvider: true, over: STORED },
  cookieCache: { name: 'better-auth, cookie cache', file: 'better-auth', options: CACHED, over: TOKEN },
  betterAuth: { name: 'better-auth, stored, memory adapter', file: 'better-auth', over: STORED },
  oidc: { name: 'express-openid-connect', file: 'express-openid-connect', atProvider: true, over: TOKEN },
  ironSession: { name: 'iron-session', file: 'iron-session', over: TOKEN },
  passport: { name: 'passport + express-session, memory', file: 'passport', over: STORED },
}

/** Where differences are small, there are more processes and samples. */
const WITH_SMALL_DIFFERENCES = ['bare', 'seen', 'revocable', 'unseen', 'stored']
const SMALL = { batch: SMALL_BATCH, processes: 3, samples: 31, warmUp: 8000 }
const LARGE = { batch: LARGE_BATCH, samples: 9, warmUp: 1500 }

/** What a guard adds to a route. */
export const measure: Measure = async (quick) => {
  const cases = Object.entries(CASES).map(([id, { over: _, ...application }]) => {
    const people = PEOPLE[id as keyof typeof PEOPLE] ?? PEOPLE_OF_PEERS
    return { ...application, ...(WITH_SMALL_DIFFERENCES.includes(id) ? SMALL : LARGE), people }
  })
  const found = await compareRoutes(cases, quick)
  const summary = (id: string) => {
    const own = found.get(CASES[id]?.name ?? '')
    if (!own) throw new Error(`There are no samples of ${id}.`)
    return own
  }
  const added = (id: string) => summary(id).addedAtReference.median
  const times = (peer: string, own: string) => added(peer) / added(own)
  const perRead = (value: number) => (value - added('seen')) / READS
  const { median, low, high } = summary('read').addedAtReference
  const read = { median: perRead(median), low: perRead(low), high: perRead(high) }
  const rows = Object.entries(CASES).map(([id, { name, over = [] }]): Row => {
    if (id === 'read') return { name, cells: [null, null, null, read, null] }
    const { cost, bare, share, addedAtReference } = summary(id)
    const compared = over.map((own) => `${Math.round(times(id, own))} ×`).join(' / ')
    return { name, cells: [cost, bare, share, addedAtReference, compared] }
  })
  const addsAtMost = (what: string, limit: number, id: string) =>
    goal(`CPU added per guarded request, ${what}`, 'at most', limit, 'µs', added(id))
  const sharesAtLeast = (what: string, limit: number, id: string) =>
    goal(`CPU of the bare route over the guarded one, ${what}`, 'at least', limit, '', summary(id).share.median)
  const beatsAtLeast = (what: string, limit: number, peer: string, id: string) =>
    goal(`CPU added by @auth/express over ours, ${what}`, 'at least', limit, '×', times(peer, id))
  const revocable = await revocation.measure(quick)
  return {
    id: 'guard',
    title: 'A guarded route',
    how: [
      'The bare route is in the same process, in an Express application of its own, and gets the same cookies.',
      `The program sends ${SMALL_BATCH.load} requests to one route, then ${SMALL_BATCH.load} to the other, and so on; ${LARGE_BATCH.load} for other packages. It does this ${SMALL.processes * SMALL.samples * ROUNDS} times for Latchkey, in ${SMALL.processes} processes, since two processes of one program differ by several µs, and ${LARGE.samples * ROUNDS} times in one process for each other package.`,
      `${PEOPLE.seen} people request the route of Latchkey, and ${PEOPLE.unseen} where no token was seen before: there, Latchkey remembers ${CACHE_SIZE} tokens. Other packages have ${PEOPLE_OF_PEERS} people.`,
      '"Revocable" has a revocation store, which is asked about a session every 30 seconds. Its difference to the token seen before is lost in the noise of a server, so the rows at the end measure it in another way.',
      revocation.HOW,
      `"One more getSession" is one of ${READS} calls that are added to the guarded route.`,
      'In the last column, a package with tokens is compared with both lines of Latchkey, seen before / never seen, and one with stored sessions with the stored session of Latchkey.',
    ].join(' '),
    columns: [...COST_COLUMNS, 'bare route ÷ this', `CPU added, ${AT_REFERENCE}`, 'CPU added ÷ that of Latchkey'],
    rows: [
      ...rows,
      ...revocable.rows.map(({ name, cells }) => ({ name, cells: [null, null, null, cells.at(-1) ?? null, null] })),
    ],
    goals: [
      addsAtMost('token session seen before', 8, 'seen'),
      addsAtMost('token never seen before', 35, 'unseen'),
      addsAtMost('database session over the memory adapter', 10, 'stored'),
      ...revocable.goals,
      goal('A second getSession in the same request', 'at most', 1, 'µs', read.median),
      sharesAtLeast('seen before', 0.92, 'seen'),
      sharesAtLeast('never seen', 0.72, 'unseen'),
      sharesAtLeast('database', 0.9, 'stored'),
      beatsAtLeast('seen before', 75, 'authjsToken', 'seen'),
      beatsAtLeast('never seen', 18, 'authjsToken', 'unseen'),
      beatsAtLeast('database', 16, 'authjsStored', 'stored'),
    ],
  }
}
