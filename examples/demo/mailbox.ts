import { type Response, Router } from 'express'
// In an application of your own: from 'latchkey'.
import type { MailingEmailConfig } from '../../lib/index.js'
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

/** Where the demo's mail ends up: nothing leaves this machine. */
export interface Mailbox {
  readonly send: MailingEmailConfig['sendVerificationRequest']
  /** The pages that show it. Everybody may read everything, since nobody else is here. */
  pages(corner: (res: Response) => Html): Router
}

/** More than anybody will look at; the oldest go first. */
const KEPT = 50

/** A mailbox in memory, gone with the process. */
export function createMailbox(): Mailbox {
  const mails = new Map<number, Mail>()
  let last = 0

  const send: Mailbox['send'] = ({ identifier, url, message }) => {
    const { subject, html, text } = message ?? { subject: 'Sign in', html: '', text: url }
    mails.set(++last, { to: identifier, subject, html, text, sentAt: new Date() })
    mails.delete(last - KEPT)
  }

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
        // A mail is somebody else's HTML: it gets an origin of its own, no script, and nothing from anywhere. Its links lead
        // out of the frame, as those of a mail program do.
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

  return { send, pages }
}

const list = (mails: readonly (readonly [number, Mail])[], isFresh: boolean): Html => html`
  <h1>Mailbox</h1>
  <p class="lead">Mail that this app sends ends up here, whoever it is for; nothing leaves your machine. In an app of your own
    it goes out by SMTP or through a service.</p>
  ${isFresh ? html`<p class="note" role="status">A mail with a link is on its way. It is the first in the list.</p>` : ''}
  <section class="card">
    <h2>${mails.length === 0 ? 'No mail yet' : 'Received'}</h2>
    ${
      mails.length === 0
        ? html`<p>Enter any address on the <a href="/auth/signin?callbackUrl=/private">sign-in page</a>, and the link for it arrives here.</p>`
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
      <p class="muted small">The button signs in at once in the browser that asked for the link. Copy the address into another
        browser, and it asks first.</p>
    </section>
    <section class="card">
      <h2>As text</h2>
      <pre>${text.trim()}</pre>
    </section>
  </div>`

const timeOf = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toLocaleTimeString('en-GB')}</time>`
