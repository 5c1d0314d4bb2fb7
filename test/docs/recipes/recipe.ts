import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthConfig } from '../../../lib/index.js'
import { signInAs, type TestUser } from '../../../lib/testing/index.js'
import type { Running } from '../../support/app.js'
import { setEnv } from '../../support/env.js'
import type { Visitor } from '../../support/visitor.js'
import { exportedPaths, ROOT, readText } from '../documents.js'

/** Two folders below the root, so that `exportedPaths()` leads to lib/. */
const FOLDER = join(ROOT, '.tmp/recipes')
const SOURCES = exportedPaths()

const written: string[] = []

/** The source file of an entry of the package. Providers of the catalogue share one entry, with a star. */
function sourceOf(entry: string): string {
  const [folder = '', last = ''] = entry.split(/\/(?=[^/]+$)/)
  const path = SOURCES[entry]?.[0] ?? SOURCES[`${folder}/*`]?.[0]?.replace('*', last)
  if (path === undefined) throw new Error(`The package does not export ${entry}.`)
  return path
}

/** The code of a recipe, with the source of the package in place of the installed package. */
export const fromSource = (code: string): string =>
  code.replaceAll(
    /(from|import) '(latchkey(?:\/[\w/-]+)?)'/g,
    (_whole, word: string, entry: string) => `${word} '${sourceOf(entry)}'`,
  )

/** The text of a file of `examples/recipes`. */
export const textOf = (file: string): string => readText(`examples/recipes/${file}`)

function removeWritten() {
  for (const file of written) rmSync(file, { force: true })
}

/** Writes code to a file that can be imported, compiled or started. */
export function writeBlock(name: string, code: string): string {
  mkdirSync(FOLDER, { recursive: true })
  if (written.length === 0) process.once('exit', removeWritten)
  const file = join(FOLDER, `${name}-${process.pid}-${written.length}.ts`)
  written.push(file)
  writeFileSync(file, fromSource(code))
  return file
}

/** The variables of the environment that the applications of a suite have, until its end. */
export function useVariables(variables: Readonly<Record<string, string>>): void {
  let restore: () => void
  before(() => {
    restore = setEnv(variables)
  })
  after(() => restore())
}

/**
 * Runs the application of a recipe. The test listens in place of the application, on a port of its own.
 *
 * @param file in `examples/recipes`
 * @param change replaces what only exists outside of the test, such as a file or a server
 * @returns what the file declares at its top level, by name
 */
export async function loadRecipe<Names>(file: string, change: (code: string) => string = String): Promise<Names> {
  const code = textOf(file).replace(/^\w+\.listen\(.*\)\n/m, '')
  const declared = [...code.matchAll(/^(?:const|class|(?:async )?function) (\w+)/gm)].map(([, one]) => one)
  const written = writeBlock(file.replaceAll('/', '-'), `${change(code)}export { ${declared.join(', ')} }\n`)
  return import(pathToFileURL(written).href)
}

/** A browser in which somebody has signed in, as an application tests it that has no provider at hand. */
export async function signedIn(app: Running, config: AuthConfig, user: TestUser): Promise<Visitor> {
  const { cookies } = await signInAs(config, user, { origin: app.origin })
  const visitor = app.visitor()
  for (const { name, value } of cookies) visitor.jar.set(name, value)
  return visitor
}
