import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, requireAuth } from '../../../lib/index.js'
import { ADA, listen, type Running, testConfig } from '../../support/app.js'
import { navigate } from '../../support/guard.js'
import { visibleText } from '../../support/html.js'
import { forge } from '../../support/tokens.js'

describe('requireAuth with maxAuthAge', () => {
  const realNow = Date.now
  let ahead: number
  let app: Running
  beforeEach(() => {
    ahead = 0
    // Before the configuration is resolved, which is when Latchkey takes its clock.
    Date.now = () => realNow() + ahead * 1000
  })
  afterEach(async () => {
    Date.now = realNow
    await app.close()
  })

  const start = async (more: Partial<AuthConfig> = {}) => {
    const config = testConfig(more)
    const server = express()
    server.use('/auth', expressAuth(config))
    server.get('/account', requireAuth(config), (_req, res) => void res.send('your account'))
    server.get('/account/close', requireAuth(config, { maxAuthAge: 300 }), (_req, res) => void res.send('closing'))
    app = await listen(server)
    return app.visitor()
  }

  for (const strategy of ['jwt', 'database'] as const) {
    it(`asks for a fresh sign-in and returns afterwards, with ${strategy} sessions`, async () => {
      const adapter = memoryAdapter()
      adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      const ada = await start(strategy === 'jwt' ? {} : { adapter, session: { strategy } })
      await ada.signIn(ADA)
      expect((await ada.get('/account/close')).text).to.equal('closing')

      ahead = 302
      expect((await ada.get('/account')).text).to.equal('your account')
      const answer = await navigate(ada, '/account/close')
      expect(answer.location?.pathname).to.equal('/auth/signin')
      expect(answer.location?.searchParams.get('error')).to.equal('RecentSignInRequired')
      expect((await ada.get('/account/close')).status).to.equal(401)

      const { text } = await ada.get(answer.location?.href ?? '')
      expect(visibleText(text)).to.include('Please sign in again').and.include('to open this page')
      expect(visibleText(text)).to.not.match(/added to your account|this session ends|Continue/)
      expect(visibleText(text)).to.include('You are signed in as').and.include('Sign out')
      const again = await ada.signIn(ADA)
      expect(again.location?.pathname).to.equal('/account/close')
      expect((await ada.get('/account/close')).text).to.equal('closing')
    })
  }

  it('lets nobody pass who is not signed in', async () => {
    const nobody = await start()
    expect((await navigate(nobody, '/account/close')).location?.searchParams.has('error')).to.equal(false)
    expect((await nobody.get('/account/close')).status).to.equal(401)
  })

  it('lets nobody pass whose sign-in time is not known, as with a token that Auth.js wrote', async () => {
    const ada = await start()
    const now = Math.floor(realNow() / 1000)
    const token = await forge({ sub: '1815', name: 'Ada', iat: now, exp: now + 600, jti: crypto.randomUUID() })
    const cookie = `authjs.session-token=${token}`
    expect((await ada.get('/account', { cookie })).status).to.equal(200)
    expect((await ada.get('/account/close', { cookie })).status).to.equal(401)
  })

  it('is not met by an update, nor by an extension', async () => {
    const ada = await start({ session: { updateAge: 0 } })
    await ada.signIn(ADA)
    ahead = 302
    await ada.get('/auth/session')
    const csrfToken = await ada.csrfToken()
    await ada.post('/auth/session', { csrfToken, data: 'anything' })
    expect((await ada.get('/account/close')).status).to.equal(401)
  })
})
