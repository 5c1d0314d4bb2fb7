import { settledWithin } from '../../kernel/awaitable.js'
import { EmailSignInError, withoutDetails } from '../../kernel/errors.js'
import { isVouchedFor } from '../../kernel/origin.js'
import type { MailWords } from '../../pages/mail.js'
import type { TextKey } from '../../pages/texts/text.js'
import type { Theme } from '../../pages/theme.js'
import type { AccountNoticeKind, ResolvedEmailProvider } from '../../providers/provider.js'
import type { AccountChange } from '../../sign-in/account-change.js'
import type { Parts } from '../../sign-in/feature.js'
import { readerOf } from '../../sign-in/language.js'
import { createMailer } from '../../sign-in/mailed-links.js'
import type { Sent } from '../../sign-in/visit.js'

/** What has changed, or was added, and for whom. */
export interface AccountNotice extends Omit<AccountChange, 'kind'> {
  readonly kind: AccountNoticeKind
}

/** The person waits for the answer of their request. */
const WAIT_MS = 2000

/**
 * Sends a mail to the owner if they have confirmed their address. It never rejects: what was done is done. It waits two
 * seconds at most; the mail may still be sent afterwards.
 */
export type SendNotice = (sent: Sent, notice: AccountNotice) => Promise<void>

/** Sends with one e-mail provider. */
export function createAccountNotices(
  sender: ResolvedEmailProvider,
  parts: Parts<{ readonly theme: Theme }>,
): SendNotice {
  const { providers, store, origin, logger, options } = parts
  const mailer = createMailer(sender, parts)
  const { support } = options.theme.links ?? {}
  const names = new Map(providers.map(({ id, name }) => [id, name]))

  const deliver = async (sent: Sent, notice: AccountNotice): Promise<void> => {
    const { kind, userId, provider, email, namesNoSessions } = notice
    const url = sent.origin
    // Only the request says which host it is, and anybody can write that. A mail with a wrong name would mislead its reader.
    if (!isVouchedFor(url, origin)) return
    const user = email === undefined ? await store.getUser(userId) : null
    // Whoever has not confirmed an address may have entered somebody else's.
    const identifier = email ?? (user?.emailVerified ? user.email : null)
    if (!identifier) return
    const providerName = provider === undefined ? null : (names.get(provider) ?? provider)
    const endsSessions = sent.config.endsSessions && !namesNoSessions
    const supportUrl = support && new URL(support, url).href
    const compose = noticeTexts({ ...notice, providerName, endsSessions, supportUrl })
    await mailer.send(readerOf(sent), identifier, { kind, url, template: 'notice', compose })
  }

  return async (sent, notice) => {
    const sending = deliver(sent, notice).catch((error) => {
      const cause = { err: withoutDetails(error), provider: sender.id, isFault: true }
      const fault = new EmailSignInError(`Provider "${sender.id}": a notice could not be sent.`, cause)
      // It is not done yet, and must not be done without a word.
      if (notice.at) throw fault
      logger.error(fault, sent.source)
    })
    await (notice.at ? sending : settledWithin(sending, WAIT_MS))
  }
}

/** The title of each notice, the sentence that says what has happened, what to do if it was somebody else, and the button for that. */
const TEXTS: Readonly<
  Record<AccountNoticeKind, readonly [title: TextKey, what: TextKey, advice?: TextKey, button?: TextKey]>
> = {
  'account-linked': ['mail.notice.added', 'mail.notice.accountLinked', 'mail.notice.adviceAdded'],
  'account-unlinked': ['mail.notice.removed', 'mail.notice.accountUnlinked'],
  'passkey-added': ['mail.notice.added', 'mail.notice.passkeyAdded', 'mail.notice.adviceAdded'],
  'passkey-removed': ['mail.notice.removed', 'mail.notice.passkeyRemoved'],
  'password-changed': [
    'mail.notice.changed',
    'mail.notice.passwordChanged',
    'mail.notice.advicePassword',
    'mail.password.button',
  ],
  'password-removed': ['mail.notice.removedPassword', 'mail.notice.passwordRemoved'],
  'address-change-asked': ['mail.notice.addressAsked', 'mail.notice.addressChangeAsked'],
  'second-factor-added': ['secondFactor.added', 'mail.notice.secondFactorAdded', 'mail.notice.adviceTell'],
  'second-factor-replaced': ['secondFactor.replaced', 'mail.notice.secondFactorReplaced', 'mail.notice.adviceTell'],
  'second-factor-removed': ['mail.notice.secondFactorGone', 'mail.notice.secondFactorRemoved'],
  'second-factor-reset-asked': [
    'mail.notice.secondFactorReset',
    'mail.notice.secondFactorResetAsked',
    'mail.notice.adviceReset',
    'mail.notice.keepOn',
  ],
  'second-factor-kept': ['mail.notice.secondFactorStays', 'mail.notice.secondFactorKept'],
  'second-factor-guessed': ['mail.notice.codesGuessed', 'mail.notice.codesGuessedText'],
  'recovery-code-used': ['mail.notice.recoveryCode', 'mail.notice.recoveryCodeUsed'],
  'recovery-codes-renewed': ['secondFactor.codes.title', 'mail.notice.codesRenewed'],
  'account-deleted': ['account.deleted', 'mail.notice.accountDeleted', 'mail.notice.adviceTell'],
  'address-added': ['mail.notice.addressNew', 'mail.notice.addressAdded', 'mail.notice.adviceAdded'],
  'address-removed': ['mail.notice.addressGone', 'mail.notice.addressRemoved', 'mail.notice.adviceTell'],
  'primary-address-changed': ['mail.notice.addressPrimary', 'mail.notice.primaryChanged'],
  'address-changed': ['mail.notice.address', 'mail.notice.addressChanged', 'mail.notice.adviceTell'],
}

/** After these, all other sessions have ended where they can be ended. */
const ENDING: ReadonlySet<AccountNoticeKind> = new Set([
  'password-changed',
  'password-removed',
  'second-factor-added',
  'second-factor-replaced',
  'second-factor-removed',
])

/** What the mail says. Nothing of it is secret, and a visitor typed nothing of it. A passkey has no name of a provider. */
export const noticeTexts =
  (
    of: Pick<AccountNotice, 'kind' | 'at' | 'remedyUrl'> & {
      readonly providerName: string | null
      /** Whether other sessions end with another password, and the like. */
      readonly endsSessions?: boolean
      readonly supportUrl?: string | undefined
    },
  ) =>
  ({ say, date }: MailWords) => {
    const [titleKey, whatKey, adviceKey = 'mail.notice.advice', buttonKey] = TEXTS[of.kind]
    const title = say(titleKey)
    const provider = of.providerName ?? say('mail.notice.unknownProvider')
    const subject = say('mail.notice.subject', { title })
    const done = say(whatKey, { provider, date: of.at ? date(of.at, true) : '' })
    const what = of.endsSessions && ENDING.has(of.kind) ? `${done} ${say('mail.notice.sessionsEnded')}` : done
    const way = { url: of.remedyUrl ?? '', button: buttonKey ? say(buttonKey) : '' }
    return { subject, title, what, advice: say(adviceKey), ...way, support: of.supportUrl ?? '' }
  }
