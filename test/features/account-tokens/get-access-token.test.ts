import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { createLinkRequests } from '../../../lib/features/linking/links.js'
import { MissingAdapter, MissingAdapterMethods } from '../../../lib/index.js'
import { SECRET } from '../../support/app.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { beginLink } from '../../support/links.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../../support/refreshing-provider.js'
import { newPerson, oauth } from '../../support/sign-ins.js'
import { asAuthjsHasIt } from '../../support/stores.js'

describe('getAccessToken', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  beforeEach(() => {
    idp.reset()
    provider = new RefreshingProvider(idp)
  })
  after(() => idp.stop())

  const open = (more = {}) => {
    const store = memoryAdapter()
    const app = openTokenApp(provider, store, more)
    return { ...app, app, store }
  }

  it('is null when nobody is signed in, and after the sign-out', async () => {
    const { app } = open()
    const ada = await signInAt(app, provider)
    const before = ada.copy()
    await ada.signOut()
    expect(await accessTokenOf(app, app.browser())).to.equal(null)
    expect(await accessTokenOf(app, before)).to.equal(null)
  })

  it('gives the token of the sign-in while it lives, and asks the provider for nothing', async () => {
    const { app, clock } = open()
    const person = newPerson()
    const ada = await signInAt(app, provider, person)
    clock.advance(3600 - 61)
    expect(await accessTokenOf(app, ada)).to.deep.equal({
      status: 'ok',
      accessToken: `${MARK}-access-1`,
      expiresAt: new Date(Math.floor(clock.ms / 1000 + 61) * 1000),
      scope: 'openid profile email',
      tokenType: 'bearer',
      provider: 'oidc',
      providerAccountId: person.sub,
    })
    expect(provider.used).to.deep.equal([])
  })

  it('OAUTH-15: refreshes a token that expires within the minute, once for all requests', async () => {
    const { app, clock } = open()
    const ada = await signInAt(app, provider)
    clock.advance(3600 - 60)
    const results = await Promise.all(Array.from({ length: 200 }, () => accessTokenOf(app, ada)))
    expect(new Set(results.map((result) => result?.status === 'ok' && result.accessToken))).to.deep.equal(
      new Set([`${MARK}-access-2`]),
    )
    clock.advance(3600)
    expect(await accessTokenOf(app, ada)).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
    expect(provider.used).to.deep.equal([`${MARK}-refresh-1`, `${MARK}-refresh-2`])
  })

  it('keeps a refresh token that the answer does not repeat', async () => {
    const { app, clock } = open()
    const ada = await signInAt(app, provider)
    provider.rotates = false
    provider.onRefresh = ({ refresh_token: _, ...answer }) => ({ body: answer })
    for (const count of [2, 3]) {
      clock.advance(3600)
      expect(await accessTokenOf(app, ada)).to.include({ status: 'ok', accessToken: `${MARK}-access-${count}` })
    }
    expect(provider.used).to.deep.equal([`${MARK}-refresh-1`, `${MARK}-refresh-1`])
  })

  it('takes the tokens of a new sign-in, and keeps a refresh token that the provider sends only once', async () => {
    const { app, clock } = open()
    const person = newPerson()
    await signInAt(app, provider, person)
    provider.onSignIn = ({ refresh_token: _, ...answer }) => answer
    const again = await signInAt(app, provider, person)
    expect(await accessTokenOf(app, again)).to.include({ accessToken: `${MARK}-access-2` })
    clock.advance(3600)
    expect(await accessTokenOf(app, again)).to.include({ status: 'ok' })
    expect(provider.used).to.deep.equal([`${MARK}-refresh-1`])
  })

  describe('says that the user must go to the provider', () => {
    it('OAUTH-15: when the provider refuses the refresh token, which is then forgotten', async () => {
      const { app, clock, log } = open()
      const person = newPerson()
      const ada = await signInAt(app, provider, person)
      provider.live.clear()
      clock.advance(3600)
      expect(await accessTokenOf(app, ada)).to.include({ status: 'reauthorize', reason: 'refused' })
      expect(await accessTokenOf(app, ada)).to.include({ status: 'reauthorize', reason: 'no-refresh-token' })
      expect(provider.used).to.have.length(1)
      // One line, which nobody has to act on, says why.
      expect(log.infos.map(({ message }) => message).join()).to.include('"invalid_grant"')
      expect(log.errors).to.deep.equal(log.infos)
      const again = await signInAt(app, provider, person)
      expect(await accessTokenOf(app, again)).to.include({ status: 'ok' })
    })

    it('when there is no refresh token', async () => {
      const { app, clock } = open()
      provider.onSignIn = ({ refresh_token: _, ...answer }) => answer
      const ada = await signInAt(app, provider)
      expect(await accessTokenOf(app, ada)).to.include({ status: 'ok' })
      clock.advance(3600)
      expect(await accessTokenOf(app, ada)).to.include({ status: 'reauthorize', reason: 'no-refresh-token' })
    })

    it('when they have no account there, or not that one', async () => {
      const { app, store } = open()
      const person = newPerson()
      const ada = await signInAt(app, provider, person)
      const other = await signInAt(app, provider)
      const asked = { accountId: person.sub }
      expect(await accessTokenOf(app, ada, asked)).to.include({ status: 'ok', providerAccountId: person.sub })
      expect(await accessTokenOf(app, other, asked), 'of another user').to.include({ reason: 'no-account' })
      await store.unlinkAccount({ provider: 'oidc', providerAccountId: person.sub })
      expect(await accessTokenOf(app, ada), 'unlinked').to.include({ status: 'reauthorize', reason: 'no-account' })
    })

    it('when they have not granted the scope; the address is for them, for an hour, and names the scope', async () => {
      const { app, clock, store } = open()
      const person = newPerson()
      const ada = await signInAt(app, provider, person)
      expect(await accessTokenOf(app, ada, { scope: 'email openid' })).to.include({ status: 'ok' })
      const result = await accessTokenOf(app, ada, { scope: 'calendar', redirectTo: '/diary' })
      expect(result).to.include({ status: 'reauthorize', reason: 'scope' })
      const url = new URL(result?.status === 'reauthorize' ? result.url : '')
      expect(url.origin + url.pathname).to.equal('http://app.example/auth/link/oidc')
      const read = () => createLinkRequests([SECRET], clock.now).read(url.searchParams.get('request') ?? '')
      const { id } = (await store.getUserByEmail(`${person.sub}@example.com`)) ?? {}
      const request = await read()
      expect(request).to.deep.include({ provider: 'oidc', scope: 'calendar', callbackUrl: 'http://app.example/diary' })
      expect(request?.userDigest).to.have.length(22)
      expect(url.href)
        .not.to.include(id ?? 'no user')
        .and.not.include('calendar')
      clock.advance(3700)
      expect(await read()).to.equal(null)
    })

    it('and the provider is asked for a refresh token, in the way that its facts say', async () => {
      const tokenFacts = { refresh: { scope: 'offline_access', params: { access_type: 'offline', prompt: 'consent' } } }
      const { app } = open({ providers: [{ ...oauth(idp), tokenFacts }] })
      const ada = await signInAt(app, provider)
      const result = await accessTokenOf(app, ada, { scope: 'calendar' })
      const url = new URL(result?.status === 'reauthorize' ? result.url : '')
      const { location } = await beginLink(ada, 'oidc', { request: url.searchParams.get('request') ?? '' })
      const asked = new URL(location ?? '').searchParams
      expect(Object.fromEntries(asked)).to.include({
        scope: 'openid profile email calendar offline_access',
        access_type: 'offline',
        prompt: 'consent',
      })
      const plain = new URL((await beginLink(ada, 'oidc')).location ?? '').searchParams
      expect(plain.has('access_type'), 'not where nobody asks for tokens').to.equal(false)
    })

    it('and leads to no other site', async () => {
      const { app, clock } = open()
      const ada = await signInAt(app, provider)
      const result = await accessTokenOf(app, ada, { scope: 'calendar', redirectTo: 'https://evil.example/' })
      const url = new URL(result?.status === 'reauthorize' ? result.url : '')
      const request = await createLinkRequests([SECRET], clock.now).read(url.searchParams.get('request') ?? '')
      expect(new URL(request?.callbackUrl ?? '').origin).to.equal('http://app.example')
    })
  })

  describe('says that tokens are unavailable', () => {
    const ANSWERS = {
      'is down': { answer: { status: 502, body: 'bad gateway' }, retry: undefined },
      'asks to wait': { answer: { status: 429, body: {}, headers: { 'retry-after': '17' } }, retry: 17 },
      'does not know the client': { answer: { status: 401, body: { error: 'invalid_client' } }, retry: undefined },
      'answers with a redirect': { answer: { status: 302, body: '', headers: { location: '/x' } }, retry: undefined },
      'answers with HTML': { answer: { status: 200, body: '<p>Hello' }, retry: undefined },
      'puts the refresh token where an error code belongs': {
        answer: { status: 400, body: { error: `${MARK}-refresh-1` } },
        retry: undefined,
      },
      'gives a token with a line break': {
        answer: { status: 200, body: { access_token: 'one\r\ntwo', token_type: 'bearer' } },
        retry: undefined,
      },
      'gives a token that is bound to a key': {
        answer: { status: 200, body: { access_token: 'one', token_type: 'DPoP' } },
        retry: undefined,
      },
      'answers with two megabytes': { answer: { status: 200, body: 'x'.repeat(2e6) }, retry: undefined },
    } as const
    for (const [name, { answer, retry }] of Object.entries(ANSWERS)) {
      it(`when the provider ${name}; the next call tries again`, async () => {
        const { app, clock, log } = open()
        const ada = await signInAt(app, provider)
        clock.advance(3600)
        provider.rotates = false
        provider.onRefresh = () => answer
        const result = await accessTokenOf(app, ada)
        expect(result).to.deep.equal({
          status: 'unavailable',
          ...(retry !== undefined && { retryAfterSeconds: retry }),
        })
        expect(log.errors.map(({ name }) => name)).to.deep.equal(['AccountTokenError'])
        expect(log.errors.map(({ stack }) => stack).join()).not.to.include(MARK)
        expect(log.errors[0]?.message)
          .to.match(/[^.]\.$/)
          .and.not.to.include('..')
        provider.onRefresh = () => undefined
        expect(await accessTokenOf(app, ada)).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
      })
    }

    it('but not while the old access token lives', async () => {
      const { app, clock } = open()
      const ada = await signInAt(app, provider)
      clock.advance(3600 - 30)
      provider.onRefresh = () => ({ status: 502, body: '' })
      expect(await accessTokenOf(app, ada)).to.include({ status: 'ok', accessToken: `${MARK}-access-1` })
    })
  })

  it('gives the old token while it lives, when the provider refuses the refresh token, to all who wait', async () => {
    const { app, clock } = open()
    const ada = await signInAt(app, provider)
    provider.live.clear()
    clock.advance(3600 - 30)
    const ask = () => accessTokenOf(app, ada)
    for (const result of await Promise.all([ask(), ask(), ask()])) {
      expect(result).to.include({ status: 'ok', accessToken: `${MARK}-access-1` })
    }
    expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-1` })
    clock.advance(30)
    expect(await ask()).to.include({ status: 'reauthorize', reason: 'no-refresh-token' })
    expect(provider.used).to.have.length(1)
  })

  describe('refuses what a new ID token says', () => {
    const CLAIMS = { sub: 'somebody-else', iss: 'https://evil.example', aud: 'another-client' }
    for (const [name, value] of Object.entries(CLAIMS)) {
      it(`OIDC-20: with another ${name}: nothing is stored or given out (OpenID Connect Core 1.0 §12.2)`, async () => {
        const { app, clock, store } = open()
        const person = newPerson()
        const ada = await signInAt(app, provider, person)
        clock.advance(3600)
        const before = store.getAccount(person.sub, 'oidc')
        const { claims } = idp.faults
        idp.faults.claims = (usual) => ({ ...claims?.(usual), [name]: value })
        expect(await accessTokenOf(app, ada)).to.deep.equal({ status: 'unavailable' })
        const { tokenLease: _, ...after } = (await store.getAccount(person.sub, 'oidc')) ?? {}
        expect(after).to.deep.equal(before)
      })
    }
  })

  it('without a store, or with an adapter that was made for Auth.js, says what is missing', async () => {
    const without = openTokenApp(provider, undefined)
    const ada = await signInAt(without, provider)
    const thrown = async (work: Promise<unknown>) => work.catch((error: unknown) => error)
    expect(await thrown(accessTokenOf(without, ada))).to.be.instanceOf(MissingAdapter)
    const store = memoryAdapter()
    const person = newPerson()
    const old = openTokenApp(provider, asAuthjsHasIt(store))
    const bob = await signInAt(old, provider, person)
    expect(await thrown(accessTokenOf(old, bob))).to.be.instanceOf(MissingAdapterMethods)
    expect(await store.getAccount(person.sub, 'oidc'), 'as Auth.js stores it').to.include({
      refresh_token: `${MARK}-refresh-2`,
    })
  })

  it('refuses a provider that has no tokens, and options that do not exist', async () => {
    const { app } = open()
    const ada = await signInAt(app, provider)
    const typeOf = (work: Promise<unknown>) => work.then(String, (error: { type?: string }) => error.type)
    expect(await typeOf(accessTokenOf(app, ada, {}, 'nobody'))).to.equal('RequestRefused')
    expect(await typeOf(accessTokenOf(app, ada, { scopes: 'x' } as object))).to.equal('InvalidConfiguration')
  })
})
