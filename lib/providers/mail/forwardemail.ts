import { basic, mailApi } from './mail-api.js'

/** @see https://forwardemail.net/en/email-api */
export default mailApi({
  id: 'forwardemail',
  name: 'Forward Email',
  endpoint: 'https://api.forwardemail.net/v1/emails',
  headers: ({ apiKey }) => basic(apiKey, ''),
  body: ({ from, to, message: { subject, html, text } }) => ({ from: from.text, to, subject, html, text }),
})
