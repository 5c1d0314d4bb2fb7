import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { failuresOf, sabotaged } from './sabotage.js'

/** Faults that adapters have had, and the check that finds each. */
const FAULTS: readonly (readonly [what: string, create: () => Adapter, finding: RegExp])[] = [
  [
    'a token looked up by the address only (CVE-2022-39263)',
    sabotaged(({ createVerificationToken, useVerificationToken }) => {
      const latest = new Map<string, string>()
      return {
        createVerificationToken(given) {
          latest.set(given.identifier, given.token)
          return createVerificationToken(given)
        },
        useVerificationToken: ({ identifier }) =>
          useVerificationToken({ identifier, token: latest.get(identifier) ?? '' }),
      }
    }),
    /CVE-2022-39263/,
  ],
  [
    'a token that is read and then deleted',
    sabotaged(({ createVerificationToken }) => {
      const rows = new Map<string, Parameters<typeof createVerificationToken>[0]>()
      const keyOf = (pair: { identifier: string; token: string }) => JSON.stringify([pair.identifier, pair.token])
      return {
        createVerificationToken(given) {
          rows.set(keyOf(given), given)
          return given
        },
        async useVerificationToken(pair) {
          const found = rows.get(keyOf(pair)) ?? null
          await wait(1)
          rows.delete(keyOf(pair))
          return found
        },
      }
    }),
    /200 parallel useVerificationToken/,
  ],
  [
    'a session written back after it was read (CVE-2025-46336)',
    sabotaged(({ getSession, deleteSession, createSession }) => ({
      async updateSession(changes) {
        const session = await getSession(changes.sessionToken)
        if (!session) return null
        await wait(1)
        await deleteSession(changes.sessionToken)
        return createSession({ ...session, ...changes })
      },
    })),
    /deleteSession wins over 100 parallel updateSession/,
  ],
  [
    'an update that makes a session',
    sabotaged(({ updateSession, createSession }) => ({
      updateSession: async (changes) => (await updateSession(changes)) ?? createSession(changes as never),
    })),
    /never brings an ended session back/,
  ],
  [
    'addresses compared without case',
    sabotaged(({ createUser, getUserByEmail, getUser }) => {
      const ids = new Map<string, string>()
      return {
        async createUser(given) {
          const user = await createUser(given)
          ids.set(String(given.email).toLowerCase(), user.id)
          return user
        },
        getUserByEmail: async (email) =>
          (await getUserByEmail(email)) ?? (await getUser(ids.get(email.toLowerCase()) ?? '')),
      }
    }),
    /compares addresses exactly/,
  ],
  [
    'a look-up before an insertion in place of a unique index',
    sabotaged(({ createUser, getUserByEmail }) => ({
      async createUser(given) {
        const taken = given.email ? await getUserByEmail(given.email) : null
        await wait(1)
        if (taken) throw new Error('taken')
        // As in a store without the index, nothing stops the second one here.
        const user = await createUser({ ...given, email: null as never })
        return { ...user, email: given.email }
      },
    })),
    /100 parallel createUser/,
  ],
  [
    'a sign-up in two steps',
    sabotaged(({ createUser, linkAccount }) => ({
      async createUserWithAccount({ user: given, account }) {
        const user = await createUser(given)
        await linkAccount({ ...account, userId: user.id })
        return user
      },
    })),
    /writes nothing where the account is another/,
  ],
  [
    'an account that changes its owner',
    sabotaged(({ linkAccount, unlinkAccount }) => ({
      async linkAccount(account) {
        await unlinkAccount(account)
        return linkAccount(account)
      },
    })),
    /linkAccount refuses any account whose key is taken/,
  ],
  [
    'account keys joined with a colon',
    sabotaged(({ linkAccount, getUserByAccount }) => {
      const joined = (account: { provider: string; providerAccountId: string }) => ({
        provider: '',
        providerAccountId: `${account.provider}:${account.providerAccountId}`,
      })
      return {
        linkAccount: (account) => linkAccount({ ...account, ...joined(account) }),
        getUserByAccount: (account) => getUserByAccount(joined(account)),
      }
    }),
    /never takes the end of a provider’s name/,
  ],
  [
    'a counter set to whatever comes last',
    sabotaged(({ getAuthenticator }) => {
      const counters = new Map<string, number>()
      const withCounter = async (id: string) => {
        const found = await getAuthenticator(id)
        return found && { ...found, counter: counters.get(id) ?? found.counter }
      }
      return {
        getAuthenticator: withCounter,
        async updateAuthenticatorCounter(id, counter) {
          counters.set(id, counter)
          return (await withCounter(id)) as never
        },
      }
    }),
    /100 parallel updateAuthenticatorCounter/,
  ],
  [
    'sessions that outlive their user',
    sabotaged(({ createSession, getSessionAndUser }) => {
      const kept = new Map<string, Awaited<ReturnType<typeof getSessionAndUser>>>()
      return {
        async createSession(session) {
          const created = await createSession(session)
          kept.set(session.sessionToken, await getSessionAndUser(session.sessionToken))
          return created
        },
        getSessionAndUser: (token) => kept.get(token) ?? null,
      }
    }),
    /deleteUser removes a user, and with it the session/,
  ],
  [
    'a session that loses what is known of it when it gets another token',
    sabotaged(({ getSession, deleteSession, createSession }) => ({
      async changeSessionToken(sessionToken, newSessionToken) {
        const session = await getSession(sessionToken)
        if (!session || !(await deleteSession(sessionToken))) return null
        const { userId, expires, authenticatedAt } = session
        return createSession({ sessionToken: newSessionToken, userId, expires, authenticatedAt })
      },
    })),
    /changeSessionToken keeps the details/,
  ],
  [
    'a list with the sessions of everybody',
    sabotaged(({ createSession, getSession }) => {
      const tokens: string[] = []
      return {
        createSession(session) {
          tokens.push(session.sessionToken)
          return createSession(session)
        },
        async listSessionsByUserId() {
          return (await Promise.all(tokens.map((token) => getSession(token)))).filter((row) => row !== null)
        },
      }
    }),
    /listSessionsByUserId gives all sessions of one user/,
  ],
  [
    'a revocation that reads and then writes',
    sabotaged(({ getTokenSession, updateTokenSession }) => ({
      async revokeTokenSession(id, revokedAt) {
        const session = await getTokenSession(id)
        await wait(1)
        if (!session || session.revokedAt) return false
        await updateTokenSession(id, { revokedAt })
        return true
      },
    })),
    /20 parallel revokeTokenSession/,
  ],
  [
    'a token session written back after it was read',
    sabotaged(({ getTokenSession, updateTokenSession }) => ({
      async updateTokenSession(id, changes) {
        const session = await getTokenSession(id)
        await wait(1)
        if (session) await updateTokenSession(id, { ...session, ...changes })
      },
    })),
    /revokeTokenSession wins over 100 parallel/,
  ],
  [
    'an update that makes a token session',
    sabotaged(({ getTokenSession, createTokenSession, updateTokenSession }) => ({
      async updateTokenSession(id, changes) {
        if (!(await getTokenSession(id))) await createTokenSession({ id, userId: '', ...changes } as never)
        return updateTokenSession(id, changes)
      },
    })),
    /updateTokenSession of an unknown token session does nothing/,
  ],
  [
    'a token session that is stored anew, and so is revoked no more',
    sabotaged(({ createTokenSession, updateTokenSession }) => ({
      async createTokenSession(session) {
        await createTokenSession(session)
        await updateTokenSession(session.id, session)
      },
    })),
    /stays revoked when somebody stores it again/,
  ],
  [
    'ids of token sessions compared without case',
    sabotaged(({ createTokenSession, getTokenSession }) => {
      const ids = new Map<string, string>()
      return {
        createTokenSession(session) {
          ids.set(session.id.toLowerCase(), session.id)
          return createTokenSession(session)
        },
        getTokenSession: (id) => getTokenSession(ids.get(id.toLowerCase()) ?? id),
      }
    }),
    /compares ids of token sessions exactly/,
  ],
  [
    'token sessions of every user whose id begins alike',
    sabotaged(({ createTokenSession, listTokenSessionsByUserId }) => {
      const users = new Set<string>()
      return {
        createTokenSession(session) {
          users.add(session.userId)
          return createTokenSession(session)
        },
        async listTokenSessionsByUserId(userId) {
          const alike = [...users].filter((each) => each.startsWith(userId))
          return (await Promise.all(alike.map((each) => listTokenSessionsByUserId(each)))).flat()
        },
      }
    }),
    /lists token sessions of exactly the user/,
  ],
  [
    'a list of all token sessions of a user, however many',
    sabotaged(({ createTokenSession, getTokenSession }) => {
      const ids: string[] = []
      return {
        createTokenSession(session) {
          ids.push(session.id)
          return createTokenSession(session)
        },
        async listTokenSessionsByUserId(userId) {
          const rows = await Promise.all(ids.map((id) => getTokenSession(id)))
          return rows.filter((row) => row !== null && row.userId === userId && row.revokedAt === null) as never
        },
      }
    }),
    /listTokenSessionsByUserId gives 1,000 at most/,
  ],
  [
    'a list with revoked token sessions',
    sabotaged(({ listTokenSessionsByUserId, revokeTokenSession, getTokenSession }) => {
      const revoked: string[] = []
      return {
        revokeTokenSession(id, revokedAt) {
          revoked.push(id)
          return revokeTokenSession(id, revokedAt)
        },
        async listTokenSessionsByUserId(userId) {
          const rows = await Promise.all(revoked.map((id) => getTokenSession(id)))
          return [
            ...(await listTokenSessionsByUserId(userId)),
            ...rows.filter((row) => row !== null).filter((row) => row.userId === userId),
          ]
        },
      }
    }),
    /without revoked ones/,
  ],
  [
    'revoked token sessions that count as expired',
    sabotaged(({ deleteExpired, revokeTokenSession, updateTokenSession }) => {
      const revoked: string[] = []
      return {
        revokeTokenSession(id, revokedAt) {
          revoked.push(id)
          return revokeTokenSession(id, revokedAt)
        },
        async deleteExpired(options) {
          for (const id of revoked) await updateTokenSession(id, { expires: new Date(0) })
          return deleteExpired(options)
        },
      }
    }),
    /deleteExpired deletes expired token sessions, and no others/,
  ],
  [
    'token sessions that are deleted with their user',
    sabotaged(({ deleteUser, listTokenSessionsByUserId, updateTokenSession, deleteExpired }) => ({
      async deleteUser(userId) {
        for (const { id } of await listTokenSessionsByUserId(userId)) {
          await updateTokenSession(id, { expires: new Date(0) })
        }
        await deleteExpired()
        return deleteUser(userId)
      },
    })),
    /deleteUser leaves the token sessions/,
  ],
  [
    'a token session without the time at which it was not revoked',
    sabotaged(({ getTokenSession }) => ({
      async getTokenSession(id) {
        const session = await getTokenSession(id)
        if (session?.revokedAt === null) delete (session as { revokedAt?: unknown }).revokedAt
        return session
      },
    })),
    /keeps null for what is not known of a token session/,
  ],
  [
    'dates to the second',
    sabotaged(({ getSessionAndUser }) => ({
      async getSessionAndUser(token) {
        const found = await getSessionAndUser(token)
        found?.session.expires.setUTCMilliseconds(0)
        return found
      },
    })),
    /getSessionAndUser gives both/,
  ],
  [
    'dates as text',
    sabotaged(({ getSessionAndUser }) => ({
      getSessionAndUser: async (token) => JSON.parse(JSON.stringify(await getSessionAndUser(token))),
    })),
    /getSessionAndUser gives both/,
  ],
  [
    'rows handed out themselves',
    sabotaged(({ createUser, getUser }) => {
      const rows = new Map<string, Awaited<ReturnType<typeof getUser>>>()
      return {
        async createUser(given) {
          const user = await createUser(given)
          rows.set(user.id, user)
          return user
        },
        getUser: (id) => rows.get(id) ?? null,
      }
    }),
    /gives copies/,
  ],
  [
    'undefined in place of null',
    sabotaged(({ getUser }) => ({ getUser: async (id) => (await getUser(id)) ?? (undefined as never) })),
    /getUser gives null for an unknown id/,
  ],
]

describe('describeAdapter()', () => {
  for (const [what, create, finding] of FAULTS) {
    it(`finds ${what}`, async () => {
      expect((await failuresOf({ create })).join('\n')).to.match(finding)
    })
  }

  it('finds nothing wrong with a sound adapter', async () => {
    expect(await failuresOf({ create: memoryAdapter })).to.deep.equal([])
  })

  it('names a method that is missing, unless it is skipped', async () => {
    const { unlinkAccount: _, ...lacking } = memoryAdapter()
    expect(await failuresOf({ create: () => lacking })).to.include('are all there, but those skipped by design')
    expect(await failuresOf({ create: () => lacking, skip: ['unlinkAccount'] })).to.deep.equal([])
  })

  it('gives no details of sessions to an adapter that does not list sessions', async () => {
    const { listSessionsByUserId: _, ...lacking } = memoryAdapter()
    const names = [
      'createdAt',
      'lastSeenAt',
      'userAgent',
      'network',
      'kind',
      'name',
      'scope',
      'instance',
      'provider',
      'subject',
      'sid',
    ]
    const refuseDetails = (row: object) => {
      if (names.some((name) => name in row)) throw new Error('no such column')
    }
    const create = (): Adapter => ({
      ...lacking,
      createSession(session) {
        refuseDetails(session)
        return lacking.createSession(session)
      },
      updateSession(changes) {
        refuseDetails(changes)
        return lacking.updateSession(changes)
      },
    })
    expect(await failuresOf({ create, skip: ['listSessionsByUserId'] })).to.deep.equal([])
  })

  it('gives a key where the contract has one, and nothing more: Prisma refuses any other member', async () => {
    const only = (name: keyof Adapter, members: readonly string[], method: (...args: never[]) => unknown) => ({
      [name]: async (...args: unknown[]) => {
        const others = Object.keys(args[0] as object).filter((member) => !members.includes(member))
        if (others.length > 0) throw new Error(`Unknown argument: ${others.join()}`)
        return method(...(args as never[]))
      },
    })
    const create = sabotaged((sound) => ({
      ...only('getUserByAccount', ['provider', 'providerAccountId'], sound.getUserByAccount),
      ...only('unlinkAccount', ['provider', 'providerAccountId'], sound.unlinkAccount),
      ...only('useVerificationToken', ['identifier', 'token'], sound.useVerificationToken),
    }))
    expect(await failuresOf({ create, level: 'authjs' })).to.deep.equal([])
  })

  it('asks less of adapters made for Auth.js', async () => {
    const { getSession: _, listSessionsByUserId: __, revokeTokenSession: ___, ...lacking } = memoryAdapter()
    expect(await failuresOf({ create: () => lacking })).to.not.deep.equal([])
    expect(await failuresOf({ create: () => lacking, level: 'authjs' })).to.deep.equal([])
  })

  it('closes what it opened, also when nothing could be created', async () => {
    let closed = 0
    const close = () => closed++
    await failuresOf({ create: () => Promise.reject(new Error('no database')), close })
    expect(closed).to.equal(1)
  })
})
