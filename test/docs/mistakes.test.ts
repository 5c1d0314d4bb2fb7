import { expect } from 'chai'
import express, { type Express } from 'express'
import { type AuthConfig, expressAuth, getSession, requireAuth } from '../../lib/index.js'
import GitHub, * as GitHubModule from '../../lib/providers/catalogue/github.js'
import Credentials from '../../lib/providers/credentials.js'
import Nodemailer from '../../lib/providers/mail/nodemailer.js'
import { oidcProvider } from '../../lib/providers/oauth-provider.js'
import { ADA, listen, passwords, SECRET } from '../support/app.js'
import { written } from '../support/console.js'
import { withEnv } from '../support/env.js'
import type { Visitor } from '../support/visitor.js'
import { readText } from './documents.js'

const DOCUMENT = 'docs/guides/mistakes.md'

/** Sets up an application as its author did. What it throws stops the start. */
const setUp = (config: unknown) => {
  expressAuth(config as AuthConfig)
}
const withProviders = (...providers: unknown[]) => setUp({ secret: SECRET, providers })

/** An application, and what a visitor does there. */
async function visit(
  config: AuthConfig,
  work: (visitor: Visitor) => Promise<unknown>,
  extend: (app: Express, config: AuthConfig) => void = () => {},
) {
  const app = express()
  app.use('/auth', expressAuth(config))
  extend(app, config)
  app.use((_error: Error, _req: unknown, res: express.Response, _next: unknown) => res.status(500).end())
  const running = await listen(app)
  try {
    await work(running.visitor())
  } finally {
    await running.close()
  }
}

/** The configuration in which one mistake is made. */
const sound = (more: Partial<AuthConfig> = {}): AuthConfig => ({ secret: SECRET, providers: [passwords], ...more })

/** An address where nothing listens any more. */
async function deadOrigin(): Promise<string> {
  const { origin, close } = await listen(() => {})
  await close()
  return origin
}

/** Each mistake by its heading in the document: what the author wrote, and what a visitor then does. */
const MISTAKES: Record<string, { env?: Record<string, string>; work: () => unknown }> = {
  'No secret': { work: () => setUp({ providers: [passwords] }) },
  'The command in place of its output': {
    env: { AUTH_SECRET: '$(openssl rand -base64 33)' },
    work: () => setUp({ providers: [passwords] }),
  },
  'A short secret': { work: () => setUp(sound({ secret: 'changeit-please' })) },
  'A name that the module does not export': { work: () => withProviders(undefined) },
  'The module in place of the provider': { work: () => withProviders(GitHubModule) },
  'The name in place of the provider': { work: () => withProviders('githup') },
  'A provider without its client': { work: () => withProviders(GitHub) },
  'A misspelt option': { work: () => setUp({ ...sound(), callback: {} }) },
  'Credentials without `authorize`': {
    work: () => withProviders(Credentials({ credentials: { email: {} } } as never)),
  },
  'Milliseconds in place of seconds': {
    work: () => setUp(sound({ session: { maxAge: 30 * 24 * 60 * 60 * 1000 } })),
  },
  'Stored sessions without a store': { work: () => setUp(sound({ session: { strategy: 'database' } })) },
  'Mailed links without a store': {
    work: () => withProviders(Nodemailer({ server: 'smtp://localhost:2525', from: 'app@example.com' })),
  },
  'A URL without its scheme': { env: { AUTH_URL: 'app.example' }, work: () => setUp(sound()) },
  'A guard that is not called': {
    work: () => {
      const app = express()
      app.use(requireAuth as never)
      app.use((error: Error, _req: unknown, res: express.Response, _next: unknown) => {
        console.error(`${error.name}: ${error.message}`)
        res.status(500).end()
      })
      return listen(app).then(async (running) => {
        await running.visitor().get('/')
        await running.close()
      })
    },
  },
  'A misspelt option of a guard': { work: () => requireAuth(sound(), { role: 'admin' } as never) },
  'A forgotten `await`': {
    work: () =>
      visit(
        sound(),
        (visitor) => visitor.get('/'),
        (app, config) =>
          app.get('/', (req, res) => {
            const session = getSession(req, config) as unknown as { user?: { name: string } }
            res.send(`Hello, ${session.user?.name}`)
          }),
      ),
  },
  'A new configuration in each call': {
    work: () =>
      visit(
        sound(),
        async (visitor) => {
          for (let n = 0; n < 20; n += 1) await visitor.get('/')
        },
        (app, config) => app.get('/', async (req, res) => res.json(await getSession(req, { ...config }))),
      ),
  },
  'A callback that forgets to return': {
    work: () => visit(sound({ callbacks: { signIn: (() => {}) as never } }), (visitor) => visitor.signIn(ADA)),
  },
  'A proxy that nobody trusts': {
    work: () =>
      visit(sound(), (visitor) =>
        visitor.get('/auth/signin', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }),
      ),
  },
  'A provider that cannot be reached': {
    work: async () =>
      visit(
        sound({
          providers: [
            oidcProvider({ id: 'acme', name: 'Acme', issuer: await deadOrigin() })({
              clientId: 'client',
              clientSecret: 'client-secret',
            }),
          ],
        }),
        async (visitor) => visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() }),
      ),
  },
}

/** What the author of the application sees, without what differs from machine to machine. */
async function shownBy({ env = {}, work }: (typeof MISTAKES)[string]): Promise<string> {
  const lines: string[] = []
  await withEnv(env, async () => {
    lines.push(
      ...(await written(async () => {
        try {
          await work()
        } catch (error) {
          console.error(`${(error as Error).name}: ${(error as Error).message}`)
        }
      })),
    )
  })
  return lines
    .filter((line) => !line.includes('shared-secret'))
    .map((line) => line.replace(/^\w+: /, ''))
    .join('\n')
    .replace(/^ +at .*\n?/gm, '')
    .replace(/127\.0\.0\.1:\d{4,}/g, 'localhost:3000')
    .replace(/"[^"]*mistakes\.test\.ts:\d+"/g, '"/srv/app/server.js:12"')
    .trim()
}

describe(DOCUMENT, () => {
  const sections = new Map(
    readText(DOCUMENT)
      .split(/^### \d+\. /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0] ?? '', section]),
  )

  it('has twenty mistakes, and each is made here', () => {
    expect([...sections.keys()]).to.deep.equal(Object.keys(MISTAKES))
    expect(sections.size).to.equal(20)
  })

  for (const [name, mistake] of Object.entries(MISTAKES)) {
    it(`shows what appears: ${name}`, async () => {
      const shown = /^```text\n(.*?)\n```$/ms.exec(sections.get(name) ?? '')?.[1]
      expect(shown).to.equal(await shownBy(mistake))
    })
  }
})
