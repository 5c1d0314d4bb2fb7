import { expect } from 'chai'
import { migrateToLatest, type SqlNames, sqlAdapter } from '../../../lib/adapters/sql.js'
import { ENGINES, mariadb, postgres, type TestDatabase } from './databases.js'

const user = { id: 'ada', email: 'ada@x.example', emailVerified: null }
const account = { userId: 'ada', type: 'oauth', provider: 'acme', providerAccountId: '7' } as const

for (const engine of ENGINES) {
  describe(`columns in ${engine.name}`, () => {
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
    })
    afterEach(() => database.drop())

    const quoted = (name: string) => (engine === mariadb ? `\`${name}\`` : `"${name}"`)

    it('that the application added are written and read, with their kinds of value', async () => {
      const types = { SQLite: 'timestamp', PostgreSQL: 'timestamptz', MariaDB: 'datetime(3)' }
      await migrateToLatest(database.connection)
      await database.run("alter table users add column role varchar(20) default 'member'")
      await database.run('alter table users add column score integer')
      await database.run('alter table users add column active boolean')
      await database.run(`alter table users add column ${quoted('createdAt')} ${types[engine.name]}`)
      await database.run('alter table users add column preferences text')
      const adapter = sqlAdapter(database.connection)
      const createdAt = new Date('2026-01-02T03:04:05.678Z')
      const extra = { score: 3, active: true, createdAt, preferences: { theme: 'dark' } }
      const created = await adapter.createUser({ ...user, ...extra } as never)
      expect(created).to.deep.include({ ...user, role: 'member', score: 3, createdAt })
      expect(created).to.deep.include({ preferences: '{"theme":"dark"}' })
      expect(Number((created as never)['active'])).to.equal(1)
      expect(await adapter.getUser('ada')).to.deep.equal(created)
      const updated = await adapter.updateUser({ id: 'ada', role: 'admin', active: false } as never)
      expect(updated).to.deep.include({ role: 'admin', score: 3 })
      expect(Number((updated as never)['active'])).to.equal(0)
      await adapter.close()
    })

    it('that the tables do not have are dropped: unknown members of a token response break nothing', async () => {
      await migrateToLatest(database.connection)
      const adapter = sqlAdapter(database.connection)
      await adapter.createUser({ ...user, hometown: 'London', toString: () => '' } as never)
      const response = {
        expires_in: 3600,
        ext_expires_in: 3600,
        'not-before-policy': 0,
        nested: { a: [1] },
        __proto__: {},
      }
      expect(await adapter.linkAccount({ ...account, ...response })).to.deep.equal(account)
      await adapter.close()
    })

    it('keep what odd token responses have in the place of texts and numbers', async () => {
      await migrateToLatest(database.connection)
      const adapter = sqlAdapter(database.connection)
      await adapter.createUser(user)
      const odd = {
        expires_at: '1795000000.9',
        scope: ['a', 'b'],
        session_state: true,
        access_token: { key: "' or 1 = 1" },
      }
      expect(await adapter.linkAccount({ ...account, ...odd } as never)).to.deep.equal({
        ...account,
        expires_at: 1795000000,
        scope: '["a","b"]',
        session_state: 'true',
        access_token: '{"key":"\' or 1 = 1"}',
      })
      await adapter.close()
    })

    it('and tables may have other names', async () => {
      const names: SqlNames = {
        tables: { users: 'members', accounts: 'member accounts', sessions: 'logins', verificationTokens: 'links' },
        columns: {
          users: { id: 'member_id', emailVerified: 'email_verified', passwordHash: 'password_hash', pin: false },
          accounts: { userId: 'member_id', providerAccountId: 'provider_account_id' },
          sessions: { sessionToken: 'token', userId: 'member_id' },
        },
      }
      await migrateToLatest(database.connection, names)
      await database.run('alter table members add column password_hash varchar(100)')
      await database.run(`alter table members add column pin varchar(100) default 'secret'`)
      const adapter = sqlAdapter(database.connection, names)
      const given = { ...user, emailVerified: new Date(0), passwordHash: 'argon' }
      const expected = { ...given, name: null, image: null }
      expect(await adapter.createUser({ ...given, pin: 'mine' } as never)).to.deep.equal(expected)
      await adapter.linkAccount(account)
      const session = { sessionToken: 'abc', userId: 'ada', expires: new Date(5) }
      await adapter.createSession(session)
      expect(await adapter.getSessionAndUser('abc')).to.deep.equal({ session, user: expected })
      expect(await adapter.getUserByAccount(account)).to.deep.equal(expected)
      const [row] = await database.run('select pin, password_hash, member_id from members')
      expect(row).to.deep.equal({ pin: 'secret', password_hash: 'argon', member_id: 'ada' })
      await adapter.deleteUser('ada')
      expect(await database.run('select * from logins')).to.deep.equal([])
      await adapter.close()
    })

    it('that are not there although needed are named in the error, with the fix', async () => {
      const id = engine === mariadb ? 'varchar(50)' : 'text'
      await database.run(`create table users (user_id ${id} primary key, email ${id})`)
      const adapter = sqlAdapter(database.connection)
      const failure = await adapter.getUser('1').catch((error) => error)
      expect(failure.message).to.equal('The table "users" has no column "id": name it in columns.users.id.')
      const refusal = await migrateToLatest(database.connection).catch((error) => error)
      expect(refusal.message).to.match(/^There is a table "users" already, without the column "id"/)
      await adapter.close()
    })

    it('that are missing keep a user from being deleted without the rows of the user', async () => {
      await migrateToLatest(database.connection)
      const adapter = sqlAdapter(database.connection)
      await adapter.createUser(user)
      await database.run('alter table authenticators drop column counter')
      const failure = await adapter.deleteUser('ada').catch((error) => error)
      expect(failure.message).to.match(/^The table "authenticators" has no column "counter"/)
      expect(await adapter.getUser('ada')).to.deep.include(user)
      await database.run('drop table authenticators')
      expect(await adapter.deleteUser('ada')).to.deep.include(user)
      await adapter.close()
    })

    it('may be missing where they may be empty: the migration adds them', async () => {
      const text = engine === mariadb ? 'varchar(190)' : 'text'
      await database.run(`create table users (id ${text} primary key, email ${text})`)
      const adapter = sqlAdapter(database.connection)
      expect(await adapter.createUser(user)).to.deep.equal({ id: 'ada', email: 'ada@x.example' })
      const [{ steps } = { steps: [] }] = await migrateToLatest(database.connection)
      expect(steps.slice(0, 4)).to.deep.equal([
        'add column name to users',
        'add column emailVerified to users',
        'add column image to users',
        'create unique index on users (email)',
      ])
      const later = sqlAdapter(database.connection)
      expect(await later.getUser('ada')).to.deep.equal({ ...user, name: null, image: null })
      await adapter.close()
      await later.close()
    })
  })
}

describe('ids in MariaDB', () => {
  before(mariadb.requireServer)

  it('may be numbers that the database gives', async () => {
    const database = await mariadb.create()
    await database.run('create table users (id int unsigned auto_increment primary key, email varchar(190) unique)')
    await migrateToLatest(database.connection)
    const adapter = sqlAdapter(database.connection)
    expect((await adapter.createUser(user)).id).to.equal('1')
    const session = { sessionToken: 'abc', userId: '1', expires: new Date(5) }
    expect(await adapter.createSession(session)).to.deep.equal(session)
    expect((await adapter.getSessionAndUser('abc'))?.user.id).to.equal('1')
    expect(await adapter.getUser('1 apple')).to.equal(null)
    await database.drop()
  })
})

describe('tables in a PostgreSQL schema', () => {
  before(postgres.requireServer)

  it('are made and used there, whatever stands in others', async () => {
    const database = await postgres.create()
    await database.run('create table users (something integer)')
    const names = { schema: 'Sign in' }
    await migrateToLatest(database.connection, names)
    const adapter = sqlAdapter(database.connection, names)
    await adapter.createUser(user)
    expect(await database.run('select id from "Sign in".users')).to.deep.equal([{ id: 'ada' }])
    expect(await migrateToLatest(database.connection, names)).to.deep.equal([])
    await database.run('set search_path to public')
    await database.drop()
  })

  it('may have uuids that the database makes', async () => {
    const database = await postgres.create()
    await database.run('create table users (id uuid primary key default gen_random_uuid(), email text)')
    await migrateToLatest(database.connection)
    const adapter = sqlAdapter(database.connection)
    const { id } = await adapter.createUser(user)
    expect(id).to.match(/^[\da-f-]{36}$/)
    await adapter.createSession({ sessionToken: 'abc', userId: id, expires: new Date(5) })
    expect((await adapter.getSessionAndUser('abc'))?.user.id).to.equal(id)
    expect(await adapter.getUser('ada')).to.equal(null)
    await database.drop()
  })
})
