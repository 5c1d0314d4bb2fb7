import { type CommandDependencies, UsageError } from './dependencies.js'
import { MIGRATE_HELP, migrate } from './migrate.js'
import { PRUNE_HELP, prune } from './prune.js'

const HELP = `Usage: latchkey <command>

Commands:
  migrate   make and inspect the tables of latchkey/adapters/sql
  prune     delete expired sessions and expired mailed links from SQL and Redis

"latchkey <command> --help" shows the options.`

/**
 * Runs one command line.
 *
 * @param words what follows `latchkey`
 * @returns exit code: 0 when all went well, 1 when the command failed, 2 when the command line makes no sense
 */
export async function run(words: readonly string[], dependencies: CommandDependencies): Promise<number> {
  const [command, ...rest] = words
  try {
    if (command === undefined) throw new UsageError('Which command?', HELP)
    if (command === '--help' || command === '-h' || command === 'help') dependencies.print(HELP)
    else {
      const { help, perform } = commandOf(command)
      if (rest.includes('--help') || rest.includes('-h')) dependencies.print(help)
      else await perform(rest, dependencies)
    }
    return 0
  } catch (error) {
    dependencies.complain(error instanceof Error ? error.message : String(error))
    if (!(error instanceof UsageError)) return 1
    dependencies.complain(`\n${error.help}`)
    return 2
  }
}

function commandOf(name: string) {
  if (name === 'migrate') return { help: MIGRATE_HELP, perform: migrate }
  if (name === 'prune') return { help: PRUNE_HELP, perform: prune }
  throw new UsageError(`There is no command "${name}".`, HELP)
}
