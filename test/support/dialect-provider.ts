import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importSPKI, jwtVerify, SignJWT } from 'jose'
import { type ProviderFacts, SAMPLE_OPTIONS } from './catalogue.js'
import { type FakeCall, fakeKey, signWith } from './fake-provider.js'

export const CLIENT = { clientId: 'the-client', clientSecret: 'the-secret-of-the-client' }
const TENANT = '7f3c1a52-9d0e-4b8a-a6c4-2e5d18f0b9c7'
const ACCESS_TOKEN = 'the-access-token'

/** The platform's own, whatever a test puts in its place. */
const platformFetch = globalThis.fetch

/** What templates in the facts stand for, where the application does not say. */
const DEFAULTS: Readonly<Record<string, Record<string, string>>> = {
  gitlab: { baseUrl: 'https://gitlab.com' },
  descope: { projectId: CLIENT.clientId },
  paybin: { issuer: 'https://idp.paybin.io' },
  cognito: { domain: 'acme.auth.eu-central-1.amazoncognito.com' },
  foursquare: { apiVersion: '20230131' },
  'microsoft-entra-id': { tenant: 'common', tenantId: TENANT },
  'azure-ad': { tenant: 'common', tenantId: TENANT },
}

/** Shared endpoints announce a template in place of an issuer. */
const ANNOUNCED: Readonly<Record<string, string>> = {
  'microsoft-entra-id': 'https://login.microsoftonline.com/{tenantid}/v2.0',
  'azure-ad': 'https://login.microsoftonline.com/{tenantid}/v2.0',
}

/** How token answers differ from RFC 6749 §5.1, as the quirks tell. */
const TOKEN_ANSWERS: Readonly<Record<string, (answer: Record<string, unknown>) => Record<string, unknown>>> = {
  foursquare: ({ access_token }) => ({ access_token }),
  instagram: ({ access_token }) => ({ data: [{ access_token, user_id: 1, permissions: 'instagram_business_basic' }] }),
  linear: (answer) => ({ ...answer, scope: ['read'] }),
  mailchimp: ({ access_token }) => ({ access_token, expires_in: 0, scope: null }),
  naver: (answer) => ({ ...answer, expires_in: '3600' }),
  notion: ({ expires_in: _, ...answer }) => ({ ...answer, refresh_token: null, bot_id: 'b', workspace_icon: null }),
  threads: ({ access_token }) => ({ access_token, user_id: 1 }),
  tumblr: (answer) => ({ ...answer, id_token: false }),
  twitch: (answer) => ({ ...answer, scope: ['openid', 'user:read:email'] }),
  wechat: ({ token_type: _, ...answer }) => answer,
  withings: ({ token_type: _, ...body }) => ({ status: 0, body }),
}
/** Members of ID tokens that providers set in another way than by the client alone. */
const CLAIMS: Readonly<Record<string, Record<string, unknown>>> = {
  // The project and all its applications.
  zitadel: { aud: ['328859038232151180', CLIENT.clientId, '328859038097867422'], azp: CLIENT.clientId },
  kinde: { aud: [CLIENT.clientId, 'https://api.example.com'], azp: CLIENT.clientId },
}
const TOKEN_CONTENT_TYPES: Readonly<Record<string, string>> = { wechat: 'text/plain', wikimedia: 'text/html' }

/** What one sign-in finds at the provider. */
export interface ProviderData {
  readonly profile: Record<string, unknown>
  readonly extra?: unknown
  /** Further members of the token answer. */
  readonly token?: Record<string, unknown>
}

/** A provider that speaks one provider's dialect to the letter, and notes whatever a client gets wrong. */
export class DialectProvider {
  facts!: ProviderFacts
  providerData: ProviderData = { profile: {} }
  /** PEM of the key that signs client secrets. */
  secretKey: string | undefined
  readonly complaints: string[] = []
  readonly calls: string[] = []
  #request: URLSearchParams = new URLSearchParams()
  #isThin = false
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<DialectProvider> {
    const server = createServer()
    const provider = new DialectProvider(server)
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const origin = String(request.headers['x-dialect-origin'])
      const url = new URL(request.url ?? '/', origin)
      const answer = await provider
        .#answer(`${origin}${url.pathname}`, {
          method: request.method ?? 'GET',
          path: url.pathname,
          query: url.searchParams,
          headers: request.headers,
          body: new URLSearchParams(text),
          text,
        })
        .catch((error: unknown) => {
          provider.complaints.push(String(error))
          return Response.json({ error: 'server_error' }, { status: 500 })
        })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(await answer.text())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Takes the part of another provider. */
  play(facts: ProviderFacts, providerData: ProviderData, isThin: boolean): void {
    this.facts = facts
    this.providerData = providerData
    this.#isThin = isThin
    this.complaints.length = 0
    this.calls.length = 0
  }

  /** A `fetch` that reaches this provider under every address. */
  get fetch(): typeof fetch {
    const { port } = this.#server.address() as AddressInfo
    return ((input: string | URL, init: RequestInit = {}) => {
      const { origin, pathname, search } = new URL(input)
      const headers = { ...Object.fromEntries(new Headers(init.headers)), 'x-dialect-origin': origin }
      return platformFetch(`http://127.0.0.1:${port}${pathname}${search}`, { ...init, headers })
    }) as typeof fetch
  }

  get variables(): Record<string, string> {
    return { ...CLIENT, ...DEFAULTS[this.facts.id], ...SAMPLE_OPTIONS[this.facts.id] }
  }

  /** A text of the facts with its templates filled in; those that nothing is known for stay. */
  expand(text: string): string {
    const values: Record<string, string | undefined> = {
      ...this.variables,
      state: this.#request.get('state') ?? '',
      scopes: this.facts.scopes.join(this.facts.scopeSeparator ?? ' '),
      access_token: this.#accessToken,
      'callback.device_id': 'the-device',
      'token.openid': String(this.providerData.token?.['openid']),
      user_id: String(this.providerData.profile['user_id']),
    }
    return text.replaceAll(/\{([\w.]+)\}/g, (match, name: string) => values[name] ?? match)
  }

  get issuer(): string {
    const { issuer = '{issuer}' } = this.facts
    const text = this.expand(issuer)
    return text.includes('{') ? (this.variables['issuer'] ?? text) : text
  }

  /** An endpoint of the facts; one under the issuer where discovery alone knows it. */
  endpoint(name: 'authorization' | 'token' | 'userinfo'): string {
    const url = this.facts[name]?.url
    return url ? this.expand(url) : `${this.issuer}/${name}`
  }

  #accessToken = ACCESS_TOKEN

  /** The person agrees. Notes what is wrong with the request, and gives the parameters of the answer. */
  authorize(url: URL, redirectUri: string): URLSearchParams {
    const { facts } = this
    const sent = url.searchParams
    this.#request = sent
    this.#expect('authorization endpoint', `${url.origin}${url.pathname}`, this.endpoint('authorization').split('#')[0])
    this.#expect('response_type', sent.get('response_type'), 'code')
    this.#expect('client_id', sent.get('client_id'), CLIENT.clientId)
    this.#expect('redirect_uri', sent.get('redirect_uri'), redirectUri)
    this.#expect('scope', sent.get('scope') ?? '', facts.scopes.join(facts.scopeSeparator ?? ' '))
    for (const [name, value] of Object.entries(facts.authorization.params ?? {})) {
      if (name === 'scope' || name === 'response_type') continue
      const got = name === 'fragment' ? url.hash.slice(1) : sent.get(name)
      this.#expect(`authorization parameter ${name}`, got, this.expand(value))
    }
    // Neither is refused by a server that does not know it, so whatever is not known to do harm is sent.
    const isPkce = facts.pkceSupported !== false
    this.#expect('code_challenge_method', sent.get('code_challenge_method'), isPkce ? 'S256' : null)
    this.#expect('code_challenge', sent.get('code_challenge')?.length ?? 0, isPkce ? 43 : 0)
    this.#expect('state', (sent.get('state')?.length ?? 0) >= 22, true)
    this.#expect('nonce', sent.has('nonce'), facts.type === 'oidc' && facts.id !== 'linkedin')
    return new URLSearchParams({
      code: 'the-code',
      state: sent.get('state') ?? '',
      ...(facts.issParameter === true ? { iss: this.issuer } : {}),
      ...(facts.token.params?.['device_id'] ? { device_id: 'the-device' } : {}),
      ...(facts.id === 'apple' && this.providerData.profile['user']
        ? { user: JSON.stringify({ ...(this.providerData.profile['user'] as object), email: 'victim@example.com' }) }
        : {}),
    })
  }

  #expect(what: string, got: unknown, wanted: unknown): void {
    if (got !== wanted) this.complaints.push(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`)
  }

  async #answer(url: string, call: FakeCall): Promise<Response> {
    this.calls.push(url)
    const { facts } = this
    const at = (address: string) => URL.canParse(address) && url === new URL(address).origin + new URL(address).pathname
    if (facts.type === 'oidc' && at(this.#wellKnown)) return Response.json(this.#metadata())
    if (at(this.#jwks)) return Response.json({ keys: [(await fakeKey('key-1')).jwk] })
    if (at(this.endpoint('token'))) return this.#token(call)
    if (facts.userinfo && at(this.endpoint('userinfo'))) return this.#userinfo(call)
    for (const request of facts.extraRequests ?? []) {
      const address = this.expand(request.url)
      if (!at(address)) continue
      this.#checkHeaders(request.headers, call)
      this.#expect('access token', call.headers.authorization, `Bearer ${this.#accessToken}`)
      return Response.json(facts.id === 'etsy' ? this.providerData.profile : (this.providerData.extra ?? null))
    }
    // A picture that is not there must not fail a sign-in.
    if (url.startsWith('https://graph.microsoft.com/v1.0/me/photos/')) return new Response(null, { status: 404 })
    this.complaints.push(`nothing is at ${url}`)
    return new Response(null, { status: 404 })
  }

  get #wellKnown(): string {
    return this.expand(this.facts.wellKnown ?? `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  }

  get #jwks(): string {
    return this.expand(this.facts.jwks ?? `${this.issuer}/dialect-keys`)
  }

  #metadata(): Record<string, unknown> {
    const { facts } = this
    const method = facts.tokenEndpointAuthMethod
    return {
      issuer: ANNOUNCED[facts.id] ?? this.issuer,
      authorization_endpoint: this.endpoint('authorization'),
      token_endpoint: this.endpoint('token'),
      ...(facts.userinfo ? { userinfo_endpoint: this.endpoint('userinfo') } : {}),
      jwks_uri: this.#jwks,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [facts.id === 'line' ? 'ES256' : 'RS256'],
      ...(facts.pkceSupported === true ? { code_challenge_methods_supported: ['S256'] } : {}),
      ...(facts.issParameter === true ? { authorization_response_iss_parameter_supported: true } : {}),
      token_endpoint_auth_methods_supported: [method],
    }
  }

  #checkHeaders(headers: Record<string, string> | undefined, call: FakeCall): void {
    for (const [name, value] of Object.entries(headers ?? {})) {
      const got = call.headers[name.toLowerCase()]
      if (value === 'required')
        this.#expect(`header ${name}`, Boolean(got) && !/^(node|undici)/.test(String(got)), true)
      else this.#expect(`header ${name}`, got, this.expand(value))
    }
  }

  async #token(call: FakeCall): Promise<Response> {
    const { facts } = this
    const { token, tokenEndpointAuthMethod: method } = facts
    const type = String(call.headers['content-type'] ?? '').split(';')[0]
    const sent =
      token.method === 'GET'
        ? Object.fromEntries(call.query)
        : type === 'application/json'
          ? (JSON.parse(call.text) as Record<string, string>)
          : Object.fromEntries(call.body)
    this.#expect('method of the token request', call.method, token.method ?? 'POST')
    if (token.method !== 'GET') {
      this.#expect('type of the token request', type, token.contentType === 'application/json' ? type : FORM)
      if (token.contentType === 'application/json') this.#expect('type of the token request', type, 'application/json')
    }
    this.#checkHeaders(token.headers, call)
    await this.#checkClient(method, sent, call)
    this.#expect('grant_type', sent['grant_type'], 'authorization_code')
    this.#expect('code', sent['code'], 'the-code')
    if (token.method !== 'GET') this.#expect('redirect_uri', sent['redirect_uri'], this.#request.get('redirect_uri'))
    const challenge = this.#request.get('code_challenge')
    const verifier = sent['code_verifier']
    this.#expect('verifier', verifier === undefined ? null : sha256(verifier), challenge)
    for (const [name, value] of Object.entries(token.params ?? {})) {
      this.#expect(`token parameter ${name}`, sent[name], this.expand(value))
    }
    if (this.complaints.length > 0) return Response.json({ error: 'invalid_request' }, { status: 400 })
    return this.#tokens()
  }

  async #checkClient(method: string, sent: Record<string, string>, call: FakeCall): Promise<void> {
    const { clientId, clientSecret } = CLIENT
    const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    const isBasic = method === 'client_secret_basic'
    // The library encodes as RFC 6749 §2.3.1 wants it; these texts decode to themselves.
    const header = decodeURIComponent(
      Buffer.from(String(call.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString(),
    )
    this.#expect('Authorization at the token endpoint', header, isBasic ? `${clientId}:${clientSecret}` : '')
    if (isBasic) this.#expect('scheme', call.headers.authorization?.slice(0, 6), basic.slice(0, 6))
    if (isBasic || method === 'none') this.#expect('client_secret in the body', sent['client_secret'], undefined)
    if (method === 'none' || method === 'client_secret_post') this.#expect('client_id', sent['client_id'], clientId)
    if (method !== 'client_secret_post') return
    if (!this.secretKey) return this.#expect('client_secret', sent['client_secret'], clientSecret)
    const { payload, protectedHeader } = await jwtVerify(
      String(sent['client_secret']),
      await importSPKI(this.secretKey, 'ES256'),
      { issuer: this.variables['teamId'] ?? '', audience: 'https://appleid.apple.com', subject: clientId },
    )
    this.#expect('kid of the secret', protectedHeader.kid, this.variables['keyId'])
    this.#expect('life of the secret', Number(payload.exp) - Number(payload.iat) <= 15_777_000, true)
  }

  async #tokens(): Promise<Response> {
    const { facts, providerData } = this
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const key = await fakeKey('key-1')
    this.#accessToken =
      facts.id === 'eveonline'
        ? await signWith(key, {
            ...times,
            iss: 'https://login.eveonline.com',
            aud: [CLIENT.clientId, 'EVE Online'],
            ...this.#claims(['iss', 'aud', 'iat', 'exp', 'azp', 'kid']),
          })
        : ACCESS_TOKEN
    const nonce = this.#request.get('nonce')
    const claims = {
      ...(this.#isThin ? { sub: providerData.profile['sub'] } : this.#claims(REGISTERED)),
      iss: this.issuer,
      aud: CLIENT.clientId,
      ...CLAIMS[facts.id],
      ...times,
      ...(nonce === null ? {} : { nonce }),
      ...(this.issuer.includes(TENANT) ? { tid: TENANT } : {}),
    } as Record<string, unknown>
    const hmac = () =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT.clientSecret))
    const answer = {
      access_token: this.#accessToken,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(facts.type === 'oidc' ? { id_token: facts.id === 'line' ? await hmac() : await signWith(key, claims) } : {}),
      ...providerData.token,
    }
    const body = TOKEN_ANSWERS[facts.id]?.(answer) ?? answer
    const headers = {
      'content-type': TOKEN_CONTENT_TYPES[facts.id] ?? 'application/json',
      ...(facts.id === 'fusionauth' ? { 'www-authenticate': 'Basic' } : {}),
    }
    return new Response(JSON.stringify(body), { headers })
  }

  #claims(without: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.providerData.profile).filter(([name]) => !without.includes(name)))
  }

  async #userinfo(call: FakeCall): Promise<Response> {
    const { facts, providerData } = this
    const { userinfo = { url: null } } = facts
    if (facts.type === 'oidc' && !this.#isThin) this.complaints.push('userinfo was called without a need')
    this.#expect('method of the userinfo request', call.method, userinfo.method ?? 'GET')
    this.#checkHeaders(userinfo.headers, call)
    for (const [name, value] of new URL(this.endpoint('userinfo')).searchParams) {
      this.#expect(`userinfo parameter ${name}`, call.query.get(name), value)
    }
    for (const [name, value] of Object.entries(userinfo.params ?? {})) {
      this.#expect(`userinfo parameter ${name}`, call.query.get(name), this.expand(value))
    }
    const inQuery = /query parameter (\w+)/.exec(userinfo.accessTokenIn ?? '')?.[1]
    const inBody = userinfo.body && Object.values(userinfo.body).includes('{access_token}')
    const scheme = /Authorization: (\S+)/.exec(userinfo.auth ?? '')?.[1] ?? 'Bearer'
    const wanted = inQuery || inBody ? undefined : `${scheme} ${this.#accessToken}`
    if (inQuery) this.#expect('access token', call.query.get(inQuery), this.#accessToken)
    const authorization = call.headers.authorization?.replace(/^bearer /i, 'Bearer ')
    this.#expect('Authorization at the userinfo endpoint', authorization, wanted)
    const type = String(call.headers['content-type'] ?? '').split(';')[0]
    if (userinfo.contentType) this.#expect('type of the userinfo request', type, userinfo.contentType)
    if (userinfo.body === null) this.#expect('body of the userinfo request', `${type}${call.text}`, '')
    for (const [name, value] of Object.entries(userinfo.body ?? {})) {
      const sent = type === FORM ? call.body.get(name) : (JSON.parse(call.text) as Record<string, unknown>)[name]
      // A GraphQL document is full of braces of its own.
      this.#expect(`userinfo body ${name}`, sent, name === 'query' ? value : this.expand(value))
    }
    if (userinfo.response?.startsWith('signed')) {
      const token = await signWith(await fakeKey('key-1'), {
        ...providerData.profile,
        iss: this.issuer,
        aud: CLIENT.clientId,
      })
      return new Response(token, { headers: { 'content-type': 'application/jwt' } })
    }
    return Response.json(
      facts.id === 'etsy' ? { user_id: providerData.profile['user_id'], shop_id: 1 } : providerData.profile,
    )
  }
}

const FORM = 'application/x-www-form-urlencoded'
/** Claims that are the token's own, not the person's. `user` is what Apple posts beside it. */
const REGISTERED = ['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'nonce', 'auth_time', 'at_hash', 'c_hash', 'user', 'tid']

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
