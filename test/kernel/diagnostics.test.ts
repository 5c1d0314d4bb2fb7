import { channel, tracingChannel } from 'node:diagnostics_channel'
import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { requireAuth } from '../../lib/index.js'
import type { TracedMessages } from '../../lib/kernel/diagnostics.js'
import { listen, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { askForLink, goTo, Mailbox, newPerson, oauth, setProviderUser } from '../support/sign-ins.js'
import { openTestApp } from '../support/test-app.js'

type Name = keyof TracedMessages
type Event = 'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error'

/** What subscribers see: the messages at the end of each work, and the events in their order. */
function subscribe(name: Name) {
  const ends: Record<string, unknown>[] = []
  const events: Event[] = []
  const traces = tracingChannel(name)
  const listener = (event: Event) => (message: unknown) => {
    events.push(event)
    if (event === 'asyncEnd') ends.push({ ...(message as object) })
  }
  const listeners = {
    start: listener('start'),
    end: listener('end'),
    asyncStart: listener('asyncStart'),
    asyncEnd: listener('asyncEnd'),
    error: listener('error'),
  }
  traces.subscribe(listeners)
  stops.push(() => traces.unsubscribe(listeners))
  return { ends, events }
}

function listenTo(name: string): unknown[] {
  const messages: unknown[] = []
  const listener = (message: unknown) => void messages.push(message)
  channel(name).subscribe(listener)
  stops.push(() => channel(name).unsubscribe(listener))
  return messages
}

let stops: (() => unknown)[] = []
let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

const signInAt = async (options = {}) => {
  const app = openTestApp({ providers: [oauth(idp)], session: { strategy: 'jwt' }, ...options })
  const browser = app.browser()
  const person = newPerson()
  setProviderUser(idp, app.clock, person)
  const callback = await goTo(browser, idp)
  await browser.get(callback)
  return { app, browser, person, callback }
}

describe('subscribers of the diagnostics channels', () => {
  it('follow the requests to the mount, with action, provider, status and duration', async () => {
    const { ends, events } = subscribe('latchkey:action')
    await signInAt()
    expect(ends.map(({ duration: _duration, ...rest }) => rest)).to.deep.equal([
      { method: 'GET', action: 'csrf', status: 200 },
      { method: 'POST', action: 'signin', provider: 'oidc', status: 302 },
      { method: 'GET', action: 'callback', provider: 'oidc', status: 302 },
    ])
    for (const { duration } of ends) expect(duration).to.be.a('number').that.is.at.least(0)
    expect(events.slice(0, 4)).to.deep.equal(['start', 'end', 'asyncStart', 'asyncEnd'])
  })

  it('learn why a request was refused, and nothing that somebody wrote into its path', async () => {
    const { ends } = subscribe('latchkey:action')
    const browser = openTestApp({ providers: [oauth(idp)] }).browser()
    await browser.get('/auth/callback/oidc?code=a-secret-code&state=x')
    await browser.get('/auth/callback/a-secret-name')
    await browser.get('/auth/a-secret-name')
    expect(ends.map(({ action, error }) => [action, error])).to.deep.equal([
      ['callback', 'InvalidCheck'],
      ['callback', 'RequestRefused'],
      [null, 'RequestRefused'],
    ])
    expect(JSON.stringify(ends)).to.not.include('secret')
  })

  it('follow the calls to providers, also those that fail', async () => {
    const { ends, events } = subscribe('latchkey:outgoing-call')
    const { app } = await signInAt()
    const { host } = new URL(idp.issuer)
    expect(new Set(ends.map(({ provider, host: at, status }) => `${provider} ${at} ${status}`))).to.deep.equal(
      new Set([`oidc ${host} 200`]),
    )
    expect(events).to.not.include('error')
    const down = openTestApp({ providers: [oauth(idp, 'oidc', { issuer: 'http://localhost:1' })] }).browser()
    await down.post('/auth/signin/oidc', { csrfToken: await down.csrfToken() })
    expect(ends.at(-1)).to.include({ provider: 'oidc', host: 'localhost:1', error: 'unreachable' })
    expect(events).to.include('error')
    expect(app).to.not.equal(undefined)
  })

  it('follow the look at a session, found or not', async () => {
    const { browser } = await signInAt()
    const { ends } = subscribe('latchkey:session-read')
    await browser.session()
    await openTestApp().browser().session()
    expect(ends.map(({ found, renews }) => [found, renews])).to.deep.equal([
      [true, true],
      [false, true],
    ])
  })

  it('learn of a sign-in, and whether the user is new', async () => {
    const messages = listenTo('latchkey:sign-in')
    const adapter = memoryAdapter()
    const { app, callback: _used, person } = await signInAt({ adapter })
    const again = app.browser()
    setProviderUser(idp, app.clock, person)
    await again.get(await goTo(again, idp))
    expect(messages).to.deep.equal([
      { provider: 'oidc', type: 'oidc', isNewUser: true },
      { provider: 'oidc', type: 'oidc', isNewUser: false },
    ])
  })

  it('learn that a guard refused a request, and why', async () => {
    const messages = listenTo('latchkey:refusal')
    const app = await listen(express().get('/private', requireAuth(testConfig()), (_req, res) => void res.end()))
    await fetch(`${app.origin}/private`)
    await app.close()
    expect(messages).to.deep.equal([{ reason: 'deny' }])
  })

  it('never see a token, a code, a cookie or an address', async () => {
    const seen: unknown[] = []
    for (const name of ['latchkey:action', 'latchkey:session-read', 'latchkey:outgoing-call'] as const) {
      const traces = tracingChannel(name)
      const listener = (message: unknown) => void seen.push(structuredClone(message))
      const listeners = { start: listener, end: listener, asyncStart: listener, asyncEnd: listener, error: listener }
      traces.subscribe(listeners)
      stops.push(() => traces.unsubscribe(listeners))
    }
    const plain = ['latchkey:sign-in', 'latchkey:refusal'].map(listenTo)
    const mailbox = new Mailbox()
    const { browser, person, callback } = await signInAt({
      adapter: memoryAdapter(),
      providers: [oauth(idp), mailbox.provider()],
    })
    await browser.session()
    const link = await askForLink(browser, mailbox, 'grace@example.com')
    await browser.get(link)
    const all = JSON.stringify([seen, plain])
    // Which provider it was, the messages say as well as the cookie that marks it.
    const secrets = [
      person.email,
      person.sub,
      'grace@example.com',
      ...new URLSearchParams(callback.split('?')[1]).values(),
      new URLSearchParams(link.split('?')[1]).get('token'),
      ...[...browser.jar].flatMap(([name, { value }]) => (name === 'authjs.last-provider' ? [] : [value])),
    ].filter((each): each is string => typeof each === 'string' && each.length > 3 && !/^https?:/.test(each))
    expect(seen.length).to.be.greaterThan(10)
    for (const secret of secrets) expect(all).to.not.include(secret)
  })
})

describe('a subscriber that throws', () => {
  it('keeps nobody from signing in', async () => {
    const uncaught: unknown[] = []
    const old = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (error) => void uncaught.push(error))
    try {
      const traces = tracingChannel('latchkey:action')
      const fails = () => {
        throw new Error('a subscriber')
      }
      const listeners = { start: fails, end: fails, asyncStart: fails, asyncEnd: fails, error: fails }
      traces.subscribe(listeners)
      stops.push(() => traces.unsubscribe(listeners))
      const { browser, person } = await signInAt()
      expect((await browser.session())?.user?.email).to.equal(person.email)
      // Node reports what a subscriber throws as an uncaught exception, after the work.
      await new Promise((resolve) => setImmediate(resolve))
      expect(uncaught.length).to.be.greaterThan(0)
    } finally {
      process.removeAllListeners('uncaughtException')
      for (const listener of old) process.on('uncaughtException', listener)
    }
  })
})
