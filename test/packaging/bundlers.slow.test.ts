import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import { SoftAuthenticator } from '../support/authenticator.js'
import { FakeProvider } from '../support/fake-provider.js'
import { type RealOidcProvider, startOidcProvider } from '../support/oidc-provider.js'
import { ENVIRONMENT } from '../support/packed.js'
import { type MailServer, startMailServer } from '../support/smtp.js'
import { Visitor } from '../support/visitor.js'
import { BUNDLERS } from './bundled/bundlers.js'
import { makeProject, OWN_DEPENDENCIES, type Program, startProgram } from './bundled/program.js'

/** What the application installs beside Latchkey. It needs no store, so no driver of one is there. */
const INSTALLED = ['express', 'nodemailer', '@simplewebauthn/server', ...OWN_DEPENDENCIES]
const CLIENT_SECRET = 'the secret of the client, which is long enough'

const IMPORTS = `
export { AuthError } from 'latchkey'
export { default as GitHub } from 'latchkey/providers/github'
`

const REQUIRES = `
const assert = require('node:assert/strict')
const { AccessDenied, Auth } = require('latchkey')
const GitHub = require('latchkey/providers/github')
const imported = require('./imports.mjs')
assert.ok(new AccessDenied('no') instanceof imported.AuthError)
assert.equal(GitHub, imported.GitHub)
assert.equal(GitHub.default, GitHub)
const config = { secret: 'a secret that is long enough for anything', providers: [GitHub({ clientId: 'id', clientSecret: 'secret' })] }
Auth(new Request('http://localhost:3000/auth/signin'), config).then(({ status }) => console.log('one copy', status))
`

describe('an application that is bundled and minified', function () {
  // What a bundler needs depends on what else the machine does: on a busy one webpack took five minutes.
  this.timeout(900_000)

  let folder: string
  let project: string
  let oidc: RealOidcProvider | undefined
  let oauth: FakeProvider
  let mail: MailServer
  let program: Program | undefined

  // Vite sets it for the process that it runs in.
  const { NODE_ENV } = process.env

  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-bundlers-')))
    project = join(folder, 'project')
    await makeProject(project, INSTALLED)
    oauth = await FakeProvider.start()
    mail = await startMailServer()
  })

  afterEach(async () => {
    await oidc?.stop()
    oidc = undefined
    await program?.stop()
    program = undefined
  })

  after(async () => {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = NODE_ENV
    await oauth?.stop()
    await mail?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('carries a package that reads no file but the description of a peer, and asks for none', () => {
    const dist = join(project, 'node_modules/latchkey/dist')
    // The command line is no part of an application. CommonJS is made of the other files, and of the code of other packages.
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.js') && !/^(cli|commonjs)\//.test(file),
    )
    expect(files.length).to.be.greaterThan(100)
    const found = files.flatMap((file) => {
      const text = readFileSync(join(dist, file), 'utf8')
      const forbidden =
        /createRequire|import\.meta|\breadFile|require\.resolve|\besbuild\b|\bimport\((?!\s*(?:\/\*[^*]*\*\/\s*)*["'])/g
      return [...text.matchAll(forbidden)].map(([match]) => `${file}: ${match}`)
    })
    // library.ts: what it cannot read, it does without. packages.ts: where nothing can be resolved, it knows nothing.
    const allowed = found.filter((line) =>
      /webauthn-flow.*: readFile$|^chunks\/common\.js: (import\.meta|createRequire)$/.test(line),
    )
    expect(allowed).to.have.lengthOf(4)
    expect(found).to.deep.equal(allowed)
  })

  it('brings the licenses of the code in it', () => {
    const text = readFileSync(join(project, 'node_modules/latchkey/dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const holder of ['Roman Shtylman', 'Matthew Miller']) expect(text).to.include(holder)
  })

  for (const [name, bundle] of Object.entries(BUNDLERS)) {
    it(`works with ${name}`, async () => {
      const alone = join(folder, name)
      const started = performance.now()
      const file = await bundle(join(project, 'app.js'), alone, [])
      console.info(`      ${name} took ${((performance.now() - started) / 1000).toFixed(1)} s`)
      const { origin, log, provider } = await start(alone, file)

      await openEveryPage(new Visitor(origin))
      await signInWithEveryKind(origin, provider, log)
      await refuseWrongPasswords(new Visitor(origin), log)
      const stores = (await new Visitor(origin).get('/stores')).text
      for (const driver of ['kysely', 'redis']) expect(stores).to.include(`npm install ${driver}`)
    })
  }

  for (const name of ['esbuild', 'ncc'] as const) {
    it(`is one copy in a bundle of CommonJS, whether it is imported or required, with ${name}`, async () => {
      const alone = join(folder, `${name}-commonjs`)
      writeFileSync(join(project, 'imports.mjs'), IMPORTS)
      writeFileSync(join(project, 'both.cjs'), REQUIRES)
      const file = await BUNDLERS[name](join(project, 'both.cjs'), alone, [])
      const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: alone, env: ENVIRONMENT })
      expect(stdout.trim()).to.equal('one copy 200')
    })
  }

  async function start(cwd: string, file: string): Promise<Program & { readonly provider: RealOidcProvider }> {
    // The provider must know the redirect URI, whose port is known once the application runs.
    const provider = await startOidcProvider({
      clients: [
        {
          client_id: 'app',
          client_secret: CLIENT_SECRET,
          redirect_uris: ['http://localhost/auth/callback/acme'],
          application_type: 'native',
        },
      ],
    })
    oidc = provider
    program = await startProgram(cwd, file, { MAIL_SERVER: mail.url, ISSUER: provider.issuer, BOARD: oauth.issuer })
    return { ...program, provider }
  }

  async function openEveryPage(visitor: Visitor) {
    for (const [page, text] of [
      ['signin', 'name="password"'],
      ['signin?error=CredentialsSignin', 'id="message"'],
      // Nobody is signed in.
      ['signout', '<h1'],
      ['error?error=AccessDenied', '<h1'],
      ['verify-request', '<h1'],
    ] as const) {
      const { status, text: html } = await visitor.get(`/auth/${page}`, { accept: 'text/html' })
      expect(status, page).to.equal(page.startsWith('error') ? 403 : 200)
      expect(html, page).to.include(text).and.to.include('<style')
    }
    const [script = ''] = /[^"]*\/assets\/passkey\.[\w-]+\.js/.exec((await visitor.get('/auth/signin')).text) ?? []
    const { status, text } = await visitor.get(script)
    expect(status).to.equal(200)
    expect(text)
      .to.match(/^\/\* latchkey, with @simplewebauthn\/browser \(MIT License/)
      .and.include('navigator')
  }

  async function signInWithEveryKind(origin: string, provider: RealOidcProvider, log: () => string) {
    const signedIn = async (visitor: Visitor, name: string, answer: { location: URL | null }) => {
      expect(answer.location?.searchParams.get('error') ?? null, name).to.equal(null)
      const session = (await visitor.get('/private')).json()
      expect(session.user, name).to.include(name.includes('@') ? { email: name } : { name })
    }
    const atProvider = async (id: string) => {
      const visitor = new Visitor(origin)
      const { location } = await visitor.post(`/auth/signin/${id}`, { csrfToken: await visitor.csrfToken() })
      return { visitor, authorization: location?.href ?? '' }
    }

    const acme = await atProvider('acme')
    const { params } = await provider.authorize(acme.authorization)
    await signedIn(acme.visitor, 'Person ada', await acme.visitor.get(`/auth/callback/acme?${params}`))

    const board = await atProvider('board')
    const answer = oauth.authorize(board.authorization)
    await signedIn(board.visitor, 'Ada', await board.visitor.get(`/auth/callback/board?${answer}`))

    const reader = new Visitor(origin)
    await reader.post('/auth/signin/nodemailer', { csrfToken: await reader.csrfToken(), email: 'mail@example.com' })
    const [link = ''] = /http:\/\/localhost\S+/.exec(mail.delivered.at(-1)?.mail.text ?? '') ?? []
    const { search } = new URL(link)
    await signedIn(reader, 'mail@example.com', await reader.get(`/auth/callback/nodemailer${search}`))

    const device = new SoftAuthenticator(origin)
    for (const action of ['register', 'authenticate'] as const) {
      const visitor = new Visitor(origin)
      const query = new URLSearchParams({ action, email: 'passkey@example.com' })
      const { options } = (await visitor.get(`/auth/webauthn-options/passkey?${query}`)).json()
      expect(options, log()).to.be.an('object')
      const posted = await visitor.post('/auth/callback/passkey', { action, data: device[action](options) })
      await signedIn(visitor, 'passkey@example.com', posted)
    }

    const typist = new Visitor(origin)
    await signedIn(typist, 'Ada', await typist.signIn({ username: 'Ada', password: 'lovelace' }))
  }

  async function refuseWrongPasswords(visitor: Visitor, log: () => string) {
    const before = log().length
    for (const [password, code] of [
      ['wrong', 'credentials'],
      ['locked', 'locked'],
    ] as const) {
      const { location } = await visitor.signIn({ username: 'ada', password })
      expect(location?.search).to.equal(`?error=CredentialsSignin&code=${code}`)
    }
    const lines = log().slice(before).trim().split('\n')
    expect(lines).to.have.length(2)
    for (const line of lines) expect(line).to.include('[latchkey][info] CredentialsSignin: ')
  }

  it('works with latchkey/client in a browser, without any other package, and says what else is not for browsers', async () => {
    const forBrowsers = (contents: string) =>
      build({
        stdin: { contents, resolveDir: project },
        bundle: true,
        write: false,
        platform: 'browser',
        format: 'esm',
        logLevel: 'silent',
      })
    expect((await forBrowsers(`export { signIn } from 'latchkey/client'`)).errors).to.deep.equal([])
    for (const code of [
      `export { expressAuth } from 'latchkey'`,
      `export { default } from 'latchkey/providers/github'`,
      `export { sqlAdapter } from 'latchkey/adapters/sql'`,
      `export { webAuth } from 'latchkey/web'`,
    ]) {
      const error = await forBrowsers(code).then(
        () => null,
        (thrown: Error) => thrown,
      )
      expect(error?.message, code).to.include('import-latchkey-client-instead')
    }
  })
})
