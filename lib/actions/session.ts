import type { SessionReading } from '../sessions/strategy.js'
import { type Action, type ActionContext, json, type Outcome } from './action.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const readSession: Action = async (context) =>
  answer(context, await context.scheme.sessions.read(context.cookies))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const updateSession: Action = async (context) =>
  answer(context, await context.scheme.sessions.update(context.cookies, context.fields['data']))

async function answer({ config }: ActionContext, { session, cookies, message }: SessionReading): Promise<Outcome> {
  if (message) await config.tell('session', message)
  return json(session, cookies)
}
