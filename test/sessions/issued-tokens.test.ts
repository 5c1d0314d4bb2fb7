import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { AuthError, RequestRefused } from '../../lib/kernel/errors.js'
import { failureOf } from '../support/failure.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, type TestApp, type TestBrowser } from '../support/test-app.js'
import { aMoment, hurryTimers } from '../support/timers.js'

/** The request of a program. */
const programAt = ({ origin }: TestApp, token: string) => ({
  ...requestContext(undefined, origin),
  header: (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined),
})
const browserAt = (browser: TestBrowser) => requestContext(browser.cookieHeader(), browser.origin)

/** The status with which work is refused; null if it is not refused. */
const refusalOf = (work: Promise<unknown>): Promise<number | null> =>
  work.then(
    () => null,
    (error: { readonly status?: number }) => error.status ?? null,
  )

for (const strategy of ['jwt', 'database'] as const) {
  describe(`an issued token between several processes, with ${strategy} sessions`, () => {
    let isDown: boolean
    let store: Required<Adapter>
    let here: TestApp
    let there: TestApp
    /** A process of its own: it remembers nothing of what another one knows. */
    const startProcess = () => {
      const calls = Object.entries(store).map(([name, method]) => [
        name,
        (...args: unknown[]) => {
          if (isDown) throw new Error('down')
          return (method as (...args: unknown[]) => unknown)(...args)
        },
      ])
      const own = Object.fromEntries(calls) as Adapter
      const kept: Partial<AuthConfig> =
        strategy === 'database'
          ? { adapter: own, session: { strategy } }
          : { session: { strategy, revocation: { store: own, checkEvery: 30 } } }
      return openTestApp({ bearer: true, ...kept })
    }
    beforeEach(() => {
      isDown = false
      store = memoryAdapter()
      store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      here = startProcess()
      there = startProcess()
    })
    const issue = (ada: TestBrowser, more: object = {}) =>
      ada.engine.issueToken(browserAt(ada), { maxAge: 600, ...more })
    const whoIs = async (app: TestApp, token: string) =>
      (await app.engine.readSession(programAt(app, token))).session?.user?.email ?? null

    it('is in the list of its user, with its name and scope, and knows which one is its own', async () => {
      const ada = await here.signedIn()
      const plain = await issue(ada, { name: 'Phone' })
      const scoped = await issue(ada, { name: 'Backup', scope: 'a b' })
      const list = await here.engine.listSessions(browserAt(ada))
      const shown = list?.map(({ id, kind, name, scope, isCurrent }) => [id, kind, name, scope, isCurrent])
      expect(shown).to.have.length(3)
      expect(shown).to.deep.include([plain.id, 'token', 'Phone', null, false])
      expect(shown).to.deep.include([scoped.id, 'token', 'Backup', 'a b', false])
      const own = await here.engine.listSessions(programAt(here, plain.token))
      expect(own?.find(({ isCurrent }) => isCurrent)?.id).to.equal(plain.id)
      expect(JSON.stringify([list, own])).to.not.include(plain.token.slice(-20))
    })

    it('ends in the other process when its user revokes it, all others, or an administrator everything', async () => {
      const ada = await here.signedIn()
      const ends: ((id: string) => Promise<unknown>)[] = [
        (id) => here.engine.revokeSession(browserAt(ada), id),
        () => here.engine.revokeOtherSessions(browserAt(ada)),
        () => here.engine.revokeAllSessions('1815'),
      ]
      for (const end of ends) {
        const { token, id } = await issue(ada)
        expect(await whoIs(there, token)).to.equal('ada@example.com')
        await end(id)
        expect(await whoIs(here, token)).to.equal(null)
        there.clock.advance(31)
        expect(await whoIs(there, token)).to.equal(null)
      }
    })

    it('is one of at most a hundred of its user, and others are issued again once one has ended', async () => {
      const ada = await here.signedIn()
      const { id } = await issue(ada)
      for (let n = 1; n < 100; n += 1) await issue(ada)
      expect(await refusalOf(issue(ada))).to.equal(409)
      await here.engine.revokeSession(browserAt(ada), id)
      expect(await refusalOf(issue(ada))).to.equal(null)
      expect(await refusalOf(issue(ada))).to.equal(409)
    })

    it('is not issued in a session that another process has ended a moment ago', async () => {
      const takeTime = hurryTimers()
      const ada = await here.signedIn()
      expect(await ada.current()).to.not.equal(null)
      await there.engine.revokeAllSessions('1815')
      const failure = await failureOf<RequestRefused>(issue(ada))
      expect(failure).to.be.instanceOf(RequestRefused)
      expect(failure.status).to.equal(401)
      // The record of the token that nobody got is revoked in the background.
      await aMoment()
      takeTime()
      const records = await store.listTokenSessionsByUserId('1815')
      expect(records.filter(({ revokedAt }) => revokedAt === null)).to.deep.equal([])
      expect(await store.listSessionsByUserId('1815')).to.deep.equal([])
    })

    it('is not issued while the store is down, and does not count then', async () => {
      const ada = await here.signedIn()
      const { token } = await issue(ada)
      isDown = true
      expect(await failureOf(issue(ada))).to.be.instanceOf(AuthError)
      expect(await failureOf(there.engine.readSession(programAt(there, token)))).to.be.instanceOf(AuthError)
    })

    it('with a scope lists no sessions, ends no others, and ends itself', async () => {
      const ada = await here.signedIn()
      const other = await issue(ada)
      const { token, id } = await issue(ada, { scope: 'a' })
      const program = programAt(here, token)
      expect(await here.engine.listSessions(program)).to.equal(null)
      expect(await here.engine.revokeSession(program, other.id)).to.equal(null)
      expect(await here.engine.revokeSession(program, id)).to.equal(null)
      expect(await here.engine.revokeOtherSessions(program)).to.equal(null)
      expect(await whoIs(here, other.token)).to.equal('ada@example.com')
      const { sessions } = here.engine.config.schemeFor(here.origin)
      expect((await sessions.revoke(program)).cookies).to.deep.equal([])
      expect((await here.engine.readSession(program)).restricted).to.equal(undefined)
      expect(await ada.current()).to.not.equal(null)
    })

    it('ends itself and nothing else, without touching the cookie beside it', async () => {
      const ada = await here.signedIn()
      const first = await issue(ada)
      const second = await issue(ada)
      const program = { ...programAt(here, second.token), cookies: browserAt(ada).cookies }
      for (const id of [first.id, (await ada.current())?.id ?? '', 'unknown']) {
        expect(await refusalOf(here.engine.revokeSession(program, id)), id).to.equal(403)
      }
      expect(await refusalOf(here.engine.revokeOtherSessions(program))).to.equal(403)
      expect(await whoIs(here, first.token)).to.not.equal(null)
      expect(await here.engine.revokeSession(program, second.id)).to.deep.equal({ isRevoked: true, cookies: [] })
      expect(await whoIs(here, second.token)).to.equal(null)
      expect(await ada.current()).to.not.equal(null)
    })

    it('is nobody as the initiator of anything, and in a cookie', async () => {
      const ada = await here.signedIn()
      const { token } = await issue(ada)
      const { sessions } = here.engine.config.schemeFor(here.origin)
      expect(await sessions.readPrincipal(programAt(here, token))).to.equal(null)
      const thief = here.browser()
      thief.plant(SESSION, token)
      expect(await thief.current()).to.equal(null)
      expect(await here.engine.listSessions(browserAt(thief))).to.equal(null)
      expect(await sessions.readPrincipal(browserAt(thief))).to.equal(null)
    })

    it('keeps its end after it was used, by the token and in the store', async () => {
      const ada = await here.signedIn()
      const { token, expires } = await issue(ada)
      for (let turn = 0; turn < 3; turn += 1) {
        for (const app of [here, there]) {
          app.clock.advance(190)
          const { session } = await app.engine.renewSession(programAt(app, token))
          expect(session?.expires).to.equal(expires.toISOString())
        }
      }
      for (const app of [here, there]) {
        app.clock.advance(60)
        expect(await whoIs(app, token)).to.equal(null)
      }
    })
  })
}

describe('an issued token of a configuration without a name, in a store that it shares,', () => {
  it('is neither listed nor ended by one with a name, also if its row is of an earlier version', async () => {
    for (const isEarlier of [false, true]) {
      const store = memoryAdapter()
      store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      const adapter: Adapter = {
        ...store,
        createSession: (row) =>
          store.createSession(isEarlier && row.kind === 'token' ? { ...row, instance: null } : row),
      }
      const open = (more: Partial<AuthConfig>) =>
        openTestApp({ bearer: true, adapter, session: { strategy: 'database' }, ...more })
      const [unnamed, staff] = [open({}), open({ instance: 'staff' })]
      const ada = await unnamed.signedIn()
      const { token, id } = await unnamed.engine.issueToken(browserAt(ada), { maxAge: 600 })
      const own = await staff.signedIn()
      expect(await staff.engine.listSessions(browserAt(own))).to.have.length(1)
      await staff.engine.revokeOtherSessions(browserAt(own))
      expect((await unnamed.engine.readSession(programAt(unnamed, token))).session).not.to.equal(null)
      expect((await unnamed.engine.listSessions(browserAt(ada)))?.map((session) => session.id)).to.include(id)
    }
  })
})
