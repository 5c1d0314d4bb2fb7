import { InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { seconds, text } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type Config, sessionsWithoutCookies } from '../../sign-in/config.js'
import { happened } from '../../sign-in/happened.js'
import { withoutRequest } from '../../sign-in/visit.js'
import { secondFactorsIn } from './dependencies.js'

/** Whose second factor is taken away, and when. */
export interface SecondFactorReset {
  userId: string
  /**
   * Seconds until it is taken away; 0 by default. Meanwhile the owner can stop it: by signing in with the second factor.
   */
  after?: number
}

const RESET = object<SecondFactorReset>({ userId: text, after: seconds(0, { most: 90 * 24 * 60 * 60 }) })

/** Takes away the second factor of somebody who has lost it. False if there was none. */
export async function resetSecondFactor(config: Config, given: SecondFactorReset): Promise<boolean> {
  checkCallOptions(given, RESET, 'resetSecondFactor(config, { userId })')
  const { userId, after = 0 } = given
  const { factors, browsers } = await secondFactorsIn(config)
  const { origin } = config.origin.url ?? refuseWithoutUrl()
  const at = config.now() + after * 1000
  if (!(await (after > 0 ? factors.removeAt(userId, at) : factors.remove(userId)))) return false
  const kind = after > 0 ? 'second-factor-reset-asked' : 'second-factor-removed'
  await happened.changed(withoutRequest(config, undefined, origin), { kind, userId, provider: null })
  if (after > 0) return true
  await browsers.forgetAll(userId)
  await sessionsWithoutCookies(config).revokeAllOf(userId)
  return true
}

function refuseWithoutUrl(): never {
  throw new InvalidConfiguration(
    'The owner is told by mail, and without a request only the configuration says where the application is. Set `url` or AUTH_URL.',
  )
}
