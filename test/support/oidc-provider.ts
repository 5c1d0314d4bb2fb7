import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ClientMetadata, Configuration } from 'oidc-provider'

/** A certified OpenID provider on a port of its own, and a person who signs in there without a browser. */
export interface RealOidcProvider {
  readonly issuer: string
  /**
   * Does what a person does: opens the authorization URL, signs in as `login`, agrees.
   *
   * @returns how the answer comes back: by GET with a query, or by POST with a body
   */
  authorize(url: string, login?: string): Promise<{ method: 'GET' | 'POST'; url: URL; params: URLSearchParams }>
  stop(): Promise<void>
}

/** The parts of its settings that tests change. */
export interface RealOidcSettings {
  readonly clients: readonly Partial<ClientMetadata>[]
  readonly configuration?: Configuration
  /**
   * Serves the token and userinfo endpoints over TLS too, at addresses that the metadata name as those for mutual TLS. The
   * certificate of the client is asked for, and its authority is checked by the provider, not by the connection.
   */
  readonly mutualTls?: Pick<ServerOptions, 'key' | 'cert' | 'ca'>
}

/** Starts the provider. Every login name is a person; the address is `<login>@example.com`, verified. */
export async function startOidcProvider({
  clients,
  configuration = {},
  mutualTls,
}: RealOidcSettings): Promise<RealOidcProvider> {
  const tlsServer = mutualTls && createTlsServer({ ...mutualTls, requestCert: true, rejectUnauthorized: false })
  tlsServer?.listen(0, '127.0.0.1')
  if (tlsServer) await once(tlsServer, 'listening')
  const tlsOrigin = `https://localhost:${(tlsServer?.address() as AddressInfo | undefined)?.port}`
  const aliases = { token_endpoint: `${tlsOrigin}/token`, userinfo_endpoint: `${tlsOrigin}/me` }
  const provider = await quietly(async () => {
    const { Provider } = await import('oidc-provider')
    // The issuer is known once there is a port; until then nobody asks.
    return new Provider('http://127.0.0.1', {
      clients: clients as ClientMetadata[],
      findAccount: (_ctx, id) => ({
        accountId: id,
        claims: () => ({ sub: id, name: `Person ${id}`, email: `${id}@example.com`, email_verified: true }),
      }),
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of the test provider'] },
      ...configuration,
      ...(tlsServer && { discovery: { mtls_endpoint_aliases: aliases } }),
      features: { devInteractions: { enabled: true }, ...configuration.features },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        IdToken: 600,
        Interaction: 600,
        RefreshToken: 600,
        Session: 600,
      },
    })
  })
  tlsServer?.on('request', provider.callback())
  const server: Server = provider.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  Object.defineProperty(provider, 'issuer', { value: issuer })
  return {
    issuer,
    authorize: (url, login = 'ada') => walkThrough(url, login),
    async stop() {
      for (const each of tlsServer ? [server, tlsServer] : [server]) {
        each.closeAllConnections()
        await new Promise((resolve) => each.close(resolve))
      }
    },
  }
}

async function walkThrough(start: string, login: string) {
  const cookies = new Map<string, string>()
  const redirectUri = new URL(start).searchParams.get('redirect_uri')
  let url = new URL(start)
  let body: URLSearchParams | undefined
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body ? { body } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    body = undefined
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      if (isAnswer(url, redirectUri, new URL(start))) return { method: 'GET' as const, url, params: url.searchParams }
      continue
    }
    const form = readForm(await response.text())
    if (!form) throw new Error(`the provider answered ${response.status} with a page without a form`)
    const action = new URL(form.action, url)
    if (isAnswer(action, redirectUri, new URL(start)))
      return { method: 'POST' as const, url: action, params: form.fields }
    url = action
    body = form.fields
    if (body.get('prompt') === 'login') {
      body.set('login', login)
      body.set('password', 'any')
    }
  }
  throw new Error('the provider went round in circles')
}

/** Whether a URL is the application's: that of the request, or, when the request was pushed, any on another host. */
const isAnswer = (url: URL, redirectUri: string | null, start: URL): boolean =>
  redirectUri === null ? url.host !== start.host : url.href.startsWith(redirectUri)

function readForm(html: string): { action: string; fields: URLSearchParams } | null {
  const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1]
  if (action === undefined) return null
  const fields = new URLSearchParams()
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    if (name) fields.set(name, decodeEntities(/value="([^"]*)"/.exec(input)?.[1] ?? ''))
  }
  return { action: decodeEntities(action), fields }
}

const decodeEntities = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The provider prints a page of advice for production when it is made; a test run does not need it. */
async function quietly<T>(make: () => Promise<T>): Promise<T> {
  const { info, warn } = console
  console.info = () => {}
  console.warn = () => {}
  try {
    return await make()
  } finally {
    console.info = info
    console.warn = warn
  }
}
