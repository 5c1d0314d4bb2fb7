import type { ServerResponse } from 'node:http'
import { AuthError } from '../errors.js'

/** What a developer does about a middleware that comes after the answer. */
const MOUNT_FIRST = 'Let it run before anything answers: a middleware that has answered must not call next().'

/**
 * Requires that an answer has not been sent yet, because a cookie goes into its headers. Node would throw
 * `ERR_HTTP_HEADERS_SENT`, which does not say what came too late.
 *
 * @param call what sets the cookie, for the message
 * @param fix what to do, as a sentence; by default that of a middleware
 * @throws {AuthError}
 */
export function requireOpenAnswer(res: ServerResponse, call: string, fix = MOUNT_FIRST): void {
  if (res.headersSent) {
    throw new AuthError(`The answer was sent before \`${call}\` was done, so its cookie cannot be set. ${fix}`)
  }
}

/** As {@link requireOpenAnswer}, for a function that a route calls. */
export const requireAwaited = (res: ServerResponse, call: string): void =>
  requireOpenAnswer(res, call, `Write \`await ${call}\` before you answer.`)
