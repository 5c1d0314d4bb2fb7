import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { elements, visibleText } from '../support/html.js'
import { openTestApp } from '../support/test-app.js'

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

  it('says what a sign-in would do: another session without stored users, and an account more with them', async () => {
    const alone = await openTestApp().signedIn()
    expect(visibleText((await alone.get('/auth/signin')).body)).to.include('this session ends')
    const app = openTestApp({ adapter: memoryAdapter(), session: { strategy: 'jwt' } })
    const stored = await app.signedIn()
    const text = visibleText((await stored.get('/auth/signin')).body)
    expect(text).to.include('is added to your account').and.include('sign out first').and.not.include('session ends')
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
