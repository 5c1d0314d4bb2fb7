import type { AccountsDependencies } from '../../lib/users/dependencies.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createUsers } from '../../lib/users/users.js'

/** The users of an adapter, with an identity found and settled at once, as the end of a sign-in does it. */
export function createIdentityResolver(dependencies: AccountsDependencies) {
  const users = createUsers(dependencies)
  return {
    ...users,
    async resolve(identity: Identity, readPrincipal: PrincipalReader) {
      const entry = await users.find(identity, false)
      return entry.isAddition ? users.add(entry, readPrincipal) : users.settle(entry, readPrincipal)
    },
  }
}
