import { expect } from 'chai'
import type { OAuth2Config } from '../../lib/providers/provider.js'
import { type FakeAnswer, FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('the token endpoint', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const provider = (more: Partial<OAuth2Config<unknown>> = {}) =>
    resolved({
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: `${fake.issuer}/authorize`,
      token: `${fake.issuer}/token`,
      userinfo: `${fake.issuer}/userinfo`,
      clientId: 'client',
      clientSecret: 'marked-secret',
      checks: ['pkce', 'state'],
      ...more,
    })
  const signIn = async (more: Partial<OAuth2Config<unknown>> = {}) => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider(more), jar)).href)
    answer.delete('iss')
    return identityOf(await driver.finish(provider(more), jar, answer))
  }

  it('OAUTH-02: is asked by POST with the code, the same redirect_uri and the verifier', async () => {
    await signIn()
    const [call] = fake.callsTo('/token')
    expect(Object.fromEntries(call?.body ?? [])).to.include({
      grant_type: 'authorization_code',
      redirect_uri: 'https://app.example/auth/callback/plain',
    })
    expect(call?.body.get('code_verifier')).to.match(/^[\w-]{43}$/)
    expect(call?.headers).to.include({ accept: 'application/json' })
    expect(call?.headers['user-agent']).to.match(/^latchkey\//)
  })

  it('gives the whole answer to the account', async () => {
    fake.faults.token = (answer) => ({
      body: { ...answer, token_type: 'bEaReR', expires_in: '60', session_state: 's', extra: [1] },
    })
    const { account } = await signIn()
    expect(account).to.deep.include({
      token_type: 'bearer',
      scope: 'openid profile email',
      session_state: 's',
      extra: [1],
      refresh_token: 'marked-refresh-token',
    })
    expect(account.expires_at).to.be.closeTo(Date.now() / 1000 + 60, 3)
  })

  it('gives no expires_at when it says nothing of expiry', async () => {
    fake.faults.token = ({ expires_in: _, ...answer }) => ({ body: answer })
    expect((await signIn()).account).not.to.have.property('expires_at')
  })

  const answers: Record<string, FakeAnswer> = {
    'status 400 without a body': { status: 400, body: '' },
    'status 400 with another error': { status: 400, body: { error: 'invalid_request' } },
    'status 401': { status: 401, headers: { 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' } },
    'status 500': { status: 500, body: { error: 'server_error' } },
    'status 204': { status: 204, body: '' },
    'a redirect': { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    HTML: { headers: { 'content-type': 'text/html' }, body: '<html>' },
    'a form-encoded body': {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'access_token=a&token_type=bearer',
    },
    'an empty body': { body: '' },
    'JSON null': { body: 'null' },
    'a JSON array': { body: '[]' },
    'no access_token': { body: { token_type: 'bearer' } },
    'an empty access_token': { body: { access_token: '', token_type: 'bearer' } },
    'an access_token that is an object': { body: { access_token: {}, token_type: 'bearer' } },
    'another token_type': { body: { access_token: 'marked-access-token', token_type: 'mac' } },
    'an error with the status 200': { body: { error: 'temporarily_unavailable' } },
  }
  for (const [what, answer] of Object.entries(answers)) {
    it(`answering with ${what} ends the sign-in`, async () => {
      fake.faults.token = () => answer
      await failure(signIn(), 'CallbackRouteError', /Provider "plain"/)
    })
  }

  for (const status of [400, 200]) {
    it(`refusing the code with invalid_grant and the status ${status} is the provider saying no`, async () => {
      fake.faults.token = () => ({ status, body: { error: 'invalid_grant', error_description: 'x' } })
      await failure(signIn(), 'OAuthCallbackError', /invalid_grant/)
    })
  }

  it('names the settings to look at when it does not know the client', async () => {
    fake.faults.token = () => ({ status: 400, body: { error: 'invalid_client' } })
    await failure(signIn(), 'CallbackRouteError', /token_endpoint_auth_method/)
  })

  it('that hangs up ends the sign-in', async () => {
    const more = { token: 'http://127.0.0.1:1/token' }
    await failure(signIn(more), 'CallbackRouteError', /POST http:\/\/127\.0\.0\.1:1\/token failed/)
  })

  it('gets configured parameters and headers, computed ones from the callback', async () => {
    await signIn({
      token: {
        url: `${fake.issuer}/token`,
        params: {
          audience: 'api',
          device_id: ({ params }: { params: Record<string, string> }) => params['code']?.slice(0, 4),
          none: () => undefined,
        },
        headers: { 'x-version': '2' },
      },
    })
    const [call] = fake.callsTo('/token')
    expect(Object.fromEntries(call?.body ?? [])).to.include({ audience: 'api', device_id: 'code' })
    expect(call?.body.has('none')).to.equal(false)
    expect(call?.headers['x-version']).to.equal('2')
  })

  it('OAUTH-02: cannot be given another code or redirect_uri by configured parameters', async () => {
    await signIn({
      token: {
        url: `${fake.issuer}/token`,
        params: { code: 'x', redirect_uri: 'https://evil.example', grant_type: 'password' },
      },
    })
    const [call] = fake.callsTo('/token')
    expect(call?.body.get('redirect_uri')).to.equal('https://app.example/auth/callback/plain')
    expect(call?.body.get('grant_type')).to.equal('authorization_code')
  })

  it('is conformed by the entry where it breaks the rules', async () => {
    fake.faults.token = (answer) => ({ body: { data: answer } })
    const conform = async (response: Response) => Response.json(((await response.json()) as { data: unknown }).data)
    expect((await signIn({ token: { url: `${fake.issuer}/token`, conform } })).account.access_token).to.equal(
      'marked-access-token',
    )
  })

  it('is replaced by a token.request hook, which gets the callback, the checks and a limited fetch', async () => {
    let seen: Record<string, unknown> = {}
    const { account } = await signIn({
      token: {
        request: async ({ params, checks, provider, fetch }) => {
          seen = {
            code: params['code'],
            verifier: checks.code_verifier,
            url: provider.callbackUrl,
            id: provider.clientId,
            fetch: typeof fetch,
          }
          return { tokens: { access_token: 'from-hook', token_type: 'BEARER' as Lowercase<string>, expires_in: 10 } }
        },
      },
    })
    expect(account).to.include({ access_token: 'from-hook', token_type: 'bearer' })
    expect(account.expires_at).to.be.closeTo(Date.now() / 1000 + 10, 3)
    expect(seen).to.include({ url: 'https://app.example/auth/callback/plain', id: 'client', fetch: 'function' })
    expect(seen['verifier']).to.match(/^[\w-]{43}$/)
  })

  it('a token.request hook that gives nothing, or throws, ends the sign-in', async () => {
    await failure(signIn({ token: { request: async () => ({ tokens: {} }) } }), 'CallbackRouteError', /no access_token/)
    await failure(
      signIn({ token: { request: (async () => undefined) as never } }),
      'CallbackRouteError',
      /gave no tokens/,
    )
    const request = async () => JSON.parse('marked-body')
    const error = await failure(signIn({ token: { request } }), 'CallbackRouteError', /token\.request failed/)
    expect(error.message).not.to.include('marked')
  })

  it('takes a secret that is made anew for each call', async () => {
    let count = 0
    const makeClientSecret = () => `made-${++count}`
    await signIn({
      makeClientSecret,
      clientSecret: undefined,
      client: { token_endpoint_auth_method: 'client_secret_post' },
    })
    const [call] = fake.callsTo('/token')
    expect(call?.body.get('client_secret')).to.match(/^made-\d$/)
  })

  it('OAUTH-10: is authenticated by client_secret_post where the metadata offers no Basic', async () => {
    fake.faults.metadata = (document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    })
    const oidc = resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'posted',
      checks: ['pkce'],
    })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    identityOf(await driver.finish(oidc, jar, fake.authorize((await driver.start(oidc, jar)).href)))
    expect(fake.callsTo('/token')[0]?.body.get('client_secret')).to.equal('posted')
  })

  describe('OAUTH-10: authenticated by client_secret_basic', () => {
    const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const credentials: Record<string, readonly [clientId: string, clientSecret: string]> = {
      'a UUID and a secret with punctuation': [UUID, 'a.secret_with-some~punctuation*'],
      'a host name': ['app_1.example-2.com', 'S3cret'],
    }
    /** Servers of both kinds, by how they read the header. */
    const readers: Record<string, (text: string) => string> = {
      'decodes them as a form': (text) => new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '',
      'decodes them as a URL': decodeURIComponent,
      'does not decode them': (text) => text,
    }
    /** A token endpoint that admits nobody but this client. */
    const admit = (read: (text: string) => string, [clientId, clientSecret]: readonly [string, string]) => {
      fake.faults.token = (answer, { headers }) => {
        const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
        const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':')
        return read(id) === clientId && read(secret) === clientSecret
          ? { body: answer }
          : { status: 401, body: { error: 'invalid_client' } }
      }
    }

    for (const [server, read] of Object.entries(readers)) {
      for (const [what, pair] of Object.entries(credentials)) {
        it(`reaches a server that ${server}, as ${what}`, async () => {
          const [clientId, clientSecret] = pair
          admit(read, pair)
          await signIn({ clientId, clientSecret })
        })
      }
    }

    for (const server of ['decodes them as a form', 'decodes them as a URL']) {
      it(`reaches a server that ${server} with every other character, too`, async () => {
        const pair = ['https://app.example/', 'p:a%s s+w&o=r\'d!(ü)/\u{1f511}"\\'] as const
        admit(readers[server] ?? String, pair)
        await signIn({ clientId: pair[0], clientSecret: pair[1] })
      })
    }
  })
})
