import type { AccessTokenResult } from '../account-tokens/access-token.js'
import type { AccountReference, LinkedAccount } from '../accounts/user-accounts.js'
import type { ConfigSource } from '../config/options.js'
import { checkSender } from '../context/csrf-token.js'
import { headerOf } from '../http/node-request.js'
import { type AccessTokenOptions, getOwnAccessToken } from '../web/own-access-token.js'
import { listOwnAccounts, type UnlinkOptions, unlinkOwnAccount } from '../web/own-accounts.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin, sentRequestOf } from './public-origin.js'
import { ownRequestOf, readSession } from './request-session.js'

/**
 * The accounts of the signed-in user at providers. Passkeys are in {@link listPasskeys}.
 *
 * @throws {RequestRefused} 401 when nobody is signed in
 * @throws {AuthError} when the configuration stores no accounts, or the store or the session fails
 */
export async function listAccounts(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
): Promise<readonly LinkedAccount[]> {
  const call = 'listAccounts(req, config)'
  const engine = await engineOf(req, config, call)
  const reading = await readSession(req, engine)
  return listOwnAccounts(engine.config, reading)
}

/**
 * Removes an account of the signed-in user, so that they cannot sign in with it any more. For a route that is not reached
 * with GET. The request must come from a page of this origin; the browser says so, and no CSRF token is needed. Sessions
 * go on: {@link revokeOtherSessions} ends them.
 *
 * @param account its `id` as {@link listAccounts} gives it, or its provider and its id there; what a form brought can be
 *   handed on as it is
 * @returns the account that was removed
 * @throws {RequestRefused} 401 when nobody is signed in; 404 when they have no such account; 409 when it is their last way
 *   to sign in; 405 for GET and HEAD
 * @throws {RecentSignInRequired} when they must sign in again first
 * @throws {MissingCSRF} when the request may come from another site
 * @throws {AuthError} as {@link listAccounts}
 */
export async function unlinkAccount(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  account: AccountReference,
  options: UnlinkOptions = {},
): Promise<LinkedAccount> {
  const call = 'unlinkAccount(req, config, account, options)'
  const engine = await engineOf(req, config, call)
  checkSender(sentRequestOf(req, engine.config))
  const removal = {
    owner: await readSession(req, engine),
    origin: requireOrigin(req, engine.config),
    acceptLanguage: headerOf(req, 'accept-language'),
    source: req,
  }
  return unlinkOwnAccount(engine.config, removal, account, options, call)
}

const ACCESS_TOKEN = 'getAccessToken(req, config, provider, options)'

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
  const request = await ownRequestOf(req, config, ACCESS_TOKEN)
  return getOwnAccessToken(request, provider, options, ACCESS_TOKEN)
}
