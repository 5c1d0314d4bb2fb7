import { expect } from 'chai'
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from 'jose'
import { contradictedOptions } from '../../lib/oauth/contradicted-options.js'
import type { ProviderMetadata } from '../../lib/oauth/metadata.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { startApp, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, identityOf, OAuthDriver, quiet, resolved } from '../support/oauth-driver.js'
import { startOidcProvider } from '../support/oidc-provider.js'

const ISSUER = 'https://id.acme.example'
const MOUNT = 'https://app.example/auth'

const newKey = async (alg: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { private: (await exportJWK(privateKey)) as JWK, public: { ...(await exportJWK(publicKey)), use: 'sig' } }
}

const acme = (more: object) =>
  resolved({
    id: 'acme',
    name: 'Acme',
    type: 'oidc',
    issuer: ISSUER,
    clientId: 'client',
    clientSecret: 'a-secret-of-the-client',
    ...more,
  } as OIDCConfig<unknown>)

const announcing = (more: object): ProviderMetadata => ({
  issuer: ISSUER,
  isDiscovered: true,
  server: { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, ...more },
})

describe('options that the metadata of a provider contradict', () => {
  let es256: JWK
  let ed25519: JWK
  before(async () => {
    es256 = (await newKey('ES256')).private
    ed25519 = (await newKey('Ed25519')).private
  })

  const found = (options: object, metadata: object) =>
    contradictedOptions(acme(options), announcing(metadata)).map(({ option }) => option)

  const assertion = (key: JWK) => ({
    clientSecret: undefined,
    client: { token_endpoint_auth_method: 'private_key_jwt' },
    token: { clientPrivateKey: key },
  })
  const mode = (response_mode: string) => ({ authorization: { params: { response_mode } } })

  const PAR = 'pushed_authorization_request_endpoint'
  const cases: readonly [option: string, options: () => object, bad: object, good: object][] = [
    ['pushedAuthorizationRequests', () => ({ pushedAuthorizationRequests: true }), {}, { [PAR]: `${ISSUER}/par` }],
    [
      'pushedAuthorizationRequests',
      () => ({}),
      { require_pushed_authorization_requests: true },
      { require_pushed_authorization_requests: true, [PAR]: `${ISSUER}/par` },
    ],
    ['dpop', () => ({ dpop: { key: es256 } }), {}, { dpop_signing_alg_values_supported: ['ES256'] }],
    [
      'dpop',
      () => ({ dpop: { key: ed25519 } }),
      { dpop_signing_alg_values_supported: ['ES256'] },
      { dpop_signing_alg_values_supported: ['ES256', 'EdDSA'] },
    ],
    ['requestObjects', () => ({}), { require_signed_request_object: true }, {}],
    [
      'requestObjects',
      () => ({ requestObjects: { signingKey: es256 } }),
      {},
      { request_object_signing_alg_values_supported: ['ES256'] },
    ],
    [
      'requestObjects',
      () => ({ requestObjects: { signingKey: ed25519 } }),
      { request_object_signing_alg_values_supported: ['RS256'] },
      { request_parameter_supported: true },
    ],
    [
      'token.clientPrivateKey',
      () => assertion(ed25519),
      { token_endpoint_auth_signing_alg_values_supported: ['RS256', 'ES256'] },
      { token_endpoint_auth_signing_alg_values_supported: ['RS256', 'EdDSA'] },
    ],
    [
      'client.token_endpoint_auth_method',
      () => ({ client: { token_endpoint_auth_method: 'client_secret_post' } }),
      { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
      { token_endpoint_auth_methods_supported: ['client_secret_post'] },
    ],
    [
      'client.token_endpoint_auth_signing_alg',
      () => ({ client: { token_endpoint_auth_method: 'client_secret_jwt' } }),
      { token_endpoint_auth_signing_alg_values_supported: ['HS512'] },
      { token_endpoint_auth_signing_alg_values_supported: ['HS256'] },
    ],
    ['authorization.params.response_mode', () => mode('jwt'), {}, { response_modes_supported: ['query', 'jwt'] }],
    [
      'authorization.params.response_mode',
      () => mode('form_post.jwt'),
      { response_modes_supported: ['query', 'jwt'] },
      { response_modes_supported: ['form_post.jwt'] },
    ],
    [
      'client.id_token_signed_response_alg',
      () => ({ client: { id_token_signed_response_alg: 'ES256' } }),
      { id_token_signing_alg_values_supported: ['RS256'] },
      { id_token_signing_alg_values_supported: ['RS256', 'ES256'] },
    ],
    [
      'client.userinfo_signed_response_alg',
      () => ({ client: { userinfo_signed_response_alg: 'ES256' } }),
      { userinfo_signing_alg_values_supported: ['none'] },
      {},
    ],
    [
      'client.authorization_signed_response_alg',
      () => ({ ...mode('jwt'), client: { authorization_signed_response_alg: 'ES256' } }),
      { response_modes_supported: ['jwt'], authorization_signing_alg_values_supported: ['RS256'] },
      { response_modes_supported: ['jwt'], authorization_signing_alg_values_supported: ['ES256'] },
    ],
    [
      'client.id_token_encrypted_response_enc',
      () => ({
        client: { id_token_encrypted_response_alg: 'ECDH-ES', id_token_encrypted_response_enc: 'A256GCM' },
        decryptionKeys: { ...es256, alg: 'ECDH-ES' },
      }),
      { id_token_encryption_enc_values_supported: ['A128GCM'] },
      { id_token_encryption_enc_values_supported: ['A256GCM'] },
    ],
    ['requireAcr', () => ({ requireAcr: ['gold'] }), { acr_values_supported: ['0', '1'] }, {}],
    ['idToken', () => ({ idToken: false }), {}, { userinfo_endpoint: `${ISSUER}/me` }],
  ]
  for (const [option, options, bad, good] of cases) {
    it(`${option}: contradicted by ${JSON.stringify(bad)}, and not by ${JSON.stringify(good)}`, () => {
      expect(found(options(), bad)).to.deep.equal([option])
      expect(found(options(), good)).to.deep.equal([])
    })
  }

  it('are sign-outs that the provider does not announce, by `true` and nothing else', () => {
    const flags = {
      backChannelLogout: 'backchannel_logout_supported',
      frontChannelLogout: 'frontchannel_logout_supported',
    }
    for (const [option, flag] of Object.entries(flags)) {
      for (const value of [undefined, false, 'true', null])
        expect(found({ [option]: true }, { [flag]: value }), `${value}`).to.deep.equal([option])
      const [{ reason = '' } = {}] = contradictedOptions(acme({ [option]: true }), announcing({ [flag]: false }))
      expect(reason).to.match(new RegExp(`^the metadata do not say ${flag}: true, so`))
      expect(found({ [option]: true }, { [flag]: true })).to.deep.equal([])
    }
    const endpoint = { end_session_endpoint: `${ISSUER}/logout` }
    const facts = { tokenFacts: { endSession: { url: `${ISSUER}/out`, returnParam: null } } }
    expect(found({ endSession: 'offer' }, {})).to.deep.equal(['endSession'])
    expect(found({ endSession: 'offer' }, endpoint)).to.deep.equal([])
    expect(found({ endSession: 'offer', ...facts }, {})).to.deep.equal([])
  })

  it('are revocations that the provider does not announce, where a sign-out revokes', () => {
    const of = (options: object, metadata: object, revokesAtSignOut = true) =>
      contradictedOptions(acme(options), announcing(metadata), revokesAtSignOut).map(({ option }) => option)
    const own = { tokenFacts: { revocation: { url: `${ISSUER}/revoke`, dialect: 'rfc7009' } } }
    expect(of({}, {})).to.deep.equal(['accountTokens.revokeAtSignOut'])
    expect(of({}, {}, false)).to.deep.equal([])
    expect(of({}, { revocation_endpoint: `${ISSUER}/revoke` })).to.deep.equal([])
    expect(of(own, {})).to.deep.equal([])
  })

  it('are none without options, and none where no metadata were fetched', () => {
    expect(found({}, {})).to.deep.equal([])
    const unknown = { ...announcing({}), isDiscovered: false }
    expect(contradictedOptions(acme({ dpop: { key: es256 } }), unknown)).to.deep.equal([])
  })

  it('are none for answers that the client secret signs: LINE does not list HS256, and has it', () => {
    const client = { id_token_signed_response_alg: 'HS256' }
    expect(found({ client }, { id_token_signing_alg_values_supported: ['ES256'] })).to.deep.equal([])
  })

  it('are none for public clients: Keycloak does not list none, and has them', () => {
    const options = { clientSecret: undefined, client: { token_endpoint_auth_method: 'none' } }
    expect(found(options, { token_endpoint_auth_methods_supported: ['client_secret_basic'] })).to.deep.equal([])
  })

  it('are told with what is configured and what is listed, and with no text that is not a name', () => {
    const listed = ['ES256', 'x\n[latchkey][error] forged', '<script>', 7, 'PS256']
    const [{ reason = '' } = {}] = contradictedOptions(
      acme({ client: { id_token_signed_response_alg: 'RS256' } }),
      announcing({ id_token_signing_alg_values_supported: listed }),
    )
    expect(reason).to.equal(
      'it needs RS256, and id_token_signing_alg_values_supported in the metadata lists ES256, PS256.',
    )
  })

  it('are logged once, and people still get in', async () => {
    const fake = await FakeProvider.start()
    let now = Date.now()
    const warned: unknown[] = []
    const driver = new OAuthDriver({
      now: () => now,
      logger: { ...quiet, warn: (code, data) => void warned.push([code, data]) },
    })
    try {
      const provider = acme({
        issuer: fake.issuer,
        pushedAuthorizationRequests: false,
        dpop: { key: es256 },
      })
      const seconds = () => Math.floor(now / 1000)
      fake.faults.claims = (claims) => ({ ...claims, iat: seconds(), exp: seconds() + 60 })
      fake.faults.token = (answer) => ({ body: { ...answer, token_type: 'DPoP' } })
      for (let times = 0; times < 3; times += 1) {
        const jar = new CookieJar()
        const answer = fake.authorize((await driver.start(provider, jar)).href)
        identityOf(await driver.finish(provider, jar, answer))
        now += 61 * 60 * 1000
      }
      expect(warned).to.have.length(1)
      expect(warned[0]).to.have.nested.property('[0]', 'contradicted-option')
      expect(warned[0]).to.have.nested.property('[1]').that.includes({ provider: 'acme', option: 'dpop' })
    } finally {
      await fake.stop()
    }
  })
})

describe('a key of Ed25519', () => {
  for (const name of ['EdDSA', 'Ed25519']) {
    it(`signs assertions, requests and proofs under the name ${name}, if the provider lists that name, and is published under it`, async () => {
      const key = await newKey('Ed25519')
      const server = await startOidcProvider({
        configuration: {
          clientAuthMethods: ['private_key_jwt'],
          enabledJWA: {
            clientAuthSigningAlgValues: ['ES256', name as 'EdDSA'],
            requestObjectSigningAlgValues: ['ES256', name as 'EdDSA'],
            dPoPSigningAlgValues: ['ES256', name as 'EdDSA'],
          },
          features: { dPoP: { enabled: true }, requestObjects: { enabled: true } },
        },
        clients: [
          {
            client_id: 'client',
            redirect_uris: [`${MOUNT}/callback/acme`],
            jwks: { keys: [key.public as never] },
            token_endpoint_auth_method: 'private_key_jwt',
            require_signed_request_object: true,
            dpop_bound_access_tokens: true,
          },
        ],
      })
      try {
        const options = {
          issuer: server.issuer,
          clientSecret: undefined,
          client: { token_endpoint_auth_method: 'private_key_jwt' },
          token: { clientPrivateKey: key.private },
          requestObjects: true,
          dpop: { key: key.private },
        }
        const provider = acme(options)
        const driver = new OAuthDriver({ mountUrl: MOUNT })
        const jar = new CookieJar()
        const url = await driver.start(provider, jar)
        expect(decodeProtectedHeader(url.searchParams.get('request') ?? '').alg).to.equal(name)
        const { params } = await server.authorize(url.href)
        expect(identityOf(await driver.finish(provider, jar, params)).account.token_type).to.equal('dpop')

        const app = await startApp(testConfig({ providers: [provider.source as never] }))
        try {
          const { keys } = (await app.visitor().visit('/auth/jwks')).json()
          expect(keys[0].alg).to.equal(name)
        } finally {
          await app.close()
        }
      } finally {
        await server.stop()
      }
    })
  }

  it('signs under the configured name where the provider lists nothing', async () => {
    const fake = await FakeProvider.start()
    try {
      for (const alg of ['EdDSA', 'Ed25519']) {
        const signingKey = { ...(await newKey('Ed25519')).private, alg }
        const provider = acme({ issuer: fake.issuer, requestObjects: { signingKey } })
        const url = await new OAuthDriver().start(provider, new CookieJar())
        expect(decodeProtectedHeader(url.searchParams.get('request') ?? '').alg).to.equal(alg)
      }
    } finally {
      await fake.stop()
    }
  })

  it('is published under the configured name while the metadata cannot be read', async () => {
    const key = await newKey('Ed25519')
    const providers = [
      acme({
        issuer: 'http://127.0.0.1:1',
        clientSecret: undefined,
        client: { token_endpoint_auth_method: 'private_key_jwt' },
        token: { clientPrivateKey: { ...key.private, alg: 'EdDSA' } },
      }).source,
    ]
    const app = await startApp(testConfig({ providers: providers as never }))
    try {
      const { keys } = (await app.visitor().visit('/auth/jwks')).json()
      expect(keys.map(({ alg }: JWK) => alg)).to.deep.equal(['EdDSA'])
    } finally {
      await app.close()
    }
  })
})
