import { irrevocableAccess } from '../accounts/user-access.js'
import type { LoggerInstance } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { keepsSignInTime } from '../sessions/session-rows.js'
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
    const fix =
      'Nobody can add an account or a passkey, since the store keeps no time of the sign-in. Use an adapter with deleteSessionsByUserId() that keeps authenticatedAt, or set session.recentAuthAge: Infinity.'
    logger.warn('sign-in-time-unknown', { fix })
  }
  if (providers.some(({ type }) => type === 'email') && !callbacks?.confirmEmail) {
    const remaining = irrevocableAccess({ adapter, providers, sessionsNeedUser })
    const fix =
      'Mailed links will be refused to users with an unconfirmed address who have a way in that Latchkey cannot end. Set callbacks.confirmEmail, which ends it, or use an adapter with the methods.'
    if (remaining.length > 0) logger.warn('unconfirmed-addresses', { remaining, fix })
  }
}

/** Whether somebody who is signed in can add an account or a passkey of the provider. */
const addsAccounts = ({ type }: ResolvedProvider) => type === 'oauth' || type === 'oidc' || type === 'webauthn'

const isNobodyAsked = ({ session }: AuthConfig) => session?.recentAuthAge === Number.POSITIVE_INFINITY

/** Whether sessions can say when they began. Tokens do, by a claim; an adapter is handed the time where it is known to keep such things. */
const knowsSignInTime = (options: AuthConfig) =>
  strategyOf(options) !== 'database' || keepsSignInTime(options.adapter ?? {})
