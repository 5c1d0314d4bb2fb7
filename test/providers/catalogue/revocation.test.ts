import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { oauthProvider } from '../../../lib/providers/oauth-provider.js'
import { customFetch, type ResolvedOAuthProvider } from '../../../lib/providers/provider.js'
import { revocationOf } from '../../../lib/providers/resolve-endpoints.js'
import { catalogueIds, importEntry, SAMPLE_OPTIONS } from '../../support/catalogue.js'
import { CLIENT } from '../../support/dialect-provider.js'
import { OAuthDriver, resolved } from '../../support/oauth-driver.js'

/** A call that revokes a token, as a provider got it. */
interface Call {
  readonly to: string
  readonly type?: string
  readonly authorization?: string
  readonly version?: string
  readonly body: Record<string, unknown>
}

const { clientId, clientSecret } = CLIENT
const BASIC = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const HINTS = { access: 'access_token', refresh: 'refresh_token' } as const
type Kind = keyof typeof HINTS

/** RFC 7009 §2.1, with the client authentication of the token endpoint. */
const standard =
  (url: string, secretIn: 'header' | 'body' = 'header', kinds: readonly Kind[] = ['refresh', 'access']) =>
  (): Call[] =>
    kinds.map((kind) => ({
      to: `POST ${url}`,
      type: FORM,
      ...(secretIn === 'header' && { authorization: BASIC }),
      body: {
        token: `the-${kind}-token`,
        token_type_hint: HINTS[kind],
        ...(secretIn === 'body' && { client_id: clientId, client_secret: clientSecret }),
      },
    }))

const both = (make: (token: string) => Call) => () => [make('the-refresh-token'), make('the-access-token')]
const access = (make: (token: string) => Call) => () => [make('the-access-token')]
const bearer = (to: string) => access((token) => ({ to, authorization: `Bearer ${token}`, body: {} }))

/** What the documentation of each provider says that it expects. */
const EXPECTED: Readonly<Record<string, () => Call[]>> = {
  discord: standard('https://discord.com/api/oauth2/token/revoke'),
  gitlab: standard('https://gitlab.com/oauth/revoke'),
  hubspot: standard('https://api.hubapi.com/oauth/2026-03/token/revoke', 'body', ['refresh']),
  twitter: standard('https://api.x.com/2/oauth2/revoke'),
  zoom: standard('https://zoom.us/oauth/revoke'),
  dropbox: bearer('POST https://api.dropboxapi.com/2/auth/token/revoke'),
  slack: bearer('POST https://slack.com/api/auth.revoke'),
  lichess: bearer('DELETE https://lichess.org/api/token'),
  github: access((access_token) => ({
    to: `DELETE https://api.github.com/applications/${clientId}/token`,
    type: JSON_TYPE,
    authorization: BASIC,
    body: { access_token },
  })),
  google: both((token) => ({ to: 'POST https://oauth2.googleapis.com/revoke', type: FORM, body: { token } })),
  salesforce: both((token) => ({
    to: 'POST https://login.salesforce.com/services/oauth2/revoke',
    type: FORM,
    body: { token },
  })),
  line: access((access_token) => ({
    to: 'POST https://api.line.me/oauth2/v2.1/revoke',
    type: FORM,
    body: { access_token, client_id: clientId, client_secret: clientSecret },
  })),
  notion: both((token) => ({
    to: 'POST https://api.notion.com/v1/oauth/revoke',
    type: JSON_TYPE,
    authorization: BASIC,
    version: '2025-09-03',
    body: { token },
  })),
  twitch: access((token) => ({
    to: 'POST https://id.twitch.tv/oauth2/revoke',
    type: FORM,
    body: { client_id: clientId, token },
  })),
}

/** Providers whose metadata has an endpoint of RFC 7009. Some revoke refresh tokens only, some want the secret in the body. */
const IN_METADATA =
  `asgardeo auth0 authentik autodesk cognito descope duende-identity-server6 identity-server4 intuit keycloak
logto okta onelogin ory-hydra ping-id polar roblox vercel zitadel`.split(/\s+/)
const REFRESH_ONLY = new Set(['auth0', 'cognito'])
const IN_BODY = new Set(['polar'])
const METADATA_URL = 'https://revocation.example/revoke'

const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const platformFetch = globalThis.fetch

describe('the revocation of tokens at the providers of the catalogue', () => {
  const driver = new OAuthDriver()
  let server: Server
  let calls: Call[] = []
  let status = 200
  let document: Record<string, unknown> = {}

  before(async () => {
    server = createServer(async (req, res) => {
      let text = ''
      for await (const chunk of req) text += chunk
      const to = `${req.method} ${req.headers['x-url']}`
      res.setHeader('content-type', JSON_TYPE)
      if (req.method === 'GET') return void res.end(JSON.stringify(document))
      const { 'content-type': type, authorization, 'notion-version': version } = req.headers
      const isJson = type === JSON_TYPE
      calls.push({
        to,
        ...(type !== undefined && { type: type.split(';', 1)[0] ?? '' }),
        ...(authorization !== undefined && { authorization }),
        ...(version !== undefined && { version: String(version) }),
        body: isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text)),
      })
      res.writeHead(status).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    calls = []
    status = 200
  })
  after(() => new Promise((resolve) => server.close(resolve)))

  /** Reaches the server of the test under every address. */
  const fetchHere = ((input: string | URL, init: RequestInit = {}) => {
    const { port } = server.address() as AddressInfo
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'x-url': String(input) }
    return platformFetch(`http://127.0.0.1:${port}/`, { ...init, headers })
  }) as typeof fetch

  const providerOf = async (id: string): Promise<ResolvedOAuthProvider> => {
    const entry = await importEntry(id)
    const key = id === 'apple' ? { privateKey: appleKey } : {}
    const provider = resolved(entry({ ...CLIENT, ...SAMPLE_OPTIONS[id], ...key, [customFetch]: fetchHere }))
    const { issuer } = provider
    document = {
      issuer,
      authorization_endpoint: 'https://revocation.example/authorize',
      token_endpoint: 'https://revocation.example/token',
      jwks_uri: 'https://revocation.example/jwks',
      revocation_endpoint: METADATA_URL,
    }
    return provider
  }

  const revoke = (provider: ResolvedOAuthProvider) =>
    driver.flowOf(provider).tokenCalls.revoke([
      { token: 'the-refresh-token', kind: 'refresh' },
      { token: 'the-access-token', kind: 'access' },
    ])

  it('is in the table for every provider that documents it', async () => {
    const documented: string[] = []
    for (const id of catalogueIds) if ((await providerOf(id)).tokenFacts.revocation?.dialect) documented.push(id)
    expect([...Object.keys(EXPECTED), ...IN_METADATA, 'apple'].sort()).to.deep.equal(documented)
  })

  for (const [id, expected] of Object.entries(EXPECTED)) {
    it(`${id}: makes the calls that its documentation describes`, async () => {
      await revoke(await providerOf(id))
      expect(calls).to.deep.equal(expected())
    })
  }

  for (const id of IN_METADATA) {
    it(`${id}: makes the calls of RFC 7009 at the endpoint of its metadata`, async () => {
      await revoke(await providerOf(id))
      const kinds: readonly Kind[] = REFRESH_ONLY.has(id) ? ['refresh'] : ['refresh', 'access']
      expect(calls).to.deep.equal(standard(METADATA_URL, IN_BODY.has(id) ? 'body' : 'header', kinds)())
    })
  }

  it('apple: makes the calls of RFC 7009 with a client secret that is made for them', async () => {
    await revoke(await providerOf('apple'))
    expect(calls.map(({ to, body }) => [to, body['token'], body['client_id']])).to.deep.equal([
      ['POST https://appleid.apple.com/auth/revoke', 'the-refresh-token', clientId],
      ['POST https://appleid.apple.com/auth/revoke', 'the-access-token', clientId],
    ])
    for (const { body } of calls) expect(String(body['client_secret']).split('.')).to.have.length(3)
  })

  it('makes no call where it is not known how', async () => {
    for (const id of catalogueIds) {
      const provider = await providerOf(id)
      if (revocationOf(provider)) continue
      expect(driver.flowOf(provider).tokenCalls.canRevoke, id).to.equal(false)
      await revoke(provider)
    }
    expect(calls).to.deep.equal([])
  })

  it('fails with an error that has no token in it', async () => {
    status = 503
    for (const id of ['discord', 'github', 'okta']) {
      const error = await revoke(await providerOf(id)).then(String, (thrown: Error) => String(thrown.stack))
      expect(error, id)
        .to.include('ProviderFault')
        .and.not.match(/the-(access|refresh)-token|secret-of/)
    }
  })

  it('uses no endpoint without https that metadata over https names', async () => {
    const provider = await providerOf('okta')
    document = { ...document, revocation_endpoint: 'http://127.0.0.1:1/revoke' }
    const error = await revoke(provider).then(String, String)
    expect(error).to.include('not an https URL')
    expect(calls).to.deep.equal([])
  })

  it('sends only the kind of token that the endpoint takes', async () => {
    const board = oauthProvider({
      id: 'board',
      name: 'Board',
      authorization: 'https://board.example/authorize',
      token: 'https://board.example/token',
      userinfo: 'https://board.example/me',
      tokenFacts: { revocation: { url: 'https://board.example/revoke', dialect: 'public', only: 'refresh' } },
    })
    await revoke(resolved(board({ ...CLIENT, [customFetch]: fetchHere })))
    expect(calls.map(({ body }) => body)).to.deep.equal([{ client_id: clientId, token: 'the-refresh-token' }])
  })
})
