import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Kysely, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
// Your own application imports from 'latchkey/adapters/sql'.
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../lib/adapters/sql.js'

/** The tables of Latchkey, with the columns that the pages read, and one table of the application. */
interface Tables {
  users: { id: string; name: string | null; email: string | null; emailVerified: string | null }
  passwords: { userId: string; salt: string; hash: string }
}

/** What the database has about one user. */
export interface Stored {
  readonly emailIsConfirmed: boolean
  readonly hasPassword: boolean
}

/** The application's database. Some of its tables belong to Latchkey. */
export interface DemoDatabase {
  readonly adapter: SqlAdapter
  /** The user with this address and password, or null. */
  checkPassword(email: unknown, password: unknown): Promise<{ id: string; name: string | null } | null>
  removePassword(userId: string): Promise<void>
  storedFor(userId: string): Promise<Stored>
  close(): Promise<void>
}

/** The only user with a password. It is in the source because this is a demo. */
export const ADA = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'analytical engine',
}

/**
 * Opens the SQLite file. If the file or a table is missing, it is created.
 *
 * Latchkey and the application share one Kysely instance, and so one connection.
 */
export async function openDatabase(file: string): Promise<DemoDatabase> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const sqlite = new Libsql(file, { timeout: 5000 })
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('foreign_keys = ON')
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) })
  await migrateToLatest(db)
  await addPasswords(db)
  const adapter = sqlAdapter(db)
  await addAda(db, adapter)

  return {
    adapter,

    async checkPassword(email, password) {
      if (typeof email !== 'string' || typeof password !== 'string') return null
      const kept = await db
        .selectFrom('passwords')
        .innerJoin('users', 'users.id', 'passwords.userId')
        .select(['users.id', 'users.name', 'salt', 'hash'])
        .where('users.email', '=', email.trim().toLowerCase())
        .executeTakeFirst()
      // An unknown address costs the same work, so that the time of an answer does not reveal which addresses exist.
      const hash = await hashOf(password, kept?.salt ?? '')
      const isRight = kept !== undefined && timingSafeEqual(hash, Buffer.from(kept.hash, 'hex'))
      return isRight ? { id: kept.id, name: kept.name } : null
    },

    async removePassword(userId) {
      await db.deleteFrom('passwords').where('userId', '=', userId).execute()
    },

    async storedFor(userId) {
      const [user, password] = await Promise.all([
        db.selectFrom('users').select('emailVerified').where('id', '=', userId).executeTakeFirst(),
        db.selectFrom('passwords').select('userId').where('userId', '=', userId).executeTakeFirst(),
      ])
      return {
        emailIsConfirmed: Boolean(user?.emailVerified),
        hasPassword: password !== undefined,
      }
    },

    close: () => db.destroy(),
  }
}

/** Latchkey stores no passwords, so the application has its own table for them. */
const addPasswords = (db: Kysely<Tables>) =>
  db.schema
    .createTable('passwords')
    .ifNotExists()
    .addColumn('userId', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('salt', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute()

async function addAda(db: Kysely<Tables>, adapter: SqlAdapter): Promise<void> {
  const { name, email, password } = ADA
  const user =
    (await adapter.getUserByEmail(email)) ??
    (await adapter.createUser({ id: crypto.randomUUID(), name, email, emailVerified: new Date() }))
  const kept = await db.selectFrom('passwords').select('userId').where('userId', '=', user.id).executeTakeFirst()
  if (kept) return
  const salt = randomBytes(16).toString('hex')
  const hash = (await hashOf(password, salt)).toString('hex')
  await db.insertInto('passwords').values({ userId: user.id, salt, hash }).execute()
}

const hashOf = (password: string, salt: string) => promisify<string, string, number, Buffer>(scrypt)(password, salt, 32)
