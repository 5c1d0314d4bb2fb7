import { loadEnvFile } from 'node:process'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { MODEL_NAMES } from '../adapters/sql/models.js'
import { withoutSecrets } from '../adapters/sql/sql-database.js'
import type { ModelName, SqlNames } from '../adapters/sql.js'
import { isError } from '../kernel/describe-value.js'
import { decodedText, isAbsoluteUrl } from '../kernel/urls.js'

/** Options of the commands that open a SQL store. */
export const STORE_OPTIONS = {
  database: { type: 'string' },
  'env-file': { type: 'string' },
  schema: { type: 'string' },
  table: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
} as const

type ParsedWords<Options extends NonNullable<ParseArgsConfig['options']>> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: Options }>
>

/**
 * The options and the other words of a command line. The caller checks the words that are not options. The variables of
 * the file that `--env-file` names are added to the environment of this process, from which the command reads them.
 *
 * @throws {UsageError} for an option that is unknown, or lacks its value, and when the file cannot be read
 */
export function parseWords<const Options extends NonNullable<ParseArgsConfig['options']>>(
  words: readonly string[],
  options: Options,
): ParsedWords<Options> {
  try {
    const parsed = parseArgs({ args: [...words], allowPositionals: true, options })
    loadVariables((parsed.values as { readonly 'env-file'?: string })['env-file'])
    return parsed
  } catch (error) {
    throw new UsageError(misuse(error))
  }
}

/** What is wrong with a command line. An unexpected word is not repeated, because it may be the URL of a database. */
const misuse = (error: unknown): string =>
  plainMessage(error).replace(/^Unexpected argument '.*'\./s, 'Unexpected argument.')

/** The message of an error; of anything else that was thrown, its text. */
export const plainMessage = (thrown: unknown): string => (isError(thrown) ? thrown.message : String(thrown))

function loadVariables(file: string | undefined): void {
  if (file === undefined) return
  try {
    loadEnvFile(file)
  } catch (error) {
    throw new Error(`--env-file ${file}: ${(error as Error).message}`)
  }
}

/**
 * The value of an option as a number: a whole number from 1, or any number above 0 if fractions are allowed.
 *
 * @returns undefined when the option is not given
 */
export function readNumber(
  option: string,
  text: string | undefined,
  { most, fractions = false }: { readonly most: number; readonly fractions?: boolean },
): number | undefined {
  if (text === undefined) return undefined
  const isNumber = fractions ? text.trim() !== '' : /^\d+$/.test(text)
  const number = isNumber ? Number(text) : 0
  if (number > 0 && number <= most) return number
  const expected = fractions
    ? `a number of seconds above 0, and at most ${most.toLocaleString('en')}`
    : `a whole number from 1 to ${most}`
  throw new UsageError(`--${option} ${text}: expected ${expected}.`)
}

/** What the options say about the names of the tables. */
export function readNames({ schema, table = [] }: { readonly schema?: string; readonly table?: string[] }): SqlNames {
  return { tables: Object.fromEntries(table.map(readTable)), ...(schema !== undefined && { schema }) }
}

function readTable(text: string): [ModelName, string] {
  const [model = '', name = '', ...others] = text.split('=')
  const known = MODEL_NAMES.find((each) => each === model)
  if (known && name !== '' && others.length === 0) return [known, name]
  throw new UsageError(`--table ${text}: expected <model>=<name> with one of ${MODEL_NAMES.join(', ')}.`)
}

/** What a command may use of the process it runs in. */
export interface CommandDependencies {
  /** The version of the package. */
  readonly version: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether the standard output shows colours. */
  readonly colours: boolean
  /** Writes a line to the standard output. */
  print(line: string): void
  /** Writes a line to the standard error output. */
  complain(line: string): void
}

/** A command did what it was asked, has said what is left to do, and ends with an exit code that is not that of a failure. */
export class WorkLeft extends Error {}

/** A command line that makes no sense. */
export class UsageError extends Error {}

/** A location as it may be printed. */
export const shown = (location: string): string => withoutSecrets(location) ?? '(a location that cannot be shown)'

type Advice = readonly (readonly [pattern: RegExp, advice: string])[]

const ADVICE: Advice = [
  [/ECONNREFUSED|ENOENT.*\.s\.PGSQL/, 'Nothing listens there: is the server running, and are host and port right?'],
  [/ENOTFOUND|EAI_AGAIN/, 'There is no such host: is its name right?'],
  [
    /Access denied|password authentication failed|no pg_hba\.conf entry/,
    'The server refuses this user: check name and password.',
  ],
  [/Unknown database|database .* does not exist/, 'Create the database first.'],
  [/permission denied|command denied/, 'This user may not create tables: run the migration as a user who may.'],
]

/**
 * What went wrong, without the secrets of a location.
 *
 * @param further advice for the failures of one command; it comes before the advice for all commands
 */
export function explain(error: unknown, location: string, further: Advice = []): string {
  const message = plainMessage(error)
  const advice = [...further, ...ADVICE].find(([pattern]) => pattern.test(message))?.[1]
  const said = secretsOf(location).reduce((text, secret) => text.replaceAll(secret, '…'), message)
  return advice === undefined ? said : `${said}\n${advice}`
}

/** The secrets, longest first: if a secret contains another one, it must be replaced first, and as a whole. */
function secretsOf(location: string): string[] {
  const { username, password, search, searchParams } = isAbsoluteUrl(location) ? new URL(location) : new URL('none:')
  const secrets = [
    location,
    password,
    decodedText(password) ?? password,
    search,
    ...[...searchParams.values()].filter(isLong),
  ]
  // A password without a name in front of it.
  if (password === '') secrets.push(username, decodedText(username) ?? username)
  // The path of a file is not secret, and messages name a file that cannot be opened.
  const isFile = withoutSecrets(location) === location
  return secrets.filter((secret) => secret !== '' && !isFile).sort((one, other) => other.length - one.length)
}

const isLong = (text: string) => text.length > 3
