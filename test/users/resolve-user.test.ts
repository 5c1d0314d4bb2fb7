import { expect } from 'chai'
import type { Adapter, AdapterAccount } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { type Call, recording, steady } from '../support/recorder.js'
import { askForLink, goTo, Mailbox, newPerson, oauth, type Person, setProviderUser } from '../support/sign-ins.js'
import { PACKAGE_NAMES, type PackageName, startSwitchableApp } from '../support/switchable-app.js'
import { openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'
import { inAHurry } from '../support/timers.js'
import type { Visitor } from '../support/visitor.js'

// biome-ignore lint/suspicious/noExplicitAny: events of two packages are compared, not typed
type Any = any

const STRATEGIES = ['jwt', 'database'] as const

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

interface Setting extends Pick<AccountAppOptions, 'store' | 'change'> {
  readonly strategy?: 'jwt' | 'database'
  readonly more?: object
  readonly config?: Partial<AuthConfig>
}

/** A test app with two providers, "acme" and "other", and a mailbox. It keeps the events that are emitted. */
function setUp({ strategy = 'database', more = {}, config = {}, ...stores }: Setting = {}) {
  const events: [string, Any][] = []
  const keep = (name: string) => (message: unknown) => void events.push([name, message])
  const app = openAccountApp(idp, {
    ...stores,
    methods: ['email'],
    provider: more,
    config: {
      session: { strategy },
      events: {
        createUser: keep('createUser'),
        updateUser: keep('updateUser'),
        linkAccount: keep('linkAccount'),
        signIn: keep('signIn'),
      },
      ...config,
    },
  })
  return { ...app, events, names: () => events.map(([name]) => name) }
}

const REFUSED = /^http:\/\/app\.example\/auth\/signin\?error=OAuthAccountNotLinked$/
const BROKEN = 'http://app.example/auth/error?error=Configuration'
/** The same where the store threw. */
const UNAVAILABLE = `${BROKEN}&code=Unavailable`

describe('a store that gives a user without an id', () => {
  for (const id of [undefined, null, '', 'undefined', {}, []] as unknown[]) {
    it(`signs nobody in: ${JSON.stringify(id) ?? 'undefined'}`, async () => {
      const store = memoryAdapter()
      const createUser: Adapter['createUser'] = (user) => ({ ...store.createUser(user), id }) as never
      for (const strategy of STRATEGIES) {
        const testApp = setUp({ strategy, store, change: { createUser, linkAccount: () => undefined } })
        const ada = testApp.browser()
        expect((await testApp.signIn(ada, newPerson())).location).to.include('error=Configuration')
        expect(await ada.session()).to.equal(null)
      }
    })
  }
})

for (const strategy of STRATEGIES) {
  describe(`who signs in with an account, with ${strategy} sessions`, () => {
    inAHurry()
    it('is its user, when it has one', async () => {
      const { browser, signIn, ownerOf, events, names } = setUp({ strategy })
      const person = newPerson()
      await signIn(browser(), person)
      const owner = await ownerOf(person)
      events.length = 0
      const ada = browser()
      await signIn(ada, { ...person, email: 'moved@example.com', name: 'Countess' })
      expect(await ownerOf(person)).to.equal(owner)
      expect((await ada.session())?.user, 'what is stored, not what the provider says today').to.include({
        name: 'Ada',
        email: person.email,
      })
      expect(names()).to.deep.equal(['signIn'])
      expect(events[0]?.[1]).to.include({ isNewUser: false })
    })

    it('is who is signed in already: another account is linked to them, whatever its address', async () => {
      const { browser, signIn, ownerOf, events, names } = setUp({ strategy })
      const [person, elsewhere] = [newPerson(), newPerson()]
      const ada = browser()
      await signIn(ada, person)
      events.length = 0
      expect((await signIn(ada, elsewhere, 'other')).location).to.equal('http://app.example')
      expect(await ownerOf(elsewhere, 'other')).to.equal(await ownerOf(person))
      expect((await ada.session())?.user?.email).to.equal(person.email)
      expect(names()).to.deep.equal(['linkAccount', 'signIn'])
      expect(events[1]?.[1]).to.include({ isNewUser: false })

      const stranger = browser()
      await signIn(stranger, elsewhere, 'other')
      expect((await stranger.session())?.user?.email, 'either account signs them in').to.equal(person.email)
    })

    it('is refused when somebody else is signed in, who stays signed in', async () => {
      const { browser, signIn, ownerOf, events } = setUp({ strategy })
      const [person, another] = [newPerson(), newPerson()]
      await signIn(browser(), another, 'other')
      const ada = browser()
      await signIn(ada, person)
      events.length = 0
      expect((await signIn(ada, another, 'other')).location).to.match(REFUSED)
      expect((await ada.session())?.user?.email).to.equal(person.email)
      expect(await ownerOf(another, 'other')).to.not.equal(await ownerOf(person))
      expect(events).to.deep.equal([])
    })

    it('OIDC-18: is refused when the address is another user’s: no row, no session', async () => {
      const { browser, signIn, ownerOf, events } = setUp({ strategy })
      const person = newPerson()
      await signIn(browser(), person)
      events.length = 0
      const thief = browser()
      const impostor = { ...newPerson(), email: person.email }
      expect((await signIn(thief, impostor, 'other')).location).to.match(REFUSED)
      expect(thief.sessionNames()).to.deep.equal([])
      expect(await ownerOf(impostor, 'other')).to.equal(undefined)
      expect(events).to.deep.equal([])
    })

    it('is the user with the address, where the application allows that dangerously', async () => {
      const { browser, store, signIn, ownerOf, names, events } = setUp({
        strategy,
        more: { allowDangerousEmailAccountLinking: true },
      })
      const person = newPerson()
      await signIn(browser(), person)
      await store.updateUser({ id: (await ownerOf(person)) ?? '', emailVerified: new Date(0) })
      events.length = 0
      const ada = browser()
      const elsewhere = { ...newPerson(), email: person.email?.toUpperCase() ?? '', emailVerified: true }
      await signIn(ada, elsewhere, 'other')
      expect(await ownerOf(elsewhere, 'other')).to.equal(await ownerOf(person))
      expect((await ada.session())?.user?.email).to.equal(person.email)
      expect(names(), 'nobody was made').to.deep.equal(['linkAccount', 'signIn'])
    })

    for (const emailVerified of [false, 'false']) {
      it(`ACCT-01 is refused all the same where the provider says that the address is unverified: ${typeof emailVerified}`, async () => {
        const { browser, signIn, ownerOf } = setUp({ strategy, more: { allowDangerousEmailAccountLinking: true } })
        const person = newPerson()
        await signIn(browser(), person)
        const impostor = { ...newPerson(), email: person.email, emailVerified }
        expect((await signIn(browser(), impostor, 'other')).location).to.match(REFUSED)
        expect(await ownerOf(impostor, 'other')).to.equal(undefined)
      })
    }

    it('ACCT-08 has one spelling for one address, however the provider writes it', async () => {
      const { browser, signIn } = setUp({ strategy, more: { allowDangerousEmailAccountLinking: true } })
      const ada = browser()
      const domain = `${newPerson().sub}.bücher.example`
      await signIn(ada, { ...newPerson(), email: `Ada@${new URL(`http://${domain}`).hostname}` })
      expect((await ada.session())?.user?.email).to.equal(`ada@${domain}`.toLowerCase())
    })

    it('is somebody new, as often as somebody without an address comes', async () => {
      const { browser, signIn, ownerOf, names } = setUp({ strategy })
      const people = [newPerson(null), newPerson(null)]
      const browsers = people.map(() => browser())
      for (const [i, person] of people.entries()) await signIn(browsers[i] as TestBrowser, person)
      const owners = await Promise.all(people.map((person) => ownerOf(person)))
      expect(new Set(owners)).to.have.property('size', 2)
      expect(owners).to.not.include(undefined)
      for (const each of browsers) expect((await each.session())?.user?.email ?? null).to.equal(null)
      expect(names()).to.deep.equal([...Array(2)].flatMap(() => ['createUser', 'linkAccount', 'signIn']))
    })

    it('is not the user of a session that has ended', async () => {
      const { browser, clock, signIn, ownerOf } = setUp({ strategy })
      const [person, elsewhere] = [newPerson(), newPerson()]
      const ada = browser()
      await signIn(ada, person)
      // A browser that never forgets a cookie.
      ada.plant(SESSION, ada.jar.get(SESSION)?.value ?? '')
      clock.advance(31 * 24 * 60 * 60)
      await signIn(ada, elsewhere, 'other')
      expect(await ownerOf(elsewhere, 'other'))
        .to.be.a('string')
        .and.not.equal(await ownerOf(person))
      expect((await ada.session())?.user?.email).to.equal(elsewhere.email)
    })

    it('is not the user of a session whose user was deleted', async () => {
      const { browser, store, signIn, ownerOf } = setUp({ strategy })
      const [person, elsewhere] = [newPerson(), newPerson()]
      const ada = browser()
      await signIn(ada, person)
      await store.deleteUser((await ownerOf(person)) ?? '')
      await signIn(ada, elsewhere, 'other')
      expect((await ada.session())?.user?.email).to.equal(elsewhere.email)
    })

    it('sees the page for new users once, and events and callbacks say who is new', async () => {
      const triggers: unknown[] = []
      const { browser, signIn, events } = setUp({
        strategy,
        config: {
          pages: { newUser: '/welcome' },
          callbacks: {
            jwt: ({ token, trigger }) => {
              if (trigger) triggers.push(trigger)
              return token
            },
          },
        },
      })
      const person = newPerson()
      const first = await signIn(browser(), person)
      const second = await signIn(browser(), person)
      expect([first.location, second.location]).to.deep.equal([
        `/welcome?callbackUrl=${encodeURIComponent('http://app.example')}`,
        'http://app.example',
      ])
      const news = events.filter(([name]) => name === 'signIn').map(([, { isNewUser }]) => isNewUser)
      expect(news).to.deep.equal([true, false])
      expect(triggers).to.deep.equal(strategy === 'jwt' ? ['signUp', 'signIn'] : [])
    })

    it('is described to the signIn callback as stored, or as the provider does when nobody is', async () => {
      const seen: Any[] = []
      const { browser, signIn, ownerOf } = setUp({
        strategy,
        config: {
          callbacks: {
            signIn: ({ user }) => {
              seen.push(user)
              return true
            },
          },
        },
      })
      const person = newPerson()
      await signIn(browser(), person)
      await signIn(browser(), { ...person, name: 'Countess' })
      expect(seen.map(({ name }) => name)).to.deep.equal(['Ada', 'Ada'])
      expect(seen[0]).to.not.have.property('emailVerified')
      expect(seen[1]).to.include({ id: await ownerOf(person), emailVerified: null })
    })

    it('is nobody when the signIn callback refuses: nothing is written', async () => {
      const { browser, signIn, calls, events } = setUp({ strategy, config: { callbacks: { signIn: () => false } } })
      const ada = browser()
      expect((await signIn(ada, newPerson())).location).to.equal('http://app.example/auth/error?error=AccessDenied')
      expect(ada.sessionNames()).to.deep.equal([])
      expect(calls).to.deep.equal(['getUserByAccount'])
      expect(events).to.deep.equal([])
    })
  })
}

describe('linkAccount', () => {
  /** What is stored of an account when the token endpoint says all this. */
  async function stored(answer: Record<string, unknown>, more: object = {}) {
    const linked: AdapterAccount[] = []
    const store = memoryAdapter()
    const { browser, ownerOf, clock, events } = setUp({
      more,
      store,
      change: {
        linkAccount: (account) => {
          linked.push(account)
          return store.linkAccount(account)
        },
      },
    })
    const person = newPerson()
    const ada = browser()
    setProviderUser(idp, clock, person)
    const path = await goTo(ada, idp, 'acme')
    idp.faults.token = (own) => void Object.assign(own, answer)
    await ada.get(path)
    return { account: linked[0] as Any, person, owner: await ownerOf(person), events, count: linked.length }
  }

  it('gets the documented columns, whatever else the token endpoint says', async () => {
    const odd = {
      session_state: 'a state',
      refresh_expires_in: 60,
      'not-before-policy': 0,
      'id.token': 'x',
      userId: 'of somebody else',
      id: 7,
      nested: { deep: true },
    }
    const { account, person, owner, count } = await stored(odd)
    expect(count).to.equal(1)
    expect(account.id_token).to.be.a('string')
    expect(account.expires_at).to.be.closeTo(Date.now() / 1000 + 3600, 60)
    for (const member of ['access_token', 'refresh_token', 'id_token']) expect(account[member]).to.match(/^encrypted:/)
    const { id_token: _id, access_token: _access, refresh_token: _refresh, expires_at: _at, ...others } = account
    expect(others).to.deep.equal({
      userId: owner,
      provider: 'acme',
      type: 'oidc',
      providerAccountId: person.sub,
      scope: 'openid profile email',
      token_type: 'bearer',
      session_state: 'a state',
    })
  })

  it('gets no member that is undefined', async () => {
    const { account } = await stored(
      { refresh_token: undefined },
      { account: (tokens: Any) => ({ access_token: tokens.access_token, scope: undefined, refresh_token: undefined }) },
    )
    expect(account).to.have.keys('userId', 'provider', 'type', 'providerAccountId', 'access_token')
  })

  it('gets what account() chooses, which cannot choose whose it is', async () => {
    const given: Any[] = []
    const { account, person, owner, events } = await stored(
      { tenant: 'engines' },
      {
        account: (tokens: Any) => {
          given.push(tokens)
          return {
            tenant: tokens.tenant,
            userId: 'thief',
            provider: 'thief',
            providerAccountId: 'thief',
            type: 'email',
          }
        },
      },
    )
    const whose = { provider: 'acme', type: 'oidc', providerAccountId: person.sub }
    expect(account).to.deep.equal({ ...whose, tenant: 'engines', userId: owner })
    for (const tokens of given) expect(tokens).to.not.have.any.keys('provider', 'providerAccountId', 'type', 'userId')
    const emitted = events.find(([name]) => name === 'linkAccount')?.[1]
    expect(emitted.account).to.deep.equal({ ...whose, tenant: 'engines' })
  })

  it('asks account() once at each sign-in, and before the user is made', async () => {
    const order: string[] = []
    const store = memoryAdapter()
    const { browser, signIn } = setUp({
      store,
      more: { account: () => void order.push('account()') },
      change: {
        createUser: (user) => {
          order.push('createUser')
          return store.createUser(user)
        },
      },
    })
    const person = newPerson()
    const ada = browser()
    await signIn(ada, person)
    await signIn(browser(), person)
    expect(order).to.deep.equal(['account()', 'createUser', 'account()'])
    await signIn(ada, newPerson(), 'other')
    expect(order.slice(3), 'for an account that is added').to.deep.equal(['account()'])
  })

  it('makes nobody when account() throws', async () => {
    const { browser, calls, signIn } = setUp({ more: { account: () => expect.fail('no column for that') } })
    expect((await signIn(browser(), newPerson())).location).to.equal(BROKEN)
    expect(calls).to.deep.equal(['getUserByAccount', 'getUserByEmail'])
  })

  it('is looked up once for a known person when no callback asks who it is', async () => {
    const { browser, calls, signIn } = setUp()
    const person = newPerson()
    await signIn(browser(), person)
    calls.length = 0
    await signIn(browser(), person)
    expect(calls.filter((name) => name === 'getUserByAccount')).to.have.length(1)
  })

  it('gets whose it is alone when account() gives nothing', async () => {
    const { account } = await stored({}, { account: () => undefined })
    expect(account).to.have.keys('userId', 'provider', 'type', 'providerAccountId')
  })
})

describe('an adapter that throws', () => {
  inAHurry()
  const outage = () => {
    throw new Error('connect ECONNREFUSED 10.0.0.7:5432')
  }
  const METHODS = ['getUserByAccount', 'getUserByEmail', 'createUser', 'linkAccount', 'createSession'] as const

  for (const method of METHODS) {
    for (const [how, fault] of [
      ['at once', outage],
      ['later', () => Promise.resolve().then(outage)],
    ] as const) {
      it(`at ${method}, ${how}, signs nobody in with OAuth, and leaves nothing that is in the way`, async () => {
        const store = memoryAdapter()
        const { browser, signIn, log } = setUp({ store, change: { [method]: fault } })
        const person = newPerson()
        const ada = browser()
        expect((await signIn(ada, person)).location).to.equal(UNAVAILABLE)
        expect(ada.sessionNames()).to.deep.equal([])
        const user = await store.getUserByEmail(person.email ?? '')
        const owner = await store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub })
        expect(user, 'user and account, or neither').to.deep.equal(owner)
        expect(log.errors.at(-1)?.message).to.match(/failed|Could not/)
        expect(JSON.stringify(log.errors.map(({ message }) => message))).to.not.contain('@example.com')

        const mended = setUp({ store })
        const later = mended.browser()
        expect((await mended.signIn(later, person)).location).to.equal('http://app.example')
        expect((await later.session())?.user?.email).to.equal(person.email)
      })
    }
  }

  it('at deleteUser during the rollback of a new user is logged beside the first fault', async () => {
    const { browser, signIn, log } = setUp({ change: { linkAccount: outage, deleteUser: outage } })
    const ada = browser()
    expect((await signIn(ada, newPerson())).location).to.equal(UNAVAILABLE)
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors.map(({ message }) => message)).to.deep.equal([
      'A user who was made in vain could not be removed.',
      "The adapter's linkAccount() failed.",
    ])
  })

  for (const method of ['getSessionAndUser', 'getUser'] as const) {
    it(`at ${method} links nothing for somebody who is signed in, and leaves them signed in`, async () => {
      const store = memoryAdapter()
      const sound = setUp({ store })
      const [person, elsewhere] = [newPerson(), newPerson()]
      const ada = sound.browser()
      await sound.signIn(ada, person)

      setProviderUser(idp, sound.clock, elsewhere)
      const path = await goTo(ada, idp, 'other')
      const broken = setUp({ store, change: { [method]: outage } })
      const there = broken.browser()
      for (const [name, cookie] of ada.jar) there.jar.set(name, cookie)
      const answer = await there.get(path)
      expect(answer.location).to.equal(UNAVAILABLE)
      expect(answer.setCookies.filter(({ name }) => name === SESSION)).to.deep.equal([])
      expect(await sound.ownerOf(elsewhere, 'other')).to.equal(undefined)
      expect((await ada.session())?.user?.email).to.equal(person.email)
    })
  }

  for (const method of ['getSessionAndUser', 'getUser'] as const) {
    it(`at ${method} lets a sign-in begin that adds nothing to anybody, since nobody knows who begins it`, async () => {
      const store = memoryAdapter()
      const sound = setUp({ store })
      const ada = sound.browser()
      const [person, elsewhere] = [newPerson(), newPerson()]
      await sound.signIn(ada, person)
      const broken = setUp({ store, change: { [method]: outage } })
      const there = broken.browser()
      for (const [name, cookie] of ada.jar) there.jar.set(name, cookie)
      setProviderUser(idp, sound.clock, elsewhere)
      const path = await goTo(there, idp, 'other')
      expect(broken.log.errors.at(-1)?.message).to.match(/stored session|adapter/i)
      for (const [name, cookie] of there.jar) ada.jar.set(name, cookie)
      await ada.get(path)
      expect((await ada.session())?.user?.email).to.equal(elsewhere.email)
      expect(await sound.ownerOf(elsewhere, 'other'))
        .to.be.a('string')
        .and.not.equal(await sound.ownerOf(person))
    })
  }

  for (const method of [
    'useVerificationToken',
    'getUserByEmail',
    'createUser',
    'updateUser',
    'createSession',
  ] as const) {
    it(`at ${method} signs nobody in with a mailed link`, async () => {
      const store = memoryAdapter()
      const { email } = newPerson()
      let isBroken = false
      const sound = store[method] as (...args: unknown[]) => unknown
      const change = { [method]: (...args: unknown[]) => (isBroken ? outage() : sound(...args)) }
      const { browser, mailbox } = setUp({ store, change })
      if (method === 'updateUser') await store.createUser({ id: '', email: email ?? '', emailVerified: null })
      const ada = browser()
      const path = await askForLink(ada, mailbox, email)
      isBroken = true
      expect((await ada.get(path)).location).to.equal(UNAVAILABLE)
      expect(ada.sessionNames()).to.deep.equal([])

      isBroken = false
      await ada.get(await askForLink(ada, mailbox, email))
      expect((await ada.session())?.user?.email, 'another link works').to.equal(email)
    })
  }
})

describe('an adapter that lacks methods', () => {
  const NEEDED = {
    'oidc with jwt sessions': ['createUser', 'getUser', 'getUserByEmail', 'getUserByAccount', 'linkAccount'],
    'oidc with database sessions': ['createSession', 'getSessionAndUser', 'updateSession', 'deleteSession'],
    'email with jwt sessions': [
      'createVerificationToken',
      'useVerificationToken',
      'getUserByEmail',
      'createUser',
      'updateUser',
    ],
  } as const

  for (const [setting, methods] of Object.entries(NEEDED)) {
    const [type, , strategy] = setting.split(' ')
    const open = (adapter: Adapter) =>
      openTestApp({
        adapter,
        session: { strategy: strategy as 'jwt' | 'database' },
        providers: [type === 'email' ? new Mailbox().provider() : oauth(idp)],
      })
    for (const method of methods) {
      it(`stops the start, with its name: ${setting} without ${method}`, () => {
        const { [method]: _, ...lacking } = memoryAdapter()
        expect(() => open(lacking))
          .to.throw(method)
          .with.property('type', 'MissingAdapterMethods')
      })
    }

    it(`starts when everything else is missing: ${setting}`, () => {
      const all = memoryAdapter()
      const users = ['createUser', 'getUser', 'getUserByEmail', 'getUserByAccount', 'linkAccount'] as const
      const kept = [...methods, ...(strategy === 'database' ? users : [])]
      open(Object.fromEntries(kept.map((name) => [name, all[name]])) as Adapter)
    })
  }
})

describe('the same sign-ins under @auth/express and Latchkey, each over the memory adapter', () => {
  type Calls = readonly Call[]

  interface Stage {
    readonly visitor: () => Visitor
    readonly oauth: (visitor: Visitor, person: Person, provider?: string) => Promise<unknown>
    /** From here on what happens is compared. */
    readonly watch: () => void
  }

  async function play(
    strategy: 'jwt' | 'database',
    story: (stage: Stage) => Promise<unknown>,
  ): Promise<Record<PackageName, Calls>> {
    const calls = { authjs: [] as Call[], latchkey: [] as Call[] }
    const app = await startSwitchableApp((side) => {
      const store = memoryAdapter()
      const adapter = Object.fromEntries(
        Object.entries(store).map(([name, method]) => [
          name,
          (...args: unknown[]) => {
            calls[side].push([name, null])
            return (method as (...args: unknown[]) => unknown)(...args)
          },
        ]),
      ) as Adapter
      return {
        ...recording(calls[side]),
        adapter,
        // Auth.js adds to any session, and these tokens are encoded in a way of the test's own.
        session: { strategy, recentAuthAge: Number.POSITIVE_INFINITY },
        trustHost: true,
        providers: [oauth(idp, 'oidc', { id: 'acme' }), oauth(idp, 'oidc', { id: 'other' })],
      }
    })
    idp.reset()
    try {
      for (const side of PACKAGE_NAMES) {
        app.run(side)
        await story({
          visitor: () => app.visitor(),
          async oauth(visitor, { sub, email, name }, provider = 'acme') {
            idp.profile = { sub, email, name }
            const csrfToken = await visitor.csrfToken()
            const { location } = await visitor.post(`/auth/signin/${provider}`, { csrfToken })
            await visitor.get(`/auth/callback/${provider}?${idp.authorize(location?.href ?? '')}`)
          },
          watch() {
            calls[side].length = 0
          },
        })
      }
    } finally {
      await app.close()
    }
    return calls
  }

  const eventsOf = (calls: Calls) => calls.filter(([name]) => name.startsWith('event '))
  const namesOf = (calls: Calls) => calls.map(([name]) => name)
  /** Ours says whose the account is, too, where it was kept. */
  const withoutOwner = (calls: Calls): Calls =>
    calls.map(([name, message]) => {
      const { account, ...others } = message as Any
      if (!account) return [name, message]
      const { userId: _, ...rest } = account
      return [name, { ...others, account: rest }]
    })
  const nobody = newPerson()
  const another = newPerson()

  const STORIES: Readonly<Record<string, { story: (stage: Stage) => Promise<unknown>; events: readonly string[] }>> = {
    'somebody new with OpenID Connect': {
      story: ({ visitor, oauth, watch }) => {
        watch()
        return oauth(visitor(), nobody)
      },
      events: ['createUser', 'linkAccount', 'signIn'],
    },
    'somebody known with OpenID Connect': {
      story: async ({ visitor, oauth, watch }) => {
        await oauth(visitor(), nobody)
        watch()
        await oauth(visitor(), nobody)
      },
      events: ['signIn'],
    },
    'somebody signed in, who links another account': {
      story: async ({ visitor, oauth, watch }) => {
        const ada = visitor()
        await oauth(ada, nobody)
        watch()
        await oauth(ada, another, 'other')
      },
      events: ['linkAccount', 'signIn'],
    },
    'somebody whose address is taken': {
      story: async ({ visitor, oauth, watch }) => {
        await oauth(visitor(), nobody)
        watch()
        await oauth(visitor(), { ...another, email: nobody.email }, 'other')
      },
      events: [],
    },
  }

  for (const strategy of STRATEGIES) {
    for (const [who, { story, events }] of Object.entries(STORIES)) {
      it(`emit the same events in the same order, with ${strategy} sessions: ${who}`, async () => {
        const { authjs, latchkey } = await play(strategy, story)
        expect(namesOf(eventsOf(latchkey))).to.deep.equal(events.map((name) => `event ${name}`))
        expect(steady(withoutOwner(eventsOf(latchkey)))).to.deep.equal(steady(withoutOwner(eventsOf(authjs))))
      })
    }

    it(`ask the adapter in the same order, with ${strategy} sessions`, async () => {
      const order = async (name: string) => {
        const { authjs, latchkey } = await play(strategy, STORIES[name]?.story ?? (() => Promise.resolve()))
        const asked = (calls: Calls) => namesOf(calls).filter((call) => !/^(redirect|encode|decode)$/.test(call))
        return { authjs: asked(authjs), latchkey: asked(latchkey) }
      }
      for (const who of ['somebody new with OpenID Connect', 'somebody known with OpenID Connect']) {
        const { authjs, latchkey } = await order(who)
        // Whoever is found is asked for once more, by a look-up that tells which account it found; and who is new is stored with the account.
        const expected = authjs.flatMap((call) =>
          call === 'createUser' ? ['createUserWithAccount'] : call === 'linkAccount' ? [] : [call],
        )
        expect(
          // The tokens of a sign-in replace the stored ones; Auth.js keeps those of the first sign-in.
          latchkey.filter((call) => call !== 'getAccount' && call !== 'updateAccount'),
          who,
        ).to.deep.equal(expected)
      }
    })
  }
})

// Auth.js remembers e-mail providers for the life of a process, so these are not played on both sides (wire contract §16, 12).
for (const strategy of STRATEGIES) {
  describe(`who follows a mailed link, with ${strategy} sessions`, () => {
    const session = strategy === 'database' ? ['createSession'] : []
    const account = (email: string | null, userId: string | undefined) => ({
      provider: 'email',
      type: 'email',
      providerAccountId: email,
      userId,
    })

    it('is created, with the address confirmed, and events are emitted: createUser, signIn', async () => {
      const { browser, store, calls, events, names, clock, mailbox } = setUp({ strategy })
      const { email } = newPerson()
      const ada = browser()
      const path = await askForLink(ada, mailbox, email)
      calls.length = 0
      await ada.get(path)
      const user = await store.getUserByEmail(email ?? '')
      expect(user?.emailVerified).to.deep.equal(new Date(clock.ms))
      expect(names()).to.deep.equal(['createUser', 'signIn'])
      expect(events.map(([, message]) => message)).to.deep.equal([
        { user },
        { user, account: account(email, user?.id), isNewUser: true },
      ])
      expect(calls).to.deep.equal([
        'useVerificationToken',
        'getUserByEmail',
        'getUserByEmail',
        'createUser',
        ...session,
      ])
    })

    it('is the user with the address, and events are emitted: updateUser, signIn', async () => {
      const { browser, store, calls, events, names, clock, mailbox } = setUp({ strategy })
      const { email } = newPerson()
      const made = await store.createUser({ id: '', name: 'Ada', email: email ?? '', emailVerified: null })
      const ada = browser()
      const path = await askForLink(ada, mailbox, email)
      calls.length = 0
      await ada.get(path)
      const user = { ...made, emailVerified: new Date(clock.ms) }
      const ending = ['listAccountsByUserId', ...(strategy === 'database' ? ['deleteSessionsByUserId'] : [])]
      expect(await store.getUser(made.id)).to.deep.equal(user)
      expect(names()).to.deep.equal(['updateUser', 'signIn'])
      expect(events.map(([, message]) => message)).to.deep.equal([
        { user },
        { user, account: account(email, made.id), isNewUser: false },
      ])
      expect(calls).to.deep.equal([
        'useVerificationToken',
        'getUserByEmail',
        'getUserByEmail',
        // What came before has confirmed nothing, and neither has what came meanwhile (ACCT-05).
        ...ending,
        'createVerificationToken',
        'updateUser',
        // The user may have got another address meanwhile.
        'getUser',
        ...ending,
        // The mark of a confirmation that is not complete.
        'useVerificationToken',
        ...session,
      ])
    })
  })
}
