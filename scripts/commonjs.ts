/**
 * Makes `dist/commonjs/` out of the built modules of `dist/`: the same code and the same types as CommonJS, for tools that
 * cannot load an ES module with `require`, like Jest, and for TypeScript with `"module": "node16"` or `"moduleResolution":
 * "node10"`. Node itself never opens these files: its condition `module-sync` leads `import` and `require` to the same ES
 * module, so that one process has one copy of every class (docs/decisions/19-package.md).
 *
 * It runs after `bundle.ts`, and also gives each provider's ES module the export `module.exports`, so that
 * `require('latchkey/providers/github')` is the function.
 */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { writeLicenses } from './licenses.js'

type Target = string | { readonly [condition: string]: Target }

interface Manifest {
  readonly exports: Target
}

/** Dependencies that are ES modules only. `dist/commonjs/` has a copy of each as CommonJS. */
const ES_MODULES = ['eta/core', 'jose', 'openid-client']
/** The packages whose code is in `dist/` now, through this script or `bundle.ts`. Their licenses must be there, too. */
const INCLUDED = ['cookie', '@simplewebauthn/browser', 'eta', 'jose', 'openid-client', 'oauth4webapi']
/** The last line of a provider's module: what `require` gives is the function itself, which has itself as `default`, too. */
const FUNCTION_LINE = `module.exports = Object.defineProperty(module.exports.default, 'default', { value: module.exports.default })
`

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = path.join(root, 'dist')
const commonjs = path.join(dist, 'commonjs')

const options = {
  absWorkingDir: dist,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  bundle: true,
  legalComments: 'inline',
  logLevel: 'warning',
} as const satisfies BuildOptions

const entries = await entriesOfCommonJs()
const providers = entries.filter((file) => file.startsWith('providers/') && file !== 'providers/index.js')

await transform(await reachedFrom(entries))
// Afterwards: the export `module.exports` is for the ES modules only, and would be a member of the CommonJS ones.
await exportFunctions()
await includeEsModules()
await copyDeclarations()
await writeFile(path.join(commonjs, 'package.json'), '{ "type": "commonjs" }\n')
await writeLicenses(dist, INCLUDED)

/** The modules with a file for the condition `require`, as paths from `dist/`, with every module that matches a pattern. */
async function entriesOfCommonJs(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Manifest
  const base = './dist/commonjs/'
  const targets = new Set(filesOf(manifest.exports).filter((file) => file.startsWith(base) && file.endsWith('.js')))
  const expanded = [...targets].map(async (target) => {
    const file = target.slice(base.length)
    if (!file.includes('*')) return [file]
    const folder = path.dirname(file)
    const files = await readdir(path.join(dist, folder))
    return files.filter((each) => each.endsWith('.js')).map((each) => `${folder}/${each}`)
  })
  return (await Promise.all(expanded)).flat()
}

/** Every file that conditions lead to. */
function filesOf(target: Target): string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf)
}

/** As {@link FUNCTION_LINE}, for the ES module of a provider, which Node loads for `require`, too. */
async function exportFunctions(): Promise<void> {
  for (const file of providers) {
    const text = await readFile(path.join(dist, file), 'utf8')
    const name = /(\w+) as default\b/.exec(text)?.[1]
    if (name === undefined) throw new Error(`${file} has no default that this script finds.`)
    const lines = `Object.defineProperty(${name}, 'default', { value: ${name} });\nexport { ${name} as 'module.exports' };\n`
    await appendFile(path.join(dist, file), lines)
  }
}

/** The modules that some modules import, at once or later, and these themselves. */
async function reachedFrom(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    ...options,
    entryPoints: [...files],
    outdir: commonjs,
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}

/** Writes each module as a CommonJS module of its own. `import()` becomes `require`, which is all that Jest has. */
async function transform(files: readonly string[]): Promise<void> {
  await build({
    ...options,
    entryPoints: [...files],
    outbase: dist,
    outdir: commonjs,
    supported: { 'dynamic-import': false },
    // lib/flows/webauthn/library.ts does without it, as in a bundle.
    logOverride: { 'empty-import-meta': 'silent' },
    plugins: [leaveImports()],
  })
  for (const file of providers) await appendFile(path.join(commonjs, file), FUNCTION_LINE)
}

/** Leaves every import as it is, except that {@link ES_MODULES} are imported from their copies. */
function leaveImports(): Plugin {
  return {
    name: 'leave-imports',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ kind, path: specifier, importer }) => {
        if (kind === 'entry-point') return null
        if (!ES_MODULES.includes(specifier)) return { path: specifier, external: true }
        const from = path.dirname(path.relative(dist, importer))
        const copy = path.posix.relative(from.replaceAll('\\', '/'), `dependencies/${copyOf(specifier)}.js`)
        return { path: copy.startsWith('.') ? copy : `./${copy}`, external: true }
      })
    },
  }
}

/** The name of a copy, without its ending: `eta/core` → `eta-core`. */
function copyOf(name: string): string {
  return name.replace('/', '-')
}

/** Writes the copies of {@link ES_MODULES}. The copy of openid-client uses that of jose. */
async function includeEsModules(): Promise<void> {
  await build({
    ...options,
    absWorkingDir: root,
    entryPoints: ES_MODULES.map((name) => ({ in: name, out: copyOf(name) })),
    outdir: path.join(commonjs, 'dependencies'),
    plugins: [
      {
        name: 'share-jose',
        setup({ onResolve }) {
          onResolve({ filter: /^jose$/ }, ({ kind }) =>
            kind === 'entry-point' ? null : { path: './jose.js', external: true },
          )
        },
      },
    ],
  })
}

/**
 * Copies the declarations: `package.json` makes CommonJS of them. Types of ES modules need the word that they are such, and
 * a provider is `module.exports`.
 */
async function copyDeclarations(): Promise<void> {
  const files = (await readdir(dist, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  for (const file of files) {
    if (!file.endsWith('.d.ts') || /^(commonjs|cli)\//.test(file)) continue
    const text = withResolutionMode(await readFile(path.join(dist, file), 'utf8'))
    const to = path.join(commonjs, file)
    await mkdir(path.dirname(to), { recursive: true })
    await writeFile(to, providers.includes(file.replace(/\.d\.ts$/, '.js')) ? withExportAssignment(file, text) : text)
  }
}

function withResolutionMode(declarations: string): string {
  return declarations
    .replace(
      /^((?:import|export) type .* from '(?:jose|openid-client)');$/gm,
      `$1 with { 'resolution-mode': 'import' };`,
    )
    .replace(/\bimport\('(jose|openid-client)'\)/g, `import('$1', { with: { 'resolution-mode': 'import' } })`)
}

/**
 * The declarations of a provider with `export =` for `export default`. What else they export becomes members of a namespace
 * with the name of the function: TypeScript takes the two for one.
 *
 * @throws {Error} when the default is not a function
 */
function withExportAssignment(file: string, declarations: string): string {
  const others = [...declarations.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, type]) => type)
  const text = declarations
    .replace(
      /^declare const _default: (.*);$/m,
      (_, type: string) => `export default function _default${signature(type)};`,
    )
    .replace(/^export default _default;\n/m, '')
    .replace(/^export (?=interface |type \w)/gm, '')
    .replace(/^export default function /m, 'declare function ')
  const name = /^declare function (\w+)/m.exec(text)?.[1]
  if (name === undefined) throw new Error(`${file} exports no function that this script finds.`)
  const members = [`${name} as default`, ...others].join(', ')
  return `${text}declare namespace ${name} {\n    export { ${members} };\n}\nexport = ${name};\n`
}

/** `(name: string) => number` → `(name: string): number`. */
function signature(type: string): string {
  let depth = 0
  for (const [index, character] of [...type].entries()) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth === 0) return `${type.slice(0, index + 1)}: ${type.slice(index + 1).replace(/^ => /, '')}`
  }
  throw new Error(`${type} is not the type of a function.`)
}
