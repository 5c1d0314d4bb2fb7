import type { CurrentReading } from './current-session.js'
import { covers } from './scope.js'
import { nobody, type SessionReading } from './session.js'

/**
 * A session with a scope, for code that does not know of scopes: nobody is signed in. What was read is in `restricted`, for
 * code that names the scope it needs.
 */
export const restrictedReading = <Reading extends SessionReading>(restricted: Reading) => ({ ...nobody(), restricted })

/**
 * The session of a request, for code that needs a scope. A session that has no scope may do everything, so the reading
 * stays as it is. One that has the needed words is shown, and every other one is not.
 *
 * @param needed undefined if the code names no scope: then no session with a scope is shown
 */
export function readingForScope(reading: CurrentReading, needed: string | undefined): CurrentReading {
  const full = reading.restricted ?? reading
  if (full.scope === null || (needed !== undefined && covers(full.scope, needed))) return full
  return reading === full ? restrictedReading(full) : reading
}
