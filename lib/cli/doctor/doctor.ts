import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { printable } from '../../kernel/printable.js'
import { type CommandDependencies, loadVariables, parseWords, UsageError } from '../command-line.js'
import { loadConfiguration, UnreadableModule } from './configuration-module.js'
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
  const { values, positionals } = parseWords(words, OPTIONS, DOCTOR_HELP)
  if (positionals.length > 1) throw new UsageError('More than one module was given.', DOCTOR_HELP)
  loadVariables(values['env-file'], DOCTOR_HELP)
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
 * Gives a function that takes out of a text what an error of the application may have put into it: values of variables that are secret, and the
 * name and password of a URL. Control characters would change what a terminal shows.
 */
function secretHider(variables: CommandDependencies['variables']): (text: string) => string {
  const secrets = Object.entries(variables)
    .flatMap(([name, value = '']) => (isSecret(name, value) ? spellingsOf(value) : []))
    .sort((one, other) => other.length - one.length)
  return (text) =>
    printable(secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text).replace(USER_INFO, '://…@'))
}
