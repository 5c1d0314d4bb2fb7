import type { MailMessage } from '../providers/provider.js'
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

/** Writes mails. */
export interface MailRenderer {
  /** The mail with a sign-in link: HTML and plain text that say the same. */
  signIn(input: SignInMailInput): Promise<MailMessage>
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
