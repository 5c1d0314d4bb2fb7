import { parseSetCookie, type SetCookie } from 'cookie'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import type { AuthConfig } from '../../lib/config/options.js'
import { createEngine } from '../../lib/engine/engine.js'
import { toResponse } from '../../lib/kernel/answer.js'
import { incomingFromRequest } from '../../lib/kernel/incoming.js'
import { withoutUndefined } from '../../lib/kernel/objects.js'
import type { CurrentSession, Session } from '../../lib/sessions/session.js'
import { ADA, createLog, type Log, testConfig } from './app.js'
import { requestContext, withSessions } from './request-context.js'

/** A clock that stands still until a test advances it. */
export class Clock {
  constructor(public ms = Date.parse('2031-05-04T03:02:01.000Z')) {}

  readonly now = () => this.ms

  get seconds(): number {
    return Math.floor(this.ms / 1000)
  }

  advance(seconds: number): void {
    this.ms += seconds * 1000
  }
}

/** What a browser of the test app received. */
export interface TestResponse {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all shapes
  json(): any
  /** Every cookie the answer set or deleted, in order, as it was written. */
  readonly setCookies: readonly SetCookie[]
}

/** A browser of a test app: it keeps cookies by the test app's clock, and calls the engine without a network. */
export class TestBrowser {
  readonly jar = new Map<string, { value: string; expires: Date | undefined }>()
  /** Its address in the network; undefined where nothing knows it. */
  address: string | undefined

  constructor(
    readonly engine: ReturnType<typeof withSessions>,
    readonly clock: Clock,
    readonly origin: string,
  ) {}

  /** Another browser with the same cookies, as a thief would have it. */
  copy(): TestBrowser {
    const other = new TestBrowser(this.engine, this.clock, this.origin)
    for (const [name, cookie] of this.jar) other.jar.set(name, cookie)
    return other
  }

  plant(name: string, value: string): void {
    this.jar.set(name, { value, expires: undefined })
  }

  /** Names of the session cookie and its pieces, in the jar's order. */
  sessionNames(): string[] {
    return [...this.#live()].map(([name]) => name).filter((name) => name.includes('session-token'))
  }

  cookieHeader(): string | undefined {
    const pairs = [...this.#live()].map(([name, { value }]) => `${name}=${value}`)
    return pairs.length > 0 ? pairs.join('; ') : undefined
  }

  get(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.#send(path, { method: 'GET', headers })
  }

  head(path: string): Promise<TestResponse> {
    return this.#send(path, { method: 'HEAD' })
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  postJson(path: string, body: unknown): Promise<TestResponse> {
    const headers = { 'content-type': 'application/json' }
    return this.#send(path, { method: 'POST', body: JSON.stringify(body), headers })
  }

  async csrfToken(): Promise<string> {
    return (await this.get('/auth/csrf')).json().csrfToken
  }

  async signIn(fields: Record<string, string> = ADA): Promise<TestResponse> {
    return this.post('/auth/callback/credentials', { csrfToken: await this.csrfToken(), ...fields })
  }

  async signOut(): Promise<TestResponse> {
    return this.post('/auth/signout', { csrfToken: await this.csrfToken() })
  }

  async update(data: unknown): Promise<TestResponse> {
    return this.postJson('/auth/session', { csrfToken: await this.csrfToken(), data })
  }

  /** GET session, read. */
  async session(): Promise<Session | null> {
    return (await this.get('/auth/session')).json()
  }

  /** The session as code of the application reads it. */
  async current(): Promise<CurrentSession | null> {
    return (await this.engine.readSession(requestContext(this.cookieHeader(), this.origin))).session
  }

  async #send(path: string, init: RequestInit): Promise<TestResponse> {
    const cookie = this.cookieHeader()
    const headers = { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) }
    const request = new Request(this.origin + path, { ...init, headers })
    const response = toResponse(
      await this.engine.handle(
        { ...incomingFromRequest(request), clientAddress: () => this.address },
        { origin: this.origin, basePath: '/auth' },
      ),
    )
    const setCookies = response.headers.getSetCookie().map((text) => parseSetCookie(text, { decode: (value) => value }))
    for (const { name, value = '', maxAge, expires } of setCookies) {
      if (maxAge === 0) this.jar.delete(name)
      else this.jar.set(name, { value, expires })
    }
    const body = await response.text()
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      body,
      json: () => JSON.parse(body),
      setCookies,
    }
  }

  *#live() {
    for (const entry of this.jar) {
      const [, { expires }] = entry
      if (!expires || expires.getTime() > this.clock.ms) yield entry
    }
  }
}

/** Sends a form of a page of the mount, with its token. */
export const sendForm = async (
  browser: TestBrowser,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TestResponse> => browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields }, headers)

/** One engine with a clock of its own, and no network. */
export interface TestApp {
  readonly engine: ReturnType<typeof withSessions>
  readonly clock: Clock
  readonly log: Log
  readonly origin: string
  browser(): TestBrowser
  /** A browser in which Ada is signed in. */
  signedIn(): Promise<TestBrowser>
}

export interface TestAppOptions {
  readonly clock?: Clock
  readonly env?: Record<string, string>
  readonly origin?: string
}

/** Opens a test app with a configuration. */
export function openTestApp(
  options: Partial<AuthConfig> = {},
  { clock = new Clock(), env = {}, origin = 'http://app.example' }: TestAppOptions = {},
): TestApp {
  const log = createLog()
  const config = resolveConfig(
    testConfig(withoutUndefined({ hosts: ['app.example'], logger: log.logger, ...options })),
    {
      env: readEnv(env),
      now: clock.now,
    },
  )
  const engine = withSessions(createEngine(config))
  const browser = () => new TestBrowser(engine, clock, origin)
  return {
    engine,
    clock,
    log,
    origin,
    browser,
    async signedIn() {
      const ada = browser()
      await ada.signIn()
      return ada
    },
  }
}

/** The name of the session cookie on a plain http origin. */
export const SESSION = 'authjs.session-token'

/** The cookies of an answer that belong to the session. Deletions of cookies with another domain are left out. */
export const sessionCookies = ({ setCookies }: TestResponse) =>
  setCookies.filter(({ name, domain, maxAge }) => name.includes('session-token') && !(domain && maxAge === 0))

/** The address of the user who is signed in in a browser; null if nobody is. */
export const whoIs = async (browser: TestBrowser): Promise<string | null> =>
  (await browser.session())?.user?.email ?? null

/** When a session expires as clients see it, seconds since the epoch. */
export const endOf = (session: Session | null): number => Date.parse(session?.expires ?? '') / 1000
