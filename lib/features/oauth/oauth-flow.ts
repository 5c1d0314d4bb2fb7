import { onceFor } from '../../kernel/awaitable.js'
import { createBackChannel } from '../../kernel/back-channel.js'
import { CallbackRouteError } from '../../kernel/errors.js'
import type { Log } from '../../kernel/logger.js'
import { sharedLedger, warnOfForgotten } from '../../kernel/one-time.js'
import { keySetOf, publicKeysOf, publishesKeys } from '../../oauth/client-keys.js'
import { warnOfContradictions } from '../../oauth/contradicted-options.js'
import { asAuthError } from '../../oauth/faults.js'
import { createKeySets } from '../../oauth/key-sets.js'
import type { Outage, OutageState } from '../../oauth/last-good.js'
import { createLogoutCalls } from '../../oauth/logout-token.js'
import { createMetadataSource } from '../../oauth/metadata.js'
import { refreshAtProvider } from '../../oauth/refresh-tokens.js'
import { revokeAtProvider } from '../../oauth/revoke-tokens.js'
import { scopeWords, type TokenCalls } from '../../oauth/token-calls.js'
import { configuredParameter } from '../../providers/authorization-parameters.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { type ResolvedTokenFacts, revocationOf } from '../../providers/resolve-endpoints.js'
import { type Flow, flowOf, type StartedSteps } from '../../sign-in/flow.js'
import { file } from '../../sign-in/outcome.js'
import type { Action } from '../../sign-in/visit.js'
import { paramsOfJwt, sayingToo } from './authorization-response.js'
import { findTransaction } from './authorization-transaction.js'
import { beginAuthorization } from './begin-authorization.js'
import { createCheckChooser, type OAuthDependencies, type OAuthFlowSettings } from './dependencies.js'
import { handleCallback } from './handle-callback.js'
import { createPostedAnswers, createRedirectProxy } from './redirect-proxy.js'

/** Parameters of an answer that must not be logged. */
const HIDDEN = ['code', 'state', 'id_token', 'access_token', 'response', 'session_state']

const secretsOf = (params: URLSearchParams, { clientSecret = '' }: ResolvedOAuthProvider) =>
  new Set([clientSecret, ...HIDDEN.flatMap((name) => params.getAll(name))])

/** The steps of a sign-in at a provider, and the calls about the tokens that it gives. */
export interface OAuthSteps extends StartedSteps, Required<Pick<Flow, 'logoutCalls' | 'publicKeys'>> {
  /** Refreshes and revokes tokens of the provider. */
  readonly tokenCalls: TokenCalls
}

/**
 * Makes the steps of each OAuth or OpenID Connect provider of a configuration. They share what is remembered of
 * providers and of used answers, so there must be one such function per configuration, not one per request.
 */
export function createOAuthFlows(settings: OAuthFlowSettings): (provider: ResolvedOAuthProvider) => OAuthSteps {
  const { secrets, now, logger, redirectProxyHosts, backChannel = {} } = settings
  const channelOf = onceFor(({ id, fetch, allowInsecureHttp }: ResolvedOAuthProvider) =>
    createBackChannel({ ...backChannel, fetch, allowInsecureHttp, provider: id }),
  )
  const warn = warnOfForgotten(logger)
  const dependencies: OAuthDependencies = {
    ...settings,
    proxy: createRedirectProxy(secrets, redirectProxyHosts, now),
    posted: createPostedAnswers(secrets, now),
    metadataOf: createMetadataSource(
      channelOf,
      now,
      warnOfOutage(logger, 'metadata'),
      warnOfContradictions(logger, settings.revokesAtSignOut),
    ),
    keySets: createKeySets(channelOf, now, warnOfOutage(logger, 'keys')),
    checksOf: createCheckChooser(logger),
    used: sharedLedger(secrets, 'authorization transaction', now, warn),
    usedCodes: sharedLedger(secrets, 'authorization code', now, warn),
    channelOf,
  }
  const readParams = async (received: URLSearchParams, provider: ResolvedOAuthProvider) => {
    if (!provider.isJwtResponse) return received
    try {
      return await paramsOfJwt(provider, received, dependencies)
    } catch (error) {
      // The transaction is not known, so its cookies stay: anybody can send a browser here with a worthless response.
      const failure = asAuthError(CallbackRouteError, error, provider.id, received.getAll('response'))
      failure.message += sayingToo(received, secretsOf(received, provider))
      throw failure
    }
  }
  return (provider) => ({
    logoutCalls: async () => createLogoutCalls(provider, dependencies),
    // Without the metadata, a key has the name that is configured.
    publicKeys: () =>
      publicKeysOf(provider, async () => ({ ...(await dependencies.metadataOf(provider).catch(() => null))?.server })),
    tokenCalls: tokenCalls(provider, dependencies),
    start: (request, initiator, link) => beginAuthorization(request, provider, initiator, link, dependencies),
    async finish(request) {
      const received = dependencies.posted.paramsOf(request, provider)
      const params = await readParams(received, provider)
      const states = new Set(params.getAll('state'))
      const found = [...states].map((state) => findTransaction(request, provider, state, dependencies))
      request.keep.always(
        'transaction',
        found.flatMap((transaction) => transaction.deletions),
      )
      const secrets = secretsOf(params, provider)
      return handleCallback({ request, provider, received, params, found, secrets }, dependencies)
    },
  })
}

/** What the operator should do; null when the outage has ended. */
const FIXES: Record<OutageState, string | null> = {
  begun:
    'Sign-ins continue with the last copy of the document. Find out on this machine why the document cannot be fetched: the provider may be down, or a firewall may block it.',
  over: null,
  'given-up':
    'Sign-ins with this provider fail until the document can be fetched and is of the configured issuer. Fetch it from this machine.',
}

/**
 * Warns of outages of one kind of document: when an outage begins, when the copy is given up, and when the outage ends.
 */
const warnOfOutage =
  (logger: Log, document: 'metadata' | 'keys') =>
  ({ id }: ResolvedOAuthProvider, { state, since, copy, reason }: Outage): void =>
    logger.warn('provider-outage', {
      provider: id,
      document,
      state,
      since: isoTime(since),
      ...(copy && { fetchedAt: isoTime(copy.fetchedAt), usedUntil: isoTime(copy.usedUntil) }),
      reason,
      ...(FIXES[state] !== null && { fix: FIXES[state] }),
    })

const isoTime = (time: number) => new Date(time).toISOString()

/** The calls about tokens of one provider. */
export function tokenCalls(provider: ResolvedOAuthProvider, dependencies: OAuthDependencies): TokenCalls {
  const { tokenFacts } = provider
  return {
    configuredScope: scopeWords(configuredParameter(provider, 'scope')).join(' '),
    canRefresh: provider.token.request === undefined,
    mayRepeat: mayRepeat(tokenFacts),
    storedTokens: provider.account,
    canRevoke: revocationOf(provider) !== null,
    async prepare() {
      await dependencies.metadataOf(provider)
    },
    refresh: (refreshToken, idToken, accountId) =>
      refreshAtProvider(provider, { refreshToken, idToken, accountId }, dependencies),
    revoke: (tokens) => revokeAtProvider(provider, tokens, dependencies),
  }
}

/**
 * Whether the same refresh token may be sent once more: it is known that its first use has not ended it, or not yet. What is
 * not documented counts as no.
 */
function mayRepeat({ rotates, graceSeconds }: ResolvedTokenFacts): boolean {
  if (typeof graceSeconds === 'number') return graceSeconds > 0
  return rotates === false || rotates === 'sometimes'
}

/** Seconds for which a provider may keep the keys. A rotation waits longer: docs/guides/rotation.md. */
const MAX_AGE_SECONDS = 5 * 60

/** GET jwks: the public keys with which providers verify what this application signs, and encrypt what it gets. */
export const showKeys: Action = async ({ config }) => {
  const keys = await Promise.all(
    [...config.providers.values()]
      .filter(publishesKeys)
      .map(async (provider) => (await flowOf(config, provider).publicKeys?.()) ?? []),
  )
  return file(JSON.stringify(keySetOf(keys)), {
    'content-type': 'application/jwk-set+json',
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    'x-content-type-options': 'nosniff',
  })
}
