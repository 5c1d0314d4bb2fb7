import type { ProviderSession } from '../../adapters/adapter.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { sharedLedger } from '../../kernel/one-time.js'
import { isOAuthProvider, type ResolvedOAuthProvider, type ResolvedProvider } from '../../providers/provider.js'
import type { SessionReading } from '../../sessions/session.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import type { Parts, SessionTokens, SignOutElsewhere } from '../../sign-in/feature.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'

/** What sign-outs at providers work with. */
interface ProviderLogout {
  readonly used: ReturnType<typeof createUsedLogoutTokens>
  /** Whether the sessions that began at a provider can be found and ended. */
  readonly endsSessions: boolean
  readonly tokens: SessionTokens
}

export const PROVIDER_LOGOUT: ServiceKey<ProviderLogout> = { name: 'provider-logout' }

/** A session that began at a provider, and the id of its user; null if it names none. */
export interface SessionOfProvider {
  readonly at: ProviderSession
  readonly userId: string | null
}

/** The session of a request, and the provider at which it can be ended as well. */
export interface EndableSession extends SessionOfProvider {
  readonly settings: ResolvedOAuthProvider
}

/** The settings of a provider at which people sign out, too; null for every other one. */
export function settingsOf(provider: ResolvedProvider | null | undefined): ResolvedOAuthProvider | null {
  return isOAuthProvider(provider) && provider.endSession !== null ? provider : null
}

/** Whether a configuration has a provider at which people sign out, too. */
export const endsThere = ({ providers }: Pick<Config, 'providers'>): boolean =>
  [...providers.values()].some((provider) => settingsOf(provider) !== null)

/** The session of a request, if a sign-out can be one at its provider; null otherwise: then the visitor signs out here. */
export function endableSessionOf(
  { providers }: Pick<Config, 'providers'>,
  reading: SessionReading,
): EndableSession | null {
  const { providerSession: at, userId } = reading
  const settings = at && settingsOf(providers.get(at.provider))
  return settings ? { settings, at, userId: userId === null ? null : String(userId) } : null
}

/** As {@link SignOutElsewhere.offer}. */
export const offer: SignOutElsewhere['offer'] = ({ config }, reading) => {
  const session = reading && endableSessionOf(config, reading)
  return session && { name: session.settings.name, isAsked: session.settings.endSession === 'offer' }
}

/** A sign-out at a provider. */
export const LOGOUT_TRANSACTION: TransactionKind = {
  name: 'logout',
  cookies: { logoutState: { name: 'authjs.logout-state', purpose: 'logout-state' } },
  secretOption: 'jwt.secret',
}

interface LogoutTokenId {
  readonly provider: string
  /** Its `jti`. */
  readonly tokenId: string
}

/** What a used logout token is among the records. */
const KIND = 'logout-token'

/**
 * The logout tokens of providers that were used: each may be used once (OpenID Connect Back-Channel Logout 1.0 §2.6). If the
 * store keeps no records, they are remembered in this process only: then the age of a token and the beginnings of sessions
 * still keep a copy from doing harm.
 */
export function createUsedLogoutTokens({
  store,
  secrets,
  instance,
  now,
}: Pick<Parts, 'store' | 'secrets' | 'now'> & { readonly instance: string | undefined }) {
  const isStored = store.has('createRecord') && store.has('getRecord')
  const ledger = sharedLedger(secrets, 'logout token', now)
  const keyOf = ({ provider, tokenId }: LogoutTokenId) =>
    sha256Base64url(JSON.stringify([instance ?? null, provider, tokenId]))
  return {
    /**
     * Whether a token was used, in any process. Without a store, this is also true where that may have been forgotten.
     *
     * @param until when it can be forgotten, milliseconds since the epoch
     */
    async has(token: LogoutTokenId, until: number): Promise<boolean> {
      const key = keyOf(token)
      // A store forgets nothing.
      const known = ledger.has(key, isStored ? Number.POSITIVE_INFINITY : until)
      return known || (isStored && (await store.getRecord(KIND, key)) != null)
    },
    async add(token: LogoutTokenId, until: number): Promise<void> {
      const key = keyOf(token)
      const expires = new Date(until)
      if (isStored) await store.createRecord({ kind: KIND, key, owner: null, value: '', expires, version: 1 })
      // Last: if the store failed, the provider sends the token again, and it must not count as used.
      ledger.consume(key, until)
    },
  }
}
