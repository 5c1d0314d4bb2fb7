import type { Database } from '@auth/kysely-adapter'
import AuthjsPgAdapter from '@auth/pg-adapter'
import { expect } from 'chai'
import { Kysely, MysqlDialect, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import mysql from 'mysql2'
import type pg from 'pg'
import { migrateToLatest, type SqlAdapter, type SqlNames, sqlAdapter } from '../../../lib/adapters/sql.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { PG_ADAPTER_TABLES } from '../authjs/postgres.js'
import { FEW_ROWS } from '../few-rows.js'
import { mariadb, postgres, sqlite, type TestDatabase } from './databases.js'

/** The names of the schema that the documentation of @auth/kysely-adapter gives. */
const KYSELY_NAMES: SqlNames = {
  tables: { users: 'User', accounts: 'Account', sessions: 'Session', verificationTokens: 'VerificationToken' },
}

const ACCOUNT = {
  type: 'oidc',
  provider: 'acme',
  providerAccountId: 'acme-7',
  access_token: 'access',
  refresh_token: 'refresh',
  id_token: 'id.to.ken',
  token_type: 'bearer',
  scope: 'openid',
  expires_at: 1_795_000_000,
  session_state: 'state',
} as const
const EXPIRES = new Date('2031-03-04T05:06:07.089Z')
const VERIFIED = new Date('2026-02-03T04:05:06.007Z')

interface Filler {
  createUser: SqlAdapter['createUser']
  linkAccount: SqlAdapter['linkAccount']
  createSession: SqlAdapter['createSession']
  createVerificationToken: SqlAdapter['createVerificationToken']
}

/** What an application on Auth.js would have left behind; gives the id of its user. */
async function fill(authjs: Filler): Promise<string> {
  const members = { name: 'Ada', email: 'ada@old.example', emailVerified: VERIFIED, image: 'https://images.example/a' }
  const { id } = await authjs.createUser({ id: '', ...members })
  await authjs.linkAccount({ ...ACCOUNT, userId: id })
  await authjs.createSession({ sessionToken: 'plain-session-token', userId: id, expires: EXPIRES })
  await authjs.createVerificationToken({ identifier: 'ada@old.example', token: 'hashed', expires: EXPIRES })
  return String(id)
}

async function expectOldDataToWork(adapter: SqlAdapter, userId: string): Promise<void> {
  const user = {
    id: userId,
    name: 'Ada',
    email: 'ada@old.example',
    emailVerified: VERIFIED,
    image: 'https://images.example/a',
  }
  expect(await adapter.getUser(userId)).to.deep.equal(user)
  expect(await adapter.getUserByEmail('ada@old.example')).to.deep.equal(user)
  expect(await adapter.getUserByAccount(ACCOUNT)).to.deep.equal(user)
  expect(await adapter.getAccount('acme-7', 'acme')).to.deep.include({ ...ACCOUNT, userId })
  const found = await adapter.getSessionAndUser('plain-session-token')
  expect(found?.user).to.deep.equal(user)
  expect(found?.session).to.deep.include({ sessionToken: 'plain-session-token', userId, expires: EXPIRES })
  expect(await adapter.getUser('2147483648')).to.equal(null)
  expect(await adapter.getUser('1 or true')).to.equal(null)
  expect(await adapter.listAuthenticatorsByUserId(userId).catch(({ message }) => message)).to.match(
    /There is no table "authenticators"/,
  )

  const token = { identifier: 'ada@old.example', token: 'hashed' }
  expect(await adapter.useVerificationToken(token)).to.deep.include({ ...token, expires: EXPIRES })
  expect(await adapter.useVerificationToken(token)).to.equal(null)

  const later = new Date(EXPIRES.getTime() + 1)
  expect(await adapter.updateSession({ sessionToken: 'plain-session-token', expires: later })).to.include({ userId })
  expect((await adapter.deleteSession('plain-session-token'))?.expires).to.deep.equal(later)

  const newcomer = await adapter.createUser({ id: 'ignored', email: 'new@new.example', emailVerified: null })
  await adapter.linkAccount({ ...ACCOUNT, providerAccountId: 'acme-8', userId: newcomer.id })
  await adapter.createSession({ sessionToken: 'sha256:new', userId: newcomer.id, expires: EXPIRES })
  expect((await adapter.getUserByAccount({ ...ACCOUNT, providerAccountId: 'acme-8' }))?.id).to.equal(newcomer.id)
  expect((await adapter.getSessionAndUser('sha256:new'))?.user).to.deep.equal(newcomer)
  expect((await adapter.deleteUser(newcomer.id))?.email).to.equal('new@new.example')
  expect(await adapter.getAccount('acme-8', 'acme')).to.equal(null)
}

describe('a PostgreSQL database filled by @auth/pg-adapter', () => {
  let database: TestDatabase
  before(postgres.requireServer)
  beforeEach(async () => {
    database = await postgres.create()
    await database.run(PG_ADAPTER_TABLES)
  })
  afterEach(() => database?.drop())

  const authjs = () => AuthjsPgAdapter(database.connection as pg.Pool) as unknown as Filler

  it('is used as it stands, its serial ids as text', async () => {
    const userId = await fill(authjs())
    expect(userId).to.equal('1')
    await expectOldDataToWork(sqlAdapter(database.connection), userId)
  })

  it('goes on being used by @auth/pg-adapter', async () => {
    const adapter = sqlAdapter(database.connection)
    const user = await adapter.createUser({ id: '', email: 'ada@new.example', emailVerified: VERIFIED })
    await adapter.createSession({ sessionToken: 'token', userId: user.id, expires: EXPIRES })
    const found = await AuthjsPgAdapter(database.connection as pg.Pool).getSessionAndUser?.('token')
    expect(found?.user).to.include({ email: 'ada@new.example' })
    expect(found?.session.expires).to.deep.equal(EXPIRES)
  })

  it('gets what it lacks from the migration and keeps the rest', async () => {
    const userId = await fill(authjs())
    const [{ steps } = { steps: [] }] = await migrateToLatest(database.connection)
    expect(steps).to.deep.equal([
      'create unique index on users (email)',
      'create unique index on accounts (provider, providerAccountId)',
      'create index on accounts (userId)',
      'add column authenticatedAt to sessions',
      'create unique index on sessions (sessionToken)',
      'create index on sessions (userId)',
      'create index on sessions (expires)',
      'create index on verification_token (expires)',
      'create table authenticators',
      'create index on authenticators (userId)',
    ])
    const adapter = sqlAdapter(database.connection)
    expect(await adapter.getUserByAccount(ACCOUNT)).to.include({ id: userId })
    const passkey = {
      credentialID: 'AbC=',
      userId,
      providerAccountId: 'AbC=',
      credentialPublicKey: 'key',
      counter: 0,
      credentialDeviceType: 'singleDevice',
      credentialBackedUp: false,
      transports: null,
    }
    await adapter.createAuthenticator(passkey)
    expect(await adapter.listAuthenticatorsByUserId(userId)).to.deep.equal([passkey])
  })

  it('is left as it was by a migration that two users with one address stop', async () => {
    await fill(authjs())
    await database.run(`insert into users (email) values ('ada@old.example')`)
    const failure = await migrateToLatest(database.connection).catch((error) => error)
    expect(failure.message).to.equal(
      'migration 0001-tables: create unique index on users (email): several rows have the same values there. ' +
        'Merge or remove them, then run it again. This lists them: select "email", count(*) from "users" ' +
        'where "email" is not null group by "email" having count(*) > 1;',
    )
    const [, list = ''] = /This lists them: (.*)$/.exec(failure.message) ?? []
    expect(await database.run(list)).to.deep.equal([{ email: 'ada@old.example', count: '2' }])
    await database.run('delete from users where id = 2')
    expect(await migrateToLatest(database.connection)).to.have.lengthOf(9)
  })
})

describe('a PostgreSQL database made for @auth/pg-adapter and migrated', () => {
  let migrated: TestDatabase | undefined
  before(postgres.requireServer)
  describeAdapter('latchkey/adapters/sql', {
    runner: FEW_ROWS,
    absentUserId: '99999999',
    longestCredentialId: 255,
    async create() {
      migrated = await postgres.create()
      await migrated.run(PG_ADAPTER_TABLES)
      await migrateToLatest(migrated.connection)
      return sqlAdapter(migrated.connection)
    },
    close: () => migrated?.drop(),
  })
})

describe('a database filled by @auth/kysely-adapter', () => {
  // It cannot be loaded by require(), through which mocha loads this file.
  const authjsOver = async (kysely: Kysely<Database>) => {
    const { KyselyAdapter } = await import('@auth/kysely-adapter')
    return KyselyAdapter(kysely) as unknown as Filler
  }

  it('is used on SQLite with its names mapped', async () => {
    const database = await sqlite.create()
    const file = new Libsql(database.url)
    const kysely = new Kysely<Database>({ dialect: new SqliteDialect({ database: file as never }) })
    for (const statement of kyselySchema('text', 'text')) await database.run(statement)
    const userId = await fill(await authjsOver(kysely))
    await expectOldDataToWork(sqlAdapter(kysely, KYSELY_NAMES), userId)
    await kysely.destroy()
    await database.drop()
  })

  it('is used on MariaDB with its names mapped, and in one time zone', async function () {
    await mariadb.requireServer.call(this)
    const database = await mariadb.create()
    const pool = mysql.createPool({ uri: database.url, timezone: 'Z' })
    const kysely = new Kysely<Database>({ dialect: new MysqlDialect({ pool }) })
    for (const statement of kyselySchema('varchar(255)', 'datetime(3)')) {
      await database.run(statement.replaceAll('"', '`'))
    }
    const userId = await fill(await authjsOver(kysely))
    await expectOldDataToWork(sqlAdapter(pool, KYSELY_NAMES), userId)
    await kysely.destroy()
    await database.drop()
  })
})

function kyselySchema(text: string, date: string): string[] {
  const owner = `"userId" ${text} not null references "User" ("id") on delete cascade`
  return [
    `create table "User" ("id" ${text} primary key, "name" ${text}, "email" ${text} unique not null, "emailVerified" ${date}, "image" ${text})`,
    `create table "Account" ("id" integer, ${owner}, "type" ${text} not null, "provider" ${text} not null,
      "providerAccountId" ${text} not null, "refresh_token" ${text}, "access_token" ${text}, "expires_at" integer,
      "token_type" ${text}, "scope" ${text}, "id_token" ${text}, "session_state" ${text})`,
    `create table "Session" ("id" integer, ${owner}, "sessionToken" ${text} not null unique, "expires" ${date} not null)`,
    `create table "VerificationToken" ("identifier" ${text} not null, "token" ${text} not null unique, "expires" ${date} not null)`,
  ]
}
