import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { type Certificate, type Certificates, makeCertificates } from '../support/certificates.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'
import { requirePrograms } from '../support/skip-suite.js'

const MOUNT = 'https://app.example/auth'

describe('mutual TLS with a certified OpenID provider (RFC 8705)', function () {
  this.timeout(120_000)
  let certificates: Certificates
  let server: RealOidcProvider
  /** Thumbprints of the certificates that access tokens were bound to. */
  const tokens: string[] = []

  before(async function () {
    requirePrograms(this, 'openssl')
    certificates = makeCertificates()
    const { server: own, authority, selfSigned } = certificates
    const client = (id: string, more: object) => ({
      client_id: id,
      redirect_uris: [`${MOUNT}/callback/${id}`],
      tls_client_certificate_bound_access_tokens: true,
      ...more,
    })
    const x5c = [new X509Certificate(selfSigned.cert).raw.toString('base64')]
    const publicJwk = new X509Certificate(selfSigned.cert).publicKey.export({ format: 'jwk' })
    server = await startOidcProvider({
      mutualTls: { key: own.key, cert: own.cert, ca: authority.cert },
      configuration: {
        clientAuthMethods: ['tls_client_auth', 'self_signed_tls_client_auth', 'none'],
        features: {
          mTLS: {
            enabled: true,
            certificateBoundAccessTokens: true,
            selfSignedTlsClientAuth: true,
            tlsClientAuth: true,
            getCertificate: (ctx) => {
              const raw = (ctx.socket as TLSSocket).getPeerCertificate?.().raw
              return raw && new X509Certificate(raw).toString()
            },
            certificateAuthorized: (ctx) => (ctx.socket as TLSSocket).authorized === true,
            certificateSubjectMatches: (ctx, _property, expected) =>
              `CN=${(ctx.socket as TLSSocket).getPeerCertificate().subject.CN}` === expected,
          },
        },
      },
      clients: [
        client('certified', { token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_subject_dn: 'CN=client' }),
        client('public', { token_endpoint_auth_method: 'none', tls_client_certificate_bound_access_tokens: false }),
        client('self-signed', {
          token_endpoint_auth_method: 'self_signed_tls_client_auth',
          jwks: { keys: [{ ...publicJwk, x5c, use: 'sig' }] },
        }),
      ],
    })
  })
  after(() => server.stop())

  const configured = (id: string, { cert, key }: Certificate, more: Partial<OIDCConfig<unknown>> = {}) =>
    resolved({
      id,
      name: id,
      type: 'oidc',
      issuer: server.issuer,
      clientId: id,
      checks: ['pkce', 'state', 'nonce'],
      client: { token_endpoint_auth_method: id === 'certified' ? 'tls_client_auth' : 'self_signed_tls_client_auth' },
      tls: { cert, key, ca: certificates.authority.cert },
      // The profile comes from userinfo, where the token counts only with its certificate.
      idToken: false,
      profile: (profile, { access_token }) => {
        tokens.push(String(access_token))
        return { id: String((profile as { sub: string }).sub) }
      },
      ...more,
    })
  const signIn = async (provider: ReturnType<typeof configured>) => {
    const driver = new OAuthDriver({ mountUrl: MOUNT })
    const jar = new CookieJar()
    const { params } = await server.authorize((await driver.start(provider, jar)).href)
    return identityOf(await driver.finish(provider, jar, params)).account.providerAccountId
  }

  it('oidcc-client-test-mtls-endpoint-aliases: authenticates by a certificate at the addresses for it', async () => {
    expect(await signIn(configured('certified', certificates.client))).to.equal('ada')
  })

  it('gets tokens that are worthless without the certificate', async () => {
    const stolen = tokens.at(-1)
    const answer = await fetch(`${server.issuer}/me`, { headers: { authorization: `Bearer ${stolen}` } })
    expect(answer.status).to.equal(401)
  })

  it('authenticates by a certificate that nobody certified, which the provider knows', async () => {
    expect(await signIn(configured('self-signed', certificates.selfSigned))).to.equal('ada')
  })

  it('gets nothing with the certificate of somebody else', async () => {
    await failure(signIn(configured('certified', certificates.stranger)), 'CallbackRouteError', /invalid_client/)
    await failure(signIn(configured('certified', certificates.selfSigned)), 'CallbackRouteError', /invalid_client/)
  })

  it('is of no use where the certificate is not shown, at the other addresses', async () => {
    const client = { token_endpoint_auth_method: 'tls_client_auth', use_mtls_endpoint_aliases: false }
    const provider = configured('certified', certificates.client, { client })
    await failure(signIn(provider), 'CallbackRouteError', /invalid_client/)
  })

  it('calls no server whose certificate it does not trust', async () => {
    const { cert, key } = certificates.client
    const provider = configured('certified', certificates.client, { tls: { cert, key } })
    await failure(signIn(provider), 'CallbackRouteError', /no answer came/)
  })

  it('needs no certificate to trust an authority of its own: ca alone', async () => {
    const ca = certificates.authority.cert
    const client = { token_endpoint_auth_method: 'none' }
    // Only the other addresses are https there.
    const trusting = (tls: object) =>
      configured('public', certificates.client, { client: { ...client, use_mtls_endpoint_aliases: true }, tls })
    expect(await signIn(trusting({ ca }))).to.equal('ada')
    expect(configured('public', certificates.client, { client, tls: { ca } }).usesMutualTls).to.equal(false)
    await failure(signIn(trusting({ ca: certificates.selfSigned.cert })), 'CallbackRouteError', /no answer came/)
    for (const [tls, said] of [
      [{}, /cert and key together, or ca alone/],
      [{ cert: certificates.client.cert }, /cert and key together/],
      [{ ca, key: certificates.client.key }, /cert and key together/],
      [{ ca: '/run/secrets/ca.pem' }, /tls\.ca is the path of a file/],
      [{ ca: '-----BEGIN CERTIFICATE-----\nnothing' }, /tls cannot be used/],
    ] as const)
      expect(() => trusting(tls)).to.throw(said)
    const shown = { client: { token_endpoint_auth_method: 'tls_client_auth' }, tls: { ca } }
    expect(() => configured('certified', certificates.client, shown)).to.throw(/has no certificate/)
  })

  it('is refused at the start if the key is of another certificate, and without a certificate', () => {
    const { client, stranger } = certificates
    expect(() => configured('certified', { cert: client.cert, key: stranger.key }))
      .to.throw(/tls cannot be used/)
      .with.property('message')
      .that.does.not.include('PRIVATE')
    const { cert, key } = client
    expect(() => configured('certified', { cert, key }, { tls: undefined as never })).to.throw(/has no certificate/)
  })
})
