import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser } from '../../lib/adapters/adapter.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createLog } from '../support/app.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { rowsOfFeatures } from '../support/of-features.js'
import { storeOver } from '../support/open-store.js'

const nobody: PrincipalReader = async () => null

/** A store as an application may write it: without unique keys, and with a pause before each answer. */
function looseStore() {
  const users: AdapterUser[] = []
  const accounts: AdapterAccount[] = []
  const passkeys: AdapterAuthenticator[] = []
  const ofUser = (id: string) => users.find((user) => user.id === id) ?? null
  const pause = () => setTimeout(2)
  const adapter: Adapter = {
    async createUser(user) {
      await pause()
      const created = { ...user, id: `user-${users.length}` }
      users.push(created)
      await pause()
      return created
    },
    async getUser(id) {
      await pause()
      return ofUser(id)
    },
    async getUserByEmail(email) {
      await pause()
      return users.find((user) => user.email?.toLowerCase() === email.toLowerCase()) ?? null
    },
    async getUserByAccount({ provider, providerAccountId }) {
      await pause()
      const account = accounts.find(
        (each) => each.provider === provider && each.providerAccountId === providerAccountId,
      )
      return account ? ofUser(account.userId) : null
    },
    async updateUser(user) {
      await pause()
      return Object.assign(ofUser(user.id) ?? {}, user) as AdapterUser
    },
    async linkAccount(account) {
      await pause()
      accounts.push(account)
      return account
    },
    async createVerificationToken(token) {
      await pause()
      return token
    },
    async useVerificationToken() {
      await pause()
      return null
    },
    async getAuthenticator(credentialID) {
      await pause()
      return passkeys.find((each) => each.credentialID === credentialID) ?? null
    },
    async createAuthenticator(authenticator) {
      await pause()
      passkeys.push(authenticator)
      return authenticator
    },
  }
  return { adapter, users }
}

interface Hooks {
  readonly createUser?: (email: string) => Promise<void>
  readonly storeTimeout?: number
}

const over = (adapter: Adapter, { createUser, storeTimeout = 5 }: Hooks = {}) =>
  createIdentityResolver({
    store: storeOver(adapter),
    storeTimeout,
    secrets: ['secret'],
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: [{ id: 'acme', type: 'oidc' }],
    confirmEmail: null,
    recentAuthAge: 900,
    emit: async (name, { user }) => {
      if (name === 'createUser') await createUser?.(user.email ?? '')
    },
    logger: { ...createLog().logger } as Required<ReturnType<typeof createLog>['logger']>,
    now: Date.now,
  })

const byProvider = (id: string, email: string): Identity => ({
  user: { id, name: id, email },
  account: { provider: 'acme', type: 'oidc', providerAccountId: id },
  linking: { isEmailVerified: false, linksByEmail: false, storedTokens: (tokens) => tokens },
  initiator: null,
})

const byLink = (email: string): Identity => ({
  user: { id: 'link', email },
  account: { provider: 'email', type: 'email', providerAccountId: email },
})

/** Identities that features bring, each by an id and an address, and how one of them is refused that is another user's. */
const OF_FEATURES = await rowsOfFeatures<{
  readonly by: (id: string, email: string) => Identity
  readonly refusal: string
}>('identities')

const ADDRESS = 'ada@example.com'

describe('ACCT-01: first sign-ins of one address at the same time, in a store without unique keys', () => {
  const kinds: Readonly<Record<string, readonly Identity[]>> = {
    'accounts at a provider': ['a', 'b', 'c'].map((id) => byProvider(id, ADDRESS)),
    ...Object.fromEntries(
      Object.entries(OF_FEATURES).map(([kind, { by }]) => [kind, ['a', 'b', 'c'].map((id) => by(id, ADDRESS))]),
    ),
    'mailed links': [byLink(ADDRESS), byLink(ADDRESS)],
    'every kind': [
      byProvider('a', ADDRESS),
      ...Object.values(OF_FEATURES).map(({ by }) => by('b', ADDRESS)),
      byLink(ADDRESS),
      byProvider('d', ADDRESS),
    ],
  }
  for (const [kind, identities] of Object.entries(kinds)) {
    for (const order of ['given', 'reverse']) {
      it(`create one user: ${kind}, in the ${order} order`, async () => {
        const { adapter, users } = looseStore()
        const { resolve } = over(adapter)
        const ordered = order === 'given' ? identities : identities.toReversed()
        const outcomes = await Promise.allSettled(ordered.map((identity) => resolve(identity, nobody)))
        expect(users.map(({ email }) => email)).to.deep.equal([ADDRESS])
        const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.user.id : []))
        expect(new Set(ids)).to.deep.equal(new Set(['user-0']))
      })
    }
  }

  it('create one user when the first provider writes the address in capitals', async () => {
    const { adapter, users } = looseStore()
    const { resolve } = over(adapter)
    const identities = [byProvider('a', 'Ada@Example.com'), byProvider('b', ADDRESS)]
    await Promise.allSettled(identities.map((identity) => resolve(identity, nobody)))
    expect(users.map(({ email }) => email)).to.deep.equal(['Ada@Example.com'])
  })

  it('all end, and none waits in a circle, when accounts and addresses cross', async () => {
    const { adapter, users } = looseStore()
    const { resolve } = over(adapter)
    const [one, other] = ['one@example.com', 'other@example.com']
    const round = [
      byProvider('a', one),
      byProvider('b', other),
      byLink(one),
      ...Object.values(OF_FEATURES).map(({ by }) => by('c', other)),
      byProvider('a', other),
      byProvider('b', one),
      byLink(other),
      ...Object.values(OF_FEATURES).map(({ by }) => by('c', one)),
    ]
    const all = [...round, ...round.toReversed(), ...round]
    const outcomes = await Promise.allSettled(all.map((identity) => resolve(identity, nobody)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason.type : []))
    // A timeout would be an AdapterError.
    const refusals = ['OAuthAccountNotLinked', ...Object.values(OF_FEATURES).map(({ refusal }) => refusal)]
    expect(refused).to.include.members(refusals).and.not.include('AdapterError')
    expect(users.map(({ email }) => email)).to.have.members([one, other])
  })

  it('hold up nobody: not another address, and not an account that is linked already', async () => {
    const { adapter } = looseStore()
    let isSlow = false
    let go: (() => void) | undefined
    const createUser = adapter.createUser
    const { resolve } = over({
      ...adapter,
      async createUser(user) {
        if (isSlow) await new Promise<void>((resolve) => (go = resolve))
        return createUser?.(user) as Promise<AdapterUser>
      },
    })
    await resolve(byProvider('linked', 'linked@example.com'), nobody)
    isSlow = true
    let hasEnded = false
    const slow = resolve(byProvider('slow', ADDRESS), nobody).finally(() => {
      hasEnded = true
    })
    while (!go) await setTimeout(1)
    isSlow = false
    // The linked account shows the address of the slow sign-in now.
    await resolve(byProvider('linked', ADDRESS), nobody)
    await resolve(byProvider('new', 'new@example.com'), nobody)
    await resolve(byLink('other@example.com'), nobody)
    expect(hasEnded).to.equal(false)
    go()
    expect((await slow).isNewUser).to.equal(true)
  })

  it('do not wait for a slow handler of events of the first one', async () => {
    const { adapter } = looseStore()
    const { resolve } = over(adapter, { createUser: () => setTimeout(1500), storeTimeout: 0.5 })
    const first = resolve(byProvider('a', ADDRESS), nobody)
    await setTimeout(50)
    const second = await resolve(byProvider('b', ADDRESS), nobody).catch((error) => error.type)
    expect(second).to.equal('OAuthAccountNotLinked')
    expect((await first).isNewUser).to.equal(true)
  })
})
