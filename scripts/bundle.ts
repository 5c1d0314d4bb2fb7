/**
 * Joins the compiled modules of `dist/` into a few files: an application would wait a tenth of a second for 140 small
 * ones at each start. What package.json exports stays where it is. What `latchkey` itself has in common with its other
 * entries, or with the parts that it loads later, goes into `dist/chunks/common.js`, so that `import 'latchkey'` opens
 * two files. What the later parts have in common goes into `dist/chunks/later.js`. The client's modules stay
 * files of their own; only `@simplewebauthn/browser` is put into the one that needs it.
 *
 * Nothing in `dist/` reads a file: templates, marks and the script of the sign-in page are put into one module, the texts
 * of each language into another, and `cookie` too, so that any bundler can carry the package (docs/decisions/19-package.md).
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { readMarks, readScript, readTemplates } from '../lib/pages/assets.js'
import { dist, expanded, filesOf, readManifest } from './exports.js'
import { LICENSES } from './licenses.js'

/** A file that several outputs import. Its name stands in them for its path, which depends on where they are. */
interface Shared {
  readonly name: string
  readonly file: string
  /** By path from `dist/`. */
  readonly modules: ReadonlySet<string>
}

const MAIN = 'index.js'
const ASSETS = 'pages/assets.js'

const compiled = (await readdir(dist, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
/** The compiled modules that do not belong to the client, as paths from `dist/`. */
const modules = compiled.filter((file) => file.endsWith('.js') && !file.startsWith('client/'))
/** What the modules import beside modules: the texts of the pages. */
const texts = compiled.filter((file) => file.endsWith('.json'))

/** The line with which esbuild says from which module the next lines are. */
const ORIGIN = /^\/\/ [\w./-]+\.js\n/gm

/** Docstrings. The declarations have them, and esbuild would leave those in classes and objects. */
const DOCSTRING = /^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm
for (const file of modules) {
  const to = path.join(dist, file)
  await writeFile(to, (await readFile(to, 'utf8')).replace(DOCSTRING, ''))
}

const options = {
  absWorkingDir: dist,
  outdir: dist,
  allowOverwrite: true,
  write: false,
  bundle: true,
  splitting: true,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'warning',
} as const satisfies BuildOptions

const assets = await assetsModule()
const entryPoints = await entries()
const shared = sharedOf(
  (await build({ ...options, entryPoints, plugins: [includeCookie(), includeAssets(), leaveKeysOut()] })).metafile,
)
for (const one of shared) await checkNames(one)
const { outputFiles } = await build({
  ...options,
  entryPoints: [
    ...entryPoints.map((file) => ({ in: file, out: file.slice(0, -3) })),
    ...shared.map(({ name, file }) => ({ in: name, out: file.slice(0, -3) })),
  ],
  plugins: [includeCookie(), includeAssets(), leaveKeysOut(), share()],
})

await Promise.all([...modules, ...texts].map((file) => rm(path.join(dist, file))))
for (const { path: file, text } of outputFiles) {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, withPaths(file, text))
}
await joinClient()
console.log(`${modules.length} modules joined into ${outputFiles.length} files`)

/** The modules that package.json exports, with every module that matches a pattern. */
async function entries(): Promise<string[]> {
  const { bin, exports } = await readManifest()
  // Once each: esbuild would take a file that is named twice for two entries, and put their code into a third.
  // `commonjs.ts` makes the files for `require`.
  const targets = new Set([...filesOf(exports, ['types', 'require']), ...Object.values(bin)])
  return [...targets]
    .filter((target) => target.startsWith('./dist/') && !target.startsWith('./dist/client/'))
    .flatMap((target) => expanded(target.slice('./dist/'.length), modules))
}

/**
 * The modules that go into shared files: those that the main entry loads at once and something else needs, too, and
 * those that several of the parts need that are loaded later.
 *
 * @throws {Error} when an entry is among them: there would be two of it
 */
function sharedOf({ inputs }: Metafile): readonly Shared[] {
  const importsOf = (file: string, isLater: boolean) =>
    (inputs[file]?.imports ?? [])
      .filter(({ kind, external }) => !external && (kind === 'dynamic-import') === isLater)
      .map(({ path }) => path)
  const reached = (entry: string, found = new Set<string>()): Set<string> => {
    if (found.has(entry)) return found
    found.add(entry)
    for (const file of importsOf(entry, false)) reached(file, found)
    return found
  }
  const later = new Set(Object.keys(inputs).flatMap((file) => importsOf(file, true)))
  const atOnce = reached(MAIN)
  const others = [...entryPoints.filter((file) => file !== MAIN), ...later].map((file) => reached(file))
  const users = (file: string) => others.filter((each) => each.has(file)).length
  const own = Object.keys(inputs).filter((file) => file.endsWith('.js') && !file.startsWith('../') && file !== ASSETS)
  const common = new Set(own.filter((file) => atOnce.has(file) && users(file) > 0))
  const ofLater = new Set(
    own.filter((file) => !atOnce.has(file) && users(file) > 1 && [...later].some((each) => reached(each).has(file))),
  )
  for (const entry of entryPoints) {
    if (common.has(entry) || ofLater.has(entry)) throw new Error(`The entry ${entry} is part of another one.`)
  }
  return [
    { name: 'latchkey:common', file: 'chunks/common.js', modules: common },
    { name: 'latchkey:later', file: 'chunks/later.js', modules: ofLater },
  ]
}

/**
 * Refuses modules of one file that export the same name: `export *` would leave that name out without a word.
 *
 * @throws {Error} with the name and the modules
 */
async function checkNames({ modules: joined }: Shared): Promise<void> {
  const homes = new Map<string, string>()
  for (const file of joined) {
    const text = await readFile(path.join(dist, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)) {
      const home = homes.get(name)
      if (home !== undefined) throw new Error(`Both ${home} and ${file} export ${name}. Rename one of them.`)
      homes.set(name, file)
    }
  }
}

/** Leaves the shared modules to their file, which exports all that they export. */
function share(): Plugin {
  const homeOf = (file: string) => shared.find(({ modules }) => modules.has(fromDist(file)))
  return {
    name: 'share',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^latchkey:/ }, ({ path }) => ({ path, namespace: 'latchkey' }))
      onLoad({ filter: /./, namespace: 'latchkey' }, ({ path }) => ({
        contents: [...(shared.find(({ name }) => name === path)?.modules ?? [])]
          .map((file) => `export * from './${file}'`)
          .join('\n'),
        resolveDir: dist,
      }))
      onResolve({ filter: /^\.\.?\// }, async ({ path: wanted, importer, namespace, resolveDir, kind, pluginData }) => {
        if (pluginData === 'found' || namespace === 'latchkey') return null
        const found = await resolve(wanted, { importer, resolveDir, kind, pluginData: 'found' })
        const home = homeOf(found.path)
        return home && home !== homeOf(importer) ? { path: home.name, external: true } : found
      })
    },
  }
}

/** The path from `dist/`, in the form that esbuild's lists have. */
function fromDist(file: string): string {
  return path.relative(dist, file).replaceAll('\\', '/')
}

/** An output with the paths of the shared files for their names. */
function withPaths(output: string, text: string): string {
  return shared.reduce(
    (text, { name, file }) => {
      const way = path.relative(path.dirname(output), path.join(dist, file)).replaceAll('\\', '/')
      return text.replaceAll(`"${name}"`, JSON.stringify(way.startsWith('.') ? way : `./${way}`))
    },
    text.replace(ORIGIN, ''),
  )
}

/** Puts the one package in that is no ES module: importing it, Node would parse it in search of what it exports. */
function includeCookie(): Plugin {
  const file = createRequire(import.meta.url).resolve('cookie')
  return {
    name: 'include-cookie',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^cookie$/ }, () => ({ path: file }))
      onLoad({ filter: /[\\/]cookie[\\/]dist[\\/]index\.js$/ }, async ({ path }) => ({
        contents: `/*! cookie (MIT License, https://github.com/jshttp/cookie): latchkey/dist/${LICENSES} */\n${await readFile(path, 'utf8')}`,
      }))
    },
  }
}

/**
 * Writes the client's modules as esbuild writes modules, and puts `@simplewebauthn/browser` into the one that needs it: a
 * bundler fails if an imported package is not installed, even if the application has no passkeys. All stay files of their
 * own, so that each has one copy of its classes.
 */
async function joinClient(): Promise<void> {
  await build({
    absWorkingDir: dist,
    // Not those that only refuse: esbuild would leave `export {}` out, and bundlers would take them for CommonJS.
    entryPoints: compiled.filter((file) => /^client\/(?!import-|latchkey-).*\.js$/.test(file)),
    outdir: dist,
    outbase: dist,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    legalComments: 'inline',
    plugins: [leaveOthers(), nameLicense()],
    logLevel: 'warning',
  })
}

/** Says in the module with `@simplewebauthn/browser` where its license is. */
function nameLicense(): Plugin {
  return {
    name: 'name-license',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]client[\\/]passkeys\.js$/ }, async ({ path }) => ({
        contents: `/*! with @simplewebauthn/browser (MIT License, https://github.com/MasterKale/SimpleWebAuthn): latchkey/dist/${LICENSES} */\n${await readFile(path, 'utf8')}`,
      }))
    },
  }
}

/** Leaves React, and the modules of the client, where they are. */
function leaveOthers(): Plugin {
  return {
    name: 'leave-others',
    setup({ onResolve }) {
      onResolve({ filter: /^(?:\.|react$)/ }, ({ path: wanted, importer }) =>
        fromDist(importer).startsWith('client/') ? { path: wanted, external: true } : null,
      )
    },
  }
}

/** Takes the module that has the assets in it for the one that reads them from a checkout. */
function includeAssets(): Plugin {
  return {
    name: 'include-assets',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]pages[\\/]assets\.js$/ }, () => ({ contents: assets }))
    },
  }
}

/** A language gets its texts alone: the keys are those of English, in the same order. */
function leaveKeysOut(): Plugin {
  return {
    name: 'leave-keys-out',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]texts[\\/][\w-]+\.json$/ }, async ({ path: file }) => {
        if (path.basename(file) === 'en.json') return null
        const keysIn = (texts: object) => Object.keys(texts).join()
        const texts = JSON.parse(await readFile(file, 'utf8')) as object
        const english = JSON.parse(await readFile(path.join(path.dirname(file), 'en.json'), 'utf8')) as object
        if (keysIn(texts) !== keysIn(english))
          throw new Error(`${file} has other keys than en.json, or in another order.`)
        const contents = `import { ENGLISH } from './text.js'
const texts = ${JSON.stringify(Object.values(texts))}
export default Object.fromEntries(Object.keys(ENGLISH).map((key, index) => [key, texts[index]]))`
        return { contents, resolveDir: path.dirname(file) }
      })
    },
  }
}

/** The module with all texts of the pages: what lib/pages/assets.ts exports. */
async function assetsModule(): Promise<string> {
  const texts = {
    readTemplates: await readTemplates(),
    readMarks: await readMarks(),
    readScript: await readScript(),
  }
  return Object.entries(texts)
    .map(([name, value]) => `export const ${name} = async () => (${JSON.stringify(value)})`)
    .join('\n')
}
