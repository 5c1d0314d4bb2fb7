import type { IncomingMessage } from 'node:http'
import {
  BODY_LIMIT_BYTES,
  type BodyFields,
  bodyKind,
  decodeBody,
  hasRepeatedNames,
  NO_FIELDS,
  parseBody,
  refuseCompressed,
  tooLarge,
  wellFormedPairs,
} from './body.js'
import { RequestRefused } from './errors.js'
import type { LogSource } from './logger.js'
import { parseCookies, type RequestCookies } from './request-cookies.js'

/**
 * A request as the engine reads it: what web and Node requests have in common. A web `Request` is made of it only for a
 * callback of the application that gets one.
 */
export interface Incoming {
  /** In capitals. */
  readonly method: string
  /** Path and query as they came, undecoded: `/auth/signin?x=1`. */
  readonly target: string
  /** The target without its query. */
  readonly path: string
  readonly query: Query
  readonly cookies: RequestCookies
  /** The client that waits for the answer. */
  readonly client: Client
  /** As in `RequestContext`. */
  readonly source?: LogSource | undefined
  /** A header's value, or undefined; `name` in lower case. */
  header(name: string): string | undefined
  /** As in `RequestContext`. */
  readonly clientAddress?: (() => unknown) | undefined
  /** All headers; several values of one name are joined. */
  headers(): Headers
  /**
   * The fields of the body, which is read once, at the first call.
   *
   * @throws {RequestRefused} when it is malformed, too large or of a wrong type
   */
  fields(): Promise<BodyFields>
}

/** The query of a request. */
export interface Query {
  /**
   * Every pair is well formed, and names may be repeated. Pairs of others that are badly encoded are left out. Empty if `problem`
   * says why the query cannot be read.
   */
  readonly parameters: URLSearchParams
  /** Whether a parameter that is read is there twice. */
  readonly hasRepeatedNames: boolean
  /** Why the query cannot be read; null if it can. */
  readonly problem: Error | null
}

/** A web `Request` as the engine reads it. */
export function incomingFromRequest(request: Request): Incoming {
  const url = new URL(request.url)
  return {
    method: request.method.toUpperCase(),
    ...readTarget(url.pathname + url.search),
    cookies: parseCookies(request.headers.get('cookie') ?? undefined),
    client: request.signal,
    source: request,
    header: (name) => request.headers.get(name) ?? undefined,
    headers: () => new Headers(request.headers),
    fields: once(async () => {
      if (!request.body) return NO_FIELDS
      refuseCompressed(request.headers.get('content-encoding') ?? undefined)
      const text = await readText(request.body)
      return parseBody(text, bodyKind(request.headers.get('content-type') ?? undefined, text === ''))
    }),
  }
}

/** Path and query of a target. It never throws, because a malformed request gets an answer, too. */
export function readTarget(target: string): Pick<Incoming, 'target' | 'path' | 'query'> {
  const at = target.indexOf('?')
  if (at < 0) return { target, path: target, query: readQuery('') }
  return { target, path: target.slice(0, at), query: readQuery(target.slice(at + 1)) }
}

/**
 * The request that a form would send, in the place of another request of the same visitor.
 *
 * @param target path and query of the form's address
 * @param fields what the form would hold
 */
export const formInPlaceOf = (incoming: Incoming, target: string, fields: BodyFields): Incoming => ({
  ...incoming,
  method: 'POST',
  ...readTarget(target),
  fields: async () => fields,
})

/**
 * Every name that the mount reads of a query; of a name that is missing here, nobody checks repetition and encoding. Whoever
 * links to a page, and a provider, may add others, such as those of a campaign, more than once and in any encoding: they are
 * ignored (RFC 6749 §4.1.2).
 */
export const OURS: ReadonlySet<string> = new Set([
  'acr_values',
  'action',
  'begin',
  'callbackUrl',
  'code',
  'correct',
  'csrfToken',
  'demanded',
  'done',
  'email',
  'endSession',
  'error',
  'form',
  'id_token',
  'invited',
  'iss',
  'lang',
  'logout_token',
  'mediation',
  'new',
  'of',
  'otherwise',
  'recovery',
  'remember',
  'request',
  'response',
  'scope',
  'sid',
  'state',
  'token',
])

function readQuery(text: string): Query {
  if (text === '') return { parameters: new URLSearchParams(), hasRepeatedNames: false, problem: null }
  try {
    const parameters = wellFormedPairs(text, OURS)
    return { parameters, hasRepeatedNames: hasRepeatedNames(parameters, OURS), problem: null }
  } catch (error) {
    return { parameters: new URLSearchParams(), hasRepeatedNames: false, problem: error as Error }
  }
}

/** Gives a function that does the work at its first call only: a stream can be read only once. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/**
 * The request as a web `Request`, for an application's callback: with the same URL, method and headers. The body has
 * the fields as JSON, with the `Content-Type` of JSON, or there is no body.
 *
 * @param origin the public origin
 * @throws {RequestRefused} 405 for a method that no `Request` can have
 */
export function requestForCallback(
  incoming: Pick<Incoming, 'method' | 'target' | 'headers'>,
  origin: string,
  fields?: BodyFields,
): Request {
  const headers = incoming.headers()
  const url = origin + incoming.target
  headers.delete('content-length')
  headers.delete('transfer-encoding')
  if (!fields) {
    if (FORBIDDEN_METHODS.has(incoming.method)) throw new RequestRefused(405, 'That method is not for this path.')
    return new Request(url, { method: incoming.method, headers })
  }
  headers.set('content-type', 'application/json')
  return new Request(url, { method: incoming.method, headers, body: JSON.stringify(fields) })
}

/** Fetch §2.2.1. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK'])

async function readText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    // Whoever leaves the loop cancels the stream.
    if (size > BODY_LIMIT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return decodeBody(Buffer.concat(chunks))
}

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
