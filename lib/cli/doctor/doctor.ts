import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import type { AuthConfig } from '../../config/options.js'
import { within } from '../../kernel/awaitable.js'
import { isError } from '../../kernel/describe-value.js'
import { nearestName } from '../../kernel/nearest-name.js'
import { printable } from '../../kernel/printable.js'
import { CATALOGUE_NAMES } from '../../providers/check-provider.js'
import { type CommandDependencies, parseWords, UsageError } from '../command-line.js'
import { examine } from './examine.js'
import { countOf, type Finding, fact, linesOf, problem, type Section, warning } from './report.js'

export const DOCTOR_HELP = `Usage: latchkey doctor [module] [options]

Reads the configuration of your application and says what is wrong with it, and what Latchkey makes of it: the public URL, the
callback URLs to register, sessions and cookies, and whether each provider answers. It changes nothing.

The module exports the configuration: the object that you give to expressAuth. Its code runs, so it should not start your
server. Without a path, the usual places are looked at, such as auth.ts and src/auth.ts.

Options:
  --export <name>     the export that is the configuration; by default config, authConfig, auth or default
  --env-file <path>   reads variables from a file first, as Node does with this option
  --database <url>    looks for pending migrations of the tables there; by default at $DATABASE_URL, if it is set
  --offline           asks no provider
  --json              prints the report as JSON

The exit code is 0 when nothing is wrong, 1 when there is a problem, 2 when the command line makes no sense. The report has no
secret, so you can show it to others; it has names of hosts.`

const OPTIONS = {
  export: { type: 'string' },
  'env-file': { type: 'string' },
  database: { type: 'string' },
  offline: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

/** @throws when there is a problem, so that the command fails */
export async function doctor(words: readonly string[], dependencies: CommandDependencies): Promise<void> {
  const { values, positionals } = parseWords(words, OPTIONS)
  if (positionals.length > 1) throw new UsageError('More than one module was given.')
  const { variables, print, colours } = dependencies
  const found = await sectionsOf(positionals[0], values, variables)
  // Not earlier: the module of the application may have read variables from a file itself.
  const hideSecrets = secretHider(variables)
  const sections = found.map(({ title, findings }) => ({
    title: hideSecrets(title),
    findings: findings.map(({ kind, text, cure }) => ({
      kind,
      text: hideSecrets(text),
      ...(cure !== undefined && { cure: hideSecrets(cure) }),
    })),
  }))
  const [problems, warnings] = [countOf(sections, 'problem'), countOf(sections, 'warning')]
  if (values.json) print(JSON.stringify({ problems, warnings, sections }, null, 2))
  else for (const line of linesOf(sections, colours)) print(line)
  const counted = `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
  if (problems > 0) throw new Error(counted)
  if (!values.json) print(counted)
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** What the file `.env` has and nobody read: an application does not read it by itself. */
function unreadVariables(variables: CommandDependencies['variables']): Finding[] {
  const names = Object.keys(variablesOf('.env')).filter((name) => variables[name] === undefined)
  if (names.length === 0) return []
  const cure = 'Give this command --env-file .env, and start the application with node --env-file=.env.'
  return [warning(`.env was not read; ${names.join(', ')}: not set`, cure)]
}

function variablesOf(file: string): object {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

async function sectionsOf(
  module: string | undefined,
  values: { readonly export?: string; readonly database?: string; readonly offline?: boolean },
  variables: CommandDependencies['variables'],
): Promise<Section[]> {
  // Called after the module was loaded, which may have read `.env` itself.
  const facts = () => [fact(`Node ${process.version}`), ...unreadVariables(variables)]
  try {
    const { path, exportName, config } = await loadConfiguration(module, values.export)
    return [
      { title: 'Application', findings: [fact(`configuration: ${exportName} of ${path}`), ...facts()] },
      ...(await examine(config, {
        variables,
        database: values.database ?? (variables['DATABASE_URL'] || undefined),
        isOffline: values.offline ?? false,
      })),
    ]
  } catch (error) {
    if (!(error instanceof UnreadableModule)) throw error
    return [{ title: 'Application', findings: [...facts(), ...findingsOf(error)] }]
  }
}

/** A finding for each reason in a message of several lines, as an error of the configuration has it. */
function findingsOf({ message, cure }: UnreadableModule): Finding[] {
  const [heading = '', ...lines] = message.split('\n')
  if (lines.length === 0 || !lines.every((line) => line.startsWith('- '))) return [problem(message, cure)]
  return [{ ...fact(heading), ...(cure && { cure }) }, ...lines.map((line) => problem(line.slice(2)))]
}

/** Names of variables whose values must not be shown. */
const SECRET_NAME = /SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE|CREDENTIAL|KEY|_PASS$|DSN|_URL$|_URI$/i
const URL_NAME = /_URL$|_URI$/i
/** A shorter value may also be a part of common words, which would be taken out with it. */
const SHORTEST = 8

/** The name and password of a URL. A password that was not encoded may have slashes and at signs in it. */
const USER_INFO = /:\/\/\S*@/g

/** Whether the value of a variable must not be shown. A URL may be shown if it has no name and no password. */
function isSecret(name: string, value: string): boolean {
  if (value.length < SHORTEST) return false
  return value.search(USER_INFO) !== -1 || (SECRET_NAME.test(name) && !URL_NAME.test(name))
}

/** A value as it is, and as URLs, JSON and headers have it. */
const spellingsOf = (value: string): readonly string[] => [
  value,
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString('base64'),
]

/**
 * Gives a function that takes out of a text what an error of the application may have put into it: values of variables that are
 * secret, and the name and password of a URL. Control characters would change what a terminal shows.
 */
function secretHider(variables: CommandDependencies['variables']): (text: string) => string {
  const secrets = Object.entries(variables)
    .flatMap(([name, value = '']) => (isSecret(name, value) ? spellingsOf(value) : []))
    .sort((one, other) => other.length - one.length)
  return (text) =>
    printable(secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text).replace(USER_INFO, '://…@'))
}

/** Where applications usually keep their configuration. */
const USUAL_FOLDERS = ['', 'src/', 'lib/', 'server/', 'app/']
const USUAL_NAMES = ['auth', 'auth.config', 'config/auth']
const EXTENSIONS = ['ts', 'mts', 'js', 'mjs', 'cjs', 'cts']
const USUAL_EXPORTS = ['config', 'authConfig', 'auth', 'default']

/** A module may wait for something that never comes, such as a database. */
const LOADING_SECONDS = 20

/** Why the configuration could not be read, and what to do. */
export class UnreadableModule extends Error {
  readonly cure: string

  constructor(message: string, cure: string) {
    super(message)
    this.cure = cure
  }
}

/**
 * Loads the module that exports the configuration, and says where it was found. Its code runs.
 *
 * @param path path of the module; undefined for the first of the usual places that has one
 * @param exportName name of the export; undefined for the usual names, and for the only export that may be one
 * @throws {UnreadableModule}
 */
async function loadConfiguration(path: string | undefined, exportName: string | undefined) {
  const found = path ?? usualPath()
  if (!existsSync(found)) throw new UnreadableModule(`There is no file ${found}.`, 'Give the path of the module.')
  const exports = await load(found)
  const name = exportName ?? nameIn(exports)
  if (name === undefined || !Object.hasOwn(exports, name)) {
    const names = Object.keys(exports)
    throw new UnreadableModule(
      `${found} exports no configuration${exportName === undefined ? '' : ` with the name ${exportName}`}. It exports ${names.length === 0 ? 'nothing' : names.join(', ')}.`,
      'Export the object that you give to expressAuth, as in `export const config = { … }`; or name it with --export.',
    )
  }
  const config = exports[name]
  if (typeof config === 'function') {
    throw new UnreadableModule(
      `${name} of ${found} is a function, which gives a configuration for each request.`,
      'Export the configuration of one tenant, and name it with --export.',
    )
  }
  return { path: found, exportName: name, config: config as AuthConfig }
}

function usualPath(): string {
  const all = USUAL_FOLDERS.flatMap((folder) =>
    USUAL_NAMES.flatMap((name) => EXTENSIONS.map((extension) => `${folder}${name}.${extension}`)),
  )
  const found = all.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new UnreadableModule(
    'Which module exports the configuration? There is none in the usual places, such as auth.ts and src/auth.ts.',
    'Give its path: npx latchkey doctor server/sign-in.js',
  )
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(path)).href
  const neverLoaded = () =>
    new UnreadableModule(
      `${path} did not finish loading within ${LOADING_SECONDS} seconds.`,
      'It awaits something at its top level. Move the configuration into a module of its own.',
    )
  try {
    const exports: object = await within(import(url), LOADING_SECONDS * 1000, neverLoaded)
    // The default export of a CommonJS module that was compiled from TypeScript is the object of all its exports.
    const whole = (exports as { default?: unknown }).default
    return { ...(typeof whole === 'object' && whole !== null && '__esModule' in whole && whole), ...exports }
  } catch (error) {
    if (error instanceof UnreadableModule) throw error
    throw new UnreadableModule(`${path} could not be loaded: ${messageOf(error)}`, cureFor(error, path))
  }
}

const messageOf = (error: unknown) => (isError(error) ? `${error.name}: ${error.message}` : String(error))

function cureFor(error: unknown, path: string): string {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  const isTypeScript = /\.[cm]?ts$/.test(path)
  const provider = /providers[\\/](?:catalogue[\\/])?([\w-]+)/.exec(message)?.[1]
  if (provider !== undefined && /NOT_FOUND|NOT_EXPORTED/.test(String(code))) {
    const meant = nearestName(provider, CATALOGUE_NAMES)
    if (meant !== undefined && meant !== provider) return `Did you mean "latchkey/providers/${meant}"?`
  }
  if (isTypeScript && (code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_MODULE_NOT_FOUND')) {
    return `Let tsx read TypeScript: npm install --save-dev tsx, and then, with the same options, node --import tsx node_modules/latchkey/dist/cli/latchkey.js doctor ${path}`
  }
  const { name } = error as { name?: unknown }
  if (name === 'SyntaxError' && message.includes('does not provide an export')) {
    return 'Providers are default exports: import GitHub from "latchkey/providers/github".'
  }
  return 'Mend this first. If the variables of the application are in a file, name it with --env-file.'
}

/** The name of the export that is the configuration: a usual one, or else the only one that has providers. */
function nameIn(exports: Readonly<Record<string, unknown>>): string | undefined {
  const usual = USUAL_EXPORTS.find((name) => hasProviders(exports[name]))
  if (usual !== undefined) return usual
  const fitting = Object.keys(exports).filter((name) => hasProviders(exports[name]))
  if (fitting.length === 1) return fitting[0]
  return USUAL_EXPORTS.find((name) => ['object', 'function'].includes(typeof exports[name]) && exports[name] !== null)
}

const hasProviders = (value: unknown) => typeof value === 'object' && value !== null && 'providers' in value
