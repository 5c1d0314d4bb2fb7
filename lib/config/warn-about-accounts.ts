import { irrevocableAccess } from '../accounts/user-access.js'
import type { Adapter } from '../adapters/adapter.js'
import type { Log } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { keepsSignInTime } from '../sessions/session-rows.js'
import { strategyOf } from './choose-sessions.js'
import type { AuthConfig } from './options.js'
import { TEST_PROVIDER } from './shared-secret.js'

/** Logs warnings if Latchkey will refuse users whom the application may want to let in. */
export function warnAboutAccounts(options: AuthConfig, given: readonly ResolvedProvider[], logger: Log): void {
  const { adapter, callbacks } = options
  // What a test signs in with is no way of the application.
  const providers = given.filter(({ id }) => id !== TEST_PROVIDER)
  if (!adapter) return
  const sessionsNeedUser = strategyOf(options) === 'database'
  if (providers.some(addsAccounts) && !isAnyAgeAccepted(options) && !isSignInTimeKept(options)) {
    const fix =
      'The store keeps no such time. Use an adapter with deleteSessionsByUserId() that keeps authenticatedAt, or set session.recentAuthAge: Infinity.'
    logger.warn('sign-in-time-unknown', { fix })
  }
  if (providers.some(({ type }) => type === 'email') && !callbacks?.confirmEmail) {
    const store = { has: (name: keyof Adapter) => typeof adapter[name] === 'function' }
    const remaining = irrevocableAccess({ store, providers, sessionsNeedUser })
    const fix =
      'Latchkey could not end the other ways in of such a user. Set callbacks.confirmEmail, which ends them, or use an adapter with the methods for it.'
    if (remaining.length > 0) logger.warn('unconfirmed-addresses', { remaining, fix })
  }
}

/** Whether a signed-in user can add an account or a passkey of the provider. */
const addsAccounts = ({ type }: ResolvedProvider) => type === 'oauth' || type === 'oidc' || type === 'webauthn'

/** Whether a user may add an account however long ago they signed in. */
const isAnyAgeAccepted = ({ session }: AuthConfig) => session?.recentAuthAge === Number.POSITIVE_INFINITY

/** Whether sessions have the time of the sign-in. Tokens have a claim for it. Not every store has a column for it. */
const isSignInTimeKept = (options: AuthConfig) =>
  strategyOf(options) !== 'database' || keepsSignInTime(options.adapter ?? {})
