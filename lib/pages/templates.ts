import { readdir, readFile } from 'node:fs/promises'
import { packageFile } from './package-file.js'

/** The templates of `views/`. */
export interface Templates {
  /**
   * Renders a page by its name. Templates escape all data, except templates of plain text, whose names end in `.txt`.
   */
  render(page: string, data: object): string
  /** A text as templates print it. */
  escape(text: string): string
}

let compiled: Promise<Templates> | undefined

/**
 * The templates of `views/`, read and compiled at the first call and kept for the process.
 *
 * Eta is loaded here because an application that has pages of its own never needs it.
 */
export function loadTemplates(): Promise<Templates> {
  compiled ??= compile().catch((error: unknown) => {
    compiled = undefined
    throw error
  })
  return compiled
}

async function compile(): Promise<Templates> {
  // The core of Eta cannot read files: a template can only be one of those loaded below.
  const { Eta } = await import('eta/core')
  const eta = new Eta({ autoEscape: true, cache: true, rmWhitespace: true })
  const plain = new Eta({ autoEscape: false, cache: true, autoTrim: false })
  const engineOf = (name: string) => (name.endsWith('.txt') ? plain : eta)
  const views = packageFile('views/')
  const files = (await readdir(views, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  await Promise.all(
    files.map(async (file) => {
      const extension = /\.(eta|css)$/.exec(file)?.[1]
      if (!extension) return
      const text = await readFile(new URL(file, views), 'utf8')
      const name = file.slice(0, -4)
      engineOf(name).loadTemplate(`@${name}`, extension === 'css' ? compact(text) : text)
    }),
  )
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
