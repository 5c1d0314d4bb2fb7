import { nearestName } from '../kernel/nearest-name.js'
import { printable } from '../kernel/printable.js'
import { type CommandDependencies, plainMessage, UsageError, WorkLeft } from './command-line.js'
import { DOCTOR_HELP, doctor } from './doctor/doctor.js'
import { MIGRATE_HELP, migrate } from './migrate.js'
import { PRUNE_HELP, prune } from './prune.js'
import { SECRET_HELP, secret } from './secret.js'

const HELP = `Usage: latchkey <command>

Commands:
  doctor    say what is wrong with a configuration, and what Latchkey makes of it
  secret    make a secret and write it to .env
  migrate   make and inspect the tables of latchkey/adapters/sql
  prune     delete expired sessions and expired mailed links from SQL and Redis

"latchkey <command> --help" shows the options. "latchkey --version" shows the version.`

/**
 * Runs one command line.
 *
 * @param words what follows `latchkey`
 * @returns exit code: 0 when all went well, 1 when the command failed, 2 when the command line makes no sense, 3 when
 *   `migrate status` found pending migrations
 */
export async function run(words: readonly string[], given: CommandDependencies): Promise<number> {
  const [name, ...rest] = words
  let usage = HELP
  const dependencies = { ...given, complain: (line: string) => given.complain(printableLines(line)) }
  try {
    if (name === undefined) throw new UsageError('Which command?')
    if (name === '--help' || name === '-h' || name === 'help') dependencies.print(HELP)
    else if (name === '--version' || name === '-v') dependencies.print(dependencies.version)
    else {
      const { help, perform, printsColours } = commandOf(name)
      usage = help
      if (rest.includes('--help') || rest.includes('-h')) dependencies.print(help)
      else if (printsColours) await perform(rest, dependencies)
      else await perform(rest, { ...dependencies, print: (line) => given.print(printableLines(line)) })
    }
    return 0
  } catch (error) {
    if (error instanceof WorkLeft) return 3
    dependencies.complain(plainMessage(error))
    if (!(error instanceof UsageError)) return 1
    dependencies.complain(`\n${usage}`)
    return 2
  }
}

/** What a database or a provider answers must not control the terminal. */
const printableLines = (text: string): string => text.replace(/[^\n\t]+/g, printable)

/** A command that prints colours makes each of its texts printable itself. */

const COMMANDS = {
  doctor: { help: DOCTOR_HELP, perform: doctor, printsColours: true },
  secret: { help: SECRET_HELP, perform: secret, printsColours: false },
  migrate: { help: MIGRATE_HELP, perform: migrate, printsColours: false },
  prune: { help: PRUNE_HELP, perform: prune, printsColours: false },
}

function commandOf(name: string) {
  if (Object.hasOwn(COMMANDS, name)) return COMMANDS[name as keyof typeof COMMANDS]
  const meant = nearestName(name, Object.keys(COMMANDS))
  const advice = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new UsageError(`There is no command "${name}".${advice}`)
}
