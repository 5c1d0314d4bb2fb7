import type { Database } from '@auth/kysely-adapter'
import { UnstorageAdapter } from '@auth/unstorage-adapter'
import { expect } from 'chai'
import { Kysely, MysqlDialect } from 'kysely'
import mysql from 'mysql2'
import { createStorage } from 'unstorage'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { authjsTables } from '../adapters/authjs/mariadb.js'
import { mariadb, type TestDatabase } from '../adapters/sql/databases.js'
import { FakeProvider } from '../support/fake-provider.js'
import { askForLink, confirmLink, goTo, Mailbox, oauth, type Person, setProviderUser } from '../support/sign-ins.js'
import { Clock, openTestApp, type TestBrowser, whoIs } from '../support/test-app.js'
import { inAHurry } from '../support/timers.js'

const VICTIM = 'victim@example.com'
/** What people sign in with who are not the victim, and whom a careless store takes for them. */
const LOOKALIKE = 'victim@exámple.com'
const SUB = { victim: 'AbC', lookalike: 'abc' }

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** A test app over an adapter, at which the victim has signed in by a mailed link and at a provider. */
async function setUp(adapter: Adapter) {
  const mailbox = new Mailbox()
  const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
  const providers = [mailbox.provider(), oauth(idp)]
  // These stores keep no sign-in time.
  const session = { strategy: 'database', recentAuthAge: Number.POSITIVE_INFINITY } as const
  const testApp = openTestApp({ adapter, providers, session }, { clock })
  const withLink = async (browser: TestBrowser, email: string) => browser.get(await askForLink(browser, mailbox, email))
  const withProvider = async (browser: TestBrowser, sub: string, email: string | null = null) => {
    setProviderUser(idp, clock, { sub, email, name: sub } satisfies Person)
    return browser.get(await goTo(browser, idp))
  }
  const victim = testApp.browser()
  await withLink(victim, VICTIM)
  await withProvider(victim, SUB.victim)
  expect(await whoIs(victim)).to.equal(VICTIM)
  expect(testApp.log.errors).to.deep.equal([])
  return { ...testApp, mailbox, withLink, withProvider }
}

describe('ACCT-08: tables of Auth.js under the collation that MariaDB has by default', () => {
  let database: TestDatabase
  let pool: mysql.Pool
  let adapter: Adapter

  before(mariadb.requireServer)
  beforeEach(async () => {
    database = await mariadb.create()
    for (const statement of authjsTables()) await database.run(statement)
    pool = mysql.createPool({ uri: database.url, timezone: 'Z' })
    const kysely = new Kysely<Database>({ dialect: new MysqlDialect({ pool }) })
    // It cannot be loaded by require(), through which mocha loads this file.
    const { KyselyAdapter } = await import('@auth/kysely-adapter')
    adapter = KyselyAdapter(kysely) as Adapter
  })
  afterEach(async () => {
    pool?.end()
    await database?.drop()
  })

  it('take an address with an accent for the one without: the premise of what follows', async () => {
    await adapter.createUser?.({ id: '', email: VICTIM, emailVerified: null })
    expect((await adapter.getUserByEmail?.(LOOKALIKE))?.email).to.equal(VICTIM)
  })

  it('let nobody in by a mailed link whose address differs in an accent, and the log says why', async () => {
    const { browser, withLink, log } = await setUp(adapter)
    const mallory = browser()
    await withLink(mallory, LOOKALIKE)
    expect(await whoIs(mallory)).to.not.equal(VICTIM)
    expect(log.warnings).to.include('inexact-adapter')
  })

  it('let nobody in by a link that was sent to an address with an accent, opened for the one without', async () => {
    const { browser, mailbox } = await setUp(adapter)
    const mallory = browser()
    const path = (await askForLink(mallory, mailbox, LOOKALIKE)).replace(encodeURIComponent(LOOKALIKE), VICTIM)
    expect((await confirmLink(mallory, path)).location).to.include('error=Verification')
    expect(await whoIs(mallory)).to.equal(null)
  })

  it('find a user whose address the application wrote in capitals', async () => {
    await adapter.createUser?.({ id: '', email: 'Ada@Example.com', emailVerified: new Date(0) })
    const { browser, withLink, log } = await setUp(adapter)
    const ada = browser()
    await withLink(ada, 'ada@example.com')
    expect(await whoIs(ada)).to.equal('Ada@Example.com')
    expect(log.warnings).to.not.include('inexact-adapter')
  })

  it('let nobody in by an account whose id differs in capitals, where the adapter can look accounts up', async () => {
    const kysely = new Kysely<Database>({ dialect: new MysqlDialect({ pool }) })
    // As @auth/prisma-adapter and @auth/drizzle-adapter have it, and @auth/kysely-adapter has not.
    const getAccount = async (providerAccountId: string, provider: string) =>
      ((await kysely
        .selectFrom('Account')
        .selectAll()
        .where('providerAccountId', '=', providerAccountId)
        .where('provider', '=', provider)
        .executeTakeFirst()) ?? null) as never
    const { browser, withProvider, log } = await setUp({ ...adapter, getAccount })
    const mallory = browser()
    await withProvider(mallory, SUB.lookalike)
    expect(await whoIs(mallory)).to.not.equal(VICTIM)
    expect(log.warnings).to.include('inexact-adapter')
    const again = browser()
    await withProvider(again, SUB.victim)
    expect(await whoIs(again)).to.equal(VICTIM)
  })
})

describe('a key-value store that cuts its keys at a question mark', () => {
  it('lets nobody in as somebody whose address begins alike', async () => {
    const adapter = UnstorageAdapter(createStorage()) as Adapter
    const { browser, withLink } = await setUp(adapter)
    const [ada, mallory] = [browser(), browser()]
    await withLink(ada, 'ada?1@one.example')
    expect(await whoIs(ada)).to.equal('ada?1@one.example')
    await withLink(mallory, 'ada?2@two.example')
    expect(await whoIs(mallory)).to.not.equal('ada?1@one.example')
  })

  it('lets nobody in as somebody whose account begins alike', async () => {
    const adapter = UnstorageAdapter(createStorage()) as Adapter
    const { browser, withProvider } = await setUp(adapter)
    const mallory = browser()
    await withProvider(mallory, `${SUB.victim}?x`)
    expect(await whoIs(mallory)).to.not.equal(VICTIM)
  })
})

/** Stores that return the victim's row for any argument, each in one method. */
const LIES: Readonly<
  Record<string, (store: Required<Adapter>, victim: () => Promise<AdapterUser>) => Partial<Adapter>>
> = {
  getUser: (_store, victim) => ({ getUser: victim }),
  getUserByEmail: (_store, victim) => ({ getUserByEmail: victim }),
  getUserByAccount: (_store, victim) => ({ getUserByAccount: victim }),
  'getUserByAccount, and an account of the victim': (store, victim) => ({
    getUserByAccount: victim,
    getAccount: () => store.getAccount(SUB.victim, 'oidc'),
  }),
  'getUserByAccount, and an account that repeats what was asked': (_store, victim) => ({
    getUserByAccount: victim,
    getAccount: async (providerAccountId, provider) => ({
      type: 'oidc',
      userId: 'another',
      provider,
      providerAccountId,
    }),
  }),
  createUser: (_store, victim) => ({ createUser: victim }),
  createUserWithAccount: (_store, victim) => ({ createUserWithAccount: victim }),
  updateUser: (_store, victim) => ({ updateUser: victim }),
}

describe('ACCT-08, TOK-07: a store that lies', () => {
  inAHurry()
  for (const [method, lie] of Object.entries(LIES)) {
    it(`signs nobody in as somebody else: ${method}`, async () => {
      const store = memoryAdapter()
      const victim = async () => (await store.getUserByEmail(VICTIM)) as AdapterUser
      const adapter: Adapter = { ...store }
      const { browser, withLink, withProvider } = await setUp(adapter)
      Object.assign(adapter, lie(store, victim))
      const ways = [
        (mallory: TestBrowser) => withLink(mallory, LOOKALIKE),
        (mallory: TestBrowser) => withProvider(mallory, SUB.lookalike, 'lookalike@example.com'),
        (mallory: TestBrowser) => withProvider(mallory, 'mallory', LOOKALIKE),
      ]
      for (const way of ways) {
        const mallory = browser()
        await way(mallory)
        expect(await whoIs(mallory)).to.not.equal(VICTIM)
      }
    })
  }

  it('signs nobody in as somebody else: getSessionAndUser', async () => {
    const store = memoryAdapter()
    const adapter: Adapter = { ...store }
    const { browser, withLink } = await setUp(adapter)
    const user = (await store.getUserByEmail(VICTIM)) as AdapterUser
    const expires = new Date(Date.now() + 86_400_000)
    const mallory = browser()
    await withLink(mallory, 'mallory@example.com')
    for (const session of [
      { sessionToken: 'the token of the victim', userId: user.id, expires },
      { sessionToken: 'the token of the victim', userId: 'mallory', expires },
    ]) {
      adapter.getSessionAndUser = async () => ({ session, user })
      expect(await whoIs(mallory)).to.equal(null)
    }
    adapter.getSessionAndUser = async (sessionToken) => ({
      session: { sessionToken, userId: 'mallory', expires },
      user,
    })
    expect(await whoIs(mallory), 'the user is not that of the session').to.equal(null)
  })

  describe('about mailed links', () => {
    /** Every row a store may give for a link that Mallory asked for and opens for the victim. */
    const ANSWERS: Readonly<Record<string, (asked: { identifier: string; token: string }, expires: Date) => unknown>> =
      {
        'a row of the address that the link was sent to': ({ token }, expires) => ({
          identifier: LOOKALIKE,
          token,
          expires,
        }),
        'a row of the victim, under another token': ({ identifier }, expires) => ({
          identifier,
          token: 'another',
          expires,
        }),
        'a row whose token is written in capitals': ({ identifier, token }, expires) => ({
          identifier,
          token: token.toUpperCase(),
          expires,
        }),
        'a row without a token': ({ identifier }, expires) => ({ identifier, expires }),
        'a row without an address': ({ token }, expires) => ({ token, expires }),
        'a row that is over': (asked) => ({ ...asked, expires: new Date(0) }),
        'a row without an end': (asked) => asked,
        'a row whose end is no date': (asked) => ({ ...asked, expires: 'later' }),
        'a row whose end is not a number': (asked) => ({ ...asked, expires: Number.NaN }),
        'a list of rows': (asked, expires) => [{ ...asked, expires }],
        'a number of rows': () => 1,
        true: () => true,
      }
    for (const [what, answer] of Object.entries(ANSWERS)) {
      it(`lets nobody in with ${what}`, async () => {
        const adapter: Adapter = { ...memoryAdapter() }
        const { browser, mailbox } = await setUp(adapter)
        const mallory = browser()
        const path = (await askForLink(mallory, mailbox, LOOKALIKE)).replace(encodeURIComponent(LOOKALIKE), VICTIM)
        adapter.useVerificationToken = async (asked) => answer(asked, new Date(Date.now() + 86_400_000)) as never
        expect((await confirmLink(mallory, path)).location).to.include('error=Verification')
        expect(await whoIs(mallory)).to.equal(null)
      })
    }
  })
})
