import { existsSync } from 'node:fs'
import type { Adapter, ExpiredCounts, ExpiredReport } from '../adapters/adapter.js'
import { describeCounts } from '../adapters/expired.js'
import { connectServerOrCluster, isRedisUrl } from '../adapters/redis/connect.js'
import { redisAdapter } from '../adapters/redis.js'
import { withoutSecrets } from '../adapters/sql/sql-database.js'
import { databaseAt, type SqlNames, sqlAdapter } from '../adapters/sql.js'
import {
  type CommandDependencies,
  explain,
  parseWords,
  readNames,
  readNumber,
  STORE_OPTIONS,
  shown,
  UsageError,
} from './command-line.js'

export const PRUNE_HELP = `Usage: latchkey prune [options]

Deletes expired sessions and expired tokens of mailed links. In Redis, it also deletes the rows that are left of users
whose deletion was interrupted. It deletes one batch at a time, so that nobody has to wait. It can run several times at
once. Rows that expired in the last five minutes stay.

Options:
  --database <url>       postgres://…, mysql://…, mariadb://… or a SQLite file; by default $DATABASE_URL
  --env-file <path>      reads variables from a file first, such as DATABASE_URL
  --redis <url>          redis://… or rediss://…, with or without a database; a node of a cluster will do
  --prefix <text>        begins every key in Redis; "latchkey:" by default
  --batch <rows>         how many rows are deleted at a time: 1 to 10000, 1000 by default
  --schema <name>        PostgreSQL schema or MySQL database of the tables, when it is not the connection's own
  --table <model=name>   a table under another name, such as sessions=Session; may be repeated
  --timeout <seconds>    give up when a store has not answered for so long; 300 by default
  --dry-run              count the expired rows, and delete nothing

The exit code is 0 when all went well, 1 when a store failed, 2 when the command line makes no sense.`

/** How often a long run prints how far it is. */
const PRINT_EVERY_MS = 10_000

const CONNECT_TIMEOUT_MS = 10_000

/** A store that is to be pruned. */
interface Target {
  readonly label: string
  readonly location: string
  /** The location as it may be printed. */
  readonly shown: string
  open(): Promise<{ readonly adapter: Pick<Adapter, 'deleteExpired'>; close(): unknown }>
}

interface Settings {
  readonly targets: readonly Target[]
  readonly batch: number
  readonly dryRun: boolean
  readonly timeoutMs: number
}

/** @throws when the command line makes no sense, or a store failed. No message has a password */
export async function prune(words: readonly string[], dependencies: CommandDependencies): Promise<void> {
  const settings = readCommandLine(words, dependencies.variables)
  const failures: string[] = []
  for (const target of settings.targets) {
    dependencies.print(`${target.label}: ${target.shown}`)
    await pruneOne(target, settings, dependencies).catch((error) => {
      failures.push(explain(error, target.location, ADVICE))
    })
  }
  if (failures.length > 0) throw new Error(failures.join('\n'))
}

async function pruneOne(target: Target, settings: Settings, dependencies: CommandDependencies): Promise<void> {
  const { batch, dryRun, timeoutMs } = settings
  const limit = createSilenceLimit(timeoutMs)
  let printedAt = Date.now()
  const onProgress = (counts: ExpiredCounts) => {
    limit.renew()
    if (Date.now() - printedAt < PRINT_EVERY_MS) return
    printedAt = Date.now()
    dependencies.print(`  ${describeCounts(counts)} so far`)
  }
  try {
    const { adapter, close } = await limit.during(target.open())
    try {
      const work = adapter.deleteExpired?.({ batch, dryRun, onProgress, signal: limit.signal })
      const report = await limit.during(Promise.resolve(work))
      if (report) printReport(report, dryRun, dependencies)
    } finally {
      await limit.during(Promise.resolve(close()))
    }
  } finally {
    limit.end()
  }
}

function printReport(report: ExpiredReport, dryRun: boolean, { print, complain }: CommandDependencies) {
  const { sessions, verificationTokens, leftovers, unreadable, hints } = report
  const isNothing = sessions + verificationTokens + leftovers === 0
  print(isNothing ? 'Nothing has expired.' : `${dryRun ? 'Would delete' : 'Deleted'} ${describeCounts(report)}.`)
  if (unreadable > 0) {
    const rows = unreadable === 1 ? '1 row is' : `${unreadable.toLocaleString('en')} rows are`
    complain(`${rows} left, since their expiry is empty or cannot be read.`)
  }
  for (const hint of hints) complain(hint)
}

/** Waits for a store that reports its progress, and fails when the store has reported nothing for too long. */
function createSilenceLimit(timeoutMs: number) {
  const stop = new AbortController()
  const silence = new Error(
    `The store has not answered for ${timeoutMs / 1000} s. What was deleted until then stays deleted.`,
  )
  const lost = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(silence))
  })
  lost.catch(() => undefined)
  const timer = setTimeout(() => stop.abort(), timeoutMs)
  return {
    signal: stop.signal,
    renew: () => timer.refresh(),
    end: () => clearTimeout(timer),
    during: <Result>(work: Promise<Result>): Promise<Result> => Promise.race([work, lost]),
  }
}

function readCommandLine(words: readonly string[], variables: CommandDependencies['variables']): Settings {
  const { values, positionals } = parseWords(words, OPTIONS)
  // The word is not repeated: it may be the URL of a database with a password.
  if (positionals.length > 0) throw new UsageError('Unexpected argument. "prune" takes options alone.')
  const database = values.database ?? variables['DATABASE_URL']
  const { redis, prefix } = values
  if (!database && !redis) {
    throw new UsageError('Which store? Give --database <url> or --redis <url>, or set DATABASE_URL.')
  }
  const names = readNames(values)
  return {
    targets: [...(database ? [sqlTarget(database, names)] : []), ...(redis ? [redisTarget(redis, prefix)] : [])],
    batch: readNumber('batch', values.batch, { most: 10_000 }) ?? 1000,
    dryRun: values['dry-run'] ?? false,
    timeoutMs: (readNumber('timeout', values.timeout, { most: 86_400 }) ?? 300) * 1000,
  }
}

const OPTIONS = {
  ...STORE_OPTIONS,
  redis: { type: 'string' },
  prefix: { type: 'string' },
  batch: { type: 'string' },
  timeout: { type: 'string' },
} as const

const sqlTarget = (location: string, names: SqlNames): Target => ({
  label: 'Database',
  location,
  shown: shown(location),
  async open() {
    const database = databaseAt(location)
    if ('sqlite' in database && !existsSync(database.sqlite)) throw new Error(`There is no file ${database.sqlite}.`)
    // The limit of this command replaces that of the adapter. It counts from the last progress, and may be longer.
    const adapter = sqlAdapter(database, { ...names, queryTimeout: Number.POSITIVE_INFINITY })
    return { adapter, close: adapter.close }
  },
})

const redisTarget = (location: string, prefix: string | undefined): Target => ({
  label: 'Redis',
  location,
  // Only a URL is printed: a location of Redis is never a file.
  shown: shown(location.includes('://') ? location : '@'),
  async open() {
    if (!isRedisUrl(location) || withoutSecrets(location) === null)
      throw new Error(
        'The URL of Redis must begin with redis:// or rediss://. In a user name or password the characters : / ? # [ ] @ % are percent-encoded.',
      )
    const client = await connectServerOrCluster(location, CONNECT_TIMEOUT_MS)
    return { adapter: redisAdapter(client, prefix === undefined ? {} : { prefix }), close: () => client.destroy() }
  },
})

const ADVICE = [
  [
    /NOPERM.*cluster/i,
    'That server is a node of a cluster, and this user may not ask for the others: add "+cluster|slots" to its ACL.',
  ],
  [
    /permission denied|command denied/,
    'This user may not read and delete there. It needs `select`, `delete` and, on PostgreSQL, `update` on all tables with sessions and links.',
  ],
  [/NOPERM/, 'This user may not read and delete there: run the command as a user who may.'],
  [/WRONGPASS|NOAUTH/, 'The server refuses this user: check name and password.'],
] as const
