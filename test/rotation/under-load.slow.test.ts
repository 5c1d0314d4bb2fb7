import { expect } from 'chai'
import type { Engine } from '../../lib/engine/engine.js'
import { ADA, passwords } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { requestContext, withSessions } from '../support/request-context.js'
import { oauth } from '../support/sign-ins.js'
import { Clock, openTestApp, TestBrowser } from '../support/test-app.js'
import { NEW, OLD, STEPS } from './processes.js'

const VISITORS = 24
const REQUESTS_PER_STATE = 450

/** Shows the time of another clock. A process that starts remembers nothing: its clock is its own. */
const sameTime = (clock: Clock): Clock => Object.defineProperty(new Clock(), 'ms', { get: () => clock.ms })

describe('TOK-04: a secret that is exchanged under load, one process after the other', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  /** Two processes, and a balancer that sends each request to either. */
  function startProcesses(secrets: readonly string[]) {
    const clock = new Clock(Date.now())
    const acme = oauth(fake, 'oidc', { id: 'acme', checks: ['pkce', 'state', 'nonce'] })
    const start = (secret: readonly string[]) =>
      openTestApp(
        { secret: [...secret], providers: [passwords, acme], session: { updateAge: 0 } },
        { clock: sameTime(clock) },
      ).engine
    const processes = [start(secrets), start(secrets)]
    const count = { requests: 0 }
    const pick = () => {
      count.requests += 1
      return processes[Math.random() < 0.5 ? 0 : 1] as Engine
    }
    const balancer = {
      handle: (...args: Parameters<Engine['handle']>) => pick().handle(...args),
      readSession: (...args: Parameters<Engine['readSession']>) => pick().readSession(...args),
    } as Engine
    const roll = (index: number, secret: readonly string[]) => {
      processes[index] = start(secret)
    }
    return { clock, balancer, roll, count }
  }

  type Wrong = string[]

  /** Somebody who uses the application. Notes every answer that is not the right one after what they have done before. */
  function visitor(balancer: Engine, clock: Clock, wrong: Wrong) {
    const browser = new TestBrowser(withSessions(balancer), clock, 'http://app.example')
    const check = (what: string, isRight: boolean) => {
      if (!isRight) wrong.push(what)
    }
    const name = async () => (await browser.session())?.user?.name ?? null
    const guarded = async () =>
      (await balancer.readSession(requestContext(browser.cookieHeader(), browser.origin))).session?.user?.name ?? null

    const signIn = async () => check('sign-in', (await browser.signIn(ADA)).location === 'http://app.example')
    const signInElsewhere = async () => {
      const csrfToken = await browser.csrfToken()
      const { location } = await browser.post('/auth/signin/acme', { csrfToken })
      if (!location?.startsWith(fake.issuer)) return check('sign-in at the provider', false)
      const answer = await browser.get(`/auth/callback/acme?${fake.authorize(location)}`)
      return check('answer of the provider', answer.location === 'http://app.example')
    }
    const use = async () => {
      check('session', (await name()) === 'Ada')
      check('guard', (await guarded()) === 'Ada')
      const { status, body } = await browser.update({ any: 'thing' })
      check('update', status === 200 && JSON.parse(body)?.user?.name === 'Ada')
    }
    const signOut = async () => {
      check('sign-out', (await browser.signOut()).location === 'http://app.example')
      check('after the sign-out', (await name()) === null && (await guarded()) === null)
    }
    const comeAndGo = async () => {
      await (Math.random() < 0.3 ? signInElsewhere() : signIn())
      await use()
      await signOut()
    }
    return { signIn, stay: use, comeAndGo }
  }

  /** Visitors who stay signed in, and visitors who come and go. */
  async function underLoad(secrets: readonly string[]) {
    const { clock, balancer, roll, count } = startProcesses(secrets)
    const wrong: Wrong = []
    const visitors = Array.from({ length: VISITORS }, () => visitor(balancer, clock, wrong))
    const isGuest = (index: number) => index % 2 === 0
    for (const [index, each] of visitors.entries()) if (!isGuest(index)) await each.signIn()
    /** Lets visitors do as they like until they have sent so many requests. `happens` is called after half of them. */
    const run = async (requests: number, happens: () => void) => {
      const end = count.requests + requests
      const half = count.requests + requests / 2
      let isDone = false
      await Promise.all(
        visitors.map(async (each, index) => {
          while (count.requests < end) {
            if (!isDone && count.requests >= half) {
              isDone = true
              happens()
            }
            await (isGuest(index) ? each.comeAndGo() : each.stay())
          }
        }),
      )
    }
    return { roll, run, wrong, count }
  }

  it('gives no wrong answer in three steps: accept, use, drop', async function () {
    this.timeout(120_000)
    const { roll, run, wrong, count } = await underLoad(STEPS.before)
    for (const step of ['accept', 'use', 'drop'] as const) {
      for (const process of [0, 1]) await run(REQUESTS_PER_STATE, () => roll(process, STEPS[step]))
      // The wait, made short: whatever lived longest has been written anew, and nothing that was begun before is open.
      await run(REQUESTS_PER_STATE, () => {})
    }
    expect(count.requests).to.be.greaterThan(3000)
    expect(wrong).to.deep.equal([])
  })

  it('gives none either when it is taken back before the drop', async function () {
    this.timeout(120_000)
    const { roll, run, wrong } = await underLoad(STEPS.before)
    for (const step of ['accept', 'use', 'accept', 'before'] as const) {
      for (const process of [0, 1]) await run(200, () => roll(process, STEPS[step]))
      await run(200, () => {})
    }
    expect(wrong).to.deep.equal([])
  })

  it('is seen to give wrong answers in one step, where a process does not know the new secret yet', async function () {
    this.timeout(120_000)
    const { roll, run, wrong } = await underLoad([OLD])
    for (const process of [0, 1]) await run(REQUESTS_PER_STATE, () => roll(process, [NEW, OLD]))
    expect(wrong.length).to.be.greaterThan(10)
  })
})
