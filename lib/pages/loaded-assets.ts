import { createHash } from 'node:crypto'
import type { PasskeyTexts } from '../client/passkeys.js'
import { loadOnce } from '../kernel/awaitable.js'
import { ownMember } from '../kernel/objects.js'
import type { ProviderMarks } from './provider-mark.js'

/** The templates of `views/`. */
interface Templates {
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
    const own = ownMember(replaced, name)
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

/** The marks of `views/marks.json`, loaded at the first call and kept for the process, as the templates are. */
export const loadMarks: () => Promise<ProviderMarks> = loadOnce(async () => {
  const { readMarks } = await import('./assets.js')
  return readMarks()
})

/** The script of the sign-in page. */
interface ServedScript {
  /** Path under the mount, with the hash of the source in it: `assets/passkey.{hash}.js`. */
  readonly path: string
  readonly source: string
}

/** The script, loaded at the first call and kept for the process. */
export const loadScript: () => Promise<ServedScript> = loadOnce(async () => {
  const { readScript } = await import('./assets.js')
  const source = await readScript()
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 22)
  return { path: `assets/passkey.${hash}.js`, source }
})

/** The same script for passkey buttons of any page, with what they say. */
export async function buttonsScript(texts: PasskeyTexts): Promise<string> {
  // In a block, so that the page does not get the name.
  return `{const PASSKEY_TEXTS=${JSON.stringify(texts)};\n${(await loadScript()).source}}\n`
}

/** Its path under the mount. It has no hash: the application writes it into its pages. */
export const BUTTONS_PATH = /^\/assets\/passkey-buttons\.js$/

export const buttonsScriptUrl = (mountUrl: string): string => `${mountUrl}/assets/passkey-buttons.js`

/** Path of the script of the sign-in page under the mount, in this version or another. */
export const SCRIPT_PATH = /^\/assets\/passkey\.[\w-]{1,64}\.js$/
