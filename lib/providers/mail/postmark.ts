import { mailApi } from './mail-api.js'

/** Options of Postmark beside its server token. */
export interface PostmarkOptions {
  /** Id of the message stream; `outbound` by default. */
  messageStream?: string
}

/** @see https://postmarkapp.com/developer/api/email-api */
export default mailApi<PostmarkOptions>({
  id: 'postmark',
  name: 'Postmark',
  takes: ['messageStream'],
  endpoint: 'https://api.postmarkapp.com/email',
  headers: ({ apiKey }) => ({ accept: 'application/json', 'x-postmark-server-token': apiKey }),
  body: ({ from, to, message: { subject, html, text } }, { messageStream = 'outbound' }) => ({
    From: from.text,
    To: to,
    Subject: subject,
    TextBody: text,
    HtmlBody: html,
    MessageStream: messageStream,
  }),
  refuses: ({ ErrorCode }) => typeof ErrorCode === 'number' && ErrorCode !== 0,
})
