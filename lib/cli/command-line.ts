import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { ModelName } from '../adapters/sql.js'
import { UsageError } from './surroundings.js'

const MODELS: readonly string[] = ['users', 'accounts', 'sessions', 'verificationTokens', 'authenticators']

/**
 * Words of a command line, by their options. Words that are none are for the caller to judge.
 *
 * @param help how the command is used
 * @throws {UsageError} for an option that is unknown, or lacks its value
 */
export function parseWords<const Options extends NonNullable<ParseArgsConfig['options']>>(
  words: readonly string[],
  options: Options,
  help: string,
) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), help)
  }
}

/** @param help how the command is used */
export function readTable(text: string, help: string): [ModelName, string] {
  const [model = '', name = ''] = text.split('=', 2)
  if (MODELS.includes(model) && name !== '') return [model as ModelName, name]
  throw new UsageError(`--table ${text}: expected <model>=<name> with one of ${MODELS.join(', ')}.`, help)
}
