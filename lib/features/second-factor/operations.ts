import { object } from '../../kernel/object-shape.js'
import { seconds, text } from '../../kernel/shape.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import { type Config, originWithoutRequest, sessionsWithoutCookies } from '../../sign-in/config.js'
import { happened } from '../../sign-in/happened.js'
import { withoutRequest } from '../../sign-in/visit.js'
import { pageToKeep, secondFactorsIn } from './dependencies.js'

/** Whose second factor is taken away, and when. */
export interface SecondFactorReset {
  userId: string
  /**
   * Seconds until it is taken away; 0 by default. Meanwhile the owner can stop it: with a code of the app or a recovery code, at a
   * sign-in or at `/auth/second-factor`, or by setting up another app. A passkey does not stop it.
   */
  after?: number
  /** Language of the mail, as a tag such as `de`. By default the first of `theme.languages`, or English. */
  language?: string
}

const RESET = object<SecondFactorReset>({
  userId: text,
  after: seconds(0, { most: 90 * 24 * 60 * 60 }),
  language: text,
})

/**
 * Takes away the second factor of somebody who has lost it. False if there was none.
 *
 * @throws {EmailSignInError} with `after`, if the owner cannot be told; then nothing is taken away
 */
export async function resetSecondFactor(config: Config, given: SecondFactorReset): Promise<boolean> {
  checkCallOptions(given, RESET, 'resetSecondFactor(config, { userId })')
  const { userId, after = 0, language } = given
  const service = await secondFactorsIn(config)
  const { factors } = service
  const origin = originWithoutRequest(config, 'The owner is told by mail')
  const sent = withoutRequest(config, undefined, origin, language)
  if (after > 0) {
    if ((await factors.find(userId)) === null) return false
    const at = config.now() + after * 1000
    const remedyUrl = `${origin}${config.basePath}/${pageToKeep(service, userId)}`
    // First: otherwise it would be taken away from an owner who does not know.
    await happened.changed(sent, { kind: 'second-factor-reset-asked', userId, at: new Date(at), remedyUrl })
    return factors.removeAt(userId, at)
  }
  const isTaken = await factors.remove(userId)
  if (isTaken) await happened.changed(sent, { kind: 'second-factor-removed', userId, namesNoSessions: true })
  // Also if there is none any more: the call before may have broken off here.
  await sessionsWithoutCookies(config).revokeAllOf(userId)
  return isTaken
}
