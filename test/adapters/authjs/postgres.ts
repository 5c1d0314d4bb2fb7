import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { postgresServer } from '../sql/databases.js'

/** A schema of a test's own, which every connection of the pool works in. */
export interface OwnSchema {
  readonly pool: pg.Pool
  drop(): Promise<void>
}

/** Makes a schema and runs statements in it; null when no server answers. */
export async function createSchema(statements: string): Promise<OwnSchema | null> {
  const schema = `latchkey_test_${randomBytes(6).toString('hex')}`
  const { user, host, port } = await postgresServer()
  const options = {
    connectionString: `postgres://${user}@${host}:${port}/postgres`,
    connectionTimeoutMillis: 2000,
  }
  const pool = new pg.Pool({ ...options, options: `-c search_path=${schema}` })
  try {
    await pool.query(`create schema ${schema}`)
  } catch {
    await pool.end()
    return null
  }
  await pool.query(statements)
  return {
    pool,
    async drop() {
      await pool.query(`set client_min_messages = warning; drop schema ${schema} cascade`)
      await pool.end()
    },
  }
}

/** The tables of `@auth/pg-adapter`, as its documentation gives them. */
export const PG_ADAPTER_TABLES = `
CREATE TABLE verification_token
(
  identifier TEXT NOT NULL,
  expires TIMESTAMPTZ NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY (identifier, token)
);
CREATE TABLE accounts
(
  id SERIAL,
  "userId" INTEGER NOT NULL,
  type VARCHAR(255) NOT NULL,
  provider VARCHAR(255) NOT NULL,
  "providerAccountId" VARCHAR(255) NOT NULL,
  refresh_token TEXT,
  access_token TEXT,
  expires_at BIGINT,
  id_token TEXT,
  scope TEXT,
  session_state TEXT,
  token_type TEXT,
  PRIMARY KEY (id)
);
CREATE TABLE sessions
(
  id SERIAL,
  "userId" INTEGER NOT NULL,
  expires TIMESTAMPTZ NOT NULL,
  "sessionToken" VARCHAR(255) NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE users
(
  id SERIAL,
  name VARCHAR(255),
  email VARCHAR(255),
  "emailVerified" TIMESTAMPTZ,
  image TEXT,
  PRIMARY KEY (id)
);`

/** The tables of `@auth/kysely-adapter`, as its documentation gives them for PostgreSQL. */
export const KYSELY_ADAPTER_TABLES = `
CREATE TABLE "User"
(
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  name TEXT,
  email TEXT UNIQUE NOT NULL,
  "emailVerified" TIMESTAMPTZ,
  image TEXT
);
CREATE TABLE "Account"
(
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  "userId" UUID NOT NULL REFERENCES "User" ON DELETE CASCADE,
  type TEXT NOT NULL,
  provider TEXT NOT NULL,
  "providerAccountId" TEXT NOT NULL,
  refresh_token TEXT,
  access_token TEXT,
  expires_at INTEGER,
  token_type TEXT,
  scope TEXT,
  id_token TEXT,
  session_state TEXT
);
CREATE TABLE "Session"
(
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  "userId" UUID NOT NULL REFERENCES "User" ON DELETE CASCADE,
  "sessionToken" TEXT NOT NULL UNIQUE,
  expires TIMESTAMPTZ NOT NULL
);
CREATE TABLE "VerificationToken"
(
  identifier TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  expires TIMESTAMPTZ NOT NULL
);`
