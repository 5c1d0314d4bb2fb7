/** A request, or as much of one as its headers: a `Request`, a request of Node, the handshake of a socket. */
export interface RequestWithHeaders {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * Checks that a value has headers, as a request has.
 *
 * @param call the function, for the message of an error: `getToken(req, config)`
 * @throws {TypeError}
 */
export function requireHeaders(req: unknown, call: string): void {
  const headers: unknown = typeof req === 'object' && req !== null && 'headers' in req ? req.headers : undefined
  if (typeof headers === 'object' && headers !== null) return
  throw new TypeError(`${call} has no request. Give a request, or an object with its \`headers\`.`)
}

/**
 * The headers of a request by name, without regard to case. They are not copied into `Headers`, which puts a value that it
 * refuses into the text of its error: that value may be a cookie.
 */
export function headersOf({ headers }: RequestWithHeaders): Pick<Headers, 'get'> {
  if (isHeaders(headers)) return headers
  return {
    get(name) {
      const values = Object.keys(headers)
        .filter((each) => each.toLowerCase() === name)
        .flatMap((each) => headers[each] ?? [])
        .filter((value) => typeof value === 'string')
      // RFC 6265 §5.4 and RFC 9113 §8.2.3 for cookies, RFC 9110 §5.3 for other fields.
      return values.length === 0 ? null : values.join(name === 'cookie' ? '; ' : ', ')
    },
  }
}

/** `Headers` of Node, or of a framework with an implementation of its own. A record may have a header named `get`. */
const isHeaders = (headers: RequestWithHeaders['headers']): headers is Headers => typeof headers['get'] === 'function'
