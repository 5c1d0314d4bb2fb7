import { expect } from 'chai'
import express from 'express'
import { expressAuth, requireAuth } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, SECRET, testConfig } from '../../support/app.js'
import { NAVIGATION, navigate, startGuarded } from '../../support/guard.js'
import { elements, visibleText } from '../../support/html.js'
import { sendRaw } from '../../support/raw-http.js'

const AS_SCRIPT = { headers: { accept: '*/*', 'sec-fetch-mode': 'cors' } }

describe('requireAuth', () => {
  let app: Running
  let ran: string[]
  const start = async (...args: Parameters<typeof startGuarded>) => {
    const started = await startGuarded(...args)
    app = started.app
    ran = started.ran
    return app.visitor()
  }
  afterEach(() => app.close())

  it('sends a browser to the sign-in page and back to where it wanted to go', async () => {
    const ada = await start(testConfig())
    const answer = await navigate(ada, '/private/papers?page=2')
    expect([answer.status, ran]).to.deep.equal([302, []])
    const target = `${app.origin}/private/papers?page=2`
    expect(answer.headers.get('location')).to.equal(
      `${app.origin}/auth/signin?${new URLSearchParams({ callbackUrl: target })}`,
    )
    await ada.get(answer.location?.href ?? '')
    const signedIn = await ada.signIn(ADA)
    expect(signedIn.location?.href).to.equal(target)
    expect((await navigate(ada, '/private/papers?page=2')).body).to.equal('Hello Ada')
  })

  it('says that its sign-in page stands behind it, in place of sending browsers there for ever', async () => {
    for (const [config, options, page] of [
      [{}, {}, '/auth/signin'],
      [{ pages: { signIn: '/login?from=guard' } }, {}, '/login?from=guard'],
      [{}, { signInUrl: '/staff/login' }, '/staff/login'],
      [{}, { maxAuthAge: 300 }, '/auth/signin'],
    ] as const) {
      const log = createLog()
      const guarding = testConfig({ logger: log.logger, ...config })
      const server = express().set('env', 'test')
      server.use(requireAuth(guarding, options))
      server.use('/auth', expressAuth(guarding))
      app = await listen(server)
      const visitor = app.visitor()
      const first = await navigate(visitor, '/papers')
      expect([first.status, first.location?.pathname], page).to.deep.equal([302, page.split('?')[0]])
      for (const target of [first.location?.href.slice(app.origin.length) ?? '', page]) {
        const second = await navigate(visitor, target)
        expect([second.status, second.location], target).to.deep.equal([500, null])
        expect(visibleText(second.body), target).to.include('A problem on our side')
        expect(
          elements(second.body, 'a').map((link) => link.get('href')),
          target,
        ).to.deep.equal([app.origin])
        expect(second.headers.get('cache-control')).to.contain('no-store')
      }
      expect(log.errors.map(({ name }) => name)).to.deep.equal(['InvalidConfiguration', 'InvalidConfiguration'])
      expect(log.errors[0]?.message).to.contain('before the guard').and.contain('expressAuth')
      // Scripts are not sent anywhere, and what has the path of the page but not its query is not the page.
      expect((await visitor.get(page, AS_SCRIPT.headers)).status).to.equal(401)
      expect((await navigate(visitor, page, { method: 'POST' })).status).to.equal(302)
      if (page.includes('?')) expect((await navigate(visitor, '/login')).status).to.equal(302)
      await app.close()
    }
    await start(testConfig())
  })

  it('answers 401 with JSON to scripts', async () => {
    const visitor = await start(testConfig())
    for (const headers of [
      { accept: 'application/json' },
      { 'sec-fetch-mode': 'cors', accept: 'text/html' },
      { 'x-requested-with': 'XMLHttpRequest', accept: 'text/html' },
    ] as Record<string, string>[]) {
      const answer = await visitor.get('/private', headers)
      expect([answer.status, answer.json()], JSON.stringify(headers)).to.deep.equal([
        401,
        { message: 'Sign in first.' },
      ])
      expect(answer.headers.get('location')).to.equal(null)
    }
    expect(ran).to.deep.equal([])
  })

  it('lets no answer into a cache, whichever it is (COOKIE-12)', async () => {
    const ada = await start(testConfig())
    const answers = [await navigate(ada, '/private'), await navigate(ada, '/private', AS_SCRIPT)]
    await ada.signIn(ADA)
    answers.push(await navigate(ada, '/private'))
    expect(answers.map(({ status }) => status)).to.deep.equal([302, 401, 200])
    for (const { status, headers } of answers) {
      expect(headers.get('cache-control'), String(status)).to.contain('no-store')
      expect(headers.get('vary'), String(status)).to.contain('Cookie')
    }
  })

  it('sends the renewed cookie', async () => {
    const ada = await start(testConfig({ session: { updateAge: 0 } }))
    await ada.signIn(ADA)
    expect((await ada.get('/private')).cookies.has('authjs.session-token')).to.equal(true)
  })

  it('returns a refused form to the front page, since it cannot be sent again', async () => {
    const visitor = await start(testConfig())
    const { location } = await navigate(visitor, '/private/pay', { method: 'POST' })
    expect(location?.searchParams.get('callbackUrl')).to.equal(app.origin)
  })

  for (const [where, config, options, expected] of [
    ['its own option', {}, { signInUrl: '/login?from=guard' }, '/login?from=guard&'],
    ['pages.signIn', { pages: { signIn: '/welcome' } }, {}, '/welcome?'],
    ['basePath', { basePath: '/api/auth' }, {}, '/api/auth/signin?'],
  ] as const) {
    it(`finds the sign-in page by ${where}`, async () => {
      const visitor = await start(testConfig(config), options)
      const { location } = await navigate(visitor, '/private')
      expect(location?.href).to.equal(
        `${app.origin}${expected}${new URLSearchParams({ callbackUrl: `${app.origin}/private` })}`,
      )
    })
  }

  it('sends the return target along to a sign-in page on another host', async () => {
    const visitor = await start(testConfig(), { signInUrl: 'https://login.example/?app=1' })
    const { location } = await navigate(visitor, '/private')
    expect(location?.host).to.equal('login.example')
    expect(location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/private`)
  })

  it('never takes the Referer for a target (CVE-2026-40295)', async () => {
    const visitor = await start(testConfig())
    const { location } = await navigate(visitor, '/private', {
      method: 'POST',
      headers: { referer: 'https://evil.example/' },
    })
    expect(location?.href).to.not.contain('evil')
  })

  it('stays guarded, and on this origin, whatever the path looks like (CVE-2022-24794, CVE-2026-41248)', async () => {
    await start(testConfig())
    const paths = [
      '//evil.example/%2e%2e',
      '//evil.example/..',
      '/private//evil.example',
      '/private/..//evil.example',
      '/private/%2e%2e/%2e%2e',
      '/private/./x',
      '/private/.%2e/auth/session',
      '/private;x=1',
      '/private%2f',
      '/PRIVATE/x',
      '/private/%00',
      '/private/%ff',
      '/private/%',
      '/private\\..\\public',
      '/private?next=//evil.example',
      '/%70rivate',
      '/./private',
      '/x/../private',
      '/private/%252e%252e',
    ]
    for (const path of paths) {
      const answer = await sendRaw(app.origin, path, { headers: NAVIGATION })
      expect(answer.status, path).to.be.within(302, 499)
      const location = answer.headers.get('location')
      if (location) expect(new URL(location, app.origin).origin, path).to.equal(app.origin)
      const target = location && new URL(location, app.origin).searchParams.get('callbackUrl')
      if (target) expect(new URL(target).origin, path).to.equal(app.origin)
    }
    expect(ran).to.deep.equal([])
  })

  it('fails at once for a configuration that cannot work', async () => {
    await start(testConfig())
    const logger = createLog().logger
    expect(() => requireAuth({ providers: [], secret: '', logger })).to.throw(/secret/)
    expect(() => expressAuth({ providers: [{} as never], secret: SECRET, logger })).to.throw()
    expect(() => requireAuth(undefined as never)).to.throw(/No configuration was given; call it: requireAuth\(config\)/)
  })

  it('lets nobody in when the session cannot be read: 503, and the cookie stays (CVE-2026-73421, SESS-15)', async () => {
    const log = createLog()
    const ada = await start(
      testConfig({ logger: log.logger, callbacks: { session: () => Promise.reject(new Error('the store is down')) } }),
    )
    await ada.signIn(ADA)
    const answer = await navigate(ada, '/private')
    expect([answer.status, answer.setCookie, ran]).to.deep.equal([503, [], []])
    expect(answer.headers.get('cache-control')).to.contain('no-store')
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['JWTSessionError'])
  })

  it('shows a person a page while the session cannot be read, and tells a script in JSON', async () => {
    const ada = await start(
      testConfig({ callbacks: { session: () => Promise.reject(new Error('the store is down')) } }),
    )
    await ada.signIn(ADA)
    const page = await navigate(ada, '/private/papers?page=2&q=<b>')
    expect([page.status, page.headers.get('retry-after'), page.setCookie, ran]).to.deep.equal([503, '5', [], []])
    expect(page.headers.get('content-type')).to.contain('text/html')
    expect(page.headers.get('cache-control')).to.contain('no-store')
    expect(page.headers.get('vary')).to.contain('Cookie')
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'")
    expect(visibleText(page.body)).to.include(
      'We cannot check right now whether you are signed in. Nothing is lost. Please try again in a moment.',
    )
    expect(elements(page.body, 'a').map((link) => link.get('href'))).to.deep.equal([
      `${app.origin}/private/papers?page=2&q=%3Cb%3E`,
      app.origin,
    ])
    const head = await navigate(ada, '/private', { method: 'HEAD' })
    expect([head.status, head.body, head.headers.get('retry-after')]).to.deep.equal([503, '', '5'])
    const script = await navigate(ada, '/private', AS_SCRIPT)
    expect([script.status, script.headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect(JSON.parse(script.body)).to.deep.equal({ message: 'We cannot check right now whether you are signed in.' })
  })

  it('leads a person home from there, and else nowhere, and not back to a form that cannot be sent again', async () => {
    const ada = await start(
      testConfig({ callbacks: { session: () => Promise.reject(new Error('the store is down')) } }),
    )
    await ada.signIn(ADA)
    const hrefs = async (...visit: Parameters<typeof navigate>) =>
      elements((await navigate(...visit)).body, 'a').map((link) => link.get('href'))
    expect(await hrefs(ada, '/private/pay', { method: 'POST' })).to.deep.equal([app.origin])
    for (const path of [
      '/private/..//evil.example',
      '/private//evil.example',
      '/private/%2e%2e/%2e%2e//evil.example',
    ]) {
      for (const href of await hrefs(ada, path)) expect(new URL(href ?? '').origin, path).to.equal(app.origin)
    }
  })

  it('lets nobody in when a configuration function fails, whatever it throws', async () => {
    for (const thrown of [undefined, null, 0, '', 'route', 'router', new Error('down')]) {
      let reached = false
      const server = express().set('env', 'test')
      server.use(requireAuth(() => Promise.reject(thrown)))
      server.use((_req: unknown, res: express.Response) => {
        reached = true
        res.send('secret')
      })
      app = await listen(server)
      expect((await app.visitor().get('/')).status, String(thrown)).to.equal(500)
      expect(reached, String(thrown)).to.equal(false)
      await app.close()
    }
  })

  it('lets nobody in when even the log fails, whatever it throws', async () => {
    for (const thrown of [undefined, 'route', new Error('disk full')]) {
      const error = () => {
        throw thrown
      }
      const visitor = await start(testConfig({ logger: { error }, callbacks: { authorized: error } }))
      expect((await visitor.get('/private')).status, String(thrown)).to.equal(503)
      expect(ran).to.deep.equal([])
      await app.close()
    }
  })

  it('answers 400 to a Host header that is none, and 503 where nothing tells the origin', async () => {
    const visitor = await start(testConfig())
    expect((await sendRaw(app.origin, '/private', { headers: { host: 'a b' } })).status).to.equal(400)
    const page = await sendRaw(app.origin, '/private', { headers: { ...NAVIGATION, host: 'a b' } })
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([400, 'text/html; charset=utf-8'])
    await app.close()
    await start(testConfig({ trustHost: false }))
    expect((await app.visitor().get('/private', NAVIGATION)).status).to.equal(503)
    expect(ran).to.deep.equal([])
    expect(visitor.jar.size).to.equal(0)
  })
})
