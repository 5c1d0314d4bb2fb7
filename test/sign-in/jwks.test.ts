import { generateKeyPairSync, type webcrypto } from 'node:crypto'
import { expect } from 'chai'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { AuthConfig } from '../../lib/index.js'
import type { ClientPrivateKey } from '../../lib/providers/client-config.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { createLog, type Running, startApp, testConfig } from '../support/app.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { startOidcProvider } from '../support/oidc-provider.js'

const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const KINDS: Record<string, () => JWK> = {
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK,
  'EC P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK,
  'EC P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' }) as JWK,
  'EC P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({ format: 'jwk' }) as JWK,
  'OKP Ed25519': () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as JWK,
}
const ENCRYPTION_KINDS: Record<string, () => JWK> = {
  RSA: KINDS['RSA'] as () => JWK,
  'EC P-256': KINDS['EC P-256'] as () => JWK,
  'OKP X25519': () => generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }) as JWK,
}

const provider = (more: Partial<OIDCConfig<unknown>>): OIDCConfig<unknown> => ({
  id: 'acme',
  name: 'Acme',
  type: 'oidc',
  issuer: 'https://id.acme.example',
  clientId: 'client',
  client: { token_endpoint_auth_method: 'private_key_jwt' },
  ...more,
})
const signedBy = (clientPrivateKey: ClientPrivateKey | readonly ClientPrivateKey[], more = {}) =>
  provider({ token: { clientPrivateKey }, ...more })

describe('GET /auth/jwks', () => {
  const running: Running[] = []
  afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))
  const start = async (config: Partial<AuthConfig>) => {
    const app = await startApp(testConfig(config))
    running.push(app)
    return app
  }
  const keysOf = async (...providers: OIDCConfig<unknown>[]): Promise<Record<string, string>[]> => {
    const answer = await (await start({ providers })).visitor().visit('/auth/jwks')
    expect(answer.status).to.equal(200)
    return answer.json().keys
  }

  it('is a set of keys that providers may keep for some minutes, without cookies', async () => {
    const key = KINDS['EC P-256']?.() as JWK
    const answer = await (await start({ providers: [signedBy(key as never)] })).visitor().visit('/auth/jwks')
    expect(answer.headers.get('content-type')).to.equal('application/jwk-set+json')
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=300')
    expect(answer.setCookie).to.deep.equal([])
    const { kty, crv, x, y } = key
    const kid = await calculateJwkThumbprint(key)
    expect(answer.json()).to.deep.equal({ keys: [{ kty, crv, x, y, kid, use: 'sig', alg: 'ES256' }] })
  })

  it('is not there if no provider has a key', async () => {
    const answer = await (await start({})).visitor().visit('/auth/jwks')
    expect(answer.status).to.equal(404)
  })

  for (const [use, kinds] of [
    ['sig', KINDS],
    ['enc', ENCRYPTION_KINDS],
  ] as const) {
    for (const [name, make] of Object.entries(kinds)) {
      it(`has no private member of a key of the kind ${name} for "${use}", and none that somebody added`, async () => {
        const key = { ...make(), internal: 'not for others', x5u: 'https://internal.example' } as never
        const [published = {}, ...more] = await keysOf(
          use === 'sig' ? signedBy(key) : provider({ client: {}, clientSecret: 'x', decryptionKeys: key }),
        )
        expect(more).to.deep.equal([])
        expect(published).to.include({ use })
        expect(Object.keys(published)).to.not.include.members(PRIVATE)
        for (const member of [...PRIVATE, 'internal', 'x5u', 'key_ops', 'ext'])
          expect(published).to.not.have.property(member)
        const text = JSON.stringify(published)
        for (const name of PRIVATE) {
          const value = (key as Record<string, string>)[name]
          if (value) expect(text).to.not.include(value)
        }
      })
    }
  }

  it('has the keys of all providers, one that two of them share once, and never that of DPoP', async () => {
    const [one, two, three, dpop] = [0, 1, 2, 3].map(() => KINDS['EC P-256']?.()) as [JWK, JWK, JWK, JWK]
    const keys = await keysOf(
      signedBy([{ key: one as never, kid: 'one' }, two as never]),
      signedBy({ key: one as never, kid: 'one' }, { id: 'other', decryptionKeys: three, dpop: { key: dpop } }),
      signedBy({ key: one as never, kid: 'one' }, { id: 'third', requestObjects: { signingKey: { key: two } } }),
    )
    expect(keys.map(({ kid, use }) => [kid, use])).to.deep.equal([
      ['one', 'sig'],
      [await calculateJwkThumbprint(two), 'sig'],
      [await calculateJwkThumbprint(three), 'enc'],
    ])
  })

  it('has one decryption key for each algorithm, so that a provider uses no key that is to be dropped', async () => {
    const [next, old] = [ENCRYPTION_KINDS['RSA']?.(), ENCRYPTION_KINDS['RSA']?.()] as [JWK, JWK]
    const other = ENCRYPTION_KINDS['OKP X25519']?.() as JWK
    const keys = await keysOf(
      provider({ client: {}, clientSecret: 'x', decryptionKeys: [next, old, { ...other, alg: 'ECDH-ES' }] as never[] }),
    )
    expect(keys.map(({ kid }) => kid)).to.deep.equal([
      await calculateJwkThumbprint(next),
      await calculateJwkThumbprint(other),
    ])
  })

  it('leaves out a key that cannot be exported, and the start says so', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const log = createLog()
    const other = signedBy({ privateKey, publicKey } as webcrypto.CryptoKeyPair, { id: 'other' })
    const app = await start({ providers: [signedBy(privateKey as webcrypto.CryptoKey), other], logger: log.logger })
    const { keys } = (await app.visitor().visit('/auth/jwks')).json()
    expect(keys).to.have.length(1)
    expect(keys[0]).to.include(await exportJWK(publicKey))
    expect(log.warnings.filter((code) => code === 'key-not-published')).to.have.length(1)
  })

  it('is where a provider finds the new key after a rotation (OAUTH-11)', async () => {
    const [before, after] = [KINDS['EC P-256']?.(), KINDS['EC P-256']?.()] as [JWK, JWK]
    // The provider knows the address alone. Both keys are published before the second one signs.
    const app = await start({ providers: [signedBy([before, after] as never[])] })
    const server = await startOidcProvider({
      configuration: {
        enabledJWA: { clientAuthSigningAlgValues: ['ES256'] },
        // Its own options keep the provider from calling this machine.
        fetch: (url) => fetch(String(url).replace('https://app.example', app.origin)),
      },
      clients: [
        {
          client_id: 'client',
          redirect_uris: ['https://app.example/auth/callback/acme'],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks_uri: 'https://app.example/auth/jwks',
        },
      ],
    })
    try {
      for (const keys of [
        [before, after],
        [after, before],
      ]) {
        const op = resolved(signedBy(keys as never[], { issuer: server.issuer }))
        const driver = new OAuthDriver()
        const jar = new CookieJar()
        const { params } = await server.authorize((await driver.start(op, jar)).href)
        expect(identityOf(await driver.finish(op, jar, params)).account.providerAccountId).to.equal('ada')
      }
    } finally {
      await server.stop()
    }
  })
})

describe('keys of a provider that cannot be used', () => {
  const ec = KINDS['EC P-256']?.() as JWK
  const { d: _, ...publicOnly } = ec
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' })
  const refused: Record<string, [Partial<OIDCConfig<unknown>>, RegExp]> = {
    'a symmetric key': [{ token: { clientPrivateKey: { kty: 'oct', k: 'c2VjcmV0' } as never } }, /is a symmetric key/],
    'a public key': [{ token: { clientPrivateKey: publicOnly as never } }, /is not a private key/],
    'no key at all': [{ token: { clientPrivateKey: { kty: 'EC' } as never } }, /is not a private key/],
    'an empty list': [{ token: { clientPrivateKey: [] } }, /has no key/],
    'a short RSA key': [{ token: { clientPrivateKey: weak as never } }, /less than 2048 bits/],
    'an algorithm of another kind': [
      { token: { clientPrivateKey: { ...ec, alg: 'RS256' } as never } },
      /does not fit its algorithm. This kind of key can have ES256/,
    ],
    'a key for encryption': [{ token: { clientPrivateKey: { ...ec, use: 'enc' } as never } }, /has another use/],
    'two keys with one kid': [
      {
        token: {
          clientPrivateKey: [
            { ...ec, kid: 'a' },
            { ...(KINDS['EC P-256']?.() as object), kid: 'a' },
          ] as never,
        },
      },
      /have the same kid/,
    ],
    'a decryption key on a curve that openid-client does not have': [
      { token: { clientPrivateKey: ec as never }, decryptionKeys: KINDS['EC P-384']?.() as never },
      /decryptionKeys is of a kind that cannot decrypt here/,
    ],
    'encryption without a key': [
      { client: { id_token_encrypted_response_alg: 'RSA-OAEP' }, clientSecret: 'x' },
      /needs a key. Set decryptionKeys/,
    ],
    RSA1_5: [
      {
        client: { id_token_encrypted_response_alg: 'RSA1_5' },
        clientSecret: 'x',
        decryptionKeys: KINDS['RSA']?.() as never,
      },
      /does not fit its algorithm/,
    ],
    'signed requests without a key': [
      { client: {}, clientSecret: 'x', requestObjects: true },
      /requestObjects needs a key/,
    ],
    'dpop without a key': [{ token: { clientPrivateKey: ec as never }, dpop: {} as never }, /dpop has no key/],
    'an empty requireAcr': [{ token: { clientPrivateKey: ec as never }, requireAcr: [] }, /requireAcr is a list/],
    'response_mode fragment.jwt': [
      { token: { clientPrivateKey: ec as never }, authorization: { params: { response_mode: 'fragment.jwt' } } },
      /response_mode is "fragment.jwt"/,
    ],
  }
  for (const [name, [more, message]] of Object.entries(refused)) {
    it(`stop the start: ${name}`, () => {
      expect(() => resolved(provider(more)))
        .to.throw(message)
        .with.property('message')
        .that.does.not.include(ec.d)
    })
  }

  it('stop the start: a key of DPoP that cannot be exported, without its public key', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    expect(() => resolved(provider({ client: {}, clientSecret: 'x', dpop: { key: privateKey as never } }))).to.throw(
      /dpop.key cannot be exported/,
    )
  })

  it('stop the start: several keys, of which one cannot be exported and has no kid', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    expect(() => resolved(signedBy([ec as never, privateKey as never]))).to.throw(/has no kid and cannot be exported/)
  })
})
