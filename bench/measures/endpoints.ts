import { Browser } from '../harness/browser.js'
import { contest, summaryOf } from '../harness/contest.js'
import { authjs, type Contestant, latchkey } from '../harness/contestants.js'
import { placement } from '../harness/cores.js'
import { CONNECTIONS, Load } from '../harness/load.js'
import { nameOf } from '../harness/people.js'
import { ABOUT_REFERENCE, REFERENCE_BARE } from '../harness/reference.js'
import { BARE_ROUTE } from '../harness/server.js'
import { type Started, startContestant } from '../harness/start-contestant.js'
import type { Effort, Measure } from '../section.js'

/** An answer that is measured. */
interface Endpoint {
  readonly path: string
  /** CPU microseconds that Latchkey may use, where the bare route costs {@link REFERENCE_BARE}. */
  readonly goal: number
  /** Whether signed-in people ask for it; otherwise visitors who come for the first time, without a cookie. */
  readonly signedIn: boolean
  /** Whether an answer is what it should be. */
  readonly isRight: (body: string) => boolean
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/auth/csrf', goal: 140, signedIn: false, isRight: (body) => JSON.parse(body).csrfToken.length === 64 },
  {
    path: '/auth/providers',
    goal: 140,
    signedIn: false,
    isRight: (body) => Object.keys(JSON.parse(body)).length === 6,
  },
  { path: '/auth/session', goal: 170, signedIn: true, isRight: (body) => JSON.parse(body).user.name === nameOf(0) },
  {
    path: '/auth/signin',
    goal: 160,
    signedIn: false,
    isRight: (body) =>
      ['GitHub', 'Google', 'GitLab', 'Discord', 'Spotify', 'Person'].every((text) => body.includes(text)),
  },
]

const CONTESTANTS: readonly Contestant[] = [
  latchkey('Latchkey', { catalogue: true }),
  authjs('@auth/express', { catalogue: true }),
]

/** Requests in a turn: enough that what the other route left in the caches of the processor does not matter. */
const TIMES = 3 * CONNECTIONS

const FULL = { people: 200, rounds: 4, pairs: { own: 14, peers: 5 }, warmUp: 0.5 }
const QUICK: typeof FULL = { people: 40, rounds: 2, pairs: { own: 8, peers: 3 }, warmUp: 0.12 }

/** What the answers of the sign-in routes cost. */
export const measure: Measure = async (effort) => {
  const scale = effort.quick ? QUICK : FULL
  const rows = await run(scale, effort.progress)
  return {
    id: 'endpoints',
    title: 'The routes of a sign-in',
    how: `${scale.people} people ask for their session; everything else is asked for by visitors without a cookie. There are five OAuth providers and credentials. Each route takes turns of ${TIMES} requests, a few milliseconds, with a bare JSON route in the same process: medians and quartiles of ${scale.rounds * scale.pairs.own} pairs, ${scale.rounds * scale.pairs.peers} for the peer. ${ABOUT_REFERENCE} ${placement()}`,
    columns: [
      'CPU per request, µs',
      'bare route beside it, µs',
      `CPU per request, where the bare route costs ${REFERENCE_BARE} µs`,
    ],
    rows: rows.map(({ name, path, summary }) => ({
      name: `${name}, GET ${path}`,
      cells: [summary.cost, summary.bare, summary.normalised],
    })),
    goals: ENDPOINTS.map(({ path, goal }, index) => ({
      name: `CPU per GET ${path}`,
      unit: 'µs',
      limit: goal,
      is: 'at most',
      reached: rows[index]?.summary.normalised.median ?? Number.NaN,
    })),
  }
}

async function run(scale: typeof FULL, progress: Effort['progress']) {
  const started: (Started & { readonly contestant: Contestant; readonly load: Load })[] = []
  try {
    for (const contestant of CONTESTANTS) {
      progress(`starting ${contestant.name}`)
      const running = await startContestant(contestant, scale.people)
      started.push({ ...running, contestant, load: new Load(running.server.origin) })
      await verify(running.server.origin, running.cookies[0] ?? '')
    }
    const entrants = started.flatMap(({ contestant: { name }, server, cookies, load }, index) =>
      ENDPOINTS.map(({ path, signedIn }) => {
        const side = (path: string) => {
          return { run: load.on({ path, cookies: signedIn ? cookies : [] }), times: TIMES, warmUp: scale.warmUp }
        }
        const pairs = index === 0 ? scale.pairs.own : scale.pairs.peers
        return {
          name,
          path,
          server,
          measured: side(path),
          bare: { ...side(BARE_ROUTE), warmUp: scale.warmUp / 3 },
          pairs,
        }
      }),
    )
    const results = await contest(entrants, scale.rounds, progress)
    return entrants.map(({ name, path }, index) => ({ name, path, summary: summaryOf(results[index] ?? []) }))
  } finally {
    for (const { load } of started) load.close()
    await Promise.all(started.map(({ server }) => server.stop()))
  }
}

/** @throws {Error} when an answer is not what it should be: its figure would be worth nothing */
async function verify(origin: string, cookies: string): Promise<void> {
  const browser = new Browser()
  for (const { path, signedIn, isRight } of ENDPOINTS) {
    const { status, body } = await browser.get(`${origin}${path}`, signedIn ? cookies : '')
    if (status !== 200 || !isRight(body)) throw new Error(`${origin}${path} answered ${status}: ${body}`)
  }
  browser.close()
}
