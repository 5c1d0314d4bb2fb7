import { expect } from 'chai'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { migrateToLatest, sqlAdapter } from '../../../lib/adapters/sql.js'
import { ENGINES, type Engine, mariadb, postgres, sqlite, type TestDatabase } from './databases.js'

/** A date as Day.js gives it: its text has no form that a database knows. */
class LibraryDate {
  readonly #date: Date
  constructor(text: string) {
    this.#date = new Date(text)
  }
  toISOString() {
    return this.#date.toISOString()
  }
  toString() {
    return this.#date.toUTCString()
  }
}

const { DATE, TIMESTAMP, TIMESTAMPTZ, INT8, INT4, FLOAT8, BOOL } = pg.types.builtins
const parsers = (changes: Readonly<Record<number, (text: string) => unknown>>) => ({
  getTypeParser: (oid: number, format?: 'text') => changes[oid] ?? pg.types.getTypeParser(oid, format),
})
const text = (value: string) => value

type Opened = { readonly connection: Parameters<typeof sqlAdapter>[0]; end(): Promise<void> | void }
const pgPool = (url: string, types: pg.CustomTypesConfig): Opened => {
  const pool = new pg.Pool({ connectionString: url, types })
  return { connection: pool, end: () => pool.end() }
}
const mysqlPool = (uri: string, options: mysql.PoolOptions): Opened => {
  const pool = mysql.createPool({ uri, ...options })
  return { connection: pool, end: () => pool.end() }
}

/** Ways in which an application has its own client give rows and values. */
const CLIENTS: readonly [Engine, string, (url: string) => Opened][] = [
  [
    postgres,
    'dates and numbers as text',
    (url) =>
      pgPool(
        url,
        parsers({
          [DATE]: text,
          [TIMESTAMP]: text,
          [TIMESTAMPTZ]: text,
          [INT4]: text,
          [FLOAT8]: text,
          [BOOL]: text,
        }) as pg.CustomTypesConfig,
      ),
  ],
  [
    postgres,
    'numbers as BigInt',
    (url) => pgPool(url, parsers({ [INT8]: BigInt, [INT4]: BigInt }) as pg.CustomTypesConfig),
  ],
  [
    postgres,
    'dates of a library',
    (url) =>
      pgPool(
        url,
        parsers({
          [TIMESTAMP]: (value) => new LibraryDate(`${value}Z`),
          [TIMESTAMPTZ]: (value) => new LibraryDate(value),
        }) as pg.CustomTypesConfig,
      ),
  ],
  [mariadb, 'dates as text', (url) => mysqlPool(url, { dateStrings: true })],
  [mariadb, 'large numbers as text', (url) => mysqlPool(url, { supportBigNumbers: true, bigNumberStrings: true })],
  [mariadb, 'bytes', (url) => mysqlPool(url, { typeCast: false })],
  [
    mariadb,
    'values of its own',
    (url) =>
      mysqlPool(url, {
        typeCast: (field, next) =>
          field.type === 'TINY' ? field.string() === '1' : field.type === 'VAR_STRING' ? `<${field.string()}>` : next(),
      }),
  ],
  [mariadb, 'rows as lists', (url) => mysqlPool(url, { rowsAsArray: true })],
  [
    mariadb,
    'named placeholders and decimals as numbers',
    (url) => mysqlPool(url, { namedPlaceholders: true, decimalNumbers: true }),
  ],
  [
    sqlite,
    'numbers as BigInt',
    (url) => {
      const database = new Libsql(url)
      database.defaultSafeIntegers(true)
      return { connection: database as never, end: () => void database.close() }
    },
  ],
]

describe('a client of the application that gives rows and values in other forms', () => {
  for (const [engine, what, open] of CLIENTS) {
    describe(`${engine.name}: ${what}`, () => {
      let database: TestDatabase
      before(engine.requireServer)
      beforeEach(async () => {
        database = await engine.create()
        await migrateToLatest(database.connection)
      })
      afterEach(() => database.drop())

      it('works as any other: users, accounts, sessions, links, passkeys, deletion of expired rows', async () => {
        const { connection, end } = open(database.url)
        const adapter = sqlAdapter(connection)
        const emailVerified = new Date('2026-01-02T03:04:05.000Z')
        const expires = new Date('2036-01-02T03:04:05.678Z')
        const user = { id: 'ada', name: 'Ada', email: 'ada@x.example', emailVerified, image: null }
        const account = {
          userId: 'ada',
          type: 'oauth',
          provider: 'x',
          providerAccountId: '7',
          expires_at: 1_900_000_000,
        } as const
        expect(await adapter.createUserWithAccount({ user, account })).to.deep.equal(user)
        expect(await adapter.getUserByAccount(account)).to.deep.equal(user)
        expect(await adapter.getAccount('7', 'x')).to.deep.equal(account)
        const session = { sessionToken: 'sha256:a', userId: 'ada', expires }
        await adapter.createSession(session)
        const found = await adapter.getSessionAndUser('sha256:a')
        expect(found?.session).to.deep.include(session)
        expect(found?.user).to.deep.equal(user)
        const token = { identifier: 'ada@x.example', token: 'b', expires }
        await adapter.createVerificationToken(token)
        expect(await adapter.useVerificationToken(token)).to.deep.equal(token)
        const passkey = {
          credentialID: 'Yw==',
          userId: 'ada',
          providerAccountId: 'Yw==',
          credentialPublicKey: 'a2V5',
          counter: 1,
          credentialDeviceType: 'multiDevice',
          credentialBackedUp: true,
          transports: 'internal',
          userVerified: false,
        } as const
        await adapter.createAuthenticator(passkey)
        expect(await adapter.updateAuthenticatorCounter('Yw==', 2)).to.deep.include({ ...passkey, counter: 2 })
        await adapter.createSession({
          ...session,
          sessionToken: 'sha256:old',
          expires: new Date('2020-01-01T00:00:00Z'),
        })
        expect((await adapter.deleteExpired()).sessions).to.equal(1)
        expect(await adapter.deleteUser('ada')).to.deep.equal(user)
        await adapter.close()
        await end()
      })
    })
  }
})

for (const engine of ENGINES) {
  describe(`texts in ${engine.name}`, () => {
    before(engine.requireServer)
    it('a NUL in a name keeps nobody out, and a number is stored as its digits', async () => {
      const database = await engine.create()
      await migrateToLatest(database.connection)
      const adapter = sqlAdapter(database.connection)
      const person = { id: 'ada', name: 'Ada\0 L', email: null, emailVerified: null, image: 42 }
      const stored = { ...person, name: 'Ada L', image: '42' }
      expect(await adapter.createUser(person as never)).to.deep.equal(stored)
      expect(await adapter.getUser('ada')).to.deep.equal(stored)
      await adapter.close()
      await database.drop()
    })
  })
}
