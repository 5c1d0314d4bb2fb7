/**
 * Makes `dist/commonjs/` for the condition `require`, which bundlers have, and Jest. Each entry of package.json has a file there
 * that requires the ES module. Jest before Node 24.9 refuses it; `commonjs-loader.cts` then gives it the code of the same
 * files. Node itself never opens these: its condition `module-sync` leads `import` and `require` to the ES module, so that one
 * process has one copy of every class (docs/decisions/19-package.md).
 *
 * The types are those of the ES modules, named once more as CommonJS, which TypeScript asks for with `"module": "node16"`.
 *
 * It runs after `bundle.ts` and `declarations.ts`, and also gives each provider's ES module the export `module.exports`, so
 * that `require('latchkey/providers/github')` is the function.
 */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { PACKAGES } from './commonjs-loader.cjs'
import { proveLoadable } from './commonjs-proof.js'
import { dist, expanded, filesOf, readManifest, root } from './exports.js'
import { writeLicenses } from './licenses.js'

/** The packages whose code is in `dist/` now, through this script or `bundle.ts`. Their licenses must be there, too. */
const INCLUDED = ['cookie', '@simplewebauthn/browser', 'eta', 'jose', 'openid-client', 'oauth4webapi']

const options = {
  platform: 'node',
  target: 'node20.19',
  charset: 'utf8',
  logLevel: 'warning',
} as const satisfies BuildOptions

const commonjs = path.join(dist, 'commonjs')

const entries = await entriesOfCommonJs()
const isProvider = (entry: string) => entry.startsWith('providers/') && entry !== 'providers/index'

for (const entry of entries) {
  await write(`${entry}.js`, codeOf(entry))
  await write(`${entry}.d.ts`, await declarationsOf(entry))
  if (isProvider(entry)) await exportFunction(entry)
}
await write('package.json', '{ "type": "commonjs" }\n')
await joinPackages()
await writeLoader()
const modules = [...entries.map((entry) => `${entry}.js`), ...PACKAGES.map((name) => `commonjs/packages/${name}.mjs`)]
await proveLoadable(dist, modules)
await writeLicenses(dist, INCLUDED)

/** What has a file for the condition `require`, as paths from `dist/` without ending, with all that match a pattern. */
async function entriesOfCommonJs(): Promise<string[]> {
  const { exports } = await readManifest()
  const compiled = (await readdir(dist, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  const named = new Set(filesOf(exports).flatMap((file) => /^\.\/dist\/commonjs\/(.*\.js)$/.exec(file)?.[1] ?? []))
  return [...named].flatMap((file) => expanded(file, compiled)).map((file) => file.slice(0, -'.js'.length))
}

/** Puts each package into a module, beside those that several of them need. */
async function joinPackages(): Promise<void> {
  await build({
    ...options,
    absWorkingDir: dist,
    entryPoints: PACKAGES.map((name) => ({ in: name, out: name })),
    outdir: path.join(commonjs, 'packages'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    legalComments: 'inline',
  })
}

/** Writes the program that gives Jest the ES modules. */
async function writeLoader(): Promise<void> {
  const file = path.join(root, 'scripts/commonjs-loader.cts')
  await build({ ...options, entryPoints: [file], outfile: path.join(commonjs, 'load.js'), format: 'cjs' })
}

/** The file of an entry. The ES module stands in it by name, so that bundlers find it. */
function codeOf(entry: string): string {
  const module = `${entry}.js`
  return `module.exports = require('${wayTo('commonjs/load.js', entry)}').load('${module}', () => require('${wayTo(module, entry)}'), module)\n`
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
  const lines = `Object.defineProperty(${name}, 'default', { value: ${name} });\nexport { ${name} as "module.exports" };\n`
  await appendFile(file, lines)
}

async function write(file: string, text: string): Promise<void> {
  const to = path.join(commonjs, file)
  await mkdir(path.dirname(to), { recursive: true })
  await writeFile(to, text)
}
