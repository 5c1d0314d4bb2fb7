import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import Password from '../../lib/providers/password.js'
import { elements, visibleText } from '../support/html.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'

const PAGE = { accept: 'text/html', 'accept-language': 'en' }
const ORIGIN = 'http://app.example'
const COOKIE = 'authjs.language'

function open({ languages = ['en', 'de', 'ar'], ...more }: Partial<AuthConfig> & { languages?: string[] | null } = {}) {
  const mails: string[] = []
  const mail = Email({
    sendVerificationRequest: ({ message }) => void mails.push(message?.text ?? ''),
    sendNotification: ({ message }) => void mails.push(message?.text ?? ''),
  })
  const theme = languages ? { languages } : {}
  const app = openTestApp({ adapter: memoryAdapter(), providers: [mail, Password()], theme, limits: false, ...more })
  return { ...app, mails }
}

const choose = async (browser: TestBrowser, language: string, more: Record<string, string> = {}, headers = PAGE) =>
  browser.post('/auth/language', { csrfToken: await browser.csrfToken(), language, ...more }, headers)

const languageOf = async (browser: TestBrowser, path = '/auth/signin') =>
  /<html lang="([^"]+)"/.exec((await browser.get(path, PAGE)).body)?.[1]

describe('the language that was chosen in a browser', () => {
  it('is that of its pages, before Accept-Language, and of the mails that it asks for', async () => {
    const { browser, mails } = open()
    const ada = browser()
    expect(await languageOf(ada)).to.equal('en')
    const { setCookies } = await choose(ada, 'de')
    const { name, value, maxAge, sameSite, path } = setCookies.find((cookie) => cookie.name === COOKIE) as never
    expect({ name, value, maxAge, sameSite: String(sameSite).toLowerCase(), path }).to.deep.equal({
      name: COOKIE,
      value: 'de',
      maxAge: 31_536_000,
      sameSite: 'lax',
      path: '/',
    })
    for (const page of ['/auth/signin', '/auth/signout', '/auth/error', '/auth/password']) {
      expect(await languageOf(ada, page), page).to.equal('de')
    }
    const csrfToken = await ada.csrfToken()
    await ada.post('/auth/signin/email', { csrfToken, email: 'ada@example.com' }, PAGE)
    await ada.post('/auth/password', { csrfToken, email: 'ada@example.com' }, PAGE)
    expect(mails).to.have.length(2)
    for (const mail of mails) expect(mail).to.match(/Wenn Sie|Sie /)
    expect(await languageOf(browser())).to.equal('en')
  })

  it('is chosen on the sign-in page, which stays the way to where its visitor goes', async () => {
    const { browser } = open()
    const ada = browser()
    const { body } = await ada.get('/auth/signin?callbackUrl=/tickets', PAGE)
    const buttons = elements(body, 'button').filter((button) => button.get('name') === 'language')
    expect(buttons.map((button) => [button.get('value'), button.get('lang')])).to.deep.equal([
      ['de', 'de'],
      ['ar', 'ar'],
    ])
    expect(visibleText(body)).to.match(/Deutsch العربية$/)
    const [form = ''] = /<form class="links".*?<\/form>/s.exec(body) ?? []
    const fields = elements(form, 'input').map((input) => [input.get('name') ?? '', input.get('value') ?? ''])
    const answer = await ada.post('/auth/language', { ...Object.fromEntries(fields), language: 'ar' }, PAGE)
    expect(answer.location).to.equal(`${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/tickets`)}`)
    expect((await ada.get('/auth/signin', PAGE)).body).to.include('<html lang="ar" dir="rtl">')
  })

  it('leads back to where the form was, and says so to a script', async () => {
    const { browser } = open()
    const ada = browser()
    expect((await choose(ada, 'de', { callbackUrl: '/tickets' })).location).to.equal(`${ORIGIN}/tickets`)
    const script = { accept: 'application/json', 'accept-language': 'en' }
    expect((await choose(ada, 'ar', {}, script)).json()).to.deep.equal({ language: 'ar' })
  })

  it('is there only where the theme names several', async () => {
    for (const languages of [null, ['de']]) {
      const { browser } = open({ languages })
      const ada = browser()
      ada.plant(COOKIE, 'fr')
      expect((await ada.get('/auth/signin', PAGE)).body).to.not.include('name="language"')
      expect(await languageOf(ada)).to.equal(languages ? 'de' : 'en')
      expect((await choose(ada, 'fr')).status).to.equal(404)
    }
  })
})

describe('the language that was chosen in a browser, misused', () => {
  it('is one of those of the theme: any other counts as none', async () => {
    const { browser } = open()
    for (const language of ['fr', 'DE', 'de-AT', '', '*', 'de, ar', '__proto__', '<script>', 'x'.repeat(5000)]) {
      const ada = browser()
      const answer = await choose(ada, language)
      expect(answer.status).to.equal(302)
      expect(answer.setCookies.filter(({ name }) => name === COOKIE)).to.deep.equal([])
      const json = { accept: 'application/json', 'accept-language': 'en' }
      expect((await choose(ada, language, {}, json)).status, language).to.equal(422)
      ada.plant(COOKIE, encodeURIComponent(language))
      const { body } = await ada.get('/auth/signin', PAGE)
      expect(body, language).to.include('<html lang="en">').and.not.include('<script>')
    }
  })

  it('is changed by forms of this site alone, and leads nowhere else', async () => {
    const { browser } = open()
    const ada = browser()
    expect((await ada.get('/auth/language?language=de', PAGE)).status).to.equal(405)
    await ada.post('/auth/language', { language: 'de' }, PAGE)
    await choose(ada, 'de', {}, { ...PAGE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } as never)
    expect(await languageOf(ada)).to.equal('en')
    for (const page of ['', 'signin']) {
      const { location } = await choose(ada, 'de', { callbackUrl: 'https://evil.example/', page })
      expect(location)
        .to.match(/^http:\/\/app\.example/)
        .and.not.include('evil')
    }
  })
})
