import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { ProviderType } from '../../lib/providers/provider.js'
import type { ConfirmEmailCallback, RemainingWay } from '../../lib/users/ask-confirmation.js'
import { createLog } from '../support/app.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { storeOver } from '../support/open-store.js'
import { asAuthjsHasIt } from '../support/stores.js'

const ADDRESS = 'victim@example.com'
const ATTACKER = 'mallory'

interface Setting {
  readonly emailVerified?: Date | null
  readonly kinds?: readonly ProviderType[]
  readonly sessionsNeedUser?: boolean
  readonly confirmEmail?: ConfirmEmailCallback | null
  readonly recentAuthAge?: number
  /** The store as it is shown to the resolver. */
  readonly shown?: (store: Required<Adapter>) => Adapter
}

/** A store in which somebody has signed up with a passkey, an account at a provider, and an address that nobody confirmed. */
function storeWithTakenAddress({
  emailVerified = null,
  kinds = ['email', 'oidc', 'webauthn'],
  sessionsNeedUser = true,
  confirmEmail = null,
  recentAuthAge = 900,
  shown = (store) => store,
}: Setting = {}) {
  const store = memoryAdapter()
  const log = createLog()
  const emitted: string[] = []
  store.createUser({ id: ATTACKER, name: null, email: ADDRESS, image: null, emailVerified })
  store.createAuthenticator({
    credentialID: 'a2V5',
    credentialPublicKey: 'cHVibGlj',
    counter: 0,
    credentialBackedUp: false,
    credentialDeviceType: 'singleDevice',
    providerAccountId: 'a2V5',
    userId: ATTACKER,
  })
  store.createSession({ sessionToken: 'open', userId: ATTACKER, expires: new Date(Date.now() + 60_000) })
  store.linkAccount({ provider: 'webauthn', type: 'webauthn', providerAccountId: 'a2V5', userId: ATTACKER })
  store.linkAccount({ provider: 'oidc', type: 'oidc', providerAccountId: 'acme-1', userId: ATTACKER })
  const resolver = createIdentityResolver({
    store: storeOver(shown(store)),
    sessionsNeedUser,
    refusesDisabledUsers: false,
    providers: kinds.map((type) => ({ id: type, type })),
    confirmEmail,
    recentAuthAge,
    storeTimeout: 5,
    emit: async (name) => void emitted.push(name),
    logger: log.logger as Required<typeof log.logger>,
    secrets: ['secret'],
    now: Date.now,
  })
  const identity = {
    user: { id: 'new', email: ADDRESS },
    account: { provider: 'email', type: 'email' as const, providerAccountId: ADDRESS },
  }
  const confirm = (
    principalId: string | null = null,
    authenticatedAt: number | null = Date.now(),
    signedInHere = true,
  ) =>
    resolver.resolve(identity, async () =>
      principalId === null ? null : { id: principalId, authenticatedAt, signedInHere },
    )
  const left = () => ({
    accounts: (store.listAccountsByUserId(ATTACKER) as { provider: string }[]).map(({ provider }) => provider).sort(),
    passkeys: (store.listAuthenticatorsByUserId(ATTACKER) as unknown[]).length,
    isSignedIn: store.getSessionAndUser('open') !== null,
    isConfirmed: Boolean((store.getUser(ATTACKER) as { emailVerified: unknown }).emailVerified),
  })
  return { store, resolver, log, emitted, confirm, left }
}

const EVERYTHING = { accounts: ['oidc', 'webauthn'], passkeys: 1, isSignedIn: true }
const NOTHING = { accounts: [], passkeys: 0, isSignedIn: false }

const refusalOf = (outcome: Promise<unknown>): Promise<Error & { type?: string }> =>
  outcome.then(
    () => expect.fail('it was confirmed'),
    (error) => error,
  )

/** What a callback was given, and what it answers. */
function asked(gives: { readonly answer: unknown } = { answer: true }) {
  const { answer } = gives
  const seen: { id: string; remaining: readonly RemainingWay[] }[] = []
  const confirmEmail = (({ user, remaining }) => {
    seen.push({ id: user.id, remaining })
    if (answer instanceof Error) throw answer
    return answer
  }) as ConfirmEmailCallback
  return { seen, confirmEmail }
}

describe('an adapter whose updateUser gives only what it was given, as that of TypeORM does', () => {
  for (const emailVerified of [null, new Date('2026-01-02T03:04:05Z')]) {
    it(`loses no member of a user who follows a mailed link, ${emailVerified ? 'confirmed before' : 'unconfirmed'}`, async () => {
      const store = memoryAdapter()
      store.createUser({ id: 'ada', name: 'Ada', email: ADDRESS, image: null, emailVerified })
      const log = createLog()
      const resolver = createIdentityResolver({
        store: storeOver({
          ...asAuthjsHasIt(store),
          updateUser: async (changes) => {
            await store.updateUser(changes)
            return { name: null, email: null, image: null, ...changes } as never
          },
        }),
        sessionsNeedUser: false,
        refusesDisabledUsers: false,
        providers: [{ id: 'email', type: 'email' }],
        confirmEmail: () => true,
        recentAuthAge: 900,
        storeTimeout: 5,
        emit: async () => {},
        logger: log.logger as Required<typeof log.logger>,
        secrets: ['secret'],
        now: Date.now,
      })
      const account = { provider: 'email', type: 'email', providerAccountId: ADDRESS } as const
      const { user } = await resolver.resolve({ user: { id: 'x', email: ADDRESS }, account }, async () => null)
      expect(user).to.deep.include({ id: 'ada', name: 'Ada', email: ADDRESS })
      expect((user as { emailVerified?: unknown }).emailVerified).to.be.instanceOf(Date)
    })
  }
})

describe('ACCT-05 a mailed link to an address that somebody has signed up with and nobody confirmed', () => {
  it('ends accounts, passkeys and sessions of the user who signed up first', async () => {
    const { confirm, left, emitted } = storeWithTakenAddress()
    expect((await confirm()).user.id).to.equal(ATTACKER)
    expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
    expect(emitted).to.deep.equal(['updateUser'])
  })

  it('has ended them before it says that the address is confirmed', async () => {
    const seen: unknown[] = []
    const { confirm } = storeWithTakenAddress({
      shown: (store) => ({
        ...store,
        async updateUser(user) {
          seen.push(await store.listAccountsByUserId(user.id), await store.listAuthenticatorsByUserId(user.id))
          seen.push(await store.getSessionAndUser('open'))
          return store.updateUser(user)
        },
      }),
    })
    await confirm()
    expect(seen).to.deep.equal([[], [], null])
  })

  it('ends them when somebody else is signed in there', async () => {
    const { confirm, left } = storeWithTakenAddress()
    await confirm('another')
    expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
  })

  it('keeps them if that user is signed in, and signed in recently', async () => {
    const { confirm, left } = storeWithTakenAddress()
    await confirm(ATTACKER)
    expect(left()).to.deep.equal({ ...EVERYTHING, isConfirmed: true })
  })

  it('ends them where that user did not sign in in this browser, however recently', async () => {
    for (const recentAuthAge of [900, Number.POSITIVE_INFINITY]) {
      const { confirm, left } = storeWithTakenAddress({ recentAuthAge })
      await confirm(ATTACKER, Date.now(), false)
      expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
    }
  })

  for (const [when, authenticatedAt] of [
    ['long ago', Date.now() - 901_000],
    ['nobody knows when', null],
  ] as const) {
    it(`ends them where that was ${when}: somebody may have planted the session`, async () => {
      const { confirm, left } = storeWithTakenAddress()
      await confirm(ATTACKER, authenticatedAt)
      expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
      const chosen = storeWithTakenAddress({ recentAuthAge: Number.POSITIVE_INFINITY })
      await chosen.confirm(ATTACKER, authenticatedAt)
      expect(chosen.left(), 'unless the application asks for no recent sign-in').to.deep.equal({
        ...EVERYTHING,
        isConfirmed: true,
      })
    })
  }

  it('ends nothing once the address was confirmed', async () => {
    const { confirmEmail, seen } = asked()
    const { confirm, left } = storeWithTakenAddress({ emailVerified: new Date(0), confirmEmail })
    await confirm()
    expect(left()).to.deep.equal({ ...EVERYTHING, isConfirmed: true })
    expect(seen).to.deep.equal([])
  })

  it('asks no store for passkeys where there are none', async () => {
    const shown = (store: Required<Adapter>) => ({
      ...store,
      listAuthenticatorsByUserId: () => expect.fail('no such table'),
    })
    const { confirm, left } = storeWithTakenAddress({ kinds: ['email', 'oidc'], shown })
    await confirm()
    expect(left()).to.deep.equal({ ...NOTHING, passkeys: 1, isConfirmed: true })
  })
})

/** What an adapter lacks, and what remains then, by how sessions are kept and by the providers. */
const REMAINING: readonly (readonly [string, Setting, readonly RemainingWay[]])[] = [
  ['our own adapter', {}, []],
  ['our own adapter, with passwords', { kinds: ['email', 'oidc', 'webauthn', 'credentials'] }, ['password']],
  ['an adapter of Auth.js', { shown: asAuthjsHasIt }, ['accounts', 'sessions']],
  ['an adapter of Auth.js, with tokens', { shown: asAuthjsHasIt, sessionsNeedUser: false }, ['accounts']],
  ['an adapter of Auth.js, with passkeys alone', { shown: asAuthjsHasIt, kinds: ['email', 'webauthn'] }, ['sessions']],
  [
    'an adapter of Auth.js, with passkeys alone and tokens',
    { shown: asAuthjsHasIt, kinds: ['email', 'webauthn'], sessionsNeedUser: false },
    [],
  ],
  [
    'an adapter that unlinks and deletes nothing',
    { shown: (store) => asAuthjsHasIt(store, ['unlinkAccount']), sessionsNeedUser: false },
    ['accounts', 'passkeys'],
  ],
  [
    'an adapter without getUser, with passwords and tokens',
    { shown: (store) => asAuthjsHasIt(store, ['getUser']), kinds: ['email', 'credentials'], sessionsNeedUser: false },
    ['sessions', 'password'],
  ],
  ['an adapter of Auth.js, with mailed links alone', { shown: asAuthjsHasIt, kinds: ['email'] }, []],
]

for (const [what, setting, remaining] of REMAINING) {
  describe(`ACCT-05 a mailed link, with ${what},`, () => {
    it(remaining.length === 0 ? 'leaves nothing' : `is refused for what remains: ${remaining.join(', ')}`, async () => {
      const { confirm, left, emitted } = storeWithTakenAddress(setting)
      const before = left()
      if (remaining.length === 0) {
        await confirm()
        expect(left()).to.include({ isConfirmed: true })
        return
      }
      const error = await refusalOf(confirm())
      expect(error.type).to.equal('EmailNotConfirmed')
      for (const way of remaining) expect(error.message).to.include(way === 'password' ? 'passwords' : way)
      expect(error.message).to.include('callbacks.confirmEmail').and.not.include(ADDRESS)
      expect(left(), 'nothing has changed').to.deep.equal(before)
      expect(emitted).to.deep.equal([])
    })

    it('asks the application what it says of the rest, once more when it is confirmed', async () => {
      const { confirmEmail, seen } = asked()
      const { confirm, left } = storeWithTakenAddress({ ...setting, confirmEmail })
      await confirm()
      const asking = { id: ATTACKER, remaining }
      expect(seen).to.deep.equal(remaining.length === 0 ? [asking] : [asking, asking])
      expect(left()).to.include({ isConfirmed: true })
    })

    for (const answer of [false, undefined, null, 'yes', 1, new Error('the store of passwords is down')]) {
      it(`is refused, and nothing changed, when the callback gives ${answer}`, async () => {
        const { confirmEmail } = asked({ answer })
        const { confirm, left, emitted } = storeWithTakenAddress({ ...setting, confirmEmail })
        const before = left()
        expect((await refusalOf(confirm())).type).to.equal('EmailNotConfirmed')
        expect(left()).to.deep.equal(before)
        expect(emitted).to.deep.equal([])
      })
    }
  })
}

describe('ACCT-05 what remains', () => {
  it('is nothing of a kind that the user has none of, where the store can tell', async () => {
    const shown = (store: Required<Adapter>) => {
      const { unlinkAccount: _, deleteAuthenticator: __, ...others } = store
      return others
    }
    const some = storeWithTakenAddress({ shown, sessionsNeedUser: false })
    const error = await refusalOf(some.confirm())
    expect(error.message).to.include('accounts').and.include('passkeys')
    some.store.unlinkAccount({ provider: 'oidc', providerAccountId: 'acme-1' })
    some.store.unlinkAccount({ provider: 'webauthn', providerAccountId: 'a2V5' })
    some.store.deleteAuthenticator('a2V5')
    await some.confirm()
    expect(some.left()).to.include({ isConfirmed: true })
  })

  it('of a passkey that no method deletes is a row that signs nobody in', async () => {
    const { confirm, left } = storeWithTakenAddress({
      shown: asAuthjsHasIt,
      kinds: ['email', 'webauthn'],
      sessionsNeedUser: false,
    })
    await confirm()
    expect(left()).to.deep.equal({ accounts: ['oidc'], passkeys: 1, isSignedIn: true, isConfirmed: true })
  })
})

describe('ACCT-05 a store', () => {
  const down = () => Promise.reject(new Error('connect ECONNREFUSED'))

  for (const method of [
    'listAccountsByUserId',
    'unlinkAccount',
    'deleteAuthenticator',
    'deleteSessionsByUserId',
  ] as const) {
    it(`that fails at ${method} confirms nothing, and another link completes what was begun`, async () => {
      let isDown = true
      const shown = (store: Required<Adapter>) => ({
        ...store,
        [method]: (...args: unknown[]) =>
          isDown ? down() : (store[method] as (...args: unknown[]) => unknown)(...args),
      })
      const { confirm, left, emitted } = storeWithTakenAddress({ shown })
      expect((await refusalOf(confirm())).type).to.equal('AdapterError')
      expect(left()).to.include({ isConfirmed: false })
      expect(emitted).to.deep.equal([])
      isDown = false
      await confirm()
      expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
    })

    it(`that fails at ${method} when the address has just been confirmed takes that back`, async () => {
      let isConfirmed = false
      const shown = (store: Required<Adapter>) => ({
        ...store,
        updateUser: (user: Parameters<typeof store.updateUser>[0]) => {
          isConfirmed = Boolean(user.emailVerified)
          return store.updateUser(user)
        },
        [method]: (...args: unknown[]) =>
          isConfirmed ? down() : (store[method] as (...args: unknown[]) => unknown)(...args),
        // There is something to end again.
        listAuthenticatorsByUserId: (id: string) =>
          isConfirmed
            ? [{ credentialID: 'bmV3', providerAccountId: 'bmV3', userId: id }]
            : store.listAuthenticatorsByUserId(id),
      })
      const { confirm, left } = storeWithTakenAddress({
        shown: shown as unknown as (store: Required<Adapter>) => Adapter,
      })
      const outcome = await confirm().then(
        () => 'confirmed',
        () => 'refused',
      )
      expect(left()).to.include({ isConfirmed: outcome === 'confirmed' })
      if (method !== 'unlinkAccount') expect(outcome).to.equal('refused')
    })
  }

  it('that says it has unlinked and has not confirms nothing', async () => {
    const { confirm, left } = storeWithTakenAddress({
      shown: (store) => ({ ...store, unlinkAccount: () => undefined }),
    })
    const error = await refusalOf(confirm())
    expect([error.type, error.message]).to.deep.equal([
      'AdapterError',
      'The store still has accounts or passkeys that it should have deleted.',
    ])
    expect(left()).to.include({ isConfirmed: false })
  })

  it('that throws when there is nothing to unlink any more is taken at its word by what it has', async () => {
    const { confirm, left } = storeWithTakenAddress({
      shown: (store) => ({
        ...store,
        unlinkAccount: (key) => {
          store.unlinkAccount(key)
          throw new Error('No record was found for a delete.')
        },
      }),
    })
    await confirm()
    expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
  })

  it('that lists more than was asked for loses nothing of another user', async () => {
    const { confirm, left, store } = storeWithTakenAddress({
      shown: (store) => ({
        ...store,
        listAccountsByUserId: async (id) => [
          { provider: 'oidc', type: 'oidc', providerAccountId: 'of another', userId: 'another' },
          ...(await store.listAccountsByUserId(id)),
        ],
      }),
    })
    store.createUser({ id: 'another', name: null, email: null as never, image: null, emailVerified: null })
    store.linkAccount({ provider: 'oidc', type: 'oidc', providerAccountId: 'of another', userId: 'another' })
    await confirm()
    expect(left()).to.deep.equal({ ...NOTHING, isConfirmed: true })
    expect(await store.getAccount('of another', 'oidc')).to.not.equal(null)
  })
})

describe('a user who signs in', () => {
  const credentials = (id: string) => ({
    user: { id },
    account: { provider: 'credentials', type: 'credentials' as const, providerAccountId: id },
  })
  const oidc = {
    user: { id: 'new', email: ADDRESS },
    account: { provider: 'oidc', type: 'oidc' as const, providerAccountId: 'acme-1' },
    linking: { isEmailVerified: false, linksByEmail: false, storedTokens: () => ({}) },
  }
  const nobody = async () => null
  const kinds: ProviderType[] = ['email', 'oidc', 'webauthn', 'credentials']

  for (const sessionsNeedUser of [true, false]) {
    it(`is said to be unconfirmed while the address is, ${sessionsNeedUser ? 'with' : 'without'} stored sessions`, async () => {
      const open = storeWithTakenAddress({ kinds, sessionsNeedUser })
      const done = storeWithTakenAddress({ kinds, sessionsNeedUser, emailVerified: new Date(0) })
      for (const identity of [oidc, credentials(ATTACKER)]) {
        expect((await open.resolver.resolve(identity, nobody)).isUnconfirmed).to.equal(true)
        expect((await done.resolver.resolve(identity, nobody)).isUnconfirmed).to.equal(undefined)
      }
      expect((await open.confirm(ATTACKER)).isUnconfirmed, 'whoever has just confirmed it').to.equal(undefined)
    })
  }

  it('is not said to be, where nobody comes to confirm it', async () => {
    const { resolver } = storeWithTakenAddress({ kinds: ['oidc', 'credentials'] })
    for (const identity of [oidc, credentials(ATTACKER)])
      expect((await resolver.resolve(identity, nobody)).isUnconfirmed).to.equal(undefined)
  })

  it('is not said to be, when the application has users of its own that no store knows', async () => {
    const { resolver } = storeWithTakenAddress({ kinds, sessionsNeedUser: false })
    expect((await resolver.resolve(credentials('admin'), nobody)).isUnconfirmed).to.equal(undefined)
  })
})
