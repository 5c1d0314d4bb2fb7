import type { AccessTokenResult } from '../account-tokens/access-token.js'
import type { ConfigSource } from '../config/options.js'
import { type AccessTokenOptions, getOwnAccessToken } from '../web/own-access-token.js'
import type { MiddlewareRequest } from './middleware.js'
import { ownRequestOf } from './request-session.js'

const CALL = 'getAccessToken(req, config, provider, options)'

/**
 * An access token of the signed-in user for the API of a provider. If it expires soon, it is refreshed first: once, for all
 * requests and all processes. Nothing of it reaches the browser.
 *
 * @param provider id of the provider: `google`
 * @returns null when nobody is signed in, or the request comes with a bearer token that is restricted to a scope,
 *   and no guard before has asked for this scope. Otherwise `status` says what came of it: `ok` with the token; `reauthorize` with the `url` to which the user is sent;
 *   `unavailable` if the provider or the store cannot answer, which is in the log
 * @throws {RequestRefused} 404 when there is no such provider of OAuth or OpenID Connect
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 * @throws {MissingAdapter} when there is no store; {@link MissingAdapterMethods} when the store cannot refresh tokens
 * @throws {AuthError} when the configuration cannot work or the session cannot be read
 * @see RFC 6749 §6
 */
export async function getAccessToken(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  provider: string,
  options: AccessTokenOptions = {},
): Promise<AccessTokenResult | null> {
  const request = await ownRequestOf(req, config, CALL)
  return getOwnAccessToken(request, provider, options, CALL)
}
