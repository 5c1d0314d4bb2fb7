import type { Client } from './incoming.js'
import type { LogSource } from './logger.js'
import { addressOf } from './network.js'
import { headerOf, type NodeRequest } from './node-request.js'
import { parseCookies, type RequestCookies } from './request-cookies.js'

/** What a session needs of a request to be read. It is made once for each request, in the edge. */
export interface RequestContext {
  readonly cookies: RequestCookies
  /** The client that waits for the answer; undefined if it is not known. */
  readonly client: Client | undefined
  /** Public origin, without a trailing slash. */
  readonly origin: string
  /** A header's value, or undefined; `name` in lower case. */
  header(name: string): string | undefined
  /**
   * The IP address of the client, or undefined. A function, because most requests never need it. It may throw what the
   * framework or a function of the application throws. Absent where nothing trustworthy knows the address.
   */
  readonly clientAddress?: (() => unknown) | undefined
  /**
   * Whether the request began a connection that is still open, and may so be old. The browser may have a newer token of its
   * session meanwhile. Absent for a request that was sent now.
   */
  readonly isOpenConnection?: boolean | undefined
  /** The request as it came, which lines of the log are about. */
  readonly source?: LogSource | undefined
}

/** The context of a Node request. */
export class NodeRequestContext implements RequestContext {
  readonly cookies: RequestCookies
  readonly client: NodeRequest
  readonly origin: string

  constructor(req: NodeRequest, origin: string, { cookie } = req.headers) {
    this.client = req
    this.origin = origin
    this.cookies = parseCookies(cookie)
  }

  header(name: string): string | undefined {
    return headerOf(this.client, name)
  }

  get source(): LogSource {
    return this.client
  }

  clientAddress(): unknown {
    return addressOf(this.client)
  }
}

/** The context of a Node request whose connection is still open: a WebSocket. */
export class OpenConnectionContext extends NodeRequestContext {
  readonly isOpenConnection = true
}
