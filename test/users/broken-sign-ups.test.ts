import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Kysely, SqliteDialect, SqliteDriver } from 'kysely'
import Libsql from 'libsql'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import type { ProviderType } from '../../lib/providers/provider.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createLog } from '../support/app.js'
import { breakingAt } from '../support/breaking-store.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { ofFeatures } from '../support/of-features.js'
import { storeOver } from '../support/open-store.js'
import { askForLink, confirmLink, Mailbox } from '../support/sign-ins.js'
import { asAuthjsHasIt, type OpenStore, STORES } from '../support/stores.js'
import { openTestApp } from '../support/test-app.js'
import { inAHurry } from '../support/timers.js'

const nobody: PrincipalReader = async () => null

interface Setting {
  readonly kinds?: readonly ProviderType[]
  readonly secrets?: readonly string[]
  readonly now?: () => number
}

/** A process of an application over a store. */
function processOver(
  adapter: Adapter,
  { kinds = ['oidc', 'email'], secrets = ['secret'], now = Date.now }: Setting = {},
) {
  const emitted: string[] = []
  const log = createLog()
  const resolver = createIdentityResolver({
    store: storeOver(adapter),
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: kinds.map((type) => ({ id: type, type })),
    confirmEmail: null,
    recentAuthAge: 900,
    storeTimeout: 5,
    emit: async (name) => void emitted.push(name),
    logger: log.logger as Required<typeof log.logger>,
    secrets,
    now,
  })
  const resolve = (identity: Identity) => resolver.resolve(identity, nobody)
  const refusalOf = (identity: Identity): Promise<Error & { type?: string }> =>
    resolve(identity).then(
      () => expect.fail('somebody was let in'),
      (error) => error,
    )
  return { resolve, refusalOf, emitted, log }
}

interface Person {
  readonly sub: string
  readonly email: string
}

const somebody = (): Person => {
  const sub = randomBytes(8).toString('hex')
  return { sub, email: `${sub}@example.com` }
}

/** By default, a provider that verifies addresses is trusted with them. */
const oidcIdentity = ({ sub, email }: Person, isEmailVerified = false, linksByEmail = isEmailVerified): Identity => ({
  user: { id: crypto.randomUUID(), name: 'Ada', email },
  account: { provider: 'oidc', type: 'oidc', providerAccountId: sub },
  linking: { isEmailVerified, linksByEmail, storedTokens: (tokens) => tokens },
  initiator: null,
})

const mailIdentity = ({ email }: Person): Identity => ({
  user: { id: crypto.randomUUID(), email },
  account: { provider: 'email', type: 'email', providerAccountId: email },
})

const passkeyIdentity = ({ email }: Person): Identity => {
  const credentialID = randomBytes(16).toString('base64')
  return {
    user: { id: '', name: 'Ada', email },
    account: { provider: 'webauthn', type: 'webauthn', providerAccountId: credentialID },
    passkey: {
      ceremony: 'register',
      forUser: null,
      authenticator: {
        credentialID,
        credentialPublicKey: 'cHVibGlj',
        counter: 0,
        credentialBackedUp: false,
        credentialDeviceType: 'singleDevice',
        providerAccountId: credentialID,
      },
    },
  }
}

/** What a test of a feature works with. */
interface BrokenSignUps {
  readonly store: () => OpenStore
  readonly atEveryCall: typeof atEveryCall
  readonly processOver: typeof processOver
  readonly passkeyIdentity: typeof passkeyIdentity
}

const OF_FEATURES = await ofFeatures<(parts: BrokenSignUps) => void>('broken-sign-ups')

/** Breaks a sign-up off at every call of the store in turn, and hands each to a process that was started afterwards. */
async function atEveryCall(
  adapter: Adapter,
  identityOf: (person: Person) => Identity,
  retry: (person: Person, at: string) => Promise<void>,
) {
  let isThrough = false
  for (let call = 1; !isThrough; call += 1) {
    expect(call, 'calls of a sign-up').to.be.lessThan(20)
    for (const isDone of [false, true]) {
      const person = somebody()
      const setting: Setting = { kinds: ['oidc', 'email', 'webauthn'] }
      const first = await Promise.allSettled([
        processOver(breakingAt(adapter, call, isDone).adapter, setting).resolve(identityOf(person)),
      ])
      if (!isDone) isThrough = first[0].status === 'fulfilled'
      await retry(person, `call ${call}, ${isDone ? 'done' : 'not done'}`)
    }
  }
}

for (const kind of STORES) {
  describe(`a sign-up that breaks off, with ${kind.name}`, () => {
    let store: OpenStore
    before(async function () {
      await kind.requireServer.call(this)
      store = await kind.open()
    })
    after(() => store?.close())

    const SHOWN = { 'as it is': (adapter: Adapter) => adapter, 'as an adapter of Auth.js': asAuthjsHasIt } as const
    for (const [shown, show] of Object.entries(SHOWN)) {
      for (const isEmailVerified of [false, true]) {
        const what = isEmailVerified ? 'a verified address' : 'an address that nobody verified'
        it(`is finished by the same account, at whichever call it broke off: ${shown}, ${what}`, async () => {
          const adapter = show(store.adapter)
          let before = await store.count()
          await atEveryCall(
            adapter,
            (person) => oidcIdentity(person, isEmailVerified),
            async (person, at) => {
              const { user } = await processOver(adapter).resolve(oidcIdentity(person, isEmailVerified))
              const again = await processOver(adapter).resolve(oidcIdentity(person, isEmailVerified))
              expect(again.user.id, at).to.equal(user.id)
              expect((await adapter.getUserByEmail?.(person.email))?.id, at).to.equal(user.id)
              const now = await store.count()
              expect([now.users - before.users, now.accounts - before.accounts], at).to.deep.equal([1, 1])
              before = now
            },
          )
        })
      }
    }

    for (const add of OF_FEATURES) add({ store: () => store, atEveryCall, processOver, passkeyIdentity })
  })
}

/** Somebody whose sign-up broke off once the user was there, in a store that cannot store all of it at once. */
async function halfMade({
  isEmailVerified = false,
  setting = {},
  show = asAuthjsHasIt,
}: {
  readonly isEmailVerified?: boolean
  readonly setting?: Setting
  readonly show?: (store: Required<Adapter>) => Adapter
} = {}) {
  const store = memoryAdapter()
  const adapter = show(store)
  const rows: { identifier: string; token: string }[] = []
  const watching: Adapter = {
    ...adapter,
    createVerificationToken: (row) => {
      rows.push(row)
      return store.createVerificationToken(row)
    },
    linkAccount: () => {
      throw new Error('Connection terminated unexpectedly')
    },
    deleteUser: () => {
      throw new Error('Connection terminated unexpectedly')
    },
  }
  const person = somebody()
  await processOver(watching, setting).refusalOf(oidcIdentity(person, isEmailVerified))
  const user = (await store.getUserByEmail(person.email)) as AdapterUser
  expect(user, 'the user who is left over').to.not.equal(null)
  const identity = () => oidcIdentity(person, isEmailVerified)
  return { store, adapter, person, user, rows, identity }
}

describe('ACCT-09 the marker of an interrupted sign-up', () => {
  inAHurry()
  it('finishes it: one user, both events, and no marker afterwards', async () => {
    const { adapter, store, identity, user, rows } = await halfMade()
    const { resolve, emitted } = processOver(adapter)
    const resolved = await resolve(identity())
    expect(resolved).to.deep.include({ isNewUser: true })
    expect(resolved.user.id).to.equal(user.id)
    expect(emitted).to.deep.equal(['createUser', 'linkAccount'])
    for (const row of rows) expect(await store.useVerificationToken(row)).to.equal(null)
    expect(await resolve(identity())).to.deep.include({ isNewUser: false })
  })

  it('is used up by a sign-up that ends well', async () => {
    const store = memoryAdapter()
    const rows: { identifier: string; token: string }[] = []
    const adapter: Adapter = {
      ...asAuthjsHasIt(store),
      createVerificationToken(row) {
        rows.push(row)
        return store.createVerificationToken(row)
      },
    }
    for (const isEmailVerified of [false, true]) {
      await processOver(adapter).resolve(oidcIdentity(somebody(), isEmailVerified))
      expect(rows.length).to.be.greaterThan(0)
      for (const row of rows) expect(await store.useVerificationToken(row)).to.equal(null)
    }
  })

  const REFUSED: Readonly<
    Record<
      string,
      (half: Awaited<ReturnType<typeof halfMade>>) => Promise<{ identity?: Identity; setting?: Setting } | void>
    >
  > = {
    'another account with the same address': async ({ person }) => ({
      identity: oidcIdentity({ ...somebody(), email: person.email }),
    }),
    'an account of the same id at another provider': async ({ identity }) => {
      const { account, ...others } = identity()
      return { identity: { ...others, account: { ...account, provider: 'other' } } }
    },
    'whoever signed up, once the owner of the address has confirmed it by a mailed link': async ({
      adapter,
      person,
      user,
    }) => {
      const owner = await processOver(adapter, { kinds: ['email'] }).resolve(mailIdentity(person))
      expect(owner.user.id).to.equal(user.id)
    },
    'whoever signed up, once the application has said that the address is confirmed': async ({ store, user }) =>
      void store.updateUser({ id: user.id, emailVerified: new Date() }),
    'whoever signed up, when the user has a passkey by now': async ({ store, user }) => {
      const { passkey } = passkeyIdentity(somebody())
      if (passkey?.ceremony === 'register') store.createAuthenticator({ ...passkey.authenticator, userId: user.id })
    },
    'whoever signed up, when another user has the address by now': async ({ store, person, user }) => {
      store.deleteUser(user.id)
      store.createUser({ id: 'another', email: person.email, emailVerified: null })
    },
    'whoever signed up, at an address that the user got later': async ({ store, user, person }) => {
      const email = 'later@example.com'
      store.updateUser({ id: user.id, email })
      return { identity: oidcIdentity({ ...person, email }) }
    },
    'whoever comes a day later': async () => ({ setting: { now: () => Date.now() + 24 * 60 * 60 * 1000 + 1000 } }),
    'whoever comes to another instance': async () => ({ setting: { secrets: ['another'] } }),
    'whoever signed up, where the application has passwords of its own': async () => ({
      setting: { kinds: ['oidc', 'credentials'] },
    }),
  }
  for (const [who, change] of Object.entries(REFUSED)) {
    it(`is worth nothing to ${who}`, async () => {
      const half = await halfMade()
      const changed = (await change(half)) ?? {}
      const setting: Setting = { kinds: ['oidc', 'webauthn', 'email'], ...changed.setting }
      const { refusalOf, emitted } = processOver(half.adapter, setting)
      for (let time = 0; time < 2; time += 1) {
        expect(await refusalOf(changed.identity ?? half.identity())).to.have.property('type', 'OAuthAccountNotLinked')
      }
      expect(emitted).to.deep.equal([])
      expect(half.store.listAccountsByUserId(half.user.id)).to.deep.equal([])
    })
  }

  it('is worth nothing to an account that was unlinked, once its sign-up has ended', async () => {
    for (const isEmailVerified of [false, true]) {
      const store = memoryAdapter()
      const adapter = asAuthjsHasIt(store)
      const person = somebody()
      await processOver(adapter).resolve(oidcIdentity(person, isEmailVerified, false))
      store.unlinkAccount({ provider: 'oidc', providerAccountId: person.sub })
      const refusal = await processOver(adapter).refusalOf(oidcIdentity(person, isEmailVerified, false))
      expect(refusal).to.have.property('type', 'OAuthAccountNotLinked')
    }
  })

  it('is not used if the user has another account and the adapter lists the accounts', async () => {
    const { adapter, store, user, identity } = await halfMade()
    store.linkAccount({ provider: 'other', type: 'oidc', providerAccountId: '1', userId: user.id })
    const listing = { ...adapter, listAccountsByUserId: store.listAccountsByUserId }
    expect(await processOver(listing).refusalOf(identity())).to.have.property('type', 'OAuthAccountNotLinked')
  })

  it('is good after the secret has changed, while the previous secret is still known', async () => {
    const { adapter, identity, user } = await halfMade()
    const { resolve } = processOver(adapter, { secrets: ['new', 'secret'] })
    expect((await resolve(identity())).user.id).to.equal(user.id)
  })

  it('finishes it beside passwords where the provider has verified the address', async () => {
    const setting: Setting = { kinds: ['oidc', 'credentials'] }
    const { adapter, identity, user } = await halfMade({ isEmailVerified: true, setting })
    expect((await processOver(adapter, setting).resolve(identity())).user.id).to.equal(user.id)
  })

  it('is no mailed link, and no mailed link is one', async () => {
    const mailbox = new Mailbox()
    const { adapter, store, rows, identity, person } = await halfMade()
    const testApp = openTestApp({
      adapter,
      secret: 'key of this test',
      session: { strategy: 'database' },
      providers: [mailbox.provider()],
    })
    const mallory = testApp.browser()
    const [row] = rows
    if (!row) return expect.fail('no mark')
    // Whoever can read the store knows both texts.
    const query = new URLSearchParams({ token: row.token, email: row.identifier })
    expect((await confirmLink(mallory, `/auth/callback/email?${query}`)).location).to.include('error=Verification')
    const csrfToken = await mallory.csrfToken()
    const asked = await mallory.post('/auth/signin/email', { csrfToken, email: row.identifier })
    expect(asked.location, 'the identifier is no address').to.include('error=EmailSignin')
    const path = await askForLink(mallory, mailbox, person.email)
    expect(new URLSearchParams(path.split('?')[1]).get('token')).to.not.equal(row.token)
    expect(await mallory.session()).to.equal(null)
    expect(await store.useVerificationToken(row), 'it is still there').to.not.equal(null)
    expect(identity().account.provider).to.equal('oidc')
  })

  it('says nothing of the person', async () => {
    const { rows, person } = await halfMade()
    for (const { identifier, token } of rows) {
      expect(identifier).to.match(/^sign-up:[0-9a-f]{64}$/)
      expect(token).to.match(/^[0-9a-f]{64}$/)
      expect(identifier + token).to.not.include(person.sub)
    }
  })

  it('lets two processes finish it at once: one user, one account, both signed in', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { adapter, identity, user, store } = await halfMade()
      const both = await Promise.all([1, 2].map(() => processOver(adapter).resolve(identity())))
      expect(both.map(({ user: { id } }) => id)).to.deep.equal([user.id, user.id])
      expect(store.listAccountsByUserId(user.id)).to.have.length(1)
    }
  })

  it('outlives a process that dies while it finishes, but for the one moment in which it is looked at', async () => {
    const lost: number[] = []
    for (let call = 1; call < 12; call += 1) {
      const { adapter, identity, user } = await halfMade()
      await Promise.allSettled([processOver(breakingAt(adapter, call).adapter).resolve(identity())])
      const [outcome] = await Promise.allSettled([processOver(adapter).resolve(identity())])
      if (outcome?.status === 'rejected') lost.push(call)
      else expect(outcome?.value.user.id).to.equal(user.id)
    }
    // getUserByAccount, getUserByEmail, useVerificationToken: from here to the next call.
    expect(lost).to.deep.equal([4])
  })

  /** A store that chooses the ids of users itself. */
  const numbering = (store: Required<Adapter>): Adapter => {
    let last = 0
    return { ...asAuthjsHasIt(store), createUser: (user) => store.createUser({ ...user, id: String(++last) }) }
  }

  it('finishes it where the store chooses the ids of users itself', async () => {
    for (const isEmailVerified of [false, true]) {
      const { adapter, identity, user } = await halfMade({ isEmailVerified, show: numbering })
      expect((await processOver(adapter).resolve(identity())).user.id).to.equal(user.id)
    }
  })

  /** As `@auth/pg-adapter`: the database numbers the users, and refuses a verification token that it has already. */
  const withUniqueTokens = (store: Required<Adapter>): Adapter => {
    const keys = new Set<string>()
    const keyOf = ({ identifier, token }: { identifier: string; token: string }) => `${identifier} ${token}`
    return {
      ...numbering(store),
      async createVerificationToken(row) {
        if (keys.has(keyOf(row))) throw new Error('duplicate key value violates unique constraint')
        keys.add(keyOf(row))
        return store.createVerificationToken(row)
      },
      async useVerificationToken(row) {
        keys.delete(keyOf(row))
        return store.useVerificationToken(row)
      },
    }
  }

  it('is left without a warning where the store numbers the users and has each token once', async () => {
    for (const isEmailVerified of [true, false]) {
      const { resolve, log } = processOver(withUniqueTokens(memoryAdapter()))
      await resolve(oidcIdentity(somebody(), isEmailVerified))
      expect(log.warnings).to.deep.equal([])
    }
  })

  it('is left without a warning by somebody who comes again within the second in which a sign-up broke off', async () => {
    const store = withUniqueTokens(memoryAdapter())
    const person = somebody()
    const now = () => 1_900_000_000_500
    const createUser = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    const first = processOver({ ...store, createUser }, { now })
    await first.refusalOf(oidcIdentity(person, true))
    const second = processOver(store, { now })
    await second.resolve(oidcIdentity(person, true))
    expect([...first.log.warnings, ...second.log.warnings]).to.deep.equal([])
  })

  it('is found, without a warning, by an adapter that throws for a token that is not there', async () => {
    const { adapter, identity, user } = await halfMade()
    const throwing: Adapter = {
      ...adapter,
      async useVerificationToken(row) {
        const found = await adapter.useVerificationToken?.(row)
        if (!found) throw new Error('No row was found')
        return found
      },
    }
    const { resolve, log } = processOver(throwing, { secrets: ['newest', 'newer', 'secret'] })
    expect((await resolve(identity())).user.id).to.equal(user.id)
    expect(log.warnings).to.deep.equal([])
  })

  it('guesses nothing if the store chose the id and the process ended before the answer: only a verified address identifies the user then', async () => {
    const found: boolean[] = []
    for (const isVerified of [true, false]) {
      const store = memoryAdapter()
      const adapter = numbering(store)
      const person = somebody()
      // getUserByAccount, getUserByEmail, createVerificationToken, createUser
      await Promise.allSettled([
        processOver(breakingAt(adapter, 4, true).adapter).resolve(oidcIdentity(person, isVerified)),
      ])
      expect(store.getUserByEmail(person.email)).to.not.equal(null)
      const [outcome] = await Promise.allSettled([processOver(adapter).resolve(oidcIdentity(person, isVerified))])
      found.push(outcome?.status === 'fulfilled')
    }
    expect(found).to.deep.equal([true, false])
  })

  for (const [what, change] of Object.entries({
    'has no verification tokens': (store: Required<Adapter>): Adapter =>
      asAuthjsHasIt(store, ['createVerificationToken', 'useVerificationToken']),
    'has no table for verification tokens': (store: Required<Adapter>): Adapter => ({
      ...asAuthjsHasIt(store),
      createVerificationToken: () => Promise.reject(new Error('relation "verification_token" does not exist')),
      useVerificationToken: () => Promise.reject(new Error('relation "verification_token" does not exist')),
    }),
  })) {
    it(`cannot be left where the store ${what}: people sign up, nothing is finished, and the log says so once`, async () => {
      const store = memoryAdapter()
      const adapter = change(store)
      const { resolve, refusalOf, log } = processOver(adapter, { kinds: ['oidc'] })
      for (let count = 0; count < 3; count += 1) await resolve(oidcIdentity(somebody()))
      expect(log.warnings).to.deep.equal(['unmarked-sign-up'])
      const person = somebody()
      store.createUser({ id: 'left-over', email: person.email, emailVerified: null })
      expect(await refusalOf(oidcIdentity(person))).to.have.property('type', 'OAuthAccountNotLinked')
    })
  }

  it('is not left for somebody without an address: they keep nothing from anybody', async () => {
    const store = memoryAdapter()
    const adapter = { ...asAuthjsHasIt(store), createVerificationToken: () => expect.fail('a mark was left') }
    const identity = oidcIdentity(somebody())
    await processOver(adapter).resolve({ ...identity, user: { ...identity.user, email: null } })
  })
})

describe('an application that puts a method of its own in the place of one of the adapter', () => {
  for (const name of ['createUser', 'linkAccount'] as const) {
    it(`has it called at a sign-up: ${name}`, async () => {
      const store = memoryAdapter()
      const called: string[] = []
      const own = (row: never) => {
        called.push(name)
        return store[name](row)
      }
      const adapter: Adapter = { ...store, [name]: own }
      await processOver(adapter).resolve(oidcIdentity(somebody()))
      expect(called).to.deep.equal([name])
    })
  }
})

describe('a database whose driver has no transactions', () => {
  for (const message of [
    'Transactions are not supported yet.',
    'Transactions are not supported with Neon HTTP connections',
  ]) {
    it(`stores a sign-up step by step, and the same account finishes one that broke off: ${message}`, async () => {
      class WithoutTransactions extends SqliteDriver {
        override async beginTransaction(): Promise<void> {
          throw new Error(message)
        }
      }
      const database = new Libsql(':memory:')
      class WithoutTransactionsDialect extends SqliteDialect {
        override createDriver() {
          return new WithoutTransactions({ database: database as never })
        }
      }
      await migrateToLatest(database as never)
      const adapter = sqlAdapter(
        new Kysely({ dialect: new WithoutTransactionsDialect({ database: database as never }) }),
      )
      const [whole, broken] = [somebody(), somebody()]
      expect((await processOver(adapter).resolve(oidcIdentity(whole))).user.email).to.equal(whole.email)
      const dying = {
        ...adapter,
        linkAccount: () => Promise.reject(new Error('down')),
        deleteUser: () => Promise.reject(new Error('down')),
      }
      await processOver(dying).refusalOf(oidcIdentity(broken))
      expect((await processOver(adapter).resolve(oidcIdentity(broken))).user.email).to.equal(broken.email)
      expect((await processOver(adapter).resolve(oidcIdentity(broken))).isNewUser).to.equal(false)
    })
  }
})

describe('a sign-up that is stored at once', () => {
  it('leaves no user without an account when the store fails at the look afterwards, and when somebody came in meanwhile', async () => {
    for (const outcome of ['confirmed', 'fails'] as const) {
      const store = memoryAdapter()
      const person = somebody()
      const adapter: Adapter = {
        ...store,
        getUser(id) {
          if (outcome === 'fails') throw new Error('Connection terminated unexpectedly')
          store.updateUser({ id, emailVerified: new Date() })
          return store.getUser(id)
        },
      }
      const { refusalOf, emitted } = processOver(adapter)
      await refusalOf(oidcIdentity(person))
      expect(emitted, outcome).to.not.include('linkAccount')
      expect(store.getUserByAccount({ provider: 'oidc', providerAccountId: person.sub }), outcome).to.equal(null)
    }
  })
})
