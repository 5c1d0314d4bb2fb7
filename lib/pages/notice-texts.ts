import type { AccountNoticeKind } from '../providers/provider.js'

/** The texts of a notice. */
export interface NoticeTexts {
  readonly subject: string
  /** The heading. */
  readonly title: string
  /** What has happened, in one sentence or two. */
  readonly what: string
  /** What to do if it was somebody else. */
  readonly advice: string
}

const IF_NOT_YOU = 'If this was not you, sign in, end all other sessions, and tell the people who run this site.'

/** @param host the host of the application */
export function noticeTexts(kind: AccountNoticeKind, providerName: string, host: string): NoticeTexts {
  const what: Readonly<Record<AccountNoticeKind, string>> = {
    'account-linked': `${providerName} was connected to your account on ${host}. You can sign in with it now.`,
    'account-unlinked': `${providerName} was disconnected from your account on ${host}. You cannot sign in with it any more.`,
    'passkey-added': `A passkey was added to your account on ${host}. You can sign in with it now.`,
    'passkey-removed': `A passkey was removed from your account on ${host}. You cannot sign in with it any more.`,
  }
  const isAdded = kind === 'account-linked' || kind === 'passkey-added'
  const title = isAdded ? 'A new way to sign in' : 'A way to sign in was removed'
  return { subject: `${title}: ${host}`, title, what: what[kind], advice: IF_NOT_YOU }
}
