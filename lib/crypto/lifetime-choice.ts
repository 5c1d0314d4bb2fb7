/** What a sign-in decided about the lifetime of its session. The session keeps it until its end. */
export interface LifetimeChoice {
  /** Whether the visitor asked to stay signed in; absent if nobody asked the visitor. */
  readonly remember?: boolean
  /** Seconds from a renewal to the expiry, if the application chose them for this session. */
  readonly maxAge?: number
  /** Seconds from the sign-in to the absolute limit, if the application chose them for this session. */
  readonly maxLifetime?: number
}

/**
 * A choice as it was read from a session. Only whoever has the secret can have written it, so a member that no
 * sign-in writes comes from a changed configuration or codec, and is left out.
 *
 * @returns undefined if nothing was chosen
 */
export function parseLifetimeChoice(value: unknown): LifetimeChoice | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { remember, maxAge, maxLifetime } = value as Partial<Record<keyof LifetimeChoice, unknown>>
  const choice: LifetimeChoice = {
    ...(typeof remember === 'boolean' && { remember }),
    ...(isSeconds(maxAge) && { maxAge }),
    ...(isSeconds(maxLifetime) && { maxLifetime }),
  }
  return Object.keys(choice).length === 0 ? undefined : choice
}

/** A longer time gives no date (ECMA-262 §21.4.1.1), and nobody means it. */
const MOST_SECONDS = 100 * 365 * 24 * 60 * 60

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value > 0 && value <= MOST_SECONDS
