import { inspect } from 'node:util'
import { expect } from 'chai'
import type { AdapterTokenSession } from '../../../lib/adapters/adapter.js'
import { migrateToLatest, type SqlAdapter, type SqlNames, sqlAdapter } from '../../../lib/adapters/sql.js'
import type { AdapterError } from '../../../lib/kernel/errors.js'
import { ENGINES, mariadb, postgres, type TestDatabase } from './databases.js'

const BEGUN = new Date('2026-03-04T05:06:07.089Z')
const EXPIRES = new Date('2031-03-04T05:06:07.089Z')
const DETAILS = {
  createdAt: BEGUN,
  lastSeenAt: BEGUN,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  network: '203.0.113.0/24',
  name: 'laptop',
  instance: 'shop',
}

const tokenSession = (id: string, changes: Partial<AdapterTokenSession> = {}): AdapterTokenSession => ({
  id,
  userId: 'ada',
  expires: EXPIRES,
  revokedAt: null,
  tokenIssuedAt: null,
  ...changes,
})

const refusalOf = async (call: Promise<unknown>): Promise<AdapterError> => {
  const [outcome] = await Promise.allSettled([call])
  expect(outcome?.status).to.equal('rejected')
  return (outcome as PromiseRejectedResult).reason
}

for (const engine of ENGINES) {
  describe(`token sessions on ${engine.name}`, () => {
    let database: TestDatabase
    const opened: SqlAdapter[] = []
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
    })
    afterEach(async () => {
      for (const adapter of opened.splice(0)) await adapter.close()
      await database.drop()
    })

    /** An adapter with connections of its own, as another process has them. */
    const open = (names: SqlNames = {}): SqlAdapter => {
      const adapter = sqlAdapter(engine.name === 'SQLite' ? { sqlite: database.url } : { url: database.url }, names)
      opened.push(adapter)
      return adapter
    }
    const quoted = (name: string) => (engine === mariadb ? `\`${name}\`` : `"${name}"`)
    const count = async () => (await database.run('select id from token_sessions')).length

    it('that two processes create at the same moment are there once, as one of them gave them', async () => {
      await migrateToLatest(database.connection)
      const [one, other] = [open(), open()]
      for (let round = 0; round < 10; round++) {
        const id = `session-${round}`
        await Promise.all([
          one.createTokenSession(tokenSession(id, { userId: 'ada', name: 'one' })),
          other.createTokenSession(tokenSession(id, { userId: 'eve', name: 'other' })),
        ])
        const { userId, name } = (await one.getTokenSession(id)) ?? {}
        expect([userId, name].join(' ')).to.be.oneOf(['ada one', 'eve other'])
        expect(await count()).to.equal(round + 1)
      }
    })

    it('are revoked once by two processes, and stay revoked whatever either of them does meanwhile', async () => {
      await migrateToLatest(database.connection)
      const [one, other] = [open(), open()]
      await one.createTokenSession(tokenSession('abc', { createdAt: BEGUN }))
      const calls = Array.from({ length: 20 }, (_, index) => {
        const revoker = index % 2 === 0 ? one : other
        return revoker.revokeTokenSession('abc', new Date(BEGUN.getTime() + index))
      })
      const visits = Array.from({ length: 20 }, async (_, index) => {
        const visited = index % 2 === 0 ? other : one
        await visited.createTokenSession(tokenSession('abc', { createdAt: BEGUN }))
        await visited.updateTokenSession('abc', { lastSeenAt: EXPIRES })
      })
      const answers = await Promise.all(calls)
      await Promise.all(visits)
      expect(answers.filter((isRevoked) => isRevoked)).to.have.lengthOf(1)
      const revokedAt = new Date(BEGUN.getTime() + answers.indexOf(true))
      expect(await other.getTokenSession('abc')).to.deep.equal(
        tokenSession('abc', { createdAt: BEGUN, lastSeenAt: EXPIRES, revokedAt }),
      )
    })

    it('need their table, which the migration makes; until then, nobody counts as never revoked', async () => {
      const adapter = open()
      const calls = [
        () => adapter.createTokenSession(tokenSession('abc')),
        () => adapter.getTokenSession('abc'),
        () => adapter.updateTokenSession('abc', { lastSeenAt: BEGUN }),
        () => adapter.revokeTokenSession('abc', BEGUN),
        () => adapter.listTokenSessionsByUserId('ada'),
      ]
      for (const call of calls) {
        expect((await refusalOf(call())).message).to.equal(
          'There is no table "token_sessions". Make it with "npx latchkey migrate up" or migrateToLatest(); ' +
            'if it has another name, say so in tables.tokenSessions.',
        )
      }
      await migrateToLatest(database.connection)
      await adapter.createTokenSession(tokenSession('abc'))
      expect(await adapter.getTokenSession('abc')).to.deep.equal(tokenSession('abc'))
    })

    for (const member of ['revokedAt', 'tokenIssuedAt'] as const) {
      it(`are refused by a table without ${member}: what is not kept would be taken for null`, async () => {
        await migrateToLatest(database.connection)
        const names: SqlNames = { columns: { tokenSessions: { [member]: false } } }
        const failure = await refusalOf(open(names).getTokenSession('abc'))
        expect(failure.message).to.match(
          new RegExp(`no column "${member}": name it in columns.tokenSessions.${member}`),
        )
        await database.run(`alter table token_sessions drop column ${quoted(member)}`)
        expect((await refusalOf(open().revokeTokenSession('abc', BEGUN))).message).to.include(`no column "${member}"`)
      })
    }

    it('may be in a table, and in columns, of other names', async () => {
      const names: SqlNames = {
        tables: { tokenSessions: 'revocable logins', sessions: 'logins' },
        columns: {
          tokenSessions: { id: 'login_id', userId: 'member_id', revokedAt: 'ended_at', network: false },
          sessions: { createdAt: 'begun_at', userAgent: false },
        },
      }
      await migrateToLatest(database.connection, names)
      const adapter = open(names)
      await adapter.createTokenSession(tokenSession('abc', DETAILS))
      await adapter.createTokenSession(tokenSession('abc', { userId: 'eve' }))
      const { network: _left, ...kept } = DETAILS
      expect(await adapter.getTokenSession('abc')).to.deep.equal(tokenSession('abc', kept))
      expect(await adapter.revokeTokenSession('abc', BEGUN)).to.equal(true)
      const [row] = await database.run(`select login_id, member_id from ${quoted('revocable logins')}`)
      expect(row).to.deep.equal({ login_id: 'abc', member_id: 'ada' })
      await adapter.createUser({ id: 'ada', email: 'ada@x.example', emailVerified: null })
      const session = { sessionToken: 'token', userId: 'ada', expires: EXPIRES }
      const { userAgent: _agent, ...rest } = DETAILS
      expect(await adapter.createSession({ ...session, ...DETAILS })).to.deep.equal({ ...session, ...rest })
      expect(await adapter.listSessionsByUserId('ada')).to.deep.equal([{ ...session, ...rest }])
      expect(await migrateToLatest(database.connection, { ...names, migrationTable: 'again' })).to.deep.include({
        name: '0006-token-sessions',
        steps: [],
      })
    })

    it('do not hide that another column of the application must be unique, and show none of their values', async () => {
      await migrateToLatest(database.connection)
      await database.run('alter table token_sessions add column device varchar(100)')
      await database.run('create unique index one_device on token_sessions (device)')
      const adapter = open()
      const device = { device: 'private-device' }
      await adapter.createTokenSession({ ...tokenSession('private-1'), ...device })
      const failure = await refusalOf(adapter.createTokenSession({ ...tokenSession('private-2'), ...device }))
      expect(failure.cause).to.include({ duplicate: true })
      expect(`${failure.message} ${inspect(failure, { depth: 9, showHidden: true })}`).not.to.include('private')
      expect(await adapter.getTokenSession('private-2')).to.equal(null)
    })

    it('may belong to users whom the database does not have, and stay when a user is deleted', async () => {
      await migrateToLatest(database.connection)
      const adapter = open()
      await adapter.createUser({ id: 'ada', email: 'ada@x.example', emailVerified: null })
      await adapter.createTokenSession(tokenSession('a', { revokedAt: BEGUN }))
      await adapter.createTokenSession(tokenSession('b', { userId: 'nobody' }))
      await adapter.deleteUser('ada')
      expect(await adapter.getTokenSession('a')).to.deep.equal(tokenSession('a', { revokedAt: BEGUN }))
      expect(await adapter.listTokenSessionsByUserId('nobody')).to.have.lengthOf(1)
    })
  })

  describe(`sessions on ${engine.name}, in a table that was not migrated`, () => {
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
    })
    afterEach(() => database.drop())

    it('are stored, listed, extended and ended as before, without their details', async () => {
      await migrateToLatest(database.connection)
      const columns = [...Object.keys(DETAILS), 'kind', 'scope', 'authenticatedAt']
      for (const name of columns) {
        await database.run(`alter table sessions drop column ${engine === mariadb ? `\`${name}\`` : `"${name}"`}`)
      }
      const adapter = sqlAdapter(database.connection)
      await adapter.createUser({ id: 'ada', email: 'ada@x.example', emailVerified: null })
      const session = { sessionToken: 'abc', userId: 'ada', expires: EXPIRES }
      expect(await adapter.createSession({ ...session, ...DETAILS, kind: 'token' })).to.deep.equal(session)
      expect(await adapter.listSessionsByUserId('ada')).to.deep.equal([session])
      expect(await adapter.updateSession({ sessionToken: 'abc', lastSeenAt: BEGUN })).to.deep.equal(session)
      const changed = { ...session, sessionToken: 'def', expires: BEGUN }
      await adapter.updateSession({ sessionToken: 'abc', expires: BEGUN, userAgent: null })
      expect(await adapter.changeSessionToken('abc', 'def')).to.deep.equal(changed)
      expect((await adapter.getSessionAndUser('def'))?.session).to.deep.equal(changed)
      expect(await adapter.deleteSession('def')).to.deep.equal(changed)
      await adapter.close()
    })
  })
}

describe('token sessions on a PostgreSQL whose transactions are serializable', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await migrateToLatest(database.connection)
    const [{ name } = {}] = await database.run('select current_database() as name')
    await database.run(`alter database ${name} set default_transaction_isolation = 'serializable'`)
  })
  afterEach(() => database.drop())

  it('are created once and revoked once, too', async () => {
    const adapter = sqlAdapter({ url: database.url })
    await Promise.all(Array.from({ length: 20 }, () => adapter.createTokenSession(tokenSession('abc'))))
    const calls = Array.from({ length: 20 }, () => adapter.revokeTokenSession('abc', BEGUN))
    expect((await Promise.all(calls)).filter((isRevoked) => isRevoked)).to.have.lengthOf(1)
    await adapter.close()
  })
})

describe('a table of token sessions that somebody made on MariaDB, under its default collation', () => {
  let database: TestDatabase
  before(mariadb.requireServer)
  beforeEach(async () => {
    database = await mariadb.create()
    await database.run(
      `create table token_sessions (id varchar(40) primary key, userId varchar(255) not null,
       expires datetime(3) not null) default charset=utf8mb4 collate=utf8mb4_general_ci`,
    )
  })
  afterEach(() => database.drop())

  it('tells all ids apart, and has room for them, once the migration has run', async () => {
    const applied = await migrateToLatest(database.connection)
    expect(applied.find(({ name }) => name === '0006-token-sessions')?.steps).to.include.members([
      'add column revokedAt to token_sessions',
      'create index on token_sessions (userId)',
      'tell all texts apart in token_sessions.id and make room for 255 characters in token_sessions.id',
    ])
    const adapter = sqlAdapter(database.connection)
    const ids = ['abc', 'ABC', 'äbc'].map((text) => text.padEnd(64, 'x'))
    for (const id of ids) await adapter.createTokenSession(tokenSession(id))
    for (const id of ids) expect((await adapter.getTokenSession(id))?.id).to.equal(id)
  })
})
