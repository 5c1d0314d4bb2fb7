import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT, readText } from '../docs/documents.js'
import { packed } from '../support/packed.js'

const run = promisify(execFile)
const TSC = join(ROOT, 'node_modules/.bin/tsc')
/** In the checkout, so that the compiler finds Express and the optional packages. */
const FOLDER = join(ROOT, '.tmp/type-modes')

/** How an application finds packages. */
const MODES = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
} as const

/** Every option that makes the compiler stricter, and declarations for all that the application exports. */
const STRICTEST = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  forceConsistentCasingInFileNames: true,
  skipLibCheck: false,
  // The libraries of TypeScript itself.
  skipDefaultLibCheck: true,
  declaration: true,
}

const APP = `
import express, { type RequestHandler, Router } from 'express'
import {
  type AuthConfig,
  authSession,
  type CurrentSession,
  defineAuth,
  expressAuth,
  getSession,
  type JWT,
  requireAuth,
  type Session,
  type User,
} from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { combineAdapters } from 'latchkey/adapters/combine'
import { redisAdapter } from 'latchkey/adapters/redis'
import { sqlAdapter } from 'latchkey/adapters/sql'
import { getSession as sessionInBrowser } from 'latchkey/client'
import { getToken } from 'latchkey/jwt'
import Credentials from 'latchkey/providers/credentials'
import GitHub from 'latchkey/providers/github'
import Keycloak from 'latchkey/providers/keycloak'
import { fakeOpenIdProvider, type Misbehaviour, softwareAuthenticator, testClock, virtualAuthenticator } from 'latchkey/testing'
import type { Page } from 'playwright-core'

declare function findUser(id: string): Promise<(User & { plan: string; locked: boolean }) | null>

export const config = {
  providers: [
    GitHub,
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username }) => (username === 'ada' ? { id: '1815', name: 'Ada' } : null),
    }),
  ],
  adapter: memoryAdapter(),
  session: { strategy: 'jwt', maxAge: 3600, refreshUser: 60, remember: { maxAge: 7200 } },
  callbacks: {
    signIn: ({ user }) => (user.email === undefined ? true : { session: { maxAge: 60 } }),
    jwt: ({ token, user, trigger }) => (user ? { ...token, plan: 'plan' in user ? user.plan : trigger } : token),
    async refreshUser({ userId }) {
      const found = await findUser(userId)
      return found && { ...found, disabled: found.locked }
    },
    authorized: ({ auth }) => auth?.user?.email !== null,
  },
} satisfies AuthConfig

export const auth = defineAuth(config)
export const guard = requireAuth(config, { roles: ['writer'], maxAuthAge: 300 })
export const visitors = authSession(config)
export const { handler, getSession: readSession, requireAuth: requirePlan } = defineAuth({
  ...config,
  adapter: sqlAdapter({ url: 'postgres://127.0.0.1/app' }),
  callbacks: {
    ...config.callbacks,
    session: ({ session, token }) => ({ expires: session.expires, plan: String(token['plan']), user: { name: 'Ada' } }),
  },
})
export const paid = requirePlan({ allow: ({ plan }) => plan !== 'free' })
export const sql = sqlAdapter({ sqlite: 'auth.db' })
export const redis = redisAdapter({ url: 'redis://127.0.0.1' })
export const combined = combineAdapters({ ...sql, sessions: redis })
export const router = Router().use(guard)
export const handlers: RequestHandler[] = [guard, visitors, paid, auth.requireAuth()]
export const claims = async (req: Request): Promise<JWT | null> => getToken({ req, secret: 'a secret' })
export const shown = async (): Promise<Session | null> => sessionInBrowser()
export const made: Session = { expires: '2040-01-01T00:00:00.000Z' }

const app = express()
app.use('/auth', expressAuth(config), handler)
app.get('/papers/:id', guard, (req, res) => {
  const session: CurrentSession = res.locals.session
  const id: string = req.params.id
  const userId: string | undefined = res.locals.session.user?.id
  // @ts-expect-error a session is no text, and nothing is \`any\`
  const text: string = res.locals.session
  // @ts-expect-error the route has no such parameter
  const other: string = req.params.other
  res.json([session.id, id, userId, text, other])
})
app.get('/visitors', visitors, (_req, res) => {
  // @ts-expect-error somebody who is not signed in may come here
  const session: Session = res.locals.session
  res.json([session, res.locals.session?.user?.name])
})
app.get('/plan', paid, async (req, res) => {
  const plan: string = res.locals.session.plan
  const again: string | undefined = (await readSession(req))?.plan
  const usual: string | null | undefined = (await getSession(req, config))?.user?.name
  // @ts-expect-error no member of this session
  res.json([plan, again, usual, res.locals.session.role])
})
// Members that may be absent come from users whose members may be absent.
const copied = {
  providers: [
    Keycloak({ issuer: process.env['ISSUER'], clientId: process.env['ID'], clientSecret: process.env['SECRET'] }),
    GitHub({ profile: ({ id, name, email }) => ({ id: String(id), name: name ?? undefined, email: email ?? undefined }) }),
    Credentials({ authorize: async ({ username }) => ({ name: (await findUser(String(username)))?.name }) }),
  ],
  callbacks: {
    jwt: ({ token, user }) => ({ ...token, name: user?.name, email: user?.email, picture: user?.image }),
    session: ({ session: { user, expires } }) => ({ user: { name: user.name, email: user.email, image: user.image }, expires }),
  },
} satisfies AuthConfig
export const { getSession: copiedSession } = defineAuth(copied)
/** A test of the application. */
export const tested = async (page: Page, wrong: Misbehaviour, body: unknown) => {
  await using provider = await fakeOpenIdProvider({ user: { sub: 'ada', groups: ['staff'] } })
  provider.misbehave(wrong, { always: true })
  // @ts-expect-error a misspelt misbehaviour
  provider.misbehave('wrong-nonse')
  await using authenticator = await virtualAuthenticator(page, { userVerified: false })
  using clock = testClock()
  clock.advance({ days: 31 })
  const fields: { action: string; data: string } = softwareAuthenticator({ origin: provider.issuer }).answer(body)
  const config = { providers: [provider.entry({ id: 'acme', idToken: false })] } satisfies AuthConfig
  return { config, fields, passkeys: await authenticator.passkeys() }
}
// @ts-expect-error a variable that is not set is no number of seconds
export const unset = { providers: [], session: { refreshUser: undefined } } satisfies AuthConfig
// @ts-expect-error a user or null
export const forgotten = { providers: [], callbacks: { refreshUser: () => {} } } satisfies AuthConfig
// @ts-expect-error a misspelt option
export const misspelt = { provider: [] } satisfies AuthConfig
`

/** A script for browsers, whose compiler knows nothing of Node. */
const BROWSER = `
import { ClientError, createClient, getProviders, getSession, getSessions, registerPasskey } from 'latchkey/client'
import { useSession } from 'latchkey/react'
import { signOut } from 'latchkey/solid-start/client'

export const name = async (): Promise<string | null | undefined> => (await getSession())?.user?.name
export const count = async (): Promise<number> => (await getSessions()).length
export const names = async (): Promise<string[]> => Object.values(await getProviders()).map(({ name }) => name)
export const client = createClient({ basePath: '/api/auth' })
export const isKnown = (error: unknown): boolean => error instanceof ClientError && error.code !== 'offline'
export const useName = (): string | null | undefined => useSession().data?.user?.name
export { registerPasskey, signOut }
// @ts-expect-error no types of Node: what the package declares for browsers must not need them
export const buffer: Buffer | null = null
`

/** The names of all providers, as applications import them. */
function providerNames(): string[] {
  const { exports } = JSON.parse(readText('package.json')) as { exports: object }
  const [, ...named] = Object.keys(exports).filter((path) => path.startsWith('./providers'))
  const catalogue = readdirSync(join(ROOT, 'lib/providers/catalogue')).map((file) => basename(file, '.ts'))
  return [...catalogue, ...named.map((path) => basename(path)).filter((name) => name !== '*')]
}

/** An application that exports each provider, and a configuration with it. */
const withEachProvider = (names: readonly string[]) =>
  [
    "export type { AuthConfig } from 'latchkey'",
    ...names.map((name, index) => `import P${index} from 'latchkey/providers/${name}'`),
    ...names.map(
      (_, index) => `export const p${index} = P${index}; export const c${index} = { providers: [P${index}] }`,
    ),
  ].join('\n')

/** Another package of a workspace, which has only the declarations of the first one. */
const READER = `
import { auth, config, guard, paid, readSession } from './declared/app.js'
import express from 'express'

const app = express()
app.get('/', guard, (_req, res) => res.send(res.locals.session.user?.name?.toUpperCase()))
app.get('/plan', paid, async (req, res) => {
  const plan: string | undefined = (await readSession(req))?.plan
  // @ts-expect-error no member of this session
  res.json([plan, res.locals.session.plan, res.locals.session.role])
})
app.get('/usual', auth.requireAuth({ allow: ({ id }) => id !== '' }), (_req, res) => res.send(res.locals.session.expires))
export const seconds: number = config.session.refreshUser
`

/** What the compiler says. In one thread it does half as much: each thread would look at the libraries itself. */
const compile = (project: string): Promise<string> =>
  run(TSC, ['-p', project, '--singleThreaded'], { cwd: FOLDER }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )

function writeProject(name: string, options: object, files: Readonly<Record<string, string>>): string {
  const path = join(FOLDER, name)
  mkdirSync(path, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  const tsconfig = { compilerOptions: { ...STRICTEST, ...options }, files: Object.keys(files) }
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(tsconfig))
  return path
}

describe('the declarations of the package, in an application with the strictest options', function () {
  this.timeout(120_000)

  before(async () => {
    rmSync(FOLDER, { recursive: true, force: true })
    const installed = join(FOLDER, 'node_modules/latchkey')
    mkdirSync(installed, { recursive: true })
    writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await run('tar', ['-xzf', (await packed()).tarball, '--strip-components=1', '-C', installed])
  })

  for (const [mode, options] of Object.entries(MODES)) {
    it(`compiles with module resolution ${mode}, and so does what uses its declarations`, async () => {
      const app = writeProject(mode, { ...options, rootDir: '.', outDir: 'declared' }, { 'app.ts': APP })
      expect(await compile(app)).to.equal('')
      const declared = readFileSync(join(app, 'declared/app.d.ts'), 'utf8')
      expect(declared).to.match(/export declare const auth: .*DefinedAuth<.*Session>/)
      expect(declared, 'names only what the package exports').not.to.match(/\bany\b|dist\/|\.\.\//)
      const reader = writeProject(
        `${mode}-reader`,
        { ...options, noEmit: true, rootDir: '..' },
        { 'reader.ts': READER },
      )
      cpSync(join(app, 'declared'), join(reader, 'declared'), { recursive: true })
      rmSync(join(reader, 'declared/app.js'))
      expect(await compile(reader)).to.equal('')
    })
  }

  it('can name the types of every provider in declarations', async () => {
    const names = providerNames()
    expect(names.length).to.be.greaterThan(100)
    const files = { 'providers.ts': withEachProvider(names) }
    expect(await compile(writeProject('providers', { ...MODES.nodenext, outDir: 'declared' }, files))).to.equal('')
  })

  it('compiles in a project for browsers, without types of Node', async () => {
    const options = { ...MODES.bundler, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'], types: [] }
    expect(await compile(writeProject('browser', options, { 'browser.ts': BROWSER }))).to.equal('')
  })

  it('fails if a type is wrong', async () => {
    const wrong = APP.replace('const plan: string = res', 'const plan: number = res')
    expect(await compile(writeProject('wrong', { ...MODES.nodenext, noEmit: true }, { 'app.ts': wrong }))).to.match(
      /^wrong\/app\.ts.*TS2322: Type 'string' is not assignable to type 'number'/m,
    )
  })
})
