import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { ADAPTER_METHODS, markOwn } from '../../lib/adapters/methods.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import type { AuthConfig } from '../../lib/index.js'
import { sqlite, type TestDatabase } from '../adapters/sql/databases.js'
import { FakeProvider } from '../support/fake-provider.js'
import { goTo, Mailbox, newPerson, oauth, setProviderUser } from '../support/sign-ins.js'
import { Clock, openTestApp } from '../support/test-app.js'

/** An adapter of Latchkey that notes the names of the methods that are called. */
function noting(adapter: Required<Adapter>, isOwn: boolean): { adapter: Adapter; calls: string[] } {
  const calls: string[] = []
  const methods = ADAPTER_METHODS.map((name) => {
    const method = adapter[name] as (...args: unknown[]) => unknown
    const noted = (...args: unknown[]) => {
      calls.push(name)
      return method.apply(adapter, args)
    }
    return [name, noted]
  })
  const watched: Adapter = Object.fromEntries(methods)
  return { adapter: isOwn ? markOwn(watched) : watched, calls }
}

describe('the calls of the store at the sign-in of a known user at a provider', () => {
  let idp: FakeProvider
  let database: TestDatabase
  let sql: ReturnType<typeof sqlAdapter>
  before(async () => {
    idp = await FakeProvider.start()
    database = await sqlite.create()
    await migrateToLatest(database.connection)
    sql = sqlAdapter(database.connection)
  })
  after(async () => {
    await sql.close()
    await Promise.all([idp.stop(), database.drop()])
  })

  /** The calls of the second sign-in of a person, from the answer of the provider on. */
  async function callsOf(adapter: Required<Adapter>, more: Partial<AuthConfig> = {}, isOwn = true): Promise<string[]> {
    const { adapter: watched, calls } = noting(adapter, isOwn)
    const clock = new Clock()
    const person = { ...newPerson(), emailVerified: true }
    const { browser } = openTestApp(
      {
        adapter: watched,
        session: { strategy: 'database' },
        ...more,
        providers: [oauth(idp), ...(more.providers ?? [])],
      },
      { clock },
    )
    const signIn = async () => {
      setProviderUser(idp, clock, person)
      const visitor = browser()
      const path = await goTo(visitor, idp)
      calls.length = 0
      const { location } = await visitor.get(path)
      expect(location).to.equal('http://app.example')
      return [...calls]
    }
    await signIn()
    return signIn()
  }

  for (const [name, open] of [
    ['memory', () => memoryAdapter()],
    ['SQLite', () => sql],
  ] as const) {
    it(`are three with ${name}: find, keep the new tokens, begin the session`, async () => {
      expect(await callsOf(open())).to.deep.equal(['getUserByAccount', 'updateAccount', 'createSession'])
    })

    it(`are four with ${name} after a signIn callback, which may have taken long: the account is looked up again`, async () => {
      const calls = await callsOf(open(), { callbacks: { signIn: () => true } })
      expect(calls).to.deep.equal(['getUserByAccount', 'getUserByAccount', 'updateAccount', 'createSession'])
    })

    it(`are three with ${name} where disabled users are refused: whom they found before counts`, async () => {
      const calls = await callsOf(open(), { session: { strategy: 'database', refreshUser: 3600 } })
      expect(calls).to.deep.equal(['getUserByAccount', 'updateAccount', 'createSession'])
    })

    it(`are four with ${name} where the address of the user is not confirmed and a mailed link may confirm it meanwhile`, async () => {
      const calls = await callsOf(open(), { providers: [new Mailbox().provider()] })
      expect(calls).to.deep.equal(['getUserByAccount', 'updateAccount', 'createSession', 'getUser'])
    })

    it(`look the account itself up where methods of ${name} are replaced, which may find the row of another`, async () => {
      const calls = await callsOf(open(), {}, false)
      expect(calls).to.deep.equal(['getUserByAccount', 'getAccount', 'updateAccount', 'createSession'])
    })
  }
})
