import type { AccountNoticeKind } from '../providers/provider.js'
import type { TextKey } from './texts/english.js'
import { pageText, type Text } from './texts/text.js'

/** The texts of a notice. */
export interface NoticeTexts {
  /** The heading. */
  readonly title: Text
  /** What has happened, in one sentence or two. */
  readonly what: Text
  /** What to do if it was somebody else. */
  readonly advice: Text
}

const WHAT: Readonly<Record<AccountNoticeKind, TextKey>> = {
  'account-linked': 'mail.notice.accountLinked',
  'account-unlinked': 'mail.notice.accountUnlinked',
  'passkey-added': 'mail.notice.passkeyAdded',
  'passkey-removed': 'mail.notice.passkeyRemoved',
}

/** @param site name or host of the application */
export function noticeTexts(kind: AccountNoticeKind, provider: string, site: string): NoticeTexts {
  const isAdded = kind === 'account-linked' || kind === 'passkey-added'
  return {
    title: pageText(isAdded ? 'mail.notice.added' : 'mail.notice.removed'),
    what: pageText(WHAT[kind], { provider, site }),
    advice: pageText('mail.notice.advice'),
  }
}
