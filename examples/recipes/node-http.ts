// A server of Node itself, without a framework: `expressAuth` and `requireAuth` are functions of `req`, `res` and `next`.
//
// - Compare the path after `new URL`, and guard with the same text that selects the page. For a whole folder of pages, use the
//   `authorized` callback, which is asked about every spelling of a path.
// - Behind a proxy, set AUTH_URL: there is no `trust proxy` without Express.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AuthConfig, csrfToken, expressAuth, getSession, type Middleware, requireAuth } from 'latchkey'
import GitHub from 'latchkey/providers/github'

// `basePath` says which paths Latchkey serves, because nothing mounts it.
const config: AuthConfig = { providers: [GitHub], basePath: '/auth' }

/** Runs a middleware. It resolves when the middleware goes on, and not when it has answered. */
const through = (step: Middleware, req: IncomingMessage, res: ServerResponse) =>
  new Promise<void>((resolve, reject) => step(req, res, (error?: unknown) => (error ? reject(error) : resolve())))

const auth = expressAuth(config)
const guard = requireAuth(config)
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

async function answer(req: IncomingMessage, res: ServerResponse) {
  await through(auth, req, res)
  const { pathname } = new URL(req.url ?? '/', 'http://localhost')
  res.setHeader('Content-Type', 'text/html; charset=utf-8')

  if (pathname === '/account') {
    await through(guard, req, res)
    const session = await getSession(req, config)
    const token = await csrfToken(req, res, config)
    res.end(`Hello ${escapeHtml(session?.user?.name ?? '')}
      <form method="post" action="/auth/signout"><input type="hidden" name="csrfToken" value="${token}">
      <button>Sign out</button></form>`)
    return
  }
  if (pathname === '/') {
    res.end('<a href="/account">Your account</a>')
    return
  }
  res.writeHead(404).end('There is nothing here.')
}

const server = createServer((req, res) => {
  answer(req, res).catch((error: unknown) => {
    console.error(error)
    if (!res.headersSent) res.writeHead(500)
    res.end()
  })
})

server.listen(3000)
