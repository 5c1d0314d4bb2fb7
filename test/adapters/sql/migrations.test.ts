import { expect } from 'chai'
import { canSkipLocked, createConnector, isMariadbWithReturning } from '../../../lib/adapters/sql/connect.js'
import { migrateToLatest, migrationStatus } from '../../../lib/adapters/sql.js'
import { latchkeyProcess } from '../../support/command-line.js'
import { ENGINES, type TestDatabase } from './databases.js'

const TABLES = [
  'accounts',
  'authenticators',
  'latchkey_records',
  'sessions',
  'token_sessions',
  'users',
  'verification_token',
]
const DETAILS = ['createdAt', 'lastSeenAt', 'userAgent', 'network', 'kind', 'name', 'scope', 'instance']
/** What the sixth migration does in a database of the fifth. */
const TOKEN_SESSIONS = {
  name: '0006-token-sessions',
  steps: [
    ...DETAILS.map((name) => `add column ${name} to sessions`),
    'create table token_sessions',
    'create index on token_sessions (userId)',
    'create index on token_sessions (expires)',
  ],
}
const PLACE = ['provider', 'subject', 'sid']
const AT_PROVIDER = ['(provider, sid)', '(provider, subject)']
const AT_PROVIDER_COLUMNS = ['provider sid', 'provider subject']
/** What the seventh migration does in a database of the sixth. */
const PROVIDER_SESSIONS = {
  name: '0007-provider-sessions',
  steps: [
    'add column tokenLease to accounts',
    ...['sessions', 'token_sessions'].flatMap((table) => [
      ...PLACE.map((name) => `add column ${name} to ${table}`),
      ...AT_PROVIDER.map((columns) => `create index on ${table} ${columns}`),
    ]),
  ],
}
/** What the eighth migration does in a database of the seventh. */
const RECORDS = {
  name: '0008-records',
  steps: [
    'add column lifetime to sessions',
    'create table latchkey_records',
    'create index on latchkey_records (owner)',
    'create index on latchkey_records (expires)',
  ],
}
/** What the ninth migration does in a database of the eighth. */
const AUTHENTICATION = { name: '0009-authentication', steps: ['add column authentication to sessions'] }
/** What a database that has all tables needs of the later migrations. */
const LATER = [
  '0002-passkey-details',
  '0003-sign-in-time',
  '0004-exact-keys',
  '0005-expiry-indexes',
  '0006-token-sessions',
  '0007-provider-sessions',
  '0008-records',
  '0009-authentication',
]
const NOTHING_LEFT = LATER.map((name) => ({ name, steps: [] as string[] }))
const OWN_TABLES = ['latchkey_migration', 'latchkey_migration_lock']
const LIST = {
  SQLite: "select name from sqlite_master where type = 'table'",
  PostgreSQL: "select tablename as name from pg_tables where schemaname = 'public'",
  MariaDB: 'select table_name as name from information_schema.tables where table_schema = database()',
}

/** Runs the migrations in a process of their own; gives what it printed. */
async function migrateElsewhere(url: string): Promise<string> {
  const { code, output, complaint } = await latchkeyProcess(['migrate', 'up', '--database', url])
  expect(code, complaint).to.equal(0)
  return output
}

for (const engine of ENGINES) {
  describe(`migrations on ${engine.name}`, () => {
    let database: TestDatabase
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
    })
    afterEach(() => database.drop())

    const tables = async () => (await database.run(LIST[engine.name])).map(({ name }) => String(name)).sort()

    it('make the tables once, and say what they do', async () => {
      const events: string[] = []
      const onProgress = ({ migration, step = 'begins' }: { migration: string; step?: string }) => {
        events.push(`${migration}: ${step}`)
      }
      const [applied, ...others] = await migrateToLatest(database.connection, { onProgress })
      expect(others).to.deep.equal([
        ...NOTHING_LEFT.slice(0, -4),
        TOKEN_SESSIONS,
        PROVIDER_SESSIONS,
        RECORDS,
        AUTHENTICATION,
      ])
      expect(applied?.name).to.equal('0001-tables')
      expect(applied?.steps).to.include.members(['create table users', 'create unique index on users (email)'])
      const own = ['begins', ...(applied?.steps ?? [])].map((step) => `0001-tables: ${step}`)
      const later = LATER.flatMap((migration) => {
        const { steps = [] } =
          [TOKEN_SESSIONS, PROVIDER_SESSIONS, RECORDS, AUTHENTICATION].find(({ name }) => name === migration) ?? {}
        return ['begins', ...steps].map((step) => `${migration}: ${step}`)
      })
      expect(events).to.deep.equal([...own, ...later])
      expect(await tables()).to.deep.equal([...TABLES, ...OWN_TABLES].sort())
      expect(await migrateToLatest(database.connection)).to.deep.equal([])
    })

    it('can be looked at without a change', async () => {
      const states = await migrationStatus(database.connection)
      const [state, next] = states
      expect(state).to.include({ name: '0001-tables', appliedAt: null })
      expect(next?.statements).to.deep.equal([])
      expect(await tables()).to.deep.equal([])
      // What is printed is what would run: it makes the tables as well, and the migration finds nothing left to do.
      for (const statement of states.flatMap(({ statements }) => statements)) await database.run(statement)
      expect(await tables()).to.deep.equal(TABLES)
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        { name: '0001-tables', steps: [] },
        ...NOTHING_LEFT,
      ])
      const [after] = await migrationStatus(database.connection)
      expect(after?.appliedAt).to.be.instanceOf(Date)
      expect(after?.statements).to.deep.equal([])
    })

    it('run once when several processes start at the same moment', async function () {
      this.timeout(120_000)
      const runs = await Promise.all(Array.from({ length: 5 }, () => migrateElsewhere(database.url)))
      expect(runs.filter((output) => output.endsWith('Done: 9 migrations applied.\n'))).to.have.lengthOf(1)
      expect(runs.filter((output) => output.includes('Nothing to do'))).to.have.lengthOf(4)
    })

    it('make an index for every look-up', async () => {
      await migrateToLatest(database.connection)
      const connector = createConnector(database.connection)
      const { db, dialect } = await connector.connect()
      const leading = async (table: string) =>
        [
          // SQLite lists a key and its index.
          ...new Set(
            (await dialect.indexesOf(db, { schema: undefined, table })).map(
              ({ columns, unique }) => `${columns.join(' ')}${unique ? ' unique' : ''}`,
            ),
          ),
        ].sort()
      expect(await leading('users')).to.deep.equal(['email unique', 'id unique'])
      expect(await leading('accounts')).to.deep.equal(['provider providerAccountId unique', 'userId'])
      expect(await leading('sessions')).to.deep.equal([
        'expires',
        ...AT_PROVIDER_COLUMNS,
        'sessionToken unique',
        'userId',
      ])
      expect(await leading('verification_token')).to.deep.equal(['expires', 'identifier token unique'])
      expect(await leading('token_sessions')).to.deep.equal(['expires', 'id unique', ...AT_PROVIDER_COLUMNS, 'userId'])
      expect(await leading('authenticators')).to.deep.equal(['credentialID unique', 'userId'])
      await connector.close()
    })

    it('leave a database that has everything as it is', async () => {
      await migrateToLatest(database.connection)
      const again = await migrateToLatest(database.connection, { migrationTable: 'other_migration' })
      expect(again).to.deep.equal([{ name: '0001-tables', steps: [] }, ...NOTHING_LEFT])
    })

    it('add the details of passkeys to tables that were made without them', async () => {
      await migrateToLatest(database.connection)
      const added = ['name', 'createdAt', 'lastUsedAt', 'userHandle', 'aaguid', 'userVerified', 'attestationObject']
      const quoted = (name: string) => (engine.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
      for (const name of added) await database.run(`alter table authenticators drop column ${quoted(name)}`)
      await database.run("delete from latchkey_migration where name <> '0001-tables'")
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        { name: '0002-passkey-details', steps: added.map((name) => `add column ${name} to authenticators`) },
        ...NOTHING_LEFT.slice(1),
      ])
    })

    it('add the time of the sign-in to sessions that were kept without it', async () => {
      await migrateToLatest(database.connection)
      const quoted = engine.name === 'MariaDB' ? '`authenticatedAt`' : '"authenticatedAt"'
      await database.run(`alter table sessions drop column ${quoted}`)
      await database.run("delete from latchkey_migration where name >= '0003-sign-in-time'")
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        { name: '0003-sign-in-time', steps: ['add column authenticatedAt to sessions'] },
        ...NOTHING_LEFT.slice(2),
      ])
    })

    it('add the indexes by which what is over is found', async () => {
      await migrateToLatest(database.connection)
      for (const table of ['sessions', 'verification_token']) {
        await database.run(`drop index ${table}_expires_idx${engine.name === 'MariaDB' ? ` on ${table}` : ''}`)
      }
      await database.run("delete from latchkey_migration where name >= '0005-expiry-indexes'")
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        {
          name: '0005-expiry-indexes',
          steps: ['create index on sessions (expires)', 'create index on verification_token (expires)'],
        },
        ...NOTHING_LEFT.slice(-4),
      ])
    })

    it('add the table of token sessions and the details of sessions to a database of before, and say so before', async () => {
      await migrateToLatest(database.connection)
      const quoted = (name: string) => (engine.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
      await database.run('drop table token_sessions')
      for (const name of DETAILS) await database.run(`alter table sessions drop column ${quoted(name)}`)
      await database.run("delete from latchkey_migration where name >= '0006-token-sessions'")
      const pending = (await migrationStatus(database.connection)).filter(({ appliedAt }) => appliedAt === null)
      expect(pending.map(({ name, statements }) => [name, statements.length])).to.deep.equal([
        ['0006-token-sessions', TOKEN_SESSIONS.steps.length],
        ['0007-provider-sessions', 5],
        ['0008-records', 0],
        ['0009-authentication', 0],
      ])
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        TOKEN_SESSIONS,
        { name: '0007-provider-sessions', steps: PROVIDER_SESSIONS.steps.slice(-5) },
        ...NOTHING_LEFT.slice(-2),
      ])
    })

    it('go on where they stopped: a table of token sessions without its last columns and indexes', async () => {
      await migrateToLatest(database.connection)
      const quoted = engine.name === 'MariaDB' ? '`revokedAt`' : '"revokedAt"'
      await database.run(`alter table token_sessions drop column ${quoted}`)
      await database.run(
        `drop index token_sessions_expires_idx${engine.name === 'MariaDB' ? ' on token_sessions' : ''}`,
      )
      await database.run("delete from latchkey_migration where name >= '0006-token-sessions'")
      expect(await migrateToLatest(database.connection)).to.deep.equal([
        {
          name: '0006-token-sessions',
          steps: ['add column revokedAt to token_sessions', 'create index on token_sessions (expires)'],
        },
        ...NOTHING_LEFT.slice(-3),
      ])
    })
  })
}

describe('isMariadbWithReturning()', () => {
  const VERSIONS = {
    '10.11.19-MariaDB-0+deb12u1': true,
    '5.5.5-10.6.12-MariaDB': true,
    '11.4.2-MariaDB-ubu2404': true,
    '10.5.0-MariaDB': true,
    '10.4.34-MariaDB': false,
    '8.0.36': false,
    '8.4.0-commercial': false,
    '': false,
  }
  it('knows the servers that have it', () => {
    for (const [version, expected] of Object.entries(VERSIONS)) {
      expect(isMariadbWithReturning(version), version).to.equal(expected)
    }
  })
})

describe('canSkipLocked()', () => {
  const VERSIONS = {
    '10.11.19-MariaDB-0+deb12u1': true,
    '5.5.5-10.6.12-MariaDB': true,
    '10.5.29-MariaDB': false,
    '8.0.36': true,
    '9.4.0': true,
    '5.7.44-log': false,
    '8.0.11-TiDB-v8.5.0': false,
    '': false,
  }
  it('knows the servers that can', () => {
    for (const [version, expected] of Object.entries(VERSIONS)) {
      expect(canSkipLocked(version), version).to.equal(expected)
    }
  })
})
