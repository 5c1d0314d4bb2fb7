import { expect } from 'chai'
import express, { type Express } from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, requireAuth } from '../../lib/index.js'
import { within } from '../../lib/kernel/awaitable.js'
import type { Provider } from '../../lib/providers/provider.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { hanging } from '../support/hanging-store.js'
import { ofFeatures } from '../support/of-features.js'
import { Mailbox, registering } from '../support/sign-ins.js'

const LIMIT_S = 0.2

/** Functions of features, with a route that calls one, and the method of the store that it needs. */
const OF_FEATURES = await ofFeatures<{
  readonly what: string
  readonly provider: () => Provider
  readonly path: string
  readonly method: keyof Adapter
  readonly mount: (server: Express, config: AuthConfig) => void
}>('store-hangs')

describe('an application whose store gives no answer', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  const memory = memoryAdapter()
  const { adapter, hang, answer } = hanging(memory)
  const log = createLog()
  const mailbox = new Mailbox()
  let app: Running

  before(async () => {
    process.on('unhandledRejection', note)
    const config = testConfig({
      adapter,
      storeTimeout: LIMIT_S,
      providers: [registering(memory), mailbox.provider(), ...OF_FEATURES.map(({ provider }) => provider())],
      session: { strategy: 'database', updateAge: 0, maxAge: 60 * 60 },
      logger: log.logger,
    })
    const server = express()
    server.use('/auth', expressAuth(config))
    server.get('/private', requireAuth(config), (_req, res) => void res.send('in'))
    for (const { mount } of OF_FEATURES) mount(server, config)
    app = await listen(server)
  })
  after(async () => {
    process.off('unhandledRejection', note)
    await app.close()
    expect(unhandled).to.deep.equal([])
  })
  afterEach(() => answer())

  /** Fails where an answer takes longer than a call of the store may, and a bit. */
  const timely = <T>(work: Promise<T>, calls = 1) =>
    within(work, LIMIT_S * 1000 * calls + 400, () => new Error('It hangs.'))

  const signedIn = async () => {
    const visitor = app.visitor()
    await visitor.signIn({ email: `${Math.random()}@example.com` })
    expect((await visitor.get('/private')).text).to.equal('in')
    return visitor
  }

  it('SESS-15: answers 503 in time, signs nobody out, and goes on when the store does', async () => {
    const visitor = await signedIn()
    hang()
    const [guarded, session] = await timely(Promise.all([visitor.get('/private'), visitor.get('/auth/session')]), 2)
    expect([guarded.status, guarded.setCookie]).to.deep.equal([503, []])
    expect([session.status, session.text, session.setCookie]).to.deep.equal([503, 'null', []])
    answer()
    expect((await visitor.get('/private')).text).to.equal('in')
  })

  it('signs nobody in', async () => {
    const visitor = app.visitor()
    hang()
    const csrfToken = await visitor.csrfToken()
    const fields = { csrfToken, email: 'late@example.com' }
    const { status, setCookie } = await timely(visitor.post('/auth/callback/credentials', fields), 2)
    expect([status, setCookie.filter((cookie) => cookie.includes('session-token'))]).to.deep.equal([302, []])
    answer()
    expect((await visitor.get('/private')).status).to.equal(401)
  })

  it('sends no link that could not be kept', async () => {
    const visitor = app.visitor()
    const csrfToken = await visitor.csrfToken()
    hang()
    const { location } = await timely(visitor.post('/auth/signin/email', { csrfToken, email: 'a@example.com' }), 2)
    expect(location?.searchParams.get('error')).to.be.a('string')
  })

  it('ends a sign-out in time', async () => {
    const visitor = await signedIn()
    const csrfToken = await visitor.csrfToken()
    hang('deleteSession')
    await timely(visitor.post('/auth/signout', { csrfToken }))
  })

  it('shows a session that cannot be extended in time, once', async () => {
    const visitor = await signedIn()
    hang('updateSession')
    expect((await timely(visitor.get('/private'))).text).to.equal('in')
  })

  for (const { what, method, path } of OF_FEATURES) {
    it(`fails the functions for ${what} in time`, async () => {
      const visitor = await signedIn()
      hang(method)
      expect(JSON.parse((await timely(visitor.get(path))).text)).to.equal('AdapterError')
    })
  }
})
