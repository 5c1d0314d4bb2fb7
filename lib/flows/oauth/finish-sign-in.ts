import { equalInConstantTime, sha256Base64url } from '../../crypto/digest.js'
import { CallbackRouteError, InvalidCheck, OAuthCallbackError } from '../../errors.js'
import { CHECK_LIFETIME_SECONDS } from '../../http/cookies.js'
import type { HookProvider, Profile } from '../../providers/provider.js'
import type { FlowResult } from '../flow.js'
import type { FoundAttempt } from './attempt-cookies.js'
import type { OAuthDependencies } from './dependencies.js'
import { exchangeCode } from './exchange-code.js'
import { asAuthError, ProviderFault, UnusableAnswer } from './faults.js'
import { verifyIdToken } from './id-token.js'
import { checkIssuerParameter } from './issuer.js'
import type { ProviderMetadata } from './metadata.js'
import type { OAuthAnswer } from './oauth-flow.js'
import { readProfile } from './read-profile.js'
import { callbackUrlAt } from './redirect-proxy.js'
import { toIdentity } from './to-identity.js'

/** How long a used attempt is remembered: as long as its cookies could be accepted, clock tolerance included. */
const MEMORY_MS = (CHECK_LIFETIME_SECONDS + 60) * 1000

/**
 * Codes that an answer may have: RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6, and those of LinkedIn and Apple for "cancel". No other is repeated,
 * since a visitor may have written it.
 */
const KNOWN_CODES: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'user_cancelled_authorize',
  'user_cancelled_login',
])

/** One answer on its way to a person. */
export interface Finishing {
  readonly answer: OAuthAnswer
  readonly attempt: FoundAttempt
  readonly metadata: ProviderMetadata
  readonly parts: OAuthDependencies
  /** The provider as its hooks see it. */
  // biome-ignore lint/suspicious/noExplicitAny: the profile's type is known to the provider's own hooks only
  readonly hookProvider: HookProvider<any>
  /** Parameters of the answer, as hooks see them. */
  readonly params: Readonly<Record<string, string>>
  /** Texts that must not appear in any error. Grows with what the provider sends. */
  readonly secrets: Set<string>
}

/** Who the provider says signed in, or where to hand the answer on to. */
export async function finishSignIn(answer: OAuthAnswer, parts: OAuthDependencies): Promise<FlowResult> {
  const { provider, params } = answer
  const secrets = new Set([provider.clientSecret ?? '', params.get('code') ?? '', params.get('state') ?? ''])
  try {
    requireSingle(answer)
    const callbackUrl = callbackUrlAt(answer.mountUrl, provider)
    const elsewhere = await parts.proxy.targetOf(provider, callbackUrl, params)
    if (elsewhere !== null) return { kind: 'forward', url: elsewhere }

    const attempt = await takeAttempt(answer, callbackUrl, parts)
    for (const value of Object.values(attempt.values)) secrets.add(value)
    const metadata = await parts.metadataOf(provider)
    checkAnswer(answer, attempt, metadata)
    const finishing: Finishing = {
      answer,
      attempt,
      metadata,
      parts,
      hookProvider: {
        ...provider.source,
        callbackUrl: attempt.redirectUri,
        signinUrl: `${answer.mountUrl}/signin/${provider.id}`,
      },
      params: Object.fromEntries(params),
      secrets,
    }
    const { callbackUrl: target, initiator } = attempt
    const identity = { ...(await identify(finishing)), initiator }
    return target === undefined ? { kind: 'identity', identity } : { kind: 'identity', identity, returnTarget: target }
  } catch (error) {
    throw asAuthError(CallbackRouteError, error, provider.id, secrets)
  }
}

async function identify(finishing: Finishing) {
  const { answer, attempt, metadata, parts } = finishing
  const { provider } = answer
  const tokens = await exchangeCode(finishing)
  for (const name of ['access_token', 'refresh_token', 'id_token'] as const) finishing.secrets.add(tokens[name] ?? '')
  let claims: (Profile & { sub: string }) | null = null
  if (provider.type === 'oidc') {
    if (typeof tokens.id_token !== 'string') {
      throw new ProviderFault(
        `Provider "${provider.id}": the token answer has no id_token. Does the scope contain openid?`,
      )
    }
    claims = await verifyIdToken(tokens.id_token, {
      provider,
      metadata,
      keySets: parts.keySets,
      nonce: attempt.values.nonce,
      maxAge: attempt.maxAge,
      accessToken: tokens.access_token,
      now: parts.now,
    })
  }
  const profile = await readProfile(finishing, tokens, claims)
  return toIdentity(finishing, tokens, profile)
}

/** A parameter that comes twice could mean one thing to one reader and another to the next. */
function requireSingle({ provider, params }: OAuthAnswer): void {
  if (params.getAll('state').length > 1) {
    throw new InvalidCheck(
      `Provider "${provider.id}": the answer has several state parameters, so it belongs to no sign-in.`,
    )
  }
  const repeated = ['code', 'iss', 'error', 'response', 'id_token'].find((name) => params.getAll(name).length > 1)
  if (repeated) throw new UnusableAnswer(`Provider "${provider.id}": the answer has several ${repeated} parameters.`)
}

/** Finds the attempt of an answer and uses it up, before anything can have an effect. */
async function takeAttempt(answer: OAuthAnswer, callbackUrl: string, parts: OAuthDependencies): Promise<FoundAttempt> {
  const { provider, params } = answer
  const until = parts.now() + MEMORY_MS
  const code = params.get('code')
  if (provider.checks.size === 0) {
    useUp(code === null ? null : `code:${sha256Base64url(`${provider.id} ${code}`)}`, until, answer, parts)
    const issuer = (await parts.metadataOf(provider)).issuer
    return {
      id: '',
      values: {},
      redirectUri: redirectUriOf(answer, callbackUrl),
      issuer,
      maxAge: undefined,
      callbackUrl: undefined,
      // Anybody could have begun it, so it adds nothing to whoever is signed in here.
      initiator: null,
    }
  }
  const attempt = await parts.attempts.find(answer, params.get('state'))
  if (attempt.redirectUri !== redirectUriOf(answer, callbackUrl)) {
    throw new InvalidCheck(
      `Provider "${provider.id}": the sign-in was begun for ${attempt.redirectUri}, and the answer arrived at another address.`,
    )
  }
  useUp(`attempt:${attempt.id}`, until, answer, parts)
  return attempt
}

const redirectUriOf = ({ provider }: OAuthAnswer, callbackUrl: string): string =>
  provider.redirectProxyUrl ? callbackUrlAt(provider.redirectProxyUrl, provider) : callbackUrl

function useUp(id: string | null, until: number, { provider }: OAuthAnswer, { used }: OAuthDependencies): void {
  if (id !== null && !used.consume(id, until)) {
    throw new InvalidCheck(`Provider "${provider.id}": the answer was used already. It is good once; start again.`)
  }
}

/**
 * Everything that the answer itself must satisfy before its code is worth anything. What does not is no fault: whoever began a sign-in can write its
 * answer.
 */
function checkAnswer({ provider, params }: OAuthAnswer, attempt: FoundAttempt, metadata: ProviderMetadata): void {
  if (!equalInConstantTime(attempt.issuer ?? '', metadata.issuer ?? '')) {
    throw new InvalidCheck(`Provider "${provider.id}": the sign-in was begun with another issuer. Start again.`)
  }
  checkIssuerParameter(provider, params.get('iss'), {
    issuer: metadata.issuer,
    isPromised: metadata.server.authorization_response_iss_parameter_supported === true,
  })
  if (params.has('response')) {
    throw new UnusableAnswer(
      `Provider "${provider.id}": the answer came as a JWT (JARM), which was not asked for. Set response_mode to query there.`,
    )
  }
  const error = params.get('error')
  if (error !== null) {
    const code = KNOWN_CODES.has(error) ? `the error "${error}"` : 'an error whose code is in no standard'
    throw new OAuthCallbackError(`Provider "${provider.id}" answered with ${code}.`, { provider: provider.id })
  }
  if (!params.get('code'))
    throw new UnusableAnswer(`Provider "${provider.id}": the answer has neither a code nor an error.`)
}
