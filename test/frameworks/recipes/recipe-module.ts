import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { exportedPaths, ROOT, readText } from '../../docs/documents.js'
import { compile } from '../../support/compiled.js'

const FOLDER = join(ROOT, '.tmp/recipes', String(process.pid))

/** The configuration that the recipes stand on: Ada can sign in, and each request renews the session. */
const CONFIG = `import { testConfig } from '../../../test/support/app.js'
const config = testConfig({ session: { updateAge: 0 } });
`

/** A module of a recipe. */
interface RecipeModule {
  /** In `examples/recipes/frameworks`. */
  readonly file: string
  /** Names that the file declares and does not export, and that the test needs. */
  readonly exports?: readonly string[]
  /** Changes what the test must have otherwise, such as the port. Each text must be there. */
  readonly replace?: Readonly<Record<string, string>>
  /** Other files, by the name under which modules import them. The result has each under that name. */
  readonly imports?: Readonly<Record<string, string>>
}

/** Leaves this project's own modules out: this process has them already, and to load all of them again takes a second. */
const sharedSources: Plugin = {
  name: 'shared sources',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^/]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === FOLDER || from.kind === 'entry-point') return undefined
      const found = await resolve(path, { ...from, pluginData: FOLDER })
      const isShared = ['lib', 'test'].some((folder) => found.path.startsWith(join(ROOT, folder) + sep))
      return isShared ? { path: pathToFileURL(found.path).href, external: true } : found
    })
  },
}

/** Runs a file of `examples/recipes/frameworks`, and gives what it declares. */
export async function runRecipe<Module>({
  file,
  exports = [],
  replace = {},
  imports = {},
}: RecipeModule): Promise<Module> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  try {
    const paths: Record<string, string[]> = {}
    for (const [name, text] of Object.entries(exportedPaths())) paths[name] = text.map((path) => `../${path}`)
    const codes = changed([file, ...Object.values(imports)].map(codeOf), replace)
    const names = Object.keys(imports)
    for (const [index, name] of names.entries()) {
      const own = `${name.replace(/\W+/g, '-')}.ts`
      writeFileSync(join(FOLDER, own), codes[index + 1] ?? '')
      paths[name] = [`./${own}`]
    }
    const compilerOptions = { paths, experimentalDecorators: true }
    const tsconfig = join(FOLDER, 'tsconfig.json')
    writeFileSync(tsconfig, JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions }))
    const entry = join(FOLDER, 'recipe.ts')
    const reexports = names.map((name) => `export * as '${name}' from '${name}'\n`)
    writeFileSync(entry, `${codes[0]}\nexport { ${exports.join(', ')} }\n${reexports.join('')}`)
    return (await import(pathToFileURL(await compile(entry, tsconfig, [sharedSources])).href)) as Module
  } finally {
    rmSync(FOLDER, { recursive: true, force: true })
  }
}

const codeOf = (file: string): string =>
  readText(`examples/recipes/frameworks/${file}`).replace(/^import \{ config \} from '[./]+config\.js'\n/m, CONFIG)

function changed(codes: string[], replace: Readonly<Record<string, string>>): string[] {
  return Object.entries(replace).reduce((all, [from, to]) => {
    if (!all.some((code) => code.includes(from))) throw new Error(`The recipe has no ${from}.`)
    return all.map((code) => code.replace(from, to))
  }, codes)
}
