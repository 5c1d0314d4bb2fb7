import { AdapterError } from '../../../kernel/errors.js'
import type { Connection } from '../connect.js'
import type { DdlSession, Waiting } from '../ddl/ddl-runner.js'
import { isDuplicate, toAdapterError } from '../faults.js'
import { recordMigration } from './migration-log.js'
import { MIGRATIONS } from './migrations.js'
import type { MigrationOptions, MigrationProgress } from './options.js'
import type { Step } from './step.js'

/**
 * Runs one migration and records that it has run. Gives the summaries of its steps.
 *
 * @param isUndone whether the engine undoes all steps when one of them fails
 */
export async function runMigration(
  session: DdlSession,
  name: string,
  options: MigrationOptions,
  waiting: Waiting,
  isUndone: boolean,
): Promise<string[]> {
  const { connection } = session
  const plan = MIGRATIONS[name] ?? (async () => [])
  const steps = await session.repeat(() => plan(connection, options), waiting)
  const progress = (event: Omit<MigrationProgress, 'migration' | 'of'>) =>
    options.onProgress?.({ migration: name, of: steps.length, ...event })
  progress({ number: 0 })
  // All rows are checked before the first step, so that a table which cannot have its index stays as it was.
  for (const step of isUndone ? [] : steps) {
    const report = (note: string) => progress({ number: 0, note: `${step.summary}: ${note}` })
    await session
      .repeat(() => requireUnique(connection, name, step), { ...waiting, report })
      .catch((error) => {
        throw explainOnce(error, name, step.summary)
      })
  }
  for (const [index, step] of steps.entries()) {
    const number = index + 1
    const began = performance.now()
    const report = (note: string) => progress({ number, note: `${step.summary}: ${note}` })
    await session.run(step, { ...waiting, report }).catch((error) => {
      throw explain(error, name, step.summary)
    })
    progress({ number, step: step.summary, seconds: (performance.now() - began) / 1000 })
  }
  await session
    .repeat(() => recordMigration(connection, options, name), waiting)
    .catch((error) => {
      throw toAdapterError(error, `migration ${name}`)
    })
  return steps.map(({ summary }) => summary)
}

/** @throws {AdapterError} when rows share values that are to be unique after the step */
async function requireUnique({ sql, db }: Connection, name: string, { unique, summary }: Step): Promise<void> {
  if (!unique) return
  const columns = unique.columns.map((column) => sql.id(column))
  const present = sql.join(
    columns.map((column) => sql`${column} is not null`),
    sql` and `,
  )
  const list = sql`select ${sql.join(columns)}, count(*) from ${unique.table} where ${present} group by ${sql.join(columns)} having count(*) > 1`
  const { rows } = await sql`${list} limit 1`.execute(db)
  if (rows.length > 0) throw duplicateRows(name, summary, undefined, list.compile(db).sql)
}

/** @param list the statement that lists the rows */
const duplicateRows = (name: string, summary: string, cause?: AdapterError['cause'], list?: string) =>
  new AdapterError(
    `migration ${name}: ${summary}: several rows have the same values there. Merge or remove them, then run it again.${list === undefined ? '' : ` This lists them: ${list};`}`,
    cause,
  )

/** As {@link explain}; errors that say already which migration failed stay as they are. */
const explainOnce = (error: unknown, name: string, summary: string): AdapterError =>
  error instanceof AdapterError && error.message.startsWith(`migration ${name}: `)
    ? error
    : explain(error, name, summary)

function explain(error: unknown, name: string, summary: string): AdapterError {
  if (error instanceof AdapterError)
    return new AdapterError(`migration ${name}: ${summary}: ${error.message}`, error.cause)
  const fault = toAdapterError(error, `migration ${name}: ${summary}`)
  return isDuplicate(error) ? duplicateRows(name, summary, fault.cause) : fault
}
