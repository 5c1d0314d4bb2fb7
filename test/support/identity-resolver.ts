import { FEATURES } from '../../lib/compose.js'
import type { UserDependencies } from '../../lib/users/dependencies.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createUsers } from '../../lib/users/users.js'

const KINDS = new Map(
  await Promise.all(
    FEATURES.flatMap(({ identities = {} }) => Object.entries(identities)).map(
      async ([type, load]) => [type, await load()] as const,
    ),
  ),
)

/** The users of an adapter, with an identity found and settled at once, as the end of a sign-in does it. */
export function createIdentityResolver(dependencies: UserDependencies) {
  const users = createUsers(dependencies, KINDS)
  return {
    ...users,
    async resolve(identity: Identity, readPrincipal: PrincipalReader) {
      const entry = await users.find(identity, false)
      return entry.isAddition ? users.add(entry, readPrincipal) : users.settle(entry, readPrincipal)
    },
  }
}
