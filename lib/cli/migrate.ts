import { existsSync } from 'node:fs'
import { MODEL_NAMES } from '../adapters/sql/models.js'
import {
  databaseAt,
  inspectTables,
  type MigrationOptions,
  type MigrationProgress,
  type MigrationState,
  migrateToLatest,
  migrationStatus,
  type SqlDatabase,
} from '../adapters/sql.js'
import {
  type CommandDependencies,
  explain,
  parseWords,
  readNames,
  readNumber,
  STORE_OPTIONS,
  shown,
  UsageError,
  WorkLeft,
} from './command-line.js'

export const MIGRATE_HELP = `Usage: latchkey migrate up [options]       make what is missing
       latchkey migrate status [options]   show which migrations have run; exit code 3 if some are pending
       latchkey migrate --dry-run          print the SQL that "up" would run

Options:
  --database <url>       postgres://…, mysql://…, mariadb://… or a SQLite file; by default $DATABASE_URL
  --env-file <path>      reads variables from a file first, such as DATABASE_URL
  --schema <name>        PostgreSQL schema or MySQL database of the tables, when it is not the connection's own
  --table <model=name>   a table under another name, such as users=members; may be repeated. Models:
                         ${MODEL_NAMES.join(', ')}
  --dry-run              change nothing
  --lock-timeout <s>     how long a statement waits for a table that others use; all later statements wait behind it. Then
                         it is tried again. By default 2, on MySQL and MariaDB 1; not used by SQLite
  --give-up-after <s>    how long a statement is tried again, and how long the command waits for another migration; by
                         default 600

Tables that exist already, such as those of Auth.js, are kept, and what is missing is added. If columns have other
names, use migrateToLatest() of latchkey/adapters/sql in your code. A migration that was interrupted continues where it
stopped.`

/**
 * @throws when the command line makes no sense, or the database cannot be reached or changed. No message has a password
 */
export async function migrate(words: readonly string[], { variables, print }: CommandDependencies): Promise<void> {
  const { action, location, names, limits } = readCommandLine(words, variables)
  let pending = 0
  try {
    const database = databaseAt(location)
    print(`${action === 'print' ? '-- ' : ''}Database: ${shown(location)}`)
    if (action === 'up') await up(database, { ...names, ...limits }, print)
    else pending = report(await migrationStatus(undisturbed(database), names), action, howItRuns(database), print)
    for (const { message } of await inspectTables(undisturbed(database), names)) {
      print(`${action === 'print' ? '-- ' : ''}To be mended by hand: ${message}`)
    }
  } catch (error) {
    throw new Error(explain(error, location))
  }
  if (action === 'status' && pending > 0) throw new WorkLeft()
}

const OPTIONS = {
  ...STORE_OPTIONS,
  'lock-timeout': { type: 'string' },
  'give-up-after': { type: 'string' },
} as const

const SECONDS = { most: 1_000_000, fractions: true }

type Action = 'up' | 'status' | 'print'

function readCommandLine(words: readonly string[], variables: CommandDependencies['variables']) {
  const { values, positionals } = parseWords(words, OPTIONS)
  const [verb, ...others] = positionals
  if (others.length > 0 || (verb !== undefined && verb !== 'up' && verb !== 'status')) {
    throw new UsageError('What follows "migrate" is neither "up" nor "status"; a database follows --database.')
  }
  if (verb === undefined && !values['dry-run']) throw new UsageError('migrate what: up or status?')
  const location = values.database ?? variables['DATABASE_URL']
  if (!location) throw new UsageError('Which database? Give --database <url> or set DATABASE_URL.')
  const names = readNames(values)
  const action: Action = verb === 'status' ? 'status' : values['dry-run'] ? 'print' : 'up'
  const lockTimeout = readNumber('lock-timeout', values['lock-timeout'], SECONDS)
  const giveUpAfter = readNumber('give-up-after', values['give-up-after'], SECONDS)
  const limits = {
    ...(lockTimeout !== undefined && { lockTimeout }),
    ...(giveUpAfter !== undefined && { giveUpAfter }),
  }
  return { action, location, names, limits }
}

async function up(
  database: SqlDatabase,
  options: MigrationOptions,
  print: CommandDependencies['print'],
): Promise<void> {
  const applied = await migrateToLatest(database, { ...options, onProgress: (event) => print(progressLine(event)) })
  const count = applied.length === 1 ? '1 migration' : `${applied.length} migrations`
  print(applied.length === 0 ? 'Nothing to do: all migrations have run.' : `Done: ${count} applied.`)
}

function progressLine({ migration, step, note, number, of, seconds = 0 }: MigrationProgress): string {
  if (step !== undefined) return `  ${step} (${number} of ${of}, ${seconds.toFixed(1)} s)`
  if (note === undefined) return migration
  return number === undefined ? note : `  … ${note} (${number} of ${of})`
}

/** How the statements run, for a person who wants to run them by hand. */
function howItRuns(database: SqlDatabase): string {
  if ('sqlite' in database) return 'All of it runs in one transaction.'
  const alone =
    'Each statement runs by itself, not in a transaction, and is tried again when its table is in use for too long.'
  const isPostgres = 'url' in database && /^postgres/i.test(database.url)
  return isPostgres
    ? alone
    : `${alone} It runs with algorithm=instant, or algorithm=inplace and lock=none, where the server can.`
}

function report(
  states: readonly MigrationState[],
  action: Action,
  manner: string,
  print: CommandDependencies['print'],
): number {
  const pending = states.filter(({ appliedAt }) => !appliedAt).length
  if (action === 'print' && pending > 0) print(`-- ${manner}`)
  for (const { name, appliedAt, statements } of states) {
    if (action === 'status') print(`${name}  ${appliedAt ? `applied ${appliedAt.toISOString()}` : 'pending'}`)
    else if (!appliedAt) print([`-- ${name}`, ...statements.map((statement) => `${statement};`)].join('\n'))
  }
  if (action === 'status') print(pending === 0 ? 'Up to date.' : `${pending} pending: run "latchkey migrate up".`)
  else if (pending === 0) print('-- Nothing to do: all migrations have run.')
  return pending
}

/** A database that is only looked at. To open a SQLite file that does not exist would create it. */
export const undisturbed = (database: SqlDatabase): SqlDatabase =>
  'sqlite' in database && !existsSync(database.sqlite) ? { sqlite: ':memory:' } : database
