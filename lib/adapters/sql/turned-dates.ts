const QUARTER_MS = 15 * 60 * 1000
const LARGEST_TURN = 12
const ROUNDING_MS = 1000

/**
 * Whether a date was read as another date because clocks were changed in between: then the two differ by quarters of an
 * hour, and by three hours at most.
 */
export function isTurned(written: unknown, read: unknown): boolean {
  if (!(written instanceof Date && read instanceof Date)) return false
  const quarters = Math.round(Math.abs(written.getTime() - read.getTime()) / QUARTER_MS)
  const rest = Math.abs(Math.abs(written.getTime() - read.getTime()) - quarters * QUARTER_MS)
  return quarters > 0 && quarters <= LARGEST_TURN && rest <= ROUNDING_MS
}
