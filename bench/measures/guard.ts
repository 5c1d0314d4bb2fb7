import { contest, type Pair, type Summary, summaryOf } from '../harness/contest.js'
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
import { placement } from '../harness/cores.js'
import { CONNECTIONS, Load } from '../harness/load.js'
import { ABOUT_REFERENCE, REFERENCE_BARE } from '../harness/reference.js'
import { BARE_ROUTE } from '../harness/server.js'
import { type Started, startContestant } from '../harness/start-contestant.js'
import type { Effort, Goal, Measure, Row, Spread } from '../section.js'

/** Opened tokens that one of the variants may remember: few, so that each is forgotten before it comes again. */
const CACHE_SIZE = 200

/** How often one of the variants asks for the session again. */
const READS = 50

const CONTESTANTS = {
  bare: { ...bare, name: 'Express alone, against itself to show the noise' },
  seen: latchkey('Latchkey, token seen before'),
  unseen: latchkey('Latchkey, token never seen', { tokenCacheSize: CACHE_SIZE }),
  stored: latchkey('Latchkey, stored, memory adapter', { storesSessions: true }),
  readsAgain: latchkey('Latchkey, one more getSession', { readsAgain: READS }),
  authjsToken: authjs('@auth/express, token'),
  authjsStored: authjs('@auth/express, stored, Map as adapter', { storesSessions: true }),
  betterAuthCookie: betterAuth('better-auth, cookie cache', { cookieCache: true }),
  betterAuthStored: betterAuth('better-auth, stored, memory adapter'),
  expressOpenIdConnect,
  ironSession,
  passport,
} satisfies Record<string, Contestant>

type Name = keyof typeof CONTESTANTS
type PerName<T> = Readonly<Record<Name, T>>

/** Requests in a turn, as many on each connection. A guard that does much more than the bare route leaves it cold caches: it gets longer turns. */
const TIMES = { close: 3 * CONNECTIONS, peers: 5 * CONNECTIONS }

/** Those whose differences are small, and which get more of everything. */
const CLOSE: readonly Name[] = ['bare', 'seen', 'unseen', 'stored']

/** Its memory adapter searches its rows one by one, at sign-up and at each request: with many, that search would be what is measured. */
const PEOPLE_OF_BETTER_AUTH = 200

const FULL = {
  people: { own: 500, unseen: 1000, peers: 100 },
  /** Processes of each: the same program is faster or slower by several µs from one start to the next. */
  starts: { close: 3, peers: 1 },
  rounds: 2,
  pairs: { close: 31, peers: 9 },
  warmUp: { close: 0.8, peers: 0.4 },
}
const QUICK: typeof FULL = {
  people: { own: 100, unseen: 600, peers: 40 },
  starts: { close: 1, peers: 1 },
  rounds: 1,
  pairs: { close: 25, peers: 4 },
  warmUp: { close: 0.2, peers: 0.08 },
}

const NAMES = Object.keys(CONTESTANTS) as Name[]

/** Starting all of them and signing people in takes longer than a quick run may. */
const QUICK_NAMES: readonly Name[] = [...CLOSE, 'readsAgain', 'authjsToken', 'authjsStored']

/** Which figures of Latchkey a peer is compared with: where sessions come out of cookies, and where out of a store. */
const COMPARED: Partial<PerName<readonly Name[]>> = {
  authjsToken: ['seen', 'unseen'],
  authjsStored: ['stored'],
  betterAuthCookie: ['seen', 'unseen'],
  betterAuthStored: ['stored'],
  expressOpenIdConnect: ['seen', 'unseen'],
  ironSession: ['seen', 'unseen'],
  passport: ['stored'],
}

/** What a guard adds to a route. */
export const measure: Measure = async (effort) => {
  const scale = effort.quick ? QUICK : FULL
  const names = effort.quick ? QUICK_NAMES : NAMES
  const pairs = await run(names, scale, effort.progress)
  const found = Object.fromEntries(names.map((name) => [name, summaryOf(pairs[name])])) as PerName<Summary>
  const times = (peer: Name, own: Name) => found[peer].normalisedAdded.median / found[own].normalisedAdded.median
  const secondRead = {
    added: perRead(found.readsAgain.added, found.seen.added),
    normalised: perRead(found.readsAgain.normalisedAdded, found.seen.normalisedAdded),
  }

  const rowOf = (name: Name): Row => {
    const title = CONTESTANTS[name].name
    const { cost, bare, added, normalisedAdded, share, wholeShare, rate } = found[name]
    if (name === 'readsAgain') {
      return { name: title, cells: [null, null, secondRead.added, secondRead.normalised, null, null, null, null] }
    }
    const compared = COMPARED[name]?.map((own) => `${Math.round(times(name, own))} ×`).join(' / ') ?? null
    return { name: title, cells: [cost, bare, added, normalisedAdded, share, wholeShare.toFixed(2), rate, compared] }
  }

  return {
    id: 'guard',
    title: 'A guarded route',
    how: describe(scale),
    columns: [
      'CPU per request, µs',
      'bare route beside it, µs',
      'CPU added, µs',
      `CPU added, where the bare route costs ${REFERENCE_BARE} µs`,
      'CPU of the bare route over this',
      'the same, all pairs together',
      'Requests per second over the bare route’s',
      'CPU added, over Latchkey’s',
    ],
    rows: names.map(rowOf),
    goals: [
      atMost('CPU added per guarded request, token session seen before', 8, found.seen.normalisedAdded.median),
      atMost('CPU added per guarded request, token never seen before', 35, found.unseen.normalisedAdded.median),
      atMost(
        'CPU added per guarded request, database session over the memory adapter',
        10,
        found.stored.normalisedAdded.median,
      ),
      atMost('A second getSession in the same request', 1, secondRead.normalised.median),
      atLeast('CPU of the bare route over the guarded one, seen before', 0.92, found.seen.share.median),
      atLeast('CPU of the bare route over the guarded one, never seen', 0.72, found.unseen.share.median),
      atLeast('CPU of the bare route over the guarded one, database', 0.9, found.stored.share.median),
      atLeast('CPU added by @auth/express over ours, seen before', 75, times('authjsToken', 'seen'), '×'),
      atLeast('CPU added by @auth/express over ours, never seen', 18, times('authjsToken', 'unseen'), '×'),
      atLeast('CPU added by @auth/express over ours, database', 16, times('authjsStored', 'stored'), '×'),
    ],
  }
}

/** What one more look at the session adds, by a route that looks at it many times more. */
const perRead = (many: Spread, { median: one }: Spread): Spread => ({
  median: (many.median - one) / READS,
  low: (many.low - one) / READS,
  high: (many.high - one) / READS,
})

const atMost = (name: string, limit: number, reached: number): Goal => {
  return { name, unit: 'µs', limit, is: 'at most', reached }
}

const atLeast = (name: string, limit: number, reached: number, unit = ''): Goal => {
  return { name, unit, limit, is: 'at least', reached }
}

async function run(names: readonly Name[], scale: typeof FULL, progress: Effort['progress']): Promise<PerName<Pair[]>> {
  const started: (Started & { readonly name: Name; readonly load: Load })[] = []
  try {
    for (const name of names.flatMap((name) => Array.from({ length: scale.starts[weightOf(name)] }, () => name))) {
      progress(`starting ${CONTESTANTS[name].name}`)
      const contestant = await startContestant(CONTESTANTS[name], peopleFor(name, scale))
      started.push({ ...contestant, name, load: new Load(contestant.server.origin) })
    }
    const entrants = started.map(({ name, server, cookies, load }) => {
      const weight = weightOf(name)
      const side = (path: string) => {
        return { run: load.on({ path, cookies }), times: TIMES[weight], warmUp: scale.warmUp[weight] }
      }
      return {
        name: CONTESTANTS[name].name,
        server,
        measured: side('/hello'),
        bare: side(BARE_ROUTE),
        pairs: scale.pairs[weight],
      }
    })
    const results = await contest(entrants, scale.rounds, progress)
    const ofName = (wanted: Name) => results.filter((_, index) => started[index]?.name === wanted).flat()
    return Object.fromEntries(names.map((name) => [name, ofName(name)])) as PerName<Pair[]>
  } finally {
    for (const { load } of started) load.close()
    await Promise.all(started.map(({ server }) => server.stop()))
  }
}

const weightOf = (name: Name) => (CLOSE.includes(name) ? 'close' : 'peers')

function peopleFor(name: Name, { people }: typeof FULL): number {
  if (name === 'unseen') return people.unseen
  if (name === 'seen' || name === 'stored') return people.own
  return name === 'betterAuthCookie' || name === 'betterAuthStored'
    ? Math.min(PEOPLE_OF_BETTER_AUTH, people.peers)
    : people.peers
}

const describe = ({ people, starts, rounds, pairs }: typeof FULL): string =>
  [
    'A route that answers with the name of who asks, behind each guard, in Express 5; and in the same process, in an application of its own, the bare route, which is sent the same cookies.',
    `The two take turns of ${TIMES.close} requests, which are a few milliseconds; beside peers, of ${TIMES.peers}, since they leave cold caches. Two turns are a pair: there are ${starts.close * rounds * pairs.close} of them for Latchkey and the noise, from ${starts.close} processes of each, since one start of a program differs from the next by several µs; ${rounds * pairs.peers} for peers, from one process; all in ${rounds} rounds. Figures are medians and quartiles of what is found pair by pair; a garbage collection falls into few pairs, so the column with all pairs together has them, and every disturbance of the machine too.`,
    ABOUT_REFERENCE,
    `${people.own} people ask Latchkey, ${people.unseen} where no token is to have been seen before: the cache holds ${CACHE_SIZE} there. Peers have ${people.peers}, better-auth ${Math.min(PEOPLE_OF_BETTER_AUTH, people.peers)}, since its memory adapter searches row by row.`,
    `One more getSession is a fiftieth of what ${READS} of them add to a guarded route.`,
    'The last column is over Latchkey’s token seen before / never seen, or over its stored session.',
    placement(),
  ].join(' ')
