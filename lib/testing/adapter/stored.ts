import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterTokenSession,
} from '../../adapters/adapter.js'
import type { AdapterCalls } from './check.js'
import type { Samples } from './samples.js'

/** Stores a row that is made of samples and of these members, and gives it. */
type StoreRow<Row> = (adapter: AdapterCalls, samples: Samples, members?: Partial<Row>) => Promise<Row>

const newUserId = async (adapter: AdapterCalls, samples: Samples) => (await adapter.createUser(samples.user())).id

/** Stores a session of a new user. */
export const storedSession: StoreRow<AdapterSession> = async (adapter, samples, members) => {
  const session = samples.session(await newUserId(adapter, samples), members)
  await adapter.createSession(session)
  return session
}

/** Stores a token session of a user of whom the store knows nothing else. */
export const storedTokenSession: StoreRow<AdapterTokenSession> = async (adapter, samples, members) => {
  const session = samples.tokenSession(samples.tokenSession('').id, members)
  await adapter.createTokenSession(session)
  return session
}

/** Links an account to a new user. */
export const storedAccount: StoreRow<AdapterAccount> = async (adapter, samples, members) => {
  const account = samples.account(await newUserId(adapter, samples), members)
  await adapter.linkAccount(account)
  return account
}

/** Stores a passkey of a new user. */
export const storedPasskey: StoreRow<AdapterAuthenticator> = async (adapter, samples, members) => {
  const passkey = samples.authenticator(await newUserId(adapter, samples), members)
  await adapter.createAuthenticator(passkey)
  return passkey
}
