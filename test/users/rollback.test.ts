import { expect } from 'chai'
import type { Adapter, VerificationToken } from '../../lib/adapters/adapter.js'
import { timeoutError } from '../../lib/adapters/failures.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { userDigest } from '../../lib/users/signed-in-user.js'
import { createLog } from '../support/app.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { storeOver } from '../support/open-store.js'

const ADDRESS = 'victim@example.com'
const lost = () => timeoutError('The store gave no answer', { option: 'storeTimeout', milliseconds: 5000 })

function processOver(adapter: Adapter) {
  const log = createLog()
  const emitted: string[] = []
  const resolver = createIdentityResolver({
    store: storeOver(adapter),
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: [
      { id: 'email', type: 'email' },
      { id: 'acme', type: 'oidc' },
      { id: 'other', type: 'oidc' },
    ],
    confirmEmail: null,
    recentAuthAge: 900,
    storeTimeout: 5,
    emit: async (name) => void emitted.push(name),
    logger: log.logger as Required<typeof log.logger>,
    secrets: ['secret'],
    now: Date.now,
  })
  const come = (provider: string, sub: string, email: string, principalId?: string): Promise<unknown> => {
    const identity = {
      user: { id: sub, email },
      account: { provider, type: 'oidc' as const, providerAccountId: sub },
      linking: { isEmailVerified: false, linksByEmail: false, storedTokens: () => ({}) },
      initiator: principalId === undefined ? null : userDigest({ id: principalId }),
    }
    const readPrincipal = async () =>
      principalId === undefined ? null : { id: principalId, authenticatedAt: Date.now(), signedInHere: true }
    return resolver.resolve(identity, readPrincipal).catch((error) => error)
  }
  return { come, log, emitted }
}

/** A user with an address that nobody confirmed, who is signed in. */
const attacker = (store: Required<Adapter>) =>
  store.createUser({ id: 'mallory', name: null, email: ADDRESS, image: null, emailVerified: null })

describe('ACCT-05 an account whose linking gave no answer, and was done', () => {
  it('is taken back when the address was confirmed meanwhile', async () => {
    const store = memoryAdapter()
    attacker(store)
    const adapter: Adapter = {
      ...store,
      async linkAccount(account) {
        await store.updateUser({ id: 'mallory', emailVerified: new Date() })
        await store.linkAccount(account)
        throw lost()
      },
    }
    const { come, emitted } = processOver(adapter)
    expect(await come('acme', 'of mallory', 'm@x.example', 'mallory')).to.have.property('type', 'OAuthAccountNotLinked')
    expect(await store.listAccountsByUserId('mallory')).to.deep.equal([])
    expect(emitted).to.deep.equal([])
  })

  it('stays if nothing has happened, and that is logged', async () => {
    const store = memoryAdapter()
    attacker(store)
    const adapter: Adapter = {
      ...store,
      async linkAccount(account) {
        await store.linkAccount(account)
        throw lost()
      },
    }
    const { come, emitted } = processOver(adapter)
    expect(await come('acme', 'of mallory', 'm@x.example', 'mallory')).to.have.nested.property('user.id', 'mallory')
    expect(emitted).to.deep.equal(['linkAccount'])
  })
})

describe('what an adapter has no method to take back', () => {
  it('is logged', async () => {
    const store = memoryAdapter()
    attacker(store)
    const { unlinkAccount: _, ...lame } = store
    const adapter: Adapter = {
      ...lame,
      async linkAccount(account) {
        await store.linkAccount(account)
        await store.updateUser({ id: 'mallory', emailVerified: new Date() })
      },
    }
    const { come, log } = processOver(adapter)
    expect(await come('acme', 'of mallory', 'm@x.example', 'mallory')).to.be.instanceOf(Error)
    expect(log.errors.map(({ message }) => message)).to.include('An account that was linked in vain stays.')
  })
})

describe('the marker of a sign-up that failed', () => {
  it('goes with its user, so that it is good for nobody to whom the store gives the id again', async () => {
    const store = memoryAdapter()
    const marks: VerificationToken[] = []
    let isBroken = true
    const { createUserWithAccount: _, ...steps } = store
    const adapter: Adapter = {
      ...steps,
      createUser: (user) => store.createUser({ ...user, id: '1' }),
      linkAccount: (account) => (isBroken ? Promise.reject(new Error('too long')) : store.linkAccount(account)),
      createVerificationToken(row) {
        marks.push(row)
        return store.createVerificationToken(row)
      },
    }
    const { come } = processOver(adapter)
    expect(await come('acme', 'of mallory', ADDRESS)).to.be.instanceOf(Error)
    expect(marks.length).to.be.above(0)
    store.createUser({ id: '1', name: 'the owner', email: ADDRESS, image: null, emailVerified: null })
    isBroken = false
    expect(await come('acme', 'of mallory', ADDRESS)).to.have.property('type', 'OAuthAccountNotLinked')
  })
})
