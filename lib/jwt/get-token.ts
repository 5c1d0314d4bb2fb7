import type { ConfigSource } from '../config/options.js'
import type { JWT } from '../crypto/claims.js'
import type { CustomCodecFunctions } from '../crypto/custom-codec.js'
import { cookieSpecs } from '../http/cookies.js'
import { parseCookies } from '../http/request-cookies.js'
import { readSessionCookie } from '../http/session-cookie.js'
import { claimsOfSession } from './claims-of-session.js'
import { requireSalt, requireSecrets, type Secrets } from './codec-arguments.js'
import { readToken } from './read-token.js'
import { headersOf, type RequestWithHeaders, requireHeaders } from './request-headers.js'

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
  const spec = cookieSpecs(
    secureCookie,
    cookieName === undefined ? {} : { sessionToken: { name: cookieName } },
  ).sessionToken
  const salt = requireSalt(params.salt ?? spec.name, 'getToken({ salt })')
  const token = readSessionCookie(parseCookies(headersOf(req).get('cookie') ?? undefined), spec)
  if (!token) return null
  const given = typeof secret === 'string' ? secret : [...secrets]
  const found = await readToken({ token, secrets, secret: given, salt, decode })
  if (found === null) return null
  return raw ? token : found.claims
}
