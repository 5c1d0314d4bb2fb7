import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { AdapterError } from '../../lib/kernel/errors.js'
import { describeAdapter } from '../../lib/testing/adapter.js'

describeAdapter('memoryAdapter()', {
  create: memoryAdapter,
  extra: { user: { roles: ['admin'] }, account: { refresh_expires_in: 60 }, session: { device: { name: 'phone' } } },
})

describe('memoryAdapter()', () => {
  const user = { id: 'ada', email: 'ada@example.com', emailVerified: null }

  it('answers at once, without a promise', () => {
    const adapter = memoryAdapter()
    adapter.createUser(user)
    expect(adapter.getUser('ada')).to.deep.equal(user)
  })

  it('keeps the ids that it is given', () => {
    expect(memoryAdapter().createUser(user)).to.deep.equal(user)
  })

  it('distinguishes a duplicate from a fault', () => {
    const adapter = memoryAdapter()
    adapter.createUser(user)
    expect(() => adapter.createUser({ ...user, id: 'other' }))
      .to.throw(AdapterError, 'Another user has this e-mail address.')
      .with.nested.property('cause.duplicate', true)
  })

  it('keeps each instance apart', () => {
    memoryAdapter().createUser(user)
    expect(memoryAdapter().getUser('ada')).to.equal(null)
  })

  it('deletes what belongs to a user whose id is the number 0', () => {
    const adapter = memoryAdapter()
    const userId = 0 as unknown as string
    adapter.createSession({ sessionToken: 'a token', userId, expires: new Date(Date.now() + 60_000) })
    adapter.deleteSessionsByUserId(userId)
    expect(adapter.getSession('a token')).to.equal(null)
  })

  it('shares no nested value with its caller', () => {
    const adapter = memoryAdapter()
    const roles = ['reader']
    adapter.createUser({ ...user, roles } as typeof user)
    roles.push('admin')
    expect(adapter.getUser('ada')).to.deep.equal({ ...user, roles: ['reader'] })
  })

  it('deletes expired rows at once, and keeps rows that expired recently or never expire', () => {
    const adapter = memoryAdapter()
    const at = (ms: number) => new Date(Date.now() + ms)
    adapter.createUser(user)
    const ends = { over: at(-6 * 60_000), recent: at(-4 * 60_000), usable: at(60_000), odd: null as never }
    for (const [sessionToken, expires] of Object.entries(ends)) {
      adapter.createSession({ sessionToken, userId: 'ada', expires })
      adapter.createVerificationToken({ identifier: 'ada', token: sessionToken, expires })
    }
    const none = { sessions: 0, verificationTokens: 0, leftovers: 0, unreadable: 2, complete: true, hints: [] }
    expect(adapter.deleteExpired({ dryRun: true })).to.deep.equal({ ...none, sessions: 1, verificationTokens: 1 })
    expect(adapter.deleteExpired()).to.deep.equal({ ...none, sessions: 1, verificationTokens: 1 })
    expect(adapter.deleteExpired()).to.deep.equal(none)
    for (const token of ['recent', 'usable', 'odd']) expect(adapter.getSession(token)).to.not.equal(null)
  })
})
