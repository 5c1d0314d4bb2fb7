import { AT_REFERENCE, BATCH, COST_COLUMNS, compareRoutes } from '../compare.js'
import { goal, type Measure } from '../results.js'

/** The routes, and the CPU microseconds that Latchkey may use where the bare route costs 95 µs. */
const ENDPOINTS = [
  { path: '/auth/csrf', limit: 140, people: 0, shows: /"csrfToken":"\w{64}"/ },
  { path: '/auth/providers', limit: 140, people: 0, shows: /github.*google.*gitlab.*discord.*spotify/s },
  { path: '/auth/session', limit: 170, people: 200, shows: /"name":"Person/ },
  { path: '/auth/signin', limit: 160, people: 0, shows: /GitHub.*Google.*GitLab.*Discord.*Spotify/s },
]

/** What the routes of a sign-in cost. */
export const measure: Measure = async (quick) => {
  const { rounds, warmUp } = quick ? { rounds: 1, warmUp: 200 } : { rounds: 4, warmUp: 3000 }
  const own = { name: 'Latchkey', file: 'latchkey', samples: quick ? 5 : 14 } as const
  const peer = { name: '@auth/express', file: 'authjs', samples: quick ? 3 : 5 } as const
  const common = { options: { wellKnown: true }, warmUp, batch: BATCH.small }
  const cases = [own, peer].flatMap(({ name, ...application }) =>
    ENDPOINTS.map((endpoint) => ({ ...common, ...application, ...endpoint, name: `${name}, GET ${endpoint.path}` })),
  )
  const found = await compareRoutes(cases, rounds)
  return {
    id: 'endpoints',
    title: 'The routes of a sign-in',
    how: `There are five OAuth providers and credentials. 200 people request their session; visitors without a cookie request everything else. Each route has a process. Batches of ${BATCH.small} requests alternate with the bare route in the same process: ${rounds * own.samples} samples for Latchkey, ${rounds * peer.samples} for the peer.`,
    columns: [...COST_COLUMNS, `CPU ${AT_REFERENCE}`],
    rows: Array.from(found, ([name, { cost, bare, atReference }]) => ({ name, cells: [cost, bare, atReference] })),
    goals: ENDPOINTS.map(({ path, limit }) => {
      const reached = found.get(`Latchkey, GET ${path}`)?.atReference.median
      return goal(`CPU per GET ${path}`, 'at most', limit, 'µs', reached)
    }),
  }
}
