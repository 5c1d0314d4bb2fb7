import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { elements, visibleText } from '../support/html.js'
import { askForLink, Mailbox } from '../support/sign-ins.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'

const HTML = { accept: 'text/html' }
const ADA = 'ada@example.com'
const WAITING = '/auth/verify-request?provider=email&type=email'
const USED = '/auth/error?error=Verification'

/** An app whose visitors sign in with mailed links. */
function open(options: Parameters<Mailbox['provider']>[0] = {}, config: Partial<AuthConfig> = {}) {
  const mailbox = new Mailbox()
  const app = openTestApp({ adapter: memoryAdapter(), providers: [mailbox.provider(options)], ...config })
  return { ...app, mailbox }
}

const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries(elements(html, 'input').map((field) => [field.get('name') ?? '', field.get('value') ?? '']))

const linksOf = (html: string) => elements(html, 'a').map((link) => link.get('href'))

/** Presses the only button of a page. */
async function press(browser: TestBrowser, html: string) {
  const [form] = elements(html, 'form')
  return browser.post(new URL(form?.get('action') ?? '').pathname, fieldsOf(html))
}

/** Asks for a link that leads to a page. */
async function ask(browser: TestBrowser, email = ADA, more: Record<string, string> = {}) {
  const csrfToken = await browser.csrfToken()
  return browser.post('/auth/signin/email', { csrfToken, email, callbackUrl: '/inbox', ...more })
}

describe('the page after a link was mailed', () => {
  it('names the address to the browser that asked, and says how long the link works', async () => {
    const { browser } = open({ maxAge: 600 })
    const ada = browser()
    await ask(ada)
    const text = visibleText((await ada.get(WAITING)).body)
    expect(text).to.include(`We have sent a link to ${ADA}`).and.include('within the next 10 minutes')
  })

  it('sends another link, which also works and leads to the same page', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ask(ada)
    const first = mailbox.pathFor(ADA)
    const sent = await press(ada, (await ada.get(WAITING)).body)
    expect(sent.location).to.include('/auth/verify-request')
    expect(mailbox.pathFor(ADA)).not.to.equal(first)
    expect(visibleText((await ada.get(WAITING)).body)).to.include(`We have sent another link to ${ADA}`)
    expect((await ada.get(mailbox.pathFor(ADA))).location).to.equal('http://app.example/inbox')
  })

  it('keeps the wish to stay signed in', async () => {
    const { browser } = open({}, { session: { remember: { maxAge: 90 * 24 * 3600 } } })
    const ada = browser()
    await ask(ada, ADA, { remember: 'on' })
    expect(fieldsOf((await ada.get(WAITING)).body)).to.include({ remember: 'on' })
  })

  it('leads to the sign-in page with the address filled in, and with the return target', async () => {
    const { browser } = open()
    const ada = browser()
    await ask(ada)
    const [href = ''] = linksOf((await ada.get(WAITING)).body)
    const url = new URL(href)
    expect(url.searchParams.get('callbackUrl')).to.equal('http://app.example/inbox')
    expect(href).not.to.include('ada')
    const page = await ada.get(url.pathname + url.search)
    expect(fieldsOf(page.body)).to.include({ email: ADA, callbackUrl: 'http://app.example/inbox' })
  })

  it('ACCT-06: tells nobody else the address, whatever the query says', async () => {
    const { browser } = open()
    const ada = browser()
    await ask(ada)
    const [name = '', { value = '' } = {}] = [...ada.jar].find(([name]) => name.includes('email-request')) ?? []
    expect(value).not.to.include('ada')
    for (const query of [WAITING, `${WAITING}&email=${ADA}`, '/auth/signin?correct=address']) {
      const other = browser()
      other.plant(name, `${value}x`)
      const { body } = await other.get(query)
      expect(body, query).not.to.include(ADA)
    }
  })

  it('forgets the address at the sign-in, and at a sign-out', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ask(ada)
    await ada.get(mailbox.pathFor(ADA))
    expect((await ada.get(WAITING)).body).not.to.include(ADA)
    await ask(ada)
    expect((await ada.get(WAITING)).body).to.include(ADA)
    await ada.signOut()
    expect((await ada.get(WAITING)).body).not.to.include(ADA)
  })

  it('CSRF-01: sends nothing for a form of another site', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ask(ada)
    const first = mailbox.pathFor(ADA)
    await ada.post('/auth/signin/email', { ...fieldsOf((await ada.get(WAITING)).body), csrfToken: 'x' })
    expect(mailbox.pathFor(ADA)).to.equal(first)
  })
})

describe('the page of a link that no longer works', () => {
  it('sends a new one, which leads to the page that the visitor wanted', async () => {
    const { browser, mailbox, clock } = open({ maxAge: 600 })
    const ada = browser()
    await ask(ada)
    clock.advance(700)
    const failed = await ada.get(mailbox.pathFor(ADA))
    expect(failed.location).to.equal(`http://app.example${USED}`)
    const page = await ada.get(USED)
    expect(page.status).to.equal(403)
    expect(visibleText(page.body)).to.include(`We can send a new link to ${ADA}`)
    await press(ada, page.body)
    expect((await ada.get(mailbox.pathFor(ADA))).location).to.equal('http://app.example/inbox')
  })

  it('leads a signed-in visitor on', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ask(ada)
    const path = mailbox.pathFor(ADA)
    await ada.get(path)
    expect((await ada.get(path)).location).to.equal(`http://app.example${USED}`)
    const { body } = await ada.get(USED)
    expect(visibleText(body)).to.include('You are signed in already').and.include('Continue')
    expect(linksOf(body)[0]).to.equal('http://app.example/inbox')
  })

  it('sends a new one to a signed-in visitor who has asked for it to show once more who they are', async () => {
    const { browser, mailbox, clock } = open({ maxAge: 600 })
    const ada = browser()
    await ask(ada)
    await ada.get(mailbox.pathFor(ADA))
    await ask(ada)
    clock.advance(700)
    expect((await ada.get(mailbox.pathFor(ADA))).location).to.equal(`http://app.example${USED}`)
    const { body } = await ada.get(USED)
    expect(visibleText(body)).to.include(`We can send a new link to ${ADA}`).and.not.include('you do not need it')
    await press(ada, body)
    expect((await ada.get(mailbox.pathFor(ADA))).location).to.equal('http://app.example/inbox')
    expect(visibleText((await ada.get(USED)).body)).to.include('you do not need it')
  })

  it('keeps the return target of the link in a browser that knows nothing', async () => {
    const { browser, mailbox } = open()
    const ada = browser()
    await ask(ada)
    const path = mailbox.pathFor(ADA)
    await ada.get(path)
    const other = browser()
    expect((await other.get(path)).location).to.equal(`http://app.example${USED}`)
    const { body } = await other.get(USED)
    expect(linksOf(body)[0]).to.equal(
      `http://app.example/auth/signin?callbackUrl=${encodeURIComponent('http://app.example/inbox')}`,
    )
  })
})

describe('a mailed link in another browser', () => {
  it('is not asked about when it was used, or has expired', async () => {
    const { browser, mailbox, clock } = open({ maxAge: 600 })
    const path = await askForLink(browser(), mailbox, ADA)
    expect(visibleText((await browser().get(path)).body), 'while it is good').to.include('Is this you?')
    const phone = browser()
    const { body } = await phone.get(path)
    expect((await press(phone, body)).location).to.equal('http://app.example')
    expect((await browser().get(path)).location, 'used').to.equal(`http://app.example${USED}`)
    const slow = await askForLink(browser(), mailbox, 'grace@example.com')
    clock.advance(700)
    expect((await browser().get(slow)).location, 'expired').to.equal(`http://app.example${USED}`)
  })

  it('ACCT-06: looking uses nothing up, and tells nothing about codes that somebody could guess', async () => {
    const { browser, mailbox } = open({ generateVerificationToken: () => '482913' })
    const path = await askForLink(browser(), mailbox, ADA)
    for (const guess of [path, path.replace('482913', '000000')]) {
      expect(visibleText((await browser().get(guess)).body), guess).to.include('Is this you?')
    }
  })

  it('is asked about if the store cannot look, or fails', async () => {
    for (const getVerificationToken of [undefined, () => Promise.reject(new Error('down'))]) {
      const adapter = { ...memoryAdapter(), getVerificationToken }
      const { browser, mailbox } = open({}, { adapter: adapter as never })
      const path = await askForLink(browser(), mailbox, ADA)
      expect(visibleText((await browser().get(path)).body)).to.include('Is this you?')
    }
  })
})

describe('the sign-out page', () => {
  it('says that nobody is signed in, and leads to the sign-in page and home', async () => {
    const { browser } = open()
    const { status, body } = await browser().get('/auth/signout')
    expect(status).to.equal(200)
    expect(visibleText(body)).to.include('You are signed out')
    expect(elements(body, 'form')).to.deep.equal([])
    expect(linksOf(body)).to.deep.equal(['http://app.example/auth/signin', 'http://app.example'])
  })

  it('says so after its own sign-out, if nobody asked to go elsewhere', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const { location } = await press(ada, (await ada.get('/auth/signout')).body)
    expect(location).to.equal('http://app.example/auth/signout')
    expect(visibleText((await ada.get('/auth/signout')).body)).to.include('You are signed out')
    // The page that the sign-in led back to may need a session, and would lead to the sign-in page.
    const emmy = await signedIn()
    await emmy.get('/auth/signin?callbackUrl=/papers')
    expect((await press(emmy, (await emmy.get('/auth/signout')).body)).location).to.equal(
      'http://app.example/auth/signout',
    )
    for (const callbackUrl of ['/', '/papers']) {
      const grace = await signedIn()
      const page = await grace.get(`/auth/signout?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      expect((await press(grace, page.body)).location).to.equal(`http://app.example${callbackUrl}`)
    }
  })

  it('LOGOUT-01: still asks if the session cannot be read', async () => {
    const store = memoryAdapter()
    let isDown = false
    const adapter = {
      ...store,
      getSessionAndUser: (token: string) => {
        if (isDown) throw new Error('down')
        return store.getSessionAndUser(token)
      },
    }
    const { browser, mailbox } = open({}, { adapter })
    const ada = browser()
    await ask(ada)
    await ada.get(mailbox.pathFor(ADA))
    isDown = true
    expect(elements((await ada.get('/auth/signout')).body, 'button')).to.have.length(1)
  })
})

describe('the mount itself', () => {
  for (const path of ['/auth', '/auth/']) {
    it(`leads a person from ${path} to the sign-in page, with the return target`, async () => {
      const { browser } = open()
      expect((await browser().get(path, HTML)).location).to.equal('http://app.example/auth/signin')
      const target = encodeURIComponent('http://app.example/inbox')
      expect((await browser().get(`${path}?callbackUrl=/inbox`, HTML)).location).to.equal(
        `http://app.example/auth/signin?callbackUrl=${target}`,
      )
      const foreign = await browser().get(`${path}?callbackUrl=https://evil.example`, HTML)
      expect(foreign.location).to.equal('http://app.example/auth/signin')
    })

    it(`is nothing for a script at ${path}, and takes no form`, async () => {
      const { browser } = open()
      expect((await browser().get(path)).status).to.equal(404)
      expect((await browser().post(path, {})).status).to.equal(405)
    })
  }
})

describe('a form that was open for too long', () => {
  it('keeps the return target of the sign-in', async () => {
    const ada = open().browser()
    const sent = await ada.post('/auth/signin/email', { csrfToken: 'x', email: ADA, callbackUrl: '/inbox' }, HTML)
    expect(sent.location).to.equal('http://app.example/auth/signin?error=MissingCSRF')
    const page = await ada.get('/auth/signin?error=MissingCSRF')
    expect(fieldsOf(page.body)).to.include({ callbackUrl: 'http://app.example/inbox' })
  })

  it('WEB-02: leads to no other site', async () => {
    const { browser } = open()
    const fields = { csrfToken: 'x', email: ADA, callbackUrl: 'https://evil.example/' }
    const sent = await browser().post('/auth/signin/email', fields, HTML)
    expect(sent.location).not.to.include('evil')
  })

  it('keeps the return target of the sign-out', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const sent = await ada.post('/auth/signout', { csrfToken: 'x', callbackUrl: '/papers' }, HTML)
    const { pathname, search } = new URL(sent.location ?? '')
    expect(pathname + search).to.include('error=MissingCSRF')
    const page = await ada.get(pathname + search)
    expect((await press(ada, page.body)).location).to.equal('http://app.example/papers')
  })
})

describe('a form of a signed-in visitor who has signed out meanwhile', () => {
  it('says what happened, and leads back to its page after a sign-in', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const csrfToken = await ada.csrfToken()
    await ada.signOut()
    const back = 'http://app.example/account'
    const answer = await ada.post('/auth/sessions/revoke', { csrfToken, others: 'true', callbackUrl: back }, HTML)
    expect(answer.status).to.equal(403)
    expect(visibleText(answer.body)).to.include('You are signed out')
    expect(linksOf(answer.body)[0]).to.equal(`http://app.example/auth/signin?callbackUrl=${encodeURIComponent(back)}`)
  })

  it('says so on the sign-in page, too, if the form itself is still good', async () => {
    const { browser } = openTestApp()
    const ada = browser()
    const fields = { csrfToken: await ada.csrfToken(), others: 'true', callbackUrl: '/account' }
    const { location } = await ada.post('/auth/sessions/revoke', fields, HTML)
    const { pathname, search } = new URL(location ?? '')
    expect(visibleText((await ada.get(pathname + search)).body)).to.include('your session has ended')
  })
})

describe('the page of a fault of the configuration', () => {
  it('tells a developer where to look, and in production nobody', async () => {
    for (const [NODE_ENV, isTold] of [
      ['development', true],
      ['production', false],
    ] as const) {
      const { browser } = openTestApp({}, { env: { NODE_ENV } } as never)
      const text = visibleText((await browser().get('/auth/error?error=Configuration')).body)
      expect(text.includes('the log of the server says why'), NODE_ENV).to.equal(isTold)
    }
  })
})
