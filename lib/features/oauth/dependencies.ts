import type { BackChannelLimits } from '../../kernel/back-channel.js'
import type { Log } from '../../kernel/logger.js'
import type { OneTimeLedger } from '../../kernel/one-time.js'
import type { OAuthClient } from '../../oauth/dependencies.js'
import type { TransactionCookies } from '../../sign-in/transaction-cookies.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { CheckChooser } from './choose-checks.js'
import type { createPostedAnswers } from './posted-answer.js'
import type { RedirectProxy } from './redirect-proxy.js'

/** What the OAuth flows need of a configuration. */
export interface OAuthFlowSettings {
  /** At least one; the first encrypts, all of them decrypt. */
  readonly secrets: readonly string[]
  readonly transactions: TransactionCookies
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly logger: Log
  /** Whether a sign-out revokes tokens. */
  readonly revokesAtSignOut?: boolean
  /** Patterns of hosts that a redirect proxy hands answers on to; without them it hands on nothing. */
  readonly redirectProxyHosts?: readonly string[]
  /** Limits of every outgoing call. */
  readonly backChannel?: BackChannelLimits
}

/** What both halves of a sign-in work with; made once per engine. */
export interface OAuthDependencies extends OAuthFlowSettings, OAuthClient {
  readonly proxy: RedirectProxy
  /** Answers that came with a POST of the provider's site. */
  readonly posted: ReturnType<typeof createPostedAnswers>
  readonly checksOf: CheckChooser
  /** Transactions that were used up. */
  readonly used: OneTimeLedger
  /** Codes that came without a transaction. Anybody can make them up, so they have a ledger of their own. */
  readonly usedCodes: OneTimeLedger
}

/** A sign-in at a provider. */
export const OAUTH_TRANSACTION: TransactionKind = {
  name: 'oauth',
  cookies: {
    state: { name: 'authjs.state', purpose: 'state' },
    pkceCodeVerifier: { name: 'authjs.pkce.code_verifier', purpose: 'pkce' },
    nonce: { name: 'authjs.nonce', purpose: 'nonce' },
  },
  secretOption: 'jwt.secret',
  timeUnitMs: 1000,
  isOffered: false,
  makesRoom: true,
}
