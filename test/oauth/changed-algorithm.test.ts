import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

const DISCOVERY = '/.well-known/openid-configuration'

describe('a provider that changes the algorithm of its ID tokens', () => {
  let fake: FakeProvider
  let now: number
  before(async () => {
    fake = await FakeProvider.start()
  })
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
    now = Date.now()
  })
  after(() => fake.stop())

  const open = (more: object = {}) => {
    const driver = new OAuthDriver({ now: () => now })
    const provider = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'marked-client-secret',
      ...more,
    } as OIDCConfig<unknown>)
    return async () => {
      const jar = new CookieJar()
      const url = await driver.start(provider, jar)
      return driver.finish(provider, jar, fake.authorize(url.href))
    }
  }
  /** From now on the provider signs with a key of this algorithm, and announces it alone. */
  const change = async (alg: string, announced = alg) => {
    const key = await fakeKey(`key-${alg}`, alg)
    fake.keys = [key, ...fake.keys]
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: [announced] })
  }
  const fetches = () => fake.callsTo(DISCOVERY).length

  it('signs people in at once: the metadata are fetched once more', async () => {
    const signIn = open()
    identityOf(await signIn())
    await change('ES256')
    for (let times = 0; times < 3; times += 1) identityOf(await signIn())
    expect(fetches()).to.equal(2)
  })

  it('signs in all who come at the same time, with one fetch', async () => {
    const signIn = open()
    identityOf(await signIn())
    await change('ES256')
    for (const outcome of await Promise.all([signIn(), signIn(), signIn()])) identityOf(outcome)
    expect(fetches()).to.equal(2)
  })

  it('OIDC-06: signs nobody in with an algorithm that it does not announce, and is not flooded', async () => {
    const signIn = open()
    identityOf(await signIn())
    await change('ES384', 'RS256')
    const told = /ES384.*RS256.*client\.id_token_signed_response_alg/
    for (let times = 0; times < 20; times += 1) await failure(signIn(), 'CallbackRouteError', told)
    expect(fetches()).to.be.at.most(6)
    now += 1000
    await failure(signIn(), 'CallbackRouteError')
    await failure(signIn(), 'CallbackRouteError')
    expect(fetches(), 'one more a second').to.be.at.most(7)
  })

  it('OIDC-06: may flap between two algorithms: each change costs one fetch, and not more than the limit', async () => {
    const signIn = open()
    identityOf(await signIn())
    const outcomes: string[] = []
    const [rsa, ec] = [fake.keys, [await fakeKey('key-ES256', 'ES256')]]
    for (let times = 0; times < 20; times += 1) {
      const keys = times % 2 === 0 ? ec : rsa
      fake.keys = keys
      fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: [keys[0]?.alg] })
      outcomes.push(
        await signIn()
          .then(identityOf)
          .then(
            () => 'ok',
            ({ name }) => name,
          ),
      )
    }
    expect(outcomes.slice(0, 3), 'while the limit allows it').to.deep.equal(['ok', 'ok', 'ok'])
    expect(outcomes, 'afterwards').to.include('CallbackRouteError')
    expect(fetches()).to.be.within(4, 6)
    expect(fake.callsTo('/jwks').length).to.be.at.most(8)
  })

  it('OIDC-06: signs nobody in without a signature, or with the public key or the client secret as the secret of an HMAC', async () => {
    const signIn = open()
    identityOf(await signIn())
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: ['none', 'HS256'] })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const hmac = (secret: string) => (claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .sign(new TextEncoder().encode(secret))
    const forged: ((claims: object) => Promise<string> | string)[] = [
      (claims) => `${part({ alg: 'none' })}.${part(claims)}.`,
      hmac(JSON.stringify(fake.keys[0]?.jwk)),
      hmac('marked-client-secret'),
    ]
    for (const make of forged) {
      fake.faults.idToken = make
      await failure(signIn(), 'CallbackRouteError', /"alg"/)
    }
  })

  it('OIDC-06: signs nobody in with another algorithm than the configured one, whatever it announces', async () => {
    const signIn = open({ client: { id_token_signed_response_alg: 'RS256' } })
    identityOf(await signIn())
    await change('ES256')
    await failure(signIn(), 'CallbackRouteError', /"alg"/)
    expect(fetches()).to.equal(1)
  })

  it('is refused for the algorithm, if the metadata cannot be fetched at the moment', async () => {
    const signIn = open()
    identityOf(await signIn())
    await change('ES256')
    fake.faults.discovery = () => ({ status: 503, body: '' })
    await failure(signIn(), 'CallbackRouteError', /"alg"/)
    fake.faults.discovery = undefined
    identityOf(await signIn())
  })

  it('may sign its userinfo answers with another one as well', async () => {
    const signIn = open({ idToken: false })
    fake.keys = [await fakeKey('key-1'), await fakeKey('key-ES256', 'ES256')]
    for (const [alg, kid] of [
      ['RS256', 'key-1'],
      ['ES256', 'key-ES256'],
    ] as const) {
      fake.faults.metadata = (document) => ({ ...document, userinfo_signing_alg_values_supported: [alg] })
      const jwt = await signWith(await fakeKey(kid, alg), { ...fake.profile, iss: fake.issuer, aud: 'client' })
      fake.faults.userinfo = () => ({ headers: { 'content-type': 'application/jwt' }, body: jwt })
      identityOf(await signIn())
    }
    expect(fetches()).to.equal(2)
  })

  it('may sign its answers (JARM) with another one as well', async () => {
    const answered = async (alg: string, params: URLSearchParams) => {
      const claims = {
        ...Object.fromEntries(params),
        iss: fake.issuer,
        aud: 'client',
        exp: Math.floor(Date.now() / 1000) + 60,
      }
      return new URLSearchParams({ response: await signWith(await fakeKey(`key-${alg}`, alg), claims) })
    }
    fake.keys = [await fakeKey('key-RS256', 'RS256'), await fakeKey('key-ES256', 'ES256')]
    const driver = new OAuthDriver()
    const provider = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      authorization: { params: { response_mode: 'jwt' } },
    } as OIDCConfig<unknown>)
    for (const alg of ['RS256', 'ES256']) {
      fake.faults.metadata = (document) => ({ ...document, authorization_signing_alg_values_supported: [alg] })
      const jar = new CookieJar()
      const url = await driver.start(provider, jar)
      identityOf(await driver.finish(provider, jar, await answered(alg, fake.authorize(url.href))))
    }
    expect(fetches()).to.equal(2)
  })
})

describe('OIDC-16: at_hash of an ID token', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  beforeEach(() => fake.reset())
  after(() => fake.stop())

  const signIn = async (alg: string, atHash: (accessToken: string) => string) => {
    fake.keys = [await fakeKey(`key-${alg}`, alg)]
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: [alg] })
    fake.faults.token = (answer) => ({ body: { ...answer, access_token: 'an access token' } })
    fake.faults.claims = (claims) => ({ ...claims, at_hash: atHash('an access token') })
    const driver = new OAuthDriver()
    const provider = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
    } as OIDCConfig<unknown>)
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    return driver.finish(provider, jar, fake.authorize(url.href))
  }
  const half = (hash: string) => (accessToken: string) => {
    const digest = createHash(hash).update(accessToken).digest()
    return digest.subarray(0, digest.length / 2).toString('base64url')
  }

  for (const [alg, own] of [
    ['RS256', 'sha256'],
    ['ES384', 'sha384'],
    ['RS512', 'sha512'],
    ['EdDSA', 'sha512'],
  ] as const) {
    it(`with ${alg} may have the hash of the algorithm, or SHA-256 as Ory Hydra has it`, async () => {
      for (const hash of [own, 'sha256']) identityOf(await signIn(alg, half(hash)))
    })

    it(`with ${alg} must be that of the access token`, async () => {
      for (const hash of [own, 'sha256'])
        await failure(
          signIn(alg, (token) => half(hash)(`${token} of somebody else`)),
          'CallbackRouteError',
          /at_hash/,
        )
      await failure(signIn(alg, half('sha1')), 'CallbackRouteError', /at_hash/)
    })
  }
})
