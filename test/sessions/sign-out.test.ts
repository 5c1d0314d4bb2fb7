import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { elements, visibleText } from '../support/html.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf, forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60

describe('POST /auth/signout', () => {
  it('emits the event once, with the claims', async () => {
    const told: unknown[] = []
    const { signedIn } = openTestApp({ events: { signOut: (message) => void told.push(message) } })
    const ada = await signedIn()
    const copy = ada.copy()
    const claims = await claimsOf(ada.jar.get(SESSION)?.value ?? '')
    await ada.signOut()
    await copy.signOut()
    expect(told).to.deep.equal([{ token: claims }])
  })

  it('deletes a cookie that cannot be read, and emits no event', async () => {
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

  it('says that the session may stay valid if a fault prevents the decryption of the token (LOGOUT-02)', async () => {
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

  it('by a form from before a sign-in in another tab asks once more', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const stale = await ada.csrfToken()
    await ada.signOut()
    await ada.signIn()
    const answer = await ada.post('/auth/signout', { csrfToken: stale, callbackUrl: '/papers' })
    expect(answer.location).to.equal('http://app.example/auth/signout?error=MissingCSRF')
    const page = await ada.get('/auth/signout?error=MissingCSRF')
    expect(page.status).to.equal(200)
    expect(visibleText(page.body)).to.match(/still signed in.*press the button again/i)
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

  it('leads back to the page of the application, and answers a script as before', async () => {
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
})

describe('signing in again', () => {
  it('issues a new token, and the previous token is refused', async () => {
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

  it('that fails does not change the previous session', async () => {
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
