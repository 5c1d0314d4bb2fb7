import { expect } from 'chai'
import type { AdapterTokenSession } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import type { JWTCallback } from '../../lib/sessions/jwt-claims.js'
import { requestContext } from '../support/request-context.js'
import { at, down, isIn, openProcesses, sibling } from '../support/revocable-processes.js'
import { Clock, openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60

/** The status of the session route. */
const statusOf = async (browser: TestBrowser) => (await browser.get('/auth/session')).status

describe('a revocable token session', () => {
  it('is refused in the other process at once with checkEvery: 0, and the cookie stays', async () => {
    const { one, other } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    const thief = at(other, ada)
    expect(await isIn(thief)).to.equal(true)
    await ada.signOut()
    const answer = await thief.get('/auth/session')
    expect([answer.json(), answer.setCookies.map(({ name }) => name)]).to.deep.equal([null, []])
  })

  it('is refused in the other process after the interval, and asked for once in it', async () => {
    const { one, other, clock, shared } = openProcesses()
    const ada = await one.signedIn()
    const thief = at(other, ada)
    shared.calls.length = 0
    for (let index = 0; index < 5; index += 1) expect(await isIn(thief)).to.equal(true)
    expect(shared.calls).to.deep.equal(['getTokenSession'])
    await ada.signOut()
    expect(await isIn(thief), 'the process has asked a moment ago').to.equal(true)
    clock.advance(30)
    expect(await isIn(thief)).to.equal(false)
    expect(await isIn(ada.copy()), 'the process of the sign-out').to.equal(false)
  })

  it('begins only with a record: if none can be stored, the sign-in fails, and nobody gets a cookie', async () => {
    const { one, shared } = openProcesses()
    shared.replace('createTokenSession', down)
    const ada = one.browser()
    const answer = await ada.signIn()
    expect([answer.location, ada.sessionNames()]).to.deep.equal([
      'http://app.example/auth/error?error=Configuration&code=Unavailable',
      [],
    ])
  })

  it('is not asked for by a process that has just begun it', async () => {
    const { one, shared } = openProcesses()
    const ada = await one.signedIn()
    shared.calls.length = 0
    expect(await isIn(ada)).to.equal(true)
    expect(shared.calls).to.deep.equal([])
  })

  it('is read without a promise while its last look-up counts', async () => {
    const { one } = openProcesses()
    const ada = await one.signedIn()
    const request = () => requestContext(ada.cookieHeader(), 'http://app.example')
    expect(one.engine.readSession(request())).not.to.be.instanceOf(Promise)
  })

  it('lists and ends nothing more after another process has ended it, also within the interval', async () => {
    const { one, other } = openProcesses({}, { checkEvery: 30 })
    const [ada, phone] = [await one.signedIn(), await one.signedIn()]
    const thief = at(other, phone)
    expect(await isIn(thief)).to.equal(true)
    await one.engine.revokeOtherSessions(requestContext(ada.cookieHeader(), ada.origin))
    const request = requestContext(thief.cookieHeader(), thief.origin)
    expect(await other.engine.listSessions(request)).to.equal(null)
    expect(await other.engine.revokeOtherSessions(request)).to.equal(null)
    expect(await isIn(ada)).to.equal(true)
  })

  it('is a fault if the store does not say whether it was revoked', async () => {
    const { one, other, shared } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    shared.replace('getTokenSession', async (own, ...args) => {
      const { revokedAt: _, ...row } = (await own(...args)) as AdapterTokenSession
      return row
    })
    expect((await at(other, ada).get('/auth/session')).status).to.equal(503)
  })

  it('is a fault, and neither a pass nor a sign-out, while the store is down', async () => {
    for (const checkEvery of [0, 30]) {
      const { one, other, clock, shared } = openProcesses({}, { checkEvery })
      const ada = await one.signedIn()
      const there = at(other, ada)
      expect(await isIn(there)).to.equal(true)
      clock.advance(checkEvery)
      shared.replace('getTokenSession', down)
      for (const browser of [ada, there]) {
        const answer = await browser.get('/auth/session')
        expect(answer.status, `every ${checkEvery} s`).to.be.at.least(500)
        expect(answer.setCookies.filter(({ name }) => name.includes('session'))).to.deep.equal([])
      }
      shared.restore()
      expect(await isIn(there)).to.equal(true)
    }
  })

  it('is a fault while the store hangs', async () => {
    const { one, clock, shared } = openProcesses({ storeTimeout: 0.05 })
    const ada = await one.signedIn()
    clock.advance(30)
    shared.replace('getTokenSession', () => new Promise(() => {}))
    expect(await statusOf(ada)).to.be.at.least(500)
  })

  it('is revoked by another sign-in in its browser, or that sign-in fails and it stays', async () => {
    const { one, other, shared } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    const copy = at(other, ada)
    shared.replace('revokeTokenSession', down)
    expect((await ada.signIn()).location).to.contain('error=Configuration')
    expect([await isIn(ada), await isIn(copy)]).to.deep.equal([true, true])
    shared.restore()
    await ada.signIn()
    expect([await isIn(ada), await isIn(copy)]).to.deep.equal([true, false])
  })

  it('has ended in this process if the store fails at the sign-out, and in the others when the store is back', async () => {
    const { one, other, shared } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    const [here, there] = [ada.copy(), at(other, ada)]
    shared.replace('revokeTokenSession', down)
    const answer = await ada.signOut()
    expect([answer.location, ada.sessionNames()]).to.deep.equal(['http://app.example/auth/error?error=SignOut', []])
    expect([await isIn(here), await isIn(there)]).to.deep.equal([false, true])
    shared.restore()
    for (let tries = 0; tries < 100 && (await isIn(there)); tries += 1)
      await new Promise((done) => setTimeout(done, 50))
    expect(await isIn(there)).to.equal(false)
  }).timeout(10_000)

  it('signs out also if the store has lost its record', async () => {
    const { one, other, shared } = openProcesses({}, { checkEvery: 0 })
    const ada = await one.signedIn()
    const there = at(other, ada)
    const lost = memoryAdapter()
    for (const name of ['createTokenSession', 'getTokenSession', 'updateTokenSession', 'revokeTokenSession'] as const) {
      shared.replace(name, (_own, ...args) => (lost[name] as (...args: never[]) => unknown)(...args))
    }
    await ada.signOut()
    expect(await isIn(there)).to.equal(false)
  })

  it('keeps its id and its record through renewals, which a revocation ends all', async () => {
    const { one, other, clock } = openProcesses({ session: { maxAge: 10 * DAY, updateAge: DAY } }, { checkEvery: 0 })
    const ada = await one.signedIn()
    const first = at(other, ada)
    clock.advance(2 * DAY)
    await ada.session()
    expect(ada.jar.get(SESSION)?.value).not.to.equal(first.jar.get(SESSION)?.value)
    const second = at(other, ada)
    await ada.signOut()
    expect([await isIn(first), await isIn(second)]).to.deep.equal([false, false])
  })

  it('has a row that expires no earlier than a copy could, also if its uses could not be stored', async () => {
    const { one, clock, shared } = openProcesses({ session: { maxAge: 10 * DAY } }, { checkEvery: 0 })
    const ada = await one.signedIn()
    // The uses of the session are not stored, so the row would expire before its newest token.
    shared.replace('updateTokenSession', down)
    clock.advance(9 * DAY)
    await ada.session()
    shared.restore()
    const [begun] = await shared.store.listTokenSessionsByUserId('1815')
    await ada.signOut()
    const row = await shared.store.getTokenSession(begun?.id ?? '')
    expect(row?.expires.getTime()).to.be.at.least(clock.ms + 10 * DAY * 1000)
  })

  it('needs the claim of Latchkey: a codec that loses it cannot begin a session', async () => {
    const jwt: AuthConfig['jwt'] = {
      encode: ({ token: { latchkey: _, ...token } = {}, maxAge = 0 }) =>
        Buffer.from(JSON.stringify({ ...token, exp: Math.floor(new Clock().seconds + maxAge) })).toString('base64url'),
      decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
    }
    const { one } = openProcesses({ jwt })
    const ada = one.browser()
    expect([(await ada.signIn()).location, ada.sessionNames()]).to.deep.equal([
      'http://app.example/auth/error?error=Configuration',
      [],
    ])
    expect(one.log.errors.map(({ message }) => message).join()).to.contain('lost the claim `latchkey`')
  })
})

describe('a revocable token session to which an account is added', () => {
  const open = async () => {
    let told = 0
    const jwt: JWTCallback = ({ token, account }) => {
      if (account) told += 1
      return account ? { ...token, told } : token
    }
    const processes = openProcesses({ callbacks: { jwt } }, { checkEvery: 0 })
    const ada = await processes.one.signedIn()
    /** The session goes on when somebody has added an account in it. */
    const goOn = ({ engine }: TestApp) =>
      engine.config.schemeFor('http://app.example').sessions.addAccount(requestOf(ada), {
        user: { id: '1815', name: 'Ada' },
        account: { provider: 'credentials', type: 'credentials', providerAccountId: '1815' },
      })
    return { ...processes, ada, goOn }
  }
  const requestOf = (browser: TestBrowser) => requestContext(browser.cookieHeader(), 'http://app.example')
  const liveRows = async ({ shared, clock }: ReturnType<typeof openProcesses>) =>
    (await shared.store.listTokenSessionsByUserId('1815')).filter(
      ({ revokedAt, expires }) => revokedAt === null && expires.getTime() > clock.ms,
    )

  it('goes on as the same session, whichever processes two requests reach', async () => {
    const opened = await open()
    const { one, other, ada, goOn } = opened
    const [row] = await liveRows(opened)
    const answers = await Promise.all([goOn(one), goOn(other)])
    const written = answers.map((cookies) => cookies.find(({ value }) => value !== '')?.value ?? '')
    for (const value of [ada.jar.get(SESSION)?.value ?? '', ...written]) {
      const tab = ada.copy()
      tab.plant(SESSION, value)
      expect([await isIn(at(one, tab)), await isIn(at(other, tab))]).to.deep.equal([true, true])
    }
    expect(new Set([ada.jar.get(SESSION)?.value, ...written]).size, 'the claims were changed').to.equal(3)
    expect((await liveRows(opened)).map(({ id, createdAt }) => [id, createdAt])).to.deep.equal([
      [row?.id, row?.createdAt],
    ])
  })

  it('does not go on if it has ended in another process', async () => {
    const { other, ada, goOn } = await open()
    await ada.signOut()
    expect(await goOn(other)).to.deep.equal([])
  })

  it('does not escape when all sessions of its user are revoked at that moment', async () => {
    for (const slow of ['getTokenSession', 'revokeTokenSession', 'listTokenSessionsByUserId'] as const) {
      const opened = await open()
      const { one, other, shared, goOn, ada } = opened
      let delays = 0
      shared.replace(slow, async (own, ...args) => {
        delays += 1
        await new Promise((done) => setTimeout(done, delays * 5))
        return own(...args)
      })
      const [cookies] = await Promise.all([goOn(one), other.engine.revokeAllSessions('1815')])
      const written = cookies.find(({ value }) => value !== '')?.value
      if (written !== undefined) ada.plant(SESSION, written)
      expect(await isIn(at(other, ada)), slow).to.equal(false)
      expect(await liveRows(opened), slow).to.deep.equal([])
    }
  })
})

describe('a token session from before session.revocation', () => {
  /** Ada signed in where no revocation was configured. */
  const openBefore = async (options: Partial<AuthConfig> = {}) => {
    const processes = openProcesses(options, { checkEvery: 0 })
    const { secret, clock } = processes
    const before = openTestApp({ secret, ...options }, { clock: sibling(clock) })
    const ada = await before.signedIn()
    return { ...processes, before, ada }
  }

  it('is adopted at its first use: listed once, and refused everywhere after a sign-out', async () => {
    const { ada, one, other, shared } = await openBefore()
    const [here, there] = [at(one, ada), at(other, ada)]
    expect(await Promise.all([isIn(here), isIn(there), isIn(here)])).to.deep.equal([true, true, true])
    expect((await shared.store.listTokenSessionsByUserId('1815')).length).to.equal(1)
    await here.signOut()
    expect(await isIn(there)).to.equal(false)
  })

  it('is refused where it signs out before it was ever adopted', async () => {
    const { ada, one, other } = await openBefore()
    await at(one, ada).signOut()
    expect(await isIn(at(other, ada))).to.equal(false)
  })

  it('is refused after all sessions of its user were revoked, although no list had it', async () => {
    const { ada, one, other, clock } = await openBefore()
    clock.advance(60)
    expect(await one.engine.revokeAllSessions('1815')).to.equal(0)
    clock.advance(60)
    expect([await isIn(at(one, ada)), await isIn(at(other, ada))]).to.deep.equal([false, false])
    const back = await one.signedIn()
    expect([await isIn(back), await isIn(at(other, back))], 'a new sign-in').to.deep.equal([true, true])
  })

  it('is refused after that also if its beginning is not known', async () => {
    const { one, other, secret } = await openBefore()
    const token = await forge({ sub: '1815', name: 'Ada' }, { secret })
    const guest = one.browser()
    guest.plant(SESSION, token)
    const copy = at(other, guest)
    await one.engine.revokeAllSessions('1815')
    expect(await isIn(copy)).to.equal(false)
  })

  it('is a fault if the store does not keep its record: such a session could not be revoked', async () => {
    for (const [name, work] of [
      ['getTokenSession', () => undefined],
      ['createTokenSession', down],
      ['createTokenSession', () => new Promise(() => {})],
    ] as const) {
      const { ada, one, shared } = await openBefore({ storeTimeout: 0.05 })
      shared.replace(name, work)
      expect(await statusOf(at(one, ada)), name).to.be.at.least(500)
    }
  })
})
