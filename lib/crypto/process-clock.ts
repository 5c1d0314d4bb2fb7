/**
 * The clock of this process, in milliseconds since the epoch. It is one function for all configurations and for `getToken`, because
 * what the process remembers of one-time values and revoked tokens belongs to a clock. It is not Date.now itself: a test may
 * replace `Date` later, to move the time.
 */
export const processClock = (): number => Date.now()
