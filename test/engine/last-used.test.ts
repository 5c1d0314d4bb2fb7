import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import { testConfig } from '../support/app.js'
import { elements } from '../support/html.js'
import { Mailbox } from '../support/sign-ins.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'

const COOKIE = 'authjs.last-provider'
const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const YEAR = 365 * 24 * 60 * 60

/** An app in which visitors sign in with a password, a mailed link, or at GitHub or Google. */
function open(config: Partial<AuthConfig> = {}) {
  const mailbox = new Mailbox()
  const { providers } = testConfig()
  const ways = [GitHub(CLIENT), Google(CLIENT), ...providers, mailbox.provider()]
  return {
    mailbox,
    ...openTestApp({ adapter: memoryAdapter(), session: { strategy: 'jwt' }, providers: ways, ...config }),
  }
}

/** Where the marked buttons of the sign-in page lead; a button without an address of its own leads where its form does. */
async function marked(browser: TestBrowser, query = ''): Promise<readonly (string | undefined)[]> {
  const { body } = await browser.get(`/auth/signin${query}`)
  const forms = body.split('<form').slice(1)
  return forms.flatMap((form) =>
    elements(form, 'button')
      .filter((button) => button.get('aria-describedby') === 'last-used')
      .map((button) => button.get('formaction') ?? /action="([^"]*)"/.exec(form)?.[1]),
  )
}

describe('the way that was used last', () => {
  it('is marked on the sign-in page after a sign-out, and no other is', async () => {
    const { browser } = open()
    const ada = browser()
    expect(await marked(ada)).to.deep.equal([])
    await ada.signIn()
    await ada.signOut()
    expect(await marked(ada)).to.deep.equal(['http://app.example/auth/callback/credentials'])
  })

  it('changes with the next sign-in that is completed, and not with one that is only begun', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ada.signIn()
    await ada.signOut()
    await ada.post('/auth/signin/email', { csrfToken: await ada.csrfToken(), email: 'ada@example.com' })
    expect(await marked(ada)).to.deep.equal(['http://app.example/auth/callback/credentials'])
    await ada.get(mailbox.pathFor('ada@example.com'))
    await ada.signOut()
    expect(await marked(ada)).to.deep.equal(['http://app.example/auth/signin/email'])
  })

  it('is not marked for somebody who only has to prove again who they are', async () => {
    const ada = open().browser()
    await ada.signIn()
    expect(await marked(ada, '?error=RecentSignInRequired')).to.deep.equal([])
  })

  it('does not change with a sign-in that fails', async () => {
    const { browser } = open()
    const ada = browser()
    await ada.signIn({ username: 'ada', password: 'wrong' })
    expect(ada.jar.has(COOKIE)).to.equal(false)
  })

  it('is kept in a cookie for a year, which has the id of the provider alone', async () => {
    const { browser } = open()
    const { setCookies } = await browser().signIn()
    expect(setCookies.find(({ name }) => name === COOKIE)).to.include({
      value: 'credentials',
      maxAge: YEAR,
      httpOnly: true,
    })
  })

  it('is marked in each browser by itself, although the page is rendered once for all', async () => {
    const { browser } = open()
    const [ada, bob, eve] = [browser(), browser(), browser()]
    ada.plant(COOKIE, 'github')
    bob.plant(COOKIE, 'google')
    for (const round of [1, 2]) {
      expect(await marked(ada), `${round}`).to.deep.equal(['http://app.example/auth/signin/github'])
      expect(await marked(bob), `${round}`).to.deep.equal(['http://app.example/auth/signin/google'])
      expect(await marked(eve), `${round}`).to.deep.equal([])
    }
  })

  it('is ignored when its provider is not configured, whatever the cookie says', async () => {
    const { browser } = open()
    for (const value of ['facebook', '__proto__', 'constructor', '"><script>', '']) {
      const ada = browser()
      ada.plant(COOKIE, value)
      expect(await marked(ada), value).to.deep.equal([])
      expect((await ada.get('/auth/signin')).body).not.to.include('<script>')
    }
  })

  for (const [what, config] of [
    ['the application turns it off', { marksLastUsed: false }],
    ['there is one way only', { providers: testConfig().providers }],
    ['the application has a sign-in page of its own', { pages: { signIn: '/login' } }],
  ] as const) {
    it(`is not kept when ${what}`, async () => {
      const { browser } = open(config as Partial<AuthConfig>)
      const ada = browser()
      const { setCookies } = await ada.signIn()
      expect(setCookies.map(({ name }) => name))
        .to.include('authjs.session-token')
        .and.not.include(COOKIE)
      ada.plant(COOKIE, 'credentials')
      await ada.signOut()
      expect(await marked(ada)).to.deep.equal([])
    })
  }
})
