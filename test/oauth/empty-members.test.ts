import { expect } from 'chai'
import type { JWTPayload } from 'jose'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { oidcProvider } from '../../lib/providers/oauth-provider.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../support/refreshing-provider.js'
import { newPerson, oauth } from '../support/sign-ins.js'

/** Notion, Mailchimp, Linear, Twitch and others send such members where they have nothing to say. */
describe('an optional member that is null, empty or of another type', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  beforeEach(() => fake.reset())
  after(() => fake.stop())

  const provider = (more: Partial<OIDCConfig<unknown>> = {}) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'a-client-secret',
      checks: ['pkce'],
      ...more,
    })
  const signIn = async (entry = provider(), further: Record<string, string> = {}) => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(entry, jar)
    const answer = fake.authorize(url.href)
    for (const [name, value] of Object.entries(further)) answer.set(name, value)
    return identityOf(await driver.finish(entry, jar, answer))
  }

  const tokens: readonly (readonly [member: string, values: readonly unknown[], kept?: unknown])[] = [
    ['refresh_token', [null, '', false, {}, 7]],
    ['session_state', [null, '', 7]],
    ['expires_in', [null, '', 'never', 0, -1, {}, Number.NaN]],
    ['expires_at', [null, '', 'tomorrow', {}]],
    ['scope', [null, {}, 7]],
    ['authorization_details', [null, '', {}]],
    ['token_type', [null, '', {}], 'bearer'],
  ]
  for (const [member, values, kept] of tokens) {
    it(`of a token answer counts as absent: ${member}`, async () => {
      for (const value of values) {
        fake.faults.token = ({ expires_in: _, ...answer }) => ({ body: { ...answer, [member]: value } })
        const { account } = await signIn()
        const found = (account as unknown as Record<string, unknown>)[member]
        expect(found, JSON.stringify(value)).to.deep.equal(kept)
      }
    })
  }

  it('of a token answer may be a list of scopes, a lifetime as text, and a type that is not named', async () => {
    fake.faults.token = ({ token_type: _, ...answer }) => ({
      body: { ...answer, scope: ['openid', 'email'], expires_in: '60' },
    })
    const { account } = await signIn()
    expect(account).to.include({ scope: 'openid email', token_type: 'bearer', expires_in: 60 })
  })

  it('of an answer of a token.request hook counts as absent, too', async () => {
    const request = async () => ({
      tokens: JSON.parse('{"access_token":"a","refresh_token":null,"expires_in":null,"scope":null}'),
    })
    const entry = resolved(oauth(fake, 'oauth', { token: { url: `${fake.issuer}/token`, request } }))
    const { account } = await signIn(entry)
    expect(account).not.to.have.any.keys('refresh_token', 'expires_in', 'expires_at', 'scope')
  })

  it('of the answer to a refresh leaves what was there', async () => {
    for (const member of [
      { refresh_token: null },
      { refresh_token: '' },
      { scope: null },
      { id_token: null },
      { id_token: '' },
      { token_type: null },
    ]) {
      fake.reset()
      const refreshing = new RefreshingProvider(fake)
      refreshing.rotates = false
      const app = openTokenApp(refreshing, memoryAdapter(), { providers: [oauth(fake, 'oidc')] })
      const browser = await signInAt(app, refreshing, newPerson())
      refreshing.onRefresh = (answer) => ({ body: { ...answer, ...member } })
      for (const count of [2, 3]) {
        app.clock.advance(3600)
        const found = await accessTokenOf(app, browser)
        expect(found, JSON.stringify(member)).to.include({ status: 'ok', accessToken: `${MARK}-access-${count}` })
      }
    }
  })

  it('of the metadata counts as absent', async () => {
    for (const member of [
      'userinfo_endpoint',
      'pushed_authorization_request_endpoint',
      'end_session_endpoint',
      'revocation_endpoint',
      'code_challenge_methods_supported',
      'claims_supported',
      'prompt_values_supported',
      'mtls_endpoint_aliases',
      'require_pushed_authorization_requests',
      'authorization_response_iss_parameter_supported',
    ]) {
      for (const value of [null, '', []]) {
        fake.faults.metadata = (document) => ({ ...document, [member]: value })
        await signIn()
      }
    }
    fake.faults.metadata = (document) => ({ ...document, userinfo_endpoint: null })
    await failure(signIn(provider({ idToken: false })), 'CallbackRouteError', /no userinfo_endpoint/)
  })

  it('of an ID token counts as absent', async () => {
    for (const member of ['nonce', 'azp', 'at_hash', 'acr', 'auth_time', 'sid', 'events', 'email', 'picture', 'name']) {
      for (const value of [null, '']) {
        fake.faults.claims = (claims) => ({ ...claims, [member]: value }) as JWTPayload
        await signIn()
      }
    }
    fake.faults.claims = (claims) => ({ ...claims, nonce: null }) as unknown as JWTPayload
    await failure(signIn(provider({ checks: ['nonce'] })), 'CallbackRouteError', /nonce is not the one/)
  })

  it('of an authorization response counts as absent: an empty error beside a code', async () => {
    await signIn(provider(), { error: '', error_description: '' })
    await failure(signIn(provider(), { error: '', code: '' }), 'OAuthCallbackError', /neither a code nor an error/)
    await failure(signIn(provider(), { error: 'access_denied' }), 'OAuthCallbackError')
  })

  it('does not stand in for what is needed: tokens, and the issuer', async () => {
    fake.faults.token = () => ({ body: { access_token: null, token_type: 'bearer' } })
    await failure(signIn(), 'CallbackRouteError')
    fake.reset()
    fake.faults.metadata = (document) => ({ ...document, issuer: '' })
    await failure(signIn(), 'OAuthSignInError', /names no issuer/)
  })

  describe('a nonce', () => {
    it('that was not sent says nothing: Amazon Cognito adds that of the provider behind it', async () => {
      fake.faults.claims = (claims) => ({ nonce: 'made-by-the-pool', ...claims })
      await signIn()
      await signIn(provider({ checks: ['state'] }))
    })

    it('is sent and checked by oidcProvider(), unless the entry says other checks', async () => {
      const options = { issuer: fake.issuer, clientId: 'client', clientSecret: 'a-client-secret' }
      const entry = resolved(oidcProvider({ id: 'own', name: 'Own' })(options))
      const url = await new OAuthDriver().start(entry, new CookieJar())
      expect(url.searchParams.get('nonce')).to.be.a('string')
      await signIn(entry)
      fake.faults.claims = (claims) => ({ ...claims, nonce: 'that of another sign-in' })
      await failure(signIn(entry), 'CallbackRouteError', /nonce is not the one/)
      const pkce = resolved(oidcProvider({ id: 'own', name: 'Own', checks: ['pkce'] })(options))
      expect([...pkce.checks]).to.deep.equal(['pkce'])
    })
  })

  it('a token answer without an access token is enough where the ID token is the profile', async () => {
    fake.faults.token = ({ access_token: _, ...answer }) => ({ body: answer })
    expect((await signIn()).account).not.to.have.property('access_token')
    await failure(
      signIn(provider({ idToken: false })),
      'CallbackRouteError',
      /no access_token, which the profile needs/,
    )
    fake.faults.token = () => ({ body: { token_type: 'bearer' } })
    await failure(signIn(), 'CallbackRouteError', /no access_token|access_token/)
  })

  it('require_auth_time and default_max_age of the registration are kept', async () => {
    const at = (seconds: number) => {
      fake.faults.claims = (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) - seconds })
    }
    await failure(
      signIn(provider({ client: { require_auth_time: true } })),
      'CallbackRouteError',
      /auth_time is missing/,
    )
    at(9000)
    await signIn(provider({ client: { require_auth_time: true } }))
    await failure(signIn(provider({ client: { default_max_age: 600 } })), 'CallbackRouteError', /longer ago/)
    at(60)
    await signIn(provider({ client: { default_max_age: 600 } }))
  })
})
