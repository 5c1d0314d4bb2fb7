import type { LoggerInstance } from '../logger.js'
import type { ProviderType } from '../providers/provider.js'
import { strategyOf } from './choose-sessions.js'
import type { AuthConfig } from './options.js'

/** Says at the start what people will be refused whom the application may want to let in. */
export function warnOfAccounts(options: AuthConfig, kinds: ReadonlySet<ProviderType>, logger: LoggerInstance): void {
  if (!options.adapter) return
  if (!addsNothing(options, kinds) && !knowsSignInTime(options)) {
    logger.warn('sign-in-time-unknown', {
      cure:
        strategyOf(options) === 'database'
          ? 'an adapter with deleteSessionsByUserId() that keeps authenticatedAt, or session.recentAuthAge: Infinity'
          : 'session tokens without jwt.encode of your own, or session.recentAuthAge: Infinity',
    })
  }
}

/** Whether nobody can add a way to sign in, or nobody is asked for a recent sign-in first. */
const addsNothing = ({ session }: AuthConfig, kinds: ReadonlySet<ProviderType>) =>
  session?.recentAuthAge === Number.POSITIVE_INFINITY ||
  !(['oauth', 'oidc', 'webauthn'] as const).some((kind) => kinds.has(kind))

/** Whether sessions say when they began. */
const knowsSignInTime = (options: AuthConfig) =>
  strategyOf(options) === 'database' ? Boolean(options.adapter?.deleteSessionsByUserId) : !options.jwt?.encode
