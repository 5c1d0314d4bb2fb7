import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exportedPaths, ROOT, snippets } from '../../docs/documents.js'
import { compile } from '../../support/compiled.js'

const FOLDER = join(ROOT, '.tmp/recipes', String(process.pid))

/** The configuration that the recipes stand on: Ada can sign in, and each request renews the session. */
const CONFIG = `import { testConfig } from '../../../test/support/app.js'
const config = testConfig({ session: { updateAge: 0 } });
`

/** A module of a recipe. */
interface RecipeModule {
  /** What only this block of the document has. */
  readonly block: string
  /** Names that the block declares and does not export, and that the test needs. */
  readonly exports?: readonly string[]
  /** Changes what the test must have otherwise, such as the port. Each text must be there. */
  readonly replace?: Readonly<Record<string, string>>
  /** Other blocks, by the name under which modules import them. The result has each under that name. */
  readonly imports?: Readonly<Record<string, string>>
}

/** Runs a block of docs/guides/other-frameworks.md as it stands there, and gives what it declares. */
export async function runRecipe<Module>({
  block,
  exports = [],
  replace = {},
  imports = {},
}: RecipeModule): Promise<Module> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  try {
    const paths: Record<string, string[]> = {}
    for (const [name, text] of Object.entries(exportedPaths())) paths[name] = text.map((path) => `../${path}`)
    const codes = changed([block, ...Object.values(imports)].map(codeOf), replace)
    const names = Object.keys(imports)
    for (const [index, name] of names.entries()) {
      const file = `${name.replace(/\W+/g, '-')}.ts`
      writeFileSync(join(FOLDER, file), codes[index + 1] ?? '')
      paths[name] = [`./${file}`]
    }
    const compilerOptions = { paths, experimentalDecorators: true }
    const tsconfig = join(FOLDER, 'tsconfig.json')
    writeFileSync(tsconfig, JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions }))
    const entry = join(FOLDER, 'recipe.ts')
    const reexports = names.map((name) => `export * as '${name}' from '${name}'\n`)
    writeFileSync(entry, `${codes[0]}\nexport { ${exports.join(', ')} }\n${reexports.join('')}`)
    return (await import(pathToFileURL(await compile(entry, tsconfig)).href)) as Module
  } finally {
    rmSync(FOLDER, { recursive: true, force: true })
  }
}

function codeOf(block: string): string {
  const found = snippets().filter(
    ({ path, code }) => path === 'docs/guides/other-frameworks.md' && code.includes(block),
  )
  const [snippet] = found
  if (!snippet || found.length > 1) throw new Error(`${found.length} recipes have ${block}.`)
  return (snippet.names.includes('config') ? CONFIG : '') + snippet.code
}

function changed(codes: string[], replace: Readonly<Record<string, string>>): string[] {
  return Object.entries(replace).reduce((all, [from, to]) => {
    if (!all.some((code) => code.includes(from))) throw new Error(`The recipe has no ${from}.`)
    return all.map((code) => code.replace(from, to))
  }, codes)
}
