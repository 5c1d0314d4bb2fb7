import { sharedLedger } from '../../crypto/one-time.js'
import { type BackChannelLimits, createBackChannel } from '../../http/back-channel.js'
import type { LoggerInstance } from '../../logger.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { attemptId, createAttemptCookies } from './attempt-cookies.js'
import { createCheckChooser } from './choose-checks.js'
import type { OAuthDependencies } from './dependencies.js'
import { finishSignIn } from './finish-sign-in.js'
import { createKeySets } from './key-sets.js'
import { createMetadataSource } from './metadata.js'
import type { OAuthFlow } from './oauth-flow.js'
import { createRedirectProxy } from './redirect-proxy.js'
import { startSignIn } from './start-sign-in.js'
import { warnOfOutage } from './warn-of-outage.js'

/** What the OAuth flow needs of a configuration. */
export interface OAuthFlowSettings {
  /** At least one; the first seals, all of them open. */
  readonly secrets: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly logger: LoggerInstance
  /** Patterns of hosts that a redirect proxy hands answers on to; without them it hands on nothing. */
  readonly redirectProxyHosts?: readonly string[]
  /** Limits of every outgoing call. */
  readonly backChannel?: BackChannelLimits
}

/**
 * The OAuth flow of one engine. It remembers the metadata and keys of providers, so there must be one per configuration, not one per
 * request.
 */
export function createOAuthFlow(settings: OAuthFlowSettings): OAuthFlow {
  const { secrets, now, logger, redirectProxyHosts, backChannel = {} } = settings
  const channels = new WeakMap<ResolvedOAuthProvider, typeof fetch>()
  const channelOf = (provider: ResolvedOAuthProvider) => {
    const known = channels.get(provider)
    if (known) return known
    const channel = createBackChannel({
      ...backChannel,
      fetch: provider.fetch,
      allowInsecureHttp: provider.allowInsecureHttp,
    })
    channels.set(provider, channel)
    return channel
  }
  const parts: OAuthDependencies = {
    attempts: createAttemptCookies(secrets, now),
    proxy: createRedirectProxy(secrets, redirectProxyHosts, now),
    metadataOf: createMetadataSource(channelOf, now, warnOfOutage(logger, 'metadata')),
    keySets: createKeySets(channelOf, now, warnOfOutage(logger, 'keys')),
    checksOf: createCheckChooser(logger),
    used: sharedLedger(secrets, 'attempt', now),
    channelOf,
    now,
    logger,
  }
  return {
    start: (start) => startSignIn(start, parts),
    finish: (answer) => finishSignIn(answer, parts),
    clearAttempt: (answer) =>
      answer.params.getAll('state').flatMap((state) => parts.attempts.clear(answer, attemptId(state))),
  }
}
