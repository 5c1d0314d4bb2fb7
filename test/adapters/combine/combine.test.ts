import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { combineAdapters } from '../../../lib/adapters/combine.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { MissingAdapterMethods } from '../../../lib/errors.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'

describeAdapter('combineAdapters() of four memories', {
  create: () =>
    combineAdapters({
      sessions: memoryAdapter(),
      verificationTokens: memoryAdapter(),
      authenticators: memoryAdapter(),
      ...memoryAdapter(),
    }),
})

describe('combineAdapters()', () => {
  const ada = { id: 'ada', email: 'ada@example.com', emailVerified: null }
  const session = { sessionToken: 'token', userId: 'ada', expires: new Date(Date.now() + 60_000) }

  it('keeps each kind of row in the store named for it', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, ...rest })
    await adapter.createUser?.(ada)
    await adapter.createSession?.(session)
    expect([sessions.getUser('ada'), sessions.getSession('token')]).to.deep.equal([null, session])
    expect([rest.getUser('ada'), rest.getSession('token')]).to.deep.equal([ada, null])
    expect(await adapter.getSessionAndUser?.('token')).to.deep.equal({ session, user: ada })
  })

  it('signs nobody in whose user is deleted, also behind its back', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, ...rest })
    await adapter.createUser?.(ada)
    await adapter.createSession?.(session)
    rest.deleteUser('ada')
    expect(await adapter.getSessionAndUser?.('token')).to.equal(null)
    expect(await sessions.getSession('token')).to.deep.equal(session)
  })

  it('deletes a user everywhere', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, ...rest })
    await adapter.createUser?.(ada)
    await adapter.createSession?.(session)
    expect(await adapter.deleteUser?.('ada')).to.deep.equal(ada)
    expect(sessions.getSession('token')).to.equal(null)
  })

  it('lets a failing store fail the look-up: it is never "no session"', async () => {
    const sessions = { ...memoryAdapter(), getSession: () => Promise.reject(new Error('down')) }
    const adapter = combineAdapters({ sessions, ...memoryAdapter() })
    const outcome = await Promise.allSettled([adapter.getSessionAndUser?.('token')])
    expect(outcome[0].status).to.equal('rejected')
  })

  it('has only the methods that its parts have', () => {
    const { getUser, createUser } = memoryAdapter()
    expect(
      Object.keys(combineAdapters({ sessions: memoryAdapter(), rest: { getUser, createUser } })).sort(),
    ).to.deep.equal([
      'changeSessionToken',
      'createSession',
      'createUser',
      'deleteExpired',
      'deleteSession',
      'deleteSessionsByUserId',
      'getSession',
      'getSessionAndUser',
      'getUser',
      'updateSession',
    ])
  })

  describe('deleteExpired', () => {
    const over = new Date(Date.now() - 60 * 60_000)
    const ended = { sessionToken: 'ended', userId: 'ada', expires: over }
    const link = { identifier: 'ada', token: 'link', expires: over }

    it('asks every store once, and gives the sum', async () => {
      const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
      // The store of the rest holds a session, too, from before there was another store for them.
      for (const store of [sessions, rest]) store.createSession(ended)
      sessions.createVerificationToken(link)
      const adapter = combineAdapters({ sessions, verificationTokens: sessions, rest })
      const seen: unknown[] = []
      const report = await adapter.deleteExpired?.({ onProgress: ({ sessions }) => seen.push(sessions) })
      expect(report).to.include({ sessions: 2, verificationTokens: 1, complete: true })
      expect(seen).to.deep.equal([1, 2])
      expect([sessions.getSession('ended'), rest.getSession('ended')]).to.deep.equal([null, null])
    })

    it('says which stores are left out: adapters made for Auth.js have no such method', async () => {
      const { deleteExpired: _, ...lacking } = memoryAdapter()
      const report = await combineAdapters({ sessions: memoryAdapter(), rest: lacking }).deleteExpired?.()
      expect(report?.hints).to.have.lengthOf(1)
      const { getUser } = lacking
      expect(combineAdapters({ sessions: lacking, rest: { getUser } })).to.not.have.property('deleteExpired')
    })

    it('goes on with the other stores when one fails, and fails in the end with how far it came', async () => {
      const secret = 'ada@example.com'
      const failing = { ...memoryAdapter(), deleteExpired: () => Promise.reject(new Error(`no row for '${secret}'`)) }
      const rest = memoryAdapter()
      rest.createSession(ended)
      const adapter = combineAdapters({ sessions: failing, rest, verificationTokens: memoryAdapter() })
      const [outcome] = await Promise.allSettled([adapter.deleteExpired?.()])
      expect(outcome).to.have.nested.property('reason.type', 'AdapterError')
      expect(outcome).to.have.nested.property('reason.cause.deleted.sessions', 1)
      expect(outcome).to.have.nested.property('reason.message').that.does.not.include(secret)
      expect(rest.getSession('ended')).to.equal(null)
    })

    it('stops between two stores', async () => {
      const stop = new AbortController()
      const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
      for (const store of [sessions, rest]) store.createSession(ended)
      const report = await combineAdapters({ sessions, rest }).deleteExpired?.({
        signal: stop.signal,
        onProgress: () => stop.abort(),
      })
      expect(report).to.include({ sessions: 1, complete: false })
    })
  })

  it('calls the methods of a class as its members', async () => {
    class Store {
      readonly users = new Map([['ada', ada]])
      getUser(id: string) {
        return this.users.get(id) ?? null
      }
    }
    const adapter = combineAdapters({ sessions: memoryAdapter(), rest: new Store() })
    expect(await adapter.getUser?.('ada')).to.deep.equal(ada)
  })

  it('does not ask one store for what another keeps', () => {
    const { updateAuthenticator: _, deleteAuthenticator: __, ...older } = memoryAdapter()
    const adapter = combineAdapters({ authenticators: older, rest: memoryAdapter() })
    expect(adapter).not.to.have.any.keys('updateAuthenticator', 'deleteAuthenticator')
  })

  it('lists everything that is missing, at the start', () => {
    const { getSession: _, ...withoutGetSession } = memoryAdapter()
    const parts: Parameters<typeof combineAdapters>[0] = { sessions: withoutGetSession, authenticators: {} as Adapter }
    expect(() => combineAdapters(parts))
      .to.throw(MissingAdapterMethods)
      .with.property('message')
      .that.includes('`sessions` has no getSession\n')
      .and.includes('`authenticators` has no createAuthenticator, getAuthenticator, listAuthenticatorsByUserId, update')
      .and.includes('nothing has getUser')
  })
})
