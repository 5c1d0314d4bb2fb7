import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, csrfToken, getSession, updateSession, verifyCsrfToken } from '../../../lib/index.js'
import { ADA, type Running, startApp, testConfig } from '../../support/app.js'

describe('updateSession', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (config: AuthConfig) => {
    app = await startApp(config, (server) => {
      server.use(express.urlencoded())
      server.get('/form', async (req, res) => void res.json({ csrfToken: await csrfToken(req, res, config) }))
      server.post('/name', async (req, res) => {
        if (!(await verifyCsrfToken(req, config, req.body.csrfToken))) return void res.status(403).end()
        const before = await getSession(req, config)
        const updated = await updateSession(req, res, config, { name: req.body.name })
        const after = await getSession(req, config)
        res.json({ before, updated, after, locals: res.locals['session'] })
      })
    })
    return app.visitor()
  }
  const token = async (visitor: Awaited<ReturnType<typeof start>>) => (await visitor.get('/form')).json().csrfToken

  const withToken = testConfig({
    callbacks: {
      jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.name } : token),
    },
  })

  it('changes a token session, in the answer and from then on', async () => {
    const visitor = await start(withToken)
    await visitor.signIn(ADA)
    const answer = (await visitor.post('/name', { name: 'Countess', csrfToken: await token(visitor) })).json()
    expect(answer.before.user.name).to.equal('Ada')
    for (const session of [answer.updated, answer.after, answer.locals]) expect(session.user.name).to.equal('Countess')
    expect((await visitor.session()).user.name).to.equal('Countess')
  })

  it('hands a stored session to the session callback with what is new', async () => {
    const adapter = memoryAdapter()
    adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const visitor = await start(
      testConfig({
        adapter,
        callbacks: {
          session: async ({ session, user, newSession }) => {
            if (newSession) adapter.updateUser({ id: user.id, name: newSession.name })
            return { user: { name: newSession?.name ?? user.name }, expires: session.expires }
          },
        },
      }),
    )
    await visitor.signIn(ADA)
    await visitor.post('/name', { name: 'Countess', csrfToken: await token(visitor) })
    expect((await visitor.session()).user.name).to.equal('Countess')
  })

  it('gives null to somebody who is not signed in', async () => {
    const visitor = await start(withToken)
    const answer = (await visitor.post('/name', { name: 'Countess', csrfToken: await token(visitor) })).json()
    expect(answer).to.deep.equal({ before: null, updated: null, after: null, locals: null })
  })

  it('is out of reach for a form without the token, with a wrong one, and from another site', async () => {
    const visitor = await start(withToken)
    await visitor.signIn(ADA)
    const right = await token(visitor)
    const refused = [
      await visitor.post('/name', { name: 'x' }),
      await visitor.post('/name', { name: 'x', csrfToken: 'a'.repeat(64) }),
      await visitor.post('/name', { name: 'x', csrfToken: right }, { 'sec-fetch-site': 'cross-site' }),
      await visitor.post('/name', { name: 'x', csrfToken: right }, { origin: 'https://evil.example' }),
    ]
    expect(refused.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403])
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('hands out a token that the forms of Latchkey itself take', async () => {
    const visitor = await start(withToken)
    const answer = await visitor.post('/auth/callback/credentials', { csrfToken: await token(visitor), ...ADA })
    expect(answer.headers.get('location')).to.equal(app.origin)
  })
})
