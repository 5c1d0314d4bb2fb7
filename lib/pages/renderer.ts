import { randomToken } from '../crypto/random.js'
import { createPageHeaders } from './page-headers.js'
import { loadScript } from './served-script.js'
import { loadTemplates } from './templates.js'
import { resolveTheme, type Theme } from './theme.js'
import type { PageView } from './view.js'

/** A page, ready to be sent with the status of its view. */
export interface RenderedPage {
  readonly html: string
  /** Content type, caching and everything that confines the page; cookies are not among them. */
  readonly headers: Record<string, string>
}

/** Turns views into pages. */
export interface PageRenderer {
  /** The page of a view, with a nonce of its own: it must not be sent twice. */
  render(view: PageView): Promise<RenderedPage>
}

/** What the pages need of the configuration. */
export interface PageSettings {
  readonly theme: Theme
}

/** Makes the renderer of the built-in pages. Nothing is loaded before the first page. */
export function createPageRenderer({ theme }: PageSettings): PageRenderer {
  const look = resolveTheme(theme)
  const prepare = async () => ({ template: await loadTemplates(), headers: await createPageHeaders(look) })
  let prepared: ReturnType<typeof prepare> | undefined
  return {
    async render(view) {
      prepared ??= prepare().catch((error: unknown) => {
        prepared = undefined
        throw error
      })
      const { template, headers } = await prepared
      const nonce = randomToken(16)
      const script = await scriptUrl(view)
      return { html: template(view.page, { ...view, theme: look, nonce, script }), headers: headers(view, nonce) }
    },
  }
}

/** URL of the script that a page loads; null for a page without one. */
async function scriptUrl(view: PageView): Promise<string | null> {
  if (view.page !== 'signin' || view.scriptMount === null) return null
  return `${view.scriptMount}/${(await loadScript()).path}`
}
