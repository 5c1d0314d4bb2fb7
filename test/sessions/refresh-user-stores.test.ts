import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { ENGINES, type TestDatabase } from '../adapters/sql/databases.js'
import { failureOf } from '../support/failure.js'
import { requestContext } from '../support/request-context.js'
import { STORES } from '../support/stores.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'

const MINUTE = 60
const STRATEGIES = ['jwt', 'database'] as const

const ADA = { id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null }

function open(adapter: Adapter, strategy: 'jwt' | 'database', more: object = {}) {
  return openTestApp({ adapter, session: { strategy, refreshUser: MINUTE, ...more } })
}

for (const engine of ENGINES) {
  describe(`a column \`disabled\` in ${engine.name}, with session.refreshUser`, () => {
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
    })
    afterEach(() => database.drop())

    const TIMESTAMP = { SQLite: 'timestamp', PostgreSQL: 'timestamptz', MariaDB: 'datetime(3)' }
    const ofGuide = engine.name === 'SQLite' ? 'integer' : 'boolean'
    it('has the type that the guide gives it', () => {
      const guide = readFileSync(new URL('../../docs/guides/people.md', import.meta.url), 'utf8')
      const statement = `alter table users add column disabled ${ofGuide}`
      expect(guide).to.match(new RegExp(`\\| [^|]*${engine.name}[^|]* \\| \`${statement}\``))
    })
    const columns = {
      boolean: [false, true],
      [ofGuide]: [false, true],
      [TIMESTAMP[engine.name]]: [null, new Date('2026-01-02T03:04:05.678Z')],
    }
    for (const [type, [no, yes]] of Object.entries(columns)) {
      for (const strategy of STRATEGIES) {
        it(`keeps users out as ${type}, with ${strategy} sessions`, async () => {
          await database.run(`alter table users add column disabled ${type} null`)
          const adapter = sqlAdapter(database.connection)
          await adapter.createUser({ ...ADA, disabled: no } as AdapterUser)
          const { signedIn, browser, clock } = open(adapter, strategy)
          const ada = await signedIn()
          clock.advance(MINUTE)
          expect((await ada.session())?.user).to.include({ name: 'Ada' })
          await adapter.updateUser({ id: ADA.id, disabled: yes } as never)
          clock.advance(MINUTE)
          expect(await ada.session()).to.equal(null)
          expect((await browser().signIn()).location).to.include('error=AccessDenied')
          await adapter.updateUser({ id: ADA.id, disabled: no } as never)
          await ada.signIn()
          expect((await ada.session())?.user).to.include({ name: 'Ada' })
          await adapter.close()
        })
      }
    }
  })
}

for (const store of STORES) {
  describe(`users in ${store.name}, with session.refreshUser`, () => {
    before(store.requireServer)
    for (const strategy of STRATEGIES) {
      it(`are seen as they are now, in another process too, until they are deleted, with ${strategy} sessions`, async () => {
        const { adapter, another, close } = await store.open()
        const { id } = await adapter.createUser(ADA)
        const authorize = () => ({ ...ADA, id })
        const [one, other] = [adapter, await another()].map((each) =>
          openTestApp({
            adapter: each,
            session: { strategy, refreshUser: MINUTE },
            providers: [{ id: 'credentials', name: 'Password', type: 'credentials', credentials: {}, authorize }],
          }),
        ) as [ReturnType<typeof openTestApp>, ReturnType<typeof openTestApp>]
        const ada = await one.signedIn()
        await adapter.updateUser({ id, name: 'Countess' })
        for (const { clock } of [one, other]) clock.advance(MINUTE)
        const read = async () =>
          (await other.engine.readSession(requestContext(ada.cookieHeader(), other.origin))).session
        expect((await read())?.user).to.include({ id, name: 'Countess' })
        expect((await ada.session())?.user).to.include({ name: 'Countess' })
        await adapter.deleteUser(id)
        for (const { clock } of [one, other]) clock.advance(MINUTE)
        expect(await read()).to.equal(null)
        expect(await ada.session()).to.equal(null)
        await close()
      })
    }
  })
}

describe('a revocable token session whose user was read again', () => {
  const store = memoryAdapter()
  const users = memoryAdapter()
  users.createUser(ADA)
  const list = (browser: TestBrowser) =>
    browser.engine.listSessions(requestContext(browser.cookieHeader(), browser.origin))

  it('is the same session in the list, and every copy of it ends with it', async () => {
    const { signedIn, clock, engine } = open(users, 'jwt', { revocation: { store, checkEvery: 0 } })
    const ada = await signedIn()
    const old = ada.copy()
    const [before] = (await list(ada)) ?? []
    clock.advance(MINUTE)
    await ada.session()
    expect((await list(ada))?.map(({ id }) => id)).to.deep.equal([before?.id])
    await engine.revokeAllSessions(ADA.id)
    expect([await ada.session(), await old.session()]).to.deep.equal([null, null])
  })

  it('does not ask for the user of a revoked session', async () => {
    const adapter: Adapter = {
      ...users,
      getUser: (id) => (isDown ? Promise.reject(new Error('down')) : users.getUser(id)),
    }
    let isDown = false
    const { signedIn, clock, engine } = open(adapter, 'jwt', { revocation: { store, checkEvery: 0 } })
    const ada = await signedIn()
    clock.advance(MINUTE)
    isDown = true
    expect((await failureOf(ada.current())).message).to.match(/read/)
    await engine.revokeAllSessions(ADA.id)
    expect(await ada.current()).to.equal(null)
  })
})
