import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { createTransport } from 'nodemailer'
import { EmailSignInError } from '../../../lib/kernel/errors.js'
import Email from '../../../lib/providers/email.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import { ADDRESS, ORIGIN, openMailFlow } from '../../support/mailbox.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'

const FROM = '"Example, Inc." <no-reply@example.com>'

describe('a link sent over SMTP', () => {
  let server: MailServer

  before(async () => {
    server = await startMailServer((address) => address.startsWith('nobody@'))
  })
  after(() => server.close())
  beforeEach(() => {
    server.delivered.length = 0
  })

  it('arrives, in HTML and in plain text, and signs in', async () => {
    const { browser, log } = openMailFlow({ provider: Nodemailer({ server: server.url, from: FROM }) })
    const ada = browser()
    await ada.ask()
    expect(server.delivered).to.have.length(1)
    const [delivered] = server.delivered
    expect(delivered?.from).to.equal('no-reply@example.com')
    expect(delivered?.to).to.deep.equal([ADDRESS])
    expect(delivered?.mail.from).to.include({ name: 'Example, Inc.', address: 'no-reply@example.com' })
    expect(delivered?.mail.to?.map(({ address }) => address)).to.deep.equal([ADDRESS])
    expect(delivered?.mail.subject).to.equal('Sign in to app.example')
    expect(delivered?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value).to.equal('auto-generated')
    const [inText = ''] = /https:\S+/.exec(delivered?.mail.text ?? '') ?? []
    const [, inHtml = ''] = /<a class="button" href="([^"]+)"/.exec(delivered?.mail.html ?? '') ?? []
    expect(inText.startsWith(`${ORIGIN}/auth/callback/nodemailer?callbackUrl=`)).to.equal(true)
    expect(inHtml.replaceAll('&amp;', '&')).to.equal(inText)

    const scanner = browser()
    for (let visit = 0; visit < 3; visit++) expect((await scanner.open(inText)).kind).to.equal('confirm')
    expect((await ada.open(inText)).kind).to.equal('identity')
    expect(log.errors).to.deep.equal([])
  })

  for (const [what, provider] of [
    ['an object', () => Nodemailer({ server: { host: '127.0.0.1', port: server.port }, from: FROM })],
    ['a pool', () => Nodemailer({ server: { host: '127.0.0.1', port: server.port, pool: true }, from: FROM })],
    ['a transport', () => Nodemailer({ server: createTransport(server.url), from: FROM })],
    ['Email, as in older configurations', () => Email({ server: server.url, from: FROM })],
  ] as const) {
    it(`takes its server as ${what}`, async () => {
      const { browser } = openMailFlow({ provider: provider() })
      await browser().ask()
      await browser().ask('grace@example.com')
      expect(server.delivered.map(({ to }) => to)).to.deep.equal([[ADDRESS], ['grace@example.com']])
    })
  }

  it('goes to nobody for an address that mailers could read another way', async () => {
    const { browser } = openMailFlow({ provider: Nodemailer({ server: server.url, from: FROM }) })
    for (const address of [
      '"attacker@evil.example"@example.com',
      'attacker@evil.example,ada@example.com',
      'attacker@evil.example\uff0cada@example.com',
      'attacker\uff20evil.example@example.com',
      'Ada <attacker@evil.example>',
      'ada@example.com\r\nBcc: attacker@evil.example',
      ['ada@example.com', 'attacker@evil.example'],
      { address: 'attacker@evil.example' },
      null,
      '',
    ]) {
      const error = await browser()
        .ask(address)
        .catch((reason: Error) => reason)
      expect(error, JSON.stringify(address)).to.be.instanceOf(EmailSignInError)
    }
    expect(server.delivered).to.deep.equal([])
  })

  it('goes to one mailbox, or to none, even where the application takes any text for an address', async () => {
    const { browser } = openMailFlow({
      provider: Nodemailer({ server: server.url, from: FROM, normalizeIdentifier: (entered) => entered }),
    })
    for (const address of [
      'ada@example.com, attacker@evil.example',
      '"attacker@evil.example"@example.com',
      'a＠b.example',
    ]) {
      const error = await browser()
        .ask(address)
        .catch((reason: EmailSignInError) => reason)
      expect((error as EmailSignInError).cause?.err?.message).to.match(/not one plain e-mail address/)
    }
    expect(server.delivered).to.deep.equal([])
  })

  it('names recipient and sender as objects, their domains as mail servers know them', async () => {
    const sent: { to: object; from: object; envelope: object }[] = []
    const sendMail = async (mail: (typeof sent)[number]) => {
      sent.push(mail)
      return {}
    }
    const { browser } = openMailFlow({ provider: Nodemailer({ server: { sendMail }, from: FROM }) })
    await browser().ask('Ada@Bücher.example')
    expect(sent[0]?.to).to.deep.equal({ name: '', address: 'ada@xn--bcher-kva.example' })
    expect(sent[0]?.from).to.deep.equal({ name: 'Example, Inc.', address: 'no-reply@example.com' })
    expect(sent[0]?.envelope).to.deep.equal({ from: 'no-reply@example.com', to: ['ada@xn--bcher-kva.example'] })
  })

  // CVE-2022-31127: the address was shown in the mail as HTML
  it('shows nothing in the mail of what a stranger typed', async () => {
    const { browser } = openMailFlow({
      provider: Nodemailer({ server: server.url, from: FROM, normalizeIdentifier: (entered) => entered }),
    })
    const payload = "'<h1>free</h1><a/href=evil.example>'@example.com"
    const error = await browser()
      .ask(payload)
      .catch((reason: Error) => reason)
    expect(error, 'no plain address').to.be.instanceOf(EmailSignInError)
    await browser().ask('win+evil.example/prize@example.com')
    const [{ mail } = expect.fail('no mail')] = server.delivered
    const words = `${mail.subject} ${mail.text} ${mail.html}`.replaceAll(/https:[^\s"<]+/g, '')
    expect(words).to.not.match(/evil|prize|win\+/)
  })

  it('fails when the server turns the recipient away', async () => {
    const { browser } = openMailFlow({ provider: Nodemailer({ server: server.url, from: FROM }) })
    const error = await browser()
      .ask('nobody@example.com')
      .catch((reason: Error) => reason)
    expect(error).to.be.instanceOf(EmailSignInError)
    expect(server.delivered).to.deep.equal([])
  })

  it('fails when a transport says that it rejected or still keeps it', async () => {
    for (const result of [{ rejected: [ADDRESS] }, { pending: [ADDRESS] }]) {
      const { browser } = openMailFlow({ provider: Nodemailer({ server: { sendMail: async () => result } }) })
      const error = await browser()
        .ask()
        .catch((reason: EmailSignInError) => reason)
      expect((error as EmailSignInError).cause?.err?.message).to.match(/did not take the recipient/)
    }
  })

  it('fails when nobody listens, and when somebody listens and says nothing', async () => {
    const mute = createServer()
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    for (const url of ['smtp://127.0.0.1:1', `smtp://127.0.0.1:${port}`]) {
      const { browser } = openMailFlow({ provider: Nodemailer({ server: url, from: FROM }), sendTimeoutMs: 100 })
      const error = await browser()
        .ask()
        .catch((reason: Error) => reason)
      expect(error).to.be.instanceOf(EmailSignInError)
    }
    mute.close()
  })
})
