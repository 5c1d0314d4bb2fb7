import type { ConfigSource } from '../config/options.js'
import type { Engine } from '../engine/engine.js'
import { engineOf, type MiddlewareRequest } from '../frameworks/express/middleware.js'
import { requireOrigin } from '../frameworks/express/public-origin.js'
import { webContext } from '../frameworks/web/web-request.js'
import { type JWT, ownClaims } from '../kernel/claims.js'
import { cookieSpec } from '../kernel/cookies.js'
import { InvalidConfiguration } from '../kernel/errors.js'
import { OpenConnectionContext, type RequestContext } from '../kernel/request-context.js'
import { parseCookies } from '../kernel/request-cookies.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { readSessionCookie } from '../sessions/session-cookie.js'
import type { CustomCodecFunctions } from '../sessions/token-writer.js'
import { COOKIES } from '../sign-in/cookies.js'
import { readToken, requireSalt, requireSecrets, type Secrets } from './codec.js'

export type { DefaultJWT, JWT } from '../kernel/claims.js'
export type { JWTDecodeParams, JWTEncodeParams } from '../sessions/session-jwt.js'
export { type DecodeParams, decode, type EncodeParams, encode } from './codec.js'

/** What {@link getToken} is called with if there is no configuration. */
export interface GetTokenParams<Raw extends boolean = false> {
  /** The request. Only its cookies are read. */
  req: RequestWithHeaders
  /** The secret of the application. Of a list, any secret may have made the token. */
  secret?: Secrets | undefined
  /** Whether the name of the cookie begins with `__Secure-`, as it does with https; `false` by default. */
  secureCookie?: boolean | undefined
  /** Name of the session cookie; that of Auth.js by default. */
  cookieName?: string | undefined
  /** Name of the cookie for which the token was made; `cookieName` by default. */
  salt?: string | undefined
  /** Gives the token itself, and not its claims. The token is checked all the same. */
  raw?: Raw | undefined
  /** `jwt.decode` of the application, if it has one. */
  decode?: CustomCodecFunctions['decode'] | undefined
  /** Not used; `getToken` of Auth.js has it. */
  logger?: object | undefined
}

/** What `getToken` gives: the claims, or the token itself; null if nobody is signed in. */
type Result<Raw extends boolean> = Raw extends true ? string | null : JWT | null

/**
 * The claims of the session token of a request. Null if there is no token, or if it is not valid.
 *
 * With a configuration, the session is read as by `getSession`: what `getSession` refuses, `getToken` refuses. The result
 * has the claims that the `jwt` callback gives. Each call reads the session again, so a long-lived connection can ask
 * whether its session still counts.
 *
 * Without a configuration, the token is checked by its secret, its cookie and its expiry, and by the list of sign-outs of
 * this process. Options such as `session.maxLifetime`, `instance` and the callbacks are unknown then, and so is whether
 * somebody has confirmed the address of the user since the sign-in: `getSession` refuses a token that began before that.
 *
 * The token is in the cookie. A token in the header `Authorization` is read only with a configuration that has
 * `bearer: true`, and not if it has a scope. The claim `latchkey` is not in the result.
 *
 * @throws {AuthError} if there is no usable secret or configuration, if sessions are not in tokens, or if a callback fails:
 *   a fault never means that nobody is signed in
 */
export function getToken<Req extends RequestWithHeaders>(req: Req, config: ConfigSource<Req>): Promise<JWT | null>
export function getToken<Raw extends boolean = false>(params: GetTokenParams<Raw>): Promise<Result<Raw>>
export async function getToken(
  // A missing configuration is a mistake and must not turn a request into parameters, so the arguments are counted.
  ...args: [GetTokenParams<boolean>] | [RequestWithHeaders, ConfigSource<RequestWithHeaders>]
): Promise<JWT | string | null> {
  return args.length === 1 ? tokenOfCookie(args[0]) : claimsOfSession(...args)
}

async function tokenOfCookie(params: GetTokenParams<boolean>): Promise<JWT | string | null> {
  requireHeaders(params?.req, 'getToken({ req })')
  const { req, secret, secureCookie = false, cookieName, raw = false, decode } = params
  const secrets = requireSecrets(secret, 'getToken({ secret })')
  const spec = cookieSpec(COOKIES.sessionToken, secureCookie, cookieName === undefined ? {} : { name: cookieName })
  const salt = requireSalt(params.salt ?? spec.name, 'getToken({ salt })')
  const token = readSessionCookie(parseCookies(headersOf(req).get('cookie') ?? undefined), spec)
  if (!token) return null
  const given = typeof secret === 'string' ? secret : [...secrets]
  const found = await readToken({ token, secrets, secret: given, salt, decode })
  if (found === null) return null
  return raw ? token : found.claims
}

/**
 * The claims of the session of a request. The session is read as by `getSession`, but a second call reads it again: the
 * request of a socket lives as long as the socket, and the session may end before that.
 */
async function claimsOfSession<Req extends RequestWithHeaders>(
  req: Req,
  config: ConfigSource<Req>,
): Promise<JWT | null> {
  const call = 'getToken(req, config)'
  requireHeaders(req, call)
  const engine = await engineOf(req, config, call)
  const request = contextOf(req, engine)
  if (engine.config.schemeFor(request.origin).sessions.name !== 'jwt') throw new InvalidConfiguration(NO_TOKENS)
  const { session, claims: shared } = await engine.readSession(request)
  if (session === null || shared === undefined) return null
  // The `jwt` callback may give a claim with this name, which is not that of Latchkey.
  const { latchkey: _, ...claims } = ownClaims(shared)
  return claims
}

const NO_TOKENS =
  'getToken(req, config) reads session tokens, but this configuration keeps sessions in a store, so there are no tokens. ' +
  "Call getSession(req, config), or set session.strategy to 'jwt'."

/**
 * A request of Node has a socket. Every other request is known by its headers alone. It may be an old request: that of a
 * socket, for example.
 */
function contextOf(
  req: RequestWithHeaders & { readonly url?: unknown; readonly signal?: unknown },
  engine: Engine,
): RequestContext {
  const { config } = engine
  if (isNodeRequest(req)) return new OpenConnectionContext(req, requireOrigin(req, config))
  const { url, signal } = req
  const head = {
    headers: headersOf(req),
    ...(typeof url === 'string' && isAbsoluteUrl(url) && { url }),
    ...(signal instanceof AbortSignal && { signal }),
  }
  return { ...webContext(head, {}, config), isOpenConnection: true, source: req }
}

const isNodeRequest = (req: object): req is MiddlewareRequest =>
  'socket' in req && typeof req.socket === 'object' && req.socket !== null

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
function requireHeaders(req: unknown, call: string): void {
  const headers: unknown = typeof req === 'object' && req !== null && 'headers' in req ? req.headers : undefined
  if (typeof headers === 'object' && headers !== null) return
  throw new TypeError(`${call} has no request. Give a request, or an object with its \`headers\`.`)
}

/**
 * The headers of a request by name, without regard to case. They are not copied into `Headers`, which puts a value that it
 * refuses into the text of its error: that value may be a cookie.
 */
function headersOf({ headers }: RequestWithHeaders): Pick<Headers, 'get'> {
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
