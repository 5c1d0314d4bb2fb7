import { type MaybePromise, whenReady, withNativePromise } from '../awaitable.js'
import type { LoggerInstance } from '../logger.js'
import { describeValue, isRecord } from '../shapes/describe-value.js'
import type { Session, SessionCallback, SessionCallbackParams } from './session.js'

/** The `session` callback, with what it gives checked. There is no promise where the callback makes none. */
export type CheckedSessionCallback = (params: SessionCallbackParams) => MaybePromise<Session | null>

/**
 * The application's `session` callback as both ways to keep sessions call it. What it gives opens every guard, so what can be no session is a fault, and an
 * object that has neither a user nor an end means nobody: `{}` is what Auth.js takes for nobody.
 *
 * The result throws, or rejects with, a `TypeError` where the callback gives no object.
 */
export function checkSessionCallback(callback: SessionCallback, logger: LoggerInstance): CheckedSessionCallback {
  let isTold = false

  const sessionIn = (shown: unknown): Session | null => {
    if (shown === null || shown === undefined) return null
    if (!isRecord(shown)) {
      throw new TypeError(
        `callbacks.session gave ${describeValue(shown)}. It gives an object with \`user\` and \`expires\`, or null for nobody.`,
      )
    }
    if (isRecord(shown['user']) || isMoment(shown['expires'])) return shown as object as Session
    const members = Object.keys(shown)
    // Nobody is said by `{}`; whoever gives more may have meant somebody, and would look long for why nobody is signed in.
    if (members.length > 0 && !isTold) {
      isTold = true
      const fix =
        'The session callback gave an object with neither `user` nor `expires`, so nobody is signed in. Give { ...session } with what you add, or null for nobody.'
      logger.warn('session-without-user', { members, fix })
    }
    return null
  }

  return (params) => whenReady(withNativePromise<unknown>(callback(params)), sessionIn)
}

/** An end as sessions show it, or as rows of stored ones have it. */
const isMoment = (value: unknown) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || value instanceof Date
