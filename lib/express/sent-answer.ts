import type { ServerResponse } from 'node:http'
import { AuthError } from '../errors.js'

/** What a developer does about a middleware that comes after the answer. */
const MOUNT_FIRST = 'Let it run before anything answers: a middleware that has answered must not call next().'

/**
 * The error of a call that must set a cookie after the answer was sent. Node would throw `ERR_HTTP_HEADERS_SENT`, which
 * does not say what came too late.
 *
 * @param call what sets the cookie
 * @param fix what to do, as a sentence; by default that of a middleware
 */
export const answeredTooEarly = (call: string, fix = MOUNT_FIRST): AuthError =>
  new AuthError(`The answer was sent before \`${call}\` was done, so its cookie cannot be set. ${fix}`)

/**
 * Requires of a function that a route calls that the answer has not been sent yet.
 *
 * @throws {AuthError}
 */
export function requireAwaited(res: ServerResponse, call: string): void {
  if (res.headersSent) throw answeredTooEarly(call, `Write \`await ${call}\` before you answer.`)
}
