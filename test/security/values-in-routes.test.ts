import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { formInPlaceOf, incomingFromRequest } from '../../lib/kernel/incoming.js'
import { ADA, createLog, type Running, testConfig } from '../support/app.js'
import { FOREIGN_FORM, FOREIGN_LINK, follow, ownForm, startCallingApp } from '../support/calling-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { failure } from '../support/oauth-driver.js'
import { redirectCorpus } from '../support/redirect-corpus.js'
import { Mailbox, oauth } from '../support/sign-ins.js'
import { openTestApp } from '../support/test-app.js'

describe('what routes of the application give to sign-ins and sign-outs (WEB-02)', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(() => app?.close())

  const setUp = async (more: Partial<AuthConfig> = {}) => {
    const providers = [...testConfig().providers, oauth(idp), new Mailbox().provider()]
    const session = { strategy: 'jwt' } as const
    app = await startCallingApp(testConfig({ adapter: memoryAdapter(), session, providers, ...more }))
    return { visitor: app.visitor() }
  }

  it('leads nowhere but to this site, whatever the route is given', async () => {
    const { visitor } = await setUp()
    const own = (url: URL | null) => url?.origin === app.origin
    for (const target of redirectCorpus(app.origin)) {
      const to = encodeURIComponent(Buffer.from(target).toString())
      const out = await visitor.post(`/logout?to=${to}`, {}, ownForm(app.origin))
      const signedIn = await visitor.post(`/login/credentials?to=${to}`, ADA, ownForm(app.origin))
      for (const { status, location, headers } of [out, signedIn]) {
        if (status < 400) expect(own(location), target).to.equal(true)
        expect(headers.get('set-cookie') ?? '').not.to.include('a=b')
      }
      const page = await follow(visitor, `/login?to=${to}`, FOREIGN_LINK)
      const inner = page.location?.searchParams.getAll('callbackUrl').map((url) => new URL(url, app.origin)) ?? []
      expect([own(page.location), inner.length, inner.every(own)], target).to.deep.equal([true, 1, true])
      for (const name of ['callbackUrl', 'to']) {
        const { text } = await visitor.get(`/link?${name}=${to}`)
        if (text.startsWith('http'))
          expect(own(new URL(new URL(text).searchParams.get('callbackUrl') ?? '')), target).to.equal(true)
      }
    }
  })

  it('takes no return target from the page of another site', async () => {
    const { visitor } = await setUp()
    const headers = { ...ownForm(app.origin), referer: 'https://evil.example/x' }
    const signedIn = await visitor.post('/login/credentials?callbackUrl=https://evil.example/', ADA, headers)
    expect(signedIn.location?.href).to.equal(`${app.origin}/`)
  })

  it('refuses fields that no form has', async () => {
    const { visitor } = await setUp()
    const twice = await visitor.visit('/login/credentials', {
      method: 'POST',
      body: 'username=ada&username=bob&password=lovelace',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: app.origin },
    })
    expect(twice.status).to.equal(400)
  })

  it('puts no secret of the visitor into the log or the answer', async () => {
    const log = createLog()
    const { visitor } = await setUp({ logger: log.logger, debug: true })
    const answer = await visitor.post(
      '/login/credentials',
      { username: 'ada', password: 'hunter2hunter2' },
      ownForm(app.origin),
    )
    const foreign = await visitor.post('/login/email', { email: 'ada@example.com' }, FOREIGN_FORM)
    const written = JSON.stringify([log.lines, log.errors.map(({ message, stack }) => [message, stack])])
    for (const text of [written, answer.text, foreign.text]) {
      expect(text).not.to.include('hunter2hunter2')
      expect(text).not.to.include('ada@example.com')
    }
  })

  it('checks the sender and the method itself, whatever the edge has checked', async () => {
    const { engine, origin } = openTestApp({
      providers: [...testConfig().providers, new Mailbox().provider()],
      adapter: memoryAdapter(),
    })
    const from = incomingFromRequest(new Request(`${origin}/login`, { headers: FOREIGN_LINK }))
    for (const target of ['/auth/callback/credentials', '/auth/signin/email', '/auth/signout']) {
      const form = formInPlaceOf(from, target, { ...ADA, email: 'ada@example.com' })
      for (const [method, type] of [
        ['POST', 'MissingCSRF'],
        [undefined, 'MissingCSRF'],
        ['GET', 'RequestRefused'],
        ['HEAD', 'RequestRefused'],
      ] as const) {
        await failure(engine.submit(form, { origin, basePath: '/auth' }, { method }), type)
      }
    }
  })

  it('fails closed when the store of sessions is down: a sign-in still begins, and adds nothing', async () => {
    const store = memoryAdapter()
    const getSessionAndUser = () => Promise.reject(new Error('Connection terminated'))
    const { visitor } = await setUp({ adapter: { ...store, getSessionAndUser }, session: { strategy: 'database' } })
    visitor.jar.set('authjs.session-token', '00000000-0000-4000-8000-000000000000')
    const begun = await visitor.post('/login/oidc', {}, ownForm(app.origin))
    expect(begun.location?.origin).to.equal(idp.issuer)
    expect(visitor.jar.has('authjs.session-token')).to.equal(true)
  })
})
