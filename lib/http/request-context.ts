import type { Client } from './client.js'
import type { NodeRequest } from './node-request.js'
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
}

/** The context of a Node request. */
export class NodeRequestContext implements RequestContext {
  readonly cookies: RequestCookies
  readonly client: NodeRequest
  readonly origin: string

  constructor(req: NodeRequest, origin: string) {
    this.client = req
    this.origin = origin
    this.cookies = parseCookies(req.headers.cookie)
  }

  header(name: string): string | undefined {
    const value = this.client.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
}
