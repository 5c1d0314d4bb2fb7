import { describeValue, isPlainObject, remedyFor } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { anything, recordOf, type Shape, text, timeLimit } from '../../kernel/shape.js'
import { allMisplaced, argumentProblems, placeProblem } from '../check-argument.js'
import { MODEL_NAMES, type ModelName, type SqlNames } from './models.js'
import { POOL_OPTION_NAMES } from './own-pool.js'

const IN_POOL = 'belongs in `pool`: { url, pool: { … } }.'
const IN_FIRST = 'belongs in the first argument, beside `url`.'
const IN_SECOND = 'belongs in the second argument, after what says where the database is.'
const IN_URL = 'is a part of the URL: { url: "postgres://user:password@host/database" }.'

const OPTION_NAMES = ['queryTimeout', 'schema', 'tables', 'columns']

/** The options of a pool are checked later, by the driver that the URL names. */
const POOL: Shape = {
  ...anything,
  members: Object.fromEntries(POOL_OPTION_NAMES.map((name) => [name, anything])),
}

const PLACE: Shape = object<{ url: string; sqlite: string; pool: object }>(
  { url: text, sqlite: text, pool: POOL },
  {
    misplaced: {
      ...allMisplaced(OPTION_NAMES, IN_SECOND),
      ...allMisplaced(['ssl', 'application_name', 'options'], IN_POOL),
      ...allMisplaced(['host', 'hostname', 'port', 'user', 'username', 'password', 'database'], IN_URL),
      ...allMisplaced(['connectionString', 'uri'], 'is called `url` here.'),
      ...allMisplaced(['file', 'filename', 'path'], 'is called `sqlite` here.'),
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

const ofModels = <Member>(member: Shape<Member>): Shape =>
  object<Record<ModelName, Member>>(
    Object.fromEntries(MODEL_NAMES.map((model) => [model, member])) as Record<ModelName, Shape>,
  )

const COLUMN: Shape<string | false> = {
  expected: 'the name of a column, or false',
  fits: (value) => value === false || typeof value === 'string',
}

const OPTIONS: Shape = object<SqlNames & { queryTimeout?: number }>(
  { queryTimeout: timeLimit, schema: text, tables: ofModels(text), columns: ofModels(recordOf(COLUMN)) },
  { misplaced: allMisplaced(['url', 'sqlite', 'pool', ...POOL_OPTION_NAMES], IN_FIRST) },
)

/** @throws {AdapterError} when an option is unknown or of a wrong type */
export function checkOptions(options: unknown): void {
  const problems = argumentProblems(options, OPTIONS, {
    subject: 'The options are',
    form: 'Call it: sqlAdapter(database, { queryTimeout, schema, tables, columns }).',
  })
  if (problems !== null) throw new AdapterError(`sqlAdapter(): ${problems}`)
}
