import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, getSession, requireAuth } from '../../lib/index.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { SESSION } from '../support/test-app.js'

class Visit {
  readonly expires = '2040-01-01T00:00:00.000Z'
  constructor(readonly user: { name: string }) {}
}

const EXPIRES = '2040-01-01T00:00:00.000Z'

/** What no session can be → what the log calls it. */
const NO_SESSION: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'an Error': [new Error('no such user'), /gave an instance of Error/],
  'an error of a library': [Object.assign(Object.create(Error.prototype), { user: {} }), /gave an instance of Error/],
  'a text': ['Ada', /gave a string/],
  'an empty text': ['', /gave an empty string/],
  'a number': [7, /gave a number/],
  zero: [0, /gave a number/],
  true: [true, /gave true/],
  false: [false, /gave false/],
  'an array': [[{ user: { name: 'Ada' }, expires: EXPIRES }], /gave a list/],
  'an empty array': [[], /gave a list/],
  'a function': [() => ({ user: { name: 'Ada' } }), /gave a function/],
  'a symbol': [Symbol('user'), /gave a symbol/],
  'a Date': [new Date(), /gave an instance of Date/],
  'a Map': [new Map([['user', {}]]), /gave an instance of Map/],
  'a Response': [Response.json({ user: { name: 'Ada' } }), /gave an instance of Response/],
  'the promise of an Error': [Promise.resolve(new Error('no such user')), /gave an instance of Error/],
  'the promise of a text': [Promise.resolve('Ada'), /gave a string/],
}

/** What says that nobody is signed in. */
const NOBODY: Readonly<Record<string, unknown>> = {
  null: null,
  undefined: undefined,
  '{}': {},
  'an object without user and expires': { accountId: 7 },
  'an object whose user and expires are empty': { user: undefined, expires: null },
  'the promise of {}': Promise.resolve({}),
  'an object without a prototype': Object.create(null),
}

/** What is a session, however little of one. */
const SESSIONS: Readonly<Record<string, unknown>> = {
  'a user alone': { user: { name: 'Ada' } },
  'an end alone': { expires: EXPIRES },
  'an end that is a Date': { expires: new Date(EXPIRES), accountId: 7 },
  'an object of a class': new Visit({ name: 'Ada' }),
}

const STRATEGIES: Readonly<Record<string, () => Partial<AuthConfig>>> = {
  jwt: () => ({}),
  database: () => {
    const adapter = memoryAdapter()
    adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null })
    return { adapter }
  },
}

for (const [strategy, options] of Object.entries(STRATEGIES)) {
  describe(`a session callback, with the strategy ${strategy}`, () => {
    let app: Running
    afterEach(() => app.close())

    const open = async (authorized?: NonNullable<AuthConfig['callbacks']>['authorized']) => {
      const given: { value: unknown } = { value: { user: { name: 'Ada' }, expires: EXPIRES } }
      const log = createLog()
      const config = testConfig({
        ...options(),
        logger: log.logger,
        callbacks: { session: (() => given.value) as never, ...(authorized && { authorized }) },
      })
      app = await startApp(config, (express) => {
        express.get('/private', requireAuth(config), (_, res) => void res.send('the papers'))
        express.get('/peek', async (req, res) => {
          res.json(await getSession(req, config).catch((error: Error) => ({ thrown: error.name })))
        })
      })
      const ada = app.visitor()
      await ada.signIn(ADA)
      const token = ada.jar.get(SESSION)
      const look = async () => {
        const [guard, peek, route] = [await ada.get('/private'), await ada.get('/peek'), await ada.get('/auth/session')]
        expect(ada.jar.get(SESSION), 'the cookie').to.equal(token)
        return { guard: guard.status, peek: peek.json(), route: [route.status, route.json()] }
      }
      return { given, log, look, ada }
    }

    it('a value that cannot be a session signs nobody in: a fault, logged once with the kind of the value (SESS-15)', async () => {
      const { given, log, look } = await open()
      for (const [what, [value, message]] of Object.entries(NO_SESSION)) {
        given.value = value
        log.errors.length = 0
        const { guard, peek, route } = await look()
        expect([guard, route], what).to.deep.equal([503, [503, null]])
        expect(Object.keys(peek), what).to.deep.equal(['thrown'])
        // The guard and the session route log it; getSession throws it, and its caller decides.
        const causes = log.errors.map(({ cause }) => (cause as { err?: Error } | undefined)?.err?.message)
        expect(causes, what).to.have.length(2)
        for (const cause of causes) expect(cause, what).to.match(message)
      }
    })

    it('means nobody by null, and by an object that has neither user nor end; session and cookie stay', async () => {
      const { given, log, look } = await open()
      for (const [what, value] of Object.entries(NOBODY)) {
        given.value = value
        expect(await look(), what).to.deep.equal({ guard: 401, peek: null, route: [200, null] })
      }
      expect(log.errors).to.deep.equal([])
      expect(log.warnings, 'logged once, for the object with other members').to.deep.equal(['session-without-user'])
      given.value = { user: { name: 'Ada' }, expires: EXPIRES }
      expect((await look()).guard).to.equal(200)
    })

    it('is given as it is when it has a user or an end', async () => {
      const { given, look } = await open()
      for (const [what, value] of Object.entries(SESSIONS)) {
        given.value = value
        const json = JSON.parse(JSON.stringify(value))
        const { guard, peek, route } = await look()
        expect([guard, route], what).to.deep.equal([200, [200, json]])
        // Routes get the ids as well.
        const user = json.user && { ...json.user, id: '1815' }
        expect(peek, what).to.deep.equal({ ...json, ...(user && { user }), id: peek.id })
        expect(peek.id, what).to.match(/^[\w-]{22}$/)
      }
    })

    it('that gives {} shows `authorized` nobody', async () => {
      const seen: unknown[] = []
      const { given, look } = await open(({ auth }) => {
        seen.push(auth)
        return auth !== null
      })
      given.value = {}
      expect((await look()).guard).to.equal(401)
      expect(seen).to.deep.equal([null])
    })

    it('is asked on an update in the same way', async () => {
      const { given, ada } = await open()
      const update = async () => {
        const { status, text } = await ada.post('/auth/session', { csrfToken: await ada.csrfToken(), data: 'x' })
        return [status, text]
      }
      given.value = new Error('no such user')
      expect(await update()).to.deep.equal([503, 'null'])
      given.value = {}
      expect(await update()).to.deep.equal([200, 'null'])
    })
  })
}
