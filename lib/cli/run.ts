import { MIGRATE_HELP, migrate } from './migrate.js'
import { type Surroundings, UsageError } from './surroundings.js'

const HELP = `Usage: latchkey <command>

Commands:
  migrate   make and inspect the tables of latchkey/adapters/sql

"latchkey <command> --help" tells more.`

/**
 * Runs one command line.
 *
 * @param words what follows `latchkey`
 * @returns exit code: 0 when all went well, 1 when the command failed, 2 when the command line makes no sense
 */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const [command, ...rest] = words
  try {
    if (command === undefined) throw new UsageError('Which command?', HELP)
    if (command === '--help' || command === '-h' || command === 'help') surroundings.print(HELP)
    else if (command !== 'migrate') throw new UsageError(`There is no command "${command}".`, HELP)
    else if (rest.includes('--help') || rest.includes('-h')) surroundings.print(MIGRATE_HELP)
    else await migrate(rest, surroundings)
    return 0
  } catch (error) {
    surroundings.complain(error instanceof Error ? error.message : String(error))
    if (!(error instanceof UsageError)) return 1
    surroundings.complain(`\n${error.help}`)
    return 2
  }
}
