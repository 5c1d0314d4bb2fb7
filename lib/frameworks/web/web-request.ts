import { isServedPath } from '../../engine/action-names.js'
import { type BodyFields, checkFields } from '../../kernel/body.js'
import { RequestRefused } from '../../kernel/errors.js'
import { type Incoming, readTarget } from '../../kernel/incoming.js'
import { isFirstTime } from '../../kernel/logger.js'
import { noOrigin, publicOrigin } from '../../kernel/origin.js'
import { pathReadings } from '../../kernel/path-readings.js'
import type { RequestContext } from '../../kernel/request-context.js'
import { parseCookies } from '../../kernel/request-cookies.js'
import { lastEntry } from '../../kernel/urls.js'
import type { Config } from '../../sign-in/config.js'

/**
 * A request as a framework hands it to its routes: a web `Request`, or as much of one as the framework gives. Functions
 * of Next.js, for instance, see headers and cookies and no request.
 */
export interface WebRequest {
  readonly headers: Headers
  /**
   * Absent where the framework does not say it. Then what changes something needs the header `Origin`, and a guard takes it
   * for `GET`.
   */
  readonly method?: string
  /** An absolute URL. Its path and query are read; its origin is not believed, since frameworks invent one. */
  readonly url?: string
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal
}

/** What is needed of a web request to know its origin and its cookies. */
interface WebRequestHead extends Pick<WebRequest, 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get'>
}

/** What an integration knows of a request beside the request itself. */
export interface WebRequestFacts {
  /**
   * The cookies as they are now, as text of a `Cookie` header; by default those of the request. An integration that has
   * set a cookie during the request gives them with it, so that a session that has just begun is found.
   */
  readonly cookies?: string
  /** The protocol of the visitor's connection, where the framework knows it; by default that of `url`, else `http`. */
  readonly protocol?: 'http' | 'https'
  /** The host that the visitor asked for, where the framework knows it; by default the `Host` header. */
  readonly host?: string
  /**
   * A second path by which the framework finds the code that it runs for the request. The `authorized` callback is asked
   * about it too.
   */
  readonly routedAs?: string
  /**
   * Turns the request that the `authorized` callback is asked about into one of the class that applications of the
   * framework expect.
   */
  readonly toRequest?: (request: Request) => Request
  /**
   * Gives the IP address of the client, where the framework knows it, for the list of sessions. It is called only when a
   * session begins, or to note that it is in use. What it throws counts as an address that is not known. Do not read
   * `X-Forwarded-For` for it, unless a proxy of yours has written the part that you take.
   */
  readonly clientAddress?: (() => string | undefined) | undefined
}

/** The part of a `Request` that is needed when it says nothing about its target. */
const NO_URL = 'http://localhost/'

/**
 * The public origin of a web request: the configured URL; else the forwarded headers or the host, where the configuration
 * trusts what a request says (`trustHost`, `hosts`). Each proxy appends to the forwarded headers, so the last entry is
 * that of the nearest one.
 *
 * @returns null when nothing may be believed
 */
export function webOrigin(request: WebRequestHead, facts: WebRequestFacts, config: Config): string | null {
  const { headers } = request
  const url = new URL(request.url ?? NO_URL)
  const forwarded = lastEntry(headers.get('x-forwarded-proto'))?.toLowerCase()
  const direct = facts.protocol ?? (url.protocol === 'https:' ? 'https' : 'http')
  const asked = facts.host ?? headers.get('host') ?? undefined
  const host = lastEntry(headers.get('x-forwarded-host')) ?? asked
  if (host?.toLowerCase() !== asked?.toLowerCase()) warnAboutForwardedHost(request, config)
  const protocol = forwarded === 'https' || forwarded === 'http' ? forwarded : direct
  return publicOrigin({ protocol, host, proxyTrusted: false }, config.origin)
}

/**
 * A proxy that changes `Host` looks like a client that chooses the origin of the application, so nothing can be refused
 * here. A web framework does not say which peers are proxies, as Express does with `trust proxy`.
 */
function warnAboutForwardedHost(request: WebRequestHead, config: Config): void {
  const { url, hosts, trustHost } = config.origin
  if (url !== null || hosts !== null || !trustHost || !isFirstTime(config, 'forwarded-host-trusted')) return
  const fix =
    'Set AUTH_URL to the public URL, or name the public hosts with `hosts`. Otherwise see to it that your proxy overwrites X-Forwarded-Host.'
  config.logger.warn('forwarded-host-trusted', { fix }, request)
}

/**
 * What the reader of a session needs of a web request.
 *
 * @throws {AuthError} when the public origin is not known: the names of cookies depend on it
 */
export function webContext(request: WebRequestHead, facts: WebRequestFacts, config: Config): RequestContext {
  const origin = webOrigin(request, facts, config)
  if (origin === null) throw noOrigin(config.origin)
  const { clientAddress } = facts
  return {
    origin,
    cookies: cookiesOf(request, facts),
    client: request.signal,
    source: request,
    header: headerOf(request),
    clientAddress,
  }
}

/** Path and query that were asked for: `/notes?page=2`. */
export function webTargetOf({ url = NO_URL }: WebRequest): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/**
 * The request that a form of the mount would send, made by code of the application in the place of its own request.
 *
 * @param target path and query of the form's address
 * @param fields what the form would hold
 */
export function formRequest(request: WebRequest, facts: WebRequestFacts, target: string, fields: BodyFields): Incoming {
  return {
    method: 'POST',
    ...readTarget(target),
    cookies: cookiesOf(request, facts),
    client: request.signal ?? NEVER_ABORTED,
    source: request,
    header: headerOf(request),
    clientAddress: facts.clientAddress,
    headers: () => new Headers(request.headers),
    fields: async () => checkFields(fields, 'json'),
  }
}

const NEVER_ABORTED = new AbortController().signal

const cookiesOf = ({ headers }: WebRequestHead, { cookies = headers.get('cookie') ?? undefined }: WebRequestFacts) =>
  parseCookies(cookies)

const headerOf =
  ({ headers }: WebRequestHead) =>
  (name: string) =>
    headers.get(name) ?? undefined

/**
 * Whether a path below the mount is one that Latchkey serves, in each way in which it may be read. The application may have
 * routes of its own beside them, and `/auth/signin/..%2f..%2fadmin` leads out of the mount where something decodes it.
 */
export function isServedAt(path: string, mount: string): boolean {
  if (!path.startsWith(`${mount}/`)) return false
  try {
    return pathReadings(path.slice(mount.length), { foldsCase: false }).every(isServedPath)
  } catch (error) {
    if (error instanceof RequestRefused) return false
    throw error
  }
}
