import type { MailWriter } from '../../pages/mail.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import { MAX_CODE_SECONDS } from '../../providers/resolve-local-provider.js'
import { addressPerson } from '../../sign-in/ask-signin.js'
import type { Parts } from '../../sign-in/feature.js'
import type { TransactionKind } from '../../sign-in/transaction-kinds.js'
import type { Visit } from '../../sign-in/visit.js'

/** What the flow of e-mail links needs of a configuration. The settings of the origin must vouch for the host of a link. */
export interface EmailFlowSettings
  extends Pick<Parts, 'origin' | 'store' | 'secrets' | 'transactions' | 'asksToRemember' | 'now' | 'logger'> {
  readonly theme: Theme
  /** Milliseconds that sending a mail may take; 30 000 by default. */
  readonly sendTimeoutMs?: number
}

/** A request to an e-mail provider, and what both halves of a sign-in work with. */
export interface MailRequest extends Required<EmailFlowSettings> {
  readonly provider: ResolvedEmailProvider
  readonly writeMail: MailWriter
  readonly request: Visit
}

/** The user and the account that belong to an address; the user may not be stored yet. */
export const mailedPerson = async (address: string, { store, provider }: Pick<MailRequest, 'store' | 'provider'>) =>
  addressPerson(address, provider.id, await store.getUserByEmail(address))

/** Seconds for which the codes of a provider work. */
export const codeLifetime = ({ maxAge }: ResolvedEmailProvider): number => Math.min(maxAge, MAX_CODE_SECONDS)

/** A browser that waits for a mailed link. */
export const EMAIL_TRANSACTION: TransactionKind = {
  name: 'email',
  cookies: { emailRequest: { name: 'authjs.email-request', purpose: 'email-request' } },
  secretOption: 'secret',
  makesRoom: true,
}
