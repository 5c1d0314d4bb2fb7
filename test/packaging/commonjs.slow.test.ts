import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT, readText } from '../docs/documents.js'
import { freePort } from '../support/free-port.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'
import { ENVIRONMENT, packed } from '../support/packed.js'

const run = promisify(execFile)
/** In the checkout, so that the packages which applications have are found without the registry. */
const FOLDER = join(ROOT, '.tmp/commonjs')
const INSTALLED = join(FOLDER, 'node_modules/latchkey')
const SECRET = 'a secret that is long enough for anything'

/** The entries that have CommonJS of their own, beside the catalogue. */
const ENTRIES = [
  'latchkey',
  'latchkey/providers',
  'latchkey/providers/credentials',
  'latchkey/providers/email',
  'latchkey/providers/passkey',
  'latchkey/providers/nodemailer',
  'latchkey/providers/resend',
  'latchkey/adapters/memory',
  'latchkey/adapters/sql',
  'latchkey/adapters/redis',
  'latchkey/adapters/combine',
  'latchkey/client',
  'latchkey/react',
  'latchkey/jwt',
  'latchkey/web',
  'latchkey/next',
  'latchkey/testing',
  'latchkey/testing/adapter',
]

const catalogue = () =>
  readdirSync(join(ROOT, 'lib/providers/catalogue')).map((file) => `latchkey/providers/${file.replace(/\.ts$/, '')}`)

/** Node, with an application that has some modules of each kind. */
const ONE_COPY = `
const assert = require('node:assert/strict')
const entries = ${JSON.stringify(ENTRIES)}
const catalogue = ${JSON.stringify(catalogue())}
const isProvider = (name) => /^latchkey\\/providers\\/./.test(name)
const load = async () => {
  for (const name of [...entries, ...catalogue]) {
    const required = require(name)
    const imported = await import(name)
    if (!isProvider(name)) {
      for (const member of Object.keys(imported)) assert.equal(required[member], imported[member], name + '.' + member)
      continue
    }
    assert.equal(typeof required, 'function', name)
    assert.equal(required, imported.default, name)
    assert.equal(required.default, required, name)
  }
  const files = Object.keys(require.cache).filter((file) => file.includes('/latchkey/dist/commonjs/'))
  assert.deepEqual(files, [], 'files for other tools')
  console.log('one copy of ' + (entries.length + catalogue.length))
}
load()
`

/** What tools get that have the condition \`require\` and not \`module-sync\`. */
const OTHER_TOOLS = `
const assert = require('node:assert/strict')
const path = require('node:path')
const manifest = require('latchkey/package.json')
const folder = path.dirname(require.resolve('latchkey/package.json'))
const load = async () => {
  for (const name of ${JSON.stringify([...ENTRIES, ...catalogue()])}) {
    const entry = name.replace('latchkey', '.')
    const file = manifest.exports[entry]?.require ?? manifest.exports['./providers/*'].require.replace('*', entry.slice('./providers/'.length))
    const required = require(path.join(folder, file))
    // Node gives the second to a module that has a default.
    const names = (module) => Object.keys(module).filter((name) => !['module.exports', '__esModule'].includes(name)).sort()
    const imported = await import(name)
    if (typeof required === 'function') assert.equal(required.default, required, name)
    else assert.deepEqual(names(required), names(imported), name)
    assert.equal(typeof required === 'function', typeof imported['module.exports'] === 'function', name)
  }
  console.log('the same names')
}
load()
`

const JEST = `
const { createServer } = require('node:http')
const express = require('express')
const request = require('supertest')
const { AccessDenied, AuthError, expressAuth, getSession, requireAuth } = require('latchkey')
const { memoryAdapter } = require('latchkey/adapters/memory')
const { decode } = require('latchkey/jwt')
const Credentials = require('latchkey/providers/credentials')
const GitHub = require('latchkey/providers/github')
const Passkey = require('latchkey/providers/passkey')
const { oidcProvider } = require('latchkey/providers')

const config = {
  secret: ${JSON.stringify(SECRET)},
  adapter: memoryAdapter(),
  session: { strategy: 'jwt' },
  providers: [
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username }) => (username === 'ada' ? { id: '1815', name: 'Ada' } : null),
    }),
    GitHub({ clientId: 'the-id', clientSecret: 'the-secret' }),
    Passkey(),
    oidcProvider({ id: 'op', name: 'OP', issuer: process.env.ISSUER, clientId: 'app', clientSecret: 'a secret of the client' }),
  ],
}
const app = express()
app.use('/auth', expressAuth(config))
app.get('/me', requireAuth(config), async (req, res) => res.json(await getSession(req, config)))

let server, origin
beforeAll(async () => {
  server = createServer(app).listen(Number(process.env.PORT_OF_APP), '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  origin = 'http://127.0.0.1:' + server.address().port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const formToken = async (agent) => (await agent.get('/auth/csrf')).body.csrfToken

test('shows the sign-in page, with the passkey script', async () => {
  const { text } = await request(origin).get('/auth/signin').expect(200)
  expect(text).toContain('/auth/signin/github')
  const [script] = /\\/auth\\/assets\\/passkey\\.[\\w-]+\\.js/.exec(text)
  await request(origin).get(script).expect(200)
})

test('signs in with a name and a password', async () => {
  const agent = request.agent(origin)
  await agent.get('/me').expect(401)
  const csrfToken = await formToken(agent)
  const form = { csrfToken, username: 'ada', password: 'x' }
  const { headers } = await agent.post('/auth/callback/credentials').type('form').send(form).expect(302)
  expect((await agent.get('/me')).body.user).toMatchObject({ name: 'Ada' })
  const [, token] = /authjs\\.session-token=([^;]+)/.exec(headers['set-cookie'].join(';'))
  expect(await decode({ token, secret: config.secret, salt: 'authjs.session-token' })).toMatchObject({ name: 'Ada' })
})

test('signs in with an OpenID provider', async () => {
  const agent = request.agent(origin)
  const csrfToken = await formToken(agent)
  const { headers } = await agent.post('/auth/signin/op').type('form').send({ csrfToken }).expect(302)
  const answered = await fetch(process.env.PERSON + '?url=' + encodeURIComponent(headers.location))
  const { pathname, search } = new URL(await answered.text())
  await agent.get(pathname + search).expect(302)
  expect((await agent.get('/me')).body.user).toMatchObject({ email: 'ada@example.com' })
})

test('has one copy of each class', async () => {
  expect(new AccessDenied('no')).toBeInstanceOf(AuthError)
  expect(() => config.adapter.updateUser({ id: 'nobody' })).toThrow(require('latchkey').AdapterError)
})
`

/** Jest runs the package in a realm whose `Error` is not that of the modules of Node. */
const JEST_WITH_FAULTS = `
const { writeFileSync } = require('node:fs')
const { Auth } = require('latchkey')
const { memoryAdapter } = require('latchkey/adapters/memory')
const { migrateToLatest, sqlAdapter } = require('latchkey/adapters/sql')
const { oidcProvider } = require('latchkey/providers')
const Nodemailer = require('latchkey/providers/nodemailer')

test('opens a SQLite file that exists, and says that a folder does not', async () => {
  writeFileSync('there.db', '')
  await migrateToLatest({ sqlite: 'there.db' })
  expect(await sqlAdapter({ sqlite: 'there.db' }).getUser('nobody')).toBe(null)
  await expect(migrateToLatest({ sqlite: 'nowhere/there.db' })).rejects.toThrow('its folder does not exist')
})

const closed = '127.0.0.1:' + process.env.CLOSED_PORT
const op = { id: 'op', name: 'OP', issuer: 'http://' + closed, clientId: 'app', clientSecret: 'a secret of the client' }

test.each([
  ['nodemailer', Nodemailer({ server: 'smtp://' + closed, from: 'app@example.com' })],
  ['op', oidcProvider(op)],
])('says why %s cannot be reached', async (name, provider) => {
  const logged = []
  const config = {
    secret: ${JSON.stringify(SECRET)},
    url: 'http://localhost:3000',
    adapter: memoryAdapter(),
    logger: { error: (error) => logged.push(error), warn() {} },
    providers: [provider],
  }
  const first = await Auth(new Request('http://localhost:3000/auth/csrf'), config)
  const { csrfToken } = await first.json()
  const cookie = first.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ')
  const body = new URLSearchParams({ csrfToken, email: 'ada@example.com' })
  const headers = { cookie, origin: 'http://localhost:3000' }
  await Auth(new Request('http://localhost:3000/auth/signin/' + name, { method: 'POST', headers, body }), config)
  expect(logged[0].message + ' ' + logged[0].cause.err.message).toMatch(/ECONNREFUSED/)
})
`

/** The names that each entry exports, as Node imports it. */
const NAMES = `
const names = async (entry) => {
  const imported = await import(entry)
  return [entry, typeof imported['module.exports'] === 'function' ? 'function' : Object.keys(imported).sort()]
}
Promise.all(${JSON.stringify([...ENTRIES, ...catalogue()])}.map(names)).then((all) => console.log(JSON.stringify(all)))
`

const jestWithNames = (names: string) => `
for (const [entry, names] of ${names}) {
  test(entry, () => {
    const required = require(entry)
    if (names === 'function') return expect([typeof required, required.default]).toEqual([names, required])
    expect(Object.keys(required).filter((name) => name !== '__esModule').sort()).toEqual(names)
    if (names.includes('default')) expect(required.__esModule).toBe(true)
  })
}
`

/** Mocks of what Latchkey uses, and of what its loader needs. */
const JEST_WITH_MOCKS = `
const mockMails = []
jest.mock('node:fs')
jest.mock('nodemailer', () => ({
  createTransport: () => ({ sendMail: async (mail) => (mockMails.push(mail), { accepted: [mail.to] }) }),
}))
const { Auth, expressAuth } = require('latchkey')
const { memoryAdapter } = require('latchkey/adapters/memory')
const Nodemailer = require('latchkey/providers/nodemailer')

const config = {
  secret: ${JSON.stringify(SECRET)},
  url: 'http://localhost:3000',
  adapter: memoryAdapter(),
  providers: [Nodemailer({ server: 'smtp://nowhere.invalid', from: 'app@example.com' })],
}

test('has the mock', async () => {
  const first = await Auth(new Request('http://localhost:3000/auth/csrf'), config)
  const { csrfToken } = await first.json()
  const cookie = first.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ')
  const body = new URLSearchParams({ csrfToken, email: 'ada@example.com' })
  const headers = { cookie, origin: 'http://localhost:3000' }
  await Auth(new Request('http://localhost:3000/auth/signin/nodemailer', { method: 'POST', headers, body }), config)
  expect(mockMails).toHaveLength(1)
})

test('names the lines of the files', () => {
  const { readFileSync } = jest.requireActual('node:fs')
  let thrown
  try {
    expressAuth({ providers: [null] })
  } catch (error) {
    thrown = error
  }
  const [, file, line, column] = /at configurationError \\((.*):(\\d+):(\\d+)\\)/.exec(thrown.stack)
  const text = readFileSync(new URL(file), 'utf8').split('\\n')[line - 1]
  expect(text.slice(column - 1)).toMatch(/^new Kind\\(/)
})
`

/** An application of TypeScript, with the two ways to import a function that is `module.exports`. */
const TYPESCRIPT = `
import express = require('express')
import { type AuthConfig, AuthError, expressAuth, getSession, requireAuth, type Session } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { sqlAdapter } from 'latchkey/adapters/sql'
import { createClient } from 'latchkey/client'
import { decode } from 'latchkey/jwt'
import { oidcProvider } from 'latchkey/providers'
import Credentials from 'latchkey/providers/credentials'
import type { GitHubProfile } from 'latchkey/providers/github'
import GitHub from 'latchkey/providers/github'
import Keycloak = require('latchkey/providers/keycloak')
import Nodemailer from 'latchkey/providers/nodemailer'
import { SessionProvider } from 'latchkey/react'
import { signInAs } from 'latchkey/testing'

declare module 'latchkey' {
  interface User {
    plan?: 'free' | 'paid'
  }
}

export const config = {
  secret: '${SECRET}',
  providers: [
    GitHub({ clientId: 'id', clientSecret: 'secret', profile: (profile: GitHubProfile) => ({ id: String(profile.id) }) }),
    Keycloak({ clientId: 'id', clientSecret: 'secret', issuer: 'https://id.example.com/realms/app' }),
    Nodemailer({ server: 'smtp://127.0.0.1', from: 'app@example.com' }),
    Credentials({ authorize: ({ username }) => (username === 'ada' ? { id: '1', plan: 'paid' } : null) }),
    oidcProvider({ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example', clientId: 'id', clientSecret: 'secret' }),
  ],
  adapter: memoryAdapter(),
} satisfies AuthConfig

const app = express()
app.use('/auth', expressAuth(config))
app.get('/me', requireAuth(config), async (req, res) => {
  const session: Session | null = await getSession(req, config)
  const plan: 'free' | 'paid' | undefined = session?.user?.plan
  // @ts-expect-error a session is no number, and nothing is any
  const wrong: number = session
  res.json([plan, wrong])
})
export const others = [AuthError, sqlAdapter, decode, createClient, SessionProvider, signInAs]
const server = app.listen(0, async () => {
  const { port } = server.address() as { port: number }
  const page = await fetch('http://localhost:' + port + '/auth/signin')
  console.log(page.status, (await page.text()).includes('/auth/signin/keycloak'))
  server.close()
})
`

const TYPESCRIPT_5 = join(ROOT, 'node_modules/typescript5/bin/tsc')
const TYPESCRIPT_7 = join(ROOT, 'node_modules/typescript/bin/tsc')
const MODES = [
  { compiler: TYPESCRIPT_5, module: 'commonjs', moduleResolution: 'node10', file: 'app.ts' },
  { compiler: TYPESCRIPT_5, module: 'node16', moduleResolution: 'node16', file: 'app.cts' },
  { compiler: TYPESCRIPT_5, module: 'nodenext', moduleResolution: 'nodenext', file: 'app.cts' },
  { compiler: TYPESCRIPT_7, module: 'node16', moduleResolution: 'node16', file: 'app.cts' },
  { compiler: TYPESCRIPT_7, module: 'nodenext', moduleResolution: 'nodenext', file: 'app.cts' },
  { compiler: TYPESCRIPT_7, module: 'commonjs', moduleResolution: 'bundler', file: 'app.ts' },
]

describe('the package in CommonJS', function () {
  this.timeout(120_000)

  before(async () => {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(INSTALLED, { recursive: true })
    const { tarball } = await packed()
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', INSTALLED])
    writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true }))
  })

  after(() => rmSync(FOLDER, { recursive: true, force: true }))

  async function node(file: string, code: string) {
    writeFileSync(join(FOLDER, file), code)
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: FOLDER, env: ENVIRONMENT })
    expect(stderr, 'no warning either').to.equal('')
    return stdout.trim()
  }

  it('is one copy in Node, whether it is imported or required, and `require` of a provider gives its function', async () => {
    expect(await node('one-copy.cjs', ONE_COPY)).to.equal(`one copy of ${ENTRIES.length + catalogue().length}`)
  })

  it('exports to tools that need CommonJS what it exports to Node', async () => {
    expect(await node('other-tools.cjs', OTHER_TOOLS)).to.equal('the same names')
  })

  it('opens no file outside of its folder for a tool that refuses ES modules', async () => {
    const refused = `() => { throw new SyntaxError('Cannot use import statement outside a module') }`
    const loader = join(INSTALLED, 'dist/commonjs/load.js')
    const load = (file: string, from = loader) =>
      node(
        'load.cjs',
        `const { load } = require(${JSON.stringify(from)})
        try { console.log(typeof load('${file}', ${refused}, module).signIn) } catch (error) { console.log(error.message) }`,
      )
    expect(await load('client/index.js')).to.equal('function')
    expect(await load('../package.json')).to.equal('../package.json is no file of Latchkey.')
    expect(await load('../dist-of-another/index.js')).to.include('is no file of Latchkey')
    // As in a bundle, where it is no file of its own.
    cpSync(loader, join(FOLDER, 'bundle.cjs'))
    expect(await load('client/index.js', join(FOLDER, 'bundle.cjs'))).to.include('Cannot use import statement')
  })

  it('runs as the guide shows it', async () => {
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readText('docs/guides/commonjs.md')) ?? []
    const started = code.replace('app.listen(3000)', 'const server = app.listen(0, () => ask(server.address().port))')
    expect(started).not.to.equal(code)
    const ask = `const ask = async (port) => {
      const me = await fetch('http://localhost:' + port + '/me')
      const page = await fetch('http://localhost:' + port + '/auth/signin')
      console.log(me.status, (await page.text()).includes('/auth/signin/github'))
      server.close()
    }`
    const env = { AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'the-id', AUTH_GITHUB_SECRET: 'the-secret' }
    expect(await node('guide.cjs', `Object.assign(process.env, ${JSON.stringify(env)})\n${started}\n${ask}`)).to.equal(
      '401 true',
    )
  })

  it('says in an environment for browsers what is not for browsers, and gives what is', async () => {
    const inBrowsers = (code: string) =>
      run(process.execPath, ['--conditions=browser', '-e', code], { cwd: FOLDER, env: ENVIRONMENT }).then(
        ({ stdout }) => stdout.trim(),
        ({ stderr }: { stderr: string }) => stderr,
      )
    expect(await inBrowsers("require('latchkey')")).to.include(
      'Only latchkey/client and latchkey/react are for browsers',
    )
    expect(await inBrowsers("console.log(typeof require('latchkey/client').getSession)")).to.equal('function')
  })

  describe('in Jest, without a flag or an option', () => {
    let provider: RealOidcProvider
    let person: Server
    let port: number

    before(async () => {
      port = await freePort()
      provider = await startOidcProvider({
        clients: [
          {
            client_id: 'app',
            client_secret: 'a secret of the client',
            redirect_uris: [`http://127.0.0.1:${port}/auth/callback/op`],
          },
        ],
      })
      person = createServer(async (req, res) => {
        const wanted = new URL(String(req.url), 'http://localhost').searchParams.get('url')
        res.end((await provider.authorize(String(wanted), 'ada')).url.href)
      }).listen(0, '127.0.0.1')
      await once(person, 'listening')
    })

    after(async () => {
      person.close()
      await provider.stop()
    })

    const jest = async (file: string, code: string) => {
      writeFileSync(join(FOLDER, file), code)
      const env = {
        ...ENVIRONMENT,
        ISSUER: provider.issuer,
        PORT_OF_APP: String(port),
        CLOSED_PORT: String(await freePort()),
        PERSON: `http://127.0.0.1:${(person.address() as AddressInfo).port}/`,
      }
      const jest = join(ROOT, 'node_modules/jest/bin/jest.js')
      return run(process.execPath, [jest, '--ci', '--rootDir', '.', file], { cwd: FOLDER, env }).then(
        ({ stderr }) => stderr,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      )
    }

    it('signs in with a password and with an OpenID provider', async () => {
      const report = await jest('app.test.js', JEST)
      expect(report, report).to.match(/Tests:\s+4 passed, 4 total/)
    })

    it('exports what it exports to Node', async () => {
      const names = await node('names.cjs', NAMES)
      const report = await jest('names.test.js', jestWithNames(names))
      expect(report, report).to.include(`${ENTRIES.length + catalogue().length} passed`)
    })

    it('takes the mocks of a test, but for its own files, and names their lines', async () => {
      const report = await jest('mocks.test.js', JEST_WITH_MOCKS)
      expect(report, report).to.match(/Tests:\s+2 passed, 2 total/)
    })

    it('knows the errors of Node, which are of another realm', async () => {
      const report = await jest('faults.test.js', JEST_WITH_FAULTS)
      expect(report, report).to.match(/Tests:\s+3 passed, 3 total/)
    })

    it('shows a test that fails', async () => {
      const report = await jest('wrong.test.js', JEST.replace("name: 'Ada' })", "name: 'Eve' })"))
      expect(report).to.match(/Tests:\s+1 failed, 3 passed/)
    })
  })

  for (const { compiler, module, moduleResolution, file } of MODES) {
    const version = compiler === TYPESCRIPT_5 ? 5 : 7
    it(`compiles with TypeScript ${version}, "module": "${module}" and "moduleResolution": "${moduleResolution}", and runs`, async () => {
      const folder = join(FOLDER, `typescript-${version}-${module}`)
      mkdirSync(folder)
      writeFileSync(join(folder, file), TYPESCRIPT)
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        esModuleInterop: true,
        skipLibCheck: false,
        // The libraries of TypeScript itself.
        skipDefaultLibCheck: true,
        declaration: true,
        rootDir: '.',
        outDir: 'out',
        module,
        moduleResolution,
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
      const options = compiler === TYPESCRIPT_7 ? ['--singleThreaded'] : []
      const { stdout } = await run(process.execPath, [compiler, '-p', folder, ...options], { cwd: folder }).catch(
        ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout: stdout + stderr }),
      )
      expect(stdout).to.equal('')

      const output = join('out', file.replace(/ts$/, 'js'))
      const { stdout: printed } = await run(process.execPath, [output], { cwd: folder, env: ENVIRONMENT })
      expect(printed.trim()).to.equal('200 true')
    })
  }
})
