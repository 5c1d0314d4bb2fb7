// The mistakes of docs/guides/mistakes.md, each really made. What appears has no time, and another place and port.
import express from 'express'
import { expressAuth, getSession, requireAuth } from '../../lib/index.js'
import GitHub, * as GitHubModule from '../../lib/providers/catalogue/github.js'
import Credentials from '../../lib/providers/credentials.js'
import { oidcProvider } from '../../lib/providers/oauth-provider.js'
import Passkey from '../../lib/providers/passkey.js'
import { ADA, listen, testConfig } from '../support/app.js'
import { written } from '../support/console.js'
import { collectGarbage } from '../support/garbage.js'
import { sendRaw } from '../support/raw-http.js'
import { untyped } from '../support/untyped.js'

/** A mistake: makes it, and gives what appears. */
type Mistake = () => Promise<string>

const CLIENT = { clientId: 'client', clientSecret: 'secret' }

/** The configuration of an application whose log goes to the console. */
function withConsole(more: object = {}) {
  const { logger: _, ...config } = testConfig()
  return { ...config, ...more } as ReturnType<typeof testConfig>
}

/** What the start of an application throws. */
const thrown =
  (start: () => unknown): Mistake =>
  async () => {
    try {
      start()
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`
    }
    throw new Error('The mistake was accepted.')
  }

const refused = (more: object): Mistake => thrown(() => expressAuth(withConsole(more)))

/** The line of the console that has this code. */
const logged =
  (code: string, work: () => unknown): Mistake =>
  async () => {
    const lines = await written(work)
    const line = lines.find((each) => each.includes(code))
    if (line === undefined) throw new Error(`Nothing has ${code}: ${lines.join('\n')}`)
    const [first = ''] = line.replace(/^\w+: /, '').split('\n')
    return first
      .replace(/127\.0\.0\.1:\d+/g, 'localhost:3000')
      .replace(/"(?:file:)?[^"]*mistakes\.ts:\d+:\d+"/, '"/app/server.js:12:30"')
  }

/** Serves an app, and asks it for a path, as often as a test needs. */
async function visit(app: express.Express, path: string, headers: Record<string, string> = {}, times = 1) {
  const running = await listen(app)
  try {
    let last = ''
    for (let n = 0; n < times; n += 1) last = (await sendRaw(running.origin, path, { headers })).body
    return last
  } finally {
    await running.close()
  }
}

const routed = (handler: express.RequestHandler) => express().set('env', 'test').get('/', handler)

/** The mistakes, by their headings in the guide. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'The name of an import is misspelt': refused({ providers: [undefined] }),
  'A whole module is imported': refused({ providers: [GitHubModule] }),
  'A provider is named and not imported': refused({ providers: ['gihub'] }),
  'A provider stands without a list': refused({ providers: GitHub }),
  'A provider has no client': refused({ providers: [GitHub] }),
  'Credentials cannot check anybody': refused({ providers: [Credentials({} as never)] }),
  'Passkeys have no store': refused({ providers: [Passkey()] }),
  'There is no secret': refused({ secret: undefined }),
  'The secret is a command': refused({ secret: '$(openssl rand -base64 33)' }),
  'A callback is misspelt': refused({ callbacks: { signin: () => true } }),
  'A guard has no configuration': thrown(() => untyped<() => void>(requireAuth)()),
  'A guard is not called': async () => {
    let message = ''
    const app = express().use(untyped<express.RequestHandler>(requireAuth))
    app.use(((error, _req, res, _next) => {
      message = `${error.name}: ${error.message}`
      res.end()
    }) as express.ErrorRequestHandler)
    await visit(app, '/')
    return message
  },
  'A guard is made in a handler': logged('unused-guard', async () => {
    await visit(
      routed(async (_req, res) => {
        await requireAuth(withConsole())
        res.send('secret')
      }),
      '/',
    )
    await collectGarbage()
  }),
  'An option of a guard is misspelt': thrown(() => requireAuth(withConsole(), untyped({ role: 'admin' }))),
  'A time is in milliseconds': logged('implausible-seconds', () =>
    expressAuth(withConsole({ session: { maxAge: 30 * 24 * 60 * 60 * 1000 } })),
  ),
  'An await is missing': logged('forgotten-await', () =>
    visit(
      routed((req, res) => {
        const session = untyped<{ user?: object }>(getSession(req, withConsole()))
        res.json(session.user ?? null)
      }),
      '/',
    ),
  ),
  'A configuration is made for each request': logged('fresh-configurations', () =>
    visit(
      routed(async (req, res) => {
        res.json(await getSession(req, withConsole()))
      }),
      '/',
      {},
      12,
    ),
  ),
  'A callback returns nothing': logged('callback-without-result', async () => {
    const running = await listen(
      express().use('/auth', expressAuth(withConsole({ callbacks: { signIn: untyped(() => {}) } }))),
    )
    await running.visitor().signIn(ADA)
    await running.close()
  }),
  'The mount is at another path': logged('mount-basepath-mismatch', () =>
    visit(express().use('/api/auth', expressAuth(withConsole({ basePath: '/auth' }))), '/api/auth/session'),
  ),
  'The proxy is not trusted': logged('forwarded-headers-ignored', () =>
    visit(express().use('/auth', expressAuth(withConsole())), '/auth/session', { 'X-Forwarded-Proto': 'https' }),
  ),
  'The provider cannot be reached': logged('ECONNREFUSED', async () => {
    const closed = await listen(express())
    await closed.close()
    const Acme = oidcProvider({ id: 'acme', name: 'Acme', issuer: closed.origin.replace('localhost', '127.0.0.1') })
    const config = withConsole({ providers: [Acme({ ...CLIENT, allowInsecureHttp: true })] })
    const running = await listen(express().use('/auth', expressAuth(config)))
    const visitor = running.visitor()
    await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() })
    await running.close()
  }),
}
