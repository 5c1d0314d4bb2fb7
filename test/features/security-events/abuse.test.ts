import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { Adapter, SecurityEvent } from '../../../lib/index.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { failureOf } from '../../support/failure.js'
import { visibleText } from '../../support/html.js'
import { watched } from '../../support/stores.js'
import type { TestBrowser, TestResponse } from '../../support/test-app.js'
import { ADA, EVE, PAGE } from '../address/address-app.js'
import { FIREFOX, openEventsApp, typesOf } from './events-app.js'

/** What somebody sees of an answer, without what is random in each. */
const seen = ({ status, location, body, headers, setCookies }: TestResponse) => ({
  status,
  location: location?.replace(/note=[^&]+/, 'note=…'),
  body: body.replace(/[\w-]{40,}/g, '…'),
  headers: [...headers.keys()].sort(),
  cookies: setCookies.map(({ name, value: _, ...attributes }) => ({ name, ...attributes })),
})

describe('those who misuse security events', () => {
  it('EVENT-02: who guesses sees no difference between people who are known and others: in answers, cookies and awaited work', async () => {
    const { adapter, calls } = watched<Required<Adapter>>(memoryAdapter())
    const app = openEventsApp({}, { adapter: adapter as never })
    await app.withPassword()
    const answers: unknown[] = []
    const work: string[][] = []
    for (const email of ['nobody@example.com', ADA]) {
      for (const headers of [PAGE, {}]) {
        const browser = app.browser()
        await browser.csrfToken()
        calls.length = 0
        answers.push(seen(await app.guess(browser, email, headers)))
        work.push([...calls])
        // What is kept of the guess is stored by now, and not during the next one.
        if (email === ADA) await app.keptLater()
      }
    }
    expect(answers.slice(2)).to.deep.equal(answers.slice(0, 2))
    expect(work.slice(2)).to.deep.equal(work.slice(0, 2))
    expect(work.flat()).to.not.include('updateRecord')
    // It is no empty comparison: what happened to Ada is kept in the end.
    const [failure] = await app.kept()
    expect([failure?.type, failure?.count]).to.deep.equal(['sign-in-failed', 2])
  })

  it('EVENT-02: no answer to a failure waits for the handler of the application', async () => {
    const app = openEventsApp({ events: { security: () => new Promise(() => {}) } })
    expect((await app.guess(app.browser())).status).to.equal(302)
  })

  it('EVENT-03: a handler that throws and a store that fails keep nobody out, and are logged', async () => {
    const broken: Adapter = { ...memoryAdapter() }
    const { createRecord } = broken
    broken.createRecord = (record) => {
      if (record.kind === 'security-events') throw new Error('disk full')
      return createRecord?.(record) ?? false
    }
    const security = ({ type }: SecurityEvent) => {
      if (type === 'sign-in') throw new Error('the log is full')
    }
    const app = openEventsApp({ events: { security } }, { adapter: broken as never })
    const ada = await app.signedIn()
    expect(await ada.current()).to.not.equal(null)
    expect(app.log.errors.map(({ message }) => message)).to.deep.equal([
      'The security event handler threw.',
      'Not everything was told of a sign-in or a sign-out.',
    ])
    expect((await ada.get('/auth/account', PAGE)).status).to.equal(200)
  })

  it('EVENT-04: a storm of guesses drives nothing out, and costs a write a second at most', async () => {
    const { adapter, calls } = watched<Required<Adapter>>(memoryAdapter())
    const app = openEventsApp({}, { adapter: adapter as never })
    const ada = await app.withPassword()
    await app.addFactor(ada)
    const before = typesOf(await app.kept())
    calls.length = 0
    const begun = performance.now()
    await Promise.all(
      Array.from({ length: 15 }, (_, index) =>
        app.guess(app.from(`203.0.${index}.7`), ADA, { 'user-agent': `${FIREFOX} ${index}` }),
      ),
    )
    const kept = await app.keptLater()
    const writes = calls.filter((call) => call === 'updateRecord' || call === 'createRecord')
    expect(writes.length).to.be.within(1, (performance.now() - begun) / 1000)
    expect(typesOf(kept).slice(0, 10)).to.deep.equal(Array.from({ length: 10 }, () => 'sign-in-failed'))
    expect(typesOf(kept).slice(10)).to.deep.equal(before)
  })

  it('EVENT-04: guesses from one network on one day are one entry', async () => {
    const app = openEventsApp()
    await app.withPassword()
    for (let turn = 0; turn < 3; turn += 1) await app.guess(app.from(`203.0.113.${turn}`))
    await app.keptLater()
    app.clock.advance(24 * 60 * 60)
    for (let turn = 0; turn < 2; turn += 1) await app.guess(app.from('203.0.113.9'))
    const failures = (await app.keptLater()).filter(({ type }) => type === 'sign-in-failed')
    expect(failures.map(({ count }) => count)).to.deep.equal([2, 3])
  })

  it('EVENT-04: entries that are too long for a record drive the oldest out', async () => {
    const app = openEventsApp()
    await app.signedIn()
    const userId = (await app.idOf(ADA)) ?? ''
    const { createStoredEvents } = await import('../../../lib/features/security-events/stored-events.js')
    const { store, secrets, logger } = app.engine.config
    if (store === null) throw new Error('there is no store')
    const stored = createStoredEvents(60, { store, secrets, logger, now: app.clock.now })
    const [event] = await app.kept()
    if (!event) throw new Error('nothing is kept')
    const amr = Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(64, 'x'))
    for (let turn = 0; turn < 60; turn += 1) await stored.add([{ ...event, amr, provider: 'p'.repeat(200) }])
    const record = (await app.adapter.listRecordsByOwner('security-events', userId))[0]
    expect(record?.value.length).to.be.within(40_000, 60_000)
    expect((await app.kept()).length).to.be.within(30, 50)
  })

  it('EVENT-05: nobody sees the events of another user, also not with the record of the other in the place of theirs', async () => {
    const app = openEventsApp()
    await app.signedIn()
    const [ada, eve] = [(await app.idOf(ADA)) ?? '', await app.signedIn(EVE)]
    const id = (await app.idOf(EVE)) ?? ''
    const partOf = async (browser: TestBrowser) =>
      visibleText((await browser.get('/auth/account', PAGE)).body.split('id="part-securityEvents"')[1] ?? '')
    expect((await app.kept(EVE)).map(({ userId }) => userId)).to.deep.equal([id])
    expect(await partOf(eve)).to.include('Signed in')
    const [of] = await app.adapter.listRecordsByOwner('security-events', ada)
    const [own] = await app.adapter.listRecordsByOwner('security-events', id)
    if (!of || !own) throw new Error('nothing is kept')
    await app.adapter.updateRecord({ ...own, value: of.value, version: own.version + 1 })
    expect(await app.kept(EVE)).to.deep.equal([])
    expect(await partOf(eve)).to.include('Nothing has happened yet')
    // Who reads the store reads no browser, no network and no day.
    expect(of.value).to.match(/^[\w-]+(\.[\w-]*){4}$/)
    for (const wrong of [undefined, '', {}]) {
      const list = operatorOf(() => app.engine.config).listSecurityEvents(wrong as never)
      expect((await failureOf(list)).message).to.include('needs the id of a user')
    }
  })

  it('EVENT-06: a deleted user has none, also of what happens at the same moment and later', async () => {
    const store = memoryAdapter()
    let goOn = () => {}
    let waiting: Promise<void> | undefined
    const { adapter } = watched<Required<Adapter>>(store, {
      async updateRecord(record) {
        if (record.kind === 'security-events') await waiting
        return store.updateRecord(record)
      },
    })
    const app = openEventsApp({ session: { strategy: 'jwt' }, secondFactor: false }, { adapter: adapter as never })
    const ada = await app.withPassword()
    const userId = (await app.idOf(ADA)) ?? ''
    const records = () => store.listRecordsByOwner('security-events', userId)
    expect(await records()).to.have.lengthOf(1)
    await app.guess(app.browser())
    waiting = new Promise((resolve) => {
      goOn = resolve
    })
    const late = app.enterPassword(app.browser())
    await app.told.next('sign-in')
    await app.told.next('sign-in')
    await operatorOf(() => app.engine.config).deleteUser(userId)
    goOn()
    await late
    // The session is a token, and goes on.
    await ada.signOut()
    await app.told.next('sign-out')
    await app.keptLater()
    expect(await records()).to.deep.equal([])
  })

  it('EVENT-07: `session.devices: false` keeps browser and network out of all of them', async () => {
    const app = openEventsApp({ session: { strategy: 'database', devices: false } })
    await app.withPassword()
    await app.enterPassword(app.from('203.0.113.7'), ADA, { 'user-agent': FIREFOX })
    await app.guess(app.from('203.0.113.7'), ADA, { 'user-agent': FIREFOX })
    await app.told.next('sign-in-failed')
    for (const { browser, system, network } of [...app.told.list, ...(await app.keptLater())]) {
      expect([browser, system, network]).to.deep.equal([null, null, null])
    }
  })
})
