import { maxHeaderSize } from 'node:http'
import { isIP } from 'node:net'
import { type CookieAttributes, type CookieChange, type CookieSpec, clearCookie, setCookie } from '../kernel/cookies.js'
import { JWTSessionError } from '../kernel/errors.js'
import type { Client } from '../kernel/incoming.js'
import type { LogSource } from '../kernel/logger.js'
import { withoutUndefined } from '../kernel/objects.js'
import type { RequestContext } from '../kernel/request-context.js'
import { mayHaveSuffixes, type RequestCookies, suffixesOf, valuesOf } from '../kernel/request-cookies.js'
import { suffixed } from '../kernel/suffixed-cookies.js'

/**
 * Characters in one piece: the 4096 bytes that every browser keeps (RFC 6265 §6.1), without room for name and
 * attributes.
 */
const PIECE_LENGTH = 3936

/**
 * Node refuses a request with larger headers, and the visitor would be locked out. 3072 bytes stay for the other
 * headers.
 */
const MAX_VALUE_LENGTH = maxHeaderSize - 3072
/** No value that we write has more. A sibling host may plant as many as a header holds, and they must not cost us more. */
const MAX_PIECES = Math.ceil(MAX_VALUE_LENGTH / PIECE_LENGTH)

/** The session cookie's value, joined from its pieces; undefined when there is none. */
export function readSessionCookie(cookies: RequestCookies, spec: CookieSpec): string | undefined {
  const { name } = spec
  const whole = cookies.get(name)
  if (whole) return whole
  const pieces = pieceNumbers(cookies, spec).map((number) => cookies.get(`${name}.${number}`) ?? '')
  const [first] = pieces
  if (first === undefined) return undefined
  // Only the last piece may be shorter. So pieces after a shorter one belong to a longer value that was set before.
  const last = pieces.findIndex((piece) => piece.length !== first.length)
  return pieces.slice(0, last < 0 ? undefined : last + 1).join('')
}

/** Of more session cookies in one request, the others do not count. Somebody honest has two at most. */
export const MAX_SESSION_COOKIES = 16

/**
 * Every value that the session cookie of a request may have, the one that {@link readSessionCookie} gives first. There are several
 * if a sibling host has planted another cookie of the name, or an earlier configuration has set one with another domain.
 *
 * @returns one more than {@link MAX_SESSION_COOKIES} at most
 */
function sessionCookieValues(cookies: RequestCookies, spec: CookieSpec): readonly string[] {
  const first = readSessionCookie(cookies, spec)
  if (first === undefined) return []
  const all = new Set([first, ...valuesOf(cookies, spec.name), ...joinedValues(cookies, spec)])
  all.delete('')
  return [...all].slice(0, MAX_SESSION_COOKIES + 1)
}

/** The values that the pieces may have together. Of each there may be several, and those after a shorter one belong to another value. */
function joinedValues(cookies: RequestCookies, spec: CookieSpec): readonly string[] {
  const whole: string[] = []
  let open = [{ text: '', length: 0 }]
  for (const number of pieceNumbers(cookies, spec).slice(0, MAX_PIECES)) {
    const values = valuesOf(cookies, `${spec.name}.${number}`)
    const longer = open.flatMap(({ text, length }) =>
      values.map((value) => ({ text: text + value, length: length || value.length, isLast: length > value.length })),
    )
    whole.push(...longer.filter(({ isLast }) => isLast).map(({ text }) => text))
    open = longer.filter(({ isLast }) => !isLast).slice(0, MAX_SESSION_COOKIES + 1)
  }
  return [...whole, ...open.map(({ text }) => text)]
}

/** Anybody can name a host of many labels. */
const MAX_DOMAINS = 5

/**
 * Deletes the session cookies of a request that have another domain than the configured one. A browser sends them beside the
 * configured cookie, and perhaps before it, so that they would count in its place.
 */
export function clearTwins({ cookies, origin }: RequestContext, spec: CookieSpec): readonly CookieChange[] {
  const numbers = pieceNumbers(cookies, spec).slice(0, MAX_PIECES)
  const pieces = numbers.map((number) => `${spec.name}.${number}`)
  const names = cookies.has(spec.name) ? [spec.name, ...pieces] : pieces
  if (names.length === 0 || spec.name.startsWith('__Host-')) return NONE
  const { hostname } = new URL(origin)
  const labels = isIP(hostname) > 0 || hostname.startsWith('[') ? [] : hostname.split('.')
  // For a public suffix, such as `co.uk`, browsers ignore it (RFC 6265 §5.3).
  const hosts = labels.map((_, index) => labels.slice(index).join('.')).slice(-1 - MAX_DOMAINS, -1)
  const domains = [undefined, ...hosts].filter((domain) => domain !== spec.attributes.domain?.replace(/^\./, ''))
  const twins = domains.map((domain) => withoutUndefined({ ...spec.attributes, domain }))
  return names.flatMap((name) => twins.map((attributes) => clearCookie({ name, attributes })))
}

/** @throws {JWTSessionError} when a token is so large that the server would refuse the next request */
export function requireRoomInCookie(value: string): void {
  if (value.length > MAX_VALUE_LENGTH) {
    throw new JWTSessionError(
      `The session token has ${value.length} characters and at most ${MAX_VALUE_LENGTH} fit into a request. ` +
        'Keep less in the token: the jwt callback decides what is in it.',
    )
  }
}

/** Sets the session cookie, in pieces if it is long, and deletes former pieces that are not set again. */
export function writeSessionCookie(
  cookies: RequestCookies,
  spec: CookieSpec,
  value: string,
  lifetime: Pick<CookieAttributes, 'expires'>,
): readonly CookieChange[] {
  const written =
    value.length <= PIECE_LENGTH
      ? [setCookie(spec, value, lifetime)]
      : Array.from({ length: Math.ceil(value.length / PIECE_LENGTH) }, (_, number) =>
          setCookie(
            suffixed(spec, String(number)),
            value.slice(number * PIECE_LENGTH, (number + 1) * PIECE_LENGTH),
            lifetime,
          ),
        )
  const names = new Set(written.map(({ name }) => name))
  return [...clearSessionCookie(cookies, spec).filter(({ name }) => !names.has(name)), ...written]
}

/** Deletes the session cookie and every piece of it that the request brought. */
export function clearSessionCookie(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[] {
  const whole = cookies.has(spec.name) ? [clearCookie(spec)] : []
  return [...whole, ...clearPieces(cookies, spec)]
}

/** Deletes the pieces of the session cookie that the request brought, and does not delete a whole cookie. */
function clearPieces(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[] {
  const numbers = pieceNumbers(cookies, spec)
  return numbers.length === 0 ? NONE : numbers.map((number) => clearCookie(suffixed(spec, number)))
}

/** Deletes the pieces that a request brought beside a whole session cookie: only the whole cookie is read. */
export function clearLeftoverPieces(cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[] {
  return mayHaveSuffixes(cookies, spec) && cookies.get(spec.name) ? clearPieces(cookies, spec) : NONE
}

const NONE: readonly CookieChange[] = []

/** Whether a cookie of this name is the session cookie or a piece of it. */
export const isSessionCookie = (name: string, spec: CookieSpec): boolean =>
  name === spec.name || (name.startsWith(`${spec.name}.`) && PIECE_NUMBER.test(name.slice(spec.name.length + 1)))

/** The numbers of the pieces, in order. Only `{name}.{number}` is a piece: `{name}-other` and `{name}.old` are not. */
function pieceNumbers(cookies: RequestCookies, spec: CookieSpec): readonly string[] {
  const numbers = suffixesOf(cookies, spec, PIECE_NUMBER)
  return numbers.length < 2 ? numbers : numbers.sort((left, right) => Number(left) - Number(right))
}

const PIECE_NUMBER = /^(?:0|[1-9]\d?)$/

const NO_COOKIES: RequestCookies = new Map()

/** A request as if it had brought one session cookie, and no other cookie. */
class OneSessionContext implements RequestContext {
  readonly cookies: RequestCookies
  readonly client: Client | undefined
  readonly origin: string
  readonly isOpenConnection: boolean | undefined
  readonly #request: RequestContext

  /** @param token null for none: then nobody is signed in */
  constructor(request: RequestContext, cookieName: string, token: string | null) {
    this.cookies = token === null ? NO_COOKIES : new Map([[cookieName, token]])
    this.client = request.client
    this.origin = request.origin
    this.isOpenConnection = request.isOpenConnection
    this.#request = request
  }

  header(name: string): string | undefined {
    return this.#request.header(name)
  }

  get source(): LogSource | undefined {
    return this.#request.source
  }

  clientAddress(): unknown {
    return this.#request.clientAddress?.()
  }
}

/**
 * A request that comes with a token in the header `Authorization`. The stores see the token in the place of the session
 * cookie, and no cookie that the request brought: the session of a browser is never mixed with that of a token. If the header is
 * malformed, there is no token. Nothing but its class tells it from the request of a browser.
 */
export class BearerContext extends OneSessionContext {}

/**
 * The request once for each session cookie that it brought, so that each is read: for itself the first counts.
 *
 * @returns the request itself first
 */
export function forEachSession(request: RequestContext, cookie: CookieSpec): readonly RequestContext[] {
  const [, ...others] = sessionCookieValues(request.cookies, cookie)
  return [request, ...others.map((token) => new OneSessionContext(request, cookie.name, token))]
}
