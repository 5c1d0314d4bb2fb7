import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Resend from '../../../lib/providers/mail/resend.js'
import { type Running, startApp, testConfig } from '../../support/app.js'
import { submit } from '../../support/forms.js'
import { elements, visibleText } from '../../support/html.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import { openTestApp } from '../../support/test-app.js'
import type { Visitor } from '../../support/visitor.js'

const ADDRESS = 'ada@example.com'

describe('signing in with a mailed link', () => {
  let server: MailServer
  before(async () => {
    server = await startMailServer()
  })
  after(() => server.close())
  beforeEach(() => {
    server.delivered.length = 0
  })

  async function start(more: Partial<AuthConfig> = {}): Promise<Running> {
    const providers = [Nodemailer({ server: server.url, from: 'no-reply@example.com' })]
    return startApp(testConfig({ providers, adapter: memoryAdapter(), limits: false, ...more }))
  }

  /** Asks for a link by the form of the sign-in page. */
  async function ask(visitor: Visitor, email = ADDRESS) {
    const page = await visitor.get('/auth/signin?callbackUrl=/inbox')
    return submit(visitor, page, '/signin/nodemailer', { email })
  }

  const lastLink = () => {
    const [link = ''] = /http:\S+/.exec(server.delivered.at(-1)?.mail.text ?? '') ?? []
    const { pathname, search } = new URL(link)
    return pathname + search
  }

  const addressOf = async (visitor: Visitor) => (await visitor.session())?.user?.email

  for (const strategy of ['database', 'jwt'] as const) {
    describe(`with ${strategy} sessions`, () => {
      let app: Running
      before(async () => {
        app = await start({ session: { strategy }, pages: { newUser: '/welcome' } })
      })
      after(() => app.close())

      it('takes a visitor from the form to where they wanted to go, new ones by way of the welcome page', async () => {
        const ada = app.visitor()
        const asked = await ask(ada)
        expect(asked.status).to.equal(302)
        expect(asked.location?.pathname).to.equal('/auth/verify-request')
        expect(asked.location?.search).to.equal('?provider=nodemailer&type=email')
        const first = await ada.get(lastLink())
        expect(first.location?.pathname).to.equal('/welcome')
        expect(first.location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/inbox`)
        expect(await addressOf(ada)).to.equal(ADDRESS)
        expect([...ada.jar.keys()].filter((name) => name.includes('email-request'))).to.deep.equal([])

        const again = app.visitor()
        await ask(again)
        expect((await again.get(lastLink())).location?.pathname).to.equal('/inbox')
      })

      it('survives a scanner that opens every link with HEAD and GET, and asks on another device', async () => {
        const ada = app.visitor()
        await ask(ada)
        const link = lastLink()
        const scanner = app.visitor()
        for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
          const answer = await scanner.visit(link, { method, headers: { accept: 'text/html' } })
          expect(answer.status).to.equal(200)
        }
        expect(await addressOf(scanner)).to.equal(undefined)

        const phone = app.visitor()
        const page = await phone.get(link)
        expect(visibleText(page.text)).to.include(`as ${ADDRESS}`)
        expect(await addressOf(phone)).to.equal(undefined)
        const done = await submit(phone, page, '/callback/nodemailer')
        expect(done.location?.pathname).to.equal('/inbox')
        expect(await addressOf(phone)).to.equal(ADDRESS)
        expect((await ada.get(link)).location?.search).to.equal('?error=Verification')
      })

      // GHSA-hc7v-rggr-4hvx: one link, raced into several sessions
      it('makes one session of one link that is followed 50 times at once', async () => {
        const ada = app.visitor()
        await ask(ada)
        const link = lastLink()
        const copies = Array.from({ length: 50 }, () => ada.copy())
        const answers = await Promise.all(copies.map((copy) => copy.get(link)))
        expect(
          answers.filter(({ cookies }) => [...cookies.keys()].some((name) => name.includes('session-token'))),
        ).to.have.length(1)
        expect(answers.filter(({ location }) => location?.search === '?error=Verification')).to.have.length(49)
      })

      it('tells a script of another browser where the button is, and uses nothing up', async () => {
        const ada = app.visitor()
        await ask(ada)
        const link = lastLink()
        const other = app.visitor()
        const answer = await other.get(link, { 'x-auth-return-redirect': '1' })
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('content-type')).to.equal('application/json')
        expect(answer.headers.get('cache-control')).to.include('no-store')
        expect(answer.json()).to.deep.equal({ url: app.origin + link, confirm: true })
        expect(await addressOf(other)).to.equal(undefined)
        // Where the script sends its browser, the button is.
        const page = await other.get(answer.json().url)
        expect((await submit(other, page, '/callback/nodemailer')).location?.pathname).to.equal('/inbox')
        expect(await addressOf(other)).to.equal(ADDRESS)
      })

      it('tells a script of the browser that asked where it goes on', async () => {
        const ada = app.visitor()
        await ask(ada)
        const answer = await ada.get(lastLink(), { 'x-auth-return-redirect': '1' })
        expect(answer.json()).to.deep.equal({ url: `${app.origin}/inbox` })
        expect(await addressOf(ada)).to.equal(ADDRESS)
      })

      it('needs the token of the page: no other site can sign a visitor in', async () => {
        const mallory = app.visitor()
        await ask(mallory, 'mallory@example.com')
        const fields = Object.fromEntries(new URL(lastLink(), app.origin).searchParams)
        const victim = app.visitor()
        const answer = await victim.post('/auth/callback/nodemailer', fields)
        expect(answer.location?.search).to.equal('?error=MissingCSRF')
        expect(await addressOf(victim)).to.equal(undefined)
      })
    })
  }

  it('comes in the colours of the application', async () => {
    const app = await start({ theme: { brandColor: '#d9480f', colorScheme: 'light' } })
    await ask(app.visitor())
    const html = server.delivered[0]?.mail.html ?? ''
    expect(html).to.match(/class="button"[^>]*background-color:#d[0-9a-f]{5}/)
    expect(html).not.to.include('prefers-color-scheme')
    await app.close()
  })

  it('goes back to the form when the address is none, or the mail cannot be sent', async () => {
    const app = await start()
    const ada = app.visitor()
    const refused = await ask(ada, 'ada@example.com,mallory@example.com')
    expect(refused.location?.pathname).to.equal('/auth/signin')
    expect(refused.location?.search).to.equal('?error=EmailSignin')
    const page = await ada.get('/auth/signin?error=EmailSignin')
    expect(elements(page.text, 'input').some((input) => input.get('aria-describedby') === 'message')).to.equal(true)
    await app.close()
    const broken = await start({ providers: [Nodemailer({ server: 'smtp://127.0.0.1:1' })] })
    const visitor = broken.visitor()
    expect((await ask(visitor)).location?.search).to.equal('?error=EmailSignin&code=Unavailable')
    const { text } = await visitor.get('/auth/signin?error=EmailSignin&code=Unavailable')
    expect(text).to.include('We cannot send e-mails right now').and.not.include('Check the address')
    await broken.close()
  })

  it('sends the visitor where the signIn callback says, if it stays on the site', async () => {
    for (const [to, pathname] of [
      ['/join', '/join'],
      ['https://evil.example/', '/'],
    ] as const) {
      const app = await start({ callbacks: { signIn: ({ email }) => (email?.verificationRequest ? to : true) } })
      const answer = await ask(app.visitor())
      expect(answer.location?.origin).to.equal(app.origin)
      expect(answer.location?.pathname).to.equal(pathname)
      expect(server.delivered).to.deep.equal([])
      await app.close()
    }
  })

  it('is denied where the signIn callback refuses', async () => {
    const app = await start({ callbacks: { signIn: () => false } })
    expect((await ask(app.visitor())).location?.search).to.equal('?error=AccessDenied')
    expect(server.delivered).to.deep.equal([])
    await app.close()
  })

  it('is refused at start without an adapter, or without a key', () => {
    const env = { AUTH_RESEND_KEY: 'key' }
    expect(() => openTestApp({ providers: [Resend] }, { env })).to.throw('needs an adapter')
    expect(() => openTestApp({ providers: [Resend], adapter: memoryAdapter() })).to.throw('AUTH_RESEND_KEY')
    openTestApp({ providers: [Resend], adapter: memoryAdapter() }, { env })
  })
})
