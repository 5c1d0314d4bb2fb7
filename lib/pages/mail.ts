import type { AccountNoticeKind, MailMessage } from '../providers/provider.js'
import { noticeTexts } from './notice-texts.js'
import type { PageSettings } from './renderer.js'
import { loadTemplates } from './templates.js'
import { resolveTheme } from './theme.js'

/**
 * The input of the mail with a sign-in link. The person who requested the mail typed nothing of it: it does not even
 * contain the address.
 */
export interface SignInMailInput {
  /** The link. */
  readonly url: string
  /** The host that the link signs in to. It comes from the configuration or a trusted origin, never from a header. */
  readonly host: string
  /** Seconds the link lives from now on. */
  readonly lifetimeSeconds: number
}

/** The input of a notice. Nothing of it is secret, and a visitor typed nothing of it. */
export interface NoticeMailInput {
  readonly kind: AccountNoticeKind
  /** Name of the provider. A passkey has none. */
  readonly providerName: string | null
  /** The host of the application. It comes from the configuration or a trusted origin, never from a header. */
  readonly host: string
}

/** Writes mails. */
export interface MailRenderer {
  /** The mail with a sign-in link: HTML and plain text that say the same. */
  signIn(input: SignInMailInput): Promise<MailMessage>
  /** The mail that tells the owner of an account of a way to sign in that was added or removed. */
  notice(input: NoticeMailInput): Promise<MailMessage>
}

/** Makes the writer of mails in the application's theme. Nothing is loaded before the first one. */
export function createMailRenderer({ theme }: PageSettings): MailRenderer {
  const look = resolveTheme(theme)
  return {
    async signIn({ url, host, lifetimeSeconds }) {
      const templates = await loadTemplates()
      const subject = `Sign in to ${host}`
      const data = { subject, url, host, lifetime: inWords(lifetimeSeconds), theme: look }
      return { subject, html: templates.render('mail/signin', data), text: templates.render('mail/signin.txt', data) }
    },
    async notice({ kind, providerName, host }) {
      const templates = await loadTemplates()
      const { subject, title, what, advice } = noticeTexts(kind, providerName ?? 'A provider', host)
      const data = { subject, title, what, advice, theme: look }
      return { subject, html: templates.render('mail/notice', data), text: templates.render('mail/notice.txt', data) }
    },
  }
}

const UNITS = [
  ['days', 24 * 60 * 60],
  ['hours', 60 * 60],
  ['minutes', 60],
] as const

/**
 * A lifetime in words, in the largest unit of which it has at least two. It is rounded down, so that no link expires
 * before the time that its mail names.
 */
export function inWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['seconds', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}
