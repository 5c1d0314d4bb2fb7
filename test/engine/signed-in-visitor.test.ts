import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/config/options.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Passkey from '../../lib/providers/passkey.js'
import { ADA, testConfig } from '../support/app.js'
import { elements, visibleText } from '../support/html.js'
import { askForLink, Mailbox } from '../support/sign-ins.js'
import { openTestApp, sessionCookies } from '../support/test-app.js'

describe('the sign-in page for somebody who is signed in', () => {
  it('says who is signed in, and offers to continue or to sign out', async () => {
    const ada = await openTestApp().signedIn()
    const { body } = await ada.get('/auth/signin?callbackUrl=/inbox')
    expect(visibleText(body)).to.match(/You are signed in as\s+\S+@\S+/)
    const links = elements(body, 'a').map((link) => link.get('href'))
    expect(links).to.deep.equal([
      'http://app.example/inbox',
      'http://app.example/auth/signout?callbackUrl=http%3A%2F%2Fapp.example%2Finbox',
    ])
  })

  it('says what a sign-in would do: another session, or an account more at a provider with stored users', async () => {
    const textWith = async (options: Partial<AuthConfig>) => {
      const visitor = await openTestApp(options).signedIn()
      return visibleText((await visitor.get('/auth/signin')).body)
    }
    const stored = { adapter: memoryAdapter(), session: { strategy: 'jwt' as const } }
    const github = GitHub({ clientId: 'app', clientSecret: 'a secret' })
    const providers = [...(testConfig().providers ?? []), github]
    for (const options of [{}, { providers }, stored]) expect(await textWith(options)).to.include('this session ends')
    const both = await textWith({ ...stored, providers })
    expect(both).to.include('service that you choose here is added to yours').and.include('this session ends')
    const there = openTestApp({ ...stored, providers: [github] }).browser()
    for (const [name, { value }] of (await openTestApp(stored).signedIn()).jar)
      there.jar.set(name, { value, expires: undefined })
    const alone = visibleText((await there.get('/auth/signin')).body)
    expect(alone).to.include('is added to yours').and.include('sign out first').and.not.include('session ends')
  })

  it('offers no passkey to somebody new', async () => {
    const session = { strategy: 'jwt' as const }
    const app = openTestApp({
      adapter: memoryAdapter(),
      session,
      providers: [...(testConfig().providers ?? []), Passkey({})],
    })
    const pageOf = async (browser: typeof visitor) => (await browser.get('/auth/signin')).body
    const visitor = app.browser()
    expect(await pageOf(visitor)).to.include('data-register')
    expect(await pageOf(await app.signedIn()))
      .to.include('data-needs-passkeys')
      .and.not.include('data-register')
  })

  it('names nobody to anybody else, also where pages are kept', async () => {
    const app = openTestApp()
    const ada = await app.signedIn()
    const named = (body: string) => /You are signed in/.test(body)
    for (let turn = 0; turn < 2; turn += 1) {
      expect(named((await ada.get('/auth/signin')).body)).to.equal(true)
      expect(named((await app.browser().get('/auth/signin')).body)).to.equal(false)
    }
  })

  it('is there without the name, if the session cannot be read', async () => {
    const adapter = memoryAdapter()
    const app = openTestApp({ adapter, session: { strategy: 'database' } })
    await adapter.createUser({ id: '1', name: 'Ada', email: 'ada@example.com', emailVerified: null })
    const browser = app.browser()
    browser.plant('authjs.session-token', 'some-token-of-a-session')
    adapter.getSessionAndUser = () => Promise.reject(new Error('down'))
    const { status, body } = await browser.get('/auth/signin')
    expect(status).to.equal(200)
    expect(body).to.not.include('You are signed in')
  })

  it('links to nothing but http and https, whatever the redirect callback says', async () => {
    const ada = await openTestApp({ callbacks: { redirect: () => 'com.example.app://home' } }).signedIn()
    const { body } = await ada.get('/auth/signin')
    for (const link of elements(body, 'a')) expect(link.get('href')).to.match(/^https?:/)
  })
})

describe('the sign-in page for somebody who has to sign in again', () => {
  const AGAIN = '/auth/signin?error=RecentSignInRequired'
  const DAY = 24 * 60 * 60
  const open = () => openTestApp({ session: { maxAge: DAY, remember: { maxAge: 30 * DAY } } })
  const choiceOf = (body: string) =>
    elements(body, 'input')
      .filter((input) => input.get('name') === 'remember')
      .map((input) => [input.get('type'), input.get('value') ?? null])

  it('does not ask again whether they want to stay signed in, and the new session has the choice of the old', async () => {
    for (const [box, choice] of [
      [{ remember: 'on' }, [['hidden', 'on']]],
      [{}, []],
    ] as const) {
      const ada = open().browser()
      const first = sessionCookies(await ada.signIn({ ...ADA, ...box }))
      const { body } = await ada.get(AGAIN)
      expect(visibleText(body)).to.include('We need to be sure that it is you').and.not.include('Keep me signed in')
      expect(choiceOf(body)).to.deep.equal(choice)
      const second = sessionCookies(await ada.signIn({ ...ADA, ...box }))
      expect(second.map(({ expires }) => expires !== undefined)).to.deep.equal(
        first.map(({ expires }) => expires !== undefined),
      )
    }
  })

  it('has their address filled in, and that of nobody else', async () => {
    const app = openTestApp({
      adapter: memoryAdapter(),
      providers: [...testConfig().providers, new Mailbox().provider()],
      session: { strategy: 'jwt' },
    })
    const fieldIn = async (browser: ReturnType<typeof app.browser>, path: string) =>
      elements((await browser.get(path)).body, 'input')
        .find((each) => each.get('name') === 'email')
        ?.get('value')
    const ada = await app.signedIn()
    expect(await fieldIn(ada, AGAIN)).to.equal('ada@example.com')
    expect(await fieldIn(ada, '/auth/signin')).to.equal('')
    expect(await fieldIn(app.browser(), AGAIN)).to.equal('')
  })

  it('leads back to where they came from, and never to the page that sent them here', async () => {
    const ada = await open().signedIn()
    const wayBack = async (query: Record<string, string>) => {
      const { body } = await ada.get(`${AGAIN}&${new URLSearchParams(query)}`)
      expect(visibleText(body)).to.include('Go back')
      return elements(body, 'a')[0]?.get('href')
    }
    const asked = '/auth/password/change?callbackUrl='
    expect(await wayBack({ code: 'OpenPage', callbackUrl: `${asked}/settings` })).to.equal(
      'http://app.example/settings',
    )
    expect(await wayBack({ code: 'OpenPage', callbackUrl: `${asked}https://evil.example` })).to.equal(
      'http://app.example',
    )
    expect(await wayBack({ code: 'OpenPage', callbackUrl: '/payroll' }), 'a guard').to.equal('http://app.example')
    expect(await wayBack({ code: 'EndSessions', callbackUrl: '/devices' })).to.equal('http://app.example/devices')
  })

  it('asks if nobody is signed in any more, or if they only want to sign in as somebody else', async () => {
    const { browser, signedIn } = open()
    expect(choiceOf((await browser().get(AGAIN)).body)).to.deep.equal([['checkbox', null]])
    expect(choiceOf((await (await signedIn()).get('/auth/signin')).body)).to.deep.equal([['checkbox', null]])
  })
})

describe('the page that asks before a mailed link signs in', () => {
  it('says who is signed in already, and that this session ends if it is somebody else', async () => {
    const mailbox = new Mailbox()
    const { providers } = testConfig()
    const app = openTestApp({
      adapter: memoryAdapter(),
      session: { strategy: 'jwt' },
      providers: [...providers, mailbox.provider()],
    })
    const path = await askForLink(app.browser(), mailbox, 'bob@example.com')
    const own = await askForLink(app.browser(), mailbox, 'ada@example.com')
    const ada = await app.signedIn()
    const text = visibleText((await ada.get(path)).body)
    expect(text).to.match(/sign in to\s+app\.example\s+as\s+bob@example\.com/)
    expect(text)
      .to.match(/You are signed in as\s+ada@example\.com/)
      .and.include('this session ends in this browser')
    expect(visibleText((await ada.get(own)).body), 'the same person').not.to.include('this session ends')
    expect(visibleText((await app.browser().get(path)).body), 'nobody').not.to.include('You are signed in')
  })
})

describe('links to pages of the application', () => {
  const links = {
    forgot: '/forgot',
    signUp: '/join',
    terms: '/terms',
    privacy: 'https://legal.example/p',
    support: '/help',
  }

  it('are on the sign-in page, and those that concern everything on every page', async () => {
    const browser = openTestApp({ theme: { links } }).browser()
    const on = async (path: string) => elements((await browser.get(path)).body, 'a').map((link) => link.get('href'))
    expect(await on('/auth/signin')).to.include.members([
      '/forgot',
      '/join',
      '/terms',
      'https://legal.example/p',
      '/help',
    ])
    expect(await on('/auth/error?error=AccessDenied')).to.include.members([
      '/terms',
      'https://legal.example/p',
      '/help',
    ])
    expect(await on('/auth/error?error=AccessDenied')).to.not.include('/join')
  })

  for (const link of ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'data:text/html,x', 'forgot', '']) {
    it(`are refused at the start: ${link}`, () => {
      expect(() => openTestApp({ theme: { links: { forgot: link } } })).to.throw(/theme\.links\.forgot/)
    })
  }
})
