import { unendableWays } from '../accounts/ways-in.js'
import type { LoggerInstance } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { strategyOf } from './choose-sessions.js'
import type { AuthConfig } from './options.js'

/** Says at the start what people will be refused whom the application may want to let in. */
export function warnOfAccounts(
  options: AuthConfig,
  providers: readonly ResolvedProvider[],
  logger: LoggerInstance,
): void {
  const { adapter, callbacks } = options
  if (!adapter) return
  const sessionsNeedUser = strategyOf(options) === 'database'
  if (providers.some(addsAccounts) && !isNobodyAsked(options) && !knowsSignInTime(options)) {
    const cure = sessionsNeedUser
      ? 'an adapter with deleteSessionsByUserId() that keeps authenticatedAt, or session.recentAuthAge: Infinity'
      : 'session tokens without a jwt.encode of your own, or session.recentAuthAge: Infinity'
    logger.warn('sign-in-time-unknown', { cure })
  }
  if (providers.some(({ type }) => type === 'email') && !callbacks?.confirmEmail) {
    const remaining = unendableWays({ adapter, providers, sessionsNeedUser })
    if (remaining.length > 0) logger.warn('unconfirmed-addresses', { remaining, cure: 'callbacks.confirmEmail' })
  }
}

/** Whether somebody who is signed in can add an account or a passkey of the provider. */
const addsAccounts = ({ type }: ResolvedProvider) => type === 'oauth' || type === 'oidc' || type === 'webauthn'

const isNobodyAsked = ({ session }: AuthConfig) => session?.recentAuthAge === Number.POSITIVE_INFINITY

/** Whether sessions say when they began. */
const knowsSignInTime = (options: AuthConfig) =>
  strategyOf(options) === 'database' ? Boolean(options.adapter?.deleteSessionsByUserId) : !options.jwt?.encode
