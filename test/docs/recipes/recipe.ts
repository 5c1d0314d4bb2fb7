import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthConfig } from '../../../lib/index.js'
import { signInAs, type TestUser } from '../../../lib/testing/index.js'
import type { Running } from '../../support/app.js'
import { setEnv } from '../../support/env.js'
import type { Visitor } from '../../support/visitor.js'
import { exportedPaths, jsxSnippets, ROOT, readText, snippets } from '../documents.js'

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

/** The code of a document, with the source of the package in place of the installed package. */
export const fromSource = (code: string): string =>
  code.replaceAll(
    /(from|import) '(latchkey(?:\/[\w/-]+)?)'/g,
    (_whole, word: string, entry: string) => `${word} '${sourceOf(entry)}'`,
  )

/** What a reader would have in a file: a block of TypeScript in a recipe that has the given words. */
export function blockOf(name: string, words = ''): string {
  const path = `docs/recipes/${name}.md`
  const block = snippets().find((one) => one.path === path && one.code.includes(words))
  if (!block) throw new Error(`${path} has no block of TypeScript with ${words || 'anything'}.`)
  return block.code
}

/** The block of JSX in a recipe. */
export function jsxBlockOf(name: string): string {
  const block = jsxSnippets().find(({ path }) => path === `docs/recipes/${name}.md`)
  if (!block) throw new Error(`docs/recipes/${name}.md has no block of JSX.`)
  return block.code
}

function removeWritten() {
  for (const file of written) rmSync(file, { force: true })
}

/** Writes a block to a file that can be imported, compiled or started. */
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
 * @param name of the document, without folder and ending
 * @param words that are in the block, if the document has several
 * @param change replaces what only exists outside of the test, such as a file or a server
 * @returns what the block declares at its top level, by name
 */
export async function loadRecipe<Names>(
  name: string,
  { words, change = String }: { readonly words?: string; readonly change?: (code: string) => string } = {},
): Promise<Names> {
  const code = blockOf(name, words).replace(/^\w+\.listen\(.*\)\n/m, '')
  const declared = [...code.matchAll(/^(?:const|class|(?:async )?function) (\w+)/gm)].map(([, one]) => one)
  const file = writeBlock(name, `${change(code)}export { ${declared.join(', ')} }\n`)
  return import(pathToFileURL(file).href)
}

/** A browser in which somebody has signed in, as an application tests it that has no provider at hand. */
export async function signedIn(app: Running, config: AuthConfig, user: TestUser): Promise<Visitor> {
  const { cookies } = await signInAs(config, user, { origin: app.origin })
  const visitor = app.visitor()
  for (const { name, value } of cookies) visitor.jar.set(name, value)
  return visitor
}

/** The first block of another language in a recipe. */
export function textBlockOf(name: string, language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readText(`docs/recipes/${name}.md`)) ?? []
  if (text === undefined) throw new Error(`docs/recipes/${name}.md has no block of ${language}.`)
  return text
}
