import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, CredentialsSignin } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { elements, visibleText } from '../support/html.js'
import { openTestApp, type TestBrowser, type TestResponse } from '../support/test-app.js'

const HTML = { accept: 'text/html' }
const COOKIE = 'authjs.note'
const ADA = 'ada@example.com'
const PASSWORD = 'correct horse'

const password = (credentials: Parameters<typeof Credentials>[0]['credentials'], id = 'credentials') =>
  Credentials({
    id,
    credentials,
    authorize: () => {
      throw new CredentialsSignin()
    },
  })

const brokenMail = () =>
  Email({
    from: 'us@example.com',
    sendVerificationRequest: () => {
      throw new Error('The mail server does not answer.')
    },
  })

const FIELDS = { email: { type: 'email' }, password: { type: 'password' } }

const open = (config: Partial<AuthConfig> = {}) =>
  openTestApp({
    adapter: memoryAdapter(),
    session: { strategy: 'jwt', remember: { maxAge: 90 * 24 * 3600 } },
    providers: [password(FIELDS), brokenMail()],
    ...config,
  })

/** Submits a form, and follows the redirect to the page that shows why it failed. */
async function submit(browser: TestBrowser, path: string, fields: Record<string, string>) {
  const csrfToken = fields['csrfToken'] ?? (await browser.csrfToken())
  const answer = await browser.post(path, { csrfToken, ...fields }, HTML)
  const target = new URL(answer.location ?? '')
  return { answer, target, page: await browser.get(target.pathname + target.search, HTML) }
}

const inputOf = ({ body }: TestResponse, name: string) =>
  elements(body, 'input').find((input) => input.get('name') === name)
const entryOf = (page: TestResponse, name: string) => inputOf(page, name)?.get('value')

describe('what a visitor has entered', () => {
  it('stays in the form after a wrong password, and the cursor is in the field of the password', async () => {
    const { page } = await submit(open().browser(), '/auth/callback/credentials', { email: ADA, password: PASSWORD })
    expect(visibleText(page.body)).to.include('Those details do not match')
    expect(entryOf(page, 'email')).to.equal(ADA)
    expect(inputOf(page, 'password')?.has('autofocus')).to.equal(true)
    expect(inputOf(page, 'password')?.get('aria-describedby')).to.equal('message')
  })

  it('stays after a mail that could not be sent, and the cursor is in the field of the address', async () => {
    const { page } = await submit(open().browser(), '/auth/signin/email', { email: ADA, password: '' })
    expect(visibleText(page.body)).to.include('We cannot send e-mails right now')
    expect(entryOf(page, 'email')).to.equal(ADA)
    expect(inputOf(page, 'email')?.has('autofocus')).to.equal(true)
  })

  it('stays, if it is no address, so that it can be corrected', async () => {
    const { page } = await submit(open().browser(), '/auth/signin/email', { email: 'ada@example,com' })
    expect(entryOf(page, 'email')).to.equal('ada@example,com')
  })

  it('stays after a form that was open for too long, as do the tick, the return target and the message in its place', async () => {
    const { page } = await submit(open().browser(), '/auth/callback/credentials', {
      csrfToken: 'old',
      email: ADA,
      password: PASSWORD,
      callbackUrl: '/inbox',
      remember: 'on',
    })
    expect(visibleText(page.body)).to.include('This page was open for too long')
    expect(page.body).to.match(/<form[^>]*>(?:(?!<\/form>).)*id="message"/s)
    expect(entryOf(page, 'email')).to.equal(ADA)
    expect(entryOf(page, 'callbackUrl')).to.equal('http://app.example/inbox')
    expect(inputOf(page, 'remember')?.has('checked')).to.equal(true)
  })

  it('keeps the return target of its form, whatever another tab opened meanwhile', async () => {
    const ada = open().browser()
    await ada.get('/auth/signin?callbackUrl=/other')
    const { page } = await submit(ada, '/auth/callback/credentials', {
      email: ADA,
      password: PASSWORD,
      callbackUrl: '/inbox',
    })
    expect(entryOf(page, 'callbackUrl')).to.equal('http://app.example/inbox')
  })

  it('is filled into the form that failed, and into no other', async () => {
    const providers = [password({ username: {}, password: { type: 'password' } }), password({ username: {} }, 'ldap')]
    const { page } = await submit(open({ providers }).browser(), '/auth/callback/ldap', { username: 'ada' })
    const names = elements(page.body, 'input').filter((input) => input.get('name') === 'username')
    expect(names.map((input) => input.get('value'))).to.deep.equal([undefined, 'ada'])
    expect(page.body.indexOf('id="message"')).to.be.above(page.body.indexOf('/auth/callback/ldap'))
  })

  it('is no password, no code, and nothing of which that is not known', async () => {
    const fields = {
      username: {},
      password: { type: 'password' },
      shown: { type: 'text', autocomplete: 'current-password' },
      otp: {},
      answer: { label: 'Name of your first pet' },
      organisation: { autocomplete: 'organization' },
      tick: { type: 'checkbox', value: 'yes' },
    }
    const entered = Object.fromEntries(Object.keys(fields).map((name) => [name, `${name} of ada`]))
    const { page, answer } = await submit(
      open({ providers: [password(fields)] }).browser(),
      '/auth/callback/credentials',
      entered,
    )
    const shown = Object.keys(fields).filter((name) => page.body.includes(`${name} of ada`))
    expect(shown).to.deep.equal(['username', 'organisation'])
    expect(answer.setCookies.find(({ name }) => name === COOKIE)?.value).to.have.length.below(600)
  })

  it('is in no URL, and cannot be read in the cookie', async () => {
    const { answer, target } = await submit(open().browser(), '/auth/callback/credentials', { email: ADA })
    expect(target.href).not.to.include('ada')
    const cookie = answer.setCookies.find(({ name }) => name === COOKIE)
    expect(cookie).to.include({ httpOnly: true, maxAge: 120 })
    const parts = (cookie?.value ?? '').split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(parts.join()).not.to.include('ada')
  })

  it('is shown once, and not without an error', async () => {
    const { browser } = open()
    const ada = browser()
    const { target } = await submit(ada, '/auth/callback/credentials', { email: ADA })
    expect(entryOf(await ada.get(target.pathname + target.search, HTML), 'email')).not.to.equal(ADA)
    await ada.post('/auth/callback/credentials', { csrfToken: await ada.csrfToken(), email: ADA }, HTML)
    expect(entryOf(await ada.get('/auth/signin', HTML), 'email')).not.to.equal(ADA)
    expect(ada.jar.has(COOKIE)).to.equal(false)
  })

  it('is forgotten after two minutes', async () => {
    const { browser, clock } = open()
    const ada = browser()
    await ada.post('/auth/callback/credentials', { csrfToken: await ada.csrfToken(), email: ADA }, HTML)
    const kept = ada.jar.get(COOKIE)?.value ?? ''
    clock.advance(120 + 16)
    ada.plant(COOKIE, kept)
    expect(entryOf(await ada.get('/auth/signin?error=CredentialsSignin', HTML), 'email')).not.to.equal(ADA)
  })

  it('is harmless, whatever it is', async () => {
    const name = '"><script>alert(1)</script>'
    const { page } = await submit(open().browser(), '/auth/callback/credentials', { email: name })
    expect(entryOf(page, 'email')).to.equal(name)
    expect(page.body).not.to.include('<script>alert')
    for (const value of ['a\nb', 'x'.repeat(255)]) {
      const { answer } = await submit(open().browser(), '/auth/callback/credentials', { email: value })
      expect(answer.setCookies.map(({ name }) => name)).not.to.include(COOKIE)
    }
  })

  for (const [what, path, config, headers] of [
    ['another site sent the form', '/auth/callback/credentials', {}, { ...HTML, 'sec-fetch-site': 'cross-site' }],
    ['a script sent the form', '/auth/callback/credentials', {}, { accept: 'application/json' }],
    ['the sign-in page is one of the application', '/auth/callback/credentials', { pages: { signIn: '/login' } }, HTML],
  ] as const) {
    it(`is not kept when ${what}`, async () => {
      const ada = open(config).browser()
      const { status, setCookies } = await ada.post(path, { csrfToken: await ada.csrfToken(), email: ADA }, headers)
      expect(status).to.be.oneOf([302, 303, 403])
      expect(setCookies.map(({ name }) => name)).not.to.include(COOKIE)
    })
  }

  it('does not count for a sign-in that succeeds', async () => {
    const providers = [Credentials({ credentials: FIELDS, authorize: () => ({ id: '1' }) }), brokenMail()]
    const ada = open({ providers }).browser()
    const { setCookies } = await ada.post(
      '/auth/callback/credentials',
      { csrfToken: await ada.csrfToken(), email: ADA },
      HTML,
    )
    expect(setCookies.map(({ name }) => name)).not.to.include(COOKIE)
  })
})

describe('the note to the sign-in page', () => {
  const wrong = (fields: Record<string, string>) => ({ email: ADA, password: PASSWORD, ...fields })

  it('leads nowhere that the redirect callback does not allow at the host that reads it', async () => {
    let allows = true
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) => (allows ? url : baseUrl)
    const ada = open({ callbacks: { redirect } }).browser()
    const csrfToken = await ada.csrfToken()
    const fields = wrong({ csrfToken, callbackUrl: '/inbox' })
    await ada.post('/auth/callback/credentials', fields, HTML)
    allows = false
    const page = await ada.get('/auth/signin?error=CredentialsSignin&code=credentials', HTML)
    expect(entryOf(page, 'callbackUrl')).to.equal('http://app.example')
  })

  it('WEB-02: has nothing of a form of another site', async () => {
    const ada = open().browser()
    const fields = wrong({ csrfToken: 'x', callbackUrl: '/chosen', remember: 'on' })
    await ada.post('/auth/callback/credentials', fields, { ...HTML, 'sec-fetch-site': 'cross-site' })
    expect(ada.jar.has(COOKIE)).to.equal(false)
  })

  it('of an earlier failure is deleted by one that has nothing to say', async () => {
    const ada = open().browser()
    await ada.post('/auth/callback/credentials', wrong({ csrfToken: 'x', callbackUrl: '/inbox' }), HTML)
    expect(ada.jar.has(COOKIE)).to.equal(true)
    await ada.post('/auth/callback/credentials', { csrfToken: 'x' }, HTML)
    expect(ada.jar.has(COOKIE)).to.equal(false)
  })

  it('leaves out what would make it too long for browsers, and keeps the tick', async () => {
    const names = Array.from({ length: 10 }, (_, index) => [`name${index}`, { autocomplete: 'username' }])
    const ada = open({ providers: [password(Object.fromEntries(names))] }).browser()
    const entered = Object.fromEntries(names.map(([name]) => [name, 'ж'.repeat(250)]))
    const { page, answer } = await submit(ada, '/auth/callback/credentials', { ...entered, remember: 'on' })
    expect(answer.setCookies.find(({ name }) => name === COOKIE)?.value).to.have.length.below(3801)
    expect(inputOf(page, 'remember')?.has('checked')).to.equal(true)
  })
})
