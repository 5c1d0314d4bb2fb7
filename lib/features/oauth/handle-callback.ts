import { CLOCK_DIFFERENCE_SECONDS } from '../../kernel/claims.js'
import { isCrossSite } from '../../kernel/csrf.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { CallbackRouteError } from '../../kernel/errors.js'
import { linkPageAddress } from '../../kernel/return-target.js'
import { redirectUrisOf } from '../../oauth/client.js'
import { heardFetch } from '../../oauth/endpoint-fetch.js'
import { asAuthError, ProviderFault, UnusableAnswer } from '../../oauth/faults.js'
import { verifyIdToken } from '../../oauth/id-token.js'
import { TRANSACTION_LIFETIME_SECONDS } from '../../oauth/times.js'
import type { Received } from '../../oauth/token-answer.js'
import { scopeWords } from '../../oauth/token-calls.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import type { Profile, ResolvedOAuthProvider, TokenSet } from '../../providers/provider.js'
import type { FlowPause, FlowResult } from '../../sign-in/flow.js'
import { type AuthorizationResponse, checkResponse, requireSingle, sayingToo } from './authorization-response.js'
import { type AuthorizationTransaction, requireTransaction } from './authorization-transaction.js'
import { isConfigured } from './authorization-url.js'
import type { OAuthDependencies } from './dependencies.js'
import { InvalidCheck } from './errors.js'
import { type AcceptedCallback, exchangeCode } from './exchange-code.js'
import { readProfile, toIdentity } from './read-profile.js'

/** How long a used transaction is remembered: as long as its cookies could be accepted, by a clock that is behind too. */
const MEMORY_MS = (TRANSACTION_LIFETIME_SECONDS + CLOCK_DIFFERENCE_SECONDS) * 1000

/**
 * The identity that a provider's answer vouches for, or the mount to hand the answer on to.
 *
 * @throws {InvalidCheck} when the one-time values are missing, expired, used up or of another provider
 * @throws {OAuthCallbackError} when nobody signed in at the provider, or not as was asked for
 * @throws {OAuthProfileParseError} when the profile gives no usable user
 * @throws {CallbackRouteError} for every other fault
 */
export async function handleCallback(
  response: AuthorizationResponse,
  dependencies: OAuthDependencies,
): Promise<FlowResult | FlowPause> {
  const { request, provider, params, secrets } = response
  let heard = ''
  try {
    requireSingle(response)
    const redirectUris = redirectUrisOf(request.mountUrl, provider)
    const forwardUrl = dependencies.proxy.targetOf(provider, redirectUris, params)
    if (forwardUrl !== null) return { kind: 'forward', url: forwardUrl }

    const transaction = await takeTransaction(response, redirectUris.sent, dependencies)
    if (transaction === 'repeat') {
      // The browser brings the answer once more, with the cookies.
      request.keep.drop('transaction')
      return { kind: 'repeat', url: dependencies.posted.urlOf(request, provider, response.received) }
    }
    const { linkSessionDigest, linkRequest, returnTarget, isRemembered } = transaction
    const isLink = linkSessionDigest !== null
    const target = { request: linkRequest, callbackUrl: returnTarget }
    const linkPage = isLink ? linkPageAddress(request.mountUrl, provider.id, target) : undefined
    request.keep.onFailure({ isRemembered, linkPage })
    for (const value of Object.values(transaction.values)) secrets.add(value)
    const metadata = await dependencies.metadataOf(provider)
    checkResponse(response, transaction, metadata)
    const identity = await identify({
      provider,
      transaction,
      metadata,
      code: params.get('code') ?? '',
      params: Object.fromEntries(params),
      hookProvider: {
        ...provider.source,
        callbackUrl: transaction.redirectUri,
        signinUrl: `${request.mountUrl}/signin/${provider.id}`,
      },
      fetch: heardFetch(dependencies.channelOf(provider), secrets, (said) => {
        heard = said
      }),
      secrets,
      dependencies,
      source: request.incoming.source,
    })
    return {
      kind: 'identity',
      identity,
      isRemembered,
      ...(returnTarget !== undefined && { returnTarget }),
    }
  } catch (error) {
    const failure = asAuthError(CallbackRouteError, error, provider.id, secrets)
    // One reason does not hide the other.
    if (error instanceof InvalidCheck || error instanceof UnusableAnswer) failure.message += sayingToo(params, secrets)
    const err = failure.cause?.err
    const isOfHook = err !== undefined && !(err instanceof ProviderFault && err.status !== null)
    if (isOfHook && heard !== '') failure.message += ` ${heard}`
    throw failure
  }
}

async function identify(callback: AcceptedCallback) {
  const received: Received = { status: 0, body: null }
  const tokens = await exchangeCode(callback, received)
  for (const name of ['access_token', 'refresh_token', 'id_token'] as const) callback.secrets.add(tokens[name] ?? '')
  const claims = callback.provider.type === 'oidc' ? await claimsOf(callback, tokens, received) : null
  const profile = await readProfile(callback, tokens, claims)
  return toIdentity(callback, tokens, profile, claims)
}

function claimsOf(
  { provider, transaction, metadata, dependencies }: AcceptedCallback,
  { id_token, access_token, scope }: TokenSet,
  { date = null }: Received,
): Promise<Profile & { sub: string }> {
  if (typeof id_token !== 'string') {
    // RFC 6749 §5.1: an answer that names its scope says that it is another one than was asked for.
    const isUnticked =
      scopeWords(configuredParameter(provider, 'scope')).includes('openid') &&
      !scopeWords(scope ?? 'openid').includes('openid')
    const why = isUnticked ? 'The person did not grant openid.' : 'Does the scope contain openid?'
    const doing = isUnticked ? 'incomplete' : 'registration'
    throw new ProviderFault(`Provider "${provider.id}": the token answer has no id_token. ${why}`, { doing })
  }
  return verifyIdToken(id_token, {
    provider,
    metadata,
    keySets: dependencies.keySets,
    nonce: transaction.values.nonce,
    maxAge: transaction.maxAge,
    isOwnMaxAge: transaction.maxAge !== undefined && !isConfigured(provider, 'max_age'),
    acr: transaction.acr,
    accessToken: access_token,
    now: dependencies.now,
    answerDate: date,
  })
}

/** Whether a provider's site posted the answer. Browsers send no `SameSite=Lax` cookie with it, so nobody knows who is signed in. */
const isPostedByOtherSite = ({ request }: AuthorizationResponse): boolean =>
  request.incoming.method === 'POST' && isCrossSite(request.incoming.header, request.origin)

/**
 * Finds the transaction of an answer and uses it up, before anything can have an effect.
 *
 * @returns `repeat` if another site posted it: the browser has to come again with a GET. Nothing is used up then
 */
async function takeTransaction(
  response: AuthorizationResponse,
  redirectUri: string,
  dependencies: OAuthDependencies,
): Promise<AuthorizationTransaction | 'repeat'> {
  const { provider, params, found } = response
  if (provider.checks.size === 0) {
    const code = params.get('code')
    const used = sha256Base64url(`${provider.id} ${code}`)
    if (code !== null && !dependencies.usedCodes.consume(used, dependencies.now() + MEMORY_MS))
      throw usedAlready(provider)
    const { issuer } = await dependencies.metadataOf(provider)
    // Anybody could have begun it, so it adds nothing to the user who is signed in here, and nobody stays signed in.
    const unknown = {
      begunAt: dependencies.now(),
      maxAge: undefined,
      returnTarget: undefined,
      initiator: null,
      linkSessionDigest: null,
      isRemembered: false,
    }
    return { values: {}, redirectUri, issuer, ...unknown }
  }
  const [transactionFound] = found
  const transaction = requireTransaction(provider, params.get('state'), transactionFound)
  if (transaction.redirectUri !== redirectUri) {
    throw new InvalidCheck(
      `Provider "${provider.id}": the sign-in was begun for ${transaction.redirectUri}, and the answer arrived at another address.`,
    )
  }
  if (isPostedByOtherSite(response)) return 'repeat'
  // The time of its beginning, which no copy of it can change, says whether it is one of those that were forgotten.
  if (!dependencies.used.consume(`${transactionFound?.id}`, transaction.begunAt + MEMORY_MS))
    throw usedAlready(provider)
  return transaction
}

const usedAlready = ({ id }: ResolvedOAuthProvider) =>
  new InvalidCheck(`Provider "${id}": the answer was used already. It is good once; start again.`)
