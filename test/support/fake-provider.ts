import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** What the fake provider answers a call with. */
export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  /** Text is sent as it is, anything else as JSON. */
  body: unknown
  /** Milliseconds before anything is sent. */
  delayMs?: number
}

/** A call that the fake provider received. */
export interface FakeCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: URLSearchParams
  readonly text: string
}

/** A key the fake provider may sign with. */
export interface FakeKey {
  readonly alg: string
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  readonly jwk: JWK
}

/** Switches of the fake provider: each changes an answer before it is given. */
export interface FakeFaults {
  metadata?: (document: Record<string, unknown>) => unknown
  /** The whole answer with the metadata, where the document alone is not enough. */
  discovery?: ((document: Record<string, unknown>) => FakeAnswer) | undefined
  answer?: (params: URLSearchParams) => void
  token?: (answer: Record<string, unknown>, call: FakeCall) => FakeAnswer | undefined
  claims?: (claims: JWTPayload & Record<string, unknown>) => JWTPayload
  /** Makes the ID token of its claims; the default signs with the first key. */
  idToken?: (claims: JWTPayload) => Promise<string | undefined> | string | undefined
  userinfo?: (profile: Record<string, unknown>, call: FakeCall) => FakeAnswer | undefined
  jwks?: (keys: JWK[]) => FakeAnswer | undefined
}

const made = new Map<string, Promise<FakeKey>>()

/** A signing key, made once per name in a test run: RSA keys take their time. */
export function fakeKey(kid: string, alg = 'RS256'): Promise<FakeKey> {
  const known = made.get(kid)
  if (known) return known
  const key = (async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
  })()
  made.set(kid, key)
  return key
}

/** An identity provider that answers correctly, except where a test switches on a fault. */
export class FakeProvider {
  faults: FakeFaults = {}
  readonly calls: FakeCall[] = []
  /** Keys whose public halves are published; the first signs. */
  keys: FakeKey[] = []
  profile: Record<string, unknown> = {
    sub: 'person-1',
    name: 'Ada',
    email: 'Ada@Example.com',
    picture: 'https://img.example/ada.png',
  }
  readonly #server: Server
  readonly #codes = new Map<string, URLSearchParams>()
  #count = 0
  #open = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<FakeProvider> {
    const server = createServer()
    const provider = new FakeProvider(server)
    provider.keys = [await fakeKey('key-1')]
    server.on('request', (request, response) => void provider.#respond(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Back to doing everything right. */
  reset(): void {
    this.faults = {}
    this.calls.length = 0
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Whether a call has not got its whole answer yet. */
  get isAnswering(): boolean {
    return this.#open > 0
  }

  /** Calls to one path. */
  callsTo(path: string): FakeCall[] {
    return this.calls.filter((call) => call.path === path)
  }

  /** What a person does in the browser: agrees, and is sent back with these parameters. */
  authorize(url: string): URLSearchParams {
    const request = new URL(url).searchParams
    this.#count += 1
    const code = `code-${this.#count}-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`
    this.#codes.set(code, request)
    const answer = new URLSearchParams({ code, iss: this.issuer })
    const state = request.get('state')
    if (state !== null) answer.set('state', state)
    this.faults.answer?.(answer)
    return answer
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', this.issuer)
    const call: FakeCall = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: new URLSearchParams(text),
      text,
    }
    this.calls.push(call)
    this.#open += 1
    response.once('close', () => {
      this.#open -= 1
    })
    const answer = await this.#answer(call)
    if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(body)
  }

  async #answer(call: FakeCall): Promise<FakeAnswer> {
    switch (call.path) {
      case '/.well-known/openid-configuration':
        if (this.faults.discovery) return this.faults.discovery(this.#metadata())
        return { body: this.faults.metadata?.(this.#metadata()) ?? this.#metadata() }
      case '/jwks': {
        const keys = this.keys.map(({ jwk }) => jwk)
        return this.faults.jwks?.(keys) ?? { body: { keys } }
      }
      case '/token':
        return this.#token(call)
      case '/userinfo':
        return this.faults.userinfo?.(this.profile, call) ?? { body: this.profile }
      default:
        return { status: 404, body: { error: 'not_found' } }
    }
  }

  #metadata(): Record<string, unknown> {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      backchannel_logout_supported: true,
      frontchannel_logout_supported: true,
    }
  }

  async #token(call: FakeCall): Promise<FakeAnswer> {
    const code = call.body.get('code') ?? ''
    const request = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = request?.get('code_challenge')
    const verifier = createHash('sha256')
      .update(call.body.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight =
      request && call.body.get('redirect_uri') === request.get('redirect_uri') && (!challenge || challenge === verifier)
    const claims = {
      iss: this.issuer,
      aud: request?.get('client_id') ?? 'client',
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 300,
      ...(request?.get('nonce') ? { nonce: request.get('nonce') } : {}),
      ...this.profile,
    } as JWTPayload & Record<string, unknown>
    const id_token = await this.#idToken(this.faults.claims?.(claims) ?? claims)
    const answer = {
      access_token: 'marked-access-token',
      refresh_token: 'marked-refresh-token',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email',
      ...(id_token === undefined ? {} : { id_token }),
    }
    const chosen = this.faults.token?.(answer, call)
    if (chosen) return chosen
    return isRight
      ? { body: answer }
      : { status: 400, body: { error: 'invalid_grant', error_description: `code ${code}` } }
  }

  #idToken(claims: JWTPayload): Promise<string | undefined> | string | undefined {
    if (this.faults.idToken) return this.faults.idToken(claims)
    const [key] = this.keys
    if (!key) throw new Error('the fake provider has no key')
    return signWith(key, claims)
  }
}

/** A signed token of these claims. */
export const signWith = (key: FakeKey, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, ...header }).sign(key.privateKey)

/** What a provider, or the proxy in front of it, answers while it fails. */
export const FAILURES: readonly FakeAnswer[] = [
  { status: 500, body: { error: 'server_error' } },
  { status: 500, body: { error: 'invalid_grant' } },
  { status: 502, body: { message: 'upstream' } },
  { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>503</h1>' },
  { status: 504, body: '' },
]
