import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Action } from '../context/action-context.js'
import { json, type Outcome } from '../context/outcome.js'
import { emitSession } from '../context/session-event.js'
import type { SessionReading } from '../sessions/session.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const getSession: Action = (context) => answer(emitSession(context.config, context.sessions.renew(context)))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const postSession: Action = (context) =>
  answer(emitSession(context.config, context.sessions.update(context, context.fields['data'])))

const answer = (reading: MaybePromise<SessionReading>): MaybePromise<Outcome> =>
  whenReady(reading, ({ session, cookies }) => json(session, cookies))
