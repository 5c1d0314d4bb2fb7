import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { AdapterError, SessionTokenError } from '../../lib/kernel/errors.js'
import type { LoggerInstance } from '../../lib/kernel/logger.js'
import { ROOT, snippets } from './documents.js'

const FOLDER = join(ROOT, '.tmp/logging-recipes')

/** The logger that the guide makes out of one of a library, and the arguments that the latter got, as JSON. */
async function recipeFor(name: string): Promise<{ logger: LoggerInstance; lines: string[] }> {
  const snippet = snippets().find(({ path, names }) => path === 'docs/guides/logging.md' && names.includes(name))
  if (!snippet) throw new Error(`The guide has no recipe with ${name}.`)
  const file = join(FOLDER, `${name}.ts`)
  const library = `export const lines: string[] = []
    const note = (...given: unknown[]) => lines.push(JSON.stringify(given))
    const ${name} = { error: note, warn: note, info: note, debug: note }\n`
  writeFileSync(file, `${library}${snippet.code}export { logger }`)
  return import(pathToFileURL(file).href)
}

describe('the recipes of the logging guide', () => {
  before(() => {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
  })

  const driver = new Error('connect failed', { cause: new Error('ECONNREFUSED 10.0.0.5') })
  const fault = new SessionTokenError('No session.', new AdapterError('getSession()', { err: driver }))
  const context = { method: 'GET', path: '/private' }

  for (const name of ['log', 'winstonLog']) {
    it(`with ${name} keep message, type, all causes and the request`, async () => {
      const { logger, lines } = await recipeFor(name)
      logger.error(fault, context)
      const [line = ''] = lines
      for (const part of ['No session.', 'SessionTokenError', 'connect failed', 'ECONNREFUSED 10.0.0.5', '/private']) {
        expect(line).to.include(part)
      }
      logger.warn('weak-secret', { fix: 'Make a good one.' }, context)
      expect(lines[1]).to.include('weak-secret').and.to.include('Make a good one.').and.to.include('/private')
      logger.info?.(fault, context)
      expect(lines[2]).to.include('No session.').and.to.include('SessionTokenError').and.to.include('/private')
    })
  }
})
