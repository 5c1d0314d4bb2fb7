import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import * as oauth from 'openid-client'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import { type FakeOpenIdProvider, fakeOpenIdProvider, type Misbehaviour, testMailbox } from '../../lib/testing/index.js'
import { CHANGES } from '../../lib/testing/open-id/answers.js'
import { readText } from '../docs/documents.js'
import { createLog, type Running, startApp, testConfig } from '../support/app.js'
import { withEnv } from '../support/env.js'
import { failureOf } from '../support/failure.js'
import type { Answer, Visitor } from '../support/visitor.js'

const ADA = { sub: 'ada-1815', name: 'Ada', email: 'ada@example.com' }
const REDIRECT_URI = 'http://localhost:3000/auth/callback/fake'
/** A request that a provider answers, for a test that only asks whether it does. */
const UNUSUAL = new URLSearchParams({ client_id: 'test-client', redirect_uri: REDIRECT_URI, response_type: 'none' })

describe('fakeOpenIdProvider', () => {
  let provider: FakeOpenIdProvider
  let app: Running | undefined
  let log = createLog()

  beforeEach(async () => {
    provider = await fakeOpenIdProvider({ user: ADA })
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
    await provider.close()
  })

  async function open(more: Partial<AuthConfig> = {}): Promise<Visitor> {
    log = createLog()
    app = await startApp(testConfig({ logger: log.logger, providers: [provider.entry()], ...more }))
    return app.visitor()
  }

  /** Presses the button of the provider, and goes wherever the visitor is sent. */
  async function press(visitor: Visitor, id = 'fake') {
    const answer = await begin(visitor, id)
    return answer.location?.origin === provider.issuer
      ? callBack(visitor, await provider.visit(answer.location))
      : see(visitor, answer)
  }

  const begin = async (visitor: Visitor, id = 'fake') =>
    visitor.post(`/auth/signin/${id}`, { csrfToken: await visitor.csrfToken() })

  /** Goes back from the provider, and on to the page where the application then sends the visitor. */
  const callBack = async (visitor: Visitor, back: URL) => see(visitor, await visitor.get(back.pathname + back.search))

  async function see(visitor: Visitor, { location }: Answer) {
    if (location === null) throw new Error('the visitor is sent nowhere')
    const { text } = await visitor.get(location.href)
    return { page: location.href.replace(`${visitor.origin}/auth/`, ''), text }
  }

  const nameOf = async (visitor: Visitor) => (await visitor.session())?.user?.name

  it('signs in the person whom the test says, at once', async () => {
    const visitor = await open()
    await press(visitor)
    expect((await visitor.session()).user).to.deep.equal({ name: 'Ada', email: 'ada@example.com' })
    provider.nextUser = { sub: 'grace-1906', name: 'Grace', picture: 'https://img.example/grace.png' }
    const another = app?.visitor() as Visitor
    await press(another)
    expect((await another.session()).user).to.deep.equal({ name: 'Grace', image: 'https://img.example/grace.png' })
    expect([log.errors, log.warnings]).to.deep.equal([[], []])
  })

  it('signs somebody in without a word of the test, too', async () => {
    const other = await fakeOpenIdProvider()
    const visitor = await open({ providers: [other.entry({ id: 'other' })] })
    const { location } = await visitor.post('/auth/signin/other', { csrfToken: await visitor.csrfToken() })
    await callBack(visitor, await other.visit(location))
    await other.close()
    expect(await visitor.session()).to.have.nested.property('user.email', 'test.person@example.com')
  })

  for (const [way, options] of [
    ['client_secret_basic', { clientSecret: 'with: blank & percent %' }],
    ['client_secret_post', { client: { token_endpoint_auth_method: 'client_secret_post' } }],
    ['none', { clientSecret: undefined, client: { token_endpoint_auth_method: 'none' } }],
  ] as const) {
    it(`knows the client of an entry, with ${way}`, async () => {
      const entry = provider.entry({ id: 'acme', name: 'Acme', clientId: `client of ${way}`, ...options })
      const visitor = await open({ providers: [entry] })
      await press(visitor, 'acme')
      expect(await nameOf(visitor)).to.equal('Ada')
    })
  }

  it('refuses another secret of a client that it knows', async () => {
    const visitor = await open({ providers: [provider.entry({ clientSecret: 'another secret' })] })
    await press(visitor)
    expect(await visitor.session()).to.equal(null)
    expect(log.errors.map(({ message }) => message).join()).to.include('invalid_client')
  })

  it('can be the issuer of an entry of the catalogue', async () => {
    const { issuer, clientId, clientSecret } = provider
    const visitor = await open({ providers: [Keycloak({ issuer, clientId, clientSecret })] })
    await press(visitor, 'keycloak')
    expect(await nameOf(visitor)).to.equal('Ada')
  })

  it('gives only the claims of the scope', async () => {
    const visitor = await open({ providers: [provider.entry({ authorization: { params: { scope: 'openid' } } })] })
    await press(visitor)
    const session = await visitor.session()
    expect(session.user).to.not.have.property('email')
    expect(session.user).to.not.have.property('name')
  })

  it('tells which requests it got', async () => {
    await press(await open())
    expect(provider.requests.map(({ method, path }) => `${method} ${path}`)).to.have.members([
      'GET /.well-known/openid-configuration',
      'GET /authorize',
      'POST /token',
      'GET /jwks',
    ])
    expect(provider.requests.find(({ path }) => path === '/token')?.parameters.get('grant_type')).to.equal(
      'authorization_code',
    )
  })

  /** A client of the provider that is not Latchkey. */
  const clientOf = () =>
    oauth.discovery(new URL(provider.issuer), provider.clientId, {}, oauth.ClientSecretPost(provider.clientSecret), {
      execute: [oauth.allowInsecureRequests],
    })

  async function tokensOf(client: oauth.Configuration) {
    const url = oauth.buildAuthorizationUrl(client, { redirect_uri: REDIRECT_URI, scope: 'openid email' })
    return oauth.authorizationCodeGrant(client, await provider.visit(url))
  }

  it('refreshes tokens, and accepts each refresh token once', async () => {
    const client = await clientOf()
    const first = await tokensOf(client)
    const second = await oauth.refreshTokenGrant(client, first.refresh_token ?? '')
    expect(second.access_token).to.not.equal(first.access_token)
    expect(await oauth.fetchUserInfo(client, second.access_token, ADA.sub)).to.include({ email: ADA.email })
    expect(await failureOf(oauth.refreshTokenGrant(client, first.refresh_token ?? ''))).to.include({
      error: 'invalid_grant',
    })
    provider.misbehave('invalid-grant')
    expect(await failureOf(oauth.refreshTokenGrant(client, second.refresh_token ?? ''))).to.include({
      error: 'invalid_grant',
    })
  })

  it('revokes tokens', async () => {
    const client = await clientOf()
    const { access_token, refresh_token = '' } = await tokensOf(client)
    await oauth.tokenRevocation(client, access_token)
    expect(await failureOf(oauth.fetchUserInfo(client, access_token, ADA.sub))).to.include({ status: 401 })
    await oauth.tokenRevocation(client, refresh_token)
    expect(await failureOf(oauth.refreshTokenGrant(client, refresh_token))).to.include({ error: 'invalid_grant' })
  })

  describe('refuses, as a real provider does,', () => {
    const authorize = (parameters: Record<string, string> = {}) =>
      `${provider.issuer}/authorize?${new URLSearchParams({
        client_id: provider.clientId,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'openid',
        ...parameters,
      })}`
    const exchange = async (parameters: Record<string, string>) => {
      const { clientId: client_id, clientSecret: client_secret } = provider
      const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, client_id, client_secret }
      const body = new URLSearchParams({ ...form, ...parameters })
      const response = await fetch(`${provider.issuer}/token`, { method: 'POST', body })
      return `${response.status} ${((await response.json()) as { error?: string }).error ?? 'ok'}`
    }
    const codeOf = async (parameters?: Record<string, string>) =>
      (await provider.visit(authorize(parameters))).searchParams.get('code') ?? ''

    it('a code that was used before', async () => {
      const code = await codeOf()
      expect([await exchange({ code }), await exchange({ code })]).to.deep.equal(['200 ok', '400 invalid_grant'])
    })

    it('another verifier, none, and one that nobody announced', async () => {
      const challenge = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }
      // The pair of RFC 7636, appendix B.
      const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
      expect(await exchange({ code: await codeOf(challenge), code_verifier })).to.equal('200 ok')
      expect(await exchange({ code: await codeOf(challenge), code_verifier: 'another' })).to.equal('400 invalid_grant')
      expect(await exchange({ code: await codeOf(challenge) })).to.equal('400 invalid_grant')
      expect(await exchange({ code: await codeOf(), code_verifier })).to.equal('400 invalid_grant')
    })

    it('another client, secret, address or kind of grant', async () => {
      const code = await codeOf()
      expect(await exchange({ code, client_secret: 'wrong' })).to.equal('401 invalid_client')
      expect(await exchange({ code, client_id: 'unknown' })).to.equal('401 invalid_client')
      expect(await exchange({ code, grant_type: 'password' })).to.equal('400 unsupported_grant_type')
      expect(await exchange({ code, redirect_uri: 'http://localhost:3000/' })).to.equal('400 invalid_grant')
    })

    it('a browser with an unknown client, or an address of another site', async () => {
      expect((await failureOf(provider.visit(authorize({ client_id: 'unknown' })))).message).to.include(
        'does not know the client "unknown"',
      )
      expect(
        (await failureOf(provider.visit('http://localhost:3000/auth/error?error=Configuration'))).message,
      ).to.include('sends the browser to http://localhost:3000/auth/error?error=Configuration, and not to the provider')
    })

    it('a wrong request, and says so to the application', async () => {
      const errorOf = async (parameters: Record<string, string>) =>
        (await provider.visit(authorize(parameters))).searchParams.get('error')
      expect(await errorOf({ response_type: 'token' })).to.equal('unsupported_response_type')
      expect(await errorOf({ response_mode: 'form_post' })).to.equal('invalid_request')
      expect(await errorOf({ code_challenge: 'x', code_challenge_method: 'plain' })).to.equal('invalid_request')
    })

    it('an unknown access token', async () => {
      const headers = { authorization: 'Bearer unknown' }
      expect((await fetch(`${provider.issuer}/userinfo`, { headers })).status).to.equal(401)
    })

    it('a revocation by an unknown client', async () => {
      const body = new URLSearchParams({ token: 'any', client_id: 'unknown' })
      expect((await fetch(`${provider.issuer}/revoke`, { method: 'POST', body })).status).to.equal(401)
    })

    it('what it does not have, and a way back after a sign-out where none is named', async () => {
      const textOf = async (path: string) => (await failureOf(provider.visit(`${provider.issuer}${path}`))).message
      expect(await textOf('/register')).to.include('The provider has nothing at /register')
      expect(await textOf('/end-session')).to.include('You are signed out at the provider')
    })
  })

  describe('misbehaves, and the visitor sees', () => {
    const CANCELLED = 'signin?error=OAuthCallbackError'
    const INCOMPLETE = `${CANCELLED}&code=Incomplete`
    const OUR_FAULT = 'error?error=Configuration'
    /** The page, the text on it, and what the log says of the reason. */
    const SEEN: readonly (readonly [Misbehaviour, string, RegExp, RegExp])[] = [
      ['access-denied', CANCELLED, /cancelled/, /"access_denied"/],
      ['server-error', `${OUR_FAULT}&code=Unavailable`, /moment/, /"server_error"/],
      ['wrong-state', CANCELLED, /cancelled/, /no sign-in of this browser is open/],
      ['wrong-response-issuer', INCOMPLETE, /could not be completed/, /iss parameter/],
      ['invalid-grant', CANCELLED, /cancelled/, /"invalid_grant"/],
      ['invalid-client', OUR_FAULT, /A problem on our side/, /"invalid_client".* Check clientId, clientSecret/],
      ['internal-error', `${OUR_FAULT}&code=Unavailable`, /moment/, /status 500/],
      ['no-id-token', OUR_FAULT, /A problem on our side/, /id_token/],
      ['bad-signature', OUR_FAULT, /A problem on our side/, /signature verification failed/],
      ['wrong-issuer', OUR_FAULT, /A problem on our side/, /"iss"/],
      ['wrong-audience', OUR_FAULT, /A problem on our side/, /"aud"/],
      ['wrong-nonce', OUR_FAULT, /A problem on our side/, /nonce/],
      ['expired-id-token', OUR_FAULT, /A problem on our side/, /\(exp\) is 60\d s behind .* agrees with it/],
      ['clock-ahead', OUR_FAULT, /A problem on our side/, /\(iat\) .* clock of the provider is 3\d{3} s ahead of it/],
      ['clock-behind', OUR_FAULT, /A problem on our side/, /\(exp\) .* clock of the provider is 3\d{3} s behind it/],
    ]

    for (const [name, page, text, reason] of SEEN) {
      it(`${page}, with ${name} at the next sign-in only`, async () => {
        const visitor = await open()
        provider.misbehave(name)
        const seen = await press(visitor)
        expect(seen.page).to.equal(page)
        expect(seen.text).to.match(text)
        expect(log.errors.map(({ message }) => message).join()).to.match(reason)
        expect(await visitor.session()).to.equal(null)
        await press(visitor)
        expect(await nameOf(visitor)).to.equal('Ada')
      })
    }

    it('what the guide says of each misbehaviour', () => {
      let page = ''
      const [, table = ''] = readText('docs/guides/testing.md').split('| misbehaviour |')
      const rows = [...table.matchAll(/^\| (`.+`) \| .+ \| (.+) \|$/gm)].flatMap(([, names = '', visitor = '']) => {
        if (!visitor.startsWith('the same')) page = visitor.replaceAll('`', '').replace('/auth/', '')
        return names.split(', ').map((name): [string, string] => [name.replaceAll('`', ''), page])
      })
      expect(rows.map(([name]) => name)).to.have.members(Object.keys(CHANGES))
      const described = Object.fromEntries(rows)
      for (const [name, seen] of SEEN) expect(described[name], name).to.equal(seen)
    })

    it('the same if the test says it while the person is at the provider', async () => {
      const visitor = await open()
      const back = await provider.visit((await begin(visitor)).location)
      provider.misbehave('bad-signature')
      expect(await callBack(visitor, back)).to.have.property('page', OUR_FAULT)
    })

    it('at the next sign-in what the test says too late for this one', async () => {
      const visitor = await open()
      const back = await provider.visit((await begin(visitor)).location)
      provider.misbehave('access-denied')
      await callBack(visitor, back)
      expect(await nameOf(visitor)).to.equal('Ada')
      expect(await press(visitor)).to.have.property('page', CANCELLED)
    })

    it('the same each time with `always`, until the provider behaves again', async () => {
      const visitor = await open()
      provider.misbehave('wrong-nonce', { always: true })
      for (let count = 0; count < 3; count += 1) expect(await press(visitor)).to.have.property('page', OUR_FAULT)
      provider.behave()
      await press(visitor)
      expect(await nameOf(visitor)).to.equal('Ada')
    })

    it('no address, with no-email', async () => {
      const visitor = await open()
      provider.misbehave('no-email')
      await press(visitor)
      expect((await visitor.session()).user).to.deep.equal({ name: 'Ada' })
    })

    it('that another way was used before, with unverified-email, where a verified address would be linked', async () => {
      const mailbox = testMailbox()
      const linking = provider.entry({ allowDangerousEmailAccountLinking: true })
      const visitor = await open({ adapter: memoryAdapter(), providers: [mailbox.provider(), linking] })
      await visitor.post('/auth/signin/email', { csrfToken: await visitor.csrfToken(), email: ADA.email })
      const link = new URL(await mailbox.linkFor(ADA.email))
      await visitor.get(link.pathname + link.search)
      const another = app?.visitor() as Visitor
      provider.misbehave('unverified-email')
      expect((await press(another)).page).to.match(/^signin\?error=OAuthAccountNotLinked/)
      await press(another)
      expect(await another.session()).to.have.nested.property('user.email', ADA.email)
    })

    it('that it is our fault, with wrong-subject, where the profile is read from the userinfo endpoint', async () => {
      const visitor = await open({ providers: [provider.entry({ idToken: false })] })
      provider.misbehave('wrong-subject')
      expect((await press(visitor)).page).to.equal(OUR_FAULT)
      expect(log.errors.join()).to.match(/the profile could not be fetched.*"sub"/)
      await press(visitor)
      expect(await nameOf(visitor)).to.equal('Ada')
    })

    it('that something does not answer, with down', async () => {
      const visitor = await open()
      provider.misbehave('down')
      expect((await provider.visit(`${provider.issuer}/authorize?${UNUSUAL}`)).searchParams.get('error')).to.equal(
        'unsupported_response_type',
      )
      const { page, text } = await press(visitor)
      expect(page).to.equal('error?error=Configuration&code=Unavailable')
      expect(text).to.include('does not answer right now')
    })

    it('the same with down while the person is at the provider, until the provider behaves again', async () => {
      const visitor = await open()
      const back = await provider.visit((await begin(visitor)).location)
      provider.misbehave('down')
      expect((await callBack(visitor, back)).page).to.equal('error?error=Configuration&code=Unavailable')
      provider.behave()
      await press(visitor)
      expect(await nameOf(visitor)).to.equal('Ada')
    })

    it('nothing, with slow, until the provider behaves again', async () => {
      const visitor = await open()
      const back = await provider.visit((await begin(visitor)).location)
      provider.misbehave('slow')
      let isDone = false
      const seen = callBack(visitor, back).finally(() => {
        isDone = true
      })
      while (!provider.requests.some(({ path }) => path === '/token')) await pause(5)
      await pause(100)
      expect(isDone).to.equal(false)
      provider.behave()
      await seen
      expect(await nameOf(visitor)).to.equal('Ada')
    })
  })

  it('refuses a misbehaviour that it does not know, and names the nearest', () => {
    const misbehave = (name: string) => () => provider.misbehave(name as Misbehaviour)
    expect(misbehave('wrong-nonse')).to.throw('no misbehaviour "wrong-nonse". Did you mean "wrong-nonce"?')
    expect(misbehave('impolite')).to.throw(/It knows access-denied, .*, down\./)
    expect(misbehave('toString')).to.throw('no misbehaviour "toString"')
  })

  it('stops at the end of a block, also while a call waits for its answer', async () => {
    let issuer = ''
    let waiting: Promise<unknown> = Promise.resolve()
    {
      await using short = await fakeOpenIdProvider()
      issuer = short.issuer
      expect((await fetch(`${issuer}/jwks`)).status).to.equal(200)
      short.misbehave('slow')
      waiting = failureOf(fetch(`${issuer}/jwks`))
      while (short.requests.length < 2) await pause(5)
    }
    await waiting
    expect((await failureOf(fetch(`${issuer}/jwks`))).cause).to.include({ code: 'ECONNREFUSED' })
  })

  it('refuses to start in production', () =>
    withEnv({ NODE_ENV: 'production' }, async () => {
      expect((await failureOf(fakeOpenIdProvider())).message).to.equal(
        'fakeOpenIdProvider() signs anybody in without a password, so it does not work in production.',
      )
    }))
})
