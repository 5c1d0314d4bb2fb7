import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { decode, encode, getToken } from '../../lib/jwt/index.js'
import { createValueEncryption } from '../../lib/kernel/encrypted-values.js'
import { ADA, createLog, SECRET, startApp, testConfig } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { FakeProvider } from '../support/fake-provider.js'
import { PURPOSES } from '../support/purposes.js'
import { oauth } from '../support/sign-ins.js'
import { SESSION } from '../support/test-app.js'
import { forgeBytes } from '../support/tokens.js'

const SECURE = `__Secure-${SESSION}`
const config = testConfig()
const make = (salt = SESSION) => encode({ token: { sub: '1' }, secret: SECRET, salt })

/** What both forms of getToken give for a request. */
const both = (headers: Record<string, string>) =>
  Promise.all([
    getToken({ headers: { host: 'localhost', ...headers } }, config),
    getToken({ req: { headers }, secret: SECRET }),
  ])

const subjects = (tokens: readonly ({ sub?: string } | null)[]) => tokens.map((token) => token?.sub ?? null)

describe('getToken and somebody who', () => {
  it('puts a token into a cookie for which it was not made', async () => {
    const salts = [SECURE, `${SESSION}.0`, 'authjs.csrf-token', 'authjs.state', '', 'latchkey:state']
    for (const salt of salts) {
      const cookie = `${SESSION}=${await make(salt)}`
      expect(subjects(await both({ cookie })), salt).to.deep.equal([null, null])
    }
    expect(subjects(await both({ cookie: `${SESSION}=${await make()}` }))).to.deep.equal(['1', '1'])
  })

  it('puts a value into the session cookie that was encrypted or signed for another purpose', async () => {
    for (const purpose of PURPOSES) {
      const value = await createValueEncryption([SECRET], purpose, Date.now).encrypt({ sub: '1', jti: '1' }, 900)
      expect(subjects(await both({ cookie: `${SESSION}=${value}` })), purpose).to.deep.equal([null, null])
      expect(await decode({ token: value, secret: SECRET, salt: SESSION }), purpose).to.equal(null)
      expect(await decode({ token: value, secret: SECRET, salt: `latchkey:${purpose}` }), 'with its own salt').to.equal(
        null,
      )
    }
  })

  it('puts the cookies of an open sign-in in place of the session', async () => {
    const idp = await FakeProvider.start()
    const app = await startApp(
      testConfig({ providers: [oauth(idp, 'oidc', { id: 'acme', checks: ['pkce', 'state', 'nonce'] })] }),
    )
    try {
      const mallory = app.visitor()
      await mallory.post('/auth/signin/acme', { csrfToken: await mallory.csrfToken() })
      expect([...mallory.jar.keys()].join())
        .to.include('csrf-token')
        .and.include('state')
        .and.include('pkce')
      for (const [name, value] of mallory.jar) {
        expect(subjects(await both({ cookie: `${SESSION}=${value}` })), name).to.deep.equal([null, null])
      }
    } finally {
      await app.close()
      await idp.stop()
    }
  })

  it('sends two cookies with one name, in one field or in two: the first counts', async () => {
    const [mine, hers] = [await make(), await encode({ token: { sub: '2' }, secret: SECRET, salt: SESSION })]
    const first = [`${SESSION}=${mine}; ${SESSION}=${hers}`, `${SESSION}=${mine};${SESSION}=`]
    for (const cookie of first) expect(subjects(await both({ cookie }))).to.deep.equal(['1', '1'])
    const twoFields = { Cookie: `${SESSION}=${mine}`, cookie: `${SESSION}=${hers}` }
    expect(subjects(await both(twoFields))).to.deep.equal(['1', '1'])
    expect(subjects(await both({ cookie: `${SESSION}=nonsense; ${SESSION}=${hers}` }))).to.deep.equal([null, null])
  })

  it('sends a huge cookie, or very many', async () => {
    const huge = `${(await make()).slice(0, 200)}${'A'.repeat(1_000_000)}`
    const pieces = Array.from({ length: 5000 }, (_, number) => `${SESSION}.${number}=${'A'.repeat(20)}`).join('; ')
    const deep = `${SESSION}=${await forgeBytes(`{"sub":"1","jti":"1","a":${'['.repeat(5000)}${']'.repeat(5000)}}`)}`
    for (const cookie of [`${SESSION}=${huge}`, pieces, deep, 'x=1; '.repeat(5000)]) {
      expect(subjects(await both({ cookie }))).to.deep.equal([null, null])
    }
  })

  it('sends names that objects inherit', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'get']) {
      const req = { headers: { cookie: `${name}=x; a=b`, [name]: 'x' } }
      expect(await getToken({ req, secret: SECRET, cookieName: name }), name).to.equal(null)
      expect(await getToken({ req: { headers: { cookie: 'a=b' } }, secret: SECRET, cookieName: name })).to.equal(null)
      const token = await make(name)
      const good = { headers: { cookie: `${name}=${token}` } }
      expect(await getToken({ req: good, secret: SECRET, cookieName: name }), name).to.include({ sub: '1' })
    }
    const inherited = { headers: Object.create({ cookie: `${SESSION}=${await make()}` }) }
    expect(await getToken({ req: inherited, secret: SECRET })).to.equal(null)
  })

  it('sends a field that no header may have: its cookies are in no error', async () => {
    const cookie = `${SESSION}=${await make()}\r\nx: y\u0000\u{1f511}`
    expect(subjects(await both({ cookie }))).to.deep.equal([null, null])
    expect(subjects(await both({ cookie: `${SESSION}=${await make()}`, 'x\n': '\n' }))).to.deep.equal(['1', '1'])
  })

  it('claims to be a session of somebody else by the claim of Latchkey', async () => {
    const token = await encode({ token: { sub: '1', latchkey: 'x' }, secret: SECRET, salt: SESSION })
    for (const found of await both({ cookie: `${SESSION}=${token}` })) {
      expect(found).to.include({ sub: '1' }).and.not.have.property('latchkey')
    }
    expect(await decode({ token, secret: SECRET, salt: SESSION })).not.to.have.property('latchkey')
  })

  it('reads the log: no token, cookie or secret is in it, nor in an error', async () => {
    const log = createLog()
    const failing: AuthConfig = testConfig({
      logger: log.logger,
      callbacks: {
        jwt: () => {
          throw new Error('the callback broke')
        },
      },
    })
    const token = await make()
    const headers = { host: 'localhost', cookie: `${SESSION}=${token}` }
    const failure = await failureOf(getToken({ headers }, failing))
    const texts = [...log.errors, failure].map(
      (error) => `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`,
    )
    for (const text of [...texts, ...log.lines, ...log.warnings]) {
      expect(text).not.to.include(token.slice(0, 40))
      expect(text).not.to.include(SECRET)
    }
  })

  it('has signed up with the address of somebody else, who confirms it: the session ends', async () => {
    const adapter = memoryAdapter()
    const withStore = testConfig({ adapter, session: { strategy: 'jwt' } })
    const { id } = await adapter.createUser({ id: '7', name: 'Mallory', email: 'ada@example.com', emailVerified: null })
    const latchkey = { id: 'a session', subject: null, authenticatedAt: Date.now(), unconfirmed: id }
    const token = await encode({ token: { sub: id, latchkey }, secret: SECRET, salt: SESSION })
    // An application that writes claims by itself, with what decode gives, keeps the session what it was.
    const decoded = await decode({ token, secret: SECRET, salt: SESSION })
    const changed = await encode({ token: { ...decoded, role: 'writer' }, secret: SECRET, salt: SESSION })
    const read = () =>
      Promise.all(
        [token, changed].map((each) =>
          getToken({ headers: { host: 'localhost', cookie: `${SESSION}=${each}` } }, withStore),
        ),
      )
    expect(subjects(await read())).to.deep.equal([id, id])
    await adapter.updateUser({ id, emailVerified: new Date() })
    expect(subjects(await read())).to.deep.equal([null, null])
  })
})

describe('encode and decode of latchkey/jwt as jwt.encode and jwt.decode', () => {
  it('keep what Latchkey knows of a session: no warning, and a sign-out ends every copy', async () => {
    const log = createLog()
    const own = testConfig({
      logger: log.logger,
      session: { updateAge: 0 },
      jwt: { encode: (params) => encode(params), decode: (params) => decode(params) },
    })
    const app = await startApp(own)
    try {
      const ada = app.visitor()
      await ada.signIn(ADA)
      const copy = ada.copy()
      await ada.get('/auth/session')
      expect((await ada.get('/auth/session')).json()).to.have.nested.property('user.name', 'Ada')
      expect(ada.jar.get(SESSION)).not.to.equal(copy.jar.get(SESSION))
      await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
      expect((await copy.get('/auth/session')).json()).to.equal(null)
      expect(log.warnings).not.to.include('session-claim-lost')
      expect(log.errors).to.deep.equal([])
    } finally {
      await app.close()
    }
  })
})
