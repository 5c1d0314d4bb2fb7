import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt, SignJWT } from 'jose'
import { oauthProvider } from '../../lib/providers/oauth-provider.js'
import type { Provider } from '../../lib/providers/provider.js'
import { customFetch } from '../../lib/providers/provider.js'
import { tokenRequest, userinfoRequest } from '../../lib/providers/request-hooks.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

/** One call that an entry made. */
interface Seen {
  url: URL
  method: string
  headers: Headers
  body: string
}

/** Signs in with an entry whose provider is answered for here, path by path. */
async function signIn(
  make: (fetch: typeof globalThis.fetch) => Provider,
  answers: Record<string, unknown>,
  params: Record<string, string> = {},
) {
  const seen: Seen[] = []
  const provider = resolved(
    make((async (input: string, init: RequestInit) => {
      const url = new URL(input)
      seen.push({
        url,
        method: init.method ?? 'GET',
        headers: new Headers(init.headers),
        body: String(init.body ?? ''),
      })
      const answer = answers[url.pathname]
      return answer === undefined ? Response.json({}, { status: 404 }) : Response.json(answer)
    }) as typeof fetch),
  )
  const driver = new OAuthDriver()
  const jar = new CookieJar()
  const start = await driver.start(provider, jar)
  const answer = new URLSearchParams({ code: 'the-code', state: start.searchParams.get('state') ?? '', ...params })
  const identity = identityOf(await driver.finish(provider, jar, answer))
  const to = (path: string): Seen => {
    const call = seen.find(({ url }) => url.pathname === path)
    if (!call) throw new Error(`nobody called ${path}`)
    return call
  }
  return { start, identity, to, seen }
}

const client = { clientId: 'the-id', clientSecret: 'the-secret' }

describe('an entry can say that a provider', () => {
  it('names the client otherwise, takes the code by GET, wants a fragment, and gives no token_type', async () => {
    const Entry = oauthProvider<{ openid: string; unionid?: string; nickname: string }>({
      id: 'odd-get',
      name: 'Odd',
      authorization: {
        url: 'https://op.example/connect#redirect',
        params: { appid: ({ clientId }: { clientId: string }) => clientId },
      },
      scopes: ['login', 'base'],
      scopeSeparator: ',',
      checks: ['state'],
      token: {
        request: tokenRequest({
          url: 'https://api.op.example/token',
          send: 'query',
          parameters: ({ params, provider }) => ({
            appid: provider.clientId,
            secret: provider.clientSecret,
            code: params['code'],
            grant_type: 'authorization_code',
          }),
        }),
      },
      userinfo: {
        request: userinfoRequest({
          url: ({ tokens }) => `https://api.op.example/userinfo?openid=${tokens['openid']}`,
          accessToken: { parameter: 'access_token' },
        }),
      },
      profile: ({ unionid, openid, nickname }) => ({ id: unionid ?? openid, name: nickname, email: null }),
    })
    const { start, identity, to } = await signIn((fetch) => Entry({ ...client, [customFetch]: fetch }), {
      '/token': { access_token: 'at', openid: 'o-1' },
      '/userinfo': { openid: 'o-1', nickname: 'Li' },
    })
    expect(start.hash).to.equal('#redirect')
    expect(start.searchParams.get('appid')).to.equal('the-id')
    expect(start.searchParams.get('scope')).to.equal('login,base')
    expect(to('/token').url.search).to.equal(
      '?appid=the-id&secret=the-secret&code=the-code&grant_type=authorization_code',
    )
    expect(to('/userinfo').url.search).to.equal('?openid=o-1&access_token=at')
    expect(to('/userinfo').headers.has('authorization')).to.equal(false)
    expect(identity.account.providerAccountId).to.equal('o-1')
  })

  it('wants the client key beside the id, further members of the answer, and nests the profile', async () => {
    const Entry = oauthProvider<{ data: { user: { open_id: string; display_name: string } } }>({
      id: 'odd-key',
      name: 'Odd',
      authorization: {
        url: 'https://op.example/authorize/',
        params: { client_key: (c: { clientId: string }) => c.clientId },
      },
      scopes: ['user.info.basic'],
      client: { token_endpoint_auth_method: 'client_secret_post' },
      token: {
        url: 'https://op.example/token/',
        params: {
          client_key: ({ provider }: { provider: { clientId: string } }) => provider.clientId,
          device_id: ({ params }: { params: Record<string, string> }) => params['device_id'],
        },
      },
      userinfo: { url: 'https://op.example/info/', params: { fields: 'open_id,display_name' } },
      profile: ({ data: { user } }) => ({ id: user.open_id, name: user.display_name }),
    })
    const { to, identity } = await signIn(
      (fetch) => Entry({ ...client, [customFetch]: fetch }),
      {
        '/token/': { access_token: 'at', token_type: 'Bearer' },
        '/info/': { data: { user: { open_id: 'x-9', display_name: 'Kim' } } },
      },
      { device_id: 'd-1' },
    )
    expect(Object.fromEntries(new URLSearchParams(to('/token/').body))).to.include({
      client_key: 'the-id',
      client_id: 'the-id',
      client_secret: 'the-secret',
      device_id: 'd-1',
    })
    expect(to('/info/').url.searchParams.get('fields')).to.equal('open_id,display_name')
    expect(identity.user.name).to.equal('Kim')
  })

  it('calls the code flow by another name and takes an assertion', async () => {
    const Entry = oauthProvider<{ id: string }>({
      id: 'odd-assertion',
      name: 'Odd',
      authorization: {
        url: 'https://op.example/authorize',
        params: { response_type: 'Assertion', scope: 'vso.profile' },
      },
      token: {
        request: tokenRequest({
          url: 'https://op.example/token',
          parameters: ({ params, provider }) => ({
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: provider.clientSecret,
            grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
            assertion: params['code'],
            redirect_uri: provider.callbackUrl,
          }),
        }),
      },
      userinfo: 'https://op.example/me',
    })
    const { start, to } = await signIn((fetch) => Entry({ ...client, [customFetch]: fetch }), {
      '/token': { access_token: 'at' },
      '/me': { id: '1' },
    })
    expect(start.searchParams.getAll('response_type')).to.deep.equal(['Assertion'])
    expect(new URLSearchParams(to('/token').body).get('redirect_uri')).to.equal(
      'https://app.example/auth/callback/odd-assertion',
    )
  })

  it('has the profile in the token answer and wraps its tokens', async () => {
    const Entry = oauthProvider<{ userid: number }>({
      id: 'odd-wrapped',
      name: 'Odd',
      authorization: 'https://op.example/authorize',
      scopes: [],
      token: {
        url: 'https://op.example/token',
        params: { action: 'requesttoken' },
        conform: async (response) => {
          const { body } = (await response.json()) as { body: object }
          return Response.json({ token_type: 'Bearer', ...body })
        },
      },
      userinfo: { request: ({ tokens }) => ({ userid: Number(tokens['userid']) }) },
      profile: ({ userid }) => ({ id: String(userid) }),
    })
    const { start, to, identity } = await signIn((fetch) => Entry({ ...client, [customFetch]: fetch }), {
      '/token': { status: 0, body: { access_token: 'at', userid: 42 } },
    })
    expect(start.searchParams.has('scope')).to.equal(false)
    expect(new URLSearchParams(to('/token').body).get('action')).to.equal('requesttoken')
    expect(identity.account.providerAccountId).to.equal('42')
  })

  it('wants JSON at the token endpoint, GraphQL for the profile, and headers with the client id', async () => {
    const Entry = oauthProvider<{ slug: string }, { appName: string }>(({ appName }) => ({
      id: 'odd-json',
      name: 'Odd',
      authorization: 'https://op.example/authorize',
      scopes: ['user.identity'],
      token: {
        request: tokenRequest({
          url: 'https://op.example/token',
          send: 'json',
          headers: { 'user-agent': String(appName) },
          parameters: ({ params, provider }) => ({
            code: params['code'],
            client_id: provider.clientId,
            scope: 'user.identity',
          }),
        }),
      },
      userinfo: {
        request: userinfoRequest<{ slug: string }>({
          url: 'https://op.example/graphql',
          json: { query: '{ currentUser { slug } }' },
          headers: ({ provider }) => ({ 'x-api-key': String(provider.clientId), 'user-agent': String(appName) }),
          complete: ({ data }) => (data as { currentUser: { slug: string } }).currentUser,
        }),
      },
      profile: ({ slug }) => ({ id: slug }),
    }))
    const { to, identity } = await signIn((fetch) => Entry({ ...client, appName: 'My App', [customFetch]: fetch }), {
      '/token': { access_token: 'at' },
      '/graphql': { data: { currentUser: { slug: 's-1' } } },
    })
    expect(JSON.parse(to('/token').body)).to.deep.equal({
      code: 'the-code',
      client_id: 'the-id',
      scope: 'user.identity',
    })
    expect(to('/graphql').headers.get('x-api-key')).to.equal('the-id')
    expect(to('/graphql').headers.get('user-agent')).to.equal('My App')
    expect(identity.account.providerAccountId).to.equal('s-1')
  })

  it('has a client secret that is a short-lived token', async () => {
    const key = createHash('sha256').update('a key').digest()
    const Entry = oauthProvider<{ id: string }, { teamId: string }>(({ teamId }) => ({
      id: 'odd-secret',
      name: 'Odd',
      authorization: 'https://op.example/authorize',
      client: { token_endpoint_auth_method: 'client_secret_post' },
      makeClientSecret: ({ clientId }) =>
        new SignJWT({})
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer(String(teamId))
          .setSubject(clientId)
          .setExpirationTime('5m')
          .sign(key),
      token: 'https://op.example/token',
      userinfo: 'https://op.example/me',
    }))
    const { to } = await signIn((fetch) => Entry({ clientId: 'the-id', teamId: 'T', [customFetch]: fetch }), {
      '/token': { access_token: 'at', token_type: 'bearer' },
      '/me': { id: '1' },
    })
    expect(decodeJwt(new URLSearchParams(to('/token').body).get('client_secret') ?? '')).to.include({
      iss: 'T',
      sub: 'the-id',
    })
  })

  it('takes the userinfo request by POST with the credentials, and no bearer', async () => {
    const Entry = oauthProvider<{ user_id: number }>({
      id: 'odd-introspection',
      name: 'Odd',
      authorization: 'https://op.example/authorize',
      token: 'https://op.example/token',
      userinfo: {
        request: userinfoRequest({
          url: 'https://op.example/introspect',
          accessToken: null,
          form: ({ tokens, provider }) => ({
            client_id: String(provider.clientId),
            client_secret: String(provider.clientSecret),
            token: String(tokens.access_token),
          }),
        }),
      },
      profile: ({ user_id }) => ({ id: String(user_id) }),
    })
    const { to } = await signIn((fetch) => Entry({ ...client, [customFetch]: fetch }), {
      '/token': { access_token: 'at', token_type: 'bearer' },
      '/introspect': { user_id: 5 },
    })
    expect(to('/introspect').body).to.equal('client_id=the-id&client_secret=the-secret&token=at')
  })
})
