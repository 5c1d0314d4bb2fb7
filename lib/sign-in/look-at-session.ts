import { AuthError, withoutDetails } from '../kernel/errors.js'
import type { SessionReading } from '../sessions/session.js'
import type { Visit } from './visit.js'

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

/** What a page calls the person who is signed in: the address, else the name. Null if nobody is, or they have neither. */
export function signedInAs(reading: SessionReading | null): string | null {
  const { email, name } = reading?.session?.user ?? {}
  return [email, name].find((each): each is string => typeof each === 'string' && each !== '') ?? null
}
