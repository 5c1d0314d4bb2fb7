/**
 * Joins the compiled modules of `dist/` into a few files: an application would wait a tenth of a second for 140 small ones at each start. What package.json
 * exports stays where it is, and what several of those files use goes into `dist/chunks/`. The client's modules stay as they are, since browsers are
 * handed them.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = path.join(root, 'dist')

/** Compiled modules that are no part of the client, by path from `dist/`. */
const modules = (await readdir(dist, { recursive: true }))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.js') && !file.startsWith('client/'))

const { outputFiles } = await build({
  absWorkingDir: dist,
  entryPoints: await entries(),
  outdir: dist,
  allowOverwrite: true,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  chunkNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
})

await Promise.all(modules.map((file) => rm(path.join(dist, file))))
for (const { path: file, contents } of outputFiles) {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, contents)
}
console.log(`${modules.length} modules joined into ${outputFiles.length} files`)

/** The modules that package.json names, with every one that a pattern stands for. */
async function entries(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Manifest
  const targets = [
    ...Object.values(manifest.exports).map((target) => (typeof target === 'string' ? target : target.default)),
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
