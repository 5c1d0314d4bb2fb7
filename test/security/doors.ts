import { expect } from 'chai'
import { type AuthConfig, getSession, requireAuth } from '../../lib/index.js'
import { type Running, startApp, testConfig } from '../support/app.js'
import { SESSION } from '../support/desk.js'

/** What an application answers to a session cookie, at one of the places where it looks at it. */
export interface Verdict {
  readonly door: string
  readonly status: number
  readonly body: string
  /** The cookies that are set or deleted, without their values. */
  readonly cookies: readonly string[]
}

const DOORS = ['/private', '/peek', '/auth/session']

/** How a session cookie is asked about, and what an application remembers by then. */
export const WAYS = {
  'cache warm': { isWarm: true, session: {} },
  'cache cold': { isWarm: false, session: {} },
  'cache off': { isWarm: false, session: { tokenCacheSize: 0 } },
} as const

/** The way that all others are held against. */
export const REFERENCE = 'cache off'

/** An Express app that looks at sessions in every way there is: a guard, `getSession` and the session route. */
export function openDoors(options: Partial<AuthConfig> = {}): Promise<Running> {
  const config = testConfig(options)
  return startApp(config, (app) => {
    app.get('/private', requireAuth(config), (_, res) => res.json(res.locals['session']))
    app.get('/peek', async (req, res) => res.json(await getSession(req, config)))
  })
}

/** Shows a cookie at every door. */
export async function show(app: Running, value: string, name = SESSION): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const door of DOORS) {
    const visitor = app.visitor()
    visitor.jar.set(name, value)
    const { status, text, setCookie } = await visitor.get(door)
    const cookies = setCookie.map((line) => line.replace(/=[^;]+/, '=…')).sort()
    verdicts.push({ door, status, body: text, cookies })
  }
  return verdicts
}

const outcomes = (verdicts: readonly Verdict[]) => verdicts.map(({ door, status, body }) => [door, status, body])

/** That no door opens, and that nothing is told but that nobody is signed in. */
export function expectRefused(verdicts: readonly Verdict[], why: string): void {
  expect(outcomes(verdicts), why).to.deep.equal([
    ['/private', 401, '{"message":"Sign in first."}'],
    ['/peek', 200, 'null'],
    ['/auth/session', 200, 'null'],
  ])
}

/** That every door opens for Ada. */
export function expectLetIn(verdicts: readonly Verdict[], why: string): void {
  for (const { door, status, body } of verdicts) {
    expect([door, status, JSON.parse(body)?.user?.email], why).to.deep.equal([door, 200, 'ada@example.com'])
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
