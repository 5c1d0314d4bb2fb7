import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import {
  type AuthConfig,
  defineAuth,
  expressAuth,
  linkUrl,
  listAccounts,
  RequestRefused,
  startLink,
  unlinkAccount,
} from '../../../lib/index.js'
import { listen, type Running, testConfig } from '../../support/app.js'
import { FOREIGN_FORM, follow, OWN_LINK, ownForm } from '../../support/calling-app.js'
import { failureOf } from '../../support/failure.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import type { Visitor } from '../../support/visitor.js'

describe('accounts in routes, with two real OpenID providers', () => {
  let home: RealOidcProvider
  let work: RealOidcProvider
  let app: Running
  let config: AuthConfig
  let store: ReturnType<typeof memoryAdapter>

  before(async () => {
    store = memoryAdapter()
    // The providers must know where the app is, and the app where they are.
    let serve: express.Express = express()
    app = await listen((req, res) => serve(req, res))
    const client = (id: string) => ({
      client_id: 'app',
      client_secret: 'secret',
      redirect_uris: [`${app.origin}/auth/callback/${id}`],
      scope: 'openid profile email offline_access',
    })
    home = await startOidcProvider({ clients: [client('home')] })
    work = await startOidcProvider({ clients: [client('work')] })
    const provider = (id: string, { issuer }: RealOidcProvider) => ({
      id,
      name: id.toUpperCase(),
      type: 'oidc' as const,
      issuer,
      clientId: 'app',
      clientSecret: 'secret',
    })
    config = testConfig({ adapter: store, providers: [provider('home', home), provider('work', work)] })
    const auth = defineAuth(config)
    serve = express()
      .use('/auth', expressAuth(config))
      .use(express.json())
      .get('/accounts', (req, res, next) => void auth.listAccounts(req).then((list) => res.json(list), next))
      .post('/unlink', (req, res, next) => {
        unlinkAccount(req, config, req.body?.account, req.body?.options).then((account) => res.json(account), next)
      })
      .get('/link-url', (req, res, next) => {
        linkUrl(req, config, 'work', JSON.parse(String(req.query['options'] ?? '{}'))).then(
          (url) => res.send(url),
          next,
        )
      })
      .all('/connect', (req, res, next) => {
        startLink(req, res, config, 'work', { scope: 'offline_access', redirectTo: '/done' }).catch(next)
      })
      .use(((error, _req, res, _next) => {
        res.status(error.status ?? 500).json({ type: error.type, message: error.message })
      }) satisfies express.ErrorRequestHandler)
  })
  after(async () => {
    await app.close()
    await home.stop()
    await work.stop()
  })

  const back = async (visitor: Visitor, provider: RealOidcProvider, location: URL | null, login: string) => {
    const { url, params } = await provider.authorize(location?.href ?? '', login)
    return visitor.get(`${url.pathname}?${params}`)
  }
  const signedIn = async (login: string): Promise<Visitor> => {
    const visitor = app.visitor()
    const { location } = await visitor.post('/auth/signin/home', { csrfToken: await visitor.csrfToken() })
    await back(visitor, home, location, login)
    return visitor
  }

  it('connects by a form of the application, lists, and removes', async () => {
    const ada = await signedIn('ada')
    const sessionBefore = ada.cookieHeader().match(/session-token=[^;]+/)?.[0]
    const sent = await ada.post('/connect', {}, ownForm(app.origin))
    expect(sent.location?.origin).to.equal(work.issuer)
    expect(sent.location?.searchParams.get('scope')).to.equal('openid profile email offline_access')
    const done = await back(ada, work, sent.location, 'ada-at-work')
    expect(done.location?.href).to.equal(`${app.origin}/done`)
    expect(ada.cookieHeader()).to.include(String(sessionBefore))

    const accounts = (await ada.get('/accounts')).json()
    expect(accounts.map(({ id: _, ...rest }: { id: string }) => rest)).to.deep.equal([
      {
        provider: 'home',
        name: 'HOME',
        type: 'oidc',
        providerAccountId: 'ada',
        scope: 'openid profile email',
        isOnlyWayIn: false,
      },
      {
        provider: 'work',
        name: 'WORK',
        type: 'oidc',
        providerAccountId: 'ada-at-work',
        scope: accounts[1].scope,
        isOnlyWayIn: false,
      },
    ])
    const unlink = (account: unknown, headers: Record<string, string> = ownForm(app.origin)) =>
      ada.postJson('/unlink', { account }, headers)
    expect((await unlink(accounts[1].id, FOREIGN_FORM)).json().type).to.equal('MissingCSRF')
    expect((await unlink({ provider: 'work', providerAccountId: 'ada-at-work' })).json()).to.include({ name: 'WORK' })
    expect((await unlink(accounts[0].id)).status, 'the last way in').to.equal(409)
    expect((await unlink('nothing')).status).to.equal(404)
    expect((await unlink({ $ne: null })).status).to.equal(404)
    const otherwise = { account: accounts[0].id, options: { signsInOtherwise: true } }
    expect((await ada.postJson('/unlink', otherwise, ownForm(app.origin))).status).to.equal(200)
    const misspelt = { account: accounts[0].id, options: { signInOtherwise: true } }
    expect((await ada.postJson('/unlink', misspelt, ownForm(app.origin))).json().type).to.equal('InvalidConfiguration')
  })

  it('a link to the route leads to the page that asks; a form of another site begins nothing', async () => {
    const bob = await signedIn('bob')
    const asked = await follow(bob, '/connect', OWN_LINK)
    expect(asked.location?.pathname).to.equal('/auth/link/work')
    const page = await bob.get(`${asked.location?.pathname}${asked.location?.search}`)
    expect(page.text).to.include('Connect WORK').and.to.include('offline_access')
    const foreign = await bob.post('/connect', {}, FOREIGN_FORM)
    expect(foreign.json().type).to.equal('MissingCSRF')
    expect((await app.visitor().get('/connect')).status, 'signed out, with a scope').to.equal(401)
  })

  it('linkUrl leads to the page, and hides a scope', async () => {
    const bob = await signedIn('bob')
    const plain = new URL((await bob.get('/link-url?options={"redirectTo":"/a"}')).text)
    expect([plain.pathname, plain.searchParams.get('callbackUrl')]).to.deep.equal([
      '/auth/link/work',
      `${app.origin}/a`,
    ])
    const scoped = (await bob.get('/link-url?options={"scope":"offline_access"}')).text
    expect(scoped).not.to.include('offline_access')
    const eve = await signedIn('eve')
    const { pathname, search } = new URL(scoped)
    expect((await eve.get(pathname + search)).status, 'it is for Bob only').to.equal(400)
    expect((await bob.get('/link-url?options={"scope":""}')).json().type).to.equal('InvalidConfiguration')
    expect((await bob.get('/link-url?options={"scopes":"a"}')).json().type).to.equal('InvalidConfiguration')
  })

  it('signed out, there is no list', async () => {
    expect((await app.visitor().get('/accounts')).status).to.equal(401)
  })

  it('latchkey/web has the same functions', async () => {
    const carol = await signedIn('carol')
    const headers = (more: Record<string, string>) => new Headers({ cookie: carol.cookieHeader(), ...more })
    const own = { 'sec-fetch-site': 'same-origin', origin: app.origin, host: new URL(app.origin).host }
    const url = `${app.origin}/page`
    const auth = webAuth({ ...config, url: app.origin })
    const visitor = auth.forRequest({ headers: headers(own), method: 'POST', url } as never)
    const [account] = await visitor.listAccounts()
    expect(account).to.include({ provider: 'home', providerAccountId: 'carol', isOnlyWayIn: true })
    const refusal = await failureOf(visitor.unlinkAccount(account?.id ?? ''))
    expect(refusal).to.be.instanceOf(RequestRefused).and.to.include({ status: 409 })
    expect(new URL(await visitor.linkUrl('work', { redirectTo: '/a' })).pathname).to.equal('/auth/link/work')
    const { url: target } = await visitor.startLink('work', { redirectTo: '/a' })
    expect(new URL(target).origin).to.equal(work.issuer)
    const foreign = auth.forRequest({
      headers: headers({ 'sec-fetch-site': 'cross-site' }),
      method: 'POST',
      url,
    } as never)
    expect(await failureOf(foreign.unlinkAccount('x'))).to.include({ type: 'MissingCSRF' })
    expect(await failureOf(foreign.startLink('work'))).to.include({ type: 'MissingCSRF' })
  })

  it('without an adapter, there are no accounts', async () => {
    const plain = testConfig()
    const bare = await listen(
      express()
        .use('/auth', expressAuth(plain))
        .get('/accounts', (req, res) => {
          listAccounts(req, plain).then(
            (list) => res.json(list),
            (error) => res.json({ type: error.type }),
          )
        }),
    )
    const visitor = bare.visitor()
    expect((await visitor.get('/accounts')).json()).to.deep.equal({ type: 'MissingAdapter' })
    await visitor.signIn({ username: 'ada', password: 'lovelace' })
    expect((await visitor.get('/auth/accounts')).status).to.equal(404)
    await bare.close()
  })
})
