/**
 * Makes `dist/commonjs/` out of the built modules of `dist/`, for tools that cannot load an ES module with `require`: Jest,
 * before Node 24.9. All code is in one file, `latchkey.js`, with what ES modules it depends on. Each entry of package.json has
 * a file that takes its part of it. Node itself never opens these files: its condition `module-sync` leads `import` and
 * `require` to the same ES module, so that one process has one copy of every class (docs/decisions/19-package.md).
 *
 * The types are those of the ES modules, named once more as CommonJS, which TypeScript asks for with `"module": "node16"`.
 *
 * It runs after `bundle.ts` and `declarations.ts`, and also gives each provider's ES module the export `module.exports`, so
 * that `require('latchkey/providers/github')` is the function.
 */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { dist, expanded, filesOf, readManifest } from './exports.js'
import { writeLicenses } from './licenses.js'

/** Dependencies that are ES modules only, so that their code has to be in the file. */
const ES_MODULES = ['eta', 'jose', 'openid-client', 'oauth4webapi']
/** The packages whose code is in `dist/` now, through this script or `bundle.ts`. Their licenses must be there, too. */
const INCLUDED = ['cookie', '@simplewebauthn/browser', ...ES_MODULES]

const commonjs = path.join(dist, 'commonjs')

const entries = await entriesOfCommonJs()
const isProvider = (entry: string) => entry.startsWith('providers/') && entry !== 'providers/index'

// Before the ES modules of providers get an export that would be a member of the CommonJS ones.
await joinAll()
for (const entry of entries) {
  await write(`${entry}.js`, codeOf(entry))
  await write(`${entry}.d.ts`, await declarationsOf(entry))
  if (isProvider(entry)) await exportFunction(entry)
}
await write('package.json', '{ "type": "commonjs" }\n')
await writeLicenses(dist, INCLUDED)

/** What has a file for the condition `require`, as paths from `dist/` without ending, with all that match a pattern. */
async function entriesOfCommonJs(): Promise<string[]> {
  const { exports } = await readManifest()
  const compiled = (await readdir(dist, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  const named = new Set(filesOf(exports).flatMap((file) => /^\.\/dist\/commonjs\/(.*\.js)$/.exec(file)?.[1] ?? []))
  return [...named].flatMap((file) => expanded(file, compiled)).map((file) => file.slice(0, -'.js'.length))
}

/** Writes the file with all code. A module in it runs when an entry, or `import()`, first asks for it. */
async function joinAll(): Promise<void> {
  const lines = entries.map((entry) => `  '${entry}': () => require('./${entry}.js'),`)
  await build({
    absWorkingDir: dist,
    stdin: { contents: `module.exports = {\n${lines.join('\n')}\n}`, resolveDir: dist },
    outfile: path.join(commonjs, 'latchkey.js'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // `import()` becomes `require`, which is all that Jest has.
    supported: { 'dynamic-import': false },
    charset: 'utf8',
    // Nobody reads it. The names of functions and classes stay, for Jest's reports.
    minify: true,
    keepNames: true,
    legalComments: 'inline',
    logLevel: 'warning',
    // lib/features/passkeys/library.ts does without it, as in a bundle.
    logOverride: { 'empty-import-meta': 'silent', 'ignored-bare-import': 'silent' },
    plugins: [leavePackages()],
  })
}

/** Leaves the packages outside that `require` loads everywhere. */
function leavePackages(): Plugin {
  return {
    name: 'leave-packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
        kind === 'entry-point' || ES_MODULES.includes(name.split('/')[0] ?? '') ? null : { path: name, external: true },
      )
    },
  }
}

/** The file of an entry. `require` of a provider gives the function itself, which has itself as `default`, too. */
function codeOf(entry: string): string {
  const part = `require('${wayTo('commonjs/latchkey.js', entry)}')['${entry}']()`
  if (!isProvider(entry)) return `module.exports = ${part}\n`
  return `const { default: provider } = ${part}\nmodule.exports = Object.defineProperty(provider, 'default', { value: provider })\n`
}

/**
 * The types of an entry. A provider has `export =`; the types that it exports beside its function become members of a
 * namespace with the same name, which TypeScript takes for one with the function.
 */
async function declarationsOf(entry: string): Promise<string> {
  const module = wayTo(`${entry}.js`, entry)
  if (!isProvider(entry)) {
    return `// @ts-ignore TypeScript refuses this with "module": "node16" alone, which came before Node required ES modules.\nexport * from '${module}';\n`
  }
  const declarations = await readFile(path.join(dist, `${entry}.d.ts`), 'utf8')
  const exported = /^export \{ (.*) \};$/m.exec(declarations)?.[1]?.split(', ') ?? []
  const types = exported.flatMap((name) => {
    const type = new RegExp(`^(?:interface|type) (${name})(?:<(.*)>)?(?= [={]| extends )`, 'm').exec(declarations)
    return type === null ? [] : [type]
  })
  // What the parameters of types are limited to.
  const imports = declarations.matchAll(/^import (\{.*\}) from "(\..*)";$/gm)
  const named = types.some(([, , parameters]) => parameters) ? [...imports] : []
  const fromHere = (file: string) => wayTo(path.posix.join(path.posix.dirname(entry), file), entry)
  return [
    `import type * as module from '${module}' with { 'resolution-mode': 'import' };`,
    ...named.map(
      ([, names, file = '']) => `import type ${names} from '${fromHere(file)}' with { 'resolution-mode': 'import' };`,
    ),
    'declare const provider: typeof module.default & { readonly default: typeof module.default };',
    'declare namespace provider {',
    ...types.map(
      ([, name, parameters]) =>
        `  export type ${name}${parameters ? `<${parameters}>` : ''} = module.${name}${argumentsFor(parameters)};`,
    ),
    '}',
    'export = provider;\n',
  ].join('\n')
}

/** `C extends Record<string, Input> = …` → `<C>`. */
function argumentsFor(parameters: string | undefined): string {
  if (parameters === undefined) return ''
  return `<${[...parameters.matchAll(/(?:^|, )(\w+)(?= extends| =|,|$)/g)].map(([, name]) => name).join(', ')}>`
}

/** The way from an entry's file in `dist/commonjs/` to a file of `dist/`. */
function wayTo(file: string, entry: string): string {
  const way = path.posix.relative(path.posix.dirname(`commonjs/${entry}`), file)
  return way.startsWith('.') ? way : `./${way}`
}

/** Gives the ES module of a provider, which Node loads for `require`, too, the function as `module.exports`. */
async function exportFunction(entry: string): Promise<void> {
  const file = path.join(dist, `${entry}.js`)
  const name = /(\w+) as default\b/.exec(await readFile(file, 'utf8'))?.[1]
  if (name === undefined) throw new Error(`${file} has no default that this script finds.`)
  const lines = `Object.defineProperty(${name}, 'default', { value: ${name} });\nexport { ${name} as 'module.exports' };\n`
  await appendFile(file, lines)
}

async function write(file: string, text: string): Promise<void> {
  const to = path.join(commonjs, file)
  await mkdir(path.dirname(to), { recursive: true })
  await writeFile(to, text)
}
