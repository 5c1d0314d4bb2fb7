import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { OIDCConfig } from '../../../lib/providers/provider.js'
import { FakeProvider } from '../../support/fake-provider.js'
import type { TestBrowser, TestResponse } from '../../support/test-app.js'
import { KINDS, type LogoutApp, openLogoutApp } from './logout-app.js'

const CALLBACK = encodeURIComponent('/thanks')
const RETURN = 'http://app.example/auth/signout/op'

/** The fields of the form on a page, with their values. */
const fieldsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
  )

describe('a sign-out that is also one at the provider (oidcc-client-rp-initiated-logout-rp-basic)', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => {
    fake.reset()
    fake.faults.metadata = (document) => ({ ...document, end_session_endpoint: `${fake.issuer}/logout` })
  })

  const open = (provider: Partial<OIDCConfig<unknown>> = {}, more: Parameters<typeof openLogoutApp>[2] = {}) =>
    openLogoutApp(fake, 'database sessions', {
      provider: { endSession: 'offer', endSessionMethod: 'post', ...provider },
      ...more,
    })

  const signOut = async (browser: TestBrowser, fields: Record<string, string> = { endSession: 'true' }) =>
    browser.post('/auth/signout', { csrfToken: await browser.csrfToken(), callbackUrl: '/thanks', ...fields })

  /** Signs out, and gives the form with which the browser goes to the provider. */
  const leave = async (app: LogoutApp, browser: TestBrowser) => {
    const started = await signOut(browser)
    const page = await browser.get((started.location ?? '').replace(app.origin, ''))
    return { started, page, fields: fieldsOf(page.body) }
  }

  for (const kind of KINDS) {
    it(`oidcc-client-test-rp-init-logout, LOGOUT-03: goes there and comes back, with ${kind}`, async () => {
      const app = openLogoutApp(fake, kind, { provider: { endSession: 'offer', endSessionMethod: 'post' } })
      const ada = await app.signInAt('session-1')
      const copy = ada.copy()
      const { started, page, fields } = await leave(app, ada)
      expect(started.status).to.equal(302)
      // The session here has ended before the visitor is anywhere else.
      expect([await ada.session(), await copy.session()]).to.deep.equal([null, null])
      expect(page.body).to.include(`action="${fake.issuer}/logout" method="post"`)
      expect(Object.keys(fields)).to.have.members(['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'])
      expect(decodeJwt(fields['id_token_hint'] ?? '').sub).to.equal('person-1')
      expect(fields).to.include({ client_id: 'client', post_logout_redirect_uri: RETURN })
      expect(fields['state']).to.match(/^[\w-]{43}$/)
      const back = await ada.get(`/auth/signout/op?state=${fields['state']}`)
      expect([back.status, back.location]).to.deep.equal([302, 'http://app.example/thanks'])
      // It is good once.
      expect((await ada.get(`/auth/signout/op?state=${fields['state']}`)).location).to.equal('http://app.example')
    })
  }

  it('has another state each time, and with POST no token in a URL, in the log, or in a cookie that can be read', async () => {
    const app = open()
    const states = new Set<string | undefined>()
    for (let count = 0; count < 3; count += 1) {
      const ada = await app.signInAt('session-1')
      const { started, fields } = await leave(app, ada)
      states.add(fields['state'])
      const seen = [started.location, JSON.stringify(started.setCookies), app.log.lines.join()].join()
      expect(seen).not.to.include(fields['id_token_hint'])
      expect(seen).not.to.include(fields['state'])
    }
    expect(states.size).to.equal(3)
  })

  it('LOGOUT-03: has the ID token also where a sign-out revokes the tokens of the user', async () => {
    const app = open({}, { accountTokens: { revokeAtSignOut: true } })
    const ada = await app.signInAt('session-1')
    const { fields } = await leave(app, ada)
    expect(decodeJwt(fields['id_token_hint'] ?? '').sub).to.equal('person-1')
    const account = await app.store.getAccount?.('person-1', 'op')
    expect([account?.access_token ?? null, account?.refresh_token ?? null]).to.deep.equal([null, null])
  })

  it('goes nowhere with `always` where a route of the application answers, and sets no cookie for it', async () => {
    const app = open({ endSession: 'always' })
    const ada = await app.signInAt('session-1')
    const { location, setCookies } = await signOut(ada, { endSession: 'false' })
    expect(location).to.equal('http://app.example/thanks')
    expect(setCookies.filter(({ name }) => name.includes('logout-state'))).to.deep.equal([])
    expect(await ada.session()).to.equal(null)
  })

  const onTheWay = async (app: LogoutApp, browser: TestBrowser) => {
    const { location } = await signOut(browser)
    return new URL((await browser.get((location ?? '').replace(app.origin, ''))).location ?? '')
  }

  it('LOGOUT-03: goes there with GET by default, since a POST comes without the Lax cookies of the provider', async () => {
    const app = open({ endSessionMethod: undefined as never })
    const ada = await app.signInAt('session-1')
    const url = await onTheWay(app, ada)
    expect(url.origin + url.pathname).to.equal(`${fake.issuer}/logout`)
    const { id_token_hint = '', state, ...others } = Object.fromEntries(url.searchParams)
    expect(decodeJwt(id_token_hint).sub).to.equal('person-1')
    expect(others).to.deep.equal({ client_id: 'client', post_logout_redirect_uri: RETURN })
    expect((await ada.get(`/auth/signout/op?state=${state}`)).location).to.equal('http://app.example/thanks')
  })

  describe('with an ID token that makes the URL too long', () => {
    const facts = (more: object) => ({
      tokenFacts: { endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', ...more } },
    })
    const signedInAt = async (more: object) => {
      const app = open({ endSessionMethod: 'get', ...more })
      return { app, ada: await app.signInAt('session-1', { groups: 'x'.repeat(7000) }) }
    }

    it('leaves it out, and the return address with it, which some providers refuse then, and says so', async () => {
      const { app, ada } = await signedInAt({})
      expect([...(await onTheWay(app, ada)).searchParams.keys()]).to.deep.equal(['client_id'])
      expect(app.log.warnings).to.include('no-id-token-hint')
    })

    it('keeps the return address where the provider is known to take it', async () => {
      const { app, ada } = await signedInAt(facts({ withoutHint: true }))
      const keys = [...(await onTheWay(app, ada)).searchParams.keys()]
      expect(keys).to.deep.equal(['client_id', 'post_logout_redirect_uri', 'state'])
    })

    it('posts it with endSessionMethod post', async () => {
      const { app, ada } = await signedInAt({ endSessionMethod: 'post' })
      const { page, fields } = await leave(app, ada)
      expect(page.body).to.include(`action="${fake.issuer}/logout" method="post"`)
      expect(fields['id_token_hint']).to.have.length.greaterThan(7000)
      expect(fields['state']).to.match(/^[\w-]{43}$/)
    })
  })

  it('says at the start where no store keeps an ID token, unless the provider needs none', () => {
    const warningsOf = (provider: Partial<OIDCConfig<unknown>>, more: Parameters<typeof openLogoutApp>[2] = {}) =>
      openLogoutApp(fake, 'database sessions', {
        provider: { endSession: 'always', backChannelLogout: false, ...provider },
        adapter: undefined as never,
        session: { strategy: 'jwt' },
        ...more,
      }).log.warnings.filter((code) => code === 'no-id-token-hint')
    expect(warningsOf({})).to.have.length(1)
    const endSession = { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true } as const
    expect(warningsOf({ tokenFacts: { endSession } })).to.deep.equal([])
    expect(warningsOf({ endSession: undefined as never })).to.deep.equal([])
    const own = { url: 'https://op.example/out', returnParam: 'returnTo' }
    expect(warningsOf({ tokenFacts: { endSession: own } })).to.deep.equal([])
    expect(warningsOf({}, { adapter: memoryAdapter() })).to.deep.equal([])
  })

  for (const [module, query] of [
    ['oidcc-client-test-rp-init-logout-no-state', ''],
    ['oidcc-client-test-rp-init-logout-other-state', '?state=other'],
  ] as const) {
    it(`${module}, LOGOUT-04: ends at the default page, not where the request says`, async () => {
      const app = open()
      const ada = await app.signInAt('session-1')
      await leave(app, ada)
      const more = `${query === '' ? '?' : `${query}&`}callbackUrl=${CALLBACK}`
      const back = await ada.get(`/auth/signout/op${more}`)
      expect([back.status, back.location]).to.deep.equal([302, 'http://app.example'])
    })
  }

  it('LOGOUT-04: another browser with the right state ends at the default page', async () => {
    const app = open()
    const { fields } = await leave(app, await app.signInAt('session-1'))
    const back = await app.browser().get(`/auth/signout/op?state=${fields['state']}`)
    expect(back.location).to.equal('http://app.example')
  })

  it('LOGOUT-04: a state of five minutes ago ends at the default page', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const { fields } = await leave(app, ada)
    const cookie = [...ada.jar].find(([name]) => name.includes('logout-state'))
    app.clock.advance(400)
    const late = app.browser()
    late.plant(cookie?.[0] ?? '', cookie?.[1].value ?? '')
    expect((await late.get(`/auth/signout/op?state=${fields['state']}`)).location).to.equal('http://app.example')
  })

  it('LOGOUT-04: comes back to its page though sign-ins have begun meanwhile: it makes no room for them', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const { fields } = await leave(app, ada)
    app.clock.advance(2)
    const csrfToken = await ada.csrfToken()
    const callbackUrl = `/${'u'.repeat(1000)}`
    for (let more = 0; more < 6; more += 1) await ada.post('/auth/signin/op', { csrfToken, callbackUrl })
    expect([...ada.jar.keys()].filter((name) => name.includes('.state.')).length).to.be.within(1, 4)
    const back = await ada.get(`/auth/signout/op?state=${fields['state']}`)
    expect(back.location).to.equal('http://app.example/thanks')
  })

  it('follows no return target to another site', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const started = await signOut(ada, { endSession: 'true', callbackUrl: 'https://evil.example/' })
    const page = await ada.get((started.location ?? '').replace(app.origin, ''))
    const back = await ada.get(`/auth/signout/op?state=${fieldsOf(page.body)['state']}`)
    expect(back.location).to.match(/^http:\/\/app\.example\/?$/)
  })

  it('asks on the sign-out page, with a box that is not ticked, and signs out here only without it', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const { body } = await ada.get('/auth/signout')
    expect(body).to.match(/Also sign out of\s*<strong><bdi>OP<\/bdi>/)
    expect(body).to.match(/<input id="end-session" type="checkbox" name="endSession" value="true">/)
    expect((await signOut(ada, {})).location).to.equal('http://app.example/thanks')
    expect(await ada.session()).to.equal(null)
  })

  it('offers nothing to a visitor who began at no provider, or at one without the option', async () => {
    const app = open()
    expect((await app.browser().get('/auth/signout')).body).not.to.include('end-session')
    const without = openLogoutApp(fake)
    const ada = await without.signInAt('session-1')
    expect((await ada.get('/auth/signout')).body).not.to.include('end-session')
    expect((await signOut(ada)).location).to.equal('http://app.example/thanks')
    expect((await ada.get('/auth/signout/op')).status).to.equal(404)
    expect((await ada.get('/auth/signout?endSession=op')).body).to.include('You are signed out')
  })

  it('goes there at every sign-out with always, and the page says so', async () => {
    const app = open({ endSession: 'always' })
    const ada = await app.signInAt('session-1')
    expect((await ada.get('/auth/signout')).body).to.match(/You will also be signed out of\s*<strong><bdi>OP<\/bdi>/)
    expect((await signOut(ada, {})).location).to.equal('http://app.example/auth/signout?endSession=op')
  })

  it('gives a script the address of the page', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const fields = { csrfToken: await ada.csrfToken(), callbackUrl: '/thanks', endSession: 'true' }
    const answer = await ada.post('/auth/signout', fields, { 'x-auth-return-redirect': '1' })
    expect(answer.json()).to.deep.equal({ url: 'http://app.example/auth/signout?endSession=op' })
  })

  it('needs a CSRF token', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const answer = await ada.post('/auth/signout', { endSession: 'true' })
    expect(answer.location).to.match(/error=MissingCSRF/)
    expect(await ada.session()).not.to.equal(null)
    expect((await ada.post('/auth/signout/op', { csrfToken: await ada.csrfToken() })).status).to.equal(404)
  })

  it('shows the page on the way to nobody who has not signed out, so no link can send an ID token away', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const { body } = await ada.get('/auth/signout?endSession=op')
    expect(body).not.to.include('id_token_hint')
    expect(await ada.session()).not.to.equal(null)
  })

  it('leads nobody there who is signed in again: neither the next person nor an old cookie', async () => {
    const app = open()
    const browser = await app.signInAt('session-1')
    const started = await signOut(browser)
    const path = (started.location ?? '').replace(app.origin, '')
    const old = [...browser.jar].find(([name]) => name.includes('logout-state'))
    await app.signInAt('session-2', { sub: 'person-2', email: 'bob@example.com' }, browser)
    expect([...browser.jar.keys()].some((name) => name.includes('logout-state'))).to.equal(false)
    browser.plant(old?.[0] ?? '', old?.[1].value ?? '')
    const page = await browser.get(path)
    expect([page.status, page.location]).to.deep.equal([200, null])
    expect(page.body).to.include('You are about to sign out').and.not.to.include('id_token_hint')
  })

  it('leads nobody there whom another site sends', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const path = ((await signOut(ada)).location ?? '').replace(app.origin, '')
    const sent = await ada.get(path, { 'sec-fetch-site': 'cross-site' })
    expect(sent.body).not.to.include('id_token_hint')
    expect((await ada.get(path, { 'sec-fetch-site': 'same-origin' })).body).to.include('id_token_hint')
  })

  for (const method of ['get', 'post'] as const) {
    it(`LOGOUT-03: gives the ID token once, to a person who goes there and to no script, with ${method}`, async () => {
      const app = open({ endSessionMethod: method })
      const ada = await app.signInAt('session-1')
      const path = ((await signOut(ada)).location ?? '').replace(app.origin, '')
      const tokenFor = async (headers: Record<string, string>) => {
        const { body, location } = await ada.get(path, { 'sec-fetch-site': 'same-origin', ...headers })
        return `${location} ${body}`.includes('id_token_hint')
      }
      const visit = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      expect(await tokenFor({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }), 'script').to.equal(false)
      expect(await tokenFor({ ...visit, 'sec-fetch-dest': 'iframe' }), 'frame').to.equal(false)
      expect(await tokenFor({ ...visit, 'sec-purpose': 'prefetch' }), 'ahead').to.equal(false)
      expect(await tokenFor(visit), 'the person').to.equal(true)
      expect(await tokenFor(visit), 'the next person').to.equal(false)
    })
  }

  it('comes back also after a second look at the way there', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const { started, fields } = await leave(app, ada)
    await ada.get((started.location ?? '').replace(app.origin, ''))
    expect((await ada.get(`/auth/signout/op?state=${fields['state']}`)).location).to.equal('http://app.example/thanks')
  })

  it('says why there is no ID token: not that none is stored where the store failed', async () => {
    const store = memoryAdapter()
    let isDown = false
    const listAccountsByUserId = async (userId: string) => {
      if (isDown) throw new Error('the store is down')
      return store.listAccountsByUserId?.(userId) ?? []
    }
    const said: unknown[] = []
    const logger = { error() {}, warn: (_code: string, data: unknown) => said.push(data) }
    const app = open({}, { store: { ...store, listAccountsByUserId }, logger: logger as never })
    const ada = await app.signInAt('session-1')
    isDown = true
    const { fields } = await leave(app, ada)
    expect(fields).not.to.have.property('id_token_hint')
    expect(said).to.deep.include({
      provider: 'op',
      reason: 'the store failed',
      fix: 'The error before this one says why.',
    })
  })

  it('says so, too, where the provider leads back without one: it asks the person, who may stay signed in', async () => {
    const endSession = { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true } as const
    const app = open({ tokenFacts: { endSession }, account: () => ({}) })
    await leave(app, await app.signInAt('session-1'))
    expect(app.log.warnings).to.include('no-id-token-hint')
  })

  it('sends no ID token to an address of this machine, or one with a user name, that a provider elsewhere names', async () => {
    const { createMetadataSource } = await import('../../../lib/oauth/metadata.js')
    const { resolved } = await import('../../support/oauth-driver.js')
    const issuer = 'https://op.example'
    const provider = resolved({ id: 'op', name: 'OP', type: 'oidc', issuer, clientId: 'c', clientSecret: 's' })
    const found = async (end_session_endpoint: string) => {
      const fetch = async () => Response.json({ issuer, end_session_endpoint })
      const source = createMetadataSource(
        () => fetch as never,
        Date.now,
        () => {},
      )
      return (await source(provider)).server.end_session_endpoint
    }
    expect(await found('https://op.example/logout')).to.equal('https://op.example/logout')
    for (const url of [
      'http://127.0.0.1:1/x',
      'http://localhost/x',
      'https://op.example@evil.example/',
      'https://u:p@op.example/',
    ])
      expect(await found(url), url).to.equal(undefined)
  })

  it('confines the page: its own script only, and no frame', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const started = await signOut(ada)
    const response = await headersOf(app, ada, started)
    expect(response.get('content-security-policy')).to.match(/script-src 'nonce-[^']+';.*frame-ancestors 'none'/)
    expect(response.get('cache-control')).to.include('no-store')
  })

  it('sends no ID token of another account of the user, and goes there without one', async () => {
    const app = open()
    const ada = await app.signInAt('session-1')
    const id_token = `e30.${Buffer.from(JSON.stringify({ sub: 'person-9' })).toString('base64url')}.x`
    await app.store.updateAccount?.({ provider: 'op', providerAccountId: 'person-1' }, { id_token })
    const url = await onTheWay(app, ada)
    expect(url.origin + url.pathname).to.equal(`${fake.issuer}/logout`)
    expect([...url.searchParams.keys()]).to.deep.equal(['client_id'])
  })

  it('signs out here when the provider has no logout endpoint, or an unsafe one, or does not answer', async () => {
    for (const end_session_endpoint of [undefined, 'http://op.example/logout', 'javascript:alert(1)', 7]) {
      fake.faults.metadata = (document) => ({ ...document, end_session_endpoint })
      const app = open()
      const ada = await app.signInAt('session-1')
      expect((await signOut(ada)).location).to.equal('http://app.example/thanks')
      expect(await ada.session()).to.equal(null)
      expect(app.log.warnings).to.include('no-logout-endpoint')
    }
    const app = open()
    const ada = await app.signInAt('session-1')
    const fresh = open({}, { store: app.store })
    fake.faults.discovery = () => ({ status: 503, body: '' })
    const browser = fresh.browser()
    for (const [name, { value }] of ada.jar) browser.plant(name, value)
    expect((await signOut(browser)).location).to.equal('http://app.example/thanks')
    fake.faults.discovery = undefined
  })

  it('does not go there when the session here could not be ended, but says so', async () => {
    const store = memoryAdapter()
    const app = open({}, { store: { ...store, deleteSession: () => Promise.reject(new Error('down')) } })
    const ada = await app.signInAt('session-1')
    expect((await signOut(ada)).location).to.match(/error=SignOut/)
  })

  it('speaks the dialect of a provider: its own parameter, no token and no state', async () => {
    const app = open({ tokenFacts: { endSession: { url: 'https://op.example/v2/logout', returnParam: 'returnTo' } } })
    const ada = await app.signInAt('session-1')
    const url = new URL((await signOut(ada)).location ?? '')
    expect(url.origin + url.pathname).to.equal('https://op.example/v2/logout')
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({ client_id: 'client', returnTo: RETURN })
    expect((await ada.get('/auth/signout/op')).location).to.equal('http://app.example/thanks')
    expect((await app.browser().get(`/auth/signout/op?callbackUrl=${CALLBACK}`)).location).to.equal(
      'http://app.example',
    )
  })

  it('is refused at the start for a provider that has no logout', () => {
    expect(() => open({ tokenFacts: { endSession: 'none' } })).to.throw(/has no logout endpoint/)
    expect(() => open({ endSession: true as never })).to.throw(/endSession/)
  })
})

async function headersOf(app: LogoutApp, browser: TestBrowser, { location }: TestResponse): Promise<Headers> {
  const { incomingFromRequest } = await import('../../../lib/kernel/incoming.js')
  const { toResponse } = await import('../../../lib/kernel/answer.js')
  const request = new Request(location ?? '', { headers: { cookie: browser.cookieHeader() ?? '' } })
  const mount = { origin: app.origin, basePath: '/auth' }
  return toResponse(await app.engine.handle(incomingFromRequest(request), mount)).headers
}
