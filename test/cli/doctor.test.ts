import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import Libsql from 'libsql'
import { listen, type Running } from '../support/app.js'
import { latchkey, latchkeyProcess } from '../support/command-line.js'
import { FakeProvider } from '../support/fake-provider.js'

const SECRET = 'the-secret-of-this-application-5f2c9e'
const CLIENT_SECRET = 'the-secret-of-the-client-77ab01'
const UNTOUCHED = { AUTH_URL: '', AUTH_SECRET: '', NODE_ENV: '' }

describe('latchkey doctor', function () {
  this.timeout(120_000)
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const doctor = (words: readonly string[] = [], variables: Record<string, string> = {}) =>
    latchkeyProcess(['doctor', ...words], { ...UNTOUCHED, ...variables }, folder)

  const acme = (issuer: string) =>
    `{ id: 'acme', name: 'Acme', type: 'oidc', issuer: '${issuer}', clientId: 'client', clientSecret: '${CLIENT_SECRET}' }`
  const configuration = (providers: string, more = '') =>
    `export const config = { secret: '${SECRET}', providers: [${providers}], ${more} }\n`

  describe('where the provider answers', () => {
    let idp: FakeProvider
    before(async () => {
      idp = await FakeProvider.start()
    })
    after(() => idp.stop())

    it('shows the public address, the cookies and the callback URL to register, and ends with 0', async () => {
      write('src/auth.mjs', configuration(acme(idp.issuer)))
      const { code, output, complaint } = await doctor([], { AUTH_URL: 'https://app.example' })
      expect([code, complaint]).to.deep.equal([0, ''])
      expect(output)
        .to.include('configuration: config of src/auth.mjs')
        .and.include('public URL: https://app.example (from AUTH_URL)')
        .and.include('callback URL to register: https://app.example/auth/callback/acme')
        .and.include('cookie: __Secure-authjs.session-token, Secure, SameSite=lax; for forms: __Host-authjs.csrf-token')
        .and.include('encrypted tokens in a cookie (there is no adapter)')
        .and.include(`✓ issuer ${idp.issuer} answers`)
        .and.include('0 problems, 0 warnings.')
    })

    it('has the same as JSON', async () => {
      write('auth.js', configuration(acme(idp.issuer)).replace('export const config =', 'module.exports.config ='))
      const { code, output } = await doctor(['--json'], { AUTH_URL: 'https://app.example/api/auth' })
      const report = JSON.parse(output)
      expect([code, report.problems]).to.deep.equal([0, 0])
      expect(JSON.stringify(report)).to.include('https://app.example/api/auth/callback/acme')
    })

    it('names every address to register for what is configured, and no other', async () => {
      const keys =
        "keys = { kty: 'EC', crv: 'P-256', d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }"
      const options =
        ", endSession: 'offer', backChannelLogout: true, frontChannelLogout: true, client: { token_endpoint_auth_method: 'private_key_jwt' }, token: { clientPrivateKey: keys }"
      const other = acme(idp.issuer).replace("'acme'", "'other'")
      const providers = `${acme(idp.issuer).replace(' }', `${options} }`)}, ${other}`
      const store = "adapter: new Proxy({}, { get: () => async () => null }), session: { strategy: 'database' }"
      write('auth.mjs', `const ${keys}\n${configuration(providers, store)}`)
      const { output } = await doctor(['--offline'], { AUTH_URL: 'https://app.example/api/auth' })
      const at = 'https://app.example/api/auth'
      for (const line of [
        `callback URL to register: ${at}/callback/acme`,
        `address to register for after a sign-out: ${at}/signout/acme`,
        `back-channel logout URL to register: ${at}/backchannel-logout/acme`,
        `front-channel logout URL to register: ${at}/frontchannel-logout/acme`,
        `URL of your public keys, if keys are registered by URL: ${at}/jwks`,
        `callback URL to register: ${at}/callback/other`,
      ])
        expect(output).to.include(line)
      expect(output).not.to.match(/(signout|logout)\/other/)
    })

    it('says what a provider with two names needs', async () => {
      const wellKnown = `${idp.issuer.replace('127.0.0.1', 'localhost')}/.well-known/openid-configuration`
      write('auth.mjs', configuration(acme(idp.issuer.replace('127.0.0.1', 'localhost'))))
      const { output } = await doctor()
      expect(output)
        .to.include(`set issuer to it, and wellKnown: "${wellKnown}"`)
        .and.include('"A provider with two names"')
      idp.faults.metadata = (document) => ({
        ...document,
        authorization_endpoint: `${idp.issuer.replace('127.0.0.1', 'localhost')}/authorize`,
        end_session_endpoint: `${idp.issuer.replace('127.0.0.1', 'localhost')}/logout`,
      })
      write(
        'auth.mjs',
        configuration(acme(idp.issuer).replace(' }', `, endSession: 'always', wellKnown: '${wellKnown}' }`)),
      )
      const second = await doctor()
      idp.reset()
      expect(second.output).to.match(
        /! browsers are sent to localhost:\d+ to sign in, and the issuer is on another host/,
      )
      expect(second.output).to.match(/! browsers are sent to localhost:\d+ to sign out/)
      // Its metadata have the public name for the rest.
      expect(second.output).to.match(
        /! this application calls 127\.0\.0\.1:\d+, and reads the metadata from localhost:\d+/,
      )
      expect(second.output).to.match(/set token, userinfo, jwks_endpoint to addresses on localhost/)
      expect(second.code).to.equal(0)
    })

    it('says which options the metadata of the provider contradict', async () => {
      const entry = acme(idp.issuer).replace(' }', ', pushedAuthorizationRequests: true }')
      write('auth.mjs', configuration(entry))
      const { code, output } = await doctor([], { AUTH_URL: 'https://app.example' })
      expect(code).to.equal(0)
      expect(output)
        .to.include('! pushedAuthorizationRequests: the metadata have no pushed_authorization_request_endpoint')
        .and.include('0 problems, 1 warning.')
    })

    it('asks nobody with --offline', async () => {
      write('auth.mjs', configuration(acme('https://nobody.invalid')))
      const { code, output } = await doctor(['--offline'])
      expect(code).to.equal(0)
      expect(output).not.to.include('answers')
    })

    it('says by how much the clocks differ', async () => {
      const behind = await listen((req, res) => {
        res.setHeader('date', new Date(Date.now() - 600_000).toUTCString())
        const { origin } = new URL(`http://${req.headers.host}`)
        const endpoints = {
          authorization_endpoint: `${origin}/a`,
          token_endpoint: `${origin}/t`,
          jwks_uri: `${origin}/k`,
        }
        res.setHeader('content-type', 'application/json')
        res.end(JSON.stringify({ issuer: origin, response_types_supported: ['code'], ...endpoints }))
      })
      try {
        write('auth.mjs', configuration(acme(behind.origin)))
        const { code, output, complaint } = await doctor()
        expect([code, complaint]).to.deep.equal([1, '1 problem, 0 warnings.\n'])
        expect(output).to.match(/✗ this clock is (599|600|601) s ahead of the clock of the provider/)
      } finally {
        await behind.close()
      }
    })
  })

  it('names the cause and the cure where a provider does not answer', async () => {
    const gone = await listen(() => {})
    await gone.close()
    write('auth.mjs', configuration(acme(gone.origin)))
    const { code, output } = await doctor()
    expect(code).to.equal(1)
    expect(output).to.include('ECONNREFUSED').and.include('→ Nothing listens there').and.include('In a container')
  })

  it('gives up on a provider that never answers, or answers too much', async () => {
    let sent = 0
    const hanging: Running = await listen((req, res) => {
      if (req.url?.startsWith('/big')) {
        const more = () => {
          while (sent < 64_000_000 && res.write('x'.repeat(65_536))) sent += 65_536
          if (!res.destroyed && sent < 64_000_000) res.once('drain', more)
        }
        more()
      }
    })
    try {
      const big = acme(`${hanging.origin}/big`).replace("'acme'", "'big'")
      write('auth.mjs', configuration(`${acme(hanging.origin)}, ${big}`))
      const { code, output } = await doctor()
      expect(code).to.equal(1)
      expect(output).to.include('no complete answer within 5000 ms')
      expect(sent).to.be.lessThan(32_000_000)
    } finally {
      await hanging.close()
    }
  })

  it('lists every mistake of a configuration, with its cure', async () => {
    write('auth.mjs', "export default { providers: [undefined], session: { strategy: 'database' }, callback: {} }\n")
    const { code, output, complaint } = await doctor()
    expect([code, complaint]).to.deep.equal([1, '4 problems, 0 warnings.\n'])
    for (const text of [
      'npx latchkey secret',
      'Did you mean `callbacks`?',
      '`providers[0]` is undefined',
      'no adapter',
    ])
      expect(output).to.include(text)
  })

  it('sees the options that a configuration inherits', async () => {
    write(
      'auth.mjs',
      `class Shared { get secret() { return '${'s3'.repeat(20)}' } get providers() { return [] } }\nexport default new Shared()\n`,
    )
    expect(await doctor()).to.include({ code: 0 })
  })

  it('reads variables from a file, and shows the warnings of a start', async () => {
    write('.env', 'AUTH_SECRET=short-one\nAUTH_URL=http://app.example\n')
    write('auth.mjs', "export const authConfig = { providers: [], accountPage: { parts: ['tokens'] } }\n")
    const outcome = await latchkeyProcess(['doctor', '--env-file', '.env'], { NODE_ENV: '' }, folder)
    expect(outcome.output).to.include('(weak-secret)').and.include('! the public URL is http')
    expect(outcome.output)
      .to.include('names tokens, and the configuration keeps nothing')
      .and.include('(unused-option)')
    expect(outcome.output).not.to.include('short-one')
    const missing = await doctor(['--env-file', 'none.env'])
    // Node 20 reads the option itself, wherever it stands, and ends with 9.
    expect(missing.code).to.be.oneOf([2, 9])
    expect(missing.complaint).to.include('none.env')
  })

  it('shows each reason of an error of the module on a line of its own', async () => {
    write('app.mjs', "throw new Error('It cannot work, for 2 reasons:\\n- There is no secret.\\n- There is no id.')\n")
    const { code, output, complaint } = await doctor(['app.mjs'])
    expect([code, complaint]).to.deep.equal([1, '2 problems, 0 warnings.\n'])
    expect(output)
      .to.include('for 2 reasons:\n    → Mend this first')
      .and.include('✗ There is no secret.\n')
      .and.include('✗ There is no id.\n')
      .and.not.include('u000a')
  })

  it('names what stands in .env and was not read, and nothing of its values', async () => {
    write('.env', `AUTH_ACME_SECRET=${SECRET}\nAUTH_URL=https://app.example\n`)
    write('auth.mjs', 'export const authConfig = { providers: [] }\n')
    const { output } = await doctor([], { AUTH_URL: 'https://other.example' })
    expect(output)
      .to.include('! .env was not read; AUTH_ACME_SECRET: not set')
      .and.include('→ Give this command --env-file .env')
    expect(output).not.to.include(SECRET)
    const read = await doctor(['--env-file', '.env'])
    expect(read.output).not.to.include('was not read')
  })

  it('looks for pending migrations', async () => {
    write('auth.mjs', configuration(''))
    const database = join(folder, 'app.db')
    const before = await doctor(['--database', database])
    expect(before.code).to.equal(1)
    expect(before.output)
      .to.match(/✗ \d+ migrations are pending at .*: 0001-tables, .*0009-authentication/)
      .and.include('→ npx latchkey migrate up')
    await latchkey(['migrate', 'up', '--database', database])
    const after = await doctor([], { DATABASE_URL: database })
    expect([after.code, after.output.includes('are up to date')]).to.deep.equal([0, true])

    const tables = new Libsql(database)
    tables.exec('drop table latchkey_records; drop index sessions_expires_idx')
    const dropped = await doctor(['--database', database])
    expect(dropped.output)
      .to.match(/! all migrations have run .*create index "sessions_expires_idx" .*create table "latchkey_records"/)
      .and.include('→ Unless your code gives the tables other names: empty the table latchkey_migration')
      .and.not.include('are up to date')
    tables.exec('delete from latchkey_migration')
    tables.close()
    await latchkey(['migrate', 'up', '--database', database])
    expect((await doctor(['--database', database])).output).to.include('are up to date')
  })

  describe('where there is no configuration', () => {
    it('says where it looked, and what a module exports', async () => {
      expect((await doctor()).output).to.include('→ Give its path')
      expect((await doctor(['none.js'])).output).to.include('There is no file none.js.')
      write('auth.mjs', 'export const handler = 1\nexport const secret = 2\n')
      expect((await doctor()).output).to.include('It exports handler, secret.')
      write('auth.mjs', `export const config = () => ({ secret: '${SECRET}', providers: [] })\n`)
      expect((await doctor()).output).to.include('is a function')
      expect((await doctor(['--export', 'other'])).output).to.include('with the name other')
    })

    it('says why a module cannot be loaded', async () => {
      write(
        'auth.mjs',
        "import GitHub from './providers/catalogue/githup.js'\nexport const config = { providers: [GitHub] }\n",
      )
      expect((await doctor()).output).to.include('Did you mean "latchkey/providers/github"?')
      write('auth.mjs', "throw new Error('no file of settings')\n")
      const { code, output } = await doctor()
      expect(code).to.equal(1)
      expect(output).to.include('Error: no file of settings')
    })

    it('does not wait for a server that the module starts', async () => {
      write('auth.mjs', `import { createServer } from 'node:http'\ncreateServer().listen(0)\n${configuration('')}`)
      expect((await doctor()).code).to.equal(0)
    })
  })

  it('never shows a secret, wherever it turns up, and no control character', async () => {
    const url = 'postgres://someone:hunter2-of-the-database@127.0.0.1:1/app'
    write(
      'auth.mjs',
      "throw new Error('cannot reach ' + process.env.DATABASE_URL + ' ' + process.env.AUTH_SECRET + ' \\u001b[2J')\n",
    )
    const variables = { DATABASE_URL: url, AUTH_SECRET: SECRET, AUTH_ACME_SECRET: CLIENT_SECRET }
    const failed = await doctor([], variables)
    write('auth.mjs', configuration(acme('http://127.0.0.1:1')))
    const sound = await doctor([], variables)
    const json = await doctor(['--json'], variables)
    for (const { output, complaint } of [failed, sound, json]) {
      expect(output + complaint).not.to.include('hunter2')
      expect(output + complaint).not.to.include(SECRET)
      expect(output + complaint).not.to.include(CLIENT_SECRET)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(output).not.to.match(/[\u0000-\u0009\u000b-\u001f]/)
    }
  })

  it('shows none in another spelling, or in an address whose password was not encoded', async () => {
    const variables = {
      EMAIL_SERVER: 'smtps://mailer:S3cr/etPa55@mail.test:465',
      STORE: 'postgres://app:first@half-of-it@db.test/app',
      API_TOKEN: 'a token "with" & all/that=',
    }
    const error = [
      "process.env.EMAIL_SERVER + ' ' + process.env.STORE.slice(0)",
      'encodeURIComponent(process.env.API_TOKEN)',
      'JSON.stringify({ token: process.env.API_TOKEN })',
      "Buffer.from(process.env.API_TOKEN).toString('base64')",
      "'mysql://other:pass/word@in@the.text/app'",
    ].join(" + ' | ' + ")
    write('auth.mjs', `throw new Error(${error})\n`)
    const { output } = await doctor([], variables)
    expect(output).to.include('could not be loaded')
    for (const part of ['etPa55', 'half-of-it', 'token%20', '\\"with', 'word@in', 'mailer']) {
      expect(output, part).not.to.include(part)
    }
    expect(output).not.to.include(Buffer.from(variables.API_TOKEN).toString('base64'))
  })

  it('knows the variables that the module itself has read from a file', async () => {
    write('.env', 'AUTH_ACME_SECRET=not-a-word-of-this\n')
    const read = "import { loadEnvFile } from 'node:process'\nloadEnvFile('.env')\n"
    write('auth.mjs', `${read}export const config = { secret: '${SECRET}', providers: [] }\n`)
    expect((await doctor()).output).not.to.include('was not read')
    write('auth.mjs', `${read}throw new Error(\`no client has \${process.env.AUTH_ACME_SECRET}\`)\n`)
    const { output } = await doctor()
    expect(output).to.include('no client has …').and.not.include('not-a-word').and.not.include('was not read')
  })

  it('shows colours on a terminal, and where they are forced', async () => {
    write('auth.mjs', configuration(''))
    expect((await doctor()).output).not.to.include('\u001b[')
    expect((await doctor([], { FORCE_COLOR: '1' })).output).to.include('\u001b[1mApplication\u001b[0m')
    expect((await doctor([], { FORCE_COLOR: '0' })).output).not.to.include('\u001b[')
  })

  it('explains itself, as the other commands do', async () => {
    expect((await latchkey(['doctor', '--help'])).output).to.include('Usage: latchkey doctor')
    expect((await latchkey(['--version'])).output).to.equal('0.0.0\n')
    expect((await latchkeyProcess(['--version'])).output).to.match(/^\d+\.\d+\.\d+\n$/)
    expect((await latchkey(['docter'])).complaint).to.include('Did you mean "doctor"?')
    expect((await latchkey(['doctor', 'one', 'two'])).code).to.equal(2)
  })
})
