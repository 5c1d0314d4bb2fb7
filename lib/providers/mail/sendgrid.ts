import { bearer, mailApi } from './mail-api.js'

/** Options of SendGrid beside its key. */
export interface SendGridOptions {
  /** Where the account is; `global` by default. */
  region?: 'global' | 'EU'
}

const HOSTS = { global: 'api.sendgrid.com', EU: 'api.eu.sendgrid.com' }

/** @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
export default mailApi<SendGridOptions>({
  id: 'sendgrid',
  name: 'SendGrid',
  takes: ['region'],
  endpoint: (_mail, { region = 'global' }) => `https://${HOSTS[region]}/v3/mail/send`,
  headers: ({ apiKey }) => bearer(apiKey),
  body: ({ from: { name, address }, to, message: { subject, html, text } }) => ({
    personalizations: [{ to: [{ email: to }] }],
    from: { email: address, ...(name && { name }) },
    subject,
    // Plain text first: the API refuses the other order.
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
  }),
})
