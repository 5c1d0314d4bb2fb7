import { expect } from 'chai'
import type { Express } from 'express'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, getSession, RequestRefused, requireAuth, updateSession } from '../../lib/index.js'
import { getToken } from '../../lib/jwt/index.js'
import type { Provider } from '../../lib/providers/provider.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { atLocalhost, type Running, startApp, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { SystemClock } from '../support/session-checks.js'
import { Mailbox, newPerson, oauth, registering, setProviderUser } from '../support/sign-ins.js'
import { SESSION } from '../support/test-app.js'
import type { Visitor } from '../support/visitor.js'

const ADDRESS = 'ada@example.com'
const clock = new SystemClock()
let idp: FakeProvider

/** What the callbacks of the application have revoked. */
const revoked = { jwt: false, session: false }

/** An application, and Ada, who has a session and a passkey. */
interface ValidatedApp {
  readonly app: Running
  readonly adapter: Required<Adapter>
  readonly mailbox: Mailbox
  /** A new browser in which Ada is signed in, with a session of its own. */
  readonly signedIn: () => Promise<Visitor>
  readonly userId: string
  /** Of a passkey that is stored for her. */
  readonly credentialID: string
}

/** What features let people do in a session. */
const OF_FEATURES = await ofFeatures<{
  readonly provider: () => Provider
  readonly mount: (express: Express, config: AuthConfig) => void
  readonly consumers: Readonly<Record<string, Consumer>>
}>('consumers')

const STRATEGIES = ['jwt', 'database'] as const
type Strategy = (typeof STRATEGIES)[number]

function configOf(strategy: Strategy, adapter: Required<Adapter>, mailbox: Mailbox, session: object): AuthConfig {
  return testConfig({
    adapter,
    providers: [
      registering(adapter),
      ...OF_FEATURES.map(({ provider }) => provider()),
      mailbox.provider(),
      oauth(idp, 'oidc', { id: 'acme' }),
    ],
    session: { strategy, ...session },
    callbacks: {
      jwt: ({ token, trigger }) => (revoked.jwt && (trigger === undefined || trigger === 'update') ? null : token),
      session: ({ session, user }) => {
        if (revoked.session) return null as never
        return user ? { user: { email: user.email }, expires: new Date(session.expires).toISOString() } : session
      },
    },
  })
}

async function start(config: AuthConfig): Promise<Running> {
  const app = await startApp(config, (express) => {
    express.get('/private', requireAuth(config), (_req, res) => res.json(res.locals['session']))
    express.get('/peek', async (req, res) => res.json(await getSession(req, config)))
    express.get('/token', async (req, res) => res.json(await getToken(req, config)))
    express.get('/token-of-headers', async ({ headers: { cookie, host } }, res) => {
      res.json(await getToken({ headers: { cookie, host } }, config))
    })
    express.post('/update', async (req, res) => res.json(await updateSession(req, res, config, { any: 'thing' })))
    for (const { mount } of OF_FEATURES) mount(express, config)
    const answer = (
      error: Error,
      _req: unknown,
      res: { status(code: number): { json(body: unknown): void } },
      _: unknown,
    ) => res.status(error instanceof RequestRefused ? error.status : 500).json({ error: error.message })
    express.use(answer as never)
  })
  return atLocalhost(app)
}

async function openApp(strategy: Strategy): Promise<ValidatedApp> {
  const adapter = memoryAdapter()
  const mailbox = new Mailbox()
  // Sessions are begun where none is said to end early, so that each end below is the only one.
  const before = await start(configOf(strategy, adapter, mailbox, {}))
  const app = await start(configOf(strategy, adapter, mailbox, { maxAge: 3600, maxLifetime: 300 }))
  const signedIn = async () => {
    const there = before.visitor()
    await there.signIn({ email: ADDRESS })
    const ada = app.visitor()
    for (const name of [SESSION, 'authjs.own-sign-in']) ada.jar.set(name, there.jar.get(name) ?? '')
    return ada
  }
  await signedIn()
  const userId = (await adapter.getUserByEmail(ADDRESS))?.id ?? ''
  const credentialID = Buffer.from('a passkey of hers').toString('base64')
  await adapter.linkAccount({ userId, type: 'webauthn', provider: 'passkey', providerAccountId: credentialID })
  await adapter.createAuthenticator({
    credentialID,
    userId,
    providerAccountId: credentialID,
    credentialPublicKey: 'cHVibGlj',
    counter: 0,
    credentialDeviceType: 'multiDevice',
    credentialBackedUp: true,
  })
  const close = async () => {
    await Promise.all([before.close(), app.close()])
  }
  return { app: { ...app, close }, adapter, mailbox, signedIn, userId, credentialID }
}

/** Somebody who looks at the session: whether they take the visitor for Ada. */
interface Consumer {
  readonly only?: Strategy
  /** What is done while the session is good. */
  readonly prepare?: (opened: ValidatedApp, visitor: Visitor) => Promise<string>
  readonly takesForAda: (opened: ValidatedApp, visitor: Visitor, prepared: string) => Promise<boolean>
}

const emailIn = (text: string) => JSON.parse(text)?.user?.email

/** Either it is, or nobody is: an answer that is neither is a fault of the test, or worse. */
type Decided = (status: number, yes: number, no: number) => boolean
const decided: Decided = (status, yes, no) => {
  expect([yes, no], `status ${status}`).to.include(status)
  return status === yes
}

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  'the guard': {
    takesForAda: async (_, visitor) => decided((await visitor.get('/private')).status, 200, 401),
  },
  getSession: {
    takesForAda: async (_, visitor) => emailIn((await visitor.get('/peek')).text) === ADDRESS,
  },
  getToken: {
    only: 'jwt',
    takesForAda: async (_, visitor) => JSON.parse((await visitor.get('/token')).text)?.email === ADDRESS,
  },
  'getToken with headers alone': {
    only: 'jwt',
    takesForAda: async (_, visitor) => JSON.parse((await visitor.get('/token-of-headers')).text)?.email === ADDRESS,
  },
  'GET session': {
    takesForAda: async (_, visitor) => emailIn((await visitor.get('/auth/session')).text) === ADDRESS,
  },
  'POST session': {
    async takesForAda(_, visitor) {
      const answer = await visitor.post('/auth/session', { csrfToken: await visitor.csrfToken(), data: 'any' })
      return emailIn(answer.text) === ADDRESS
    },
  },
  updateSession: {
    takesForAda: async (_, visitor) => emailIn((await visitor.post('/update', {})).text) === ADDRESS,
  },
  'linking an account of a provider': {
    async takesForAda({ adapter, userId }, visitor) {
      const person = newPerson(null)
      setProviderUser(idp, clock, person)
      const { location } = await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() })
      await visitor.get(`/auth/callback/acme?${idp.authorize(location?.href ?? '')}`)
      const user = await adapter.getUserByAccount({ provider: 'acme', providerAccountId: person.sub })
      expect(user, 'somebody has signed in').not.to.equal(null)
      return user?.id === userId
    },
  },
  ...Object.assign({}, ...OF_FEATURES.map(({ consumers }) => consumers)),
  'confirming the address of a user whose passkeys stay': {
    async takesForAda({ adapter, mailbox, userId }, visitor) {
      await visitor.post('/auth/signin/email', { csrfToken: await visitor.csrfToken(), email: ADDRESS })
      const { searchParams } = new URL(mailbox.pathFor(ADDRESS), visitor.origin)
      const [token, email] = [searchParams.get('token') ?? '', searchParams.get('email') ?? '']
      await visitor.post('/auth/callback/email', { csrfToken: await visitor.csrfToken(), token, email })
      const wasConfirmed = (await adapter.getUser(userId))?.emailVerified != null
      return wasConfirmed && (await adapter.listAuthenticatorsByUserId(userId)).length > 0
    },
  },
}

interface Death {
  readonly only?: Strategy
  /** Ends the session of each of these browsers. */
  readonly die: (opened: ValidatedApp, visitors: readonly Visitor[]) => void | Promise<void>
}

/** What ends a session that the browser still has. */
const DEATHS: Readonly<Record<string, Death>> = {
  'that the jwt callback revoked': { only: 'jwt', die: () => void Object.assign(revoked, { jwt: true }) },
  'that the session callback shows to nobody': { die: () => void Object.assign(revoked, { session: true }) },
  'that is over': { die: () => clock.advance(3600 + 16) },
  'that is over maxLifetime': { die: () => clock.advance(300 + 16) },
  'whose owner has signed out': {
    async die(_, visitors) {
      for (const owner of visitors.map((visitor) => visitor.copy())) {
        await owner.post('/auth/signout', { csrfToken: await owner.csrfToken() })
      }
    },
  },
  'whose row is gone': {
    only: 'database',
    async die({ adapter }, visitors) {
      for (const { jar } of visitors) await adapter.deleteSession(storedForm(jar.get(SESSION) ?? ''))
    },
  },
  'whose user is gone': {
    only: 'database',
    die: async ({ adapter, userId }) => void (await adapter.deleteUser(userId)),
  },
}

describe('SESS-03, SESS-07, LOGOUT-02: one validation of sessions for every reader', () => {
  before(async () => {
    clock.install()
    idp = await FakeProvider.start()
  })
  after(async () => {
    clock.uninstall()
    await idp.stop()
  })
  beforeEach(() => {
    clock.restart()
    revoked.jwt = revoked.session = false
  })

  for (const strategy of STRATEGIES) {
    describe(`a ${strategy} session`, () => {
      const consumers = Object.entries(CONSUMERS).filter(([, { only = strategy }]) => only === strategy)
      for (const [name, { prepare, takesForAda }] of consumers) {
        it(`that is good is taken for its owner's: ${name}`, async () => {
          const opened = await openApp(strategy)
          const ada = await opened.signedIn()
          const prepared = (await prepare?.(opened, ada)) ?? ''
          expect(await takesForAda(opened, ada, prepared)).to.equal(true)
          await opened.app.close()
        })
      }

      for (const [death, { only, die }] of Object.entries(DEATHS)) {
        if (only && only !== strategy) continue
        it(`${death} is nobody's, for every reader`, async () => {
          const opened = await openApp(strategy)
          const readers = []
          for (const [name, { prepare, takesForAda }] of consumers) {
            const visitor = await opened.signedIn()
            const prepared = (await prepare?.(opened, visitor)) ?? ''
            readers.push({ name, visitor, read: () => takesForAda(opened, visitor, prepared) })
          }
          await die(
            opened,
            readers.map(({ visitor }) => visitor),
          )
          const taken: string[] = []
          for (const { name, read } of readers) if (await read()) taken.push(name)
          expect(taken).to.deep.equal([])
          await opened.app.close()
        })
      }
    })
  }
})
