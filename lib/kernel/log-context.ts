import type { IncomingMessage } from 'node:http'
import { isPromise } from './describe-value.js'
import { addressOf, networkOf } from './network.js'
import { printable } from './printable.js'

/** What a log line says about its request. No member is secret or identifies a person. */
export interface LogContext {
  /** Method of the request, in capitals; absent, like `path`, for an event outside of a request. */
  readonly method?: string
  /** Path of the request, without its query. Segments that may be secret or identify a person are `*`. */
  readonly path?: string
  /** The action of Latchkey that the request named, such as `callback`; absent for a route of the application. */
  readonly action?: string
  /** Id of the provider, if the request names a provider. */
  readonly provider?: string
  /** As `logging.requestId` gives it. */
  readonly requestId?: string
  /** Where the request came from, with `logging.network`: `203.0.113.0/24`, `2001:db8:7::/48`. */
  readonly network?: string
  /** How often the event happened since its last log line; absent for the first line. */
  readonly repeated?: number
}

/** Reads something of a request: that of Express or Connect, or the web `Request` that `Auth` was given. */
// A method's type, since an application names the request that it has: `(req: express.Request) => …`.
type RequestReader = { of(request: IncomingMessage | Request): unknown }['of']

/** What log lines say about requests, and how often repeated faults are logged. */
export interface LoggingOptions {
  /**
   * The id that a request has in the application's own log: the name of a header, or a function such as
   * `(req) => req.id` that returns a string or a number. Absent by default. Use a header that your proxy sets, since
   * visitors can send any header.
   */
  requestId?: string | RequestReader
  /**
   * Whether lines contain the network of the client, /24 of IPv4 and /48 of IPv6; false by default. A function returns
   * the address, for an application in which `req.ip` of Express is not the client.
   */
  network?: boolean | RequestReader
  /** Seconds during which repeated faults are counted and not logged; 30 by default; 0 logs every fault. */
  repeatInterval?: number
}

/** What Node and web requests have in common, and what Express adds. */
interface AnyRequest {
  readonly method?: string
  readonly url?: string
  readonly originalUrl?: string
  readonly ip?: string
  readonly socket?: { readonly remoteAddress?: string }
  readonly headers?: Headers | Readonly<Record<string, string | string[] | undefined>>
}

/** The action and the provider that a request names. */
interface Subject {
  readonly action?: string
  readonly provider?: string
}

/** The request that a log line is about, as it came: that of Node, or a web `Request`. It is read only for a line. */
export type LogSource = object

const subjects = new WeakMap<LogSource, Subject>()

/** Records the action and the provider of a request. */
export function noteSubject(source: LogSource | undefined, action: string | null, provider: string | undefined): void {
  if (source) subjects.set(source, { ...(action !== null && { action }), ...(provider !== undefined && { provider }) })
}

/** What log lines say about a request. */
export function contextOf(request: LogSource & AnyRequest, { requestId, network }: LoggingOptions): LogContext {
  const id = idOf(request, requestId)
  const prefix = networkOf(read(network === true ? addressOf : network, request))
  const method = read(methodOf, request)
  const target = read(targetOf, request)
  return {
    method: typeof method === 'string' && /^[A-Z-]{1,20}$/.test(method) ? method : '?',
    path: typeof target === 'string' ? shownPath(target) : '?',
    ...subjects.get(request),
    ...(id !== null && { requestId: id }),
    ...(prefix !== null && { network: prefix }),
  }
}

const MAX_ID = 100
const MAX_PATH = 200

/**
 * Reads a request while a failure is being logged, and never throws. The reader may run code of the application:
 * `req.ip` calls its `trust proxy` function.
 */
function read(reader: unknown, request: AnyRequest): unknown {
  if (typeof reader !== 'function') return undefined
  try {
    const answer = reader(request)
    // A promise does not count as a value, and its rejection must not end the process.
    if (isPromise(answer)) Promise.resolve(answer).catch(() => undefined)
    return answer
  } catch {
    return undefined
  }
}

const methodOf = ({ method }: AnyRequest) => method
const targetOf = ({ originalUrl, url }: AnyRequest) => originalUrl ?? url ?? '/'

const headerCalled =
  (name: string) =>
  ({ headers }: AnyRequest): unknown => {
    if (headers instanceof Headers) return headers.get(name)
    const value = headers?.[name.toLowerCase()]
    return Array.isArray(value) ? value[0] : value
  }

/** The id of a request; `*` if it contains a secret of the request, as when a function returns the cookie header. */
function idOf(request: AnyRequest, requestId: LoggingOptions['requestId']): string | null {
  const value = read(typeof requestId === 'string' ? headerCalled(requestId) : requestId, request)
  return typeof value === 'string' && isSecretOf(request, value) ? '*' : wordOf(value)
}

/** Headers with credentials: a reader of the log could sign in with them. */
const SECRET_HEADERS = ['cookie', 'authorization', 'proxy-authorization']
/** Characters of the shortest value that counts as a secret: a short cookie value would be found in every id. */
const SHORTEST_SECRET = 16

function isSecretOf(request: AnyRequest, id: string): boolean {
  if (id.length < SHORTEST_SECRET) return false
  return SECRET_HEADERS.some((name) => {
    const header = read(headerCalled(name), request)
    if (typeof header !== 'string') return false
    const values = header.split(/[\s;,="]+/).filter(({ length }) => length >= SHORTEST_SECRET)
    return header.includes(id) || values.some((value) => id.includes(value))
  })
}

/** A value as one word: with spaces a visitor could add members to a line. */
function wordOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = printable(String(value).slice(0, MAX_ID)).replace(/[^\x21-\x7e]/g, '?')
  return text === '' ? null : text
}

/**
 * The path of a request target, without segments that may be secret or identify a person. Paths of Latchkey have no
 * such segments; paths of an application may, such as `/invite/{token}`.
 */
function shownPath(target: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/'
  // Cut after the replacement: the beginning of a secret could look like a word.
  return path
    .split('/')
    .map((part) => (isPlain(part) ? part : '*'))
    .join('/')
    .slice(0, MAX_PATH)
}

/** Short words of a route. Tokens are longer, codes are digits, addresses have an `@` or are encoded. */
const isPlain = (part: string) => /^[\w.~-]{0,20}$/.test(part) && part.replace(/\D/g, '').length < 4
