import { expect } from 'chai'
import { elements, visibleText } from '../support/html.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'

describe('POST /auth/signout', () => {
  it('emits the event once, with the claims', async () => {
    const emitted: unknown[] = []
    const { signedIn } = openTestApp({ events: { signOut: (message) => void emitted.push(message) } })
    const ada = await signedIn()
    const copy = ada.copy()
    const claims = await claimsOf(ada.jar.get(SESSION)?.value ?? '')
    await ada.signOut()
    await copy.signOut()
    expect(emitted).to.deep.equal([{ token: claims }])
  })

  it('deletes a cookie that cannot be read, and emits no event', async () => {
    const emitted: unknown[] = []
    const { browser } = openTestApp({ events: { signOut: (message) => void emitted.push(message) } })
    const stranger = browser()
    stranger.plant(SESSION, 'not a token')
    stranger.plant(`${SESSION}.3`, 'nor a piece')
    const answer = await stranger.signOut()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example'])
    expect(stranger.sessionNames()).to.deep.equal([])
    expect(emitted).to.deep.equal([])
  })

  it('says that the session may stay valid if a fault prevents the decryption of the token (LOGOUT-02)', async () => {
    const emitted: unknown[] = []
    const down = { on: false }
    const { signedIn, log } = openTestApp({
      jwt: {
        encode: ({ token }) => JSON.stringify(token),
        decode: ({ token }) => {
          if (down.on) throw new Error('the key store is down')
          return JSON.parse(decodeURIComponent(token ?? ''))
        },
      },
      events: { signOut: (message) => void emitted.push(message) },
    })
    const ada = await signedIn()
    const copy = ada.copy()
    down.on = true
    const answer = await ada.signOut()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/auth/error?error=SignOut'])
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['SignOutError'])
    expect(emitted).to.deep.equal([])
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
    expect((await ada.post('/auth/signout', Object.fromEntries(fields))).location).to.equal(
      'http://app.example/auth/signout',
    )
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
