import { expect } from 'chai'
import { oauthProvider, oidcProvider } from '../../lib/providers/oauth-provider.js'
import { tokenRequest } from '../../lib/providers/request-hooks.js'
import { resolved } from '../support/oauth-driver.js'

interface AcmeProfile {
  uid: number
  display: string
}

const endpoints = {
  authorization: 'https://acme.example/authorize',
  token: 'https://acme.example/token',
  userinfo: 'https://acme.example/me',
}
const Acme = oauthProvider<AcmeProfile>({
  id: 'acme',
  name: 'Acme',
  ...endpoints,
  scopes: ['profile', 'email'],
  scopeSeparator: ',',
  profile: ({ uid, display }) => ({ id: String(uid), name: display }),
})
const Tenanted = oidcProvider<{ sub: string }, { tenant: string; region?: 'eu' | 'us' }>(
  ({ tenant, region = 'eu' }) => ({
    id: 'tenanted',
    name: 'Tenanted',
    ...(tenant === undefined ? {} : { issuer: `https://${region}.op.example/${tenant}` }),
  }),
)

const client = { clientId: 'c', clientSecret: 's' }

describe('oauthProvider and oidcProvider', () => {
  it('keep what their entry says, whatever the environment has', () => {
    const own = { issuer: 'https://op.example', clientId: 'own', clientSecret: 'own secret' }
    const other = { issuer: 'https://other.example', clientId: 'other', clientSecret: 'other secret' }
    const entry = oidcProvider({ id: 'acme', name: 'Acme', ...own } as never)
    expect(resolved(entry, other)).to.include({ clientId: 'own', clientSecret: 'own secret' })
    expect(String(resolved(entry, other).discoveryUrl)).to.include('https://op.example/')
    // An entry that is a function makes its issuer of the environment.
    expect(String(resolved(Tenanted, other).discoveryUrl)).to.include('https://other.example/')
  })

  it('make a function that works bare, with its values from the environment', () => {
    const provider = resolved(Acme, client)
    expect(provider).to.include({ id: 'acme', clientId: 'c', type: 'oauth' })
    expect(provider.authorization.params['scope']).to.equal('profile,email')
  })

  it('make a function that takes options', () => {
    const provider = resolved(
      Acme({ ...client, id: 'acme-two', scope: 'all', authorization: { params: { prompt: 'consent' } } }),
    )
    expect(provider.id).to.equal('acme-two')
    expect(provider.authorization.params).to.deep.equal({ scope: 'all', prompt: 'consent' })
    expect(provider.authorization.url?.href).to.equal('https://acme.example/authorize')
  })

  it('send no scope where an entry has an empty list', () => {
    const Silent = oauthProvider<AcmeProfile>({ id: 'silent', name: 'S', ...endpoints, scopes: [] })
    expect(resolved(Silent, client).authorization.params['scope']).to.equal('')
  })

  it('make every check that the protocol has, unless an entry names others', () => {
    const Lax = oidcProvider({ id: 'lax', name: 'Lax', issuer: 'https://op.example', checks: ['state'] })
    expect(resolved(Acme, client).checks).to.have.all.keys('pkce', 'state')
    expect(resolved(Tenanted({ ...client, tenant: 't' })).checks).to.have.all.keys('pkce', 'state', 'nonce')
    expect(resolved(Lax, client).checks).to.have.all.keys('state')
  })

  it('ask for openid, profile and email where an entry says nothing', () => {
    expect(resolved(Tenanted({ ...client, tenant: 't' })).authorization.params['scope']).to.equal(
      'openid profile email',
    )
  })

  it('compute endpoints from options', () => {
    expect(resolved(Tenanted({ ...client, tenant: 'one' })).issuer).to.equal('https://eu.op.example/one')
    expect(resolved(Tenanted({ ...client, tenant: 'one', region: 'us' })).issuer).to.equal('https://us.op.example/one')
  })

  it('say what is missing when such an entry stands bare', () => {
    expect(() => resolved(Tenanted, client)).to.throw(/no issuer/)
  })

  it('never throw for a missing option, and say which it is', () => {
    const Board = oauthProvider<AcmeProfile, { server: string; key: string | undefined }>(({ server, key }) => ({
      id: 'board',
      name: 'Board',
      ...endpoints,
      userinfo: server ? `${server}/me` : undefined,
      requires: { server, key },
    }))
    const untyped = Board as (options?: object) => ReturnType<typeof Board>
    expect(untyped({ ...client, server: '' }).missingOptions).to.deep.equal(['server', 'key'])
    expect(Board({ ...client, server: 'https://board.example', key: undefined }).missingOptions).to.deep.equal(['key'])
    expect(Board({ ...client, server: 'https://board.example', key: 'k' })).not.to.have.property('missingOptions')
    expect(() => resolved(Board, client)).to.throw(
      /^Provider "board" has no server\. Set its server option\.\nProvider "board" has no key\. Set its key option\.$/,
    )
  })

  it('do not compile with a misspelt or a missing option', () => {
    // Each line below is a compile error; `tsc` fails when one stops being that.
    // @ts-expect-error misspelt
    Acme({ clientID: 'c' })
    // @ts-expect-error a value of another type
    Acme({ scope: ['a'] })
    // @ts-expect-error the tenant is required
    Tenanted({ clientId: 'c' })
    // @ts-expect-error so there must be options at all
    Tenanted()
    // @ts-expect-error not one of the regions
    Tenanted({ tenant: 't', region: 'mars' })
    // @ts-expect-error an entry without a name
    oauthProvider<AcmeProfile>({ id: 'x' })
    // @ts-expect-error a mapping of a member that the profile does not have
    oauthProvider<AcmeProfile>({ id: 'x', name: 'X', profile: ({ email }) => ({ id: '1', email }) })
    // @ts-expect-error nonce is a check of OpenID Connect
    Acme({ checks: ['nonce'] })
  })
})

describe('tokenRequest', () => {
  const call = async (form: Parameters<typeof tokenRequest>[0], answer: Response) => {
    const seen: { url?: string; init?: RequestInit } = {}
    const request = tokenRequest(form)
    const { tokens } = await request({
      params: { code: 'the-code' },
      checks: {},
      provider: { clientId: 'id', clientSecret: 'secret' } as never,
      fetch: (async (url: string, init: RequestInit) => {
        Object.assign(seen, { url, init })
        return answer
      }) as typeof fetch,
    })
    return { tokens, ...seen }
  }
  const parameters: Parameters<typeof tokenRequest>[0]['parameters'] = ({ params, provider }) => ({
    appid: provider.clientId,
    secret: provider.clientSecret,
    code: params['code'],
    none: undefined,
  })

  it('sends only what its options say, by GET, as JSON or as a form', async () => {
    const answer = () => Response.json({ access_token: 'a' })
    const byGet = await call({ url: 'https://op.example/t?v=1', send: 'query', parameters }, answer())
    expect(byGet.url).to.equal('https://op.example/t?v=1&appid=id&secret=secret&code=the-code')
    expect(byGet.init).to.include({ method: 'GET' })
    const asJson = await call(
      { url: 'https://op.example/t', send: 'json', parameters, headers: { 'x-api': '2' } },
      answer(),
    )
    expect(JSON.parse(String(asJson.init?.body))).to.deep.equal({ appid: 'id', secret: 'secret', code: 'the-code' })
    expect(asJson.init?.headers).to.deep.include({ 'x-api': '2', 'content-type': 'application/json' })
    const asForm = await call({ url: 'https://op.example/t', parameters }, answer())
    expect(asForm.init?.body).to.equal('appid=id&secret=secret&code=the-code')
    expect(asForm.tokens).to.deep.equal({ access_token: 'a' })
  })

  it('finds the tokens where the entry says', async () => {
    const tokens = (answer: Record<string, unknown>) => ({
      ...(answer['body'] as object),
      token_type: 'bearer' as const,
    })
    const { tokens: found } = await call(
      { url: 'https://op.example/t', parameters, tokens },
      Response.json({ body: { access_token: 'b' } }),
    )
    expect(found).to.deep.equal({ access_token: 'b', token_type: 'bearer' })
  })

  it('refuses answers that are not JSON objects, without repeating them', async () => {
    for (const answer of [
      new Response('marked'),
      Response.json(['marked']),
      Response.json({ marked: 1 }, { status: 500 }),
    ]) {
      const error = await call({ url: 'https://op.example/t', parameters }, answer).catch((thrown: Error) => thrown)
      expect(error).to.be.instanceOf(Error)
      expect(String((error as Error).stack)).not.to.include('marked')
    }
  })
})
