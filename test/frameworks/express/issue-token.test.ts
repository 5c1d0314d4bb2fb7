import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { Adapter, AdapterSession, AuthConfig } from '../../../lib/index.js'
import { type BearerApp, type GivenToken, STRATEGIES, sessionValue, startBearerApp } from '../../support/bearer-app.js'
import { SystemClock } from '../../support/session-checks.js'
import { SESSION } from '../../support/test-app.js'
import { allClaimsOf } from '../../support/tokens.js'

type More = Partial<AuthConfig>
type Store = ReturnType<typeof memoryAdapter>

for (const strategy of STRATEGIES) {
  describe(`issueToken, with ${strategy} sessions`, () => {
    let app: BearerApp
    const clock = new SystemClock()
    const start = async (more?: More) => {
      app = await startBearerApp(strategy, more)
      return app.signedIn()
    }
    beforeEach(() => {
      clock.restart()
      clock.install()
    })
    afterEach(async () => {
      clock.uninstall()
      await app.close()
    })

    it('gives a token that ends when it should, however often it is used', async () => {
      const ada = await start({ session: { maxAge: 50, updateAge: 0 } })
      const answer = await app.ask(ada, { maxAge: 600, name: 'Backup' })
      const { token, id, expires }: GivenToken = answer.json()
      expect(Date.parse(expires)).to.equal(clock.ms + 600_000)
      const session = await (await app.send('/peek', `Bearer ${token}`)).json()
      expect([session.id, session.user.id, session.scope]).to.deep.equal([id, '1815', undefined])
      expect(session.id).to.not.equal((await (await ada.get('/peek')).json()).id)

      clock.advance(580)
      for (const path of ['/private', '/open', '/auth/session']) {
        expect((await app.send(path, `Bearer ${token}`)).status, path).to.equal(200)
      }
      clock.advance(40)
      expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(401)
      expect(await (await app.send('/auth/session', `Bearer ${token}`)).text()).to.equal('null')
    })

    it('gives no browser session: as a cookie, the token is refused', async () => {
      const ada = await start()
      const { token } = (await app.ask(ada, { maxAge: 600 })).json()
      for (const path of ['/private', '/peek', '/open', '/auth/session', '/recent']) {
        const thief = app.visitor()
        thief.jar.set(SESSION, token)
        const { status, text } = await thief.get(path)
        expect(status === 401 || text === 'null', path).to.equal(true)
        // A `getSession` of the application sends no cookie, so it cannot delete one.
        if (path !== '/peek') expect(thief.jar.has(SESSION), path).to.equal(false)
      }
      expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(200)
    })

    it('issues nothing to nobody, to a bad cookie, or to another token', async () => {
      const ada = await start()
      const { token } = (await app.ask(ada, { maxAge: 600 })).json()
      expect((await app.ask(app.visitor(), { maxAge: 600 })).json()).to.deep.equal({
        type: 'RequestRefused',
        message: 'Nobody is signed in.',
      })
      for (const value of [token, sessionValue(ada), 'nothing']) {
        const answer = await app.ask(ada, { maxAge: 600 }, { authorization: `Bearer ${value}` })
        expect([answer.status, answer.json().message]).to.deep.equal([403, 'A bearer token issues no tokens.'])
      }
    })

    it('is refused to a link, and to what no page of the application is known to have sent', async () => {
      const ada = await start()
      expect((await ada.get('/tokens')).status).to.equal(405)
      const sent: Record<string, string>[] = [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]
      for (const headers of sent) {
        const answer = (await ada.postJson('/tokens', { maxAge: 600 }, headers)).json()
        expect([answer.type, answer.token], JSON.stringify(headers)).to.deep.equal(['MissingCSRF', undefined])
      }
      const page = { 'sec-fetch-site': 'same-origin' }
      expect((await ada.postJson('/tokens', { maxAge: 600 }, page)).json().token).to.be.a('string')
    })

    it('asks for a recent sign-in', async () => {
      const ada = await start({ session: { recentAuthAge: 60 } })
      expect((await app.ask(ada, { maxAge: 600 })).status).to.equal(200)
      clock.advance(61)
      expect((await app.ask(ada, { maxAge: 600 })).json().type).to.equal('RecentSignInRequired')
      expect((await ada.get('/private')).status).to.equal(200)
    })

    it('refuses options that would give more than was meant', async () => {
      const ada = await start({ session: { maxLifetime: 1000 } })
      const bad = [
        {},
        { maxAge: 0 },
        { maxAge: -1 },
        { maxAge: 1.5 },
        { maxAge: '600' },
        { maxAge: null },
        { maxAge: 1001 },
        { maxAge: 60, scope: '' },
        { maxAge: 60, scope: 'a  b' },
        { maxAge: 60, scope: ' a' },
        { maxAge: 60, scope: 'a"b' },
        { maxAge: 60, scope: 'a\\b' },
        { maxAge: 60, scope: ['a'] },
        { maxAge: 60, scope: null },
        { maxAge: 60, scopes: 'a' },
        { maxAge: 60, name: '' },
        { maxAge: 60, name: 'x'.repeat(101) },
        { maxAge: 60, name: 'a\nb' },
      ]
      for (const wanted of bad) {
        const answer = (await app.ask(ada, wanted)).json()
        expect([answer.type, answer.token], JSON.stringify(wanted)).to.deep.equal(['InvalidConfiguration', undefined])
      }
    })

    it('says what is missing where tokens are not accepted', async () => {
      const ada = await start({ bearer: false })
      const answer = (await app.ask(ada, { maxAge: 60 })).json()
      expect(answer).to.deep.equal({
        type: 'InvalidConfiguration',
        message: 'Tokens can be issued only if they are accepted: set `bearer: true` in the configuration.',
      })
    })

    it('keeps tokens out of the log and of every error', async () => {
      const ada = await start()
      const { token } = (await app.ask(ada, { maxAge: 600 })).json()
      const texts: string[] = []
      for (const value of [token, `${token}x`, `${token},${token}`]) {
        for (const [path, method] of [
          ['/private', 'GET'],
          ['/reports', 'GET'],
          ['/update', 'POST'],
          ['/auth/signin', 'POST'],
          ['/auth/signout', 'POST'],
        ] as const) {
          texts.push(await (await app.send(path, `Bearer ${value}`, { method })).text())
        }
      }
      const logged = JSON.stringify([app.log.errors.map(({ message, stack }) => [message, stack]), app.log.lines])
      for (const secret of [token, sessionValue(ada)]) expect(logged + texts.join()).to.not.include(secret.slice(-20))
    })

    it('gives a token that its owner can end with curl, and ends nothing else', async () => {
      const ada = await start()
      const { token } = (await app.ask(ada, { maxAge: 600, scope: 'reports:read' })).json()
      const answer = await app.send('/auth/signout', `Bearer ${token}`, { method: 'POST' })
      expect([answer.status, answer.headers.get('location'), answer.headers.getSetCookie()]).to.deep.equal([
        200,
        app.origin,
        [],
      ])
      expect((await app.send('/reports', `Bearer ${token}`)).status).to.equal(401)
      expect((await ada.get('/private')).text).to.equal('Hello Ada')
    })
  })
}

describe('issueToken, with stored sessions', () => {
  let app: BearerApp
  afterEach(() => app.close())
  const startWith = async (change: (store: Store) => Partial<Adapter>) => {
    const { store, close } = await startBearerApp('database')
    await close()
    app = await startBearerApp('database', { adapter: { ...store, ...change(store) } })
    return { ada: await app.signedIn(), store }
  }
  const rowsOf = (store: Store) => store.listSessionsByUserId?.('1815') as AdapterSession[]

  it('keeps the digest of the token, its name, its scope and no sign-in time', async () => {
    const { ada, store } = await startWith(() => ({}))
    const { token } = (await app.ask(ada, { maxAge: 600, scope: 'a b', name: 'Backup' })).json()
    const row = rowsOf(store).find(({ kind }) => kind === 'token')
    expect([row?.name, row?.scope, row?.authenticatedAt]).to.deep.equal(['Backup', 'a b', null])
    expect(JSON.stringify(row)).to.not.include(token)
  })

  it('says that an adapter cannot keep tokens', async () => {
    const { ada } = await startWith(() => ({ listSessionsByUserId: undefined }) as object)
    expect((await app.ask(ada, { maxAge: 600 })).json().type).to.equal('MissingAdapterMethods')
    expect((await app.ask(app.visitor(), { maxAge: 600 })).json().type).to.equal('RequestRefused')
  })

  it('names the missing methods, and asks nobody to sign in again, with an adapter made for Auth.js', async () => {
    const none = { listSessionsByUserId: undefined, deleteSessionsByUserId: undefined }
    const { ada } = await startWith(() => none as object)
    const { type, message } = (await app.ask(ada, { maxAge: 600 })).json()
    expect(type).to.equal('MissingAdapterMethods')
    expect(message).to.match(/^The adapter lacks listSessionsByUserId and deleteSessionsByUserId\./)
    expect((await app.send('/private', `Bearer ${sessionValue(ada)}`)).status).to.equal(200)
  })

  it('names the migration where the table of sessions lacks its columns', async () => {
    const keys = ['sessionToken', 'userId', 'expires', 'authenticatedAt'] as const
    const cut = (row: object) => Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key as never)))
    const { ada } = await startWith((store) => ({
      createSession: (session) => store.createSession?.(cut(session) as never) as AdapterSession,
      updateSession: (session) => store.updateSession?.(cut(session) as never) as AdapterSession,
    }))
    expect((await app.ask(ada, { maxAge: 600 })).json().message).to.match(/npx latchkey migrate up/)
    for (let count = 0; count < 2; count += 1) await ada.get('/private')
    expect(app.log.warnings.filter((code) => code === 'session-details-lost')).to.have.length(1)
  })

  it('gives no token if the store loses what it is, and leaves no row', async () => {
    for (const lost of ['kind', 'scope'] as const) {
      const { ada, store } = await startWith((store) => ({
        createSession: (session) => store.createSession?.({ ...session, [lost]: null }) as AdapterSession,
      }))
      const answer = (await app.ask(ada, { maxAge: 600, scope: 'a' })).json()
      expect([answer.type, answer.token], lost).to.deep.equal(['SessionTokenError', undefined])
      expect(rowsOf(store), lost).to.have.length(1)
      if (lost === 'kind') await app.close()
    }
  })

  it('gives no token if the sessions of the user end meanwhile, and leaves no row', async () => {
    const { ada, store } = await startWith((store) => ({
      async createSession(session) {
        if (session.kind === 'token') await store.deleteSessionsByUserId?.('1815')
        return store.createSession?.(session) as AdapterSession
      },
    }))
    expect((await app.ask(ada, { maxAge: 600 })).status).to.equal(401)
    expect(rowsOf(store)).to.deep.equal([])
  })

  it('gives no token if the store is down', async () => {
    let isDown = false
    const { ada } = await startWith((store) => ({
      createSession: (session) => {
        if (isDown) throw new Error('down')
        return store.createSession?.(session) as AdapterSession
      },
    }))
    isDown = true
    expect((await app.ask(ada, { maxAge: 600 })).json().type).to.equal('SessionTokenError')
  })

  it('ends with its user, and with all sessions of the user', async () => {
    const { ada, store } = await startWith(() => ({}))
    const { token } = (await app.ask(ada, { maxAge: 600 })).json()
    await store.deleteSessionsByUserId?.('1815')
    expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(401)
    const other = (await app.ask(await app.signedIn(), { maxAge: 600 })).json()
    await store.deleteUser?.('1815')
    expect((await app.send('/private', `Bearer ${other.token}`)).status).to.equal(401)
  })

  it('answers 503 to a good token while the store is down', async () => {
    let isDown = false
    const { ada } = await startWith((store) => ({
      getSessionAndUser: (token) => {
        if (isDown) throw new Error('down')
        return store.getSessionAndUser?.(token) ?? null
      },
    }))
    const { token } = (await app.ask(ada, { maxAge: 600 })).json()
    isDown = true
    const answer = await app.send('/private', `Bearer ${token}`)
    expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([503, null])
  })
})

describe('issueToken, with tokens', () => {
  let app: BearerApp
  afterEach(() => app.close())

  it('writes what the token is into the claim `latchkey`, and no sign-in time', async () => {
    app = await startBearerApp('jwt')
    const { token, id } = await app.issued({ maxAge: 600, scope: 'a b' })
    const { latchkey, sub } = await allClaimsOf(token)
    expect(sub).to.equal('1815')
    expect(latchkey).to.deep.include({ id, kind: 'token', scope: 'a b', authenticatedAt: null })
  })

  it('gives no token if the codec of the application loses that claim', async () => {
    const tokens = new Map<string, object>()
    app = await startBearerApp('jwt', {
      jwt: {
        encode: ({ token = {}, maxAge = 0 }) => {
          const { latchkey: _, ...claims } = token
          const name = crypto.randomUUID()
          tokens.set(name, { ...claims, exp: Math.floor(Date.now() / 1000) + maxAge, jti: name })
          return name
        },
        decode: ({ token = '' }) => ({ ...tokens.get(token) }),
      },
      session: { recentAuthAge: Number.POSITIVE_INFINITY },
    })
    const answer = (await app.ask(await app.signedIn(), { maxAge: 600, scope: 'a' })).json()
    expect([answer.type, answer.token]).to.deep.equal(['JWTSessionError', undefined])
  })

  it('asks the jwt callback at every use, and ends when that gives nobody', async () => {
    let isGone = false
    app = await startBearerApp('jwt', { callbacks: { jwt: ({ token }) => (isGone ? null : token) } })
    const { token } = await app.issued()
    expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(200)
    isGone = true
    expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(401)
  })

  it('ends with its user where users are read again', async () => {
    const store = memoryAdapter()
    store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    app = await startBearerApp('jwt', { adapter: store, session: { refreshUser: 0 } })
    const { token } = await app.issued()
    expect((await app.send('/private', `Bearer ${token}`)).status).to.equal(200)
    await store.deleteUser('1815')
    const answer = await app.send('/private', `Bearer ${token}`)
    expect([answer.status, answer.headers.getSetCookie()]).to.deep.equal([401, []])
  })

  it('is refused by an application with another secret, or of another instance', async () => {
    app = await startBearerApp('jwt')
    const { token } = await app.issued()
    for (const more of [{ secret: 'another secret that is long enough' }, { instance: 'tenant' }]) {
      const other = await startBearerApp('jwt', more)
      expect((await other.send('/private', `Bearer ${token}`)).status).to.equal(401)
      await other.close()
    }
  })
})
