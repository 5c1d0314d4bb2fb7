import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, authSession, expressAuth, getSession, requireAuth } from '../../lib/index.js'
import { ADA, listen, type Running, startApp, testConfig } from '../support/app.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'

const HOUR = 60 * 60

/** Sessions by the ids of security-requirements.md, part B. What they rest on is tested in test/sessions. */
describe('SESS', () => {
  it('SESS-02: a sign-in makes a new token, and the one of before ends', async () => {
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

  it('SESS-12: looking at any page signs nobody in', async () => {
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
    let hold: Promise<void> | undefined
    let go = () => {}
    const callbacks: AuthConfig['callbacks'] = {
      async session({ session }) {
        await hold
        return session
      },
    }
    const { signedIn } = openTestApp({ callbacks, session: { updateAge: 0 } })
    const ada = await signedIn()
    const tab = ada.copy()
    hold = new Promise((resolve) => {
      go = resolve
    })
    const reading = tab.get('/auth/session')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await ada.signOut()
    go()
    const answer = await reading
    expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
  })

  describe('SESS-15: a fault is no session, and nobody is signed out by it', () => {
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

  it('SESS-17: a hundred questions at once about one request make one answer', async () => {
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

describe('COOKIE, for the session', () => {
  const heavy = (weight: number): Partial<AuthConfig> => ({
    callbacks: { jwt: ({ token }) => ({ ...token, weight: 'w'.repeat(weight) }) },
  })

  it('COOKIE-05: every cookie fits into 4096 bytes, and old pieces go', async () => {
    const { browser } = openTestApp(heavy(7000), { origin: 'https://app.example' })
    const ada = browser()
    const answer = await ada.signIn()
    const pieces = sessionCookies(answer)
    expect(pieces.map(({ name }) => name)).to.deep.equal([0, 1, 2].map((number) => `__Secure-${SESSION}.${number}`))
    for (const { name, value = '' } of pieces) expect(name.length + value.length + 1).to.be.at.most(4096)
  })

  it('COOKIE-06: more than a request can carry is a sign-in that fails, and says why in the log', async () => {
    const { browser, log } = openTestApp(heavy(20_000))
    const ada = browser()
    expect((await ada.signIn()).location).to.match(/error=Configuration$/)
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors[0]?.message).to.match(/fit into a request/)
  })

  it('COOKIE-07: no cookie outlives its session', async () => {
    const { clock, browser } = openTestApp({ session: { maxAge: HOUR } })
    const [cookie] = sessionCookies(await browser().signIn())
    expect(cookie?.expires?.getTime()).to.equal((clock.seconds + HOUR) * 1000)
  })

  it('COOKIE-08: of two cookies of one name the first counts, and a plain one never for a __Secure- one', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const header = (await signedIn()).cookieHeader() ?? ''
    const who = async (cookies: string, at = origin) =>
      (await engine.renewSession(requestContext(cookies, at))).session?.user?.name
    expect(await who(`${header}; ${SESSION}=x`)).to.equal('Ada')
    expect(await who(`${SESSION}=x; ${header}`)).to.equal(undefined)
    expect(await who(header, 'https://app.example')).to.equal(undefined)
    expect(await who(header.replace(SESSION, `__Secure-${SESSION}`), 'https://app.example')).to.equal(undefined)
  })

  it('COOKIE-09: only the name and .number are the session cookie', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    for (const suffix of ['-other', '.old', '.0x', '2', '.1.2']) ada.plant(SESSION + suffix, 'x')
    const answer = await ada.get('/auth/session')
    expect([answer.json().user.name, answer.setCookies]).to.deep.equal(['Ada', []])
  })

  it('COOKIE-10: deleting names the same path, domain and security as setting', async () => {
    const options = { domain: 'app.example', path: '/inner', sameSite: 'strict', secure: true } as const
    const { browser } = openTestApp({ cookies: { sessionToken: { options } } })
    const ada = browser()
    const set = sessionCookies(await ada.signIn())
    const cleared = sessionCookies(await ada.signOut())
    const kept = set.map(({ value: _v, expires: _e, ...attributes }) => attributes)
    expect(cleared.map(({ value: _v, maxAge: _m, ...attributes }) => attributes)).to.deep.equal(kept)
    expect(kept[0]).to.include({ domain: 'app.example', path: '/inner', secure: true, httpOnly: true })
  })
})

describe('LOGOUT', () => {
  it('LOGOUT-01: signing out takes a POST with the token; GET asks first', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    expect((await ada.get('/auth/signout')).body).to.contain('<form')
    await ada.post('/auth/signout', { csrfToken: 'f'.repeat(64) })
    expect(await ada.session()).not.to.equal(null)
    await ada.signOut()
    expect(await ada.session()).to.equal(null)
  })

  it('LOGOUT-02: afterwards the old value is refused, over http and https, by every route', async () => {
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
