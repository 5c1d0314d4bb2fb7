import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, hkdfSync } from 'node:crypto'
import { createServer } from 'node:http'
import { expect } from 'chai'
import { jwtDecrypt } from 'jose'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { readText } from '../docs/documents.js'
import { SECRET } from '../support/app.js'
import { skipSuite } from '../support/skip-suite.js'
import { Clock, openTestApp, type TestBrowser } from '../support/test-app.js'

/** A program of `examples/recipes/backend`. */
const program = (name: string) => readText(`examples/recipes/backend/${name}.py`)

/** The cookies of a browser in which Ada is signed in, as a backend of another language gets them. */
async function cookiesOf(config: Partial<AuthConfig>, isHttps: boolean): Promise<Record<string, string>> {
  const origin = isHttps ? 'https://app.example' : 'http://app.example'
  const app = openTestApp(config, { clock: new Clock(Math.floor(Date.now() / 1000) * 1000), origin })
  return jarOf(await app.signedIn())
}
const jarOf = ({ jar }: TestBrowser) =>
  Object.fromEntries([...jar].map(([name, { value }]) => [name, decodeURIComponent(value)]))

/** Claims that need several cookies. */
const large: Partial<AuthConfig> = { callbacks: { jwt: ({ token }) => ({ ...token, note: 'x'.repeat(6000) }) } }
const nameOf = (isHttps: boolean) => `${isHttps ? '__Secure-' : ''}authjs.session-token`

describe('a reader in another language', () => {
  for (const isHttps of [false, true]) {
    for (const [what, config] of [
      ['one piece', {}],
      ['several pieces', large],
    ] as const) {
      it(`finds the key by the sentence of the guide: ${nameOf(isHttps)} in ${what}`, async () => {
        const name = nameOf(isHttps)
        const cookies = await cookiesOf(config, isHttps)
        const pieces = Object.keys(cookies)
          .filter((each) => each.startsWith(`${name}.`))
          .sort()
        expect(pieces.length > 1).to.equal(config === large)
        const token = cookies[name] ?? pieces.map((piece) => cookies[piece]).join('')
        const key = hkdfSync('sha256', SECRET, name, `Auth.js Generated Encryption Key (${name})`, 64)
        const { payload, protectedHeader } = await jwtDecrypt(token, new Uint8Array(key))
        expect(protectedHeader).to.include({ alg: 'dir', enc: 'A256CBC-HS512' })
        expect(payload).to.include({ email: 'ada@example.com' }).and.have.property('latchkey')
      })
    }
  }

  it('checks forms by the cookie and the header', async () => {
    for (const isHttps of [false, true]) {
      const app = openTestApp({}, { origin: isHttps ? 'https://app.example' : 'http://app.example' })
      const browser = app.browser()
      const { csrfToken } = (await browser.get('/auth/csrf')).json()
      const [token, hash] = (jarOf(browser)[`${isHttps ? '__Host-' : ''}authjs.csrf-token`] ?? '').split('|')
      expect(token).to.equal(csrfToken)
      expect(hash).to.equal(createHash('sha256').update(`${csrfToken}${SECRET}`).digest('hex'))
    }
  })

  it('can read nothing with `instance`, and nothing of sessions in a store', async () => {
    const name = nameOf(false)
    const key = new Uint8Array(hkdfSync('sha256', SECRET, name, `Auth.js Generated Encryption Key (${name})`, 64))
    for (const config of [
      { instance: 'north' },
      { adapter: memoryAdapter(), session: { strategy: 'database' as const } },
    ]) {
      const cookies = await cookiesOf(config, false)
      const token = cookies[name] ?? ''
      if (token !== '')
        await jwtDecrypt(token, key).then(
          () => expect.fail('it was read'),
          () => undefined,
        )
    }
  })
})

describe('the Python of the guide', function () {
  this.timeout(120_000)
  const hasLibrary = (python: string) => spawnSync(python, ['-c', 'import jwcrypto'], { stdio: 'ignore' }).status === 0
  let python: string

  before(function () {
    const found = ['python3', '/usr/bin/python3'].find(hasLibrary)
    if (found === undefined) skipSuite(this, 'no python3 with jwcrypto')
    python = found ?? ''
  })

  /** What `claims_of` of the guide gives. */
  const claimsOf = (
    cookies: Record<string, string>,
    isHttps: boolean,
    secret = SECRET,
  ): Record<string, unknown> | null => {
    const input = JSON.stringify({ cookies, secret, isHttps })
    const call =
      'import sys\ngiven = json.load(sys.stdin)\nprint(json.dumps(claims_of(given["cookies"], given["secret"], given["isHttps"])))\n'
    return JSON.parse(execFileSync(python, ['-c', `${program('token')}\n${call}`], { input, encoding: 'utf8' }))
  }

  it('reads the claims, in one piece and in several, without the claim latchkey', async () => {
    for (const isHttps of [false, true])
      for (const config of [{}, large]) {
        const claims = claimsOf(await cookiesOf(config, isHttps), isHttps)
        expect(claims).to.include({ email: 'ada@example.com' }).and.not.have.property('latchkey')
      }
  })

  it('refuses what does not count', async () => {
    const cookies = await cookiesOf({}, true)
    const name = nameOf(true)
    const token = cookies[name] ?? ''
    const named = (value: string) => ({ [name]: value })
    const [, , ...rest] = token.split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none', enc: 'A256CBC-HS512' })).toString('base64url')
    expect(claimsOf(cookies, true)).not.to.equal(null)
    expect(claimsOf({}, true), 'no cookie').to.equal(null)
    expect(claimsOf(cookies, true, 'the secret of another application, long enough'), 'another secret').to.equal(null)
    expect(claimsOf({ 'authjs.session-token': token }, false), 'another name').to.equal(null)
    for (const wrong of ['', 'x', `${token.slice(0, -6)}AAAAAA`, [header, '', ...rest].join('.'), `${token}.${token}`])
      expect(claimsOf(named(wrong), true), wrong.slice(0, 20)).to.equal(null)
  })

  it('refuses an expired token', async () => {
    const app = openTestApp({ session: { maxAge: 60 } }, { clock: new Clock(Date.now() - 3_600_000) })
    expect(claimsOf(jarOf(await app.signedIn()), false)).to.equal(null)
  })

  it('asks Express for the session with the cookies of the visitor', async () => {
    const received: (string | undefined)[] = []
    const server = createServer((req, res) => {
      received.push(req.headers.cookie)
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(req.headers.cookie?.includes('ada') ? { user: { name: 'Ada' } } : null))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const ask = (cookie: string) =>
      new Promise<string>((done, fail) => {
        const code = `${program('session')}\nimport sys\nprint(json.dumps(session_of(sys.argv[1], sys.argv[2])))`
        import('node:child_process').then(({ execFile }) =>
          execFile(python, ['-c', code, cookie, `http://127.0.0.1:${port}/auth/session`], (error, output) =>
            error ? fail(error) : done(output.trim()),
          ),
        )
      })
    try {
      expect(JSON.parse(await ask('authjs.session-token=ada'))).to.deep.equal({ user: { name: 'Ada' } })
      expect(JSON.parse(await ask(''))).to.equal(null)
      expect(received[0]).to.equal('authjs.session-token=ada')
    } finally {
      server.close()
    }
  })
})
