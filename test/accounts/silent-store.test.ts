import { expect } from 'chai'
import type { Claim, HolderLookup } from '../../lib/accounts/claim.js'
import { createIdentityResolver } from '../../lib/accounts/resolve-user.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { withStoreTimeout } from '../../lib/adapters/store-timeout.js'
import { AdapterError } from '../../lib/errors.js'
import { createLog } from '../support/app.js'
import { hanging } from '../support/hanging-store.js'

const LIMIT_S = 0.1
const nobody: HolderLookup = async () => null

const claim: Claim = {
  user: { id: 'ada', name: 'Ada', email: 'ada@example.com' },
  account: { provider: 'acme', type: 'oidc', providerAccountId: 'acme-1' },
  linking: { isEmailVerified: false, linksByEmail: false, storedTokens: (tokens) => tokens },
  startedBy: null,
}

describe('sign-ins with one account, while the store gives no answer', () => {
  it('all fail in time, and the next one works', async () => {
    const { adapter, hang, answer } = hanging(memoryAdapter())
    const { resolve } = createIdentityResolver({
      adapter: withStoreTimeout(adapter, LIMIT_S),
      storeTimeout: LIMIT_S,
      secrets: ['secret'],
      sessionsNeedUser: true,
      providers: [{ id: 'acme', type: 'oidc' }],
      confirmEmail: null,
      recentAuthAge: 900,
      tell: { createUser: async () => {}, updateUser: async () => {}, linkAccount: async () => {} },
      logger: { ...createLog().logger } as Required<ReturnType<typeof createLog>['logger']>,
      now: Date.now,
    })
    hang()
    const began = performance.now()
    const outcomes = Array.from({ length: 20 }, () => resolve(claim, nobody).catch((error) => error))
    for (const error of await Promise.all(outcomes)) expect(error).to.be.instanceOf(AdapterError)
    expect(performance.now() - began).to.be.below(LIMIT_S * 1000 * 6)
    answer()
    await new Promise((resolve) => setTimeout(resolve, LIMIT_S * 1000))
    expect((await resolve(claim, nobody)).user.email).to.equal('ada@example.com')
  })
})
