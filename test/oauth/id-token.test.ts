import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('an ID token', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
  })

  const provider = (more: Partial<OIDCConfig<unknown>> = {}) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'a-client-secret',
      checks: ['pkce', 'nonce'],
      ...more,
    })
  const signIn = async (more: Partial<OIDCConfig<unknown>> = {}, params: Record<string, string> = {}) => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider(more), jar, params)
    return identityOf(await driver.finish(provider(more), jar, fake.authorize(url.href)))
  }
  const withClaims = (change: Record<string, unknown>) => {
    fake.faults.claims = (claims) => ({ ...claims, ...change }) as JWTPayload
  }
  const refused = (message: RegExp, more: Partial<OIDCConfig<unknown>> = {}) =>
    failure(signIn(more), 'CallbackRouteError', message)
  const seconds = () => Math.floor(Date.now() / 1000)

  it('OIDC-03: for further audiences is refused unless they are trusted', async () => {
    withClaims({ aud: ['client', 'other'], azp: 'client' })
    await refused(/trustedAudiences/)
    await signIn({ trustedAudiences: ['other'] })
  })

  it('OIDC-03: may be for all applications of a project, where the entry trusts any and azp is this client', async () => {
    const trustedAudiences = ['*']
    withClaims({ aud: ['other', 'client', 'project'], azp: 'client' })
    await signIn({ trustedAudiences })
    withClaims({ aud: ['other', 'client'], azp: 'other' })
    await refused(/azp is another client/, { trustedAudiences })
    withClaims({ aud: ['other', 'client'], azp: undefined })
    await refused(/azp is missing/, { trustedAudiences })
    withClaims({ aud: ['other', 'project'], azp: 'client' })
    await refused(/aud/, { trustedAudiences })
  })

  it('OIDC-04: for several audiences needs azp, and azp must be us', async () => {
    withClaims({ aud: ['client', 'other'] })
    await refused(/audience|azp/, { trustedAudiences: ['other'] })
    withClaims({ aud: 'client', azp: 'other' })
    await refused(/azp is another client/)
    withClaims({ aud: ['client'], azp: 'client' })
    await signIn()
  })

  it('OIDC-06: signed by HMAC with the public key as its secret is refused', async () => {
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: ['RS256', 'HS256'] })
    const [key] = fake.keys
    const secret = new TextEncoder().encode(JSON.stringify(key?.jwk))
    fake.faults.idToken = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret)
    await refused(/alg/)
  })

  it('OIDC-06: signed by HMAC with the client secret is refused unless that is configured', async () => {
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: ['HS256', 'RS256'] })
    const secret = new TextEncoder().encode('a-client-secret')
    fake.faults.idToken = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    await refused(/alg/)
    await signIn({ client: { id_token_signed_response_alg: 'HS256' } })
  })

  it('OIDC-06: of another algorithm than the configured one is refused', async () => {
    await refused(/alg/, { client: { id_token_signed_response_alg: 'ES256' } })
  })

  it('OIDC-07: is not verified with keys that it brings along', async () => {
    const other = await fakeKey('key-2')
    let fetched = false
    const trap = await FakeProvider.start()
    trap.keys = [other]
    trap.faults.jwks = () => {
      fetched = true
      return undefined
    }
    try {
      const header = {
        kid: 'key-2',
        jwk: await exportJWK(other.privateKey),
        jku: `${trap.issuer}/jwks`,
        x5u: `${trap.issuer}/jwks`,
      }
      fake.faults.idToken = (claims) => signWith(other, claims, header)
      await refused(/no applicable key|signature/)
      expect(fetched).to.equal(false)
    } finally {
      await trap.stop()
    }
  })

  it('OIDC-08: is verified though the keys were replaced twice within a second', async () => {
    const driver = new OAuthDriver()
    const one = provider()
    const signInOnce = async () => {
      const jar = new CookieJar()
      identityOf(await driver.finish(one, jar, fake.authorize((await driver.start(one, jar)).href)))
    }
    for (const kid of ['key-1', 'key-2', 'key-3']) {
      fake.keys = [await fakeKey(kid)]
      await signInOnce()
    }
    expect(fake.callsTo('/jwks')).to.have.length(3)
    // The last under the id of the one before it, as providers do that have a key of a fixed name.
    fake.keys = [{ ...(await fakeKey('key-4')), jwk: { ...(await fakeKey('key-4')).jwk, kid: 'key-3' } }]
    await signInOnce()
    expect(fake.callsTo('/jwks')).to.have.length(4)
  })

  it('OIDC-08: is verified for forty at once after the keys were replaced', async () => {
    const driver = new OAuthDriver()
    const one = provider()
    const begin = async () => {
      const jar = new CookieJar()
      return { jar, answer: fake.authorize((await driver.start(one, jar)).href) }
    }
    const first = await begin()
    identityOf(await driver.finish(one, first.jar, first.answer))
    fake.keys = [await fakeKey('key-2')]
    const starts = await Promise.all(Array.from({ length: 40 }, begin))
    await Promise.all(starts.map(async ({ jar, answer }) => identityOf(await driver.finish(one, jar, answer))))
    expect(fake.callsTo('/jwks').length).to.be.lessThan(7)
  })

  it('OIDC-08: with an unknown kid causes a handful of fetches, and one a second from then on', async () => {
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const one = provider()
    const other = await fakeKey('key-2')
    fake.faults.idToken = (claims) => signWith(other, claims)
    const flood = async (count: number) => {
      fake.calls.length = 0
      for (let n = 0; n < count; n += 1) {
        const jar = new CookieJar()
        const answer = fake.authorize((await driver.start(one, jar)).href)
        await failure(driver.finish(one, jar, answer), 'CallbackRouteError', /no applicable key/)
      }
      return fake.callsTo('/jwks').length
    }
    expect(await flood(1)).to.equal(2)
    expect(await flood(20)).to.equal(4)
    expect(await flood(5)).to.equal(0)
    time += 2000
    expect(await flood(5)).to.equal(2)
    time += 60_000
    expect(await flood(20)).to.equal(5)
  })

  it('verifies twenty at once with one fetch of the keys', async () => {
    const driver = new OAuthDriver()
    const one = provider()
    const starts = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const jar = new CookieJar()
        return { jar, answer: fake.authorize((await driver.start(one, jar)).href) }
      }),
    )
    await Promise.all(starts.map(({ jar, answer }) => driver.finish(one, jar, answer)))
    expect(fake.callsTo('/jwks')).to.have.length(1)
    expect(fake.callsTo('/.well-known/openid-configuration')).to.have.length(1)
  })

  it('OIDC-10: that has expired or is not valid yet is refused', async () => {
    withClaims({ exp: seconds() - 120 })
    await refused(/exp/)
    withClaims({ nbf: seconds() + 600 })
    await refused(/nbf/)
    withClaims({ exp: undefined })
    await refused(/exp/)
  })

  it('OIDC-11: issued long ago or in the future is refused', async () => {
    withClaims({ iat: seconds() - 2 * 60 * 60 })
    await refused(/iat/)
    withClaims({ iat: seconds() + 10 * 60 })
    await refused(/iat/)
    withClaims({ iat: 'today' })
    await refused(/iat/)
  })

  it('OIDC-12: without the nonce that was sent, or with another, is refused', async () => {
    withClaims({ nonce: undefined })
    await refused(/nonce/)
    withClaims({ nonce: 'that of another sign-in' })
    await refused(/nonce/)
  })

  for (const [what, sub] of [
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not ASCII', 'перс'],
    ['a number', 7],
    ['null', null],
  ] as const) {
    it(`OIDC-13: whose sub is ${what} is refused`, async () => {
      withClaims({ sub })
      await failure(signIn(), 'AccessDenied', /sub/)
    })
  }

  it('OIDC-14: needs a recent auth_time when max_age was sent', async () => {
    const authorization = { params: { max_age: 600 } }
    await refused(/auth_time/, { authorization })
    withClaims({ auth_time: seconds() - 3600 })
    await refused(/authentication|auth_time/, { authorization })
    withClaims({ auth_time: seconds() - 10 })
    await signIn({ authorization })
    withClaims({ auth_time: seconds() - 3600 })
    await failure(signIn({}, { max_age: '600' }), 'OAuthCallbackError', /authentication|auth_time/)
  })

  it('OIDC-16: with at_hash must fit the access token', async () => {
    const digest = createHash('sha256').update('marked-access-token').digest()
    withClaims({ at_hash: digest.subarray(0, 16).toString('base64url') })
    await signIn()
    withClaims({ at_hash: digest.toString('base64url') })
    await refused(/at_hash/)
  })

  const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'
  const otherKinds: Record<string, [claims: object, header: Record<string, unknown>]> = {
    'a logout token by its type': [{}, { typ: 'logout+jwt' }],
    'a logout token by its type in full': [{}, { typ: 'application/logout+JWT' }],
    'a logout token by its events': [{ events: { [LOGOUT]: {} } }, {}],
    'a logout token by its events, with the type of every token': [{ events: { [LOGOUT]: {} } }, { typ: 'JWT' }],
    'an access token': [{}, { typ: 'at+jwt' }],
    'a security event': [
      { events: { 'https://schemas.openid.net/secevent/risc/event-type/account-disabled': {} } },
      {},
    ],
    'an introspection answer': [{}, { typ: 'token-introspection+jwt' }],
  }
  for (const [what, [claims, header]] of Object.entries(otherKinds)) {
    it(`OIDC-24: that is ${what} is refused, though all else is right`, async () => {
      const [key] = fake.keys
      if (!key) throw new Error('no key')
      fake.faults.idToken = (own) => signWith(key, { ...own, ...claims }, header)
      await refused(/no ID token|logout token/)
    })
  }

  it('OIDC-24: may say that it is a JWT, and may have claims of any name', async () => {
    const [key] = fake.keys
    if (!key) throw new Error('no key')
    for (const [claims, header] of [
      [{}, { typ: 'JWT' }],
      [{}, { typ: 'application/jwt' }],
      [{ events: ['concert'] }, {}],
      [{ events: { concert: 1 } }, {}],
    ] as const) {
      fake.faults.idToken = (own) => signWith(key, { ...own, ...claims }, header)
      await signIn()
    }
  })

  it('that is missing, broken or encrypted is refused', async () => {
    for (const token of [undefined, '', 'x', 'a.b.c', 'a.b.c.d.e']) {
      fake.faults.idToken = () => token
      await failure(signIn(), 'CallbackRouteError')
    }
  })

  it('that never comes is asked about', async () => {
    fake.faults.token = ({ id_token: _, ...answer }) => ({ body: answer })
    await failure(signIn(), 'CallbackRouteError')
    const request = async () => ({ tokens: { access_token: 'a' } })
    await refused(/no id_token\. Does the scope contain openid/, { token: { request } })
  })

  it('OIDC-09: without kid, signed by none of several keys, is refused', async () => {
    const other = await fakeKey('key-3')
    fake.keys = [await fakeKey('key-1'), await fakeKey('key-2')]
    fake.faults.jwks = (keys) => ({ body: { keys: keys.map((jwk) => ({ ...jwk, kid: undefined })) } })
    fake.faults.idToken = (claims) => signWith(other, claims, { kid: undefined })
    await refused(/signature/)
  })

  it('is refused when the keys cannot be had', async () => {
    fake.faults.jwks = () => ({ status: 500, body: 'down' })
    await refused(/ID token could not be verified/)
    fake.faults.jwks = () => ({ body: '<html>' })
    await refused(/ID token could not be verified/)
    fake.faults.jwks = undefined
    await signIn()
  })

  it('of a shared endpoint must be of its own tenant', async () => {
    const tenant = '7f3c1a52-9d0e-4b8a-a6c4-2e5d18f0b9c7'
    fake.faults.metadata = (document) => ({ ...document, issuer: `${fake.issuer}/{tenantid}/v2.0` })
    const open: Partial<OIDCConfig<unknown>> = {
      issuer: `${fake.issuer}/common/v2.0`,
      wellKnown: `${fake.issuer}/.well-known/openid-configuration`,
      checks: ['pkce', 'state', 'nonce'],
    }
    fake.faults.answer = (params) => params.delete('iss')
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0`, tid: tenant })
    expect((await signIn(open)).account.id_token).to.be.a('string')
    withClaims({ iss: `${fake.issuer}/common/v2.0`, tid: 'common' })
    await refused(/tenant/, open)
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0` })
    await refused(/tenant/, open)
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0`, tid: tenant, nonce: 'wrong' })
    await refused(/nonce/, open)
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0`, tid: tenant, aud: 'other' })
    await refused(/aud/, open)
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0`, tid: tenant, auth_time: seconds() - 3600 })
    await refused(/auth_time/, { ...open, authorization: { params: { max_age: 60 } } })
    const single = { ...open, issuer: `${fake.issuer}/00000000-9d0e-4b8a-a6c4-2e5d18f0b9c7/v2.0` }
    withClaims({ iss: `${fake.issuer}/${tenant}/v2.0`, tid: tenant })
    await refused(/iss/, single)
  })

  it('that plain OAuth never asked for is kept with the account and not validated', async () => {
    fake.faults.idToken = () => 'not.even.valid'
    const plain = resolved({
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: `${fake.issuer}/authorize`,
      token: `${fake.issuer}/token`,
      userinfo: `${fake.issuer}/userinfo`,
      clientId: 'client',
      clientSecret: 'secret',
    })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const { account } = identityOf(
      await driver.finish(plain, jar, fake.authorize((await driver.start(plain, jar)).href)),
    )
    expect(account.id_token).to.equal('not.even.valid')
  })
})
