import { expect } from 'chai'
import { type AuthConfig, getSession, requireAuth } from '../../lib/index.js'
import { type Running, startApp, testConfig } from './app.js'
import { SESSION } from './test-app.js'

/** The answer of one route to a request with a session cookie. */
export interface CheckResult {
  readonly route: string
  readonly status: number
  readonly body: string
  /** The cookies that are set or deleted, without their values. */
  readonly cookies: readonly string[]
}

const ROUTES = ['/private', '/peek', '/auth/session']

/** The settings of the token cache, and whether the token was decrypted before the check. */
export const CACHE_STATES = {
  'cache warm': { isWarm: true, session: {} },
  'cache cold': { isWarm: false, session: {} },
  'cache off': { isWarm: false, session: { tokenCacheSize: 0 } },
} as const

/** The setting that all others must agree with. */
export const REFERENCE = 'cache off'

/** An Express app that reads sessions in every way there is: a guard, `getSession` and the session route. */
export function startSessionChecks(options: Partial<AuthConfig> = {}): Promise<Running> {
  const config = testConfig(options)
  return startApp(config, (app) => {
    app.get('/private', requireAuth(config), (_, res) => res.json(res.locals['session']))
    app.get('/peek', async (req, res) => res.json(await getSession(req, config)))
  })
}

/** Requests every route with a session cookie. */
export async function checkSession(app: Running, value: string, name = SESSION): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const route of ROUTES) {
    const visitor = app.visitor()
    visitor.jar.set(name, value)
    const { status, text, setCookie } = await visitor.get(route)
    const cookies = setCookie.map((line) => line.replace(/=[^;]+/, '=…')).sort()
    results.push({ route, status, body: text, cookies })
  }
  return results
}

const outcomes = (results: readonly CheckResult[]) => results.map(({ route, status, body }) => [route, status, body])

/** Every route answers that nobody is signed in, and says nothing else. */
export function expectRefused(results: readonly CheckResult[], why: string): void {
  expect(outcomes(results), why).to.deep.equal([
    ['/private', 401, '{"message":"Sign in first."}'],
    ['/peek', 200, 'null'],
    ['/auth/session', 200, 'null'],
  ])
}

/** Every route answers that Ada is signed in. */
export function expectAccepted(results: readonly CheckResult[], why: string): void {
  for (const { route, status, body } of results) {
    expect([route, status, JSON.parse(body)?.user?.email], why).to.deep.equal([route, 200, 'ada@example.com'])
  }
}

/** A clock in place of the system's, since `expressAuth` takes no other. It stands still until it is moved. */
export class SystemClock {
  readonly #start = Date.parse('2031-05-04T03:02:01.000Z')
  readonly #real = Date.now
  ms = this.#start

  get seconds(): number {
    return Math.floor(this.ms / 1000)
  }

  advance(seconds: number): void {
    this.ms += seconds * 1000
  }

  restart(): void {
    this.ms = this.#start
  }

  install(): void {
    Date.now = () => this.ms
  }

  uninstall(): void {
    Date.now = this.#real
  }
}
