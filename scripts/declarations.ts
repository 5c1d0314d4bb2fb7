/**
 * Joins the declarations of `dist/`: one file for each entry of package.json, and a few in `dist/types/` that entries have in
 * common. Comments stay, since editors show them. It runs after `tsc`, which writes a file for each module.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

type Target = string | { readonly [condition: string]: Target }

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = path.join(root, 'dist')

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
  const { exports } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { exports: Target }
  return declarations.filter((file) =>
    targetsOf(exports).some((target) => {
      const [before = '', after] = target.slice('./dist/'.length).split('*')
      return after === undefined ? file === before : file.startsWith(before) && file.endsWith(after)
    }),
  )
}

/** The files of the condition `types`, without those of `require`, which `commonjs.ts` makes. */
function targetsOf(target: Target): string[] {
  if (typeof target === 'string') return target.endsWith('.d.ts') ? [target] : []
  return Object.entries(target).flatMap(([name, value]) => (name === 'require' ? [] : targetsOf(value)))
}
