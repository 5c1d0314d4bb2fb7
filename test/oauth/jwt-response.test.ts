import { expect } from 'chai'
import { CompactEncrypt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

const MINUTE = 60

describe('an authorization response as a JWT (JARM)', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
  })

  const configured = (more: Partial<OIDCConfig<unknown>> = {}) =>
    resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'a-secret-of-at-least-thirty-two-bytes',
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { response_mode: 'jwt' } },
      ...more,
    })

  /** A sign-in under way, and what the provider wants to answer. */
  async function begin(more: Partial<OIDCConfig<unknown>> = {}) {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const provider = configured(more)
    const plain = fake.authorize((await driver.start(provider, jar)).href)
    const claims = {
      ...Object.fromEntries(plain),
      iss: fake.issuer,
      aud: 'client',
      exp: Math.floor(Date.now() / 1000) + MINUTE,
    }
    const finish = (params: Record<string, string>) => driver.finish(provider, jar, new URLSearchParams(params))
    return { claims, plain, jar, finish }
  }
  const sign = async (claims: object, header: object = {}) =>
    signWith(await fakeKey('key-1'), claims as never, header as never)

  it('signs in with the parameters in it', async () => {
    const { claims, finish } = await begin()
    expect(identityOf(await finish({ response: await sign(claims) })).account.providerAccountId).to.equal('person-1')
  })

  it('tells the error in it', async () => {
    const { claims, finish } = await begin()
    const { code: _, ...rest } = claims as Record<string, unknown>
    const response = await sign({ ...rest, error: 'access_denied' })
    await failure(finish({ response }), 'OAuthCallbackError', /access_denied/)
  })

  it('is good once', async () => {
    const { claims, finish, jar } = await begin()
    const response = await sign(claims)
    const before = new Map(jar.cookies)
    await finish({ response })
    for (const [name, value] of before) jar.cookies.set(name, value)
    await failure(finish({ response }), 'InvalidCheck', /used already/)
  })

  it('counts alone: plain parameters beside it are not read', async () => {
    const { claims, finish } = await begin()
    const response = await sign(claims)
    const beside = {
      code: 'code-of-somebody-else',
      state: 'other',
      iss: 'https://other.example',
      error: 'access_denied',
    }
    expect(identityOf(await finish({ ...beside, response })).account.providerAccountId).to.equal('person-1')
  })

  it('cannot be left out: a plain answer is refused, and the sign-in stays open', async () => {
    const { plain, jar, finish, claims } = await begin()
    const before = jar.cookies.size
    await failure(finish(Object.fromEntries(plain)), 'OAuthCallbackError', /not one parameter named response/)
    expect(jar.cookies.size).to.equal(before)
    expect(fake.callsTo('/token')).to.have.length(0)
    await finish({ response: await sign(claims) })
  })

  const soon = () => Math.floor(Date.now() / 1000)
  const cases: Record<string, (claims: Record<string, unknown>) => Promise<string> | string> = {
    'without a signature (alg none)': (claims) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    'signed with the client secret, where that is not registered': (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode('a-secret-of-at-least-thirty-two-bytes')),
    'signed by a key of its own header': async (claims) => {
      const { privateKey, publicKey } = await generateKeyPair('RS256')
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(publicKey) }).sign(privateKey)
    },
    'with a changed payload': async (claims) => {
      const [header, , signature] = (await sign(claims)).split('.')
      const payload = Buffer.from(JSON.stringify({ ...claims, code: 'other' })).toString('base64url')
      return [header, payload, signature].join('.')
    },
    'of another issuer': (claims) => sign({ ...claims, iss: 'https://other.example' }),
    'without an issuer': ({ iss: _, ...claims }) => sign(claims),
    'for another client': (claims) => sign({ ...claims, aud: 'another-client' }),
    'for another client too': (claims) => sign({ ...claims, aud: ['client', 'another-client'] }),
    'without an audience': ({ aud: _, ...claims }) => sign(claims),
    'that has expired': (claims) => sign({ ...claims, exp: soon() - 5 * MINUTE }),
    'that never expires': ({ exp: _, ...claims }) => sign(claims),
    'that is not valid yet': (claims) => sign({ ...claims, nbf: soon() + 5 * MINUTE }),
    'that is an access token': (claims) => sign(claims, { typ: 'at+jwt' }),
    'that is a logout token': (claims) => sign({ ...claims, events: {} }, { typ: 'logout+jwt' }),
    'that is no JWT': () => 'rubbish',
    'that is empty': () => '',
    'that is encrypted for nobody here': async (claims) => {
      const { publicKey } = await generateKeyPair('RSA-OAEP-256')
      return new CompactEncrypt(Buffer.from(await sign(claims)))
        .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A128GCM' })
        .encrypt(publicKey)
    },
  }
  for (const [name, make] of Object.entries(cases)) {
    it(`is refused ${name}, before the code is used`, async () => {
      const { claims, finish } = await begin()
      const error = await failure(finish({ response: await make(claims) }), 'OAuthCallbackError')
      expect(error.message).to.not.include(String((claims as Record<string, unknown>)['code']))
      expect(fake.callsTo('/token')).to.have.length(0)
    })
  }

  it('is refused twice in one answer', async () => {
    const { claims } = await begin()
    const driver = new OAuthDriver()
    const params = new URLSearchParams()
    for (const each of [claims, claims]) params.append('response', await sign(each))
    await failure(driver.finish(configured(), new CookieJar(), params), 'OAuthCallbackError', /not one parameter/)
  })

  it('is refused without a state, with an unknown one, and in another browser', async () => {
    const { claims, finish } = await begin()
    const { state: _, ...rest } = claims as Record<string, unknown>
    await failure(finish({ response: await sign(rest) }), 'InvalidCheck', /no state/)
    await failure(finish({ response: await sign({ ...rest, state: 'unknown' }) }), 'InvalidCheck')
    const other = new OAuthDriver()
    const params = new URLSearchParams({ response: await sign(claims) })
    await failure(other.finish(configured(), new CookieJar(), params), 'InvalidCheck')
  })

  it('is not taken where it was not asked for', async () => {
    const { claims, plain, finish } = await begin({ authorization: {} })
    const response = await sign(claims)
    await failure(finish({ response }), 'InvalidCheck')
    await failure(finish({ ...Object.fromEntries(plain), response }), 'OAuthCallbackError', /JARM/)
  })

  it('is refused without the encryption that is registered', async () => {
    const { privateKey } = await generateKeyPair('RSA-OAEP-256', { extractable: true })
    const { claims, finish } = await begin({
      client: { authorization_encrypted_response_alg: 'RSA-OAEP-256' },
      decryptionKeys: await exportJWK(privateKey),
    })
    await failure(finish({ response: await sign(claims) }), 'OAuthCallbackError', /not encrypted/)
    expect(fake.callsTo('/token')).to.have.length(0)
  })

  it('is taken for several clients if they are trusted', async () => {
    const { claims, finish } = await begin({ trustedAudiences: ['other'] })
    const response = await sign({ ...claims, aud: ['client', 'other'] })
    expect(identityOf(await finish({ response })).account.providerAccountId).to.equal('person-1')
  })

  it('is verified with the client secret, where that is registered', async () => {
    const { claims, finish } = await begin({ client: { authorization_signed_response_alg: 'HS256' } })
    const response = await cases['signed with the client secret, where that is not registered']?.(claims)
    expect(identityOf(await finish({ response: response ?? '' })).account.providerAccountId).to.equal('person-1')
  })
})
