import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A document for readers: the ones at the root, and all of docs/ and examples/. */
export interface Document {
  /** Path from the root. */
  readonly path: string
  readonly text: string
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

export function documents(): Document[] {
  const below = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`)
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  return [...atRoot, ...below('docs'), ...below('examples')].map((path) => ({ path, text: readText(path) }))
}
