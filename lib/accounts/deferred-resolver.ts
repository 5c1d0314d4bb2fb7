import { loadOnce } from '../awaitable.js'
import type { AccountsDependencies } from './dependencies.js'
import type { IdentityResolver } from './identity.js'

/** The resolver over an adapter. Its code is loaded with the first sign-in: reading sessions needs none of it. */
export function deferredResolver(dependencies: AccountsDependencies): IdentityResolver {
  const load = loadOnce(async () => (await import('./resolve-user.js')).createIdentityResolver(dependencies))
  return {
    known: async (identity) => (await load()).known(identity),
    initiator: async (readPrincipal) => (await load()).initiator(readPrincipal),
    resolve: async (identity, readPrincipal) => (await load()).resolve(identity, readPrincipal),
    recheck: async (resolved) => (await load()).recheck(resolved),
  }
}
