import type { SignInCallback } from '../../accounts/ask-signin.js'
import type { Adapter } from '../../adapters/adapter.js'
import { adapterCalls } from '../../adapters/adapter-calls.js'
import type { OriginSettings } from '../../http/origin.js'
import type { LoggerInstance } from '../../logger.js'
import { createMailRenderer } from '../../pages/mail.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { Flow } from '../flow.js'
import { clearing } from '../flow-failure.js'
import { createAskingBrowser } from './asking-browser.js'
import { EMAIL_METHODS, type EmailDependencies } from './dependencies.js'
import { findLink, redeemLink } from './redeem-link.js'
import { sendLink } from './send-link.js'

/** What the flow of e-mail links needs of a configuration. */
export interface EmailFlowSettings {
  /** What a link's host must be vouched for by. */
  readonly origin: OriginSettings
  readonly adapter: Adapter
  /** At least one; the first hashes and seals, all of them are accepted. */
  readonly secrets: readonly string[]
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

/** The flow of one e-mail provider: a link is sent, and whoever follows it has the address. */
export function emailFlow(provider: ResolvedEmailProvider, settings: EmailFlowSettings): Flow {
  const { origin, adapter, secrets, signIn, theme, now, logger, sendTimeoutMs = DEFAULT_SEND_TIMEOUT_MS } = settings
  const parts: EmailDependencies = {
    provider,
    store: adapterCalls(adapter, EMAIL_METHODS, 'sign-in with a mailed link', logger),
    origin,
    secrets,
    signIn,
    theme,
    mail: createMailRenderer({ theme }),
    asking: createAskingBrowser(provider, secrets, now),
    sendTimeoutMs,
    now,
    logger,
  }
  return {
    callbackMethods: ['GET', 'POST'],
    callbackNeedsCsrf: true,
    start: (request) => sendLink(request, parts),
    finish(request) {
      const link = findLink(request)
      return clearing(link ? parts.asking.clear(request, link) : [], () => redeemLink(request, link, parts))
    },
  }
}
