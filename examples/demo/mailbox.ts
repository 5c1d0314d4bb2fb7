import { type Response, Router } from 'express'
// Your own application imports from 'latchkey'.
import type { MailingEmailConfig, MailMessage } from '../../lib/index.js'
import { type Html, html } from './html.js'
import { type Page, sendPage } from './layout.js'

/** A mail that was "sent". */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly sentAt: Date
}

/** It receives all mail of the demo. No mail leaves this machine. */
export interface Mailbox {
  readonly send: MailingEmailConfig['sendVerificationRequest']
  readonly notify: NonNullable<MailingEmailConfig['sendNotification']>
  /** The pages that show the mails. Every visitor may read every mail, because the demo has only local visitors. */
  pages(corner: (res: Response) => Html): Router
}

/** How many mails are kept. The oldest are deleted first. */
const KEPT = 50

/** A mailbox in memory. It is lost when the process ends. */
export function createMailbox(): Mailbox {
  const mails = new Map<number, Mail>()
  let last = 0

  const keep = (to: string, { subject, html, text }: MailMessage) => {
    mails.set(++last, { to, subject, html, text, sentAt: new Date() })
    mails.delete(last - KEPT)
  }
  const send: Mailbox['send'] = ({ identifier, url, message }) =>
    keep(identifier, message ?? { subject: 'Sign in', html: '', text: url })
  const notify: Mailbox['notify'] = ({ identifier, message }) => keep(identifier, message)

  const pages: Mailbox['pages'] = (corner) => {
    const show = (res: Response, page: Omit<Page, 'site'>) =>
      sendPage(res, { ...page, site: 'app', corner: corner(res) })
    return Router()
      .get('/', (req, res) => {
        const isFresh = req.query.type === 'email'
        show(res, { title: 'Mailbox', body: list([...mails].reverse(), isFresh) })
      })
      .get('/:number', (req, res, next) => {
        const mail = mails.get(Number(req.params.number))
        if (!mail) return next()
        show(res, { title: mail.subject, body: single(req.params.number, mail), frames: ["'self'"] })
      })
      .get('/:number/html', (req, res, next) => {
        const mail = mails.get(Number(req.params.number))
        if (!mail) return next()
        // A mail is HTML that may contain anything. So it gets its own origin, runs no script and loads nothing. Its
        // links open outside the frame, as in a mail program.
        const policy = [
          "default-src 'none'",
          "style-src 'unsafe-inline'",
          "frame-ancestors 'self'",
          'sandbox allow-top-navigation-by-user-activation',
        ]
        res
          .set({ 'content-security-policy': policy.join('; '), 'x-content-type-options': 'nosniff' })
          .type('html')
          .send(mail.html.replace('<head>', '<head>\n<base target="_top">'))
      })
  }

  return { send, notify, pages }
}

const list = (mails: readonly (readonly [number, Mail])[], isFresh: boolean): Html => html`
  <h1>Mailbox</h1>
  <p class="lead">This page shows all mail that the app sends, to any address. No mail leaves your machine. Your own app sends
    mail by SMTP or through a mail service.</p>
  ${isFresh ? html`<p class="note" role="status">The app has sent a mail with a link. It is the first one in the list.</p>` : ''}
  <section class="card">
    <h2>${mails.length === 0 ? 'No mail yet' : 'Received mail'}</h2>
    ${
      mails.length === 0
        ? html`<p>Enter any address on the <a href="/auth/signin?callbackUrl=/account">sign-in page</a>. The mail with the link then appears here.</p>`
        : html`<ul class="mails">${mails.map(
            ([number, { to, subject, sentAt }]) => html`<li>
              <a href="/mailbox/${number}">${subject}</a>
              <span class="muted">to ${to}</span>
              <span class="muted">${timeOf(sentAt)}</span>
            </li>`,
          )}</ul>`
    }
  </section>`

const single = (number: string, { to, subject, text, sentAt }: Mail): Html => html`
  <p><a href="/mailbox">All mail</a></p>
  <h1>${subject}</h1>
  <p class="lead">To ${to}, ${timeOf(sentAt)}</p>
  <div class="grid">
    <section class="card">
      <h2>As HTML</h2>
      <iframe class="mail" src="/mailbox/${number}/html" title="The mail as HTML"
        sandbox="allow-top-navigation-by-user-activation"></iframe>
      <p class="muted fine">In the browser that asked for the link, the button signs you in at once. If you copy the link into another
        browser, a page asks you first.</p>
    </section>
    <section class="card">
      <h2>As text</h2>
      <pre>${text.trim()}</pre>
    </section>
  </div>`

const timeOf = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toLocaleTimeString('en-GB')}</time>`
