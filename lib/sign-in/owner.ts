import { RecentSignInRequired } from '../kernel/errors.js'
import { lacksFactor } from './leading-to-sign-in.js'
import { refuseSignedOut } from './operation.js'
import type { Visit } from './visit.js'

/**
 * Who is signed in, recently, in this browser, and with each factor that they have: for what neither a stranger at an open browser nor a
 * thief of a session or of a password must do.
 *
 * @param deed what they ask for, for the log: `to change their address`
 * @throws {RequestRefused} 401 if nobody is; {RecentSignInRequired} if they must sign in again, or show the other factor
 */
export async function ownerIn(visit: Visit, deed: string) {
  const signedIn = await recentOwnerIn(visit, deed)
  if (await lacksFactor(visit))
    throw new RecentSignInRequired(`A user asked ${deed}, and has shown one of their two factors.`)
  return signedIn
}

/** The same, perhaps with one of two factors. */
export async function recentOwnerIn(visit: Visit, deed: string) {
  const signedIn = await (await visit.config.users()).signedIn(() => visit.readPrincipal())
  if (signedIn === null) refuseSignedOut()
  if (signedIn.mayAdd) return signedIn
  throw new RecentSignInRequired(
    `A user asked ${deed}, and signed in longer ago than session.recentAuthAge, in another browser, or nobody knows when.`,
  )
}
