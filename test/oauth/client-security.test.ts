import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { RelyingParty } from '../support/oidc-basic-modules.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'

const MOUNT = 'https://app.example/auth'
const SECRET = 'the-secret-of-the-client'

const newKey = async (alg: string, more: object = {}) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...more })
  return { private: await exportJWK(privateKey), public: { ...(await exportJWK(publicKey)), alg } as JWK }
}

describe('signed requests, signed answers, encrypted and bound tokens at a certified OpenID provider', function () {
  this.timeout(120_000)
  let server: RealOidcProvider
  let signing: Awaited<ReturnType<typeof newKey>>
  let rsa: Awaited<ReturnType<typeof newKey>>
  let agreement: Awaited<ReturnType<typeof newKey>>
  let bound: Awaited<ReturnType<typeof newKey>>
  const tokenTypes: unknown[] = []

  before(async () => {
    signing = await newKey('ES256')
    rsa = await newKey('RSA-OAEP-256')
    agreement = await newKey('ECDH-ES+A256KW')
    bound = await newKey('ES256')
    const client = (id: string, more: object) => ({
      client_id: id,
      client_secret: SECRET,
      redirect_uris: [`${MOUNT}/callback/${id}`],
      ...more,
    })
    const signingKeys = { jwks: { keys: [{ ...signing.public, use: 'sig' }] } }
    const rsaKeys = { jwks: { keys: [{ ...rsa.public, use: 'enc', kid: 'own' }] } }
    server = await startOidcProvider({
      configuration: {
        clientAuthMethods: ['client_secret_basic', 'private_key_jwt', 'none'],
        issueRefreshToken: async (_ctx, { clientId }) => clientId === 'refreshed',
        rotateRefreshToken: true,
        enabledJWA: {
          clientAuthSigningAlgValues: ['ES256'],
          requestObjectSigningAlgValues: ['ES256'],
          idTokenEncryptionAlgValues: ['RSA-OAEP-256', 'ECDH-ES+A256KW'],
          authorizationEncryptionAlgValues: ['RSA-OAEP-256'],
          userinfoEncryptionAlgValues: ['RSA-OAEP-256'],
        },
        features: {
          pushedAuthorizationRequests: { enabled: true },
          requestObjects: { enabled: true },
          jwtResponseModes: { enabled: true },
          jwtUserinfo: { enabled: true },
          encryption: { enabled: true },
          // Every proof needs a nonce of the provider, so each first call is refused and made again.
          dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
        },
      },
      clients: [
        client('signed', { ...signingKeys, request_object_signing_alg: 'ES256', require_signed_request_object: true }),
        client('jwt', {}),
        client('jwt-encrypted', {
          ...rsaKeys,
          authorization_signed_response_alg: 'RS256',
          authorization_encrypted_response_alg: 'RSA-OAEP-256',
          authorization_encrypted_response_enc: 'A128CBC-HS256',
        }),
        client('encrypted', {
          ...rsaKeys,
          id_token_encrypted_response_alg: 'RSA-OAEP-256',
          id_token_encrypted_response_enc: 'A256GCM',
        }),
        client('agreed', {
          jwks: { keys: [{ ...agreement.public, use: 'enc' }] },
          id_token_encrypted_response_alg: 'ECDH-ES+A256KW',
          id_token_encrypted_response_enc: 'A128CBC-HS256',
        }),
        client('userinfo', {
          ...rsaKeys,
          userinfo_signed_response_alg: 'RS256',
          userinfo_encrypted_response_alg: 'RSA-OAEP-256',
          userinfo_encrypted_response_enc: 'A128CBC-HS256',
        }),
        client('bound', { dpop_bound_access_tokens: true }),
        client('refreshed', {
          ...rsaKeys,
          grant_types: ['authorization_code', 'refresh_token'],
          id_token_encrypted_response_alg: 'RSA-OAEP-256',
          id_token_encrypted_response_enc: 'A256GCM',
          dpop_bound_access_tokens: true,
        }),
        client('all', {
          jwks: {
            keys: [
              { ...signing.public, use: 'sig' },
              { ...rsa.public, use: 'enc' },
            ],
          },
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          require_pushed_authorization_requests: true,
          require_signed_request_object: true,
          request_object_signing_alg: 'ES256',
          id_token_encrypted_response_alg: 'RSA-OAEP-256',
          id_token_encrypted_response_enc: 'A256GCM',
          dpop_bound_access_tokens: true,
        }),
      ],
    })
  })
  after(() => server.stop())

  const configured = (id: string, more: Partial<OIDCConfig<unknown>> = {}) =>
    resolved({
      id,
      name: id,
      type: 'oidc',
      issuer: server.issuer,
      clientId: id,
      clientSecret: SECRET,
      checks: ['pkce', 'state', 'nonce'],
      profile: (profile, tokens) => {
        tokenTypes.push(tokens.token_type)
        return { id: String((profile as { sub: string }).sub) }
      },
      ...more,
    })
  const mode = (response_mode: string) => ({ authorization: { params: { response_mode } } })

  const signIn = async (provider: ReturnType<typeof configured>) => {
    const driver = new OAuthDriver({ mountUrl: MOUNT })
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    const answer = await server.authorize(url.href)
    const identity = identityOf(await driver.finish(provider, jar, answer.params))
    expect(identity.account.providerAccountId).to.equal('ada')
    return { url, answer, identity, driver }
  }

  describe('a signed request (RFC 9101)', () => {
    it('takes the parameters to the provider in a JWT, beside which the URL has only the client and what OAuth itself needs', async () => {
      const { url } = await signIn(
        configured('signed', {
          requestObjects: { signingKey: signing.private },
          authorization: { params: { max_age: 300, claims: { id_token: { email: null } } } },
        }),
      )
      expect([...url.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request', 'response_type', 'scope'])
      expect(url.searchParams.get('response_type')).to.equal('code')
      const request = url.searchParams.get('request') ?? ''
      expect(decodeProtectedHeader(request)).to.deep.equal({ alg: 'ES256', typ: 'oauth-authz-req+jwt' })
      expect(decodeJwt(request)).to.deep.include({ iss: 'signed', aud: server.issuer, max_age: 300 })
    })

    it('can be pushed, so that the browser sees neither the parameters nor the JWT (OAUTH-16)', async () => {
      const { url } = await signIn(
        configured('signed', {
          requestObjects: { signingKey: signing.private },
          pushedAuthorizationRequests: true,
        }),
      )
      expect([...url.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri'])
    })

    it('is signed by the key of client assertions, if no other is given', async () => {
      const provider = configured('signed', {
        requestObjects: true,
        token: { clientPrivateKey: { key: signing.private, kid: 'named' } },
      })
      const url = await new OAuthDriver({ mountUrl: MOUNT }).start(provider, new CookieJar())
      expect(decodeProtectedHeader(url.searchParams.get('request') ?? '').kid).to.equal('named')
    })

    it('is what such a client must send: the same request without a signature gets no code', async () => {
      await failure(signIn(configured('signed')), 'CallbackRouteError', /invalid_request/)
    })
  })

  describe('a signed answer (JARM)', () => {
    for (const [name, method] of [
      ['jwt', 'GET'],
      ['query.jwt', 'GET'],
      ['form_post.jwt', 'POST'],
    ] as const) {
      it(`comes by ${method} for ${name}`, async () => {
        const { answer } = await signIn(configured('jwt', mode(name)))
        expect(answer.method).to.equal(method)
        expect([...answer.params.keys()]).to.deep.equal(['response'])
      })
    }

    it('may be encrypted as well', async () => {
      const { answer } = await signIn(
        configured('jwt-encrypted', { ...mode('jwt'), decryptionKeys: { key: rsa.private, kid: 'own' } }),
      )
      expect(answer.params.get('response')?.split('.')).to.have.length(5)
    })
  })

  describe('an encrypted ID token', () => {
    it('is decrypted with the key of the application, and verified like any other', async () => {
      const { identity } = await signIn(
        configured('encrypted', {
          client: { id_token_encrypted_response_alg: 'RSA-OAEP-256', id_token_encrypted_response_enc: 'A256GCM' },
          decryptionKeys: [(await newKey('RSA-OAEP-256')).private, { key: rsa.private, kid: 'own' }],
        }),
      )
      // The signed token inside is kept: it is what the provider takes back as a hint.
      expect(decodeProtectedHeader(identity.account.id_token ?? '')).to.include({ alg: 'RS256' })
    })

    it('is decrypted by key agreement', async () => {
      await signIn(
        configured('agreed', {
          client: { id_token_encrypted_response_alg: 'ECDH-ES+A256KW' },
          decryptionKeys: agreement.private,
        }),
      )
    })

    it('is refused if its content is encrypted in another way than is registered', async () => {
      const provider = configured('encrypted', {
        client: { id_token_encrypted_response_alg: 'RSA-OAEP-256' },
        decryptionKeys: rsa.private,
      })
      await failure(signIn(provider), 'CallbackRouteError', /cannot be decrypted/)
    })

    it('is refused without a key, and with the key of somebody else', async () => {
      await failure(signIn(configured('encrypted')), 'CallbackRouteError', /decrypt/i)
      const decryptionKeys = (await newKey('RSA-OAEP-256')).private
      await failure(signIn(configured('encrypted', { decryptionKeys })), 'CallbackRouteError', /cannot be decrypted/)
    })

    it('that is not encrypted, though encryption is registered here, is refused', async () => {
      const provider = configured('jwt', {
        client: { id_token_encrypted_response_alg: 'RSA-OAEP-256' },
        decryptionKeys: rsa.private,
      })
      await failure(signIn(provider), 'CallbackRouteError', /ID token is refused: it is not encrypted/)
    })
  })

  it('an encrypted userinfo answer is decrypted, and its signature verified', async () => {
    const { identity } = await signIn(
      configured('userinfo', {
        idToken: false,
        client: { userinfo_signed_response_alg: 'RS256' },
        decryptionKeys: { key: rsa.private, kid: 'own' },
      }),
    )
    expect(identity.profile).to.include({ sub: 'ada' })
  })

  it('a userinfo answer without the encryption or the signature that is registered is refused', async () => {
    const encrypted = { userinfo_encrypted_response_alg: 'RSA-OAEP-256' }
    const own = { idToken: false, decryptionKeys: { key: rsa.private, kid: 'own' } }
    const { identity } = await signIn(configured('userinfo', { ...own, client: encrypted }))
    expect(identity.profile).to.include({ sub: 'ada' })
    for (const client of [encrypted, { userinfo_signed_response_alg: 'RS256' }])
      await failure(signIn(configured('jwt', { ...own, client })), 'CallbackRouteError', /userinfo answer is no JWT/)
  })

  it('encryption that cannot happen is refused at the start', () => {
    const refused = (client: object, more: object = {}) =>
      expect(() => configured('jwt', { client, ...more } as never)).to.throw()
    refused({ userinfo_encrypted_response_alg: 'RSA-OAEP-256' })
      .with.property('message')
      .that.matches(/needs a key/)
    refused({ authorization_encrypted_response_alg: 'RSA-OAEP-256' }, { ...mode('jwt') })
    const keys = { decryptionKeys: rsa.private }
    refused({ authorization_encrypted_response_alg: 'RSA-OAEP-256' }, keys)
    refused({ userinfo_encrypted_response_enc: 'A128GCM' }, keys)
    refused(
      { userinfo_encrypted_response_alg: 'RSA-OAEP-256' },
      { ...keys, userinfo: { request: () => ({}), url: 'https://op.example/me' } },
    )
  })

  it('HS256 without the client secret is refused at the start, even with secrets that are made', () => {
    for (const name of ['id_token_signed_response_alg', 'authorization_signed_response_alg'])
      expect(() =>
        configured('jwt', {
          clientSecret: undefined,
          makeClientSecret: () => 'made',
          client: { [name]: 'HS256' },
        } as never),
      ).to.throw(/has no client secret/)
  })

  describe('DPoP (RFC 9449)', () => {
    it('binds the tokens to the key, and proves it at userinfo, also where the provider wants its nonces', async () => {
      tokenTypes.length = 0
      const { url } = await signIn(configured('bound', { dpop: { key: bound.private }, idToken: false }))
      expect(tokenTypes).to.deep.equal(['dpop'])
      expect(url.searchParams.get('dpop_jkt')).to.be.a('string')
    })

    it('works with a key that cannot be exported, beside its public key', async () => {
      const pair = (await generateKeyPair('ES256', { extractable: false })) as never
      await signIn(configured('bound', { dpop: { key: pair }, idToken: false, pushedAuthorizationRequests: true }))
    })

    it('makes a code worthless for whoever has another key', async () => {
      const driver = new OAuthDriver({ mountUrl: MOUNT })
      const jar = new CookieJar()
      const provider = configured('bound', { dpop: { key: bound.private } })
      const { params } = await server.authorize((await driver.start(provider, jar)).href)
      const thief = configured('bound', { dpop: { key: (await newKey('ES256')).private } })
      await failure(driver.finish(thief, jar, params), 'OAuthCallbackError', /invalid_grant/)
    })
  })

  it('a refresh gives bound tokens and an encrypted ID token again, each time', async () => {
    const provider = configured('refreshed', {
      client: { id_token_encrypted_response_alg: 'RSA-OAEP-256', id_token_encrypted_response_enc: 'A256GCM' },
      decryptionKeys: { key: rsa.private, kid: 'own' },
      dpop: { key: bound.private },
    })
    const { driver, identity } = await signIn(provider)
    const { tokenCalls } = driver.flowOf(provider)
    let { refresh_token: refreshToken = '', id_token: idToken = null } = identity.account
    for (let times = 0; times < 2; times += 1) {
      const answer = await tokenCalls.refresh(refreshToken, idToken, 'ada')
      if (answer.kind !== 'tokens') throw new Error(`the refresh was ${JSON.stringify(answer)}`)
      const { tokens } = answer
      expect(tokens.token_type).to.equal('dpop')
      expect(tokens.refresh_token).to.be.a('string').and.not.equal(refreshToken)
      expect(decodeProtectedHeader(tokens.id_token ?? '')).to.include({ alg: 'RS256' })
      refreshToken = tokens.refresh_token ?? ''
      idToken = tokens.id_token ?? null
    }
    const { dpop: _, ...unbinding } = provider.source
    const unbound = resolved(unbinding as OIDCConfig<unknown>)
    const refused = await driver.flowOf(unbound).tokenCalls.refresh(refreshToken, idToken, 'ada')
    expect(refused.kind, 'without the key').not.to.equal('tokens')
  })

  it('all of them work together', async () => {
    tokenTypes.length = 0
    const { url, answer } = await signIn(
      configured('all', {
        ...mode('jwt'),
        clientSecret: undefined,
        client: {
          token_endpoint_auth_method: 'private_key_jwt',
          id_token_encrypted_response_alg: 'RSA-OAEP-256',
          id_token_encrypted_response_enc: 'A256GCM',
        },
        token: { clientPrivateKey: signing.private },
        requestObjects: true,
        pushedAuthorizationRequests: true,
        decryptionKeys: rsa.private,
        dpop: { key: bound.private },
      }),
    )
    expect([...url.searchParams.keys()].sort()).to.deep.equal(['client_id', 'request_uri'])
    expect([...answer.params.keys()]).to.deep.equal(['response'])
    expect(tokenTypes).to.deep.equal(['dpop'])
  })
})

describe('tokens that are not bound to the key', () => {
  it('are refused if the application binds its tokens: the provider does not know DPoP', async () => {
    const fake = await FakeProvider.start()
    try {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const party = new RelyingParty(fake, { dpop: { key: await exportJWK(privateKey) } })
      await party.refuses(/not bound to the key/)
      expect(fake.callsTo('/token')[0]?.headers).to.have.property('dpop')
    } finally {
      await fake.stop()
    }
  })
})
