import { expect } from 'chai'
import express from 'express'
import supertest from 'supertest'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, getAccessToken, requireAuth } from '../../lib/index.js'
import {
  csrfFor,
  fakeOpenIdProvider,
  signInAs,
  type TestClock,
  testClock,
  testMailbox,
} from '../../lib/testing/index.js'
import { testConfig } from '../support/app.js'
import { withEnv } from '../support/env.js'
import { failureOf } from '../support/failure.js'

const ADA = { name: 'Ada', email: 'ada@example.com' }
const ORIGIN = 'http://localhost:3000'

const appOf = (config: AuthConfig) =>
  express()
    .use('/auth', expressAuth(config))
    .get('/private', requireAuth(config), (_req, res) => void res.sendStatus(204))

describe('testClock', () => {
  let clock: TestClock | undefined
  afterEach(() => clock?.restore())

  for (const [kind, more] of [
    ['token', {}],
    ['stored', { adapter: memoryAdapter() }],
  ] as const) {
    it(`ends a ${kind} session, of an application that was started before`, async () => {
      const config = testConfig(more)
      const app = appOf(config)
      const { cookie } = await signInAs(config, ADA)
      const visit = async () => (await supertest(app).get('/private').set('Cookie', cookie)).status
      expect(await visit()).to.equal(204)
      clock = testClock()
      clock.advance({ days: 29 })
      expect(await visit()).to.equal(204)
      clock.advance({ days: 30, minutes: 1 })
      expect(await visit()).to.equal(401)
    })
  }

  it('ends a mailed link', async () => {
    clock = testClock()
    const mailbox = testMailbox()
    const config = testConfig({ adapter: memoryAdapter(), url: ORIGIN, providers: [mailbox.provider({ maxAge: 600 })] })
    const app = appOf(config)
    const open = async (after: number) => {
      const { csrfToken, cookie } = await csrfFor(config)
      await supertest(app)
        .post('/auth/signin/email')
        .type('form')
        .set('Cookie', cookie)
        .send({ csrfToken, ...ADA })
      const { pathname, search } = new URL(await mailbox.linkFor(ADA.email))
      mailbox.clear()
      clock?.advance({ seconds: after })
      return (await supertest(app).get(pathname + search)).headers['location'] ?? 'a question'
    }
    expect(await open(590)).to.equal('a question')
    expect(await open(610)).to.equal(`${ORIGIN}/auth/error?error=Verification`)
  })

  it('moves the clock of the fake provider, too, whose tokens end and are refreshed', async () => {
    clock = testClock()
    clock.advance({ days: 400 })
    await using provider = await fakeOpenIdProvider()
    const config = testConfig({ adapter: memoryAdapter(), url: ORIGIN, providers: [provider.entry()] })
    const app = appOf(config).get('/token', async (req, res) => {
      const result = await getAccessToken(req, config, 'fake')
      res.json(result?.status === 'reauthorize' ? result.reason : result?.status)
    })
    const browser = supertest.agent(app)
    const { csrfToken } = (await browser.get('/auth/csrf')).body
    const { headers } = await browser.post('/auth/signin/fake').type('form').send({ csrfToken })
    const back = await provider.visit(headers['location'])
    await browser.get(back.pathname + back.search)
    const refreshes = () =>
      provider.requests.filter((one) => one.parameters.get('grant_type') === 'refresh_token').length

    expect((await browser.get('/token')).body).to.equal('ok')
    expect(refreshes()).to.equal(0)
    clock.advance({ hours: 2 })
    expect((await browser.get('/token')).body).to.equal('ok')
    expect(refreshes()).to.equal(1)
    clock.advance({ hours: 2 })
    provider.misbehave('invalid-grant')
    expect((await browser.get('/token')).body).to.equal('refused')
  })

  it('moves every way to read the time, and nothing else', () => {
    const before = Date.now()
    const early = new Date()
    clock = testClock()
    clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1 })
    const ahead = (24 * 3600 + 3600 + 61) * 1000
    const today = new Date()
    const times = [Date.now(), today.getTime(), Date.parse(Date())].map((time) => time - before - ahead)
    for (const time of times) expect(time).to.be.within(-1000, 5000)
    expect(new Date(2020, 1, 2, 3)).to.deep.equal(new Date('2020-02-02T03:00:00'))
    expect(new Date(0).toISOString()).to.equal('1970-01-01T00:00:00.000Z')
    expect([early instanceof Date, new Date() instanceof Date]).to.deep.equal([true, true])
    clock.restore()
    expect(Date.now() - before).to.be.within(0, 5000)
  })

  it('is put back once, at the end of a block', () => {
    const real = Date
    {
      using moved = testClock()
      moved.advance({ days: 1 })
      expect(() => testClock()).to.throw('Another testClock() is at work')
    }
    expect(Date).to.equal(real)
    clock = testClock()
    clock.restore()
    const next = testClock()
    clock.restore()
    next.advance({ days: 1 })
    expect(Date.now() - real.now()).to.be.greaterThan(80_000_000)
    next.restore()
    expect(Date).to.equal(real)
  })

  it('refuses units that it does not know, and steps back', () => {
    const moved = testClock()
    clock = moved
    expect(() => moved.advance({ day: 1 } as never)).to.throw(
      'A duration has days, hours, minutes, seconds, and no "day"',
    )
    for (const days of [-1, Number.NaN, '1' as never]) {
      expect(() => moved.advance({ days })).to.throw('"days" of a duration must be a number from 0')
    }
  })

  it('refuses to work in production', () =>
    withEnv({ NODE_ENV: 'production' }, async () => {
      expect((await failureOf((async () => testClock())())).message).to.include('does not work in production')
    }))
})
