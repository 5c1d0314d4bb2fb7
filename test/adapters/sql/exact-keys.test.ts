import type { Database } from '@auth/kysely-adapter'
import { expect } from 'chai'
import { Kysely, MysqlDialect } from 'kysely'
import mysql from 'mysql2'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import {
  inspectTables,
  migrateToLatest,
  migrationStatus,
  type SqlNames,
  sqlAdapter,
} from '../../../lib/adapters/sql.js'
import { run } from '../../../lib/cli/run.js'
import { authjsTables } from '../authjs/mariadb.js'
import { PG_ADAPTER_TABLES } from '../authjs/postgres.js'
import { mariadb, postgres, sqlite, type TestDatabase } from './databases.js'

const NAMES: SqlNames = {
  tables: { users: 'User', accounts: 'Account', sessions: 'Session', verificationTokens: 'VerificationToken' },
}
const MIGRATION = '0004-exact-keys'
const EXPIRES = new Date('2031-03-04T05:06:07.000Z')
const DIGEST = `sha256:${'ab'.repeat(32)}`

const stepsOf = async (database: TestDatabase, names: SqlNames = {}) =>
  (await migrateToLatest(database.connection, names)).find(({ name }) => name === MIGRATION)?.steps

/** What the command prints. */
async function latchkey(...words: string[]): Promise<string> {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  expect(
    await run(['migrate', ...words], { version: '0.0.0', colours: false, variables: {}, print, complain: print }),
  ).to.equal(0)
  return lines.join('\n')
}

describe('the keys of tables that Auth.js had on MariaDB, under its default collation', () => {
  let database: TestDatabase
  before(mariadb.requireServer)
  beforeEach(async () => {
    database = await mariadb.create()
    for (const statement of authjsTables()) await database.run(statement)
  })
  afterEach(() => database?.drop())

  const STEPS = ['User.email', 'Account.provider', 'Account.providerAccountId', 'Session.sessionToken'].concat([
    'VerificationToken.identifier',
    'VerificationToken.token',
  ])
  /** One statement a table, since each may rebuild it. */
  const TABLE_STEPS = [
    'tell all texts apart in User.email',
    'tell all texts apart in Account.provider, tell all texts apart in Account.providerAccountId',
    'tell all texts apart in Session.sessionToken',
    'tell all texts apart in VerificationToken.identifier, tell all texts apart in VerificationToken.token',
  ]
  const columns = async () => {
    const rows = await database.run(
      `select table_name as t, column_name as c, collation_name as collation, column_type as type, is_nullable as nullable
       from information_schema.columns where table_schema = database() and collation_name is not null`,
    )
    return new Map(rows.map(({ t, c, ...rest }) => [`${t}.${c}`, rest]))
  }

  it('distinguish all texts once the migration has run, and are otherwise unchanged', async () => {
    const before = await columns()
    expect(await stepsOf(database, NAMES)).to.deep.equal(TABLE_STEPS)
    const after = await columns()
    for (const [name, facts] of before) {
      const collation = STEPS.includes(name) ? 'utf8mb4_bin' : facts['collation']
      expect(after.get(name), name).to.deep.equal({ ...facts, collation })
    }
    expect(await inspectTables(database.connection, NAMES)).to.deep.equal([])
    expect(await migrateToLatest(database.connection, { ...NAMES, migrationTable: 'again' })).to.deep.include({
      name: MIGRATION,
      steps: [],
    })
  })

  it('are reported before the migration, with the statements', async () => {
    const states = await migrationStatus(database.connection, NAMES)
    expect(states.find(({ name }) => name === MIGRATION)?.statements).to.have.lengthOf(TABLE_STEPS.length)
    const tables = Object.entries(NAMES.tables ?? {}).flatMap(([model, name]) => ['--table', `${model}=${name}`])
    const dry = await latchkey('--dry-run', '--database', database.url, ...tables)
    expect(dry).to.include(
      '-- 0004-exact-keys\nalter table `User` modify column `email` varchar(255) character set utf8mb4 collate utf8mb4_bin;',
    )
    expect(dry).to.include(
      'modify column `sessionToken` varchar(255) character set utf8mb4 collate utf8mb4_bin not null;',
    )
  })

  it('find nobody by another key any more, whichever adapter reads them', async () => {
    const pool = mysql.createPool({ uri: database.url, timezone: 'Z' })
    const { KyselyAdapter } = await import('@auth/kysely-adapter')
    const adapter = KyselyAdapter(new Kysely<Database>({ dialect: new MysqlDialect({ pool }) })) as Required<Adapter>
    const { id } = await adapter.createUser({ id: '', email: 'victim@example.com', emailVerified: null })
    const account = { userId: id, type: 'oidc', provider: 'acme', providerAccountId: 'AbC' } as const
    await adapter.linkAccount(account)
    await adapter.createVerificationToken({ identifier: 'victim@example.com', token: 'ab', expires: EXPIRES })
    const found = async () => [
      await adapter.getUserByEmail('victim@exámple.com'),
      await adapter.getUserByAccount({ provider: 'acme', providerAccountId: 'abc' }),
      await adapter.useVerificationToken({ identifier: 'victim@exámple.com', token: 'AB' }),
    ]
    expect((await found()).map(Boolean)).to.deep.equal([true, true, true])
    await migrateToLatest(database.connection, NAMES)
    await adapter.createVerificationToken({ identifier: 'victim@example.com', token: 'ab', expires: EXPIRES })
    expect((await found()).map(Boolean)).to.deep.equal([false, false, false])
    expect(await adapter.getUserByEmail('victim@example.com')).to.include({ id })
    expect(await adapter.getUserByAccount(account)).to.include({ id })
    const other = await adapter.createUser({ id: '', email: 'victim@exámple.com', emailVerified: null })
    expect(other.id).to.not.equal(id)
    pool.end()
  })

  it('are left to their owner where the definition says more than the migration could repeat', async () => {
    await database.run("alter table User modify column email varchar(255) default 'nobody'")
    await database.run("alter table Session modify column sessionToken varchar(255) not null comment 'of a visitor'")
    const steps = await stepsOf(database, NAMES)
    expect(steps).to.deep.equal([TABLE_STEPS[1], TABLE_STEPS[3]])
    const findings = await inspectTables(database.connection, NAMES)
    expect(findings.map(({ table, column }) => `${table}.${column}`)).to.deep.equal([
      'User.email',
      'Session.sessionToken',
    ])
    const tables = Object.entries(NAMES.tables ?? {}).flatMap(([model, name]) => ['--table', `${model}=${name}`])
    for (const verb of ['status', 'up']) {
      expect(await latchkey(verb, '--database', database.url, ...tables)).to.include(
        'To be mended by hand: User.email takes texts for one that differ in capitals, accents or blanks',
      )
    }
    expect((await columns()).get('Session.sessionToken')?.['collation']).to.equal('utf8mb4_general_ci')
  })
})

describe('a column that is too short for a digest', () => {
  const MARIADB = authjsTables().map((statement) =>
    statement.replace('sessionToken varchar(255)', 'sessionToken varchar(64)'),
  )
  const POSTGRES = [
    ...PG_ADAPTER_TABLES.split(';').filter((statement) => statement.trim() !== ''),
    'alter table sessions alter column "sessionToken" type varchar(64)',
  ]
  for (const [engine, tables, names] of [
    [mariadb, MARIADB, NAMES],
    [postgres, POSTGRES, {}],
  ] as const) {
    describe(`on ${engine.name}`, () => {
      let database: TestDatabase
      before(engine.requireServer)
      beforeEach(async () => {
        database = await engine.create()
        for (const statement of tables) await database.run(statement)
      })
      afterEach(() => database?.drop())

      it('is logged at the first use, and not at a sign-in', async () => {
        const failure = await sqlAdapter(database.connection, names)
          .getSessionAndUser('absent')
          .catch((error: Error) => error)
        expect(String(failure)).to.match(
          /The column "sessionToken" of "[Ss]essions?" holds 64 characters, and needs 71\. "npx latchkey migrate up" widens it\./,
        )
      })

      it('is widened by the migration, with all that it holds', async () => {
        const adapter = sqlAdapter(database.connection, names)
        const user = await adapter.createUser({ id: 'ada', email: 'ada@example.com', emailVerified: null })
        const [users, sessions] = [names.tables?.users ?? 'users', names.tables?.sessions ?? 'sessions']
        const q = engine.name === 'MariaDB' ? '`' : '"'
        await database.run(
          `insert into ${q}${sessions}${q} (${q}userId${q}, ${q}sessionToken${q}, expires) select id, 'plain', '2031-01-01' from ${q}${users}${q}`,
        )
        expect((await stepsOf(database, names))?.join()).to.match(
          /make room for 255 characters in [Ss]essions?\.sessionToken/,
        )
        const again = sqlAdapter(database.connection, names)
        expect((await again.getSessionAndUser('plain'))?.user.id).to.equal(user.id)
        await again.createSession({ sessionToken: DIGEST, userId: user.id, expires: EXPIRES })
        expect((await again.getSessionAndUser(DIGEST))?.session.sessionToken).to.equal(DIGEST)
        expect(await inspectTables(database.connection, names)).to.deep.equal([])
      })
    })
  }
})

describe('keys on PostgreSQL that take two texts for one', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    for (const statement of PG_ADAPTER_TABLES.split(';')) if (statement.trim()) await database.run(statement)
  })
  afterEach(() => database?.drop())

  it('are reported and not changed: somebody chose them', async () => {
    await database.run('create extension citext')
    await database.run(`create collation careless (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`)
    await database.run('alter table users alter column email type citext')
    await database.run('alter table accounts alter column "providerAccountId" type varchar(255) collate careless')
    expect(await stepsOf(database)).to.deep.equal([])
    const findings = await inspectTables(database.connection)
    expect(findings.map(({ table, column }) => `${table}.${column}`)).to.deep.equal([
      'users.email',
      'accounts.providerAccountId',
    ])
    expect(await latchkey('status', '--database', database.url)).to.include(
      'To be mended by hand: users.email takes texts for one',
    )
  })
})

describe('accounts in columns that ignore case', () => {
  it('lead to nobody by another key, although their owner has chosen the columns', async () => {
    const database = await sqlite.create()
    await database.run(
      'create table users (id text primary key, name text, email text, "emailVerified" text, image text)',
    )
    await database.run(
      `create table accounts ("userId" text collate nocase not null, type text not null,
        provider text collate nocase not null, "providerAccountId" text collate nocase not null,
        refresh_token text, access_token text, expires_at integer, id_token text, scope text, session_state text,
        token_type text, primary key (provider, "providerAccountId"))`,
    )
    const adapter = sqlAdapter(database.connection)
    await adapter.createUser({ id: 'ada', email: 'ada@example.com', emailVerified: null })
    const account = { type: 'oidc', provider: 'acme', providerAccountId: 'AbC' } as const
    await adapter.linkAccount({ ...account, userId: 'ada' })
    const ownerOf = async (provider: string, providerAccountId: string) =>
      (await adapter.getUserByAccount({ provider, providerAccountId }))?.id
    expect(await ownerOf('acme', 'AbC')).to.equal('ada')
    expect(await ownerOf('acme', 'abc')).to.equal(undefined)
    expect(await ownerOf('ACME', 'AbC')).to.equal(undefined)
    // The join ignores case as well.
    await adapter.linkAccount({ ...account, providerAccountId: 'other', userId: 'ADA' })
    expect(await ownerOf('acme', 'other')).to.equal(undefined)
    await adapter.close()
    await database.drop()
  })
})

describe('the keys of tables that the migrations made', () => {
  for (const engine of [sqlite, postgres, mariadb]) {
    it(`are fit on ${engine.name}`, async function () {
      await engine.requireServer.call(this)
      const database = await engine.create()
      await migrateToLatest(database.connection)
      expect(await inspectTables(database.connection)).to.deep.equal([])
      await database.drop()
    })
  }
})
