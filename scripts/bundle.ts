/**
 * Joins the compiled modules of `dist/` into a few files. An application would wait a tenth of a second for 140 small
 * files at each start. The files that package.json exports stay in their places. The modules that `latchkey` itself shares
 * with its other entries go into one file, `dist/chunks/common.js`, so `import 'latchkey'` opens two files. The modules
 * that only other entries share go into a file beside it. The modules of the client stay as they are, because browsers get
 * these files.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/** A placeholder in outputs for the path of the common file. The path depends on the folder of the output. */
const COMMON = 'latchkey:common'
const COMMON_FILE = 'chunks/common.js'
const MAIN = 'index.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = path.join(root, 'dist')

/** The compiled modules that do not belong to the client, as paths from `dist/`. */
const modules = (await readdir(dist, { recursive: true }))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.js') && !file.startsWith('client/'))

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
  logLevel: 'warning',
} as const satisfies BuildOptions

const entryPoints = await entries()
const common = commonOf((await build({ ...options, entryPoints })).metafile)
const { outputFiles } = await build({
  ...options,
  entryPoints: [
    ...entryPoints.map((file) => ({ in: file, out: file.slice(0, -3) })),
    { in: COMMON, out: COMMON_FILE.slice(0, -3) },
  ],
  plugins: [requireCookie(), shareCommon()],
})

await Promise.all(modules.map((file) => rm(path.join(dist, file))))
for (const { path: file, text } of outputFiles) {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text.replaceAll(`"${COMMON}"`, JSON.stringify(pathToCommon(file))))
}
console.log(`${modules.length} modules joined into ${outputFiles.length} files`)

/** The modules that package.json exports, with every module that matches a pattern. */
async function entries(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Manifest
  const targets = [
    ...Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? target : targetsOf(target))),
    ...Object.values(manifest.bin),
  ]
  return targets
    .filter((target) => target.startsWith('./dist/') && !target.startsWith('./dist/client/'))
    .flatMap((target) => {
      const [before = '', after] = target.slice('./dist/'.length).split('*')
      if (after === undefined) return [before]
      return modules.filter((file) => file.startsWith(before) && file.endsWith(after))
    })
}

/** The files of an export, one for each condition. */
function targetsOf({ types: _, ...files }: Readonly<Record<string, string>>): string[] {
  return Object.values(files)
}

/**
 * The modules that the main entry shares with any other entry.
 *
 * @throws {Error} if another entry is among them, because the package would have it twice
 */
function commonOf({ inputs }: Metafile): ReadonlySet<string> {
  const reached = (entry: string, found = new Set<string>()): Set<string> => {
    if (found.has(entry)) return found
    found.add(entry)
    for (const { path, external } of inputs[entry]?.imports ?? []) if (!external) reached(path, found)
    return found
  }
  const others = entryPoints.filter((file) => file !== MAIN)
  const ofOthers = new Set(others.flatMap((entry) => [...reached(entry)]))
  const both = new Set([...reached(MAIN)].filter((file) => ofOthers.has(file)))
  for (const entry of entryPoints) if (both.has(entry)) throw new Error(`The entry ${entry} is part of another one.`)
  return both
}

/** Replaces imports of common modules by imports of the common file, which has all of their exports. */
function shareCommon(): Plugin {
  return {
    name: 'share-common',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: new RegExp(`^${COMMON}$`) }, () => ({ path: COMMON, namespace: 'latchkey' }))
      onLoad({ filter: /./, namespace: 'latchkey' }, () => ({
        contents: [...common].map((file) => `export * from './${file}'`).join('\n'),
        resolveDir: dist,
      }))
      onResolve({ filter: /^\.\.?\// }, async ({ path: wanted, importer, namespace, resolveDir, kind, pluginData }) => {
        if (pluginData === 'found' || namespace === 'latchkey' || common.has(fromDist(importer))) return null
        const found = await resolve(wanted, { importer, resolveDir, kind, pluginData: 'found' })
        return common.has(fromDist(found.path)) ? { path: COMMON, external: true } : found
      })
    },
  }
}

/** The path from `dist/`, in the form that esbuild's lists have. */
function fromDist(file: string): string {
  return path.relative(dist, file).replaceAll('\\', '/')
}

/** Requires the only package that is no ES module. To import it, Node would parse it for its exports, which takes some milliseconds. */
function requireCookie(): Plugin {
  return {
    name: 'require-cookie',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^cookie$/ }, () => ({ path: 'cookie', namespace: 'required' }))
      onLoad({ filter: /./, namespace: 'required' }, () => ({
        contents: `import { createRequire } from 'node:module'
          export const { parseCookie, stringifySetCookie } = createRequire(import.meta.url)('cookie')`,
      }))
    },
  }
}

function pathToCommon(file: string): string {
  const way = path.relative(path.dirname(file), path.join(dist, COMMON_FILE)).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}
