import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createConnector } from '../../../lib/adapters/sql/connect.js'
import type { Column, Index } from '../../../lib/adapters/sql/dialects/dialect.js'
import { COLUMN_TYPES, TABLE_SUFFIXES } from '../../../lib/adapters/sql/migrations/column-types.js'
import { MIGRATIONS } from '../../../lib/adapters/sql/migrations/migrations.js'
import { planTables } from '../../../lib/adapters/sql/migrations/plan-tables.js'
import {
  AUTHENTICATION,
  EXPIRY_INDEXES,
  LIFETIME_CHOICE,
  PASSKEY_DETAILS,
  PROVIDER_SESSIONS,
  RECORDS,
  SESSION_DETAILS,
  SIGN_IN_TIME,
  TABLES,
  TOKEN_SESSIONS,
  WIDENED_LENGTH,
  withAdditions,
} from '../../../lib/adapters/sql/migrations/released.js'
import { MODEL_NAMES, MODELS, type ModelName, tableName } from '../../../lib/adapters/sql/models.js'
import { migrateToLatest, migrationStatus } from '../../../lib/adapters/sql.js'
import { ENGINES, type Engine, type TestDatabase } from './databases.js'

const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

/** A digest that differs means that a released migration was changed. Write a new migration instead, and leave these as they are. */
const DIGESTS = {
  '0001-tables': '08b73a64c1e1766e',
  '0002-passkey-details': '9d0094dc400cc04d',
  '0003-sign-in-time': '60bac7f9769116a2',
  '0004-exact-keys': '9556b82499cc0aaf',
  '0005-expiry-indexes': '88992743ca88cd00',
  '0006-token-sessions': '4354667aa46957ef',
  '0007-provider-sessions': '881dcc4596d044c6',
  '0008-records': '135e7a89d7ce98d2',
  '0009-authentication': '99f04eeade403ba7',
  'column types': '8d952bdaf2864568',
}

/** Of the statements that `npx latchkey migrate --dry-run` prints for an empty database: of the first five migrations, and of each later one. */
const STATEMENT_DIGESTS: Readonly<Record<Engine['name'], readonly string[]>> = {
  SQLite: ['62d9a246ec9b5438', '9ba4f7941217aefe', 'fcd952f59e4b7d96', '9f45583c67360f1c', '3b88998e3ea7a0fd'],
  PostgreSQL: ['27428b56a4cdba36', 'c2cd56f291fa9a16', 'fcd952f59e4b7d96', 'ead02828a0a0a27b', '3b88998e3ea7a0fd'],
  MariaDB: ['b6bac9d9996436ff', '5a8ae9e3050de801', 'b8c4efcca2c28dc5', '238953641418807e', '9026b774e358296e'],
}

const TABLES_0002 = withAdditions(TABLES, PASSKEY_DETAILS)
const TABLES_0003 = withAdditions(TABLES_0002, SIGN_IN_TIME)

/** The tables after each of the first five migrations, as far as they change tables. */
const STAGES = [TABLES, TABLES_0002, TABLES_0003, withAdditions(TABLES_0003, EXPIRY_INDEXES)]

interface TableFacts {
  readonly columns: readonly Column[]
  readonly indexes: readonly string[]
}

const describeIndexes = (indexes: readonly Index[]): string[] =>
  // SQLite lists a key and its index.
  [...new Set(indexes.map(({ columns, unique }) => `${columns.join(' ')}${unique ? ' unique' : ''}`))].sort()

describe('released migrations', () => {
  it('never change', () => {
    expect({
      '0001-tables': digestOf(TABLES),
      '0002-passkey-details': digestOf(PASSKEY_DETAILS),
      '0003-sign-in-time': digestOf(SIGN_IN_TIME),
      '0004-exact-keys': digestOf(WIDENED_LENGTH),
      '0005-expiry-indexes': digestOf(EXPIRY_INDEXES),
      '0006-token-sessions': digestOf([SESSION_DETAILS, TOKEN_SESSIONS]),
      '0007-provider-sessions': digestOf(PROVIDER_SESSIONS),
      '0008-records': digestOf([LIFETIME_CHOICE, RECORDS]),
      '0009-authentication': digestOf(AUTHENTICATION),
      'column types': digestOf([COLUMN_TYPES, TABLE_SUFFIXES]),
    }).to.deep.equal(DIGESTS)
  })

  it('make the users first, to whom other tables refer', () => {
    expect(MODEL_NAMES[0]).to.equal('users')
    expect(Object.keys(TABLES)[0]).to.equal('users')
  })

  it('make every key column long enough for what is stored in it', () => {
    const lengths = Object.values(MODELS).flatMap(({ table, key, unique, fields }) =>
      [...key, ...unique.flat()]
        .filter((member) => fields[member]?.kind !== 'id')
        .map((member) => [`${table}.${member}`, fields[member]?.atLeast ?? 0]),
    )
    expect(lengths).to.deep.equal([
      ['users.email', 0],
      ['accounts.provider', 0],
      ['accounts.providerAccountId', 0],
      ['sessions.sessionToken', 71],
      ['verification_token.identifier', 0],
      ['verification_token.token', 64],
      ['authenticators.credentialID', 0],
      ['token_sessions.id', 64],
      ['latchkey_records.kind', 64],
      ['latchkey_records.key', 128],
    ])
  })

  for (const engine of ENGINES) {
    describe(`on ${engine.name}`, () => {
      let database: TestDatabase
      before(engine.requireServer)
      beforeEach(async () => {
        database = await engine.create()
      })
      afterEach(() => database.drop())

      const factsOf = async ({ connection }: TestDatabase): Promise<Record<string, TableFacts>> => {
        const connector = createConnector(connection)
        const { db, dialect } = await connector.connect()
        const facts: Record<string, TableFacts> = {}
        for (const model of MODEL_NAMES) {
          const place = { schema: undefined, table: tableName(model, {}) }
          const columns = await dialect.columnsOf(db, place)
          facts[model] = { columns, indexes: describeIndexes(await dialect.indexesOf(db, place)) }
        }
        await connector.close()
        return facts
      }

      it('run the statements that they always ran', async () => {
        const states = await migrationStatus(database.connection)
        expect(states.map(({ name }) => name)).to.deep.equal(Object.keys(MIGRATIONS))
        const statements = states.map(({ statements }) => statements)
        const digests = [statements.slice(0, 5), ...statements.slice(5)].map(digestOf)
        expect(digests).to.deep.equal(STATEMENT_DIGESTS[engine.name])
      })

      it('end with the same tables, and those of the models, when they run one at a time', async () => {
        const connector = createConnector(database.connection)
        const connection = await connector.connect()
        for (const stage of STAGES) {
          for (const { statement } of await planTables(connection, {}, stage)) await statement.execute(connection.db)
        }
        for (const name of Object.keys(MIGRATIONS).slice(5)) {
          for (const { statement } of (await MIGRATIONS[name]?.(connection, {})) ?? []) {
            await statement.execute(connection.db)
          }
        }
        for (const plan of Object.values(MIGRATIONS)) expect(await plan(connection, {})).to.deep.equal([])
        await connector.close()
        const facts = await factsOf(database)
        for (const model of MODEL_NAMES) {
          expect(facts[model]?.columns.map(({ name }) => name)).to.deep.equal(Object.keys(MODELS[model].fields))
          expect(facts[model]?.indexes).to.deep.equal(indexesOfModel(model))
        }

        const atOnce = await engine.create()
        try {
          await migrateToLatest(atOnce.connection)
          expect(await factsOf(atOnce)).to.deep.equal(facts)
        } finally {
          await atOnce.drop()
        }
      })
    })
  }
})

const indexesOfModel = (model: ModelName): string[] => {
  const { key, unique, indexes } = MODELS[model]
  const uniques = [key, ...unique].map((columns) => `${columns.join(' ')} unique`)
  return [...uniques, ...indexes.map((columns) => columns.join(' '))].sort()
}
