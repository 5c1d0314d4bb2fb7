import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A person who signs in. */
export interface Person {
  readonly sub: string
  readonly email: string
  /** What the provider says about the address: verified or not. Absent if it says nothing. */
  readonly email_verified?: boolean
}

let count = 0

/** A person whom no store knows. */
export function newPerson(isVerified?: boolean): Person {
  count += 1
  const sub = `person-${process.pid}-${count}`
  return { sub, email: `${sub}@example.com`, ...(isVerified !== undefined && { email_verified: isVerified }) }
}

/** An identity provider for OpenID Connect and OAuth, with many people at the same time. */
export interface Provider {
  readonly issuer: string
  /** Milliseconds that are added to the provider's clock. */
  clockOffset: number
  /** How the provider answers requests for discovery and keys: correctly, with 503, or never. */
  documents: 'well' | 'fail' | 'hang'
  /** Agrees to a sign-in, as a person does in the browser. @returns the query of the authorization response */
  authorize(url: string, person: Person): string
  stop(): Promise<void>
}

/** The data of a code until it is used. */
interface Grant {
  readonly person: Person
  readonly request: URLSearchParams
}

export async function startProvider(): Promise<Provider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const holders = new Map<string, Person>()

  const tokenFor = async (body: URLSearchParams): Promise<unknown> => {
    const grant = grants.get(body.get('code') ?? '')
    grants.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || challenge !== grant.request.get('code_challenge')) return null
    const now = Math.floor((Date.now() + provider.clockOffset) / 1000)
    const nonce = grant.request.get('nonce')
    const { person, request } = grant
    const claims = { ...person, name: 'Ada', ...(nonce !== null && { nonce }) }
    const access_token = randomUUID()
    holders.set(access_token, person)
    const isOidc = request.get('scope')?.split(' ').includes('openid')
    const id_token = isOidc
      ? await new SignJWT({ ...claims, iss: provider.issuer, aud: request.get('client_id') ?? '' })
          .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
          .setIssuedAt(now)
          .setExpirationTime(now + 300)
          .sign(privateKey)
      : undefined
    return { access_token, token_type: 'Bearer', expires_in: 3600, ...(id_token && { id_token }) }
  }
  const answerTo = async (path: string, request: IncomingMessage): Promise<unknown> => {
    if (path === '/token') return tokenFor(new URLSearchParams(await textOf(request)))
    if (path === '/userinfo') return holders.get(request.headers.authorization?.replace(/^Bearer /i, '') ?? '') ?? null
    if (provider.documents === 'fail') return null
    if (path === '/jwks') return { keys: [jwk] }
    return path === '/.well-known/openid-configuration' ? metadata(provider.issuer) : null
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://provider').pathname
    const isDocument = path === '/jwks' || path.startsWith('/.well-known/')
    if (isDocument && provider.documents === 'hang') return
    const body = await answerTo(path, request)
    response.writeHead(body ? 200 : isDocument ? 503 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'invalid_request' }))
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: Provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clockOffset: 0,
    documents: 'well',
    authorize(url, person) {
      const request = new URL(url).searchParams
      const code = randomUUID()
      grants.set(code, { person, request })
      const isOidc = request.get('scope')?.split(' ').includes('openid')
      const state = request.get('state')
      return new URLSearchParams({ code, ...(state && { state }), ...(isOidc && { iss: provider.issuer }) }).toString()
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
  return provider
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
})

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
