import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { elements, visibleText } from '../support/html.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies, type TestApp, type TestBrowser } from '../support/test-app.js'
import { claimsOf, forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60

describe('POST /auth/signout', () => {
  it('makes a copied cookie worthless, for every route', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const ada = await signedIn()
    const thief = ada.copy()
    expect(await thief.session()).not.to.equal(null)
    await ada.signOut()
    expect(await thief.session()).to.equal(null)
    expect((await engine.renewSession(requestContext(thief.cookieHeader(), origin))).session).to.equal(null)
    expect((await thief.update({ name: 'Mallory' })).json()).to.equal(null)
  })

  it('keeps it worthless until the token has expired by itself, tolerance included', async () => {
    const { signedIn, clock } = openTestApp({ session: { maxAge: 3600, updateAge: 0 } })
    const ada = await signedIn()
    const token = ada.jar.get(SESSION)?.value ?? ''
    await ada.signOut()
    for (let minute = 0; minute < 62; minute += 1) {
      const thief = ada.copy()
      thief.plant(SESSION, token)
      expect(await thief.session(), `${minute} minutes later`).to.equal(null)
      clock.advance(60)
    }
  })

  it('ends one session and no other of the same person', async () => {
    const { signedIn } = openTestApp()
    const [laptop, phone] = [await signedIn(), await signedIn()]
    await laptop.signOut()
    expect((await phone.session())?.user?.name).to.equal('Ada')
  })

  /** What makes another form of the same session out of a copy. */
  const LATER_FORMS: Record<string, (copy: TestBrowser) => Promise<unknown>> = {
    'an update': (copy) => copy.update({ name: 'Mallory' }),
    'an extension': async (copy) => {
      copy.clock.advance(DAY)
      return copy.session()
    },
    'a change by the jwt callback': async (copy) => {
      counting.on = true
      await copy.session()
      counting.on = false
    },
    'an update of an extension, twice over': async (copy) => {
      for (const _ of [1, 2]) {
        copy.clock.advance(2 * DAY)
        await copy.session()
        await copy.update({})
      }
    },
  }
  const counting = { on: false }
  const callbacks: AuthConfig['callbacks'] = {
    jwt: ({ token }) => (counting.on ? { ...token, reads: Number(token['reads'] ?? 0) + 1 } : token),
  }
  const tokenIn = ({ jar }: TestBrowser) => jar.get(SESSION)?.value ?? ''

  /** A session of ours, and one that Auth.js began. */
  const BEGUN = {
    Latchkey: async (testApp: TestApp) => testApp.signedIn(),
    'Auth.js': async (testApp: TestApp) => {
      const browser = testApp.browser()
      const { seconds } = testApp.clock
      const times = { iat: seconds, exp: seconds + 30 * DAY, jti: crypto.randomUUID() }
      browser.plant(SESSION, await forge({ sub: '1815', name: 'Ada', ...times }))
      return browser
    },
  }

  for (const [name, change] of Object.entries(LATER_FORMS)) {
    for (const [beginner, begin] of Object.entries(BEGUN)) {
      it(`LOGOUT-02: makes a copy worthless that ${name} has changed, of a session that ${beginner} began`, async () => {
        const testApp = openTestApp({ callbacks })
        const ada = await begin(testApp)
        const thief = ada.copy()
        await change(thief)
        expect(tokenIn(thief)).not.to.equal(tokenIn(ada))
        expect(await thief.session()).not.to.equal(null)
        await ada.signOut()
        expect(await thief.session()).to.equal(null)
        expect((await thief.update({})).json()).to.equal(null)
      })

      it(`LOGOUT-02: in a copy that ${name} has changed ends the session of ${beginner} that it was made of`, async () => {
        const testApp = openTestApp({ callbacks })
        const thief = await begin(testApp)
        const ada = thief.copy()
        await change(ada)
        await ada.signOut()
        expect(await thief.session()).to.equal(null)
      })
    }
  }

  it('is remembered for as long as any form of the session could live, and not the one that was presented', async () => {
    const { signedIn, clock } = openTestApp({ session: { maxAge: 3600, updateAge: 0 } })
    const ada = await signedIn()
    const thief = ada.copy()
    clock.advance(3000)
    const [original] = [tokenIn(ada), await thief.session()]
    const extended = tokenIn(thief)
    ada.plant(SESSION, original)
    await ada.signOut()
    for (let minute = 0; minute < 62; minute += 1) {
      const copy = ada.copy()
      copy.plant(SESSION, extended)
      expect(await copy.session(), `${minute} minutes later`).to.equal(null)
      clock.advance(60)
    }
  })

  it('SESS-14: wins over an update whose token is being written', async () => {
    const written: (() => void)[] = []
    const slow = { on: false }
    const { signedIn } = openTestApp({
      jwt: {
        async encode({ token }) {
          if (slow.on) await new Promise<void>((resolve) => written.push(resolve))
          return Buffer.from(JSON.stringify(token)).toString('base64url')
        },
        decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
      },
    })
    const ada = await signedIn()
    const thief = ada.copy()
    slow.on = true
    const updating = thief.update({ name: 'Mallory' })
    while (written.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await ada.signOut()
    for (const release of written) release()
    const answer = await updating
    expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
  })

  it('SESS-14: wins over an account that is being added to the session', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const { sessions } = engine.config.schemeFor(origin)
    const ada = await signedIn()
    const cookies = new Map([[SESSION, tokenIn(ada)]])
    const principal = await sessions.readPrincipal(requestContext(cookies))
    await ada.signOut()
    const account = { provider: 'acme', type: 'oidc', providerAccountId: 'of the thief' } as const
    const start = { user: { id: principal?.id ?? '' }, account, isNewUser: false }
    const added = await sessions.issue(requestContext(cookies), {
      ...start,
      authenticatedAt: principal?.authenticatedAt ?? null,
    })
    expect(added.map(({ value }) => value)).to.deep.equal([''])
    // A sign-in of its own stands on no session of before.
    expect((await sessions.issue(requestContext(cookies), start)).some(({ value }) => value !== '')).to.equal(true)
  })

  it('tells the event once, with the claims', async () => {
    const told: unknown[] = []
    const { signedIn } = openTestApp({ events: { signOut: (message) => void told.push(message) } })
    const ada = await signedIn()
    const copy = ada.copy()
    const claims = await claimsOf(ada.jar.get(SESSION)?.value ?? '')
    await ada.signOut()
    await copy.signOut()
    expect(told).to.deep.equal([{ token: claims }])
  })

  it('deletes a cookie that cannot be read, and tells nobody', async () => {
    const told: unknown[] = []
    const { browser } = openTestApp({ events: { signOut: (message) => void told.push(message) } })
    const stranger = browser()
    stranger.plant(SESSION, 'not a token')
    stranger.plant(`${SESSION}.3`, 'nor a piece')
    const answer = await stranger.signOut()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example'])
    expect(stranger.sessionNames()).to.deep.equal([])
    expect(told).to.deep.equal([])
  })

  it('tells that the session may live on where the token cannot be opened for a fault (LOGOUT-02)', async () => {
    const told: unknown[] = []
    const down = { on: false }
    const { signedIn, log } = openTestApp({
      jwt: {
        encode: ({ token }) => JSON.stringify(token),
        decode: ({ token }) => {
          if (down.on) throw new Error('the key store is down')
          return JSON.parse(decodeURIComponent(token ?? ''))
        },
      },
      events: { signOut: (message) => void told.push(message) },
    })
    const ada = await signedIn()
    const copy = ada.copy()
    down.on = true
    const answer = await ada.signOut()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/auth/error?error=SignOut'])
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['SignOutError'])
    expect(told).to.deep.equal([])
    down.on = false
    expect(await copy.session()).not.to.equal(null)
  })

  it('without the CSRF token ends nothing', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const answer = await ada.post('/auth/signout', {})
    expect(answer.location).to.equal('http://app.example/auth/signout?error=MissingCSRF')
    expect(sessionCookies(answer)).to.deep.equal([])
    expect(await ada.session()).not.to.equal(null)
  })

  it('by a form of before a sign-in in another tab is one more press away', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const stale = await ada.csrfToken()
    await ada.signOut()
    await ada.signIn()
    const answer = await ada.post('/auth/signout', { csrfToken: stale, callbackUrl: '/papers' })
    expect(answer.location).to.equal('http://app.example/auth/signout?error=MissingCSRF')
    const page = await ada.get('/auth/signout?error=MissingCSRF')
    expect(page.status).to.equal(200)
    expect(visibleText(page.body)).to.match(/did not sign you out.*press the button once more/i)
    const fields = elements(page.body, 'input').map((field) => [field.get('name') ?? '', field.get('value') ?? ''])
    expect((await ada.post('/auth/signout', Object.fromEntries(fields))).location).to.equal('http://app.example')
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('says nothing of an error that the sign-out page does not know', async () => {
    const { browser } = openTestApp()
    const plain = visibleText((await browser().get('/auth/signout')).body)
    for (const error of ['x', 'constructor', '__proto__', 'Verification', '<b>Mallory</b>']) {
      const page = await browser().get(`/auth/signout?error=${encodeURIComponent(error)}`)
      expect(visibleText(page.body), error).to.equal(plain)
    }
  })

  it('leads back to the page of the application, and tells a script what it told before', async () => {
    for (const [pages, expected] of [
      [{ signOut: '/bye?from=auth' }, 'http://app.example/bye?from=auth&error=MissingCSRF'],
      [{ signOut: '/auth/signout' }, 'http://app.example/auth/signout?error=MissingCSRF'],
      [{ signIn: '/login' }, 'http://app.example/auth/signout?error=MissingCSRF'],
    ] as const) {
      const { signedIn } = openTestApp({ pages })
      const ada = await signedIn()
      expect((await ada.post('/auth/signout', {})).location).to.equal(expected)
      const script = await ada.post('/auth/signout', {}, { 'x-auth-return-redirect': '1' })
      expect(script.json().url).to.match(/\/(auth\/signin|login)\?error=MissingCSRF$/)
    }
    const { browser } = openTestApp({ pages: { signOut: '/bye' } })
    expect((await browser().get('/auth/signout?error=MissingCSRF')).location).to.equal('/bye?error=MissingCSRF')
  })

  it('by GET asks first, and ends nothing', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    expect((await ada.get('/auth/signout')).status).to.equal(200)
    expect(await ada.session()).not.to.equal(null)
  })

  it('wins over a read that began before it', async () => {
    let release = () => {}
    let reached = () => {}
    const slow: { on: boolean } = { on: false }
    const arrived = new Promise<void>((resolve) => {
      reached = resolve
    })
    const { signedIn } = openTestApp({
      session: { updateAge: 0 },
      callbacks: {
        jwt({ token }) {
          if (!slow.on) return token
          reached()
          return new Promise((resolve) => {
            release = () => resolve(token)
          })
        },
      },
    })
    const ada = await signedIn()
    const tab = ada.copy()
    slow.on = true
    const reading = tab.get('/auth/session')
    await arrived
    slow.on = false
    await ada.signOut()
    release()
    const answer = await reading
    expect(answer.json()).to.equal(null)
    expect(sessionCookies(answer)).to.deep.equal([])
  })
})

describe('signing in again', () => {
  it('gives a new token, and the one of before ends', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const thief = ada.copy()
    const before = ada.jar.get(SESSION)?.value
    await ada.signIn()
    expect(ada.jar.get(SESSION)?.value).not.to.equal(before)
    expect((await ada.session())?.user?.name).to.equal('Ada')
    expect(await thief.session()).to.equal(null)
  })

  it('is not undone by an answer to the old cookie that arrives late', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const tab = ada.copy()
    await ada.signIn()
    expect(sessionCookies(await tab.get('/auth/session'))).to.deep.equal([])
  })

  it('works with a session cookie that nobody can read', async () => {
    const config: Partial<AuthConfig> = {
      jwt: {
        decode: () => {
          throw new Error('no such key')
        },
      },
    }
    const ada = openTestApp(config).browser()
    ada.plant(SESSION, 'from another time')
    const answer = await ada.signIn({ ...ADA, callbackUrl: '/next' })
    expect(answer.location).to.equal('http://app.example/next')
    expect(ada.jar.get(SESSION)?.value).not.to.equal('from another time')
  })

  it('that fails leaves the session of before alone', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const answer = await ada.signIn({ username: 'ada', password: 'wrong' })
    expect(answer.location).to.equal('http://app.example/auth/signin?error=CredentialsSignin&code=credentials')
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('replaces the CSRF token and the planted return target', async () => {
    const { browser } = openTestApp()
    const victim = browser()
    const planted = await victim.csrfToken()
    victim.plant('authjs.callback-url', 'http://app.example/planted')
    await victim.signIn({ ...ADA, callbackUrl: '/chosen' })
    expect(await victim.csrfToken()).not.to.equal(planted)
    expect(decodeURIComponent(victim.jar.get('authjs.callback-url')?.value ?? '')).to.equal('http://app.example/chosen')
  })
})

describe('a planted session cookie', () => {
  it('is not taken over by a sign-in: the attacker learns nothing and stays who they are', async () => {
    const { signedIn, browser } = openTestApp()
    const attacker = await signedIn()
    const planted = attacker.jar.get(SESSION)?.value ?? ''
    const victim = browser()
    victim.plant(SESSION, planted)
    await victim.signIn()
    expect(victim.jar.get(SESSION)?.value).not.to.equal(planted)
    expect((await claimsOf(victim.jar.get(SESSION)?.value ?? '')).jti).not.to.equal((await claimsOf(planted)).jti)
  })

  it('with claims of its own choice is worth nothing without the secret', async () => {
    const { browser, clock } = openTestApp()
    const attacker = browser()
    attacker.plant(SESSION, await forge({ sub: '1', name: 'Root', exp: clock.seconds + DAY }, { secret: 'a guess' }))
    const answer = await attacker.get('/auth/session')
    expect(answer.json()).to.equal(null)
    // Nothing here can tell it from what a process with a newer secret made.
    expect(sessionCookies(answer)).to.deep.equal([])
  })
})
