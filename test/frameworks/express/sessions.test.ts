import { expect } from 'chai'
import connect from 'connect'
import express, { type ErrorRequestHandler, type Request } from 'express'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import {
  type AuthConfig,
  defineAuth,
  expressAuth,
  getSession,
  listSessions,
  RequestRefused,
  revokeAllSessions,
  revokeOtherSessions,
  revokeSession,
} from '../../../lib/index.js'
import { listen, type Running, startApp, testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { enteredBy, LISTING_STRATEGIES, PEOPLE, type Person, storeWithPeople } from '../../support/people-app.js'
import { later } from '../../support/timers.js'
import type { Visitor } from '../../support/visitor.js'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0' }
const UNKNOWN_IDS = ['', 'x', 'A'.repeat(22), '1815', '__proto__']

/** The status of an error of Latchkey, as the error handler of Express uses it, and its type. */
const tellErrors: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ type: error.type })
}

/** Sends what a page of the application sends. */
const send = (visitor: Visitor, path: string, body: unknown, headers: Record<string, string> = {}) =>
  visitor.postJson(path, body, { origin: visitor.origin, ...headers })

const nameOf = async (visitor: Visitor): Promise<string | null> => (await visitor.session())?.user?.name ?? null

for (const [strategy, optionsFor] of Object.entries(LISTING_STRATEGIES)) {
  describe(`listSessions and revokeSession in routes, with the strategy ${strategy}`, () => {
    let app: Running | undefined
    afterEach(async () => {
      await app?.close()
      app = undefined
    })

    const makeConfig = async (more: Partial<AuthConfig> = {}, store?: Required<Adapter>) => {
      const base = optionsFor(store ?? (await storeWithPeople()))
      return testConfig({ ...base, ...more, session: { ...base.session, ...more.session } })
    }

    const open = async (more: Partial<AuthConfig> = {}, trustProxy: unknown = false) => {
      const ended: unknown[] = []
      const store = await storeWithPeople()
      const config = await makeConfig({ events: { signOut: (message) => void ended.push(message) }, ...more }, store)
      const running = await startApp(config, (server) => {
        server.set('trust proxy', trustProxy)
        server.use(express.json())
        server.get('/mine', async (req, res) => void res.json(await listSessions(req, config)))
        server.all('/end', async (req, res) => {
          const isRevoked = await revokeSession(req, config, req.body?.id ?? req.query['id'], req.body?.options)
          res.json({ isRevoked, session: await getSession(req, config) })
        })
        server.all('/end-others', async (req, res) => {
          res.json(await revokeOtherSessions(req, config, req.body?.options))
        })
        server.use(tellErrors)
      })
      app = running
      const signIn = async (person: Person, headers: Record<string, string> = FIREFOX) => {
        const visitor = running.visitor()
        const csrfToken = await visitor.csrfToken()
        await visitor.post('/auth/callback/credentials', { csrfToken, ...enteredBy(person) }, headers)
        return visitor
      }
      return { config, store, ended, signIn, visitor: running.visitor, origin: running.origin }
    }

    const idOf = async (visitor: Visitor): Promise<string> =>
      (await visitor.get('/mine')).json().find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id

    it('lists the sessions of the visitor, with browser and network', async () => {
      const { signIn } = await open()
      await signIn('eve')
      const ada = await signIn('ada')
      const [session, ...more] = (await ada.get('/mine')).json()
      expect(more).to.deep.equal([])
      expect(session).to.deep.include({
        isCurrent: true,
        browser: 'Firefox 141',
        system: 'Linux',
        network: '127.0.0.0/24',
        userAgent: FIREFOX['user-agent'],
      })
    })

    it('takes the network from a proxy only where Express trusts it', async () => {
      const forwarded = { ...FIREFOX, 'x-forwarded-for': '198.51.100.9, 203.0.113.77' }
      for (const [trust, network] of [
        [false, '127.0.0.0/24'],
        [1, '203.0.113.0/24'],
      ] as const) {
        const { signIn, origin } = await open({ url: 'http://127.0.0.1' }, trust)
        expect(origin).to.be.a('string')
        const ada = await signIn('ada', forwarded)
        expect((await ada.get('/mine')).json()[0].network).to.equal(network)
        await app?.close()
      }
    })

    it('signs in all the same where the trust proxy function of the application throws', async () => {
      const trust = () => {
        throw new Error('no list of proxies')
      }
      const { signIn } = await open({ url: 'http://127.0.0.1' }, trust)
      const ada = await signIn('ada', { ...FIREFOX, 'x-forwarded-for': '203.0.113.77' })
      expect((await ada.get('/mine')).json()[0].network).to.equal(null)
    })

    it('tells who is not signed in so: there is no empty list', async () => {
      const { visitor, origin } = await open()
      for (const path of ['/mine', '/end', '/end-others']) {
        const method = path === '/mine' ? 'GET' : 'POST'
        const answer = await visitor().visit(path, { method, headers: { origin } })
        expect([answer.status, answer.json()], path).to.deep.equal([401, { type: 'RequestRefused' }])
      }
    })

    it('ends the session on another device', async () => {
      const { signIn, ended } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const answer = await send(desk, '/end', { id: await idOf(phone) })
      expect(answer.json()).to.have.property('isRevoked', true)
      expect(answer.json().session.user.name).to.equal('Ada')
      expect([await nameOf(desk), await nameOf(phone), ended, answer.setCookie]).to.deep.equal(['Ada', null, [], []])
    })

    it('signs out here for the session of the request: all its cookies go, and there is one event', async () => {
      const { signIn, ended } = await open()
      const desk = await signIn('ada')
      const copy = desk.copy()
      const answer = await send(desk, '/end', { id: await idOf(desk) })
      expect(answer.json()).to.deep.equal({ isRevoked: true, session: null })
      expect(answer.headers.get('cache-control')).to.include('no-store')
      expect([...desk.jar.keys()], 'all cookies of a sign-out').to.deep.equal(['authjs.known-browser'])
      expect([await nameOf(copy), ended.length]).to.deep.equal([null, 1])
    })

    it('signs out here although the store is down, and tells the route that a copy may still work', async () => {
      const { signIn, store } = await open()
      const desk = await signIn('ada')
      const id = await idOf(desk)
      store.deleteSession = store.revokeTokenSession = async () => {
        throw new Error('the store is down')
      }
      const answer = await send(desk, '/end', { id })
      expect([answer.status, answer.json()]).to.deep.equal([500, { type: 'SignOutError' }])
      expect([...desk.jar.keys()]).to.deep.equal(['authjs.known-browser'])
    })

    it('signs nobody out of this browser if the store fails to end another session', async () => {
      const { signIn, store } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      store.deleteSession = store.revokeTokenSession = async () => {
        throw new Error('the store is down')
      }
      const answer = await send(desk, '/end', { id })
      expect([answer.status, answer.setCookie]).to.deep.equal([500, []])
      expect(await nameOf(desk)).to.equal('Ada')
    })

    it('says false for the session of another user and for what nobody has, whatever a form brought', async () => {
      const { signIn } = await open()
      const [ada, eve] = [await signIn('ada'), await signIn('eve')]
      const id = await idOf(ada)
      for (const guess of [id, ...UNKNOWN_IDS, [id], { id }, 7, null]) {
        expect((await send(eve, '/end', { id: guess })).json(), String(guess)).to.have.property('isRevoked', false)
      }
      expect((await send(eve, '/end-others', {})).json()).to.equal(0)
      expect([await nameOf(ada), await nameOf(eve)]).to.deep.equal(['Ada', 'Eve'])
    })

    it('ends all others, and says how many', async () => {
      const { signIn } = await open()
      const [desk, phone, laptop] = [await signIn('ada'), await signIn('ada'), await signIn('ada')]
      expect((await send(desk, '/end-others', {})).json()).to.equal(2)
      expect(await Promise.all([desk, phone, laptop].map(nameOf))).to.deep.equal(['Ada', null, null])
    })

    it('wants a recent sign-in for other sessions, unless the route has asked for a proof itself', async () => {
      const { signIn } = await open({ session: { recentAuthAge: 1 } })
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      for (const [path, body] of [
        ['/end', { id }],
        ['/end', { id: 'x' }],
        ['/end-others', {}],
      ] as const) {
        const answer = await later(1100, () => send(desk, path, body))
        expect([answer.status, answer.json()], path).to.deep.equal([403, { type: 'RecentSignInRequired' }])
      }
      expect(await nameOf(phone)).to.equal('Ada')
      const options = { maxAuthAge: 60 }
      const asked = await later(1100, () => send(desk, '/end', { id, options }))
      expect(asked.json().isRevoked).to.equal(true)
      expect((await send(desk, '/end', { id: await idOf(desk) })).json().isRevoked).to.equal(true)
    })

    it('refuses a link, and what no page of the application is known to have sent', async () => {
      const { signIn } = await open()
      const [desk, phone] = [await signIn('ada'), await signIn('ada')]
      const id = await idOf(phone)
      for (const path of [`/end?id=${id}`, '/end-others']) expect((await desk.get(path)).status).to.equal(405)
      const senders: Record<string, string>[] = [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]
      for (const headers of senders) {
        for (const path of ['/end', '/end-others']) {
          expect((await desk.postJson(path, { id }, headers)).json()).to.deep.equal({ type: 'MissingCSRF' })
        }
      }
      expect((await send(desk, '/end', { id }, { 'sec-fetch-dest': 'image' })).json().type).to.equal('MissingCSRF')
      expect(await nameOf(phone)).to.equal('Ada')
    })

    it('refuses a misspelt option: it must not be taken for none', async () => {
      const { signIn } = await open()
      const ada = await signIn('ada')
      const answer = await send(ada, '/end-others', { options: { maxAge: 60 } })
      expect(answer.json()).to.deep.equal({ type: 'InvalidConfiguration' })
    })

    it('ends every session of a user for an administrator, and those of nobody else', async () => {
      const { signIn, config } = await open()
      const [desk, phone, eve] = [await signIn('ada'), await signIn('ada'), await signIn('eve')]
      expect(await revokeAllSessions(config, PEOPLE.ada.id)).to.equal(2)
      expect(await Promise.all([desk, phone, eve].map(nameOf))).to.deep.equal([null, null, 'Eve'])
      expect(await revokeAllSessions(config, PEOPLE.ada.id)).to.equal(0)
      expect(await nameOf(await signIn('ada'))).to.equal('Ada')
    })

    it('says what is missing where an administrator gives no user', async () => {
      const { config } = await open()
      for (const id of [undefined, null, '']) {
        const error = await failureOf(revokeAllSessions(config, id as unknown as string))
        expect(error).to.have.property('type', 'InvalidConfiguration')
      }
    })

    it('works with defineAuth, and in Connect, where the answer is not known', async () => {
      const config = await makeConfig()
      const auth = defineAuth(config)
      const server = connect()
      server.use('/auth', expressAuth(config))
      server.use('/mine', async (req, res) => res.end(JSON.stringify(await auth.listSessions(req))))
      server.use('/end', async (req, res) => {
        const id = new URL(req.url ?? '', 'http://x').searchParams.get('id') ?? ''
        const isRevoked = await auth.revokeSession(req, id)
        res.end(JSON.stringify([isRevoked, await auth.getSession(req)]))
      })
      server.use('/end-others', async (req, res) => res.end(String(await auth.revokeOtherSessions(req))))
      app = await listen(server)
      const [desk, phone] = [app.visitor(), app.visitor()]
      for (const visitor of [desk, phone]) await visitor.signIn(enteredBy('ada'))
      const form = { method: 'POST', headers: { origin: app.origin } }
      expect((await desk.visit('/end-others', form)).text).to.equal('1')
      expect(await nameOf(phone)).to.equal(null)
      const answer = await desk.visit(`/end?id=${await idOf(desk)}`, form)
      expect(answer.json()).to.deep.equal([true, null])
      expect(await nameOf(desk)).to.equal(null)
      expect(await auth.revokeAllSessions(PEOPLE.ada.id)).to.equal(0)
    })
  })
}

describe('sessions of users, where they cannot be listed', () => {
  it('says which option is missing, for tokens without a store', async () => {
    const config = testConfig()
    const app = await startApp(config, (server) => {
      server.get('/mine', async (req: Request, res) => {
        const error = await failureOf(listSessions(req, config))
        res.json({ refused: error instanceof RequestRefused, message: error?.message })
      })
    })
    try {
      const answer = (await app.visitor().get('/mine')).json()
      expect(answer.refused).to.equal(false)
      expect(answer.message).to.include('session.revocation')
    } finally {
      await app.close()
    }
    const error = await failureOf(revokeAllSessions(config, '1815'))
    expect(error?.message).to.include('session.revocation')
  })

  it('says that a function cannot choose a configuration where there is no request', async () => {
    const auth = defineAuth(() => testConfig())
    for (const call of [
      auth.revokeAllSessions('1815'),
      revokeAllSessions((() => testConfig()) as unknown as AuthConfig, '1815'),
    ]) {
      const error = await failureOf(call)
      expect(error).to.have.property('type', 'InvalidConfiguration')
      expect(error?.message).to.include('has no request')
    }
  })
})
