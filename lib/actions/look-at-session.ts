import type { Visit } from '../context/visit.js'
import { AuthError, withoutDetails } from '../errors.js'

/**
 * The session of a visitor, for a page that says whether somebody is signed in. It may have been renewed, and the `jwt` callback
 * may give other claims, so the answer keeps the cookies of the reading. With `read`, there are none.
 *
 * @returns null if nobody can say, with the reason in the log; and with HEAD, which sends no cookies
 */
export async function lookAtSession(visit: Visit, how: 'renew' | 'read' = 'renew') {
  if (visit.incoming.method === 'HEAD') return null
  try {
    const reading = await visit.sessions[how](visit)
    if (how === 'renew') visit.keep.always('session', reading.cookies)
    return reading
  } catch (error) {
    const fault = error instanceof AuthError ? error : new AuthError(UNREAD, { err: withoutDetails(error) })
    visit.config.logger.error(fault, visit.source)
    return null
  }
}

const UNREAD = 'The session of a visitor could not be read. The page goes on without it.'
