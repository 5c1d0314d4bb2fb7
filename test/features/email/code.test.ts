import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, startSignIn } from '../../../lib/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import Email from '../../../lib/providers/email.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Resend from '../../../lib/providers/mail/resend.js'
import type { EmailUserConfig } from '../../../lib/providers/provider.js'
import { type Running, startApp, testConfig } from '../../support/app.js'
import { formsOf, submit } from '../../support/forms.js'
import { elements, visibleText } from '../../support/html.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import { openTestApp } from '../../support/test-app.js'
import { untyped } from '../../support/untyped.js'
import type { Answer, Visitor } from '../../support/visitor.js'

const ADDRESS = 'ada@example.com'
const CODE = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

describe('signing in with a mailed code', () => {
  let server: MailServer
  const apps: Running[] = []
  before(async () => {
    server = await startMailServer()
  })
  after(() => server.close())
  beforeEach(() => {
    server.delivered.length = 0
  })
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  })

  async function start(code: EmailUserConfig['code'], more: Partial<AuthConfig> = {}): Promise<Running> {
    const providers = [Nodemailer({ server: server.url, from: 'no-reply@example.com', code })]
    const app = await startApp(testConfig({ providers, adapter: memoryAdapter(), ...more }))
    apps.push(app)
    return app
  }

  /** Asks for a mail by the form of the sign-in page, and gives the page after it. */
  async function ask(visitor: Visitor, headers: Record<string, string> = {}): Promise<Answer> {
    const page = await visitor.get('/auth/signin?callbackUrl=/inbox', headers)
    const asked = await submit(visitor, page, '/signin/nodemailer', { email: ADDRESS }, headers)
    return visitor.get(asked.location?.href ?? '', headers)
  }

  const mail = () => {
    const newest = server.delivered.at(-1)?.mail
    if (!newest) throw new Error('no mail was sent')
    return { ...newest, code: CODE.exec(newest.text ?? '')?.[0] ?? '' }
  }
  const enter = (visitor: Visitor, page: Answer, emailCode: string) =>
    submit(visitor, page, '/callback/nodemailer', { emailCode })
  const codeIn = ({ text }: Answer) => {
    const field = elements(text, 'input').find((input) => input.get('name') === 'emailCode')
    return { isFocused: field?.has('autofocus'), describedBy: field?.get('aria-describedby') }
  }
  const addressOf = async (visitor: Visitor) => (await visitor.session())?.user?.email

  for (const strategy of ['database', 'jwt'] as const) {
    it(`takes a visitor from the code to where they wanted to go, with ${strategy} sessions`, async () => {
      const app = await start(true, { session: { strategy }, pages: { newUser: '/welcome' } })
      const ada = app.visitor()
      const done = await enter(ada, await ask(ada), mail().code)
      expect(done.location?.pathname).to.equal('/welcome')
      expect(done.location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/inbox`)
      expect(await addressOf(ada)).to.equal(ADDRESS)
      expect([...ada.jar.keys()].filter((name) => name.includes('email-request'))).to.deep.equal([])
      const again = app.visitor()
      expect((await enter(again, await ask(again), mail().code)).location?.pathname).to.equal('/inbox')
    })
  }

  it('shows the code beside the link, in text and HTML, and not in the subject', async () => {
    const app = await start(true)
    await ask(app.visitor())
    const { code, text = '', html = '', subject = '' } = mail()
    expect(visibleText(html)).to.include(code)
    expect(html).to.include(`dir="ltr"`)
    expect(text).to.match(/http:\S+\/auth\/callback\/nodemailer\?/)
    expect(text.replace(/\s+/g, ' '))
      .to.include('Or enter this code where you asked for it. It works once, within the next 10 minutes.')
      .and.include('within the next 24 hours')
    expect(subject).to.not.include(code)
    expect(text.split('\n').every((line) => line.length < 79 || line.startsWith('http'))).to.equal(true)
  })

  it("with code: 'only', mails no link, and says code where it would say link", async () => {
    const app = await start('only')
    const ada = app.visitor()
    expect(visibleText((await ada.get('/auth/signin')).text))
      .to.include('E-mail me a code')
      .and.include('a code that signs you in')
    const page = await ask(ada)
    const { code, text = '', html = '' } = mail()
    expect(text + visibleText(html)).to.not.match(/https?:|link/i)
    expect(html).to.not.include('<a ')
    expect(visibleText(page.text)).to.not.match(/link/i)
    expect((await enter(ada, page, code)).location?.pathname).to.equal('/inbox')
  })

  it('has one field on the page after the mail, for phones and password managers, and works without a script', async () => {
    const app = await start(true)
    const page = await ask(app.visitor())
    const input = elements(page.text, 'input').find((each) => each.get('name') === 'emailCode')
    expect(Object.fromEntries(input ?? [])).to.include({
      type: 'text',
      autocomplete: 'one-time-code',
      inputmode: 'text',
      autocapitalize: 'characters',
      spellcheck: 'false',
      dir: 'ltr',
      required: '',
    })
    expect(input?.get('maxlength')).to.equal(undefined)
    expect(page.text).to.not.include('<script')
    expect(page.headers.get('cache-control')).to.include('no-store')
    const words = visibleText(page.text)
    expect(words).to.include(
      `a mail to ${ADDRESS} . Open its link in this browser, or enter its code here. Code Sign in`,
    )
    expect(words).to.include('The code works once, within the next 10 minutes.').and.include('within the next 24 hours')
  })

  it('leads whoever is signed in on, without a word of signing in', async () => {
    const app = await start(true)
    const visitor = app.visitor()
    await enter(visitor, await ask(visitor), mail().code)
    expect(visibleText((await ask(visitor)).text)).to.include('or enter its code here. Code Continue')
  })

  it('takes a code however it is typed or pasted', async () => {
    const app = await start(true)
    const wide = (text: string) =>
      text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
    for (const typed of [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace('-', ''),
      (code: string) => ` ${code.replace('-', '\u00a0–\t')}\u2069 `,
      (code: string) => [...code].join(' '),
      wide,
    ]) {
      const ada = app.visitor()
      const done = await enter(ada, await ask(ada), typed(mail().code))
      expect(done.location?.pathname, typed.toString()).to.equal('/inbox')
    }
  })

  it('says that a code is wrong, leaves the field, and after five of them offers a new one', async () => {
    const app = await start('only')
    const ada = app.visitor()
    let page = await ask(ada)
    expect(codeIn(page)).to.deep.equal({ isFocused: true, describedBy: undefined })
    for (let tries = 0; tries < 4; tries += 1) {
      const refused = await enter(ada, page, 'BCDF-GHJK')
      expect(refused.location?.pathname).to.equal('/auth/verify-request')
      page = await ada.get(refused.location?.href ?? '')
      expect(visibleText(page.text)).to.include('That is not the code.')
      expect(codeIn(page)).to.deep.equal({ isFocused: true, describedBy: 'message' })
    }
    page = await ada.get((await enter(ada, page, 'BCDF-GHJK')).location?.href ?? '')
    expect(visibleText(page.text)).to.include('This code no longer works, there were too many wrong ones')
    expect(formsOf(page).map(({ action }) => new URL(action).pathname)).to.deep.equal(['/auth/signin/nodemailer'])
    const again = await submit(ada, page, '/signin/nodemailer')
    const next = await ada.get(again.location?.href ?? '')
    expect(visibleText(next.text)).to.include('We have sent a new code to').and.not.include('no longer works, or')
    expect((await enter(ada, next, mail().code)).location?.pathname).to.equal('/inbox')
  })

  it('says so when ten minutes are over, and in a browser that asked for none', async () => {
    const mails: string[] = []
    const provider = Email({ code: 'only', sendVerificationRequest: ({ code = '' }) => void mails.push(code) })
    const app = openTestApp({ providers: [provider], adapter: memoryAdapter() })
    const ada = app.browser()
    await ada.post('/auth/signin/email', { csrfToken: await ada.csrfToken(), email: ADDRESS })
    app.clock.advance(601)
    const late = await ada.get('/auth/verify-request')
    expect(visibleText(late.body)).to.include('This code no longer works').and.not.include('Enter it here')
    const other = app.browser()
    const refused = await other.post('/auth/callback/email', {
      csrfToken: await other.csrfToken(),
      emailCode: mails[0] ?? '',
    })
    expect(refused.location).to.equal(
      'http://app.example/auth/verify-request?provider=email&type=email&error=Verification&code=NoCode',
    )
    expect(visibleText((await other.get('/auth/verify-request?code=NoCode')).body)).to.include(
      'asked for in another browser',
    )
  })

  it('says nothing of a link on the page after the mail where there is none, or it is used up', async () => {
    const only = await start('only')
    const elsewhere = await only.visitor().get('/auth/verify-request?provider=nodemailer&type=email')
    expect(visibleText(elsewhere.text)).to.include('asked for in another browser').and.not.match(/link/i)
    expect(elements(elsewhere.text, 'a').map((a) => a.get('href'))).to.deep.equal([`${only.origin}/auth/signin`])
    const app = await start(true)
    const [ada, phone] = [app.visitor(), app.visitor()]
    const page = await ask(ada)
    const [link = ''] = /http:\S+/.exec(mail().text ?? '') ?? []
    await submit(phone, await phone.get(link), '/callback/nodemailer')
    expect(await addressOf(phone)).to.equal(ADDRESS)
    const refused = await ada.get((await enter(ada, page, mail().code)).location?.href ?? '')
    expect(visibleText(refused.text)).to.include('This code no longer works').and.not.match(/link/i)
  })

  it('leads whoever is signed in from the page after the mail to the one that says so', async () => {
    const app = await start(true)
    const ada = app.visitor()
    await enter(ada, await ask(ada), mail().code)
    const back = await ada.get('/auth/verify-request?provider=nodemailer&type=email')
    expect(back.location?.pathname).to.equal('/auth/signin')
    expect(visibleText((await ada.get(back.location?.href ?? '')).text)).to.include(`You are signed in as ${ADDRESS}`)
  })

  it('speaks the language of the visitor in page and mail', async () => {
    const app = await start(true)
    const ada = app.visitor()
    const page = await ask(ada, { 'accept-language': 'de' })
    expect(visibleText(page.text)).to.include('geben Sie hier den Code ein.')
    expect(mail().text).to.include('Oder geben Sie diesen Code dort ein')
    const arabic = app.visitor()
    expect(
      (await enter(arabic, await ask(arabic, { 'accept-language': 'ar' }), mail().code)).location?.pathname,
    ).to.equal('/inbox')
  })

  it('ends as a link ends: the same callbacks and events, with the same arguments', async () => {
    const seen: Record<'link' | 'code', unknown[]> = { link: [], code: [] }
    for (const way of ['link', 'code'] as const) {
      const note = (name: string) => (message: object) => {
        seen[way].push(name, JSON.stringify(message).replace(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '*'))
      }
      const app = await start(true, {
        events: { signIn: note('signIn'), createUser: note('createUser') },
        callbacks: {
          signIn(params) {
            note('asked')(params)
            return true
          },
        },
      })
      const ada = app.visitor()
      const page = await ask(ada)
      const [link = ''] = /http:\S+/.exec(mail().text ?? '') ?? []
      if (way === 'link') await ada.get(link)
      else await enter(ada, page, mail().code)
      expect(await addressOf(ada)).to.equal(ADDRESS)
    }
    expect(seen.code).to.deep.equal(seen.link)
    expect(seen.code).to.have.length(8)
  })

  it('keeps a visitor signed in who has asked for that with the mail', async () => {
    const app = await start(true, { session: { remember: { maxAge: 3_000_000 } } })
    const ends = []
    for (const remember of ['', 'on']) {
      const ada = app.visitor()
      const form = await ada.get('/auth/signin')
      const asked = await submit(ada, form, '/signin/nodemailer', { email: ADDRESS, ...(remember && { remember }) })
      const page = await ada.get(asked.location?.href ?? '')
      const { setCookie } = await enter(ada, page, mail().code)
      ends.push(setCookie.some((text) => text.includes('session-token') && /max-age|expires/i.test(text)))
    }
    expect(ends[1]).to.equal(true)
  })

  it('tells a script what became of a code, as a form and as JSON', async () => {
    const app = await start(true)
    const ada = app.visitor()
    await ask(ada)
    const csrfToken = await ada.csrfToken()
    const script = { 'x-auth-return-redirect': '1' }
    const wrong = await ada.postJson('/auth/callback/nodemailer', { csrfToken, emailCode: 'BCDFGHJK' }, script)
    expect(wrong.status).to.equal(200)
    expect(new URL(wrong.json().url).search).to.equal(
      '?provider=nodemailer&type=email&error=Verification&code=WrongCode',
    )
    const right = await ada.postJson(
      '/auth/callback/nodemailer',
      { csrfToken, emailCode: mail().code, callbackUrl: '/next' },
      script,
    )
    expect(right.json()).to.deep.equal({ url: `${app.origin}/next` })
    expect(await addressOf(ada)).to.equal(ADDRESS)
  })

  it('goes on while the secret is exchanged', async () => {
    const [before, after] = ['a first secret that is long enough', 'another secret that is long enough']
    const mails: string[] = []
    const provider = Email({ code: true, sendVerificationRequest: ({ code = '' }) => void mails.push(code) })
    const adapter = memoryAdapter()
    const open = (secret: string | string[]) => openTestApp({ providers: [provider], adapter, secret })
    const asked = open(before).browser()
    await asked.post('/auth/signin/email', { csrfToken: await asked.csrfToken(), email: ADDRESS })
    const ada = open([after, before]).browser()
    for (const [name, cookie] of asked.jar) if (name.includes('email-request')) ada.jar.set(name, cookie)
    await ada.post('/auth/callback/email', { csrfToken: await ada.csrfToken(), emailCode: mails[0] ?? '' })
    expect((await ada.session())?.user?.email).to.equal(ADDRESS)
  })

  it('leads back to a page of the application, with what went wrong', async () => {
    const app = await start(true, { pages: { verifyRequest: '/mail-sent' } })
    const ada = app.visitor()
    await ask(ada)
    const csrfToken = await ada.csrfToken()
    const refused = await ada.post('/auth/callback/nodemailer', { csrfToken, emailCode: 'BCDFGHJK' })
    const own = await ada.get(refused.location?.href ?? '')
    expect(own.location?.pathname).to.equal('/mail-sent')
    expect(Object.fromEntries(own.location?.searchParams ?? [])).to.include({
      error: 'Verification',
      code: 'WrongCode',
    })
  })

  it('takes a code from a route of the application', async () => {
    const config = testConfig({
      providers: [Nodemailer({ server: server.url, from: 'no-reply@example.com', code: true })],
      adapter: memoryAdapter(),
    })
    const app = await startApp(config, (express) => {
      express.post('/enter/:code', (req, res) =>
        startSignIn(req, res, config, 'nodemailer', { fields: { emailCode: req.params.code }, redirectTo: '/inbox' }),
      )
    })
    apps.push(app)
    const ada = app.visitor()
    await ask(ada)
    const done = await ada.post(`/enter/${mail().code}`, {}, { origin: app.origin })
    expect(done.location?.pathname).to.equal('/inbox')
    expect(await addressOf(ada)).to.equal(ADDRESS)
  })

  it('stands beside a password form that has a field of the same purpose', async () => {
    const password = Credentials({
      credentials: { email: { type: 'email' }, password: { type: 'password' }, code: {} },
      authorize: () => null,
    })
    const provider = Nodemailer({ server: server.url, from: 'no-reply@example.com', code: true })
    const app = await start(true, { providers: [password, provider] })
    const ada = app.visitor()
    const form = await ada.get('/auth/signin')
    const csrfToken = formsOf(form)[0]?.fields['csrfToken'] ?? ''
    const asked = await ada.post('/auth/signin/nodemailer', { csrfToken, email: ADDRESS })
    const page = await ada.get(asked.location?.href ?? '')
    expect((await enter(ada, page, mail().code)).location?.pathname).to.equal('/')
  })
})

describe('the option code of an e-mail provider', () => {
  const start = (options: EmailUserConfig, adapter: Adapter = memoryAdapter()) =>
    openTestApp({ adapter, providers: [Resend({ apiKey: 'k', from: 'a@b.example', ...options })] })

  it('is true, false or only', () => {
    for (const code of [true, false, 'only', undefined] as const) start({ code })
    expect(() => start(untyped({ code: 'onyl' }))).to.throw(
      '`code` is "onyl"; it must be "only", or a boolean, true or false. Did you mean "only"?',
    )
  })

  it('needs records in the adapter, and the start says what is missing', () => {
    const { createRecord: _create, updateRecord: _update, ...foreign } = memoryAdapter()
    expect(() => start({ code: true }, foreign)).to.throw(
      'Provider "resend" mails codes, and the adapter lacks createRecord, updateRecord, with which their tries are counted. Use an adapter of Latchkey, or leave out `code`.',
    )
    start({}, foreign)
  })

  it("with 'only', refuses what is about links, and a longer life than a code has", () => {
    expect(() => start({ code: 'only', confirm: 'never' })).to.throw(
      "has `code: 'only'` and `confirm`, but its mails have no link. Leave one of them out.",
    )
    expect(() => start({ code: 'only', generateVerificationToken: () => 'x'.repeat(20) })).to.throw(
      '`generateVerificationToken`',
    )
    expect(() => start({ code: 'only', maxAge: 601 })).to.throw('`maxAge` of more than 600 seconds')
    start({ code: 'only', maxAge: 300 })
    start({ code: true, confirm: 'always', maxAge: 86_400, generateVerificationToken: () => 'x'.repeat(20) })
  })
})
