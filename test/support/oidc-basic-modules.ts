import { expect } from 'chai'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { userinfoRequest } from '../../lib/providers/request-hooks.js'
import { type FakeProvider, fakeKey, signWith } from './fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from './oauth-driver.js'

/** A relying party under test: one provider entry, one browser per sign-in. */
export class RelyingParty {
  readonly driver = new OAuthDriver()
  readonly provider
  readonly fake: FakeProvider

  constructor(fake: FakeProvider, more: Partial<OIDCConfig<unknown>> = {}) {
    this.fake = fake
    this.provider = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'marked-client-secret',
      checks: ['pkce', 'state', 'nonce'],
      ...more,
    })
  }

  async signIn() {
    const jar = new CookieJar()
    const url = await this.driver.start(this.provider, jar)
    return this.driver.finish(this.provider, jar, this.fake.authorize(url.href))
  }

  async accepts() {
    const { account } = identityOf(await this.signIn())
    expect(account.providerAccountId).to.equal('person-1')
  }

  async refuses(message: RegExp) {
    await failure(this.signIn(), 'CallbackRouteError', message)
  }
}

/**
 * The modules of the OpenID Foundation's basic certification plan, each a test of that name.
 *
 * @param more how the plan configures the client
 */
export function basicModules(fakeProvider: () => FakeProvider, more: Partial<OIDCConfig<unknown>> = {}): void {
  let fake: FakeProvider
  const party = (extra: Partial<OIDCConfig<unknown>> = {}) => new RelyingParty(fake, { ...more, ...extra })
  beforeEach(async () => {
    fake = fakeProvider()
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
  })

  it('oidcc-client-test: signs in', () => party().accepts())

  it('oidcc-client-test-invalid-iss: refuses an ID token of another issuer (OIDC-02)', async () => {
    fake.faults.claims = (claims) => ({ ...claims, iss: `${claims.iss}/other` })
    await party().refuses(/"iss" claim/)
  })

  it('oidcc-client-test-missing-sub: refuses an ID token without sub', async () => {
    fake.faults.claims = ({ sub: _, ...claims }) => claims
    await party().refuses(/"sub" claim/)
  })

  it('oidcc-client-test-invalid-aud: refuses an ID token for another client', async () => {
    fake.faults.claims = (claims) => ({ ...claims, aud: 'somebody-else' })
    await party().refuses(/"aud" claim/)
  })

  it('oidcc-client-test-missing-iat: refuses an ID token without iat', async () => {
    fake.faults.claims = ({ iat: _, ...claims }) => claims
    await party().refuses(/"iat" claim/)
  })

  it('oidcc-client-test-kid-absent-single-jwks: accepts a token without kid when one key fits (OIDC-09)', async () => {
    const [key] = fake.keys
    fake.faults.idToken = async (claims) => key && signWith(key, claims, { kid: undefined })
    fake.faults.jwks = ([jwk]) => ({ body: { keys: [{ ...jwk, kid: undefined }] } })
    await party().accepts()
  })

  it('oidcc-client-test-kid-absent-multiple-jwks: tries all keys that fit (OIDC-09)', async () => {
    const signer = await fakeKey('key-2')
    fake.keys = [await fakeKey('key-1'), signer]
    fake.faults.idToken = async (claims) => signWith(signer, claims, { kid: undefined })
    fake.faults.jwks = (keys) => ({ body: { keys: keys.map((jwk) => ({ ...jwk, kid: undefined })) } })
    await party().accepts()
  })

  it('oidcc-client-test-idtoken-sig-rs256: accepts RS256', () => party().accepts())

  it('oidcc-client-test-idtoken-sig-none: refuses an unsigned token, whatever the metadata offers', async () => {
    fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: ['RS256', 'none'] })
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    fake.faults.idToken = (claims) => `${part({ alg: 'none' })}.${part(claims)}.`
    await party().refuses(/ID token is refused/)
  })

  it('oidcc-client-test-invalid-sig-rs256: refuses a signature by another key (OIDC-05)', async () => {
    const [published] = fake.keys
    const other = await fakeKey('key-2')
    fake.faults.idToken = async (claims) => published && signWith({ ...other, jwk: published.jwk }, claims)
    await party().refuses(/signature/)
  })

  it('oidcc-client-test-userinfo-bearer-header: sends the access token in the header', async () => {
    await party({ idToken: false }).accepts()
    const [call] = fake.callsTo('/userinfo')
    expect(call).to.include({ method: 'GET' })
    expect(call?.headers.authorization).to.equal('Bearer marked-access-token')
  })

  it('oidcc-client-test-userinfo-bearer-body: sends the access token in the body where an entry says so', async () => {
    const request = userinfoRequest({
      url: `${fake.issuer}/userinfo`,
      accessToken: null,
      form: ({ tokens }) => ({ access_token: String(tokens.access_token) }),
    })
    await party({ idToken: false, userinfo: { request } }).accepts()
    const [call] = fake.callsTo('/userinfo')
    expect(call).to.include({ method: 'POST', text: 'access_token=marked-access-token' })
    expect(call?.headers.authorization).to.equal(undefined)
  })

  it('oidcc-client-test-userinfo-invalid-sub: refuses userinfo of another subject (OIDC-17)', async () => {
    fake.faults.userinfo = (profile) => ({ body: { ...profile, sub: 'person-2' } })
    await party({ idToken: false }).refuses(/"sub" property value/)
  })

  it('oidcc-client-test-nonce-invalid: refuses a wrong nonce', async () => {
    fake.faults.claims = (claims) => ({ ...claims, nonce: 'another-nonce' })
    await party().refuses(/nonce is not the one that was sent/)
  })

  it('oidcc-client-test-scope-userinfo-claims: asks for the configured scopes and takes the claims they bring', async () => {
    const relying = party({ idToken: false, authorization: { params: { scope: 'openid email', ...modeOf(more) } } })
    const outcome = await relying.signIn()
    expect(identityOf(outcome).user.email).to.equal('ada@example.com')
    const url = await relying.driver.start(relying.provider, new CookieJar())
    expect(url.searchParams.get('scope')).to.equal('openid email')
  })

  it('oidcc-client-test-client-secret-basic: authenticates by HTTP Basic, and not in the body', async () => {
    await party().accepts()
    const [call] = fake.callsTo('/token')
    expect(call?.headers.authorization).to.equal(`Basic ${btoa('client:marked-client-secret')}`)
    expect(call?.body.has('client_secret')).to.equal(false)
    expect(call?.body.has('client_id')).to.equal(false)
  })
}

const modeOf = ({ authorization }: Partial<OIDCConfig<unknown>>) =>
  typeof authorization === 'object' ? authorization.params : {}
