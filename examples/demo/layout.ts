import { readFileSync } from 'node:fs'
import { type Response, Router } from 'express'
import { type Html, html } from './html.js'

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8')

/** Serves what every page of a site needs: the style sheet, and the site's icon, which is its logo, too. */
export function assets(site: Page['site']): Router {
  return Router()
    .get('/style.css', (_req, res) => {
      res.type('css').set('cache-control', 'no-cache').send(STYLE)
    })
    .get(['/favicon.ico', '/logo.svg'], (_req, res) => {
      res.type('svg').send(favicon(site).text)
    })
}

/** The headers and the HTML of a page. A page loads style sheets, and the script for passkeys if it has them. */
export function renderPage({ formTargets = ["'self'"], frames = ["'none'"], ...page }: Page): {
  headers: Record<string, string>
  text: string
} {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ...(page.hasPasskeys ? ["script-src 'self'", "connect-src 'self'"] : []),
    "img-src 'self'",
    `frame-src ${frames.join(' ')}`,
    `form-action ${formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  }
  return { headers, text: layout(page).text }
}

/** Sends a page. */
export function sendPage(res: Response, page: Page & { readonly status?: number }): void {
  const { headers, text } = renderPage(page)
  res
    .status(page.status ?? 200)
    .set(headers)
    .send(text)
}

export interface Page {
  readonly title: string
  /** The site of the page: the application, or the identity provider. */
  readonly site: 'app' | 'provider'
  readonly body: Html
  /** The right end of the bar at the top. */
  readonly corner?: Html
  /** Where the forms may lead. Chrome also checks every redirect that answers a form. */
  readonly formTargets?: readonly string[]
  /** What the frames may show. Nothing by default. */
  readonly frames?: readonly string[]
  /** Whether it needs the script and the style sheet of Latchkey. */
  readonly hasPasskeys?: boolean
}

const NAMES = { app: 'Paper Boats', provider: 'Harbour ID' }

const layout = ({
  title,
  site,
  body,
  corner,
  hasPasskeys,
}: Omit<Page, 'formTargets' | 'frames'>) => html`<!doctype html>
<html lang="en" class="${site}">
<head>
  <meta charset="utf-8">
  <title>${title} · ${NAMES[site]}</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <link rel="stylesheet" href="/style.css">
  ${hasPasskeys ? html`<link rel="stylesheet" href="/auth/assets/pages.css"><script src="/auth/assets/passkey-buttons.js" defer></script>` : ''}
</head>
<body>
  <header class="bar">
    ${site === 'app' ? html`<a class="brand" href="/">${mark(site)}${NAMES[site]}</a>` : html`<span class="brand">${mark(site)}${NAMES[site]}</span>`}
    ${corner ?? ''}
  </header>
  <main>${body}</main>
</body>
</html>
`

const MARKS = {
  app: { colour: '#0f6b5c', paths: html`<path d="M3 14h18l-3 5H6z"/><path d="M12 14V4l6.5 10"/>` },
  provider: {
    colour: '#3f4aa8',
    paths: html`<circle cx="12" cy="5" r="2"/><path d="M12 7v13M5 13c0 4 3 7 7 7s7-3 7-7M9 10h6"/>`,
  },
}

const mark = (site: Page['site']) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${MARKS[site].paths}</svg>`

const favicon = (site: Page['site']) =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-3 -3 30 30"><rect x="-3" y="-3" width="30" height="30" rx="8" fill="${MARKS[site].colour}"/><g fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${MARKS[site].paths}</g></svg>`
