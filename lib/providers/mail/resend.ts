import { bearer, mailApi } from './mail-api.js'

/** @see https://resend.com/docs/api-reference/emails/send-email */
export default mailApi({
  id: 'resend',
  name: 'Resend',
  endpoint: 'https://api.resend.com/emails',
  headers: ({ apiKey }) => bearer(apiKey),
  body: ({ from, to, message: { subject, html, text } }) => ({ from: from.text, to, subject, html, text }),
})
