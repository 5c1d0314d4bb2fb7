import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import {
  type AuthConfig,
  csrfToken,
  InvalidConfiguration,
  RequestRefused,
  renderAccount,
  requireAuth,
} from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { signInAs } from '../../../lib/testing/index.js'
import { type Running, startApp, testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { elements, visibleText } from '../../support/html.js'

const mails = Email({ from: 'no-reply@app.example', sendVerificationRequest() {}, sendNotification() {} })
const HTML = '<img src=x onerror=alert(1)>"\'&'

async function open(more: Partial<AuthConfig> = {}) {
  const adapter = memoryAdapter()
  const config = testConfig({
    adapter,
    providers: [Password(), mails],
    session: { strategy: 'database' },
    pages: { account: '/me' },
    accountPage: { parts: ['profile', 'password', 'sessions', () => ({ title: 'Plan' })] },
    ...more,
  })
  const app = await startApp(config, (server) => {
    server.get('/me', requireAuth(config), async (req, res) => {
      const { parts, done, message, language } = await renderAccount(req, config, {
        csrfToken: await csrfToken(req, res, config),
      })
      const html = parts.map(({ html }) => html).join('')
      res.send(`<h1>Mine</h1><p lang="${language}">${message ?? done ?? 'nothing done'}</p>${html}`)
    })
  })
  const user = await adapter.createUser({ email: 'ada@example.com', emailVerified: new Date(), name: HTML } as never)
  const signedIn = async () => {
    const visitor = app.visitor()
    const { cookie } = await signInAs(config, { id: user.id }, { origin: app.origin })
    const [name = '', ...value] = cookie.split('=')
    visitor.jar.set(name, value.join('='))
    return visitor
  }
  return { app, config, adapter, user, signedIn }
}

const fieldsIn = (html: string) =>
  Object.fromEntries(elements(html, 'input').map((input) => [input.get('name') ?? '', input.get('value') ?? '']))

describe('renderAccount', () => {
  let app: Running
  afterEach(() => app?.close())

  it('gives the parts of the page for a page of the application, whose forms come back to it and say what was done', async () => {
    const { app: running, adapter, user, signedIn } = await open()
    app = running
    const ada = await signedIn()
    expect((await ada.get('/auth/account', { accept: 'text/html' })).location?.pathname).to.equal('/me')
    const { text } = await ada.get('/me')
    expect(visibleText(text)).to.match(/^Mine nothing done Name .* Password .* Where you are signed in .* Plan$/)
    expect(elements(text, 'section').map((part) => part.get('aria-labelledby'))).to.deep.equal([
      'part-profile',
      'part-password',
      'part-sessions',
      'part-own3',
    ])
    expect(text).to.include(`href="${app.origin}/auth/password?callbackUrl=${encodeURIComponent(`${app.origin}/me`)}"`)
    const [form] = elements(text, 'form')
    expect(form?.get('action')).to.equal(`${app.origin}/auth/account`)
    const page = { accept: 'text/html', 'sec-fetch-site': 'same-origin', origin: app.origin }
    const answer = await ada.post('/auth/account', { ...fieldsIn(text), name: 'Ada' }, page)
    expect([answer.status, answer.location?.href]).to.deep.equal([302, `${app.origin}/me?done=name`])
    expect((await adapter.getUser(user.id))?.name).to.equal('Ada')
    expect((await ada.get('/me?done=name', page)).text).to.include('>Your name was changed.</p>')
    expect((await ada.get('/me?done=name', { ...page, 'sec-fetch-site': 'cross-site' })).text).to.include(
      'nothing done',
    )
  })

  it('says that a part failed, in the language of the visitor', async () => {
    const fails = () => {
      throw new Error('no plans')
    }
    const { app: running, signedIn } = await open({ accountPage: { parts: ['profile', fails] } })
    app = running
    const ada = await signedIn()
    expect(visibleText((await ada.get('/me')).text)).to.match(
      /^Mine A part of our service does not answer right now\..* Name /,
    )
    expect((await ada.get('/me', { 'accept-language': 'de' })).text)
      .to.include('<p lang="de">')
      .and.not.include('right now')
  })

  it('gives texts of others as texts, in the language of the visitor, and says which it is', async () => {
    const { app: running, signedIn } = await open()
    app = running
    const { text } = await (await signedIn()).get('/me', { 'accept-language': 'de' })
    expect(text).to.not.include('<img src=x').and.not.include('"\'&"')
    expect(visibleText(text)).to.include(HTML).and.include('Wo Sie angemeldet sind')
    expect(elements(text, 'section').map((part) => [part.get('lang'), part.get('dir')])).to.deep.equal(
      Array(4).fill(['de', 'ltr']),
    )
    expect(elements(text, 'p')[0]?.get('lang')).to.equal('de')
  })

  it('does the same for every framework', async () => {
    const { app: running, config, user } = await open()
    app = running
    const { cookie } = await signInAs(config, { id: user.id }, { origin: app.origin })
    const request = new Request(`${app.origin}/me?done=name`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    const auth = webAuth({ ...config, url: app.origin }).forRequest(request)
    const { parts, done } = await auth.renderAccount({ csrfToken: 'the token' })
    expect(done).to.equal('Your name was changed.')
    expect(parts.map(({ name }) => name)).to.deep.equal(['profile', 'password', 'sessions', 'own3'])
    expect(parts[0]?.html).to.include('value="the token"').and.include(`value="${app.origin}/me"`)
  })

  it('refuses who is not signed in, a call without the token of the forms, and a configuration without the page', async () => {
    const { app: running, config, user } = await open()
    app = running
    const forRequest = (given: AuthConfig, cookie = '') =>
      webAuth({ ...given, url: app.origin }).forRequest(new Request(`${app.origin}/me`, { headers: { cookie } }))
    const nobody = await failureOf(forRequest(config).renderAccount({ csrfToken: 'x' }))
    expect(nobody).to.be.instanceOf(RequestRefused).and.have.property('status', 401)
    const { cookie } = await signInAs(config, { id: user.id }, { origin: app.origin })
    for (const options of [undefined, {}, { csrfToken: undefined }, { csrfToken: 7 }, { csrf: 'x' }]) {
      expect(await failureOf(forRequest(config, cookie).renderAccount(options as never))).to.be.instanceOf(
        InvalidConfiguration,
      )
    }
    const without = { ...config, accountPage: false } as const
    expect((await failureOf(forRequest(without, cookie).renderAccount({ csrfToken: 'x' }))).message).to.include(
      'accountPage: false',
    )
  })
})
