import type { AuthConfig, MiddlewareRequest } from '../../../dist/index.js'
import { loadLatchkey } from '../../harness/latchkey.js'
import { cookieHeader, createMint } from '../../loop/tokens.js'
import type { PointLoop } from './point.js'
import { visitInTurn } from './visitors.js'

const NUMBERS = [1, 10, 100, 1000]
/** So many at every point, however many tenants they are spread over. */
const VISITORS = 2000

/** Guards with a configuration, and a secret, for each host name. */
export const tenantLoops = (): Promise<PointLoop[]> => Promise.all(NUMBERS.map(tenantLoop))

async function tenantLoop(x: number): Promise<PointLoop> {
  const { requireAuth } = await loadLatchkey()
  const tenants = Array.from({ length: x }, (_, number) => ({
    host: `tenant${number}.app.example`,
    secret: `measured-measured-measured-measured-${number}`,
  }))
  const configs = new Map<string, AuthConfig>(
    tenants.map(({ host, secret }) => [host, { providers: [], secret, trustHost: true }]),
  )
  const mints = await Promise.all(tenants.map(({ secret }) => createMint(secret)))
  const visitors = Array.from({ length: VISITORS }, (_, user) => {
    const [tenant, mint] = [tenants[user % x], mints[user % x]]
    if (!tenant || !mint) throw new RangeError('there is no such tenant')
    return { user, host: tenant.host, cookie: cookieHeader(mint(user)) }
  })
  const guard = requireAuth(({ headers }: MiddlewareRequest) => {
    const config = configs.get(headers.host ?? '')
    if (!config) throw new Error(`There is no tenant ${headers.host}.`)
    return config
  })
  const run = visitInTurn(guard, visitors)
  // Everybody once: the first request of a tenant resolves its configuration and derives its key, which is the cost of a start.
  for (const visitor of visitors.keys()) await run(visitor)
  return { series: 'tenants', x, run }
}
