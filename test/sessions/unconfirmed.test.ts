import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, type JWT, JWTSessionError } from '../../lib/index.js'
import type { SessionManager } from '../../lib/sessions/session-manager.js'
import { requestContext } from '../support/request-context.js'
import { watched } from '../support/stores.js'
import { openTestApp, SESSION } from '../support/test-app.js'

const DAY = 24 * 60 * 60
const ADA = { id: '1815', name: 'Ada', email: 'ada@example.com', image: null }

/** A store with Ada in it, and token sessions over it. */
async function open({ change = {}, config = {} }: { change?: Partial<Adapter>; config?: Partial<AuthConfig> } = {}) {
  const store = memoryAdapter()
  await store.createUser({ ...ADA, emailVerified: null })
  const { adapter, calls } = watched<Required<Adapter>>(store, change)
  const testApp = openTestApp({ adapter, session: { strategy: 'jwt' }, ...config })
  const { sessions } = testApp.engine.config.schemeFor(testApp.origin)
  const begin = async (isUnconfirmed?: boolean) => {
    const account = { provider: 'passkey', type: 'webauthn', providerAccountId: 'key' } as const
    const start = { user: ADA, account, isNewUser: true, ...(isUnconfirmed !== undefined && { isUnconfirmed }) }
    return valuesOf(await sessions.issue(requestContext(new Map()), start))
  }
  const confirm = () => store.updateUser({ id: ADA.id, emailVerified: new Date(testApp.clock.ms) })
  return { ...testApp, sessions, store, calls, begin, confirm }
}

const valuesOf = (cookies: Awaited<ReturnType<SessionManager['issue']>>) =>
  new Map(cookies.map(({ name, value }) => [name, value]))

const isSignedIn = async (sessions: SessionManager, cookies: ReadonlyMap<string, string>) => {
  const readings = await Promise.all([
    sessions.renew(requestContext(cookies)),
    sessions.read(requestContext(cookies)),
    sessions.update(requestContext(cookies), {}),
  ])
  const found = new Set(
    readings
      .map(({ session }) => session !== null)
      .concat((await sessions.readPrincipal(requestContext(cookies))) !== null),
  )
  expect(found.size, 'all readers say the same').to.equal(1)
  return found.has(true)
}

describe('ACCT-05: a token session of a user whose address nobody had confirmed', () => {
  it('is good until the address is confirmed, and no longer', async () => {
    const { sessions, begin, confirm } = await open()
    const cookies = await begin(true)
    expect(await isSignedIn(sessions, cookies)).to.equal(true)
    await confirm()
    expect(await isSignedIn(sessions, cookies)).to.equal(false)
  })

  it('ends in every form that it was extended or updated to', async () => {
    const { sessions, begin, confirm, clock } = await open({
      config: { callbacks: { jwt: ({ token: { sub } }) => ({ sub: sub ?? '', fresh: true }) } },
    })
    const cookies = await begin(true)
    clock.advance(2 * DAY)
    const extended = valuesOf((await sessions.renew(requestContext(cookies))).cookies)
    const updated = valuesOf((await sessions.update(requestContext(extended), { name: 'Mallory' })).cookies)
    expect([extended.get(SESSION), updated.get(SESSION)]).not.to.include(undefined)
    expect(await isSignedIn(sessions, updated)).to.equal(true)
    await confirm()
    for (const later of [extended, updated]) expect(await isSignedIn(sessions, later)).to.equal(false)
  })

  it('ends with its user', async () => {
    const { sessions, begin, store } = await open()
    const cookies = await begin(true)
    await store.deleteUser(ADA.id)
    expect(await isSignedIn(sessions, cookies)).to.equal(false)
  })

  it('belongs to the user that it began with, whatever the jwt callback makes of the id', async () => {
    const { sessions, begin, confirm } = await open({
      config: { callbacks: { jwt: ({ token }) => ({ ...token, sub: 'somebody else' }) } },
    })
    const cookies = await begin(true)
    expect(await isSignedIn(sessions, cookies)).to.equal(true)
    await confirm()
    expect(await isSignedIn(sessions, cookies)).to.equal(false)
  })

  it('cannot be judged while the store fails: that is a fault, and nobody is let in or signed out', async () => {
    const failing = { on: false }
    const { sessions, begin, store } = await open({
      change: {
        getUser: async (id) => {
          if (failing.on) throw new Error('the store is down')
          return store.getUser(id)
        },
      },
    })
    const cookies = await begin(true)
    failing.on = true
    for (const read of [sessions.renew, sessions.read, sessions.readPrincipal]) {
      const fault = await Promise.resolve(read(requestContext(cookies))).catch((error: unknown) => error)
      expect(fault).to.be.instanceOf(JWTSessionError)
    }
    failing.on = false
    expect(await isSignedIn(sessions, cookies)).to.equal(true)
  })

  it('is good for five minutes while the store fails, if this process has read it before', async () => {
    const failing = { on: false }
    const { sessions, begin, store, confirm, clock } = await open({
      change: {
        getUser: async (id) => {
          if (failing.on) throw new Error('the store is down')
          return store.getUser(id)
        },
      },
    })
    const cookies = await begin(true)
    const outcome = () => Promise.resolve(sessions.read(requestContext(cookies))).catch((error: unknown) => error)
    expect(await isSignedIn(sessions, cookies)).to.equal(true)
    failing.on = true
    clock.advance(4 * 60)
    expect(await outcome())
      .to.have.property('session')
      .that.is.not.equal(null)
    clock.advance(2 * 60)
    expect(await outcome()).to.be.instanceOf(JWTSessionError)
    failing.on = false
    expect(await isSignedIn(sessions, cookies)).to.equal(true)
    await confirm()
    expect(await isSignedIn(sessions, cookies), 'an end is never forgotten').to.equal(false)
    failing.on = true
    expect(await outcome()).to.be.instanceOf(JWTSessionError)
  })

  it('asks no callback once it has ended', async () => {
    let asked = 0
    const jwt = ({ token }: { token: JWT }) => {
      asked += 1
      return token
    }
    const { sessions, begin, confirm } = await open({ config: { callbacks: { jwt } } })
    const cookies = await begin(true)
    await confirm()
    asked = 0
    await sessions.renew(requestContext(cookies))
    expect(asked).to.equal(0)
  })

  it('is passed to no callback', async () => {
    const seen: object[] = []
    const { sessions, begin } = await open({
      config: {
        callbacks: {
          jwt({ token }) {
            seen.push({ ...token })
            return token
          },
        },
      },
    })
    await sessions.renew(requestContext(await begin(true)))
    expect(seen).to.have.length(2)
    expect(JSON.stringify(seen)).not.to.match(/unconfirmed|latchkey/)
  })
})

describe('a token session of anybody else', () => {
  for (const isUnconfirmed of [undefined, false]) {
    it(`never asks the store, with isUnconfirmed ${isUnconfirmed}`, async () => {
      const { sessions, begin, calls, confirm } = await open()
      const cookies = await begin(isUnconfirmed)
      calls.length = 0
      const reading = sessions.renew(requestContext(cookies))
      expect(reading, 'nothing is waited for').not.to.be.instanceOf(Promise)
      await confirm()
      expect(await isSignedIn(sessions, cookies)).to.equal(true)
      expect(calls).to.deep.equal([])
    })
  }
})
