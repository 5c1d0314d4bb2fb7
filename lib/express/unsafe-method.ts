import { RequestRefused } from '../errors.js'

/** A request, as far as its method is concerned. */
interface WithMethod {
  readonly method?: string | undefined
}

/** Whether a request only reads (RFC 9110 §9.2.1), so that a link may lead to it, which anybody may have written. */
export const isRead = ({ method }: WithMethod): boolean => method === 'GET' || method === 'HEAD'

/**
 * A route that changes something must not be reached by a link, or by a browser that fetches links ahead.
 *
 * @param message what is not done with GET
 * @throws {RequestRefused} 405 for GET and HEAD
 */
export function requireUnsafeMethod(request: WithMethod, message: string): void {
  if (isRead(request)) throw new RequestRefused(405, message, { allow: 'POST' })
}
