import { basic, mailApi } from './mail-api.js'

/** Options of Mailgun beside its key. */
export interface MailgunOptions {
  /** Where the account is; `US` by default. */
  region?: 'US' | 'EU'
  /** The sending domain at Mailgun; by default that of `from`. */
  domain?: string
}

const HOSTS = { US: 'api.mailgun.net', EU: 'api.eu.mailgun.net' }

/** @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages */
export default mailApi<MailgunOptions>({
  id: 'mailgun',
  name: 'Mailgun',
  takes: ['region', 'domain'],
  endpoint: ({ from }, { region = 'US', domain = from.address.split('@')[1] ?? '' }) =>
    `https://${HOSTS[region]}/v3/${encodeURIComponent(domain)}/messages`,
  headers: ({ apiKey }) => basic('api', apiKey),
  body({ from, to, message: { subject, html, text } }) {
    const form = new FormData()
    for (const [name, value] of Object.entries({ from: from.text, to, subject, html, text })) form.append(name, value)
    return form
  },
})
