import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type CommandDependencies, parseWords, UsageError } from './command-line.js'

export const SECRET_HELP = `Usage: latchkey secret [options]

Makes a new secret and writes it to a file of variables, as AUTH_SECRET. Everything else in the file stays as it is.

Options:
  --file <path>   the file; ".env" by default. If there is none, it is made, and only you can read it
  --rotate        adds a secret to those of the file. Latchkey then encrypts with the new one and accepts all
  --print         prints the line, and writes nothing

Start your application with: node --env-file=.env app.js

The exit code is 0 when all went well, 1 when the file has a secret already, 2 when the command line makes no sense.`

/** From the oldest to the newest. Latchkey encrypts with the newest. */
const NAMES = ['AUTH_SECRET', 'AUTH_SECRET_1', 'AUTH_SECRET_2', 'AUTH_SECRET_3']

const SECRET_BYTES = 33

/** @throws when the file has a secret already, or cannot be written. No message has a secret */
export async function secret(words: readonly string[], { print, complain }: CommandDependencies): Promise<void> {
  const { values, positionals } = parseWords(words, {
    file: { type: 'string' },
    rotate: { type: 'boolean' },
    print: { type: 'boolean' },
  })
  if (positionals.length > 0) throw new UsageError('Unexpected argument.')
  const { file = '.env', rotate = false } = values
  if (file === '') throw new UsageError('--file needs the path of a file.')
  const value = randomBytes(SECRET_BYTES).toString('base64url')
  if (values.print) return print(`${NAMES[0]}=${value}`)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const name = nextName(parseEnv(before), file, rotate)
  const separator = before === '' || before.endsWith('\n') ? '' : '\n'
  appendFileSync(file, `${separator}${name}=${value}\n`, { mode: 0o600 })
  print(`Wrote ${name} to ${file}.`)
  if (name !== NAMES[0]) {
    print('New sessions are encrypted with it, and those of the other secrets stay valid. Restart every process.')
  }
  if (isInGit(file)) {
    complain(`${file} is not ignored by git. Add it to .gitignore: whoever reads the secret can sign in as anybody.`)
  }
}

/**
 * The variable for a new secret.
 *
 * @throws when the file has a secret and is not to be rotated, or has as many as Latchkey reads
 */
function nextName(variables: NodeJS.Dict<string>, file: string, rotate: boolean): string {
  const newest = NAMES.findLastIndex((name) => Boolean(variables[name]))
  if (newest >= 0 && !rotate) {
    throw new Error(
      `${file} has ${NAMES[newest]} already, and it was left as it is. With a new secret alone, everybody would be signed out. To add one, use --rotate.`,
    )
  }
  const name = NAMES[newest + 1]
  if (name !== undefined) return name
  throw new Error(
    `${file} has ${NAMES.length} secrets already. Remove the oldest ones when no session is older than the newest, and rename the others: see docs/guides/rotation.md.`,
  )
}

/** Whether the file is in a folder of git that does not ignore it. False if that cannot be found out. */
function isInGit(file: string): boolean {
  try {
    execFileSync('git', ['check-ignore', '-q', resolve(file)], { cwd: dirname(resolve(file)), stdio: 'ignore' })
    return false
  } catch (error) {
    return (error as { status?: unknown }).status === 1
  }
}
