import type { ProviderSession } from '../../adapters/adapter.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { SessionReading } from '../../sessions/session.js'
import type { EndedAt } from '../../sessions/session-manager.js'
import type { Config } from '../../sign-in/config.js'
import type { SignOutElsewhere } from '../../sign-in/feature.js'
import type { ServiceKey } from '../../sign-in/services.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { UsedLogoutTokens } from './used-logout-tokens.js'

/** What sign-outs at providers work with. */
interface ProviderLogout {
  readonly used: UsedLogoutTokens
  /** Whether the sessions that began at a provider can be found and ended. */
  readonly endsSessions: boolean
  /** The stored ID token of a session at a provider; undefined if no adapter keeps tokens. */
  idTokenHint(userId: string, at: ProviderSession): Promise<string | null | undefined>
  /** Deletes the refresh tokens of a session at a provider that has ended. */
  dropRefreshTokens(userId: string, at: EndedAt): Promise<void>
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
export function settingsOf(settings: { readonly type: string } | undefined): ResolvedOAuthProvider | null {
  if (settings?.type !== 'oauth' && settings?.type !== 'oidc') return null
  const provider = settings as ResolvedOAuthProvider
  return provider.endSession === null ? null : provider
}

/** Whether a configuration has a provider at which people sign out, too. */
export const endsThere = ({ providers }: Pick<Config, 'providers'>): boolean =>
  [...providers.values()].some(({ settings }) => settingsOf(settings) !== null)

/** The session of a request, if a sign-out can be one at its provider; null otherwise: then the visitor signs out here. */
export function endableSessionOf(
  { providers }: Pick<Config, 'providers'>,
  reading: SessionReading,
): EndableSession | null {
  const { providerSession: at, userId } = reading
  const settings = at && settingsOf(providers.get(at.provider)?.settings)
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
  cookies: {
    logoutState: { name: 'authjs.logout-state', purpose: 'logout-state' },
  },
  secretOption: 'jwt.secret',
  timeUnitMs: 1,
  isOffered: false,
  makesRoom: false,
}
