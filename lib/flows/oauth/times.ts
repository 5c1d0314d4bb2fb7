/**
 * Seconds from the start of a sign-in at a provider to its callback. The one-time values of the transaction count for so
 * long, and so does the state that a redirect proxy reads.
 */
export const TRANSACTION_LIFETIME_SECONDS = 15 * 60

/** Seconds that the clock of a provider may differ from the clock of this machine. */
export const PROVIDER_CLOCK_TOLERANCE_SECONDS = 60
