import { expect } from 'chai'
import type { Adapter, AdapterRecord, AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import { type AuthConfig, defineAuth, deleteUser } from '../../../lib/index.js'
import Password from '../../../lib/providers/password.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { openAccountApp } from '../../support/account-app.js'
import { testConfig } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { failureOf } from '../../support/failure.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { requestContext } from '../../support/request-context.js'
import { askForLink, confirmLink, newPerson, type Person } from '../../support/sign-ins.js'
import { asAuthjsHasIt, STORES } from '../../support/stores.js'
import { type TestBrowser, type TestResponse, whoIs } from '../../support/test-app.js'
import { authenticate, register } from '../passkeys/ceremonies.js'

const GOOD = 'copper lantern under seven bridges'
const TRUSTED = { allowDangerousEmailAccountLinking: true }

describe('what code of the application does with users', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  /** How sessions are kept: in rows, or in tokens that another store knows. */
  const SESSIONS = {
    rows: () => ({ strategy: 'database', refreshUser: Number.POSITIVE_INFINITY }) as const,
    tokens: () =>
      ({
        strategy: 'jwt',
        refreshUser: Number.POSITIVE_INFINITY,
        revocation: { store: memoryAdapter(), checkEvery: 0 },
      }) as const,
  }

  function open(config: Partial<AuthConfig> = {}, more: Parameters<typeof openAccountApp>[1] = {}) {
    const links: string[] = []
    const app = openAccountApp(idp, {
      methods: ['email', 'passkey'],
      email: { sendNotification: ({ url }) => void links.push(new URL(url).searchParams.get('token') ?? '') },
      provider: TRUSTED,
      ...more,
      more: [Password()],
      config: { url: 'http://app.example', bearer: true, session: SESSIONS.rows(), accountNotices: false, ...config },
    })
    const send = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
      browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
    const passwordLink = async (email: string) => {
      const before = links.length
      await send(app.browser(), 'password', { email })
      const token = links[before]
      if (!token) throw new Error('no link was mailed')
      return token
    }
    const operator = operatorOf(() => app.engine.config)
    return {
      ...app,
      ...operator,
      send,
      passwordLink,
      /** Somebody with everything that there is, and what they hold in their hands. */
      async settled(person: Person = { ...newPerson(), emailVerified: true }) {
        const email = person.email ?? ''
        const browser = app.browser()
        await app.signIn(browser, person)
        await send(app.browser(), 'password/choose', { token: await passwordLink(email), newPassword: GOOD })
        await app.signIn(browser, person)
        const device = new SoftAuthenticator(app.origin)
        await register({ browser, device })
        const context = requestContext(browser.cookieHeader(), app.origin)
        const { token } = await app.engine.issueToken(context, { maxAge: 3600, name: 'Backup' })
        const userId = (await app.store.getUserByEmail(email))?.id ?? ''
        return { person, email, browser, device, token, userId }
      },
      readBearer: async (token: string) => {
        const request = {
          ...requestContext(undefined, app.origin),
          header: (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined),
        }
        return (await app.engine.readSession(request)).session
      },
      byPassword: async (email: string, browser = app.browser()) => {
        await send(browser, 'callback/password', { email, password: GOOD })
        return whoIs(browser)
      },
    }
  }
  type App = ReturnType<typeof open>
  type Settled = Awaited<ReturnType<App['settled']>>

  /** Who gets in with each thing that somebody holds. */
  async function waysInto(app: App, { person, email, browser, device, token }: Settled) {
    const byProvider = app.browser()
    await app.signIn(byProvider, person)
    const byPasskey = app.browser()
    await authenticate({ browser: byPasskey, device })
    return {
      session: await whoIs(browser),
      token: (await app.readBearer(token))?.user?.email ?? null,
      password: await app.byPassword(email),
      passkey: await whoIs(byPasskey),
      provider: await whoIs(byProvider),
    }
  }

  const NOBODY = { session: null, token: null, password: null, passkey: null, provider: null }

  for (const [kept, session] of Object.entries(SESSIONS)) {
    describe(`with sessions in ${kept}`, () => {
      it('ACCT-16: a disabled user is out at once, and comes in by no way; an enabled one does', async () => {
        const app = open({ session: session() })
        const ada = await app.settled()
        const { email, userId } = ada
        const all = { session: email, token: email, password: email, passkey: email, provider: email }
        expect(await waysInto(app, ada)).to.deep.equal(all)
        const link = await askForLink(app.browser(), app.mailbox, email)
        expect(await app.disableUser(userId)).to.equal(true)
        expect(await waysInto(app, ada)).to.deep.equal(NOBODY)
        const byMail = app.browser()
        await confirmLink(byMail, link)
        expect(await whoIs(byMail)).to.equal(null)
        expect(await app.enableUser(userId)).to.equal(true)
        expect(await waysInto(app, ada)).to.deep.equal({ ...all, session: null, token: null })
      })

      it('ACCT-16: no password is stored of a disabled user', async () => {
        const app = open({ session: session() })
        const { browser, email, userId } = await app.settled()
        await app.disableUser(userId)
        const other = 'nine quiet windows facing the harbour'
        const token = await app.passwordLink(email)
        const chosen = await app.send(app.browser(), 'password/choose', { token, newPassword: other })
        expect(chosen.location).to.include('AccessDenied')
        const changed = await app.send(browser, 'password/change', { password: GOOD, newPassword: other })
        expect(changed.status).to.equal(401)
        expect(await app.verifyPassword({ userId, password: GOOD })).to.equal(true)
        await app.setPassword({ userId, password: other, mustChange: true })
        const visitor = app.browser()
        const fields = { csrfToken: await visitor.csrfToken(), email, password: other }
        const signedIn = await visitor.post('/auth/callback/password', fields, { accept: 'text/html' })
        expect(signedIn.location).to.include('AccessDenied')
      })

      it('ACCT-17: nothing that a deleted user holds lets anybody in as them', async () => {
        const app = open({ session: session(), signUp: 'invited' })
        const person = { ...newPerson(), emailVerified: true }
        await app.inviteUser({ email: person.email ?? '' })
        const ada = await app.settled(person)
        const { email, userId } = ada
        const mailed = await askForLink(app.browser(), app.mailbox, email)
        const chosen = await app.passwordLink(email)
        expect(await app.deleteUser(userId)).to.deep.equal([])
        expect(await app.exportUser(userId)).to.equal(null)
        expect(await waysInto(app, ada)).to.deep.equal(NOBODY)
        const browser = app.browser()
        await confirmLink(browser, mailed)
        expect(await whoIs(browser)).to.equal(null)
        expect((await app.send(browser, 'password/choose', { token: chosen, newPassword: GOOD })).status).to.equal(400)
        expect(await app.store.getUserByEmail(email)).to.equal(null)
        expect(await app.deleteUser(userId)).to.equal(null)
        // Whoever has the address is a new person.
        await app.inviteUser({ email })
        const again = app.browser()
        await app.signIn(again, ada.person)
        expect(await whoIs(again)).to.equal(email)
        expect((await app.store.getUserByEmail(email))?.id).not.to.equal(userId)
        expect(await app.byPassword(email)).to.equal(null)
      })

      for (const end of ['deleteUser', 'disableUser'] as const) {
        it(`ACCT-18: a sign-in that runs at the moment of ${end} leaves no session`, async () => {
          const store = memoryAdapter()
          let atIssue: (() => Promise<unknown>) | null = null
          const options = session()
          // The user was found a moment ago.
          const interrupted = (adapter: Adapter, name: 'createSession' | 'createTokenSession'): Partial<Adapter> => ({
            [name]: async (row: never) => {
              const work = atIssue
              atIssue = null
              await work?.()
              return (adapter[name] as (row: never) => unknown)(row)
            },
          })
          if ('revocation' in options) {
            const { store: tokens } = options.revocation
            Object.assign(tokens, interrupted({ ...tokens }, 'createTokenSession'))
          }
          const app = open({ session: options }, { store, change: interrupted({ ...store }, 'createSession') })
          const { person, email, userId } = await app.settled()
          const signIns: ((browser: TestBrowser) => Promise<unknown>)[] = [
            (browser) => app.signIn(browser, person),
            (browser) => app.byPassword(email, browser),
            async (browser) => browser.get(await askForLink(browser, app.mailbox, email)),
          ]
          for (const signIn of signIns.slice(0, end === 'deleteUser' ? 1 : 3)) {
            const browser = app.browser()
            atIssue = () => app[end](userId)
            await signIn(browser)
            expect(atIssue).to.equal(null)
            expect(await whoIs(browser)).to.equal(null)
            expect(await app.engine.listSessions(requestContext(browser.cookieHeader(), app.origin))).to.equal(null)
            if (end !== 'disableUser') continue
            await app.enableUser(userId)
            // A session that nobody has shown while the user was disabled.
            const hidden = app.browser()
            atIssue = () => app.disableUser(userId)
            await signIn(hidden)
            await app.enableUser(userId)
            expect(await whoIs(hidden)).to.equal(null)
            // Another call than the first ends nothing.
            await app.signIn(hidden, person)
            await app.enableUser(userId)
            expect(await whoIs(hidden)).to.equal(email)
          }
        })
      }
    })
  }

  it('ACCT-18: a sign-in that runs at any moment of deleteUser is refused, and no fault', async () => {
    const sqlite = STORES.find(({ name }) => name === 'SQLite') ?? expect.fail('no SQLite')
    const { adapter: store, close } = await sqlite.open()
    let moment: string | null = null
    let userId = ''
    const at = async (name: string) => {
      if (name !== moment) return
      moment = null
      await app.deleteUser(userId)
    }
    const change = Object.fromEntries(
      (['getVerificationToken', 'createSession', 'updateAuthenticatorCounter', 'linkAccount'] as const).map((name) => [
        name,
        (...given: never[]) => at(name).then(() => (store[name] as (...given: never[]) => unknown)(...given)),
      ]),
    )
    const signIn = async () => at('signIn').then(() => true)
    const app = open({ callbacks: { signIn } }, { store, change })
    type SignIn = (browser: TestBrowser, ada: Settled) => Promise<TestResponse>
    const signIns: readonly (readonly [SignIn, ...moments: string[]])[] = [
      [(browser, { person }) => app.signIn(browser, person), 'createSession'],
      [(browser, { person }) => app.signIn(browser, { ...person, sub: `${person.sub}-other` }, 'other'), 'linkAccount'],
      [
        (browser, { email }) => app.send(browser, 'callback/password', { email, password: GOOD }),
        'signIn',
        'createSession',
      ],
      [
        (browser, { device }) => authenticate({ browser, device }),
        'updateAuthenticatorCounter',
        'signIn',
        'createSession',
      ],
      [
        async (browser, { email }) => browser.get(await askForLink(browser, app.mailbox, email)),
        'getVerificationToken',
        'createSession',
      ],
    ]
    for (const [enter, ...moments] of signIns)
      for (const name of moments) {
        const ada = await app.settled()
        const browser = app.browser()
        moment = name
        userId = ada.userId
        const { location } = await enter(browser, ada)
        expect(moment, `${enter} ${name}`).to.equal(null)
        expect(location, `${enter} ${name}`).to.match(/[?]error=(?!Configuration)/)
        expect(await whoIs(browser)).to.equal(null)
      }
    await close()
  })

  it('ACCT-17: a mailed link that is used while its user is deleted, or moves to another address, makes nobody of what they had', async () => {
    const store = memoryAdapter()
    let atSignIn: (() => Promise<unknown>) | null = null
    const signIn = async () => {
      const work = atSignIn
      atSignIn = null
      await work?.()
      return true
    }
    const app = open({ callbacks: { signIn } }, { store })
    const uses: Record<string, (browser: TestBrowser, email: string) => Promise<unknown>> = {
      'to sign in': async (browser, email) => browser.get(await askForLink(browser, app.mailbox, email)),
      'to choose a password': async (browser, email) =>
        app.send(browser, 'password/choose', { token: await app.passwordLink(email), newPassword: GOOD }),
    }
    const changes: Record<string, (userId: string) => Promise<unknown>> = {
      deleted: (userId) => app.deleteUser(userId),
      moved: async (userId) => store.updateUser({ id: userId, email: newPerson().email ?? '' }),
    }
    for (const [way, use] of Object.entries(uses))
      for (const [what, change] of Object.entries(changes)) {
        const email = newPerson().email ?? ''
        const fields = { email, name: 'Ada', emailVerified: new Date(), role: 'admin' }
        const { id } = await store.createUser({ id: '', ...fields } as AdapterUser)
        // The callback is also asked before the mail.
        let asked = 0
        const second = async (): Promise<unknown> => {
          asked += 1
          if (asked === 2) return change(id)
          atSignIn = second
          return null
        }
        atSignIn = second
        const browser = app.browser()
        await use(browser, email)
        expect(asked, `${way} ${what}`).to.equal(2)
        const found = (await store.getUserByEmail(email)) as (AdapterUser & { role?: string }) | null
        expect(found?.id, `${way} ${what}`).not.to.equal(id)
        expect([found?.name, found?.role], `${way} ${what}`).to.deep.equal([undefined, undefined])
        // Whoever still has the address is somebody new, if they sign in with it.
        expect(await whoIs(browser), `${way} ${what}`).to.equal(way === 'to sign in' ? email : null)
        expect(found !== null, `${way} ${what}`).to.equal(way === 'to sign in')
      }
  })

  it('ACCT-17: an account that is added while its user is deleted belongs to nobody afterwards', async () => {
    const store = memoryAdapter()
    let atLink: (() => Promise<unknown>) | null = null
    const app = open(
      {},
      {
        store,
        change: {
          async linkAccount(account) {
            const work = atLink
            atLink = null
            await work?.()
            return store.linkAccount(account)
          },
        },
      },
    )
    const { browser, person, userId } = await app.settled()
    atLink = () => app.deleteUser(userId)
    await app.signIn(browser, { ...person, sub: `${person.sub}-other` }, 'other')
    expect(atLink).to.equal(null)
    expect(await whoIs(browser)).to.equal(null)
    const again = app.browser()
    await app.signIn(again, { ...person, sub: `${person.sub}-other` }, 'other')
    expect((await store.getUserByEmail(person.email ?? ''))?.id).not.to.equal(userId)
    expect(await whoIs(again)).to.equal(person.email)
  })

  it('ACCT-17: a password that is stored while its user is deleted is stored of nobody', async () => {
    const store = memoryAdapter()
    let atWrite: (() => Promise<unknown>) | null = null
    const interrupted =
      (name: 'createRecord' | 'updateRecord') =>
      async (row: AdapterRecord): Promise<boolean> => {
        const work = row.kind === 'password' ? atWrite : null
        if (work) atWrite = null
        await work?.()
        return store[name](row)
      }
    const change = { createRecord: interrupted('createRecord'), updateRecord: interrupted('updateRecord') }
    const app = open({}, { store, change })
    const stores: Record<string, (userId: string, email: string) => Promise<unknown>> = {
      'by a link': async (_userId, email) =>
        app.send(app.browser(), 'password/choose', { token: await app.passwordLink(email), newPassword: GOOD }),
      'by code of the application': async (userId) =>
        expect(await failureOf(app.setPassword({ userId, password: GOOD }))).to.include({ reason: 'unknown-user' }),
    }
    for (const [way, choose] of Object.entries(stores)) {
      const email = newPerson().email ?? ''
      const { id } = await store.createUser({ id: '', email, emailVerified: new Date() })
      atWrite = () => app.deleteUser(id)
      await choose(id, email)
      expect(atWrite, way).to.equal(null)
      expect(await store.getUser(id), way).to.equal(null)
      expect(await store.listRecordsByOwner('password', id), way).to.deep.equal([])
    }
  })

  it('ACCT-17: a deletion that broke off is finished by the next call, and one that does nothing is no success', async () => {
    const store = memoryAdapter()
    let answer: 'down' | 'nothing' | 'works' = 'down'
    const app = open(
      {},
      {
        store,
        change: {
          deleteUser(id) {
            if (answer === 'down') throw new Error('down')
            return answer === 'nothing' ? null : store.deleteUser(id)
          },
        },
      },
    )
    const ada = await app.settled()
    const { email } = ada
    for (const wrong of ['down', 'nothing'] as const) {
      answer = wrong
      expect((await failureOf(app.deleteUser(ada.userId))).name).to.equal('AdapterError')
      // A row of the application may refer to the user. Nobody gets in with less than before.
      const ways = { session: null, token: null, password: email, passkey: email, provider: email }
      expect(await waysInto(app, ada)).to.deep.equal(ways)
    }
    answer = 'works'
    expect(await app.deleteUser(ada.userId)).to.deep.equal([])
  })

  it('ACCT-17: a user whom the store has deleted alone signs in with nothing, and the next call deletes the rest', async () => {
    const store = memoryAdapter()
    let deleted: string | null = null
    let isDown = false
    const known = (user: AdapterUser | null) => (user?.id === deleted ? null : user)
    const app = open(
      {},
      {
        store,
        change: {
          deleteUser(id) {
            isDown = true
            deleted = id
          },
          getUser: async (id) => known(await store.getUser(id)),
          getUserByEmail: async (email) => known(await store.getUserByEmail(email)),
          getUserByAccount: async (account) => known(await store.getUserByAccount(account)),
          async deleteAuthenticator(id) {
            if (isDown) throw new Error('down')
            return store.deleteAuthenticator(id)
          },
        },
      },
    )
    const ada = await app.settled()
    const left = async () => [
      (await store.listAccountsByUserId(ada.userId)).length,
      (await store.listAuthenticatorsByUserId(ada.userId)).length,
      (await store.listRecordsByOwner('password', ada.userId)).length,
    ]
    expect((await failureOf(app.deleteUser(ada.userId))).name).to.equal('AdapterError')
    expect(await left()).not.to.deep.equal([0, 0, 0])
    expect(await waysInto(app, ada)).to.deep.equal(NOBODY)
    isDown = false
    expect(await app.deleteUser(ada.userId)).to.equal(null)
    expect(await left()).to.deep.equal([0, 0, 0])
  })

  it('ACCT-17: an adapter of Auth.js deletes what it can, and the result says what that may leave', async () => {
    for (const session of [{ strategy: 'database' }, { strategy: 'jwt' }] as const) {
      const store = memoryAdapter()
      const orphans = { ...store, listAuthenticatorsByUserId: store.listAuthenticatorsByUserId }
      const adapter = asAuthjsHasIt(orphans as Required<Adapter>, ['unlinkAccount'])
      const app = openAccountApp(idp, { methods: ['email', 'passkey'], config: { adapter, session, limits: false } })
      const operator = operatorOf(() => app.engine.config)
      const browser = app.browser()
      await register({ browser, device: new SoftAuthenticator(app.origin) }, { email: 'ada@example.com' })
      const { id } = (await store.getUserByEmail('ada@example.com')) as AdapterUser
      Object.assign(adapter, { listAuthenticatorsByUserId: async () => [{ credentialID: 'x', userId: id }] })
      expect(await operator.deleteUser(id)).to.deep.equal(['accounts', 'passkeys', 'sessions'])
      expect(await store.getUser(id)).to.equal(null)
      if (session.strategy === 'database') expect(await whoIs(browser)).to.equal(null)
    }
  })

  for (const kind of STORES) {
    describe(`over ${kind.name}`, () => {
      before(kind.requireServer)

      it('ACCT-17: deletes everything of a user, and nothing of another', async () => {
        const opened = await kind.open()
        try {
          const store = opened.adapter
          const app = open({}, { store })
          const [ada, bob] = [await app.settled(), await app.settled()]
          const before = await opened.count()
          expect(await app.deleteUser(ada.userId)).to.deep.equal([])
          const after = await opened.count()
          expect(after.users).to.equal(before.users - 1)
          expect(await waysInto(app, bob)).to.include({ session: bob.email, token: bob.email, passkey: bob.email })
          expect(await store.listAccountsByUserId(ada.userId)).to.deep.equal([])
          expect(await store.listAuthenticatorsByUserId(ada.userId)).to.deep.equal([])
          expect(await store.listSessionsByUserId(ada.userId)).to.deep.equal([])
          for (const name of ['password', 'password-link'])
            expect(await store.listRecordsByOwner(name, ada.userId)).to.deep.equal([])
          expect(await store.listRecordsByOwner('password', bob.userId)).to.have.length(1)
        } finally {
          await opened.close()
        }
      })

      it('ACCT-19: exports what is stored about a person, without any secret of it', async () => {
        const opened = await kind.open()
        try {
          const store = opened.adapter
          const app = open({}, { store, provider: { ...TRUSTED, account: (tokens: object) => tokens } })
          const ada = await app.settled()
          const accounts = await store.listAccountsByUserId(ada.userId)
          const account = accounts.find(({ provider }) => provider === 'acme')
          const [passkey] = await store.listAuthenticatorsByUserId(ada.userId)
          const sessions = await store.listSessionsByUserId(ada.userId)
          const [password] = await store.listRecordsByOwner('password', ada.userId)
          const found = await app.exportUser(ada.userId)
          expect(found?.user).to.include({ id: ada.userId, email: ada.email, name: 'Ada' })
          expect(found?.accounts).to.deep.equal([
            { provider: 'acme', providerAccountId: ada.person.sub, scope: account?.scope ?? null },
          ])
          expect(found?.passkeys.map(({ credentialID }) => credentialID)).to.deep.equal([passkey?.credentialID])
          expect(found?.sessions).to.have.length(sessions.length)
          expect(found?.sessions?.map(({ name }) => name)).to.include('Backup')
          expect(found?.records).to.deep.equal({ password: 1, address: 0 })
          const text = JSON.stringify(found)
          const secrets = [
            account?.access_token,
            account?.id_token,
            account?.refresh_token,
            passkey?.credentialPublicKey,
            passkey?.userHandle,
            password?.value,
            password?.key,
            ada.token,
            ...sessions.map(({ sessionToken }) => sessionToken),
            ...[...ada.browser.jar.values()].map(({ value }) => value),
          ].filter((secret): secret is string => typeof secret === 'string' && secret.length > 8)
          expect(secrets.length).to.be.greaterThan(7)
          for (const secret of secrets) expect(text).not.to.include(secret)
          expect(await app.exportUser('nobody-of-this-name')).to.equal(null)
        } finally {
          await opened.close()
        }
      })
    })
  }

  it('ACCT-19: a column of the application stays out of an export, since it may be a secret', async () => {
    const app = open()
    const { userId } = await app.settled()
    await app.store.updateUser({ id: userId, passwordHash: 'scrypt$1$2' } as never)
    expect(JSON.stringify(await app.exportUser(userId))).not.to.include('scrypt')
  })

  it('lists no sessions where nothing keeps a list', async () => {
    const app = open({ session: { strategy: 'jwt' } })
    const { email } = newPerson()
    await app.send(app.browser(), 'signin/email', { email: email ?? '' })
    await confirmLink(app.browser(), app.mailbox.pathFor(email))
    const user = await app.store.getUserByEmail(email ?? '')
    expect(await app.exportUser(user?.id ?? '')).to.deep.include({
      sessions: null,
      passkeys: [],
      records: { password: 0, address: 0 },
    })
    expect(await app.deleteUser(user?.id ?? '')).to.deep.equal(['sessions'])
  })

  it('ACCT-16: no user counts as disabled where that keeps nobody out', async () => {
    const lenient = open({ session: { strategy: 'database' } })
    const { userId } = await lenient.settled()
    const failure = await failureOf(lenient.disableUser(userId))
    expect(failure.message).to.include('Set `session.refreshUser`')
    const memory = memoryAdapter()
    const forgetful = open(
      {},
      { store: memory, change: { updateUser: async ({ id }) => (await memory.getUser(id)) as AdapterUser } },
    )
    const other = await forgetful.settled()
    expect((await failureOf(forgetful.disableUser(other.userId))).message).to.include('did not keep `disabled`')
    // A column of dates would keep the "yes" and not the "no": the first call says so, and leaves the user as they were.
    const store = memoryAdapter()
    const kept: unknown[] = []
    const asDate = (user: object) =>
      'disabled' in user && user.disabled !== null ? { ...user, disabled: new Date(Number(user.disabled)) } : user
    const dated = open(
      {},
      {
        store,
        change: {
          updateUser: async (user) => {
            if ('disabled' in user) kept.push(user.disabled)
            return store.updateUser(asDate(user) as typeof user)
          },
        },
      },
    )
    const third = await dated.settled()
    expect((await failureOf(dated.disableUser(third.userId))).message).to.include('booleans or integers')
    expect(kept).to.deep.equal([true, null])
    expect(await whoIs(third.browser)).to.equal(third.email)
  })

  it('are there for one configuration, and need one with users', async () => {
    const adapter = memoryAdapter()
    const config = testConfig({ adapter, session: { refreshUser: 60 } })
    for (const auth of [defineAuth(config), webAuth(config)]) {
      const { id } = adapter.createUser({
        id: '',
        email: `${Math.random()}@example.com`,
        emailVerified: null,
      }) as AdapterUser
      expect(await auth.disableUser(id)).to.equal(true)
      expect(await auth.enableUser(id)).to.equal(true)
      expect((await auth.exportUser(id))?.user.id).to.equal(id)
      // The credentials of the test configuration belong to the application.
      expect(await auth.deleteUser(id)).to.deep.equal(['password'])
      expect(await auth.enableUser(id)).to.equal(false)
    }
    for (const wrong of ['', 'undefined', undefined, Promise.resolve('1'), { id: '1' }] as never[])
      expect((await failureOf(deleteUser(config, wrong))).message).to.include('deleteUser() got')
    expect((await failureOf(deleteUser(testConfig(), '1'))).name).to.equal('MissingAdapter')
    expect((await failureOf(deleteUser((() => config) as never, '1'))).message).to.include('has no request')
  })
})
