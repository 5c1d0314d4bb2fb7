import { expect } from 'chai'
import type { Request } from 'express'
import express from 'express'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import {
  type Adapter,
  type AuthConfig,
  authSession,
  type CurrentSession,
  defineAuth,
  getSession,
  type JWT,
  type JWTOptions,
  requireAuth,
  updateSession,
} from '../../lib/index.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { Clock, openTestApp, SESSION } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60

const storeWithAda = () => {
  const adapter = memoryAdapter()
  adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  return adapter
}

const STRATEGIES: Readonly<Record<string, () => Partial<AuthConfig>>> = {
  jwt: () => ({}),
  database: () => ({ adapter: storeWithAda() }),
}

/** What browsers get of Ada's session, byte for byte. */
const PLAIN = /^\{"user":\{"name":"Ada","email":"ada@example\.com","image":null\},"expires":"[^"]+"\}$/

for (const [strategy, options] of Object.entries(STRATEGIES)) {
  describe(`the ids of a session, with the strategy ${strategy}`, () => {
    let app: Running | undefined
    afterEach(async () => {
      await app?.close()
      app = undefined
    })

    /** An application whose routes tell what each function of Latchkey gives them. */
    const open = async (more: Partial<AuthConfig> = {}) => {
      const asked: (CurrentSession | null)[] = []
      const config = testConfig({ ...options(), ...more })
      const guarded: AuthConfig = {
        ...config,
        callbacks: {
          ...config.callbacks,
          authorized: ({ auth }) => {
            asked.push(auth)
            return auth !== null
          },
        },
      }
      const allow = (session: CurrentSession, _req: Request) => {
        asked.push(session)
        return true
      }
      const defined = defineAuth(config)
      app = await startApp(config, (server) => {
        server.use(express.json())
        server.get('/get', async (req, res) => void res.json(await getSession(req, config)))
        server.get('/auth-session', authSession(config), (_req, res) => void res.json(res.locals.session))
        server.get('/guard', requireAuth(config), (_req, res) => void res.json(res.locals.session))
        server.get('/rules', requireAuth(config, { allow }), (_req, res) => void res.json(asked.pop()))
        server.get('/authorized', requireAuth(guarded), (_req, res) => void res.json(asked.pop()))
        server.get('/defined', defined.requireAuth(), (_req, res) => void res.json(res.locals.session))
        server.post('/update', async (req, res) => void res.json(await updateSession(req, res, config, {})))
      })
      const ada = app.visitor()
      await ada.signIn(ADA)
      return ada
    }
    const ROUTES = ['/get', '/auth-session', '/guard', '/rules', '/authorized', '/defined']

    it('are the same, whichever function of Latchkey a route calls', async () => {
      const ada = await open()
      const sessions = await Promise.all(ROUTES.map(async (path) => (await ada.get(path)).json()))
      sessions.push((await ada.postJson('/update', {})).json())
      expect(sessions[0].id).to.match(/^[\w-]{22}$/)
      for (const { id, user } of sessions) expect([id, user.id]).to.deep.equal([sessions[0].id, '1815'])
    })

    it('are not in what browsers get from the mount', async () => {
      const ada = await open()
      expect((await ada.get('/auth/session')).text).to.match(PLAIN)
      const updated = await ada.postJson('/auth/session', { csrfToken: await ada.csrfToken(), data: {} })
      expect(updated.text).to.match(PLAIN)
    })

    it('reach browsers with session.exposeIds', async () => {
      const ada = await open({ session: { exposeIds: true } })
      const { id } = (await ada.get('/get')).json()
      const read = await ada.get('/auth/session')
      const { expires, ...shown } = read.json()
      expect(shown).to.deep.equal({ user: { name: 'Ada', email: 'ada@example.com', image: null, id: '1815' }, id })
      expect(expires).to.be.a('string')
      const updated = await ada.postJson('/auth/session', { csrfToken: await ada.csrfToken(), data: {} })
      expect([read.json().id, updated.json().id]).to.deep.equal([id, id])
      expect(await app?.visitor().session(), 'nobody').to.equal(null)
    })

    it('are nobody’s, as a cookie or a bearer token', async () => {
      const ada = await open()
      const { id } = (await ada.get('/get')).json()
      const thief = app?.visitor()
      thief?.jar.set(SESSION, id)
      expect((await thief?.get('/guard'))?.status).to.equal(401)
      expect((await app?.visitor().get('/guard', { authorization: `Bearer ${id}` }))?.status).to.equal(401)
    })

    it('are not shown to callbacks and to the session event', async () => {
      const seen: object[] = []
      const ada = await open({
        events: { session: ({ session }) => void seen.push(session) },
      })
      await ada.get('/get')
      await ada.get('/guard')
      await ada.get('/auth/session')
      expect(seen).to.have.length(3)
      for (const session of seen) expect(JSON.stringify(session)).to.match(PLAIN)
    })

    it('are what the session callback puts there, for routes and for browsers', async () => {
      const ada = await open({
        callbacks: {
          session: ({ session: { expires } }) => ({ id: 'own', user: { id: 'mine', name: 'Ada' }, expires }),
        },
      })
      for (const path of [...ROUTES, '/auth/session']) {
        const { id, user } = (await ada.get(path)).json()
        expect([id, user], path).to.deep.equal(['own', { id: 'mine', name: 'Ada' }])
      }
    })

    it('make no user where the session callback shows none, so that nobody counts as signed in by it', async () => {
      for (const shown of [{}, { user: null }, { user: 'Ada' }]) {
        const ada = await open({
          callbacks: { session: (({ session: { expires } }: never) => ({ ...shown, expires })) as never },
        })
        const { id, expires, ...rest } = (await ada.get('/get')).json()
        expect(rest).to.deep.equal(shown)
        expect(id).to.match(/^[\w-]{22}$/)
        await app?.close()
      }
      app = undefined
    })

    it('are members also where a class of the application has getters of these names', async () => {
      class WithGetter {
        get id(): string | undefined {
          return undefined
        }
      }
      const shown = Object.assign(new WithGetter(), { user: new WithGetter(), expires: '2040-01-01T00:00:00.000Z' })
      const { engine: _, ...testApp } = openTestApp({ ...options(), callbacks: { session: () => shown as never } })
      const current = await (await testApp.signedIn()).current()
      expect([current?.id?.length, current?.user?.id]).to.deep.equal([22, '1815'])
    })

    it('leave the objects of the application alone', async () => {
      class Person {
        readonly name = 'Ada'
        greeting() {
          return `Hello ${this.name}`
        }
      }
      class Shown {
        readonly user = Object.freeze(new Person())
        readonly expires = '2040-01-01T00:00:00.000Z'
        year() {
          return this.expires.slice(0, 4)
        }
      }
      const shown = Object.freeze(new Shown())
      const { engine: _, ...testApp } = openTestApp({ ...options(), callbacks: { session: () => shown as never } })
      const ada = await testApp.signedIn()
      const current = await ada.current()
      const user = current?.user as Person | undefined
      expect((current as Shown | null)?.year(), 'a method of the class of the session').to.equal('2040')
      expect(user).to.deep.include({ name: 'Ada', id: '1815' })
      expect(user?.greeting(), 'a method of its class').to.equal('Hello Ada')
      expect(shown).to.deep.equal(new Shown())
      expect(Object.keys(shown.user)).to.deep.equal(['name'])
    })
  })
}

describe('the id of a session that Auth.js began', () => {
  const CLAIMS = { sub: '1815', name: 'Ada', email: 'ada@example.com' }

  const JTI = 'b3c1f2d8-0000-4000-8000-000000000000'
  /** As an application may write tokens that other programs of its own read. */
  const plain: Partial<JWTOptions> = {
    encode: ({ token }) => Buffer.from(JSON.stringify(token)).toString('base64url'),
    decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
  }
  for (const [title, jwt, make, expected] of [
    ['the id of its token', {}, (claims: JWT) => forge({ ...claims, jti: JTI }), new RegExp(`^${JTI}$`)],
    [
      'a digest of its token, if the codec of the application gives it no id',
      plain,
      (claims: JWT) => plain.encode?.({ token: claims, secret: '', salt: '' }) ?? '',
      /^[\w-]{22}$/,
    ],
  ] as const) {
    it(`is ${title}, also after Latchkey has renewed the token`, async () => {
      const testApp = openTestApp({ jwt })
      const times = { iat: testApp.clock.seconds - 2 * DAY, exp: testApp.clock.seconds + 28 * DAY }
      const token = await make({ ...CLAIMS, ...times })
      const ada = testApp.browser()
      ada.plant(SESSION, token)
      const before = await ada.current()
      expect(before?.id).to.match(expected)
      expect(token).to.not.include(before?.id)
      await ada.get('/auth/session')
      expect(ada.jar.get(SESSION)?.value, 'renewed').to.not.equal(token)
      expect((await ada.current())?.id).to.equal(before?.id)
    })
  }

  /** An adapter with the methods of Auth.js, and one that can also put the digest in place of the token. */
  const ADAPTERS: Readonly<Record<string, (adapter: Adapter) => Adapter>> = {
    'an adapter made for Auth.js': ({ changeSessionToken: _, deleteSessionsByUserId: __, ...adapter }) => adapter,
    'an adapter of Latchkey': (adapter) => adapter,
  }
  for (const [name, change] of Object.entries(ADAPTERS)) {
    it(`stays with the row, over ${name}`, async () => {
      const clock = new Clock()
      const store = storeWithAda()
      const sessionToken = crypto.randomUUID()
      store.createSession({ sessionToken, userId: '1815', expires: new Date(clock.ms + 28 * DAY * 1000) })
      const testApp = openTestApp({ adapter: change(store) }, { clock })
      const ada = testApp.browser()
      ada.plant(SESSION, sessionToken)
      const first = await ada.current()
      expect(first?.id).to.match(/^[\w-]{22}$/)
      expect(first?.user?.id).to.equal('1815')
      await ada.get('/auth/session')
      clock.advance(DAY)
      await ada.get('/auth/session')
      expect((await ada.current())?.id).to.equal(first?.id)
      const stored = JSON.stringify(await store.getSessionAndUser?.(sessionToken))
      expect(stored).to.not.include(first?.id)
      expect(testApp.log.errors).to.deep.equal([])
    })
  }
})

describe('the id of the user of a session', () => {
  it('is absent where the session names no user', async () => {
    const testApp = openTestApp({ callbacks: { jwt: () => ({ name: 'Somebody' }) } })
    const ada = await testApp.signedIn()
    const session = await ada.current()
    expect(session?.user).to.deep.equal({ name: 'Somebody' })
    expect(session?.id).to.match(/^[\w-]{22}$/)
  })

  it('is that of the next user after a sign-in in the same browser, with another id of the session', async () => {
    const { logger } = createLog()
    const testApp = openTestApp({ logger })
    const ada = await testApp.signedIn()
    const before = await ada.current()
    const copy = ada.copy()
    await ada.signIn()
    const after = await ada.current()
    expect(after?.id).to.not.equal(before?.id)
    expect(await copy.current(), 'the previous session').to.equal(null)
  })
})
