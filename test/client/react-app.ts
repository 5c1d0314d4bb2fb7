import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Express } from 'express'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { SessionProvider } from '../../lib/client/react/index.js'
import { type AuthConfig, getSession } from '../../lib/index.js'
import { VisitorLine } from './react-visitor.js'

const ENTRY = fileURLToPath(new URL('react-page.ts', import.meta.url))

let bundled: Promise<string> | undefined

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'esm',
    write: false,
    // React runs effects twice in strict mode only here.
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return outputFiles[0]?.text ?? ''
}

const page = (html: string) => `<!doctype html><html lang="en"><title>A React application</title>
<div id="root">${html}</div><script type="module" src="/react.js"></script>`

/** A React application: pages that the browser renders at `/react…`, and one that the server renders at `/rendered`. */
export const serveReactApp = (config: AuthConfig) => (app: Express) => {
  app.get('/react.js', async (_req, res) => {
    bundled ??= bundle()
    res.type('js').send(await bundled)
  })
  app.get(['/react', '/react/:page'], (_req, res) => {
    res.type('html').send(page(''))
  })
  app.get('/rendered', async (req, res) => {
    const session = await getSession(req, config)
    const children = [createElement(VisitorLine, { key: 'visitor' })]
    const html = renderToString(createElement(SessionProvider, { session }, children))
    res.type('html').send(`${page(html)}<script>window.session = ${JSON.stringify(session)}</script>`)
  })
}
