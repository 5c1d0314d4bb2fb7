import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Config } from '../config/config.js'
import type { SessionReading } from '../sessions/session.js'
import { type Action, json, type Outcome } from './action.js'

/** GET session: the session as JSON, null when nobody is signed in. */
export const readSession: Action = (context) =>
  whenReady(told(context.config, context.scheme.sessions.renew(context)), answer)

/** POST session: the same, with the client's `data` handed to the callbacks first. */
export const updateSession: Action = (context) =>
  whenReady(told(context.config, context.scheme.sessions.update(context, context.fields['data'])), answer)

const answer = ({ session, cookies }: SessionReading): Outcome => json(session, cookies)

/** Tells the event of a session that was read. There is no promise where nothing has to be waited for. */
export const told = (
  config: Pick<Config, 'emit'>,
  reading: MaybePromise<SessionReading>,
): MaybePromise<SessionReading> =>
  reading instanceof Promise ? reading.then((reading) => toldNow(config, reading)) : toldNow(config, reading)

function toldNow({ emit }: Pick<Config, 'emit'>, reading: SessionReading): MaybePromise<SessionReading> {
  const telling = reading.message && emit('session', reading.message)
  return telling ? afterwards(telling, reading) : reading
}

const afterwards = <T>(work: Promise<unknown>, value: T): Promise<T> => work.then(() => value)
