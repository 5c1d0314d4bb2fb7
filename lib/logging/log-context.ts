import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { networkOf } from './network.js'
import { printable } from './printable.js'

/** What was going on when something was logged. Nothing in it is secret, or names a person. */
export interface LogContext {
  /** Method of the request, in capitals; absent, as `path` is, for what happened outside of a request. */
  readonly method?: string
  /** Path of the request, without its query. Parts that may be secrets, or name somebody, are `*`. */
  readonly path?: string
  /** What the request asked Latchkey for, such as `callback`; absent where it was for a route of the application. */
  readonly action?: string
  /** Id of the provider, where the request is about one. */
  readonly provider?: string
  /** As `logging.requestId` gives it. */
  readonly requestId?: string
  /** Where the request came from, with `logging.network`: `203.0.113.0/24`, `2001:db8:7::/48`. */
  readonly network?: string
  /** How often it happened since it was logged before, for what happens again and again; absent the first time. */
  readonly repeated?: number
}

/** Reads something of a request: that of Express or Connect, or the web `Request` that `Auth` was given. */
// A method's type, since an application names the request that it has: `(req: express.Request) => …`.
export type RequestReader = { of(request: IncomingMessage | Request): unknown }['of']

/** What the log tells of requests, and how often. */
export interface LoggingOptions {
  /**
   * The id that a request has in the application's own log: the name of a header, or a function such as `(req) => req.id`, which gives a text or a
   * number. By default there is none. A header should be one that the proxy in front sets, since visitors can write what they want.
   */
  requestId?: string | RequestReader
  /**
   * Whether the network is logged that a request came from, /24 of IPv4 and /48 of IPv6; not by default. A function gives the address, where `req.ip` of
   * Express does not know it.
   */
  network?: boolean | RequestReader
  /** Seconds in which a fault that happens again is counted, and not logged again; 30 by default; 0 logs each. */
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

/** What a request turned out to be about. */
interface Subject {
  readonly action?: string
  readonly provider?: string
}

// Log lines come from parts that are made once for a configuration and know nothing of requests: docs/decisions/0035.
const current = new AsyncLocalStorage<object>()
const subjects = new WeakMap<object, Subject>()

/** Does work on behalf of a request, so that whatever is logged meanwhile says which. Nothing is read of it before that. */
export const onBehalfOf = <T>(request: object, work: () => T): T => current.run(request, work)

/**
 * Does work that several requests wait for, or none, so that what is logged meanwhile does not name the one that
 * happened to begin it.
 */
export const onBehalfOfNobody = <T>(work: () => T): T => current.run(undefined as never, work)

/** Notes what the request is about that is being worked on. */
export function noteSubject(action: string | null, provider: string | undefined): void {
  const request = current.getStore()
  if (request)
    subjects.set(request, { ...(action !== null && { action }), ...(provider !== undefined && { provider }) })
}

/** What is known of the request that is being worked on; undefined outside of one. */
export function currentContext({ requestId, network }: LoggingOptions): LogContext | undefined {
  const request = current.getStore() as AnyRequest | undefined
  if (!request) return undefined
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
 * Requests are read in the middle of a failure, which must not become another one. The functions may be the application's, and so may be what they call:
 * `req.ip` asks the application's `trust proxy`.
 */
function read(reader: unknown, request: AnyRequest): unknown {
  if (typeof reader !== 'function') return undefined
  try {
    const answer = reader(request)
    // One that comes later is none, and its failure must not end the process.
    if (answer instanceof Promise) answer.catch(() => undefined)
    return answer
  } catch {
    return undefined
  }
}

const methodOf = ({ method }: AnyRequest) => method
const targetOf = ({ originalUrl, url }: AnyRequest) => originalUrl ?? url ?? '/'
const addressOf = ({ ip, socket }: AnyRequest) => ip ?? socket?.remoteAddress

const headerCalled =
  (name: string) =>
  ({ headers }: AnyRequest): unknown => {
    if (headers instanceof Headers) return headers.get(name)
    const value = headers?.[name.toLowerCase()]
    return Array.isArray(value) ? value[0] : value
  }

/** The id of a request; `*` where it would tell a secret that came with the request, as a function does that returns the cookie header. */
function idOf(request: AnyRequest, requestId: LoggingOptions['requestId']): string | null {
  const value = read(typeof requestId === 'string' ? headerCalled(requestId) : requestId, request)
  return typeof value === 'string' && isSecretOf(request, value) ? '*' : wordOf(value)
}

/** Headers that let whoever has them come in as somebody else. */
const SECRET_HEADERS = ['cookie', 'authorization', 'proxy-authorization']
/** What is shorter is no secret. Visitors write cookies, and a short one would be found in every id. */
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

/** One word: blanks would let a visitor add members of their own to a line. */
function wordOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = printable(String(value).slice(0, MAX_ID)).replace(/[^\x21-\x7e]/g, '?')
  return text === '' ? null : text
}

/**
 * The path of a target, without what may be secret or name somebody. Latchkey's own paths hold no such thing; those of an application may, such as
 * `/invite/{token}`.
 */
function shownPath(target: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/'
  // Cut at the end: the beginning of a secret could pass for a word.
  return path
    .split('/')
    .map((part) => (isPlain(part) ? part : '*'))
    .join('/')
    .slice(0, MAX_PATH)
}

/** Short words of a route. Tokens are longer, codes are digits, addresses have an `@` or are encoded. */
const isPlain = (part: string) => /^[\w.~-]{0,20}$/.test(part) && part.replace(/\D/g, '').length < 4
