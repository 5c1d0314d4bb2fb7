import { expect } from 'chai'
import type { OAuth2Config } from '../../lib/providers/provider.js'
import { CookieJar, failure, OAuthDriver, resolved } from '../support/oauth-driver.js'

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

  it('OAUTH-13: keeps a scope that stands in the configured URL, once', async () => {
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
    it(`OAUTH-01, OAUTH-13: cannot be given ${name} by the sign-in request`, async () => {
      const url = await start({ checks: ['state', 'pkce'] }, { [name]: 'evil' })
      expect(url.searchParams.getAll(name)).not.to.include('evil')
      expect(url.searchParams.getAll(name).length).to.be.lessThan(2)
    })
  }

  it('passes on what says who somebody is and how they want to be asked, and nothing that is not listed', async () => {
    const listed = {
      login_hint: 'ada',
      prompt: 'login',
      ui_locales: 'de',
      max_age: '0',
      acr_values: 'mfa',
      kc_idp_hint: 'x',
    }
    const others = {
      audience: 'https://api.example',
      resource: 'x',
      claims: '{}',
      Prompt: 'none',
      'max_age ': '9',
      x: 'y',
    }
    const url = await start({}, { ...listed, ...others })
    expect(Object.fromEntries(url.searchParams)).to.include(listed)
    for (const name of Object.keys(others)) expect(url.searchParams.has(name), name).to.equal(false)
  })

  it('passes on what the application lists beside that, as often as it comes, and never what is of the protocol', async () => {
    const driver = new OAuthDriver()
    const query = new URLSearchParams('resource=a&resource=b&audience=c&scope=d&prompt=e&prompt=f')
    const { searchParams } = await driver.start(
      provider({ forwardedParams: ['audience', 'resource'] }),
      new CookieJar(),
      query,
    )
    expect(searchParams.getAll('resource')).to.deep.equal(['a', 'b'])
    expect(searchParams.getAll('audience')).to.deep.equal(['c'])
    expect(searchParams.getAll('prompt')).to.deep.equal(['f'])
    expect(searchParams.getAll('scope')).to.deep.equal(['openid profile email'])
    for (const name of ['scope', 'redirect_uri', 'state', 'callbackUrl']) {
      expect(() => provider({ forwardedParams: [name] })).to.throw(/forwardedParams/)
    }
    expect(() => provider({ forwardedParams: 'audience' as unknown as string[] })).to.throw(/forwardedParams/)
  })

  describe('keeps what the application configured', () => {
    const CONFIGURED: Record<string, [configured: unknown, given: string]> = {
      max_age: [300, '999999'],
      acr_values: ['mfa', 'pwd'],
      prompt: ['login', 'none'],
      organization: ['acme', 'evil'],
      login_hint: ['@acme.example', 'eve@evil.example'],
      hd: ['acme.example', '*'],
      claims: [{ id_token: { acr: { essential: true } } }, '{}'],
      audience: ['https://api.example', 'https://other.example'],
    }
    for (const [name, [configured, given]] of Object.entries(CONFIGURED)) {
      const text = typeof configured === 'object' ? JSON.stringify(configured) : String(configured)
      const url = 'https://op.example/authorize'
      const forms: Record<string, Partial<OAuth2Config<unknown>>> = {
        'as a parameter': { authorization: { url, params: { scope: 'x', [name]: configured } } },
        'as a function': { authorization: { url, params: { scope: 'x', [name]: () => text } } },
        'in the URL': { authorization: `${url}?${new URLSearchParams({ [name]: text })}` },
      }
      for (const [form, more] of Object.entries(forms)) {
        it(`${form}: ${name} is not for the visitor to change`, async () => {
          const started = await start({ ...more, forwardedParams: ['claims', 'audience'] }, { [name]: given })
          expect(started.searchParams.getAll(name)).to.deep.equal([text])
        })
      }
    }

    it('as the default of a client, which a parameter would replace', async () => {
      const client = { default_max_age: 300, default_acr_values: ['mfa'] }
      const { searchParams } = await start({ client }, { max_age: '99999', acr_values: 'pwd', prompt: 'login' })
      expect([searchParams.has('max_age'), searchParams.has('acr_values')]).to.deep.equal([false, false])
      expect(searchParams.get('prompt')).to.equal('login')
    })

    it('also where that is nothing at all', async () => {
      const params = { scope: 'x', prompt: '', login_hint: undefined }
      const { searchParams } = await start(
        { authorization: { url: 'https://op.example/authorize', params } },
        { prompt: 'none', login_hint: 'ada' },
      )
      expect([searchParams.has('prompt'), searchParams.get('login_hint')]).to.deep.equal([false, 'ada'])
    })
  })

  for (const text of ['', '-1', '+1', '1.5', '1e3', '0x10', ' 5', '5 ', 'never', '5,6', '\u0665', '1'.repeat(11)]) {
    it(`OIDC-14: is refused for a max_age of ${JSON.stringify(text)}, which nothing would be checked against`, async () => {
      const error = await failure(start({}, { max_age: text }), 'RequestRefused', /max_age/)
      expect(error).to.have.property('status', 400)
      const params = { scope: 'x', max_age: text }
      if (text !== '') {
        expect(() => provider({ authorization: { url: 'https://op.example/authorize', params } })).to.throw(/max_age/)
      }
    })
  }

  it('OIDC-14: is refused for a max_age that comes twice, or that a function computes wrongly', async () => {
    const driver = new OAuthDriver()
    const twice = driver.start(provider(), new CookieJar(), new URLSearchParams('max_age=5&max_age=99999'))
    await failure(twice, 'RequestRefused', /max_age/)
    const params = { scope: 'x', max_age: () => 'soon' }
    await failure(
      start({ authorization: { url: 'https://op.example/authorize', params } }),
      'OAuthSignInError',
      /max_age is computed/,
    )
  })

  it('OAUTH-01, PKCE-02: cannot be given the protocol by the configuration either', async () => {
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
