import { describeValue, isPlainObject, isRecord, remedyFor } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { underEach } from '../../kernel/objects.js'
import { anything, recordOf, type Shape, text, timeLimit } from '../../kernel/shape.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { argumentProblems, placeProblem } from '../check-argument.js'
import { MODEL_NAMES, type ModelName, type SqlNames } from './models.js'
import { POOL_OPTION_NAMES, type PoolOptions } from './pools.js'

type AnyFunction = (...args: never[]) => unknown

/** A Kysely instance, for PostgreSQL, MySQL or SQLite. */
export interface KyselyInstance {
  selectFrom: AnyFunction
  getExecutor: AnyFunction
  withoutPlugins: AnyFunction
  destroy(): Promise<void>
}

/** A pool of the package `pg`. */
export interface PostgresPool {
  connect: AnyFunction
  query: AnyFunction
  end: AnyFunction
  readonly totalCount: number
}

/** A pool of the package `mysql2`, or of `mysql2/promise`. */
export interface MysqlPool {
  getConnection: AnyFunction
  query: AnyFunction
  end: AnyFunction
}

/** An open database of `better-sqlite3` or `libsql`. */
export interface SqliteDatabase {
  prepare: AnyFunction
  exec: AnyFunction
  close: AnyFunction
}

/** A database that the application has opened, or where its database is. */
export type SqlDatabase =
  | KyselyInstance
  | PostgresPool
  | MysqlPool
  | SqliteDatabase
  /** A SQLite file, made if it is not there; needs the package `libsql`. */
  | { readonly sqlite: string }
  /**
   * `postgres://…` (needs `pg`), `mysql://…` or `mariadb://…` (needs `mysql2`), for a pool of the adapter's own with
   * these options.
   */
  | { readonly url: string; readonly pool?: PoolOptions }

export const hasMethods = (value: unknown, ...methods: string[]): value is Record<string, unknown> =>
  isRecord(value) && methods.every((method) => typeof value[method] === 'function')

/**
 * A location without its secrets: scheme, host and path of a URL, or the path of a file.
 *
 * @returns null if a part of it may be a password, as in a URL whose password has a "/" that is not percent-encoded
 */
export function withoutSecrets(location: string): string | null {
  const file = /^(?:sqlite|file):(?!.*:\/\/)(?:\/\/)?(.*)$/is.exec(location)?.[1] ?? location
  if (!/^[a-z][a-z\d+.-]+:/i.test(file)) return isPlain(file) ? location : null
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(file) || !isAbsoluteUrl(file)) return null
  const { protocol, host, pathname, hash } = new URL(file)
  return isPlain(host) && isPlain(pathname) && hash === '' ? `${protocol}//${host}${pathname}` : null
}

/**
 * Whether a text has none of the characters that join the parts of URLs, of their queries and of connection strings.
 */
const isPlain = (text: string): boolean => !/[@=?#"'`\n]|:\/\/|^\s|\s$/.test(text)

/**
 * Which engine a URL names; anything without a scheme is a SQLite file.
 *
 * @throws {AdapterError} when it is neither a URL nor the path of a file, and may hold a password; it is not repeated
 */
export function databaseAt(location: string): SqlDatabase {
  if (withoutSecrets(location) === null) throw notALocation()
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(location)?.[1]?.toLowerCase()
  if (scheme === 'sqlite' || scheme === 'file') return { sqlite: location.replace(/^\w+:(?:\/\/)?/, '') }
  return scheme === undefined ? { sqlite: location } : { url: location }
}

const notALocation = () =>
  new AdapterError(
    'The database is given as postgres://user:password@host/name, mysql://… or mariadb://…, or as the path of a SQLite file ' +
      'without any of @ = ? # and quotes. In a user name or password such characters, and : / [ ] %, are percent-encoded.',
  )

const IN_POOL = 'belongs in `pool`: { url, pool: { … } }.'
const IN_FIRST = 'belongs in the first argument, beside `url`.'
const IN_SECOND = 'belongs in the second argument, after what says where the database is.'
const IN_URL = 'is a part of the URL: { url: "postgres://user:password@host/database" }.'

const OPTION_NAMES = ['queryTimeout', 'schema', 'tables', 'columns']

/** The options of a pool are checked later, by the driver that the URL names. */
const POOL: Shape = {
  ...anything,
  members: underEach(POOL_OPTION_NAMES, anything),
}

const PLACE: Shape = object<{ url: string; sqlite: string; pool: object }>(
  { url: text, sqlite: text, pool: POOL },
  {
    misplaced: {
      ...underEach(OPTION_NAMES, IN_SECOND),
      ...underEach(['ssl', 'application_name', 'options'], IN_POOL),
      ...underEach(['host', 'hostname', 'port', 'user', 'username', 'password', 'database'], IN_URL),
      ...underEach(['connectionString', 'uri'], 'is called `url` here.'),
      ...underEach(['file', 'filename', 'path'], 'is called `sqlite` here.'),
    },
  },
)

const FORM =
  'A database is a Kysely instance, a pool of pg or mysql2, an open better-sqlite3 or libsql database, ' +
  '{ sqlite: "file.db" } or { url: "postgres://…", pool }.'

/**
 * Checks the argument that says where a database is.
 *
 * @throws {AdapterError} when it does not say this, or has options that would have no effect
 */
export function checkPlace(given: unknown): void {
  const problem = isPlainObject(given) ? problemWithPlace(given) : null
  if (problem !== null) throw new AdapterError(`${problem} ${FORM}`)
}

function problemWithPlace(given: Readonly<Record<string, unknown>>): string | null {
  const problems = argumentProblems(given, PLACE, { subject: 'The database is' })
  if (problems !== null) return problems
  const { url, sqlite, pool } = given
  if (url !== undefined && sqlite !== undefined) return 'A database is at either `url` or `sqlite`.'
  if (sqlite !== undefined && pool !== undefined) return '`pool` goes with `url`; a file has none.'
  if (sqlite !== undefined) return placeProblem('sqlite', sqlite)
  if ('sqlite' in given && !('url' in given)) return placeProblem('sqlite', sqlite)
  return 'url' in given ? placeProblem('url', url) : null
}

/** @throws {AdapterError} when the argument is not a database */
export function refuseDatabase(given: unknown): never {
  const advice = typeof given === 'string' ? ' Give it as { url }, a file as { sqlite }.' : remedyFor(given)
  throw new AdapterError(
    `The database is ${describeValue(given)}.${advice} ${FORM} A single connection will not do: it would mix transactions.`,
  )
}

const ofModels = (member: Shape): Shape => object<Record<ModelName, unknown>>(underEach(MODEL_NAMES, member))

const COLUMN: Shape<string | false> = {
  expected: 'the name of a column, or false',
  fits: (value) => value === false || typeof value === 'string',
}

const OPTIONS: Shape = object<SqlNames & { queryTimeout?: number }>(
  { queryTimeout: timeLimit, schema: text, tables: ofModels(text), columns: ofModels(recordOf(COLUMN)) },
  { misplaced: underEach(['url', 'sqlite', 'pool', ...POOL_OPTION_NAMES], IN_FIRST) },
)

/** @throws {AdapterError} when an option is unknown or of a wrong type */
export function checkOptions(options: unknown): void {
  const problems = argumentProblems(options, OPTIONS, {
    subject: 'The options are',
    form: 'Call it: sqlAdapter(database, { queryTimeout, schema, tables, columns }).',
  })
  if (problems !== null) throw new AdapterError(`sqlAdapter(): ${problems}`)
}
