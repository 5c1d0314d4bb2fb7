import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { userDigest } from '../../lib/users/signed-in-user.js'
import { createLog } from '../support/app.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { storeOver } from '../support/open-store.js'
import { watched } from '../support/stores.js'

const nobody: PrincipalReader = async () => null

/** A process: its own queue, over a store that every process has. Each call takes its own number of milliseconds, in turn. */
function processOver(store: Adapter, delays: readonly number[] = [0]) {
  const emitted: string[] = []
  let turn = 0
  const slow = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await wait(delays[turn++ % delays.length])
        return (method as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  ) as Adapter
  const resolver = createIdentityResolver({
    store: storeOver(slow),
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: [
      { id: 'acme', type: 'oidc' },
      { id: 'email', type: 'email' },
    ],
    confirmEmail: null,
    recentAuthAge: 900,
    storeTimeout: 5,
    emit: async (name) => void emitted.push(name),
    logger: { ...createLog().logger } as Required<ReturnType<typeof createLog>['logger']>,
    secrets: ['secret'],
    now: Date.now,
  })
  return { resolver, emitted }
}

const identity = (
  more: { email?: string | null; emailTrusted?: boolean; id?: string; initiator?: string } = {},
): Identity => ({
  user: { id: crypto.randomUUID(), name: 'Ada', email: more.email === undefined ? 'ada@example.com' : more.email },
  account: { provider: 'acme', type: 'oidc', providerAccountId: more.id ?? 'acme-1' },
  linking: {
    isEmailVerified: more.emailTrusted ?? false,
    linksByEmail: more.emailTrusted ?? false,
    storedTokens: (tokens) => tokens,
  },
  initiator: more.initiator ?? null,
})

const emailIdentity = (): Identity => ({
  user: { id: crypto.randomUUID(), email: 'ada@example.com' },
  account: { provider: 'email', type: 'email', providerAccountId: 'ada@example.com' },
})

/** The rows that are left, and what was made on the way. */
function countedStore(isWhole = true) {
  const memory = memoryAdapter()
  const made: string[] = []
  const noting =
    <Given>(method: (given: Given) => unknown) =>
    (given: Given) => {
      const user = method(given) as { id: string }
      made.push(user.id)
      return user as never
    }
  const { adapter, calls } = watched<Required<Adapter>>(memory, {
    createUser: noting(memory.createUser),
    ...(isWhole && { createUserWithAccount: noting(memory.createUserWithAccount) }),
  })
  return { adapter, memory, calls, present: () => made.filter((id) => memory.getUser(id) !== null) }
}

/** One process is ahead by so many milliseconds at each call; every interleaving of the few calls is among them. */
const LEADS = [
  [[0], [0]],
  [[1], [1]],
  [[0], [3]],
  [[3], [0]],
  [[2, 9, 1], [4]],
  [[5], [1, 12, 3]],
  [[1, 1, 1, 20], [2]],
  [[1, 1, 1, 1, 40], [6]],
  [[2, 2, 2, 2, 2, 80], [9]],
] as const

describe('two processes that find nobody at the same time', () => {
  for (const [one, other] of LEADS) {
    for (const [who, given] of [
      ['somebody with an address', {}],
      ['somebody without an address', { email: null }],
      ['somebody whose address links', { emailTrusted: true }],
    ] as const) {
      for (const isWhole of [true, false]) {
        const how = isWhole ? 'at once' : 'step by step'
        it(`make one user with one account of ${who}, ${how}: calls of ${one.join(', ')} ms and of ${other.join(', ')} ms`, async () => {
          const store = countedStore(isWhole)
          const processes = [processOver(store.adapter, one), processOver(store.adapter, other)]
          const found = await Promise.all(processes.map(({ resolver }) => resolver.resolve(identity(given), nobody)))
          const owner = store.memory.getUserByAccount({ provider: 'acme', providerAccountId: 'acme-1' }) as {
            id: string
          }
          expect(found.map(({ user }) => user.id)).to.deep.equal([owner.id, owner.id])
          expect(store.present()).to.deep.equal([owner.id])
          expect(processes.flatMap(({ emitted }) => emitted).filter((name) => name === 'linkAccount')).to.have.length(1)
        })
      }
    }

    it(`make one user of a mailed link: calls of ${one.join(', ')} ms and of ${other.join(', ')} ms`, async () => {
      const store = countedStore()
      const processes = [processOver(store.adapter, one), processOver(store.adapter, other)]
      const found = await Promise.all(processes.map(({ resolver }) => resolver.resolve(emailIdentity(), nobody)))
      expect(new Set(found.map(({ user }) => user.id))).to.have.property('size', 1)
      expect(store.present()).to.have.length(1)
      expect(found.filter(({ isNewUser }) => isNewUser)).to.have.length(1)
      expect(processes.flatMap(({ emitted }) => emitted).sort()).to.deep.equal(['createUser', 'updateUser'])
    })
  }

  it('link an account once to the user who is signed in in both', async () => {
    const store = countedStore()
    const ada = await store.adapter.createUser({ id: '', email: 'ada@example.com', emailVerified: null })
    const readPrincipal = async () => ({ id: ada.id, authenticatedAt: Date.now(), signedInHere: true })
    const processes = [processOver(store.adapter, [2]), processOver(store.adapter, [2])]
    const found = await Promise.all(
      processes.map(({ resolver }) => resolver.resolve(identity({ initiator: userDigest(ada) }), readPrincipal)),
    )
    expect(found.map(({ user }) => user.id)).to.deep.equal([ada.id, ada.id])
    expect(processes.flatMap(({ emitted }) => emitted)).to.deep.equal(['linkAccount'])
  })

  it('link an account to one of two users who both ask for it, and refuse the other', async () => {
    const store = countedStore()
    const users = await Promise.all(
      ['ada@example.com', 'mary@example.com'].map((email) =>
        store.adapter.createUser({ id: '', email, emailVerified: null }),
      ),
    )
    const outcomes = await Promise.allSettled(
      users.map(({ id }) =>
        processOver(store.adapter, [2]).resolver.resolve(identity({ initiator: userDigest({ id }) }), async () => ({
          id,
          authenticatedAt: Date.now(),
          signedInHere: true,
        })),
      ),
    )
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
    const refusal = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(refusal?.reason).to.have.property('type', 'OAuthAccountNotLinked')
  })

  it('do not keep somebody waiting whose address is confirmed, and for whom nobody is making an account', async () => {
    const store = countedStore()
    await store.adapter.createUser({ id: '', email: 'ada@example.com', emailVerified: new Date(0) })
    store.calls.length = 0
    const outcome = await Promise.allSettled([processOver(store.adapter).resolver.resolve(identity(), nobody)])
    expect(outcome[0].status).to.equal('rejected')
    expect(store.calls).to.deep.equal(['getUserByAccount', 'getUserByEmail', 'listAccountsByUserId'])
  })
})
