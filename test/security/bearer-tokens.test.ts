import { expect } from 'chai'
import express from 'express'
import { expressAuth, requireAuth, verifyCsrfToken } from '../../lib/index.js'
import { ADA, listen, testConfig } from '../support/app.js'
import { type BearerApp, STRATEGIES, sessionValue, startBearerApp } from '../support/bearer-app.js'
import { github } from '../support/web-app.js'

/** Every request of the mount that begins a sign-in, changes a session, or hands out what a browser needs for that. */
const NOT_FOR_PROGRAMS = [
  ['GET', '/auth/signin'],
  ['GET', '/auth/signin/github'],
  ['POST', '/auth/signin'],
  ['POST', '/auth/signin/github'],
  ['GET', '/auth/callback/github?code=x&state=y'],
  ['POST', '/auth/callback/credentials'],
  ['HEAD', '/auth/callback/github'],
  ['GET', '/auth/csrf'],
  ['GET', '/auth/signout'],
  ['POST', '/auth/session'],
  ['GET', '/auth/error'],
  ['GET', '/auth/verify-request'],
] as const

for (const strategy of STRATEGIES) {
  describe(`a bearer token at the mount, with ${strategy} sessions`, () => {
    let app: BearerApp
    beforeEach(async () => {
      const { providers } = testConfig()
      app = await startBearerApp(strategy, { providers: [...providers, github] })
    })
    afterEach(() => app.close())

    it('begins no sign-in, links no account, and changes no session, good or bad', async () => {
      const ada = await app.signedIn()
      const csrfToken = await ada.csrfToken()
      const { token } = await app.issued()
      for (const [method, path] of NOT_FOR_PROGRAMS) {
        for (const value of [token, sessionValue(ada), 'nothing']) {
          const body = method === 'POST' ? new URLSearchParams({ csrfToken, ...ADA }) : null
          const headers = { cookie: ada.cookieHeader(), accept: 'text/html' }
          const answer = await app.send(path, `Bearer ${value}`, { method, headers, body })
          expect([answer.status, answer.headers.getSetCookie()], `${method} ${path}`).to.deep.equal([403, []])
          expect(answer.headers.get('content-type'), path).to.equal('application/json')
        }
      }
    })

    it('shows its session, and sends no page of another origin permission to read it', async () => {
      const { token } = await app.issued()
      const answer = await app.send('/auth/session', `Bearer ${token}`, { headers: { origin: 'https://evil.example' } })
      expect((await answer.json()).user.name).to.equal('Ada')
      expect(answer.headers.get('vary')).to.equal('Cookie, Authorization')
      expect(answer.headers.get('access-control-allow-origin')).to.equal(null)
      const head = await app.send('/auth/session', `Bearer ${token}`, { method: 'HEAD' })
      expect([head.status, head.headers.getSetCookie()]).to.deep.equal([200, []])
    })

    it('does not show the session of a token with a scope, and signs it out', async () => {
      const { token } = await app.issued({ maxAge: 60, scope: 'reports:read' })
      expect(await (await app.send('/auth/session', `Bearer ${token}`)).text()).to.equal('null')
      expect((await app.send('/auth/signout', `Bearer ${token}`, { method: 'POST' })).status).to.equal(200)
      expect((await app.send('/reports', `Bearer ${token}`)).status).to.equal(401)
    })

    it('signs out its own session, without a CSRF token, and not that of the cookie beside it', async () => {
      const ada = await app.signedIn()
      const { token } = await app.issued()
      for (const value of ['nothing', token]) {
        const answer = await ada.post('/auth/signout', {}, { authorization: `Bearer ${value}` })
        expect([answer.status, answer.setCookie]).to.deep.equal([200, []])
        expect((await ada.get('/private')).text).to.equal('Hello Ada')
      }
      expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(401)
      const value = sessionValue(ada)
      expect((await app.send('/auth/signout', `Bearer ${value}`, { method: 'POST' })).status).to.equal(200)
      expect((await ada.get('/private')).status).to.equal(401)
    })

    it('still needs a CSRF token without the header, or with another scheme', async () => {
      const ada = await app.signedIn()
      for (const headers of [{}, { authorization: 'Basic eA==' }] as Record<string, string>[]) {
        await ada.post('/auth/signout', {}, headers)
        expect((await ada.get('/private')).text).to.equal('Hello Ada')
      }
    })
  })
}

describe('a bearer token at the list of sessions', () => {
  let app: BearerApp
  beforeEach(async () => {
    app = await startBearerApp('database')
  })
  afterEach(() => app.close())
  const revoke = (token: string, fields: object, cookie = '') =>
    app.send('/auth/sessions/revoke', `Bearer ${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/html', cookie },
      body: JSON.stringify(fields),
    })

  it('lists the sessions of its user, and ends its own without a CSRF token', async () => {
    const ada = await app.signedIn()
    const { token, id } = (await app.ask(ada, { maxAge: 60, name: 'Phone' })).json()
    const listed = await app.send('/auth/sessions', `Bearer ${token}`)
    const { sessions } = await listed.json()
    expect(sessions).to.have.length(2)
    expect(sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).to.deep.include({
      id,
      kind: 'token',
      name: 'Phone',
    })
    const ended = await revoke(token, { id }, ada.cookieHeader())
    expect([ended.status, await ended.json(), ended.headers.getSetCookie()]).to.deep.equal([200, { revoked: 1 }, []])
    expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(401)
    expect((await ada.get('/private')).text).to.equal('Hello Ada')
  })

  it('ends no other session with an issued token, because that proves no recent sign-in', async () => {
    const ada = await app.signedIn()
    const own = (await (await ada.get('/peek')).json()).id
    const { token } = (await app.ask(ada, { maxAge: 60 })).json()
    for (const fields of [{ id: own }, { others: true }, { all: true }]) {
      const answer = await revoke(token, fields, ada.cookieHeader())
      expect([answer.status, await answer.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
    }
    expect((await ada.get('/private')).text).to.equal('Hello Ada')
  })

  it('is asked for by status 401 if it is bad or has a scope', async () => {
    const { token, id } = await app.issued({ maxAge: 60, scope: 'a' })
    for (const value of ['nothing', token]) {
      for (const answer of [await app.send('/auth/sessions', `Bearer ${value}`), await revoke(value, { id })]) {
        expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([
          401,
          'Bearer realm="session", error="invalid_token"',
        ])
      }
    }
    expect((await app.send('/auth/sessions')).headers.get('www-authenticate')).to.equal('Bearer realm="session"')
  })
})

describe('verifyCsrfToken and a bearer token', () => {
  const start = async (bearer: boolean) => {
    const config = testConfig({ bearer })
    const server = express()
    server.use('/auth', expressAuth(config))
    server.post('/orders', requireAuth(config), async (req, res) => {
      res.status((await verifyCsrfToken(req, config, undefined)) ? 200 : 403).end()
    })
    return listen(server)
  }

  it('asks for no token where the session comes with the header', async () => {
    const app = await start(true)
    try {
      const ada = app.visitor()
      await ada.signIn(ADA)
      const headers = { authorization: `Bearer ${sessionValue(ada)}` }
      expect((await app.visitor().post('/orders', {}, headers)).status).to.equal(200)
      expect((await ada.post('/orders', {})).status).to.equal(403)
      expect((await ada.post('/orders', {}, { authorization: 'Bearer nothing' })).status).to.equal(401)
    } finally {
      await app.close()
    }
  })

  it('asks for the token where the configuration does not read the header', async () => {
    const app = await start(false)
    try {
      const ada = app.visitor()
      await ada.signIn(ADA)
      const headers = { authorization: `Bearer ${sessionValue(ada)}` }
      expect((await ada.post('/orders', {}, headers)).status).to.equal(403)
    } finally {
      await app.close()
    }
  })
})
