import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterTokenSession,
} from '../../adapters/adapter.js'
import type { AdapterCalls } from './check.js'
import type { Samples } from './samples.js'

/** Stores a session of a new user. */
export async function storedSession(
  adapter: AdapterCalls,
  samples: Samples,
  members?: Partial<AdapterSession>,
): Promise<AdapterSession> {
  const session = samples.session((await adapter.createUser(samples.user())).id, members)
  await adapter.createSession(session)
  return session
}

/** Stores a token session of a user of whom the store knows nothing else. */
export async function storedTokenSession(
  adapter: AdapterCalls,
  samples: Samples,
  members?: Partial<AdapterTokenSession>,
): Promise<AdapterTokenSession> {
  const session = samples.tokenSession(samples.tokenSession('').id, members)
  await adapter.createTokenSession(session)
  return session
}

/** Links an account to a new user. */
export async function storedAccount(
  adapter: AdapterCalls,
  samples: Samples,
  members?: Partial<AdapterAccount>,
): Promise<AdapterAccount> {
  const account = samples.account((await adapter.createUser(samples.user())).id, members)
  await adapter.linkAccount(account)
  return account
}

/** Stores a passkey of a new user. */
export async function storedPasskey(
  adapter: AdapterCalls,
  samples: Samples,
  members?: Partial<AdapterAuthenticator>,
): Promise<AdapterAuthenticator> {
  const passkey = samples.authenticator((await adapter.createUser(samples.user())).id, members)
  await adapter.createAuthenticator(passkey)
  return passkey
}
