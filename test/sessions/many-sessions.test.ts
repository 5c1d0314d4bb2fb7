import { expect } from 'chai'
import { MOST_LISTED } from '../../lib/adapters/adapter.js'
import { requestContext } from '../support/request-context.js'
import { at, isIn, openProcesses, sibling } from '../support/revocable-processes.js'
import { openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const MANY = 2 * MOST_LISTED + 500

const requestOf = (browser: TestBrowser) => requestContext(browser.cookieHeader(), 'http://app.example')

describe('a user with very many token sessions', () => {
  /** Somebody who knows the password of Ada signs in again and again. */
  const openMany = async () => {
    const processes = openProcesses({}, { checkEvery: 0 })
    const ada = await processes.one.signedIn()
    const { store } = processes.shared
    const [own] = await store.listTokenSessionsByUserId('1815')
    if (!own) throw new Error('The session has no record.')
    const ids = Array.from({ length: MANY }, (_, index) => `session-${index}`)
    for (const id of ids) store.createTokenSession({ ...own, id })
    const left = async () => {
      const rows = await Promise.all(ids.map((id) => store.getTokenSession(id)))
      return rows.filter((row) => row?.revokedAt === null).length
    }
    return { ...processes, ada, left }
  }

  it('sees a thousand of them', async () => {
    const { ada, one } = await openMany()
    expect(await one.engine.listSessions(requestOf(ada))).to.have.lengthOf(MOST_LISTED)
  })

  it('ends all others with one call, and stays signed in', async () => {
    const { ada, one, left } = await openMany()
    expect(await one.engine.revokeOtherSessions(requestOf(ada))).to.equal(MANY)
    expect([await left(), await isIn(ada)]).to.deep.equal([0, true])
  })

  it('is signed out everywhere with one call', async () => {
    const { ada, other, left } = await openMany()
    expect(await other.engine.revokeAllSessions('1815')).to.equal(MANY + 1)
    expect([await left(), await isIn(ada)]).to.deep.equal([0, false])
  })

  it('gets an error if those of another instance hide some of this one', async () => {
    const { one, shared } = openProcesses({ instance: 'acme' }, { checkEvery: 0 })
    await one.signedIn()
    const [own] = await shared.store.listTokenSessionsByUserId('1815')
    const later = new Date((own?.expires.getTime() ?? 0) + 1000)
    for (let index = 0; index < MOST_LISTED; index += 1) {
      if (own) shared.store.createTokenSession({ ...own, id: `other-${index}`, instance: 'umbrella', expires: later })
    }
    const outcome = await one.engine.revokeAllSessions('1815').then(String, String)
    expect(outcome).to.contain('Could not end')
  })

  it('gets an error if somebody begins sessions faster than they are ended', async () => {
    const { one, shared } = openProcesses({}, { checkEvery: 0 })
    await one.signedIn()
    const [own] = await shared.store.listTokenSessionsByUserId('1815')
    let count = 0
    shared.replace('listTokenSessionsByUserId', (list, ...args) => {
      count += 1
      if (own) shared.store.createTokenSession({ ...own, id: `session-${count}` })
      return list(...args)
    })
    const outcome = await one.engine.revokeAllSessions('1815').then(String, String)
    expect(outcome).to.contain('Call the function again')
  })
})

describe('the end of all other sessions', () => {
  /** Ada has signed in twice where no revocation was configured, and no store knows these sessions. */
  const openBefore = async () => {
    const processes = openProcesses({}, { checkEvery: 0 })
    const before = openTestApp({ secret: processes.secret }, { clock: sibling(processes.clock) })
    return { ...processes, laptop: await before.signedIn(), phone: await before.signedIn() }
  }

  it('is also of a session that no list has, because it began before session.revocation', async () => {
    const { one, other, secret, clock, laptop, phone } = await openBefore()
    clock.advance(60)
    const here = at(one, laptop)
    expect(await one.engine.revokeOtherSessions(requestOf(here))).to.equal(0)
    clock.advance(60)
    expect([await isIn(at(one, phone)), await isIn(at(other, phone))], 'the other session').to.deep.equal([
      false,
      false,
    ])
    expect([await isIn(here), await isIn(at(other, laptop))], 'the own session').to.deep.equal([true, true])
    const eve = other.browser()
    eve.plant(SESSION, await forge({ sub: 'eve', name: 'Eve' }, { secret }))
    expect(await isIn(eve), 'a session of another user that no list has').to.equal(true)
  })
})
