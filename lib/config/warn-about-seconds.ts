import type { Log } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { inDays } from '../shapes/time-in-words.js'
import type { AuthConfig } from './options.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** A time that an application has chosen. */
interface ChosenTime {
  /** The option, as in `session.maxAge`. */
  readonly name: string
  readonly seconds: number | undefined
  /** If it is longer than this, it was probably meant as milliseconds. */
  readonly most: number
}

/** Logs a warning for each time of a configuration that was probably meant as milliseconds. */
export function warnAboutSeconds(
  { session = {}, jwt }: AuthConfig,
  providers: readonly ResolvedProvider[],
  logger: Log,
): void {
  const refreshUser = typeof session.refreshUser === 'number' ? session.refreshUser : undefined
  const links = providers.flatMap((provider): ChosenTime[] =>
    provider.type === 'email'
      ? [{ name: `maxAge\` of the provider \`${provider.id}`, seconds: provider.maxAge, most: 30 * DAY }]
      : [],
  )
  const times: readonly ChosenTime[] = [
    { name: 'session.maxAge', seconds: session.maxAge, most: 10 * YEAR },
    { name: 'session.updateAge', seconds: session.updateAge, most: YEAR },
    { name: 'session.maxLifetime', seconds: session.maxLifetime, most: 10 * YEAR },
    { name: 'session.recentAuthAge', seconds: session.recentAuthAge, most: RECENT },
    { name: 'session.refreshUser', seconds: refreshUser, most: DAY },
    { name: 'session.remember.maxAge', seconds: session.remember?.maxAge, most: 10 * YEAR },
    { name: 'session.revocation.checkEvery', seconds: session.revocation?.checkEvery, most: HOUR },
    { name: 'jwt.maxAge', seconds: jwt?.maxAge, most: 10 * YEAR },
    ...links,
  ]
  for (const time of times) warnAboutTime(time, logger)
}

/** A sign-in that is older is hardly a recent one. */
const RECENT = 7 * DAY

/** The same for `maxAuthAge` of a guard. */
export const warnAboutAuthAge = (seconds: number, logger: Log): void =>
  warnAboutTime({ name: 'maxAuthAge', seconds, most: RECENT }, logger)

function warnAboutTime({ name, seconds, most }: ChosenTime, logger: Log): void {
  if (seconds === undefined || seconds <= most || seconds === Number.POSITIVE_INFINITY) return
  logger.warn('implausible-seconds', { fix: `\`${name}\` is ${inDays(seconds)}` })
}
