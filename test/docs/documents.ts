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

/** All but the pages that `npm run docs` makes. */
export function documents(): Document[] {
  const below = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/node_modules|^providers\//.test(name))
      .map((name) => `${folder}/${name}`)
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  return [...atRoot, ...below('docs'), ...below('examples')].map((path) => ({ path, text: readText(path) }))
}

const SNIPPET = /(?:<!-- snippet: with ([\w, ]+) -->\n)?^```ts\n(.*?)^```$/gms

/** A block of TypeScript in a document. */
export interface Snippet {
  /** Path of the document, from the root. */
  readonly path: string
  /** Where it begins. */
  readonly line: number
  /** Names that the block stands on and does not declare. */
  readonly names: readonly string[]
  readonly code: string
}

export const snippets = (from = documents()): Snippet[] =>
  from.flatMap(({ path, text }) =>
    [...text.matchAll(SNIPPET)].map(({ 1: names, 2: code = '', index }) => ({
      path,
      line: text.slice(0, index).split('\n').length,
      names: names?.split(/, */) ?? [],
      code,
    })),
  )

const JSX_SNIPPET = /<!-- snippet -->\n```tsx\n(.*?)^```$/gms

/** The blocks with JSX of React that stand on nothing but packages. A comment marks them. */
export const jsxSnippets = (): Snippet[] =>
  documents().flatMap(({ path, text }) =>
    [...text.matchAll(JSX_SNIPPET)].map(({ 1: code = '', index }) => ({
      path,
      line: text.slice(0, index).split('\n').length + 1,
      names: [],
      code,
    })),
  )

/** Names that a block may stand on: `<!-- snippet: with req, res -->` before it declares them. */
const AMBIENT: Record<string, string> = {
  app: "import('express').Express",
  req: "import('express').Request",
  res: "import('express').Response",
  guard: "import('latchkey/qwik').QwikHandler",
  event: "import('latchkey/solid-start').SolidEvent",
  config: "import('latchkey').AuthConfig",
  log: "Record<'error' | 'warn' | 'info' | 'debug', (data: object, message?: string) => void>",
  winstonLog: "Record<'error' | 'warn' | 'info' | 'debug', (message: string, data?: object) => void>",
  tenants: "Map<string, import('latchkey').AuthConfig> & { default: import('latchkey').AuthConfig }",
  users: '{ find(name: unknown, password: unknown): Promise<{ id: string; name: string } | null> }',
}

/** Declares the names that a block stands on, in one line: a complaint then counts lines from the block's own first. */
export const declarationsFor = (names: readonly string[]): string =>
  names.map((name) => `declare const ${name}: ${AMBIENT[name]};`).join(' ')

/** For a `tsconfig.json` two folders down: what the package exports, as it lies in lib/. */
export function exportedPaths(): Record<string, string[]> {
  const { exports } = JSON.parse(readText('package.json')) as { exports: Record<string, string | { default: string }> }
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string'
        ? []
        : [[name.replace('.', 'latchkey'), [target.default.replace('./dist/', '../../lib/').replace(/js$/, 'ts')]]],
    ),
  )
}
