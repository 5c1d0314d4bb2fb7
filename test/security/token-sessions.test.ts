import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, authSession, expressAuth, getSession, requireAuth } from '../../lib/index.js'
import { ADA, listen, type Running, startApp, testConfig } from '../support/app.js'
import { createPause } from '../support/pause.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf, forge } from '../support/tokens.js'

/**
 * Token sessions, by the ids of docs/requirements.md. Stored sessions are in stored-sessions.test.ts, and the parts that
 * both consist of are tested in test/sessions.
 */
describe('SESS, with token sessions', () => {
  it('SESS-02: a sign-in issues a new token, and the previous token is refused', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const before = ada.copy()
    await ada.signIn()
    const ids = await Promise.all(
      [ada, before].map(async ({ jar }) => (await claimsOf(jar.get(SESSION)?.value ?? '')).jti),
    )
    expect(new Set(ids).size).to.equal(2)
    expect([await ada.session(), await before.session()].map((session) => session?.user?.name)).to.deep.equal([
      'Ada',
      undefined,
    ])
  })

  it('SESS-02: a sign-in does not take over a planted session cookie', async () => {
    const { signedIn, browser } = openTestApp()
    const attacker = await signedIn()
    const planted = attacker.jar.get(SESSION)?.value ?? ''
    const victim = browser()
    victim.plant(SESSION, planted)
    await victim.signIn()
    expect(victim.jar.get(SESSION)?.value).not.to.equal(planted)
    expect((await claimsOf(victim.jar.get(SESSION)?.value ?? '')).jti).not.to.equal((await claimsOf(planted)).jti)
  })

  it('TOK-04: a planted cookie with claims of the attacker’s choice signs nobody in without the secret', async () => {
    const { browser, clock } = openTestApp()
    const attacker = browser()
    attacker.plant(
      SESSION,
      await forge({ sub: '1', name: 'Root', exp: clock.seconds + 24 * 60 * 60 }, { secret: 'a guess' }),
    )
    const answer = await attacker.get('/auth/session')
    expect(answer.json()).to.equal(null)
    // Nothing here can tell it from what a process with a newer secret made.
    expect(sessionCookies(answer)).to.deep.equal([])
  })

  it('SESS-12: a GET of any page signs nobody in', async () => {
    const { browser } = openTestApp()
    const stranger = browser()
    for (const path of [
      'signin',
      'signout',
      'session',
      'csrf',
      'providers',
      'error',
      'verify-request',
      'callback/credentials',
    ]) {
      await stranger.get(`/auth/${path}?username=ada&password=lovelace`)
    }
    expect(stranger.sessionNames()).to.deep.equal([])
  })

  it('SESS-13: the token is in no URL, body, log line or error', async () => {
    const { browser, log } = openTestApp({ events: { session: () => Promise.reject(new Error('no')) } })
    const ada = browser()
    const answers = [await ada.signIn({ ...ADA, callbackUrl: '/home' })]
    const token = ada.jar.get(SESSION)?.value ?? ''
    const paths = [
      'signin',
      'signout',
      'session',
      'csrf',
      'providers',
      'error?error=Configuration',
      'verify-request',
      'nothing',
    ]
    for (const path of paths) answers.push(await ada.get(`/auth/${path}`))
    answers.push(await ada.update({}), await ada.signOut())
    expect(token).to.have.length.greaterThan(100)
    for (const { location, body } of answers) expect(`${location} ${body}`).not.to.contain(token)
    expect(log.errors.map((error) => `${error.stack} ${JSON.stringify(error)}`).join()).not.to.contain(token)
  })

  it('SESS-14: a sign-out wins over a read that was under way', async () => {
    const pause = createPause()
    const callbacks: AuthConfig['callbacks'] = {
      async session({ session }) {
        await pause.wait()
        return session
      },
    }
    const { signedIn } = openTestApp({ callbacks, session: { updateAge: 0 } })
    const ada = await signedIn()
    const tab = ada.copy()
    pause.start()
    const reading = tab.get('/auth/session')
    await pause.reached
    await ada.signOut()
    pause.end()
    const answer = await reading
    expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
  })

  describe('SESS-15: after a fault there is no session, but the cookie stays', () => {
    let app: Running
    let isDown = false
    const config = testConfig({
      callbacks: {
        jwt({ token }) {
          if (isDown) throw new Error('the database is down')
          return token
        },
      },
    })
    before(async () => {
      const server = express()
      server.use('/auth', expressAuth(config))
      server.get('/guarded', requireAuth(config), (_req, res) => void res.send('inside'))
      server.get('/shown', authSession(config), (_req, res) => void res.json(res.locals['session']))
      server.get('/asked', async (req, res) => void res.json(await getSession(req, config)))
      server.use(((_error, _req, res, _next) => void res.status(500).send('handled')) as express.ErrorRequestHandler)
      app = await listen(server)
    })
    after(() => app.close())

    it('guarded routes answer 503, others go to the error handler, and the cookie is kept', async () => {
      const ada = app.visitor()
      await ada.signIn(ADA)
      isDown = true
      const answers = []
      for (const path of ['/guarded', '/shown', '/asked', '/auth/session']) answers.push(await ada.get(path))
      isDown = false
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 500, 500, 503])
      expect(answers.flatMap(({ setCookie }) => setCookie)).to.deep.equal([])
      expect(answers.map(({ text }) => text).join()).not.to.contain('inside')
      expect((await ada.get('/guarded')).text).to.equal('inside')
    })
  })

  it('SESS-17: a hundred reads at once for one request validate the session once', async () => {
    let reads = 0
    const config = testConfig({
      callbacks: {
        jwt({ token }) {
          reads += 1
          return token
        },
      },
    })
    const app = await startApp(config, (server) => {
      server.get('/many', async (req, res) => {
        const sessions = await Promise.all(Array.from({ length: 100 }, () => getSession(req, config)))
        res.json(sessions.map((session) => session?.user?.name))
      })
    })
    try {
      const ada = app.visitor()
      await ada.signIn(ADA)
      reads = 0
      expect(new Set((await ada.get('/many')).json())).to.deep.equal(new Set(['Ada']))
      expect(reads).to.equal(1)
    } finally {
      await app.close()
    }
  })
})

describe('LOGOUT, with token sessions', () => {
  it('LOGOUT-01: a sign-out needs a POST with the CSRF token; a GET only asks', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    expect((await ada.get('/auth/signout')).body).to.contain('<form')
    await ada.post('/auth/signout', { csrfToken: 'f'.repeat(64) })
    expect(await ada.session()).not.to.equal(null)
    await ada.signOut()
    expect(await ada.session()).to.equal(null)
  })

  it('LOGOUT-02: after a sign-out every route refuses the old token, over http and https', async () => {
    for (const origin of ['http://app.example', 'https://app.example']) {
      const { signedIn, engine } = openTestApp({}, { origin })
      const ada = await signedIn()
      const thief = ada.copy()
      await ada.signOut()
      expect(await thief.session()).to.equal(null)
      expect((await thief.update({})).json()).to.equal(null)
      expect((await engine.renewSession(requestContext(thief.cookieHeader(), origin))).session).to.equal(null)
    }
  })
})
