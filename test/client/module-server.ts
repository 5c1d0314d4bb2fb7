import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Express } from 'express'

const ENTRY = fileURLToPath(new URL('../../lib/client/index.ts', import.meta.url))

const PAGE = `<!doctype html><html lang="en"><title>An app's own page</title>
<script type="module">window.client = await import('/client.js')</script>
<h1>An app's own page</h1>`

let bundled: Promise<string> | undefined

/** `latchkey/client` as a bundler makes it for an application, once for all suites. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({ entryPoints: [ENTRY], bundle: true, format: 'esm', write: false })
  return outputFiles[0]?.text ?? ''
}

/** Pages of an application's own at `/own…`, with `latchkey/client` as `window.client`. */
export function serveClientModules(app: Express): void {
  app.get('/client.js', async (_req, res) => {
    bundled ??= bundle()
    res.type('js').send(await bundled)
  })
  app.get(['/own', '/own/:page'], (_req, res) => {
    res.type('html').send(PAGE)
  })
}
