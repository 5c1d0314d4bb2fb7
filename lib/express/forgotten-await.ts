import type { Config } from '../config/config.js'
import { isFirstTime } from '../logger.js'

/** Members that code reads of a session. `toJSON` is what `JSON.stringify` and `res.json` look for in any object. */
const READ_OF_A_SESSION = ['user', 'expires', 'toJSON']

/**
 * In development, makes a promise of a session log a warning when code reads a member of the session from it. Without
 * `await`, `getSession(req, config).user` is undefined for everybody, and `if (getSession(req, config))` is always true.
 * TypeScript refuses the first; in JavaScript, nothing else tells.
 *
 * @param call what made the promise, for the warning: `getSession`
 * @returns the same promise; in production unchanged
 */
export function warnOfForgottenAwait<T>(promise: Promise<T>, { isDevelopment, logger }: Config, call: string) {
  if (!isDevelopment) return promise
  const warn = (member: string) => {
    const place = placeOfCaller()
    if (!isFirstTime(logger, `await-missing ${place}`)) return
    const fix = `Write \`await\` before the call: const session = await ${call}(req, config).`
    logger.warn('await-missing', { member, place, fix })
  }
  for (const member of READ_OF_A_SESSION) {
    Object.defineProperty(promise, member, { configurable: true, enumerable: false, get: () => warn(member) })
  }
  return promise
}

/** File and line of the code that read the member; empty if V8 gives none. */
function placeOfCaller(): string {
  const frames = (new Error().stack ?? '').split('\n').slice(1)
  // The first frames are of this file: this function, the warning and the getter.
  const caller = frames.slice(3).find((frame) => !frame.includes('node:'))
  return /\(?((?:file:|\/|[A-Za-z]:\\)[^()]*:\d+):\d+\)?$/.exec(caller ?? '')?.[1] ?? ''
}
