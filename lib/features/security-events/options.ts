import { object } from '../../kernel/object-shape.js'
import { either, flag, seconds } from '../../kernel/shape.js'

/** How the security events of people are kept for them. */
export interface SecurityEventsOptions {
  /** Seconds for which an event is kept: 7776000, 90 days, by default, and at most two years. */
  maxAge?: number
}

const A_DAY = 24 * 60 * 60

export const securityEventsShape = either(
  flag,
  object<SecurityEventsOptions>({ maxAge: seconds(A_DAY, { most: 2 * 365 * A_DAY }) }),
)

export const NINETY_DAYS = 90 * A_DAY
