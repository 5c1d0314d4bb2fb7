import { expect } from 'chai'
import { skipCSRFCheck } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { untyped } from '../support/untyped.js'

const CSRF = 'authjs.csrf-token'
const TARGET = 'authjs.callback-url'
const named = (answer: { setCookies: readonly { name: string }[] }) => answer.setCookies.map(({ name }) => name)

describe('GET /auth/csrf', () => {
  it('hands out a token, and cookies that make it good, with the return target of the form to come', async () => {
    const visitor = openTestApp().browser()
    const answer = await visitor.get('/auth/csrf?callbackUrl=/wanted')
    const { csrfToken } = answer.json()
    expect(csrfToken).to.match(/^[0-9a-f]{64}$/)
    expect(Object.keys(answer.json())).to.deep.equal(['csrfToken'])
    expect(named(answer)).to.deep.equal([CSRF, `${CSRF}.${csrfToken.slice(0, 8)}`, TARGET])
    expect(decodeURIComponent(visitor.jar.get(TARGET)?.value ?? '')).to.equal('http://app.example/wanted')
  })

  it('hands out the same token while its cookie lives', async () => {
    const visitor = openTestApp().browser()
    const token = await visitor.csrfToken()
    const again = await visitor.get('/auth/csrf')
    expect([again.json().csrfToken, again.setCookies]).to.deep.equal([token, []])
  })

  it('is not there when the integration turned the protection off', async () => {
    const { browser } = openTestApp({ skipCSRFCheck })
    expect((await browser().get('/auth/csrf')).status).to.equal(404)
    const ada = browser()
    await ada.post('/auth/callback/credentials', ADA)
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })
})

describe('a return target on another origin', () => {
  it('is told once, without its address, which any visitor can choose', async () => {
    const warnings: unknown[][] = []
    const warn = (...line: unknown[]) => void warnings.push(line)
    const { browser } = openTestApp({ logger: { warn } })
    await browser().get('/auth/signin?callbackUrl=/here')
    await browser().get('/auth/signin?callbackUrl=http://app.example/here')
    expect(warnings).to.deep.equal([])
    for (const host of ['front.example', 'other.example'])
      await browser().get(`/auth/signin?callbackUrl=https://${host}/home`)
    expect(warnings.map(([code]) => code)).to.deep.equal(['redirect-refused'])
    expect(JSON.stringify(warnings)).to.include('`origins`').and.not.include('.example')
  })

  it('is told also where the callback leads to an origin that only begins in the same way', async () => {
    const warnings: unknown[] = []
    const told = async (target: string) => {
      warnings.length = 0
      const { browser } = openTestApp({
        logger: { warn: (code) => void warnings.push(code) },
        callbacks: { redirect: () => target },
      })
      await browser().get('/auth/signin?callbackUrl=https://front.example/home')
      return warnings
    }
    for (const origin of ['https://front.example.evil.example', 'https://front.example:8443'])
      expect(await told(`${origin}/home`), origin).to.deep.equal(['redirect-refused'])
    expect(await told('https://front.example')).to.deep.equal([])
  })
})

describe('GET /auth/providers', () => {
  it('lists what a client may know, and sets no cookie', async () => {
    const answer = await openTestApp().browser().get('/auth/providers')
    expect(answer.json()).to.deep.equal({
      credentials: {
        id: 'credentials',
        name: 'Credentials',
        type: 'credentials',
        signinUrl: 'http://app.example/auth/signin/credentials',
        callbackUrl: 'http://app.example/auth/callback/credentials',
      },
    })
    expect(answer.setCookies).to.deep.equal([])
  })

  it('is an empty object where there are none', async () => {
    expect((await openTestApp({ providers: [] }).browser().get('/auth/providers')).json()).to.deep.equal({})
  })
})

describe('GET /auth/signin', () => {
  it('shows the form, and remembers the return target', async () => {
    const visitor = openTestApp().browser()
    const answer = await visitor.get('/auth/signin?callbackUrl=/wanted')
    expect(answer.status).to.equal(200)
    expect(named(answer)).to.include.members([CSRF, TARGET])
    await visitor.post('/auth/callback/credentials', { csrfToken: await visitor.csrfToken(), ...ADA })
    expect(visitor.sessionNames()).to.deep.equal([SESSION])
  })

  it('leads to the page of the application, with target and error', async () => {
    const { browser } = openTestApp({ pages: { signIn: '/login?tab=1' } })
    expect((await browser().get('/auth/signin?callbackUrl=/x&error=AccessDenied&code=7')).location).to.equal(
      '/login?tab=1&callbackUrl=http%3A%2F%2Fapp.example%2Fx&error=AccessDenied',
    )
    expect((await browser().get('/auth/signin')).location).to.equal('/login?tab=1&callbackUrl=http%3A%2F%2Fapp.example')
  })
})

describe('POST /auth/signin', () => {
  it('leads to the sign-in page where the form is there, or no provider is named', async () => {
    const visitor = openTestApp().browser()
    const csrfToken = await visitor.csrfToken()
    for (const path of ['/auth/signin', '/auth/signin/credentials', '/auth/signin/undefined']) {
      expect((await visitor.post(path, { csrfToken })).location, path).to.equal('http://app.example/auth/signin')
    }
  })

  it('without the token leads to the sign-in page, which says so', async () => {
    const answer = await openTestApp().browser().post('/auth/signin', {})
    expect(answer.location).to.equal('http://app.example/auth/signin?error=MissingCSRF')
  })
})

describe('the pages of the application', () => {
  const { browser } = openTestApp({
    pages: { signOut: '/bye', error: '/oops?from=auth', verifyRequest: 'https://other.example/mail' },
  })

  it('stand in for the built-in ones', async () => {
    expect((await browser().get('/auth/signout')).location).to.equal('/bye')
    expect((await browser().get('/auth/error?error=X%26y')).location).to.equal('/oops?from=auth&error=X%26y')
    expect((await browser().get('/auth/error')).location).to.equal('/oops?from=auth')
    expect((await browser().get('/auth/verify-request?provider=mail&type=email')).location).to.equal(
      'https://other.example/mail?provider=mail&type=email',
    )
  })
})

describe('completing a sign-in', () => {
  it('renews the CSRF token, remembers the target, sets the session, and goes there', async () => {
    const visitor = openTestApp().browser()
    const csrfToken = await visitor.csrfToken()
    const before = visitor.jar.get(CSRF)?.value
    const answer = await visitor.post('/auth/callback/credentials', { csrfToken, ...ADA, callbackUrl: '/home?x=1#y' })
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/home?x=1#y'])
    expect(sessionCookies(answer).map(({ name }) => name)).to.deep.equal([SESSION])
    expect(visitor.jar.get(CSRF)?.value).not.to.equal(before)
    expect((await visitor.post('/auth/signout', { csrfToken })).location).to.match(/signout\?error=MissingCSRF$/)
  })

  it('asks the signIn callback first: no session, no event, where it says no', async () => {
    const emitted: string[] = []
    for (const verdict of [false, null, undefined, '', '/elsewhere'] as const) {
      const { browser } = openTestApp({
        callbacks: { signIn: () => untyped<boolean>(verdict) },
        events: { signIn: () => void emitted.push(String(verdict)) },
      })
      const visitor = browser()
      const answer = await visitor.signIn()
      expect(answer.location).to.equal(
        verdict ? 'http://app.example/elsewhere' : 'http://app.example/auth/error?error=AccessDenied',
      )
      expect(visitor.sessionNames()).to.deep.equal([])
    }
    expect(emitted).to.deep.equal([])
  })

  it('sends nobody off the site because the signIn callback named a foreign page, unless the redirect callback lets it', async () => {
    const signIn = () => 'https://other.example/terms'
    expect((await openTestApp({ callbacks: { signIn } }).browser().signIn()).location).to.equal('http://app.example')
    const redirect = ({ url }: { url: string }) => url
    expect((await openTestApp({ callbacks: { signIn, redirect } }).browser().signIn()).location).to.equal(
      'https://other.example/terms',
    )
  })
})

describe('POST /auth/signout', () => {
  it('leaves nothing of the visitor in the browser', async () => {
    const ada = await openTestApp().signedIn()
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken(), callbackUrl: '/bye' })
    expect([...ada.jar.keys()]).to.deep.equal(['authjs.known-browser'])
  })

  it('goes back to where the visitor came from', async () => {
    const ada = await openTestApp().signedIn()
    const csrfToken = await ada.csrfToken()
    expect((await ada.post('/auth/signout', { csrfToken, callbackUrl: '/bye' })).location).to.equal(
      'http://app.example/bye',
    )
  })
})
