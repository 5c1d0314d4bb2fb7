import { AT_REFERENCE, COST_COLUMNS, compareRoutes, ROUNDS, SMALL_BATCH } from '../compare.js'
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
  const own = { name: 'Latchkey', file: 'latchkey', samples: 28 } as const
  const peer = { name: '@auth/express', file: 'authjs', samples: 10 } as const
  const common = { options: { wellKnown: true }, warmUp: 3000, batch: SMALL_BATCH }
  const cases = [own, peer].flatMap(({ name, ...application }) =>
    ENDPOINTS.map((endpoint) => ({ ...common, ...application, ...endpoint, name: `${name}, GET ${endpoint.path}` })),
  )
  const found = await compareRoutes(cases, quick)
  return {
    id: 'endpoints',
    title: 'The routes of a sign-in',
    how: `There are five OAuth providers and credentials. 200 people request their session; visitors without a cookie request everything else. Each route has a process. ${SMALL_BATCH.load} requests to a route alternate with ${SMALL_BATCH.load} to the bare route in the same process: ${ROUNDS * own.samples} times for Latchkey, ${ROUNDS * peer.samples} times for the other package.`,
    columns: [...COST_COLUMNS, `CPU, ${AT_REFERENCE}`],
    rows: Array.from(found, ([name, { cost, bare, atReference }]) => ({ name, cells: [cost, bare, atReference] })),
    goals: ENDPOINTS.map(({ path, limit }) => {
      const reached = found.get(`Latchkey, GET ${path}`)?.atReference.median
      return goal(`CPU per GET ${path}`, 'at most', limit, 'µs', reached)
    }),
  }
}
