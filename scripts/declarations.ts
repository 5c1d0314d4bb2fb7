/**
 * Joins the declarations of `dist/`: one file for each entry of package.json, and a few in `dist/types/` that entries have in
 * common. Comments stay, since editors show them. It runs after `tsc`, which writes a file for each module.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { dist, expanded, filesOf, readManifest } from './exports.js'

const compiled = (await readdir(dist, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
const declarations = compiled.filter((file) => file.endsWith('.d.ts'))
const entries = await declarationsOfEntries()

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((file) => [file.slice(0, -'.d.ts'.length), path.join(dist, file)])),
  external: (name) => !name.startsWith('.') && !path.isAbsolute(name),
  // The declarations are there, so the generator has nothing to do; this one needs no compiler.
  plugins: [dts({ dtsInput: true, emitDtsOnly: true, oxc: true, tsconfig: false })],
})
const { output } = await bundle.generate({
  format: 'es',
  entryFileNames: '[name].ts',
  chunkFileNames: 'types/[name].ts',
  minifyInternalExports: false,
})
await bundle.close()

await Promise.all(declarations.map((file) => rm(path.join(dist, file))))
for (const file of output) {
  const to = path.join(dist, file.fileName)
  await mkdir(path.dirname(to), { recursive: true })
  await writeFile(to, file.type === 'chunk' ? file.code : file.source)
}
console.log(`${declarations.length} declarations joined into ${output.length} files`)

/** The declarations that package.json names for ES modules, with all that match a pattern. */
async function declarationsOfEntries(): Promise<string[]> {
  const { exports } = await readManifest()
  // `commonjs.ts` makes the files for `require`.
  const targets = filesOf(exports, ['require']).filter((file) => file.endsWith('.d.ts'))
  const named = new Set(targets.flatMap((target) => expanded(target.slice('./dist/'.length), declarations)))
  return declarations.filter((file) => named.has(file))
}
