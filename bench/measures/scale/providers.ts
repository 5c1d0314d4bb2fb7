import { readdir } from 'node:fs/promises'
import type { Middleware, Provider } from '../../../dist/index.js'
import { loadLatchkey } from '../../harness/latchkey.js'
import { cookieHeader, createMint, SECRET } from '../../loop/tokens.js'
import { builtFile, loadBuilt } from '../../subject.js'
import type { PointLoop } from './point.js'
import { visitInTurn } from './visitors.js'

const NUMBERS = [1, 3, 10, 30, 100]
const VISITORS = 2000

/** Guards of applications with more and more ways to sign in. */
export async function providerLoops(): Promise<PointLoop[]> {
  const { requireAuth } = await loadLatchkey()
  const mint = await createMint(SECRET)
  const visitors = Array.from({ length: VISITORS }, (_, user) => ({ user, cookie: cookieHeader(mint(user)) }))
  const guardWith = (providers: Provider[]) => requireAuth({ providers, secret: SECRET, trustHost: true })
  const providers = await usableProviders(guardWith)
  return NUMBERS.map((x) => {
    if (providers.length < x) throw new Error(`The catalogue has only ${providers.length} providers to measure with.`)
    return { series: 'providers', x, run: visitInTurn(guardWith(providers.slice(0, x)), visitors) }
  })
}

/** The entries of the catalogue that need nothing but a client and an issuer. */
async function usableProviders(guardWith: (providers: Provider[]) => Middleware): Promise<Provider[]> {
  const files = (await readdir(builtFile('providers/catalogue'))).filter((file) => file.endsWith('.js')).sort()
  const usable: Provider[] = []
  for (const file of files) {
    const { default: entry } = await loadBuilt<{ default: (options: object) => Provider }>(
      `providers/catalogue/${file}`,
    )
    try {
      const provider = entry({ clientId: 'client', clientSecret: 'secret', issuer: 'https://id.app.example' })
      guardWith([provider])
      usable.push(provider)
    } catch {
      // It needs options of its own, such as a tenant or a signing key; there are enough others.
    }
  }
  return usable
}
