import { readdir, readFile } from 'node:fs/promises'

/** Renders a page by its name; templates escape all data they print. */
export type RenderTemplate = (page: string, data: object) => string

const VIEWS = new URL('../../views/', import.meta.url)

let compiled: Promise<RenderTemplate> | undefined

/**
 * The templates of `views/`, read and compiled at the first call and kept for the process.
 *
 * Eta is loaded here because an application that has pages of its own never needs it.
 */
export function loadTemplates(): Promise<RenderTemplate> {
  compiled ??= compile().catch((error: unknown) => {
    compiled = undefined
    throw error
  })
  return compiled
}

async function compile(): Promise<RenderTemplate> {
  // The core of Eta cannot read files: a template can only be one of those loaded below.
  const { Eta } = await import('eta/core')
  const eta = new Eta({ autoEscape: true, cache: true, rmWhitespace: true })
  const files = (await readdir(VIEWS, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  await Promise.all(
    files.map(async (file) => {
      const extension = /\.(eta|css)$/.exec(file)?.[1]
      if (!extension) return
      const text = await readFile(new URL(file, VIEWS), 'utf8')
      eta.loadTemplate(`@${file.slice(0, -4)}`, extension === 'css' ? compact(text) : text)
    }),
  )
  return (page, data) => eta.render(`@${page}`, data)
}

/** A stylesheet without its comments and line breaks. */
const compact = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .trim()
