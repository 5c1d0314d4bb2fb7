import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { type PagesOptions, requireAuth } from '../../lib/index.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { navigate } from '../support/guard.js'

describe("pages of the app's own", () => {
  let app: Running
  afterEach(() => app?.close())

  const start = async (pages: Partial<PagesOptions>) => {
    app = await startApp(testConfig({ pages }))
    return app.visitor()
  }
  const target = (path: string) => new URLSearchParams({ callbackUrl: app.origin + path }).toString()

  it('are sent to as they are configured, with what they need in the query', async () => {
    const visitor = await start({ signIn: '/login', signOut: '/bye', error: '/oops', verifyRequest: '/sent' })
    for (const [path, location] of [
      ['/auth/signin?callbackUrl=/x', `/login?${target('/x')}`],
      ['/auth/signin?callbackUrl=/x&error=AccessDenied&code=y', `/login?${target('/x')}&error=AccessDenied`],
      ['/auth/signout', '/bye'],
      ['/auth/error?error=Verification', '/oops?error=Verification'],
      ['/auth/error', '/oops'],
      ['/auth/verify-request?provider=email&type=email', '/sent?provider=email&type=email'],
    ] as const) {
      const answer = await visitor.get(path)
      expect([answer.status, answer.headers.get('location')], path).to.deep.equal([302, location])
    }
  })

  it('lead from the own sign-out page to the return target, which its form need not have', async () => {
    const visitor = await start({ signOut: '/logout' })
    const page = await visitor.get('/auth/signout?callbackUrl=/bye')
    expect(page.headers.get('location')).to.equal(`/logout?${target('/bye')}`)
    const csrfToken = await visitor.csrfToken()
    expect((await visitor.post('/auth/signout', { csrfToken })).headers.get('location')).to.equal(`${app.origin}/bye`)
  })

  it('keep a query of their own (wire contract 16, 17)', async () => {
    const visitor = await start({ signIn: '/login?tab=1', error: '/oops?x=1#y' })
    expect((await visitor.get('/auth/signin?callbackUrl=/x')).headers.get('location')).to.equal(
      `/login?tab=1&${target('/x')}`,
    )
    expect((await visitor.get('/auth/error?error=Verification')).headers.get('location')).to.equal(
      '/oops?x=1&error=Verification#y',
    )
  })

  it('may be on another host, also for failures', async () => {
    const visitor = await start({ signIn: 'https://login.example/in?a=1', error: 'https://login.example/oops' })
    const signIn = await visitor.get('/auth/signin?callbackUrl=/x')
    expect(signIn.headers.get('location')).to.equal(`https://login.example/in?a=1&${target('/x')}`)
    const refused = await visitor.signIn({ username: 'ada', password: 'wrong' })
    expect(refused.headers.get('location')).to.equal(
      'https://login.example/in?a=1&error=CredentialsSignin&code=credentials',
    )
  })

  it('get error values encoded, and never the word "undefined"', async () => {
    const visitor = await start({ signIn: '/login', error: '/oops' })
    const answer = await visitor.get(`/auth/error?error=${encodeURIComponent('<script>&x=1#')}`)
    expect(answer.location?.searchParams.get('error')).to.equal('<script>&x=1#')
    expect(answer.headers.get('location')).to.match(/^\/oops\?error=[\w%&=.+-]+$/)
    expect((await visitor.get('/auth/signin')).headers.get('location')).to.not.contain('undefined')
  })

  it('are where failures lead, and a failure costs nobody their session', async () => {
    const visitor = await start({ signIn: '/login', error: '/oops' })
    await visitor.signIn(ADA)
    const refused = await visitor.signIn({ username: 'ada', password: 'wrong' })
    expect(refused.headers.get('location')).to.equal(`${app.origin}/login?error=CredentialsSignin&code=credentials`)
    const forged = await visitor.post('/auth/signout', {})
    expect(forged.headers.get('location')).to.equal(`${app.origin}/auth/signout?error=MissingCSRF`)
    expect((await visitor.session()).user.name).to.equal('Ada')
  })

  it('get the return target of a form that failed, since they cannot read the cookie that has it', async () => {
    const visitor = await start({ signIn: '/login' })
    const csrfToken = await visitor.csrfToken()
    const post = async (path: string, fields: Record<string, string>) =>
      (await visitor.post(path, { username: 'ada', password: 'wrong', ...fields }, { accept: 'text/html' })).location
    const failed = await post('/auth/callback/credentials', { csrfToken, callbackUrl: '/notes?page=2' })
    expect(failed?.pathname).to.equal('/login')
    expect(Object.fromEntries(failed?.searchParams ?? [])).to.deep.equal({
      error: 'CredentialsSignin',
      code: 'credentials',
      callbackUrl: `${app.origin}/notes?page=2`,
    })
    const elsewhere = await post('/auth/callback/credentials', { csrfToken, callbackUrl: 'https://evil.example/' })
    expect(elsewhere?.searchParams.get('callbackUrl')).to.equal(app.origin)
  })

  it('tell of a page that cannot be shown, with the log saying why', async () => {
    for (const error of ['/oops?x=1', 'https://help.example/oops']) {
      const log = createLog()
      const redirect = () => Promise.reject(new Error('marked'))
      app = await startApp(testConfig({ pages: { error }, callbacks: { redirect }, logger: log.logger }))
      for (const page of ['signin', 'signin/credentials', 'signout']) {
        const answer = await app.visitor().get(`/auth/${page}?callbackUrl=/x`)
        const expected = new URL(`${error}${error.includes('?') ? '&' : '?'}error=Configuration`, app.origin).href
        expect([answer.status, answer.location?.href], page).to.deep.equal([302, expected])
        expect(answer.text).to.not.contain('marked')
      }
      // These two lead nowhere, so that they ask for no target.
      expect((await app.visitor().get('/auth/verify-request?callbackUrl=/x')).status).to.equal(200)
      expect((await app.visitor().get('/auth/error?callbackUrl=/x')).headers.get('location')).to.equal(error)
      expect(log.errors).to.have.length(3)
      await app.close()
    }
  })

  it('never go round for ever: an error page that a broken sign-in page leads back to is not led to again', async () => {
    const redirect = () => Promise.reject(new Error('boom'))
    const config = testConfig({ pages: { error: '/oops' }, callbacks: { redirect } })
    app = await startApp(config, (server) => {
      server.get('/oops', requireAuth(config), (_req, res) => void res.send('never seen'))
    })
    const visitor = app.visitor()
    let path = '/auth/signin?callbackUrl=/x'
    const statuses: number[] = []
    for (let hops = 0; hops < 10; hops += 1) {
      const answer = await navigate(visitor, path)
      statuses.push(answer.status)
      if (!answer.location) break
      path = answer.location.pathname + answer.location.search
    }
    expect(statuses).to.deep.equal([302, 302, 500])
  })

  it('never go round for ever: addresses of the mount itself, however they are written', async () => {
    const redirect = () => Promise.reject(new Error('boom'))
    for (const error of [
      '/auth/signin',
      '/auth/signout?x=1',
      '/auth//error',
      '/auth/./verify-request',
      '/x/../auth/error#y',
    ]) {
      app = await startApp(testConfig({ pages: { error }, callbacks: { redirect } }))
      for (const page of ['signin', 'signout']) {
        const answer = await app.visitor().get(`/auth/${page}?callbackUrl=/x`)
        expect([answer.status, answer.headers.get('location')], `${error} ${page}`).to.deep.equal([500, null])
      }
      // What needs no target is shown, or leads to the page that the application named for it, and from there no further.
      for (const page of ['error', 'verify-request']) {
        const visitor = app.visitor()
        let answer = await visitor.get(`/auth/${page}?callbackUrl=/x`)
        if (answer.location) {
          expect(answer.location.pathname, `${error} ${page}`).to.equal(new URL(error, app.origin).pathname)
          answer = await visitor.get(`${answer.location.pathname}?callbackUrl=/x`)
        }
        expect(answer.headers.get('location'), `${error} ${page}`).to.equal(null)
      }
      await app.close()
    }
  })

  it('never go round for ever: a page that cannot be shown is answered with a page of ours', async () => {
    const redirect = () => Promise.reject(new Error('boom'))
    app = await startApp(
      testConfig({ pages: { error: '/auth/error', signIn: '/auth/signin' }, callbacks: { redirect } }),
    )
    for (const page of ['signin', 'signout', 'error']) {
      const answer = await app.visitor().get(`/auth/${page}?callbackUrl=/x`)
      expect([answer.status, answer.headers.get('location')], page).to.deep.equal([500, null])
    }
    expect((await app.visitor().get('/auth/verify-request?callbackUrl=/x')).status).to.equal(200)
  })
})

describe('a page of the application that is the built-in one', () => {
  it('is shown, and does not lead round for ever', async () => {
    const app = await startApp(
      testConfig({ pages: { signIn: '/auth/signin', error: '/auth/error/', signOut: '/auth/signout' } }),
    )
    const visitor = app.visitor()
    try {
      for (const path of ['/auth/signin?error=Callback', '/auth/error', '/auth/signout']) {
        expect((await visitor.get(path)).status, path).to.equal(200)
      }
    } finally {
      await app.close()
    }
  })

  it('is refused at the start when it names a host without a scheme', () => {
    expect(() => resolveConfig(testConfig({ pages: { signIn: '//login.example/in' } }))).to.throw('pages.signIn')
  })
})
