import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as latchkey from '../../lib/index.js'
import { declarationsFor, ROOT, snippets } from '../docs/documents.js'
import { ENVIRONMENT, npm, packed } from '../support/packed.js'
import { Visitor } from '../support/visitor.js'

const run = promisify(execFile)
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']

const WITHOUT_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/

const APPLICATION = `
const config = {
  secret: 'a secret that is long enough for anything',
  providers: [
    GitHub({ clientId: 'the-id', clientSecret: 'the-secret' }),
    Credentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'lovelace' ? { id: '1815', name: 'Ada' } : null,
    }),
  ],
}
const app = express()
app.use('/auth', expressAuth(config))
app.get('/users/:id', requireAuth(config), (req, res) => res.json({ id: req.params['id'], session: res.locals['session'] }))
app.get('/', async (req, res) => res.json(await getSession(req, config)))
const server = app.listen(0, () => console.log(JSON.stringify(server.address())))
`

const ESM = `
import express from 'express'
import { expressAuth, getSession, requireAuth } from 'latchkey'
import Credentials from 'latchkey/providers/credentials'
import GitHub from 'latchkey/providers/github'
${APPLICATION}`

const COMMONJS = `
const express = require('express')
const { expressAuth, getSession, requireAuth } = require('latchkey')
const Credentials = require('latchkey/providers/credentials')
const { default: GitHub } = require('latchkey/providers/github')
${APPLICATION}`

const TYPESCRIPT = `
import { type AuthConfig, type Session, type User } from 'latchkey'
import { decode } from 'latchkey/jwt'
import { oauthProvider, oidcProvider } from 'latchkey/providers'
${ESM.replace('const config =', 'const config: AuthConfig =')}
export const providers: AuthConfig['providers'] = [
  oidcProvider({ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example' }),
  oauthProvider<{ uid: number }>({ id: 'board', name: 'Board', profile: ({ uid }) => ({ id: String(uid) }) }),
]
declare module 'latchkey/jwt' {
  interface JWT {
    role?: 'reader' | 'writer'
  }
}
export const roleOf = async (token: string, secret: string): Promise<'reader' | 'writer' | undefined> =>
  (await decode({ token, secret, salt: 'authjs.session-token' }))?.role
export const nameOf = (session: Session | null): User['name'] => session?.user?.name ?? null
`

/** What applications see of the errors, and of the package's own files, must be as if its modules had not been joined. */
const SECOND_FACTOR = `
import { expressAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
try {
  expressAuth({ secret: 'x'.repeat(32) + 'abcDEF123', providers: [], adapter: memoryAdapter(), secondFactor: true })
} catch (error) {
  console.log(error.message)
}
`

const JOINED = `
import assert from 'node:assert/strict'
import * as latchkey from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import GitHub from 'latchkey/providers/github'
import Passkey from 'latchkey/providers/passkey'

const kinds = Object.entries(latchkey).filter(([, kind]) => kind.prototype instanceof Error)
assert.ok(kinds.length > 30)
// Some have the name that they have in Auth.js as well.
for (const [, kind] of kinds) assert.equal(latchkey[new kind('message').name], kind)

const adapter = memoryAdapter()
assert.throws(() => adapter.updateUser({ id: 'nobody' }), latchkey.AdapterError, 'one class, whichever file throws it')

const config = { secret: 'a secret that is long enough for anything', adapter, providers: [Passkey(), GitHub({ clientId: 'id', clientSecret: 'secret' })] }
const get = (path) => latchkey.Auth(new Request('http://localhost:3000/auth/' + path), config)
const page = await (await get('signin')).text()
const [path] = /assets\\/passkey\\.[\\w-]+\\.js/.exec(page)
assert.equal((await get(path)).status, 200)
console.log(JSON.stringify(Object.keys(latchkey).sort()))
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: false,
    esModuleInterop: true,
    skipLibCheck: false,
    types: ['node'],
    outDir: 'out',
  },
  include: ['*.ts', '*.cts'],
}

/** The options of a new application. `exactOptionalPropertyTypes` infers more from optional members than this checkout. */
const NEWCOMERS_TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node', 'mocha'],
  },
  include: ['*.ts'],
}

describe('the package, packed and installed', function () {
  this.timeout(120_000)

  let folder: string
  let tarball: string
  let files: readonly string[]
  let size: number
  let unpackedSize: number
  const started: (() => Promise<void>)[] = []

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-')))
    ;({ tarball, files, size, unpackedSize } = await packed())
  })

  afterEach(() => Promise.all(started.splice(0).map((stop) => stop())))

  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Installs the package, Express and other packages, as npm does for a project. */
  async function install(context: Mocha.Context, name: string, dependencies: string[] = []) {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, private: true }))
    await npm(path, [...INSTALL, tarball, 'express@5', ...dependencies]).catch((error: Error) => {
      if (process.env.CI || !WITHOUT_NETWORK.test(error.message)) throw error
      console.info('      skipped: the npm registry cannot be reached')
      context.skip()
    })
    return path
  }

  /** A part of a project, with its own manifest; it finds the packages that the project installed. */
  function part(project: string, name: string, manifest: object, files: Record<string, string>) {
    const path = join(project, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, private: true, ...manifest }))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
    return path
  }

  /** Starts an application as its developer would, and gives a visitor to it. */
  function start(cwd: string, file: string): Promise<Visitor> {
    const child = spawn(process.execPath, [file], { cwd, env: ENVIRONMENT })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    started.push(async () => {
      child.kill()
      await ended
    })
    return new Promise((resolve, reject) => {
      let errors = ''
      child.stderr.on('data', (chunk: Buffer) => {
        errors += chunk.toString()
      })
      child.stdout.once('data', (line: Buffer) => {
        const { port } = JSON.parse(line.toString()) as { port: number }
        resolve(new Visitor(`http://localhost:${port}`))
      })
      child.once('exit', (code) => reject(new Error(`${file} ended with ${code}:\n${errors}`)))
    })
  }

  async function expectSignIn(visitor: Visitor) {
    expect((await visitor.get('/users/7')).status).to.equal(401)
    expect((await visitor.get('/auth/signin')).text).to.include('/auth/signin/github')

    const { location } = await visitor.signIn({ username: 'ada', password: 'lovelace' })

    expect(location?.searchParams.get('error')).to.equal(null)
    expect((await visitor.session()).user).to.deep.equal({ name: 'Ada' })
    expect((await visitor.get('/users/7')).json()).to.deep.include({ id: '7' })
  }

  it('holds the code, its types and the views, and nothing that only this checkout needs', () => {
    expect(files).to.include.members([
      'dist/index.js',
      'dist/index.d.ts',
      'dist/providers/catalogue/github.js',
      'views/layout.eta',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/THIRD-PARTY-LICENSES.txt',
    ])
    const unexpected = files.filter((path) => /(^|\/)(test|tests|examples|lib|bench|docs)\/|\.map$|\.test\./.test(path))
    expect(unexpected).to.deep.equal([])
  })

  it('is small: to fetch, on the disk, and in files', () => {
    expect(size).to.be.below(910_000)
    expect(unpackedSize).to.be.below(3_450_000)
    expect(files).to.have.lengthOf.below(800)
  })

  describe('with Express, without the optional packages', () => {
    let project: string
    before(async function () {
      project = await install(this, 'with-express', ['@types/node@20', '@types/express@5'])
    })

    it('says at the start which packages a second factor needs', async () => {
      const path = part(project, 'second-factor', { type: 'module' }, { 'app.js': SECOND_FACTOR })
      const { stdout } = await run(process.execPath, ['app.js'], { cwd: path, env: ENVIRONMENT })
      expect(stdout).to.include('npm install otpauth uqr')
    })

    it('signs in from an ES module', async () => {
      await expectSignIn(await start(part(project, 'esm', { type: 'module' }, { 'app.js': ESM }), 'app.js'))
    })

    it('signs in from a CommonJS module', async () => {
      await expectSignIn(await start(part(project, 'commonjs', {}, { 'app.js': COMMONJS }), 'app.js'))
    })

    it('signs in from a strict TypeScript project, and from a CommonJS file of it', async () => {
      const files = { 'tsconfig.json': JSON.stringify(TSCONFIG), 'app.ts': TYPESCRIPT, 'common.cts': TYPESCRIPT }
      const path = part(project, 'typescript', { type: 'module' }, files)

      const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', path]).catch(({ stdout }) => ({
        stdout,
      }))
      expect(stdout).to.equal('')

      await expectSignIn(await start(path, 'out/app.js'))
      await expectSignIn(await start(path, 'out/common.cjs'))
    })
  })

  it('is as one, though the build joins its modules', async function () {
    const project = await install(this, 'with-passkeys', ['@simplewebauthn/server@14'])
    const path = part(project, 'joined', { type: 'module' }, { 'joined.js': JOINED })
    const { stdout, stderr } = await run(process.execPath, ['joined.js'], { cwd: path, env: ENVIRONMENT })
    expect(stderr).to.equal('')
    expect(JSON.parse(stdout), 'exports nothing that its module does not').to.deep.equal(Object.keys(latchkey).sort())
  })

  it('compiles every snippet of the README, as a project of its own with `strict` and @types/express', async () => {
    // In the checkout, so that the packages which the README installs are found without the registry.
    const path = join(ROOT, '.tmp/readme')
    rmSync(path, { recursive: true, force: true })
    const installed = join(path, 'node_modules/latchkey')
    mkdirSync(installed, { recursive: true })
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
    const readme = snippets().filter((one) => one.path === 'README.md')
    expect(readme).to.have.lengthOf.at.least(2)
    const files = readme.map(({ line, names, code }) => [
      `readme-${line}.ts`,
      `export {}; ${declarationsFor(names)} ${code}`,
    ])
    for (const [file = '', text = ''] of files) writeFileSync(join(path, file), text)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(NEWCOMERS_TSCONFIG))

    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['-p', path], { cwd: path }).catch(({ stdout }: { stdout: string }) => ({
      stdout,
    }))
    expect(stdout).to.equal('')
  })
})
