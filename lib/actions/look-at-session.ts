import type { ActionContext } from '../context/action-context.js'
import { AuthError, withoutDetails } from '../errors.js'

/**
 * The session of a visitor, for a page that says whether somebody is signed in. The answer must have the cookies of the
 * reading: it may have renewed the session, and the `jwt` callback may return other claims. With `read`, there are none.
 *
 * @returns null if nobody can say, with the reason in the log; and with HEAD, which sends no cookies
 */
export async function lookAtSession(context: ActionContext, how: 'renew' | 'read' = 'renew') {
  if (context.incoming.method === 'HEAD') return null
  try {
    return await context.sessions[how](context)
  } catch (error) {
    const fault = error instanceof AuthError ? error : new AuthError(UNREAD, { err: withoutDetails(error) })
    context.config.logger.error(fault, context.source)
    return null
  }
}

const UNREAD = 'The session of a visitor could not be read. The page goes on without it.'
