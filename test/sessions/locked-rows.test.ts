import { expect } from 'chai'
import { Kysely, MysqlDialect, PostgresDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { mariadb, postgres } from '../adapters/sql/databases.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION } from '../support/test-app.js'

const dialects = {
  PostgreSQL: (url: string) => new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }),
  MariaDB: (url: string) => new MysqlDialect({ pool: mysql.createPool(url) }),
}

/** Notes which methods of a store of sessions are called. */
function noting(store: Adapter) {
  const calls: string[] = []
  const adapter: Adapter = {
    ...store,
    deleteSession(token) {
      calls.push('deleteSession')
      return store.deleteSession?.(token)
    },
    getSessionAndUser(token) {
      calls.push('getSessionAndUser')
      return store.getSessionAndUser?.(token) ?? null
    },
  }
  return { calls, adapter }
}

for (const engine of [postgres, mariadb]) {
  describe(`a sign-out whose row another transaction has locked, in ${engine.name}`, () => {
    before(engine.requireServer)

    it('waits for the database once, and is done later', async () => {
      const database = await engine.create()
      await migrateToLatest({ url: database.url })
      const store = sqlAdapter({ url: database.url }, { queryTimeout: 0.5 })
      const { calls, adapter } = noting(store)
      const testApp = openTestApp({ adapter, session: { strategy: 'database' } })
      const token = 'ab'.repeat(32)
      await store.createUser?.({ id: 'ada', name: 'Ada', email: 'ada@example.com', emailVerified: null })
      const expires = new Date(Date.now() + 90_000_000)
      await store.createSession?.({ sessionToken: storedForm(token), userId: 'ada', expires })
      const db = new Kysely<object>({ dialect: dialects[engine.name as keyof typeof dialects](database.url) })
      const { sessions } = testApp.engine.config.schemeFor(testApp.origin)
      await db.transaction().execute(async (transaction) => {
        await sql`select * from sessions for update`.execute(transaction)
        const { fault } = await sessions.revoke(requestContext(new Map([[SESSION, token]])))
        expect(fault).to.be.instanceOf(Error)
        expect(calls).to.deep.equal(['deleteSession', 'deleteSession'])
      })
      await db.destroy()
      for (let waits = 0; waits < 40 && (await store.getSessionAndUser?.(storedForm(token))) !== null; waits += 1)
        await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await store.getSessionAndUser?.(storedForm(token))).to.equal(null)
      await store.close()
      await database.drop()
    })
  })
}
