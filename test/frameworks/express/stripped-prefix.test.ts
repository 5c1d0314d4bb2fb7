import { expect } from 'chai'
import express from 'express'
import {
  type AuthConfig,
  authSession,
  expressAuth,
  requireAuth,
  signInUrl,
  signOut,
  startSignIn,
} from '../../../lib/index.js'
import { ADA, createLog, listen, passwords, type Running, testConfig } from '../../support/app.js'
import { ownForm } from '../../support/calling-app.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { formsOf, submit } from '../../support/forms.js'
import { navigate } from '../../support/guard.js'
import { oauth } from '../../support/sign-ins.js'
import { SESSION } from '../../support/test-app.js'

/** The application, behind something that passes on what is below `/app`, without `/app`. */
async function startBehind(configOf: (origin: string) => AuthConfig, mount = '/auth'): Promise<Running> {
  let app: express.Express | undefined
  const running = await listen((req, res) => {
    if (!req.url?.startsWith('/app/')) {
      res.statusCode = 404
      res.end('nothing is here')
      return
    }
    req.url = req.url.slice('/app'.length)
    app?.(req, res)
  })
  const config = configOf(running.origin)
  app = express()
  if (mount === '') app.use(expressAuth(config))
  else app.use(mount, expressAuth(config))
  app.get('/private', requireAuth(config), (_req, res) => res.json(res.locals['session']))
  app.get('/who', authSession(config), (_req, res) => res.json(res.locals['session']))
  app.get('/link', async (req, res) => res.send(await signInUrl(req, config)))
  app.get('/begin', (req, res) => startSignIn(req, res, config))
  app.post('/end', (req, res) => signOut(req, res, config, { redirectTo: '/app/who' }))
  return running
}

for (const mount of ['/auth', '']) {
  describe(`behind a proxy that cuts off a prefix, mounted at ${mount === '' ? 'the root' : mount}`, () => {
    let idp: FakeProvider
    let app: Running
    const log = createLog()
    before(async () => {
      idp = await FakeProvider.start()
      app = await startBehind(
        (origin) =>
          testConfig({
            logger: log.logger,
            url: `${origin}/app/auth`,
            strippedPrefix: '/app',
            providers: [passwords, oauth(idp, 'oidc')],
          }),
        mount,
      )
    })
    after(async () => {
      await app.close()
      await idp.stop()
    })

    it('sends a visitor of a guarded route to the sign-in page and back, all under the prefix', async () => {
      const ada = app.visitor()
      const { location } = await navigate(ada, '/app/private?page=2')
      expect(location?.pathname).to.equal('/app/auth/signin')
      expect(location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/app/private?page=2`)
      const page = await ada.get(`${location?.pathname}${location?.search}`)
      for (const { action } of formsOf(page)) expect(new URL(action, app.origin).pathname).to.match(/^\/app\/auth\//)
      const signedIn = await submit(ada, page, '/callback/credentials', ADA)
      expect(signedIn.headers.get('location')).to.equal(`${app.origin}/app/private?page=2`)
      expect((await ada.get('/app/private')).json().user.name).to.equal('Ada')
    })

    it('signs in at a provider, which knows the public callback URL', async () => {
      const ada = app.visitor()
      const begun = await ada.post('/app/auth/signin/oidc', { csrfToken: await ada.csrfToken('/app/auth') })
      expect(begun.location?.searchParams.get('redirect_uri')).to.equal(`${app.origin}/app/auth/callback/oidc`)
      const { location } = await ada.get(`/app/auth/callback/oidc?${idp.authorize(begun.location?.href ?? '')}`)
      expect(ada.jar.has(SESSION)).to.equal(true)
      expect(location?.href).to.equal(`${app.origin}/app/`)
    })

    it('links and redirects of routes have the prefix', async () => {
      const visitor = app.visitor()
      const link = new URL((await visitor.get('/app/link')).text)
      expect([link.pathname, link.searchParams.get('callbackUrl')]).to.deep.equal([
        '/app/auth/signin',
        `${app.origin}/app/link`,
      ])
      const { location } = await navigate(visitor, '/app/begin')
      expect(location?.pathname).to.equal('/app/auth/signin')
      expect(location?.searchParams.get('callbackUrl')).to.equal(`${app.origin}/app/`)
    })

    it('signs out from the page, and in a route', async () => {
      const ada = app.visitor()
      for (const path of ['/app/auth/signout', '/app/end']) {
        await ada.post('/app/auth/callback/credentials', { ...ADA, csrfToken: await ada.csrfToken('/app/auth') })
        expect((await ada.get('/app/who')).json().user.name).to.equal('Ada')
        const { location } = await ada.post(path, { csrfToken: await ada.csrfToken('/app/auth') }, ownForm(app.origin))
        expect(location?.pathname).to.match(/^\/app\//)
        expect((await ada.get('/app/who')).json()).to.equal(null)
      }
    })

    it('leads from a target that is refused to the application, and not to what stands at the root', async () => {
      const ada = app.visitor()
      const csrfToken = await ada.csrfToken('/app/auth')
      const fields = { ...ADA, csrfToken, callbackUrl: 'https://evil.example/' }
      const { location } = await ada.post('/app/auth/callback/credentials', fields)
      expect(location?.href).to.equal(`${app.origin}/app/`)
    })

    it('shows a page whose links and script are under the prefix', async () => {
      const { text } = await app.visitor().get('/app/auth/error?error=AccessDenied')
      const links = [...text.matchAll(/(?:href|src)="([^"#]*)"/g)].map(
        ([, address = '']) => new URL(address, app.origin),
      )
      expect(links).not.to.have.length(0)
      for (const { origin, pathname } of links) {
        if (origin === app.origin) expect(pathname).to.match(/^\/app\//)
      }
    })

    it('does not believe a header that names a prefix', async () => {
      const { location } = await navigate(app.visitor(), '/app/private', { headers: { 'x-forwarded-prefix': '/evil' } })
      expect(location?.pathname).to.equal('/app/auth/signin')
    })

    it('logs no warning', () => {
      // Of the target above.
      expect(log.warnings.filter((code) => code !== 'redirect-refused')).to.deep.equal([])
    })
  })
}

describe('a prefix that a proxy cuts off', () => {
  it('is named by a warning when the configuration does not know it', async () => {
    const log = createLog()
    const details: unknown[] = []
    const logger: AuthConfig['logger'] = { ...log.logger, warn: (code, data) => details.push([code, data]) }
    const app = await startBehind((origin) => testConfig({ logger, url: `${origin}/app/auth` }))
    try {
      await app.visitor().get('/app/auth/signin')
      expect(details).to.deep.equal([
        [
          'mount-basepath-mismatch',
          {
            mounted: '/auth',
            expected: '/app/auth',
            fix: "If a proxy cuts /app off, set strippedPrefix: '/app'. If not, mount it at /app/auth.",
          },
        ],
      ])
    } finally {
      await app.close()
    }
  })

  it('is refused where it fits nothing', () => {
    const refusal = (more: Partial<AuthConfig>) => {
      try {
        expressAuth(testConfig(more))
      } catch (error) {
        return (error as Error).message
      }
      return null
    }
    for (const strippedPrefix of ['app', '/app/', '//evil.example', '/a b', '/../x', 'https://evil.example/app'])
      expect(refusal({ strippedPrefix })).to.include('must be a path such as /app')
    expect(refusal({ strippedPrefix: '/app', basePath: '/auth' })).to.include('must begin with `strippedPrefix`')
    expect(refusal({ strippedPrefix: '/app', url: 'https://site.example/auth' })).to.include('`url (AUTH_URL)`')
    expect(refusal({ strippedPrefix: '/app', basePath: '/application/auth' })).to.include('`basePath`')
    for (const more of [
      {},
      { basePath: '/app/auth' },
      { url: 'https://site.example' },
      { url: 'https://site.example/app/auth' },
    ])
      expect(refusal({ strippedPrefix: '/app', ...more })).to.equal(null)
    expect(refusal({ strippedPrefix: '' })).to.equal(null)
  })
})
