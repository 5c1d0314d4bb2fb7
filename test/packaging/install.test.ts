import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../docs/documents.js'
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
const { default: Credentials } = require('latchkey/providers/credentials')
const { default: GitHub } = require('latchkey/providers/github')
${APPLICATION}`

const TYPESCRIPT = `
import { type AuthConfig, type Session, type User } from 'latchkey'
import { oauthProvider, oidcProvider } from 'latchkey/providers'
${ESM.replace('const config =', 'const config: AuthConfig =')}
export const providers: AuthConfig['providers'] = [
  oidcProvider({ id: 'acme', name: 'Acme', issuer: 'https://id.acme.example' }),
  oauthProvider<{ uid: number }>({ id: 'board', name: 'Board', profile: ({ uid }) => ({ id: String(uid) }) }),
]
export const nameOf = (session: Session | null): User['name'] => session?.user?.name ?? null
`

/** What applications see of the errors, and of the package's own files, must be as if its modules had not been joined. */
const JOINED = `
import assert from 'node:assert/strict'
import * as latchkey from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import GitHub from 'latchkey/providers/github'
import Passkey from 'latchkey/providers/passkey'

const kinds = Object.entries(latchkey).filter(([, kind]) => kind.prototype instanceof Error)
assert.ok(kinds.length > 30)
for (const [name, kind] of kinds) assert.equal(new kind('message').name, name)

const adapter = memoryAdapter()
assert.throws(() => adapter.updateUser({ id: 'nobody' }), latchkey.AdapterError, 'one class, whichever file throws it')

const config = { secret: 'a secret that is long enough for anything', adapter, providers: [Passkey(), GitHub({ clientId: 'id', clientSecret: 'secret' })] }
const get = (path) => latchkey.Auth(new Request('http://localhost:3000/auth/' + path), config)
const page = await (await get('signin')).text()
const [path] = /assets\\/passkey\\.[\\w-]+\\.js/.exec(page)
assert.equal((await get(path)).status, 200)
console.log('as one')
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

describe('the package, packed and installed', function () {
  this.timeout(120_000)

  let folder: string
  let tarball: string
  let files: readonly string[]
  const started: (() => Promise<void>)[] = []

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-')))
    ;({ tarball, files } = await packed())
  })

  afterEach(() => Promise.all(started.splice(0).map((stop) => stop())))

  after(() => rmSync(folder, { recursive: true, force: true }))

  async function project(
    context: Mocha.Context,
    name: string,
    manifest: object,
    files: Record<string, string>,
    dependencies: string[] = [],
  ) {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, private: true, ...manifest }))
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
    await npm(path, [...INSTALL, tarball, 'express@5', ...dependencies]).catch((error: Error) => {
      if (process.env.CI || !WITHOUT_NETWORK.test(error.message)) throw error
      console.info('      skipped: the npm registry cannot be reached')
      context.skip()
    })
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
    const unexpected = files.filter((path) => /(^|\/)(test|tests|examples|docs|lib|bench)\/|\.map$|\.test\./.test(path))
    expect(unexpected).to.deep.equal([])
  })

  it('signs in from an ES module', async function () {
    const path = await project(this, 'esm', { type: 'module' }, { 'app.js': ESM })
    await expectSignIn(await start(path, 'app.js'))
  })

  it('is as one, though the build joins its modules', async function () {
    const path = await project(this, 'joined', { type: 'module' }, { 'joined.js': JOINED }, [
      '@simplewebauthn/server@14',
    ])
    const { stdout, stderr } = await run(process.execPath, ['joined.js'], { cwd: path, env: ENVIRONMENT })
    expect([stdout, stderr]).to.deep.equal(['as one\n', ''])
  })

  it('signs in from a CommonJS module', async function () {
    const path = await project(this, 'commonjs', {}, { 'app.js': COMMONJS })
    await expectSignIn(await start(path, 'app.js'))
  })

  it('signs in from a strict TypeScript project, and from a CommonJS file of it', async function () {
    const files = { 'tsconfig.json': JSON.stringify(TSCONFIG), 'app.ts': TYPESCRIPT, 'common.cts': TYPESCRIPT }
    const path = await project(this, 'typescript', { type: 'module' }, files, ['@types/node@20', '@types/express@5'])

    const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', path]).catch(({ stdout }) => ({ stdout }))
    expect(stdout).to.equal('')

    await expectSignIn(await start(path, 'out/app.js'))
    await expectSignIn(await start(path, 'out/common.cjs'))
  })
})
