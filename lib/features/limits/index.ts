import { loadOnce } from '../../kernel/awaitable.js'
import { AuthError } from '../../kernel/errors.js'
import { type Config, SECOND_FACTOR_PAGE, type ServiceKey } from '../../sign-in/config.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Visit } from '../../sign-in/visit.js'
import { KNOWN_BROWSER } from './known-browsers.js'
import type { Limiter } from './limiter.js'
import type { LimitsOptions } from './options.js'

export { type Attempt, type LimitsOptions, limitsShape, type Rate } from './options.js'

/** Null if the configuration leaves limits to a gateway. */
const LIMITER: ServiceKey<(() => Promise<Limiter>) | null> = { name: 'limiter' }

/** Called only where a configuration has limits. */
async function limiterOf({ config }: Visit): Promise<Limiter> {
  const load = config.services.get(LIMITER)
  if (load === null) throw new AuthError('The configuration has no limits.')
  return load()
}

/** Whether people sign in by what others could guess, or could have mailed to them. */
const hasGuesses = ({ providers, services }: Config): boolean =>
  services.get(SECOND_FACTOR_PAGE) !== undefined ||
  [...providers.values()].some(({ type }) => type === 'credentials' || type === 'email')

/** Limits on guessing and on mails, and the hook that judges each try. */
export const limits: Feature<{ readonly limits?: LimitsOptions | false | undefined }> = {
  cookies: KNOWN_BROWSER,
  isUsed: ({ services }) => services.get(LIMITER) !== null,
  services({ options: { limits = {} }, ...parts }, services) {
    const load = limits !== false && (async () => (await import('./limiter.js')).createLimiter(limits, parts))
    services.set(LIMITER, load ? loadOnce(load) : null)
  },
  mayTry: async (visit, kind) => (await limiterOf(visit)).begin(visit, kind),
  happened: {
    async proved(visit) {
      await (await limiterOf(visit)).proved(visit)
      return undefined
    },
    entered: async (visit, arrived) =>
      hasGuesses(visit.config) ? (await limiterOf(visit)).entered(visit, arrived) : undefined,
  },
}
