import type { Store } from '../../adapters/gateway.js'
import type { Log } from '../../kernel/logger.js'
import type { OriginSettings } from '../../kernel/origin.js'
import type { MailWriter } from '../../pages/mail.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import { MAX_CODE_SECONDS } from '../../providers/resolve-local-provider.js'
import { addressPerson } from '../../sign-in/ask-signin.js'
import type { TransactionCookies } from '../../sign-in/transaction-cookies.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { Visit } from '../../sign-in/visit.js'

/** What the flow of e-mail links needs of a configuration. */
export interface EmailFlowSettings {
  /** The settings that must vouch for the host of a link. */
  readonly origin: OriginSettings
  readonly store: Store
  /** At least one; the first hashes a new token, all of them are accepted. */
  readonly secrets: readonly string[]
  readonly transactions: TransactionCookies
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  readonly theme: Theme
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly logger: Log
  /** Milliseconds that sending a mail may take; 30 000 by default. */
  readonly sendTimeoutMs?: number
}

/** What both halves of a sign-in work with; made once per provider. */
export interface EmailDependencies extends Required<EmailFlowSettings> {
  readonly provider: ResolvedEmailProvider
  readonly writeMail: MailWriter
}

/** A request to an e-mail provider. */
export interface MailRequest extends EmailDependencies {
  readonly request: Visit
}

/** The user and the account that belong to an address; the user may not be stored yet. */
export const mailedPerson = async (
  address: string,
  { store, provider }: Pick<EmailDependencies, 'store' | 'provider'>,
) => addressPerson(address, provider.id, await store.getUserByEmail(address))

/** Seconds for which the codes of a provider work. */
export const codeLifetime = ({ maxAge }: ResolvedEmailProvider): number => Math.min(maxAge, MAX_CODE_SECONDS)

/** A browser that waits for a mailed link. */
export const EMAIL_TRANSACTION: TransactionKind = {
  name: 'email',
  cookies: {
    emailRequest: { name: 'authjs.email-request', purpose: 'email-request' },
  },
  secretOption: 'secret',
  timeUnitMs: 1,
  isOffered: false,
  makesRoom: true,
}
