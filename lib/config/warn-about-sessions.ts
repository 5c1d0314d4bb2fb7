import { losesRevocations } from '../adapters/memory/in-memory.js'
import type { LoggerInstance } from '../logger.js'
import type { AuthConfig, SessionOptions } from './options.js'

/** Logs warnings if sessions may live longer, or shorter, than the application expects. */
export function warnAboutSessions(
  { session }: AuthConfig,
  { isProduction }: { readonly isProduction: boolean },
  logger: LoggerInstance,
): void {
  if (isProduction && session?.revocation && losesRevocations(session.revocation.store)) {
    const fix =
      'After a restart of the process, revoked sessions count again, and other processes never learn of a revocation. Use redisAdapter() or sqlAdapter() as `session.revocation.store`.'
    logger.warn('memory-revocations', { fix })
  }
  if (session) warnAboutSeconds(session, logger)
}

const HOUR = 60 * 60
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** Above these seconds, an option was probably meant as milliseconds. */
const PLAUSIBLE = {
  maxAge: 10 * YEAR,
  updateAge: YEAR,
  maxLifetime: 10 * YEAR,
  recentAuthAge: 7 * DAY,
  refreshUser: DAY,
}

function warnAboutSeconds(session: SessionOptions, logger: LoggerInstance): void {
  const given = {
    ...session,
    'remember.maxAge': session.remember?.maxAge,
    'revocation.checkEvery': session.revocation?.checkEvery,
  }
  const limits = Object.entries({ ...PLAUSIBLE, 'remember.maxAge': 10 * YEAR, 'revocation.checkEvery': HOUR }) as [
    keyof typeof given,
    number,
  ][]
  for (const [name, most] of limits) {
    const value = given[name]
    if (typeof value !== 'number' || value <= most || value === Number.POSITIVE_INFINITY) continue
    const fix = `\`session.${name}\` is ${value} seconds, about ${inWords(value)}. It is in seconds, not in milliseconds.`
    logger.warn('implausible-seconds', { fix })
  }
}

const inWords = (value: number) =>
  value > YEAR
    ? `${Math.round(value / YEAR)} years`
    : value > DAY
      ? `${Math.round(value / DAY)} days`
      : `${Math.round(value / HOUR)} hours`
