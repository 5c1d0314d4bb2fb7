import type { SignInCallback } from '../../accounts/ask-signin.js'
import type { Adapter } from '../../adapters/adapter.js'
import { adapterCalls } from '../../adapters/adapter-calls.js'
import type { OriginSettings } from '../../http/origin.js'
import type { LoggerInstance } from '../../logger.js'
import { createMailRenderer } from '../../pages/mail.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { StartedSteps } from '../flow.js'
import { finishAndClear } from '../flow-failure.js'
import type { TransactionCookies } from '../transaction-cookies.js'
import { EMAIL_METHODS, type EmailDependencies } from './dependencies.js'
import type { MailedAddresses } from './mailed-address.js'
import { findLink, redeemLink, unusableLink } from './redeem-link.js'
import { readBrowserMarker } from './requesting-browser.js'
import { sendLink } from './send-link.js'

/** What the flow of e-mail links needs of a configuration. */
export interface EmailFlowSettings {
  /** The settings that must vouch for the host of a link. */
  readonly origin: OriginSettings
  readonly adapter: Adapter
  /** At least one; the first hashes a new token, all of them are accepted. */
  readonly secrets: readonly string[]
  readonly transactions: TransactionCookies
  readonly mailedAddresses: MailedAddresses
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Asked before a link is sent; the sign-in completion asks it again. */
  readonly signIn: SignInCallback
  readonly theme: Theme
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly logger: LoggerInstance
  /** Milliseconds that sending a mail may take; 30 000 by default. */
  readonly sendTimeoutMs?: number
}

const DEFAULT_SEND_TIMEOUT_MS = 30_000

/** The steps of one e-mail provider: a link is sent, and the visitor who follows it has the address. */
export function emailFlow(provider: ResolvedEmailProvider, settings: EmailFlowSettings): StartedSteps {
  const { origin, adapter, secrets, transactions, mailedAddresses, asksToRemember, signIn, theme, now, logger } =
    settings
  const calls = <const Names extends readonly (keyof Adapter)[]>(names: Names) =>
    adapterCalls(adapter, names, 'sign-in with a mailed link', logger)
  const dependencies: EmailDependencies = {
    provider,
    store: calls(EMAIL_METHODS),
    lookUp: adapter.getVerificationToken ? calls(['getVerificationToken']).getVerificationToken : null,
    origin,
    secrets,
    signIn,
    theme,
    mail: createMailRenderer({ theme }),
    transactions,
    mailedAddresses,
    asksToRemember,
    sendTimeoutMs: settings.sendTimeoutMs ?? DEFAULT_SEND_TIMEOUT_MS,
    now,
    logger,
  }
  return {
    start: (request) => sendLink(request, dependencies),
    async finish(request) {
      const link = findLink(request)
      if (!link) throw unusableLink(provider.id, 'has no token or no address')
      const { isRequesting, deletions } = await readBrowserMarker(request, link, dependencies)
      return finishAndClear(deletions, () => redeemLink(request, link, isRequesting, dependencies))
    },
  }
}
