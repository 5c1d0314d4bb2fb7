import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadScript } from '../../lib/pages/loaded-assets.js'
import { createPageRenderer } from '../../lib/pages/renderer.js'
import { type PageSample, pageSamples } from './page-samples.js'

/** Where scripts run, the page on the way to a provider is gone at once. It is looked at as it is elsewhere. */
const SUBMITS_ITSELF = /<script nonce="[^"]*">document\.forms\[0\]\.submit\(\)<\/script>/

/** A server that shows pages. */
export interface PagePreview {
  readonly origin: string
  readonly names: readonly string[]
  /** Body of the last form that was sent to it. */
  lastForm(): URLSearchParams | null
  close(): Promise<void>
}

/**
 * Serves every sample at `/{name}`; answers a form with a redirect to `redirectTo`, as a sign-in does.
 */
export async function startPagePreview(redirectTo: () => string = () => '/signout'): Promise<PagePreview> {
  let samples: Readonly<Record<string, PageSample>> = {}
  let form: URLSearchParams | null = null
  const server = createServer((request, response) => {
    const sample = samples[(request.url ?? '').slice(1)]
    if (request.url?.startsWith('/auth/assets/')) {
      loadScript()
        .then(({ source }) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(source))
        .catch((error: Error) => response.writeHead(500).end(error.stack))
      return
    }
    // The page with passkeys asks at once, for autofill; a 404 would be a complaint of the console.
    if (request.url?.startsWith('/auth/webauthn-options/')) {
      const options = { challenge: 'AAAAAAAAAAAAAAAAAAAAAA', allowCredentials: [] }
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ action: 'authenticate', options }))
      return
    }
    if (request.method === 'POST') {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        form = new URLSearchParams(body)
        response.writeHead(302, { Location: redirectTo() }).end()
      })
      return
    }
    if (!sample) {
      response.writeHead(404).end()
      return
    }
    Promise.resolve(
      createPageRenderer({ theme: sample.theme ?? {} }).render(sample.view, request.headers['accept-language']),
    )
      .then(({ html, headers }) => response.writeHead(200, headers).end(html.replace(SUBMITS_ITSELF, '')))
      .catch((error: Error) => response.writeHead(500).end(error.stack))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A name: browsers have no passkeys for an address.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  samples = pageSamples(origin)
  return {
    origin,
    names: Object.keys(samples),
    lastForm: () => form,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
