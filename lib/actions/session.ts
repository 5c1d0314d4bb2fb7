import { type MaybePromise, whenReady } from '../awaitable.js'
import type { SessionReading } from '../sessions/strategy.js'
import { type Action, type ActionContext, json, type Outcome } from './action.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const readSession: Action = (context) =>
  whenReady(context.scheme.sessions.read(context.cookies), (reading) => answer(context, reading))

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const updateSession: Action = (context) =>
  whenReady(context.scheme.sessions.update(context.cookies, context.fields['data']), (reading) =>
    answer(context, reading),
  )

function answer({ config }: ActionContext, { session, cookies, message }: SessionReading): MaybePromise<Outcome> {
  const told = message ? config.tell('session', message) : undefined
  return whenReady(told, () => json(session, cookies))
}
