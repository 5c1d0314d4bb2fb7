import type { IncomingMessage } from 'node:http'

/** The client that waits for an answer: the request of Node, or the signal of a web request. */
export type Client = AbortSignal | Pick<IncomingMessage, 'socket' | 'httpVersionMajor'>

/** Whether the client is known to have left, because the connection of the request is closed. */
export function hasLeft(client: Client | undefined): boolean {
  if (client === undefined) return false
  if (client instanceof AbortSignal) return client.aborted
  // Many requests share the connection of HTTP/2, and each has a stream of its own.
  if (client.httpVersionMajor >= 2) return (client as { stream?: { destroyed: boolean } }).stream?.destroyed === true
  return client.socket?.destroyed === true
}
