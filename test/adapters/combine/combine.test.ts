import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { combineAdapters } from '../../../lib/adapters/combine.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { AdapterError, InvalidConfiguration, MissingAdapterMethods } from '../../../lib/kernel/errors.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { watched } from '../../support/stores.js'

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

  describe('on a store that gives an id again', () => {
    const again = (rest: Adapter): Adapter => ({
      ...rest,
      createUser: (given) => (rest.createUser as NonNullable<Adapter['createUser']>)({ ...given, id: 'ada' }),
      createUserWithAccount: undefined as never,
    })
    const asked = { ...ada, id: 'another' }

    it('gives nobody what another store still has of a user who was deleted while it was away', async () => {
      const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
      const adapter = combineAdapters({ sessions, rest: again(rest) })
      await adapter.createUser?.(asked)
      await adapter.createSession?.(session)
      rest.deleteUser('ada')
      expect((await adapter.createUser?.(asked))?.id).to.equal('ada')
      expect(await adapter.getSessionAndUser?.('token')).to.equal(null)
    })

    it('makes no user while that store is still away', async () => {
      const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
      const away = { ...sessions, deleteUser: () => Promise.reject(new Error('away')) }
      const adapter = combineAdapters({ sessions: away, rest: again(rest) })
      const outcome = await Promise.allSettled([adapter.createUser?.(asked)])
      expect(outcome[0].status).to.equal('rejected')
      expect(rest.getUser('ada')).to.equal(null)
    })
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
      'close',
      'createRecord',
      'createSession',
      'createTokenSession',
      'createUser',
      'deleteExpired',
      'deleteRecord',
      'deleteSession',
      'deleteSessionsByUserId',
      'getRecord',
      'getSession',
      'getSessionAndUser',
      'getTokenSession',
      'getUser',
      'listRecordsByOwner',
      'listSessionsByProvider',
      'listSessionsByUserId',
      'listTokenSessionsByProvider',
      'listTokenSessionsByUserId',
      'revokeTokenSession',
      'updateRecord',
      'updateSession',
      'updateTokenSession',
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

  describe('close', () => {
    /** A store that counts how often it is closed. */
    const closable = (close: () => unknown = () => undefined) => {
      const calls: unknown[] = []
      return {
        calls,
        adapter: {
          ...memoryAdapter(),
          close: async () => {
            calls.push('closed')
            await close()
          },
        },
      }
    }

    it('closes each part once, however often it was given', async () => {
      const [sessions, users] = [closable(), closable()]
      const adapter = combineAdapters({
        sessions: sessions.adapter,
        verificationTokens: sessions.adapter,
        authenticators: users.adapter,
        ...users.adapter,
      })
      await adapter.close()
      expect([sessions.calls.length, users.calls.length]).to.deep.equal([1, 1])
    })

    it('closes the parts that can be closed: adapters made for Auth.js cannot', async () => {
      const rest = closable()
      await combineAdapters({ sessions: memoryAdapter(), rest: rest.adapter }).close()
      expect(rest.calls.length).to.equal(1)
      await combineAdapters({ sessions: memoryAdapter(), ...memoryAdapter() }).close()
    })

    it('closes an instance of a class as its member, and what was combined before', async () => {
      class Store {
        isOpen = true
        getUser() {
          return null
        }
        close() {
          this.isOpen = false
        }
      }
      const [one, other] = [new Store(), new Store()]
      const users = combineAdapters({ rest: one, verificationTokens: memoryAdapter() })
      await combineAdapters({ sessions: Object.assign(other, { ...memoryAdapter() }), rest: users }).close()
      expect([one.isOpen, other.isOpen]).to.deep.equal([false, false])
    })

    it('closes the others when one fails, and fails in the end', async () => {
      const bad = closable(() => {
        throw new Error('stuck')
      })
      const [sessions, tokens] = [closable(), closable()]
      const adapter = combineAdapters({
        sessions: sessions.adapter,
        verificationTokens: tokens.adapter,
        ...bad.adapter,
      })
      const [outcome] = await Promise.allSettled([adapter.close()])
      expect(outcome).to.deep.include({ status: 'rejected' })
      expect((outcome as PromiseRejectedResult).reason.message).to.equal('stuck')
      expect([sessions.calls.length, tokens.calls.length]).to.deep.equal([1, 1])
    })
  })

  describe('with a sign-up', () => {
    const account = { provider: 'acme', type: 'oidc', providerAccountId: '1' } as const
    const authenticator = {
      credentialID: 'key',
      providerAccountId: 'key',
      credentialPublicKey: 'AAAA',
      counter: 0,
      credentialBackedUp: false,
      credentialDeviceType: 'singleDevice',
    }
    const down = () => Promise.reject(new Error('Connection terminated unexpectedly'))
    const stores = () => ({ authenticators: memoryAdapter(), rest: memoryAdapter() })
    const refused = async (call: unknown) => (await Promise.allSettled([call]))[0]?.status === 'rejected'

    it('stores user and account by one call of the store of the users', async () => {
      const { authenticators, rest } = stores()
      const { adapter: users, calls } = watched(rest)
      await combineAdapters({ sessions: memoryAdapter(), rest: users }).createUserWithAccount?.({
        user: ada,
        account,
        authenticator,
      })
      await combineAdapters({ authenticators, rest: users }).createUserWithAccount?.({
        user: { ...ada, id: 'eve', email: 'eve@example.com' },
        account: { ...account, providerAccountId: '2' },
      })
      expect(calls).to.deep.equal(['createUserWithAccount', 'createUserWithAccount'])
      expect(rest.getUserByAccount(account)).to.deep.equal(ada)
      expect(rest.getAuthenticator('key')).to.not.equal(null)
    })

    it('stores the passkey first where passkeys are elsewhere: whatever breaks off then signs nobody in and keeps nothing', async () => {
      const { authenticators, rest } = stores()
      const dying = combineAdapters({ authenticators, rest: { ...rest, createUserWithAccount: down } })
      const signUp = { user: ada, account, authenticator }
      expect(await refused(dying.createUserWithAccount?.(signUp))).to.equal(true)
      expect(authenticators.getAuthenticator('key')).to.include({ userId: 'ada' })
      expect([rest.getUser('ada'), rest.getUserByEmail(ada.email), rest.getUserByAccount(account)]).to.deep.equal([
        null,
        null,
        null,
      ])
      const again = { ...signUp, authenticator: { ...authenticator, credentialID: 'another' } }
      await combineAdapters({ authenticators, rest }).createUserWithAccount?.(again)
      expect(rest.getUserByAccount(account)).to.deep.equal(ada)
    })

    it('takes the passkey back where the user is refused', async () => {
      const { authenticators, rest } = stores()
      rest.createUser({ ...ada, id: 'another' })
      const adapter = combineAdapters({ authenticators, rest })
      expect(await refused(adapter.createUserWithAccount?.({ user: ada, account, authenticator }))).to.equal(true)
      expect(authenticators.getAuthenticator('key')).to.equal(null)
    })

    it('takes the passkey back where the store of the users turns out to be unable to store both at once', async () => {
      const { authenticators, rest } = stores()
      const createUserWithAccount = () => Promise.reject(new AdapterError('no transactions', { unsupported: true }))
      const adapter = combineAdapters({ authenticators, rest: { ...rest, createUserWithAccount } })
      expect(await refused(adapter.createUserWithAccount?.({ user: ada, account, authenticator }))).to.equal(true)
      expect(authenticators.getAuthenticator('key')).to.equal(null)
    })

    it('gives the passkey to the user under the id that the store chose, or makes none', async () => {
      const { authenticators, rest } = stores()
      const numbering: Adapter = {
        ...rest,
        createUserWithAccount: (signUp) => rest.createUserWithAccount({ ...signUp, user: { ...signUp.user, id: '7' } }),
      }
      const signUp = { user: ada, account, authenticator }
      await combineAdapters({ authenticators, rest: numbering }).createUserWithAccount?.(signUp)
      expect(authenticators.getAuthenticator('key')).to.include({ userId: '7' })
      rest.deleteUser('7')
      authenticators.deleteAuthenticator('key')
      const keeping = { ...authenticators, deleteAuthenticator: down }
      const adapter = combineAdapters({ authenticators: keeping, rest: numbering })
      expect(await refused(adapter.createUserWithAccount?.(signUp))).to.equal(true)
      expect(rest.getUser('7')).to.equal(null)
    })

    it('leaves it to the application where that has a createUser or linkAccount of its own', () => {
      const { authenticators, rest } = stores()
      const { createUser, linkAccount } = memoryAdapter()
      for (const own of [{ createUser }, { linkAccount }]) {
        expect(combineAdapters({ authenticators, ...rest, ...own })).to.not.have.property('createUserWithAccount')
        expect(combineAdapters({ authenticators, rest: { ...rest, ...own } })).to.not.have.property(
          'createUserWithAccount',
        )
      }
      const { createUserWithAccount: _, ...without } = rest
      expect(combineAdapters({ authenticators, rest: without })).to.not.have.property('createUserWithAccount')
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

  it('keeps token sessions and the list of sessions where sessions are', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, ...rest })
    const row = { id: 'id', userId: 'ada', expires: session.expires, revokedAt: null, tokenIssuedAt: null }
    await adapter.createTokenSession?.(row)
    await adapter.createSession?.(session)
    expect([sessions.getTokenSession('id'), rest.getTokenSession('id')]).to.deep.equal([row, null])
    expect(await adapter.listTokenSessionsByUserId?.('ada')).to.deep.equal([row])
    expect(await adapter.revokeTokenSession?.('id', new Date(1))).to.equal(true)
    expect(await adapter.getTokenSession?.('id')).to.deep.equal({ ...row, revokedAt: new Date(1) })
    expect(await adapter.listTokenSessionsByUserId?.('ada')).to.deep.equal([])
    expect(await adapter.listSessionsByUserId?.('ada')).to.deep.equal([session])
  })

  it('lists and revokes nothing if the store of the sessions cannot: another store would say that nothing was revoked', () => {
    const {
      listSessionsByUserId: _,
      createTokenSession: __,
      getTokenSession: ___,
      updateTokenSession: ____,
      revokeTokenSession: _____,
      listTokenSessionsByUserId: ______,
      ...older
    } = memoryAdapter()
    expect(combineAdapters({ sessions: older, rest: memoryAdapter() })).not.to.have.any.keys(
      'listSessionsByUserId',
      'createTokenSession',
      'getTokenSession',
      'updateTokenSession',
      'revokeTokenSession',
      'listTokenSessionsByUserId',
    )
  })

  it('leaves what was revoked when the user is deleted everywhere', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, ...rest })
    await adapter.createUser?.(ada)
    const row = { id: 'id', userId: 'ada', expires: session.expires, revokedAt: new Date(1), tokenIssuedAt: null }
    await adapter.createTokenSession?.(row)
    await adapter.deleteUser?.('ada')
    expect(sessions.getTokenSession('id')).to.deep.equal(row)
  })

  it('refuses a part by a name that it does not know: its rows would be written elsewhere', () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const combine = (parts: object) => () => combineAdapters(parts as never)
    expect(combine({ sesions: sessions, ...rest })).to.throw(InvalidConfiguration, 'Did you mean `sessions`?')
    expect(combine({ verificationToken: sessions, ...rest })).to.throw(
      InvalidConfiguration,
      'no part `verificationToken`.',
    )
    expect(combine({ sessions, users: rest })).to.throw(InvalidConfiguration, 'no part `users`.')
    expect(combine({ sessions: () => sessions, ...rest })).to.throw(
      InvalidConfiguration,
      '`sessions` is a function; it must be an adapter.',
    )
    expect(combine({ sessions: Promise.resolve(sessions), ...rest })).to.throw(InvalidConfiguration, 'Await it.')
    expect(combine({ sessions: { url: 'redis://x' }, ...rest })).to.throw(MissingAdapterMethods)
    expect(combine(undefined as never)).to.throw(InvalidConfiguration, 'undefined')
  })

  it('lets methods of the application pass that the contract does not know', () => {
    expect(combineAdapters({ sessions: memoryAdapter(), ...memoryAdapter(), countUsers: () => 1 } as never)).to.be.an(
      'object',
    )
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
