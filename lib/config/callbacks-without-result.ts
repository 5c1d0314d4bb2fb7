import { isFirstTime, type Log } from '../logger.js'
import type { AuthConfig, Callbacks } from './options.js'

/** The callbacks whose result decides, and for which no result is as good as a refusal. What each should return. */
const FIXES = {
  signIn: 'Nobody can sign in while it returns nothing. Return true or false.',
  jwt: 'Nobody is signed in while it returns nothing. Return the token, also if you only changed it. Return null to end the session.',
  session:
    'Nobody is signed in while it returns nothing. Return an object with `user` and `expires`. For nobody, return null.',
  authorized: 'requireAuth lets nobody pass while it returns nothing. Return true or false.',
} satisfies Partial<Record<keyof Callbacks, string>>

type Watched = keyof typeof FIXES

/**
 * The callbacks of an application, with a warning for each that returns nothing: a missing `return` locks everybody
 * out, and nothing else would say so. Null is a decision, and gives no warning. The results stay as they are.
 */
export function warnOfNoResult(callbacks: AuthConfig['callbacks'], logger: Log): AuthConfig['callbacks'] {
  if (!callbacks) return callbacks
  const { signIn, redirect, jwt, session, authorized, confirmEmail, refreshUser } = callbacks
  const notice = <Result>(name: Watched, result: Result): Result => {
    if (result === undefined && isFirstTime(logger, `callback-without-result ${name}`)) {
      logger.warn('callback-without-result', { callback: name, fix: FIXES[name] })
    }
    return result
  }
  const watch = <Params, Result>(name: Watched, callback: (params: Params) => Result) => {
    return (params: Params): Result => {
      const result = callback(params)
      // A promise of any library. What `then` gives is awaited as the result itself would be.
      return isPromiseLike(result) ? (result.then((value) => notice(name, value)) as Result) : notice(name, result)
    }
  }
  // The other members are named, not spread: `callbacks` may be an instance of a class.
  return {
    ...(redirect && { redirect }),
    ...(confirmEmail && { confirmEmail }),
    // No result is a fault there, which says so.
    ...(refreshUser && { refreshUser }),
    ...(signIn && { signIn: watch('signIn', signIn) }),
    ...(jwt && { jwt: watch('jwt', jwt) }),
    ...(session && { session: watch('session', session) }),
    ...(authorized && { authorized: watch('authorized', authorized) }),
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
