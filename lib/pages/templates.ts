import { loadOnce } from '../awaitable.js'

/** The templates of `views/`. */
export interface Templates {
  /**
   * Renders a page by its name. Templates escape all data, except templates of plain text, whose names end in `.txt`.
   */
  render(page: string, data: object): string
  /** A text as templates print it. */
  escape(text: string): string
}

/** Templates of the application in place of ours, by name without the ending: `signin`, `partials/email`, `page` for the stylesheet. */
export type ReplacedTemplates = Readonly<Record<string, string>>

/**
 * The templates of `views/`, loaded and compiled at the first call and kept for the process.
 *
 * Eta is loaded here because an application that has pages of its own never needs it.
 */
export const loadTemplates = (replaced?: ReplacedTemplates): Promise<Templates> =>
  replaced === undefined ? loadBuiltIn() : compile(replaced)

const loadBuiltIn = loadOnce(() => compile({}))

async function compile(replaced: ReplacedTemplates): Promise<Templates> {
  // The core of Eta cannot read files: a template can only be one of those loaded below.
  const { Eta } = await import('eta/core')
  const eta = new Eta({ autoEscape: true, cache: true, rmWhitespace: true })
  const plain = new Eta({ autoEscape: false, cache: true, autoTrim: false })
  const engineOf = (name: string) => (name.endsWith('.txt') ? plain : eta)
  const { readTemplates } = await import('./assets.js')
  for (const [file, text] of Object.entries(await readTemplates())) {
    const name = file.slice(0, -4)
    const own = Object.hasOwn(replaced, name) ? replaced[name] : undefined
    engineOf(name).loadTemplate(`@${name}`, own ?? (file.endsWith('.css') ? compact(text) : text))
  }
  return {
    render: (page, data) => engineOf(page).render(`@${page}`, data),
    escape: (text) => eta.config.escapeFunction(text),
  }
}

/** A stylesheet without its comments and line breaks. */
const compact = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .trim()
