import { json, type Outcome } from '../context/outcome.js'
import type { Action, Visit } from '../context/visit.js'
import { currentSessionOf } from '../sessions/current-session.js'
import type { SessionReading } from '../sessions/session.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const getSession: Action = async (visit) => answer(visit, await visit.sessions.renew(visit))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const postSession: Action = async (visit) =>
  answer(visit, await visit.sessions.update(visit, visit.fields['data']))

async function answer({ config, source }: Visit, reading: SessionReading): Promise<Outcome> {
  const { session, cookies, message } = reading
  if (message) await config.emit('session', message, source)
  return json(config.exposesSessionIds ? currentSessionOf(reading) : session, cookies)
}
