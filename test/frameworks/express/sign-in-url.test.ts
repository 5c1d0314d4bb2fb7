import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, requireAuth, signInUrl } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import { listen, passwords, type Running, startApp, testConfig } from '../../support/app.js'
import { follow, OWN_LINK } from '../../support/calling-app.js'

const github = GitHub({ clientId: 'client', clientSecret: 'secret' })

describe('signInUrl', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (more: Partial<AuthConfig> = {}, options: Parameters<typeof signInUrl>[2] = {}) => {
    const config = testConfig({ providers: [passwords, github], ...more })
    app = await startApp(config, (server) => {
      server
        .set('env', 'test')
        .all('/page', (req, res, next) => void signInUrl(req, config, options).then((url) => res.send(url), next))
      server.use('/guarded', requireAuth(config))
    })
    return app.visitor()
  }
  const to = (url: string) => encodeURIComponent(url)

  for (const pages of [undefined, { signIn: '/welcome?lang=de' }, { signIn: 'https://login.example/' }] as const) {
    it(`is the URL to which a guard sends, with the page ${pages?.signIn ?? 'of Latchkey'}`, async () => {
      const visitor = await start(pages && { pages })
      const guarded = (await follow(visitor, '/guarded?x=1&y=2', OWN_LINK)).headers.get('location')
      const { text } = await visitor.get('/page?x=1&y=2')
      expect(text).to.equal(guarded?.replace('guarded', 'page'))
    })
  }

  it('leads to the origin from an address that a browser cannot ask for again', async () => {
    const visitor = await start()
    expect((await visitor.post('/page', {})).text).to.equal(`${app.origin}/auth/signin?callbackUrl=${to(app.origin)}`)
  })

  it('leads where the route says, as the redirect callback maps it', async () => {
    const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) =>
      new URL(url, baseUrl).href.replace('old', 'new')
    const visitor = await start({ callbacks: { redirect } }, { redirectTo: '/old' })
    expect((await visitor.get('/page')).text).to.equal(
      `${app.origin}/auth/signin?callbackUrl=${to(`${app.origin}/new`)}`,
    )
  })

  it('has the address of one provider, which shows the page', async () => {
    const visitor = await start({}, { provider: 'github', redirectTo: '/private' })
    const { text } = await visitor.get('/page')
    expect(text).to.equal(`${app.origin}/auth/signin/github?callbackUrl=${to(`${app.origin}/private`)}`)
    const shown = await follow(visitor, text.slice(app.origin.length), OWN_LINK)
    expect(shown.location?.pathname).to.equal('/auth/signin')
  })

  it('refuses a provider that there is not', async () => {
    const visitor = await start({}, { provider: 'other' })
    expect((await visitor.get('/page')).status).to.equal(404)
  })

  it('is made for the public origin and the path of the mount', async () => {
    const config = testConfig({ url: 'https://app.example', basePath: '/api/auth' })
    app = await listen(express().get('/page', async (req, res) => void res.send(await signInUrl(req, config))))
    const { text } = await app.visitor().get('/page', { 'x-forwarded-host': 'evil.example' })
    expect(text).to.equal(`https://app.example/api/auth/signin?callbackUrl=${to('https://app.example/page')}`)
  })
})
