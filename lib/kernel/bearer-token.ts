/**
 * Whether a header has credentials of the scheme Bearer, also as one of several. Two `Authorization` headers arrive here
 * as one, with a comma between them.
 */
const NAMES_BEARER = /(?:^|,)[\t ]*bearer(?:[\t ,]|$)/i

/** The credentials of RFC 6750 §2.1: the scheme, blanks, and a token68 (RFC 9110 §11.2). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i

/** Whether the header `Authorization` can have a text as its token (RFC 9110 §11.2, token68). */
export const isBearerToken = (token: string): boolean => BEARER.test(`Bearer ${token}`)

/** No session has a longer token. */
const MAX_LENGTH = 64 * 1024

/**
 * The token of a request in its header `Authorization`. A token in the query or in the body is never read: both get into
 * logs and into the history of browsers (RFC 6750 §5.3).
 *
 * @param header a header's value, or undefined
 * @returns undefined if there are no such credentials, as with other schemes; null if they are malformed, too long, or more
 *   than one
 */
export function bearerTokenOf(header: (name: string) => string | undefined): string | null | undefined {
  const value = header('authorization')
  if (value === undefined || !NAMES_BEARER.test(value)) return undefined
  if (value.length > MAX_LENGTH) return null
  return BEARER.exec(value.trim())?.[1] ?? null
}

/**
 * The bearer token that a request is read with; undefined if it is read with its cookie. This is decided here, and nowhere
 * else: where tokens are accepted, a request with one is never read with its cookie, whatever the token is.
 *
 * @returns as {@link bearerTokenOf}
 */
export const bearerCredentialOf = (
  acceptsBearer: boolean,
  header: (name: string) => string | undefined,
): string | null | undefined => (acceptsBearer ? bearerTokenOf(header) : undefined)

/** A request, as far as its bearer token is concerned. */
interface BearerAware {
  readonly config: { readonly acceptsBearer: boolean }
  header(name: string): string | undefined
}

/**
 * Whether a request comes with a bearer token, good or bad, and the configuration accepts such tokens. Then its cookies do
 * not count. A browser never sends this header by itself, and no page of another origin can make it send the header: that
 * takes permission of this server (Fetch §3.2.2, CORS), which Latchkey never gives. So no CSRF token is needed.
 */
export const comesWithBearer = (request: BearerAware): boolean =>
  bearerCredentialOf(request.config.acceptsBearer, (name) => request.header(name)) !== undefined

/** RFC 6750 §3: a challenge has one parameter at least. */
export const CHALLENGE = 'Bearer realm="session"'

/**
 * Value of the header `WWW-Authenticate`, without an error code if the request has no token (RFC 6750 §3.1).
 *
 * @param error what is wrong with the token: a code, and parameters after it
 */
export const bearerChallenge = (request: BearerAware, error = 'error="invalid_token"'): string =>
  comesWithBearer(request) ? `${CHALLENGE}, ${error}` : CHALLENGE
