import type { IncomingMessage } from 'node:http'

/** Whoever waits for an answer: a request of Node, or the signal of a web request. */
export type Asker = AbortSignal | Pick<IncomingMessage, 'socket' | 'httpVersionMajor'>

/** Whether it is known that nobody waits for the answer any more: the connection that the request came by is closed. */
export function hasLeft(asker: Asker | undefined): boolean {
  if (asker === undefined) return false
  if (asker instanceof AbortSignal) return asker.aborted
  // Many requests share the connection of HTTP/2, and each has a stream of its own.
  if (asker.httpVersionMajor >= 2) return (asker as { stream?: { destroyed: boolean } }).stream?.destroyed === true
  return asker.socket?.destroyed === true
}
