import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entries } from './api.js'
import { API, PAGES, ROOT } from './places.js'

/** Documents at the root of the repository, with their place on the site. */
const AT_ROOT: Readonly<Record<string, string>> = {
  'README.md': 'overview.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security-policy.md',
  'examples/README.md': 'examples.md',
}

const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)/g

/** Each document, by its path from the root, with its place on the site. */
function places(): Map<string, string> {
  const below = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  return new Map([
    ...Object.entries(AT_ROOT),
    ...below.map((name): [string, string] => [`docs/${name}`, name.replace(/(^|\/)README\.md$/, '$1index.md')]),
  ])
}

/**
 * Writes what VitePress reads: the documents as they are in the repository, with links that work on the site. A link to a
 * file that is no page, such as a source file, becomes its text. A snippet's comment is for the tests, and goes.
 */
export function writePages(): void {
  const all = places()
  const folders = new Map([...all].flatMap(([from, to]) => (to.endsWith('index.md') ? [[dirname(from), to]] : [])))
  for (const [from, to] of all) {
    const text = readFileSync(ROOT + from, 'utf8')
      .replaceAll(/^<!-- .*? -->\n/gm, '')
      .replaceAll(LINK, (_link, mark: string, words: string, target: string, anchor = '') => {
        if (target === '') return `${mark}[${words}](${anchor})`
        const file = join(dirname(from), target).replace(/\/$/, '')
        if (mark) return `![${words}](/${file.replace(/^docs\//, '')})`
        const page = all.get(file) ?? folders.get(file)
        return page === undefined ? words : `[${words}](/${page}${anchor})`
      })
    write(to, text)
  }
  cpSync(`${ROOT}docs/images`, `${PAGES}public/images`, { recursive: true })
  write('api/index.md', indexOfReference())
}

function write(page: string, text: string): void {
  mkdirSync(dirname(PAGES + page), { recursive: true })
  writeFileSync(PAGES + page, text)
}

/** Pages of the API reference, by what they describe. TypeDoc gives a page another name than its entry where two would collide. */
export const pagesOfReference = (): Map<string, string> =>
  new Map(
    readdirSync(API, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => [/^# (.+)$/m.exec(readFileSync(API + name, 'utf8'))?.[1] ?? name, `api/${name}`]),
  )

function indexOfReference(): string {
  const pages = pagesOfReference()
  return [
    '# API reference',
    '',
    'Everything that the package exports, by the name under which an application imports it. The texts are the comments of',
    'the source.',
    '',
    ...[...entries().keys()].map((name) => `- [\`${name}\`](/${pages.get(name) ?? ''})`),
    '',
  ].join('\n')
}
