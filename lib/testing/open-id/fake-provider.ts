import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { processEnv } from '../../config/env.js'
import { AuthError, InvalidConfiguration } from '../../kernel/errors.js'
import { nearestName } from '../../kernel/nearest-name.js'
import type { OIDCConfig, OIDCUserConfig, Profile } from '../../providers/provider.js'
import {
  ANYBODY,
  CHANGES,
  type Changes,
  type Misbehaviour,
  type PersonOfProvider,
  type ProviderAnswer,
} from './answers.js'
import { createEndpoints, PATHS_FOR_BROWSERS, type ProviderCall } from './endpoints.js'

/** Options of {@link fakeOpenIdProvider}. */
export interface FakeOpenIdProviderOptions {
  /** Who signs in, until `nextUser` is set. */
  readonly user?: PersonOfProvider
}

/** How long a provider misbehaves. */
export interface MisbehaviourOptions {
  /** Until `behave()`, and not for the next sign-in only. */
  readonly always?: boolean
}

/** A request that a fake provider got. */
export interface RequestToProvider {
  readonly method: string
  /** Such as `/token`. */
  readonly path: string
  /** Parameters of the query and of the form. */
  readonly parameters: URLSearchParams
}

/** An OpenID provider for a test. */
export interface FakeOpenIdProvider extends AsyncDisposable {
  /** `http://127.0.0.1:` and the port. */
  readonly issuer: string
  /** A client that the provider knows, for entries of the catalogue: `Keycloak({ issuer, clientId, clientSecret })`. */
  readonly clientId: string
  readonly clientSecret: string
  /** Who signs in from now on, without a question. */
  nextUser: PersonOfProvider
  /** All requests, oldest first. */
  readonly requests: readonly RequestToProvider[]
  /**
   * An entry for `providers` of the configuration, with the id `fake`.
   *
   * @param options members of an entry that replace those of this one. The provider then knows a client with another
   *   `clientId`; it refuses another secret of a client that it knows
   */
  entry(options?: OIDCUserConfig<Profile>): OIDCConfig<Profile>
  /**
   * Goes to the provider, as a browser does, for tests without one.
   *
   * @param authorizationUrl where the application sends the browser: the `Location` of its answer
   * @returns the URL of the application that the provider sends the browser back to
   * @throws {AuthError} if it is no URL of this provider, or the provider sends the browser nowhere
   */
  visit(authorizationUrl: string | URL | null | undefined): Promise<URL>
  /**
   * Does something wrong at the next sign-in. `slow` and `down` begin at once, and last until `behave()`.
   *
   * @throws {InvalidConfiguration} for an unknown name
   */
  misbehave(name: Misbehaviour, options?: MisbehaviourOptions): void
  /** Does everything right again. Calls that were not answered are answered now. */
  behave(): void
  /** Stops the server. */
  close(): Promise<void>
}

/** Its logout needs no ID token, so it leads back also where nothing is stored. */
const FAKE_ENTRY = {
  id: 'fake',
  name: 'Fake provider',
  checks: ['pkce', 'nonce'],
  tokenFacts: { endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true } },
} satisfies Partial<OIDCConfig<Profile>>

const CLIENT_ID = 'test-client'
const CLIENT_SECRET = 'the client secret of a test'

/**
 * Starts an OpenID provider in this process. It signs in at once whoever the test says, and can misbehave. Otherwise it is as
 * strict as a real one: with PKCE, client secrets, scopes, and codes and refresh tokens that are good once.
 *
 * It does not keep the process alive. In production it refuses to start.
 *
 * @throws {InvalidConfiguration} in production
 */
export async function fakeOpenIdProvider({
  user = ANYBODY,
}: FakeOpenIdProviderOptions = {}): Promise<FakeOpenIdProvider> {
  if (processEnv().isProduction) {
    throw new InvalidConfiguration(
      'fakeOpenIdProvider() signs anybody in without a password, so it does not work in production.',
    )
  }
  const clients = new Map<string, string | undefined>([[CLIENT_ID, CLIENT_SECRET]])
  const requests: RequestToProvider[] = []
  const server = createServer((request, response) => {
    // It fails if the client has left before its request was complete.
    respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  let wrong: { readonly changes: Changes; readonly always: boolean } | null = null
  let release = () => {}
  let released = Promise.resolve()
  const behave = () => {
    wrong = null
    release()
  }
  const takeChanges = (concerns: (changes: Changes) => boolean = () => true): Changes => {
    if (!wrong || !concerns(wrong.changes)) return {}
    const { changes, always } = wrong
    if (!always) wrong = null
    return changes
  }
  const answer = createEndpoints({ issuer, clients, person: () => provider.nextUser, takeChanges })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const call = {
      path: pathname,
      parameters: new URLSearchParams([...searchParams, ...new URLSearchParams(await bodyOf(request))]),
      authorization: headers.authorization,
    } satisfies ProviderCall
    requests.push({ method, path: pathname, parameters: call.parameters })
    const connection = PATHS_FOR_BROWSERS.includes(pathname) ? undefined : wrong?.changes.connection
    if (connection === 'broken') return void request.socket.destroy()
    if (connection === 'silent') await released
    send(response, answer(call))
  }

  async function close(): Promise<void> {
    behave()
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
    server.closeAllConnections()
    await closed
  }

  const provider: FakeOpenIdProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    nextUser: user,
    requests,
    entry(options = {}) {
      const entry = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, ...options }
      if (!clients.has(entry.clientId)) clients.set(entry.clientId, entry.clientSecret)
      return { ...FAKE_ENTRY, ...entry, type: 'oidc', issuer }
    },
    async visit(authorizationUrl) {
      const url = String(authorizationUrl)
      if (!url.startsWith(`${issuer}/`)) {
        throw new AuthError(`The application sends the browser to ${url}, and not to the provider at ${issuer}.`)
      }
      const response = await fetch(url, { redirect: 'manual' })
      const location = response.headers.get('location')
      if (location === null) throw new AuthError(`The provider sends the browser nowhere: ${await response.text()}`)
      return new URL(location)
    },
    misbehave(name, { always = false } = {}) {
      if (!Object.hasOwn(CHANGES, name)) throw unknownName(name)
      behave()
      const changes = CHANGES[name]
      wrong = { changes, always: always || changes.connection !== undefined }
      if (changes.connection === 'silent') {
        released = new Promise((resolve) => {
          release = resolve
        })
      }
    },
    behave,
    close,
    [Symbol.asyncDispose]: close,
  }
  return provider
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, { status = 200, headers, body }: ProviderAnswer): void {
  const isText = typeof body === 'string'
  response.writeHead(status, {
    'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
    ...headers,
  })
  response.end(isText ? body : JSON.stringify(body))
}

function unknownName(name: string): InvalidConfiguration {
  const names = Object.keys(CHANGES)
  const nearest = nearestName(String(name), names)
  const hint = nearest === undefined ? `It knows ${names.join(', ')}.` : `Did you mean "${nearest}"?`
  return new InvalidConfiguration(`A fake provider has no misbehaviour "${name}". ${hint}`)
}
