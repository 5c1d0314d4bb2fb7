/** What package.json exports, for the scripts of the build. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The file of an export, or targets by condition. */
export type Target = string | { readonly [condition: string]: Target }

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Target
}

export const root = fileURLToPath(new URL('../', import.meta.url))
export const dist = path.join(root, 'dist')

export const readManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Manifest

/** The files that a target leads to, without those of some conditions. A file may be there twice. */
export function filesOf(target: Target, without: readonly string[] = []): string[] {
  if (typeof target === 'string') return [target]
  return Object.entries(target).flatMap(([name, value]) => (without.includes(name) ? [] : filesOf(value, without)))
}

/** A file as package.json names it, or the files that fit its pattern. */
export function expanded(file: string, files: readonly string[]): readonly string[] {
  const [before = '', after] = file.split('*')
  if (after === undefined) return [file]
  return files.filter((each) => each.startsWith(before) && each.endsWith(after))
}
