import { createPasskeyKind } from '../../lib/features/passkeys/passkey-identity.js'
import type { UserDependencies } from '../../lib/users/dependencies.js'
import { createEmailKind } from '../../lib/users/email-identity.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createOAuthKind } from '../../lib/users/oauth-identity.js'
import { createUsers } from '../../lib/users/users.js'

const KINDS = new Map(
  Object.entries({
    oauth: createOAuthKind,
    oidc: createOAuthKind,
    email: createEmailKind,
    webauthn: createPasskeyKind,
  }),
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
