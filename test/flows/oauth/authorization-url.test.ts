import { expect } from 'chai'
import type { OAuth2Config } from '../../../lib/providers/provider.js'
import { CookieJar, OAuthDriver, resolved } from '../../support/oauth-driver.js'

describe('the authorization URL', () => {
  const provider = (more: Partial<OAuth2Config<unknown>> = {}) =>
    resolved({
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: 'https://op.example/authorize',
      token: 'https://op.example/token',
      userinfo: 'https://op.example/me',
      clientId: 'client',
      clientSecret: 'secret',
      ...more,
    })
  const start = (more: Partial<OAuth2Config<unknown>> = {}, params: Record<string, string> = {}) =>
    new OAuthDriver().start(provider(more), new CookieJar(), params)

  it('has the configured URL with its own query, the protocol, the provider, the request, the checks, in this order', async () => {
    const url = await start(
      {
        authorization: { url: 'https://op.example/authorize?tenant=t', params: { scope: 'a b', prompt: 'consent' } },
        checks: ['state', 'pkce'],
      },
      { login_hint: 'ada' },
    )
    expect(url.href.split('?')[0]).to.equal('https://op.example/authorize')
    expect([...url.searchParams.keys()]).to.deep.equal([
      'tenant',
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'prompt',
      'login_hint',
      'state',
      'code_challenge',
      'code_challenge_method',
    ])
    expect(url.searchParams.get('redirect_uri')).to.equal('https://app.example/auth/callback/plain')
    expect(url.searchParams.get('response_type')).to.equal('code')
  })

  it('asks for openid, profile and email when no scope is configured, for plain OAuth as well', async () => {
    expect((await start()).searchParams.get('scope')).to.equal('openid profile email')
  })

  it('keeps a scope that stands in the configured URL, once', async () => {
    const url = await start({ authorization: 'https://op.example/authorize?scope=read' })
    expect(url.searchParams.getAll('scope')).to.deep.equal(['read'])
  })

  it('sends no scope where an entry has none', async () => {
    expect(
      (await start({ authorization: { url: 'https://op.example/authorize', params: { scope: '' } } })).searchParams.has(
        'scope',
      ),
    ).to.equal(false)
  })

  it('writes an object as JSON, computes a function, leaves out what is absent, keeps a fragment', async () => {
    const claims = { id_token: { email: { essential: true } } }
    const url = await start({
      authorization: {
        url: 'https://op.example/authorize#wechat_redirect',
        params: {
          scope: 'x',
          claims,
          client_key: ({ clientId }: { clientId: string }) => clientId,
          nothing: undefined,
          none: null,
        },
      },
    })
    expect(JSON.parse(url.searchParams.get('claims') ?? '')).to.deep.equal(claims)
    expect(url.searchParams.get('client_key')).to.equal('client')
    expect(url.searchParams.has('nothing') || url.searchParams.has('none')).to.equal(false)
    expect(url.hash).to.equal('#wechat_redirect')
  })

  const reserved = [
    'client_id',
    'client_secret',
    'redirect_uri',
    'response_type',
    'response_mode',
    'scope',
    'state',
    'nonce',
    'code_challenge',
    'code_challenge_method',
    'code_verifier',
    'grant_type',
    'request',
    'request_uri',
    'registration',
    'dpop_jkt',
    'csrfToken',
    'callbackUrl',
  ]
  for (const name of reserved) {
    it(`cannot be given ${name} by the sign-in request`, async () => {
      const url = await start({ checks: ['state', 'pkce'] }, { [name]: 'evil' })
      expect(url.searchParams.getAll(name)).not.to.include('evil')
      expect(url.searchParams.getAll(name).length).to.be.lessThan(2)
    })
  }

  it('passes on everything else, over the configured value', async () => {
    const url = await start(
      { authorization: { url: 'https://op.example/authorize', params: { prompt: 'none' } } },
      { prompt: 'login', ui_locales: 'de' },
    )
    expect(url.searchParams.getAll('prompt')).to.deep.equal(['login'])
    expect(url.searchParams.get('ui_locales')).to.equal('de')
  })

  it('cannot be given the protocol by the configuration either', async () => {
    const params = {
      redirect_uri: 'https://evil.example',
      client_id: 'other',
      state: 'fixed',
      code_challenge_method: 'plain',
      response_type: 'code',
    }
    const url = await start({
      authorization: { url: 'https://op.example/authorize?state=fixed&client_id=other', params },
    })
    expect(url.searchParams.get('redirect_uri')).to.equal('https://app.example/auth/callback/plain')
    expect(url.searchParams.getAll('client_id')).to.deep.equal(['client'])
    expect(url.searchParams.getAll('state')).not.to.include('fixed')
    expect(url.searchParams.getAll('code_challenge_method')).to.deep.equal(['S256'])
  })

  it('PKCE-03: has a new verifier of 256 bits each time', async () => {
    const challenges = await Promise.all(
      Array.from({ length: 20 }, async () => (await start()).searchParams.get('code_challenge')),
    )
    expect(new Set(challenges)).to.have.property('size', 20)
    for (const challenge of challenges) expect(challenge).to.match(/^[\w-]{43}$/)
  })
})
