import { expect } from 'chai'
import type { OAuth2Config, User } from '../../lib/providers/provider.js'
import { userinfoRequest } from '../../lib/providers/request-hooks.js'
import { type FakeAnswer, FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

type Claims = Record<string, unknown>

describe('the profile', () => {
  let fake: FakeProvider
  const person = { sub: 'person-1', name: 'Ada', email: 'Ada@Example.com' }
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => {
    fake.reset()
    fake.profile = { ...person }
  })

  const signIn = async (more: Partial<OAuth2Config<Claims>> = {}, params: Record<string, string> = {}) => {
    const provider = resolved({
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: `${fake.issuer}/authorize`,
      token: `${fake.issuer}/token`,
      userinfo: `${fake.issuer}/userinfo`,
      clientId: 'client',
      clientSecret: 'marked-secret',
      ...more,
    })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider, jar)).href)
    for (const [name, value] of Object.entries(params)) answer.set(name, value)
    return identityOf(await driver.finish(provider, jar, answer))
  }

  it('is asked for with the access token, parameters and headers of the entry', async () => {
    const { profile } = await signIn({
      userinfo: { url: `${fake.issuer}/userinfo?v=1`, params: { fields: 'id,name' }, headers: { 'x-key': 'k' } },
    })
    expect(profile).to.deep.equal(person)
    const [call] = fake.callsTo('/userinfo')
    expect(call).to.include({ method: 'GET' })
    expect(Object.fromEntries(call?.query ?? [])).to.deep.equal({ v: '1', fields: 'id,name' })
    expect(call?.headers).to.include({
      authorization: 'Bearer marked-access-token',
      'x-key': 'k',
      accept: 'application/json',
    })
  })

  const answers: Record<string, FakeAnswer> = {
    'status 401': { status: 401, body: person },
    'status 403 with a challenge': { status: 403, headers: { 'www-authenticate': 'Bearer error="x"' }, body: person },
    'status 500 and a JSON body': { status: 500, body: person },
    'a redirect': { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: person },
    HTML: { headers: { 'content-type': 'text/html' }, body: '<html>' },
    'an array': { body: [person] },
    null: { body: 'null' },
    nothing: { status: 204, body: '' },
  }
  for (const [what, answer] of Object.entries(answers)) {
    it(`that comes as ${what} signs nobody in`, async () => {
      fake.faults.userinfo = () => answer
      await failure(signIn(), 'CallbackRouteError', /Provider "plain"/)
    })
  }

  it('OIDC-17: from another subject than the ID token is refused, from a hook as well', async () => {
    const oidc = (more: object) =>
      resolved({
        id: 'fake',
        name: 'Fake',
        type: 'oidc',
        issuer: fake.issuer,
        clientId: 'c',
        clientSecret: 's',
        idToken: false,
        checks: ['pkce'],
        ...more,
      })
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const provider = oidc({ userinfo: { request: async () => ({ sub: 'person-2' }) } })
    await failure(
      driver.finish(provider, jar, fake.authorize((await driver.start(provider, jar)).href)),
      'CallbackRouteError',
      /sub of the userinfo/,
    )
  })

  it('from a hook gets the tokens, the provider and a limited fetch', async () => {
    const { user } = await signIn({
      userinfo: {
        url: `${fake.issuer}/userinfo`,
        params: { a: 'b' },
        request: async ({ tokens, provider, fetch }) => {
          if (!fetch) throw new Error('no fetch')
          const answer = await fetch(`${(provider.userinfo as { url: string }).url}`, {
            headers: { authorization: `Bearer ${tokens.access_token}` },
          })
          return (await answer.json()) as Claims
        },
      },
    })
    expect(user.name).to.equal('Ada')
    expect(fake.callsTo('/userinfo')[0]?.query.get('a')).to.equal('b')
  })

  it('from a hook that gives nothing or throws signs nobody in', async () => {
    await failure(signIn({ userinfo: { request: async () => null } }), 'CallbackRouteError', /not a JSON object/)
    const error = await failure(
      signIn({
        userinfo: {
          request: async ({ tokens }) => {
            throw new Error(`failed with ${tokens.access_token}`)
          },
        },
      }),
      'CallbackRouteError',
      /failed with \[hidden\]/,
    )
    expect(String(error.stack)).not.to.include('marked-access-token')
  })

  it('may take other forms: GraphQL, another scheme, the token in the query, further requests', async () => {
    fake.faults.userinfo = (profile) => ({ body: { data: { viewer: profile } } })
    const { user } = await signIn({
      userinfo: {
        request: userinfoRequest<Claims>({
          url: `${fake.issuer}/userinfo`,
          json: { query: '{ viewer { id } }' },
          accessToken: { scheme: 'OAuth' },
          headers: ({ provider }) => ({ 'client-id': String(provider.clientId) }),
          complete: async ({ data }, { fetch }) => {
            const more = await fetch(`${fake.issuer}/userinfo?access_token=x`)
            return { ...(data as { viewer: Claims }).viewer, picture: `status-${more.status}` }
          },
        }),
      },
    })
    expect(user).to.include({ name: 'Ada', image: 'status-200' })
    const [call] = fake.callsTo('/userinfo')
    expect(call).to.include({ method: 'POST', text: '{"query":"{ viewer { id } }"}' })
    expect(call?.headers).to.include({ authorization: 'OAuth marked-access-token', 'client-id': 'client' })
    fake.faults.userinfo = undefined
    await signIn({
      userinfo: {
        request: userinfoRequest<Claims>({ url: `${fake.issuer}/userinfo`, accessToken: { parameter: 'oauth_token' } }),
      },
    })
    expect(fake.callsTo('/userinfo').at(-1)?.query.get('oauth_token')).to.equal('marked-access-token')
  })

  it('is conformed by the entry where it breaks the rules', async () => {
    fake.faults.userinfo = (profile) => ({ body: { ok: false, wrapped: profile } })
    const conform = async (response: Response) =>
      Response.json(((await response.json()) as { wrapped: unknown }).wrapped)
    expect((await signIn({ userinfo: { url: `${fake.issuer}/userinfo`, conform } })).user.name).to.equal('Ada')
  })

  it('is completed by completeProfile with parameters of the callback', async () => {
    const completeProfile: OAuth2Config<Claims>['completeProfile'] = (profile, _tokens, { params }) => ({
      ...profile,
      name: params['name'],
    })
    expect((await signIn({ completeProfile }, { name: 'Grace' })).user.name).to.equal('Grace')
  })

  it('that completeProfile cannot complete signs nobody in', async () => {
    const completeProfile: OAuth2Config<Claims>['completeProfile'] = (profile) => {
      throw new Error(`cannot complete ${profile['email']}`)
    }
    await failure(
      signIn({ completeProfile }),
      'CallbackRouteError',
      /completeProfile failed\. cannot complete \[hidden\]/,
    )
  })

  it('is stored with the tokens that the application chooses, by default the usual ones', () => {
    const provider = resolved({
      id: 'p',
      name: 'P',
      type: 'oidc',
      issuer: 'https://op.example',
      clientId: 'c',
      clientSecret: 's',
    })
    const tokens = { access_token: 'a', scope: 's', expires_at: 1, expires_in: 2, session_state: 'x', extra: 'y' }
    expect(provider.account(tokens)).to.deep.equal({ access_token: 'a', scope: 's', expires_at: 1, session_state: 'x' })
  })

  describe('becomes a user', () => {
    const mapped = (user: unknown) => signIn({ profile: () => user as User })

    it('with an id that is new each time, the address in lower case, other members kept', async () => {
      const map = {
        profile: (profile: Claims) => ({ id: '7', email: String(profile['email']), role: 'admin', name: null }),
      }
      const [one, two] = [await signIn(map), await signIn(map)]
      expect(one.user).to.include({ email: 'ada@example.com', role: 'admin', name: null })
      expect(one.account.providerAccountId).to.equal('7')
      expect(one.user.id).not.to.equal(two.user.id)
      expect(one.user.id).to.match(/^[0-9a-f]{8}-/)
    })

    it('whose account nothing in the token answer can redefine', async () => {
      fake.faults.token = (answer) => ({
        body: { ...answer, provider: 'other', type: 'credentials', providerAccountId: 'victim', userId: 'victim' },
      })
      const { account } = await mapped({ id: '7' })
      expect(account).to.include({ provider: 'plain', type: 'oauth', providerAccountId: '7' })
      expect(account).not.to.have.property('userId')
    })

    it('whose account id may be a number', async () => {
      expect((await mapped({ id: 12345 })).account.providerAccountId).to.equal('12345')
      expect((await mapped({ id: 0 })).account.providerAccountId).to.equal('0')
    })

    for (const id of [
      undefined,
      null,
      '',
      ' ',
      'null',
      'undefined',
      'NaN',
      Number.NaN,
      '[object Object]',
      '[object Promise]',
      ' null ',
      2 ** 53,
      {},
      [],
      true,
    ]) {
      it(`never by the id ${JSON.stringify(id) ?? 'undefined'}${Number.isNaN(id) ? ' (NaN)' : ''}`, async () => {
        await failure(mapped({ id, email: 'marked@example.com' }), 'OAuthProfileParseError', /profile\(\) gave no id/)
      })
    }

    it('by sub, else id, with the default mapping, and never by a random id', async () => {
      expect((await signIn()).account.providerAccountId).to.equal('person-1')
      fake.profile = { id: 99, nickname: 'Nick' }
      const { user, account } = await signIn()
      expect(account.providerAccountId).to.equal('99')
      expect(user).to.deep.equal({ id: user.id, name: 'Nick' })
      fake.profile = { name: 'Nobody' }
      await failure(signIn(), 'OAuthProfileParseError')
    })

    it('only by a mapping that gives a user', async () => {
      for (const value of [null, 'Ada', [{ id: '1' }], Object.assign(new Error('x'), { id: '1' }), new Date()]) {
        await failure(mapped(value), 'OAuthProfileParseError', /gave no user/)
      }
    })

    it('unless profile() throws: then its message is logged without the profile', async () => {
      const profile = (claims: Claims): User => {
        throw new TypeError(`cannot map ${claims['email']}`)
      }
      const error = await failure(
        signIn({ profile }),
        'OAuthProfileParseError',
        /profile\(\) threw\. cannot map \[hidden\]/,
      )
      expect(error.cause?.err?.name).to.equal('TypeError')
    })
  })
})
