import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { isTimeout } from '../../lib/adapters/failures.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { AdapterError } from '../../lib/kernel/errors.js'
import type { Identity, PrincipalReader } from '../../lib/users/identity.js'
import { createLog } from '../support/app.js'
import { hanging } from '../support/hanging-store.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { storeOver } from '../support/open-store.js'

const LIMIT_S = 0.1
const nobody: PrincipalReader = async () => null

const identity: Identity = {
  user: { id: 'ada', name: 'Ada', email: 'ada@example.com' },
  account: { provider: 'acme', type: 'oidc', providerAccountId: 'acme-1' },
  linking: { isEmailVerified: false, linksByEmail: false, storedTokens: (tokens) => tokens },
  initiator: null,
}

const over = (adapter: Adapter) =>
  createIdentityResolver({
    store: storeOver(adapter, LIMIT_S),
    storeTimeout: LIMIT_S,
    secrets: ['secret'],
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: [{ id: 'acme', type: 'oidc' }],
    confirmEmail: null,
    recentAuthAge: 900,
    emit: async () => {},
    logger: { ...createLog().logger } as Required<ReturnType<typeof createLog>['logger']>,
    now: Date.now,
  })

describe('sign-ins with one account, while the store gives no answer', () => {
  it('all fail in time, and the next one works', async () => {
    const { adapter, hang, answer } = hanging(memoryAdapter())
    const { resolve } = over(adapter)
    hang()
    const began = performance.now()
    const outcomes = Array.from({ length: 20 }, () => resolve(identity, nobody).catch((error) => error))
    for (const error of await Promise.all(outcomes)) expect(error).to.be.instanceOf(AdapterError)
    expect(performance.now() - began).to.be.below(LIMIT_S * 1000 * 6)
    answer()
    await new Promise((resolve) => setTimeout(resolve, LIMIT_S * 1000))
    expect((await resolve(identity, nobody)).user.email).to.equal('ada@example.com')
  })

  it('run one at a time, also after one has given up its turn', async () => {
    const { createUserWithAccount: _, ...memory } = memoryAdapter()
    const pause = (limits: number) => new Promise((resolve) => setTimeout(resolve, limits * LIMIT_S * 1000))
    let underWay = 0
    let most = 0
    const { resolve } = over({
      ...memory,
      async getUserByAccount(account) {
        underWay += 1
        most = Math.max(most, underWay)
        await pause(0.8)
        return memory.getUserByAccount(account)
      },
      async getUserByEmail(email) {
        await pause(0.8)
        return memory.getUserByEmail(email)
      },
      async linkAccount(account) {
        await pause(0.8)
        underWay -= 1
        return memory.linkAccount(account)
      },
    })
    const outcome = () => resolve(identity, nobody).catch((error: Error) => error)
    const first = outcome()
    const second = await outcome()
    expect(second).to.be.instanceOf(AdapterError)
    expect(isTimeout(second)).to.equal(true)
    await Promise.all([first, outcome()])
    expect(most).to.equal(1)
  })
})
