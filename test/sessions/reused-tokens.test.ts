import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { at, isIn, openProcesses } from '../support/revocable-processes.js'
import { SESSION, type TestBrowser } from '../support/test-app.js'

const DAY = 24 * 60 * 60
const MINUTE = 60

/** Ada's browser has had its token extended and has shown the new one; a thief has the old one. */
async function openRenewed(options: Partial<AuthConfig> = {}) {
  const processes = openProcesses({ session: { updateAge: DAY }, ...options }, { checkEvery: 30 })
  const { one, other, clock } = processes
  const ada = await one.signedIn()
  const thief = at(other, ada)
  clock.advance(2 * DAY)
  await ada.session()
  await ada.session()
  return { ...processes, ada, thief }
}

const tokenOf = (browser: TestBrowser) => browser.jar.get(SESSION)?.value

describe('an old copy of an extended token', () => {
  it('ends the session of both holders, with a warning that names nobody', async () => {
    const { ada, thief, other, clock } = await openRenewed()
    expect(tokenOf(thief)).not.to.equal(tokenOf(ada))
    clock.advance(61 * MINUTE)
    expect(await isIn(thief)).to.equal(false)
    clock.advance(30)
    expect(await isIn(ada)).to.equal(false)
    expect(other.log.warnings).to.deep.equal(['session-token-reused'])
  })

  it('is noticed also if it is extended itself: then the first holder has the old copy', async () => {
    const { ada, thief, clock } = await openRenewed()
    // The thief comes while requests with the old token can still be under way, and so gets a new one.
    await thief.session()
    expect(await isIn(thief)).to.equal(true)
    clock.advance(2 * DAY)
    await thief.session()
    await thief.session()
    clock.advance(61 * MINUTE)
    expect(await isIn(ada)).to.equal(false)
  })

  it('counts for requests that were under way when the new token was first shown', async () => {
    const { ada, thief: slow, other, clock } = await openRenewed()
    clock.advance(MINUTE)
    expect(await isIn(slow)).to.equal(true)
    clock.advance(61 * MINUTE)
    expect([await isIn(ada), other.log.warnings]).to.deep.equal([true, []])
  })

  it('counts if the answer with the new token was lost', async () => {
    const { one, clock } = openProcesses({ session: { updateAge: DAY } })
    const ada = await one.signedIn()
    const before = tokenOf(ada) ?? ''
    for (let day = 0; day < 3; day += 1) {
      clock.advance(2 * DAY)
      await ada.session()
      expect(tokenOf(ada)).not.to.equal(before)
      ada.plant(SESSION, before)
    }
    expect([await isIn(ada), one.log.warnings]).to.deep.equal([true, []])
  })

  it('counts for a long upload that began with it', async () => {
    const { ada, thief: upload, other, clock } = await openRenewed()
    clock.advance(50 * MINUTE)
    expect([await isIn(upload), await isIn(ada), other.log.warnings]).to.deep.equal([true, true, []])
  })

  it('counts if two tabs had the session extended, and the slower answer came last', async () => {
    const { one, other, clock } = openProcesses({ session: { updateAge: DAY } })
    const ada = await one.signedIn()
    clock.advance(2 * DAY)
    const tab = at(other, ada)
    await tab.session()
    const slower = tokenOf(tab) ?? ''
    clock.advance(2 * MINUTE)
    await ada.session()
    expect(tokenOf(ada)).not.to.equal(slower)
    await ada.session()
    ada.plant(SESSION, slower)
    clock.advance(2 * 60 * MINUTE)
    expect([await isIn(ada), one.log.warnings, other.log.warnings]).to.deep.equal([true, [], []])
  })

  it('counts in a connection that began with it', async () => {
    const { ada, thief: connection, other, clock } = await openRenewed()
    clock.advance(61 * MINUTE)
    const request = () => ({
      ...requestContext(connection.cookieHeader(), 'http://app.example'),
      isOpenConnection: true,
    })
    expect((await other.engine.readSession(request())).session?.user?.email).to.equal('ada@example.com')
    expect(await isIn(ada)).to.equal(true)
    await ada.signOut()
    clock.advance(30)
    expect((await other.engine.readSession(request())).session).to.equal(null)
  })

  it('is not noticed, and harms nobody, if tokens of the codec do not say when they were issued', async () => {
    const jwt: AuthConfig['jwt'] = {
      encode: ({ token }) => Buffer.from(JSON.stringify(token)).toString('base64url'),
      decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
    }
    const { ada, thief, clock } = await openRenewed({ jwt })
    clock.advance(61 * MINUTE)
    expect([await isIn(thief), await isIn(ada)]).to.deep.equal([true, true])
  })
})

describe('the last use of a revocable token session', () => {
  const rowOf = async ({ shared }: ReturnType<typeof openProcesses>) =>
    (await shared.store.listTokenSessionsByUserId('1815'))[0]

  it('is stored at most once in a quarter of an hour, with a later expiry of the row', async () => {
    const processes = openProcesses({}, { checkEvery: 0 })
    const { one, clock, shared } = processes
    const ada = await one.signedIn()
    const began = await rowOf(processes)
    const uses = () => shared.calls.filter((name) => name === 'updateTokenSession').length
    for (let minute = 0; minute < 14; minute += 1) {
      clock.advance(MINUTE)
      await ada.session()
    }
    expect(uses()).to.equal(0)
    clock.advance(MINUTE)
    await Promise.all([ada.session(), ada.session(), ada.session()])
    expect(uses()).to.equal(1)
    const row = await rowOf(processes)
    expect(row?.lastSeenAt?.getTime()).to.equal(clock.ms)
    expect(row?.expires.getTime()).to.be.above(began?.expires.getTime() ?? 0)
  })

  it('does not fail the request if it cannot be stored, and is not tried at every request', async () => {
    const { one, clock, shared } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    shared.replace('updateTokenSession', () => {
      throw new Error('read-only: 1815')
    })
    clock.advance(15 * MINUTE)
    for (let index = 0; index < 3; index += 1) expect(await isIn(ada)).to.equal(true)
    expect(one.log.warnings).to.deep.equal(['session-use-not-stored'])
  })

  it('is not delayed by a store that hangs at the write', async () => {
    const { one, clock, shared } = openProcesses({ storeTimeout: 600 }, { checkEvery: 0 })
    const ada = await one.signedIn()
    shared.replace('updateTokenSession', () => new Promise(() => {}))
    clock.advance(15 * MINUTE)
    expect(await isIn(ada)).to.equal(true)
  })

  it('is not that of a request whose session does not count', async () => {
    const processes = openProcesses({ callbacks: { session: () => null } }, { checkEvery: 0 })
    const { one, clock, shared } = processes
    const ada = await one.signedIn()
    clock.advance(15 * MINUTE)
    await ada.session()
    expect(shared.calls).not.to.include('updateTokenSession')
  })
})
