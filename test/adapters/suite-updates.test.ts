import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter, AdapterSession, AdapterTokenSession, ProviderSession } from '../../lib/adapters/adapter.js'
import { failuresOf, sabotaged } from './sabotage.js'

type Fault = readonly [what: string, create: () => Adapter, finding: RegExp]

/** Faults of `updateAccount`, and the check that finds each. */
const CHANGES: readonly Fault[] = [
  [
    'a change that reads the account and then writes it',
    sabotaged(({ getAccount, updateAccount }) => ({
      async updateAccount(key, changes, expected = {}) {
        const account = await getAccount(key.providerAccountId, key.provider)
        await wait(1)
        const isExpected = Object.entries(expected).every(
          ([name, value]) => (account?.[name as keyof typeof expected] ?? null) === value,
        )
        return isExpected && updateAccount(key, changes)
      },
    })),
    /50 parallel updateAccount that expect the same/,
  ],
  [
    'a change that writes back what it has read',
    sabotaged(({ getAccount, updateAccount }) => ({
      async updateAccount(key, changes, expected) {
        const account = await getAccount(key.providerAccountId, key.provider)
        await wait(1)
        return updateAccount(key, { ...account, ...changes }, expected)
      },
    })),
    /parallel updateAccount of different members keep each other/,
  ],
  [
    'an account that comes back after it was unlinked',
    sabotaged(({ getAccount, linkAccount, updateAccount }) => ({
      async updateAccount(key, changes, expected) {
        const account = await getAccount(key.providerAccountId, key.provider)
        await wait(1)
        if (account && !(await getAccount(key.providerAccountId, key.provider))) await linkAccount(account)
        return updateAccount(key, changes, expected)
      },
    })),
    /unlinkAccount wins over 50 parallel updateAccount/,
  ],
  [
    'a change that expects nothing',
    sabotaged(({ updateAccount }) => ({ updateAccount: (key, changes) => updateAccount(key, changes) })),
    /updateAccount changes nothing unless every expected value is there/,
  ],
  [
    'a comparison with null that is never true',
    sabotaged(({ updateAccount }) => ({
      updateAccount: (key, changes, expected = {}) =>
        Object.values(expected).every((value) => value !== null) && updateAccount(key, changes, expected),
    })),
    /updateAccount takes null for a member without a value/,
  ],
  [
    'expected nulls that are left out',
    sabotaged(({ updateAccount }) => ({
      updateAccount: (key, changes, expected = {}) =>
        updateAccount(key, changes, Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== null))),
    })),
    /updateAccount changes nothing unless every expected value is there/,
  ],
  [
    'nulls that change nothing',
    sabotaged(({ updateAccount }) => ({
      updateAccount: (key, changes, expected) =>
        updateAccount(key, Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)), expected),
    })),
    /updateAccount deletes the members that are null/,
  ],
  [
    'a count of the rows whose values have changed',
    sabotaged(({ getAccount, updateAccount }) => ({
      async updateAccount(key, changes, expected) {
        const before = JSON.stringify(await getAccount(key.providerAccountId, key.provider))
        await updateAccount(key, changes, expected)
        return JSON.stringify(await getAccount(key.providerAccountId, key.provider)) !== before
      },
    })),
    /updateAccount gives true for a change to the values that are there/,
  ],
  [
    'true for every call that does not fail',
    sabotaged(({ updateAccount }) => ({
      async updateAccount(key, changes, expected) {
        await updateAccount(key, changes, expected)
        return true
      },
    })),
    /updateAccount of an unknown account gives false/,
  ],
  [
    'a change of the owner',
    sabotaged(({ getAccount, unlinkAccount, linkAccount, updateAccount }) => ({
      async updateAccount(key, changes, expected) {
        const changed = await updateAccount(key, changes, expected)
        const account = await getAccount(key.providerAccountId, key.provider)
        if (account && 'userId' in changes) {
          await unlinkAccount(key)
          await linkAccount({ ...account, userId: String(changes.userId) })
        }
        return changed
      },
    })),
    /updateAccount never changes whose account it is/,
  ],
  [
    'tokens that are cut',
    sabotaged(({ updateAccount }) => ({
      updateAccount: (key, changes, expected) =>
        updateAccount(
          key,
          changes.access_token ? { ...changes, access_token: changes.access_token.slice(0, 2048) } : changes,
          expected,
        ),
    })),
    /updateAccount keeps tokens of 60000 characters/,
  ],
  [
    'ids of accounts compared without case',
    sabotaged(({ linkAccount, updateAccount }) => {
      const ids = new Map<string, string>()
      return {
        linkAccount(account) {
          ids.set(account.providerAccountId.toLowerCase(), account.providerAccountId)
          return linkAccount(account)
        },
        updateAccount: ({ provider, providerAccountId }, changes, expected) =>
          updateAccount(
            { provider, providerAccountId: ids.get(providerAccountId.toLowerCase()) ?? providerAccountId },
            changes,
            expected,
          ),
      }
    }),
    /updateAccount compares ids and expected values exactly/,
  ],
]

/** The memory adapter with lists that are made of every session that was ever stored. */
const listing = (choose: (session: AdapterSession, at: ProviderSession) => boolean, follow = true) =>
  sabotaged(({ createSession, changeSessionToken, getSession }) => {
    const tokens: string[] = []
    return {
      createSession(session) {
        tokens.push(session.sessionToken)
        return createSession(session)
      },
      changeSessionToken(token, newToken) {
        if (follow) tokens.push(newToken)
        return changeSessionToken(token, newToken)
      },
      async listSessionsByProvider(at) {
        const rows = await Promise.all(tokens.map((token) => getSession(token)))
        return rows.filter((row) => row !== null).filter((row) => choose(row, at))
      },
    }
  })

const isAt = (session: AdapterSession, { provider, subject, sid }: ProviderSession) =>
  (subject !== undefined || sid !== undefined) &&
  session.provider === provider &&
  (subject === undefined || session.subject === subject) &&
  (sid === undefined || session.sid === sid)

/** Faults of lists by provider. */
const LISTS: readonly Fault[] = [
  [
    'sessions with the sid or with the subject, where both are asked for',
    listing(
      (session, { provider, subject, sid }) =>
        session.provider === provider && (session.sid === (sid ?? NaN) || session.subject === (subject ?? NaN)),
    ),
    /listSessionsByProvider finds sessions by sid, by subject, or by both/,
  ],
  [
    'sessions of every provider',
    listing((session, { subject, sid }) =>
      isAt(session, { provider: String(session.provider), ...{ subject, sid } } as never),
    ),
    /listSessionsByProvider finds sessions by sid, by subject, or by both/,
  ],
  [
    'all sessions of a provider, where neither name is given',
    listing((session, at) => isAt(session, at) || (session.provider === at.provider && !at.sid && !at.subject)),
    /listSessionsByProvider gives an empty array when there is none/,
  ],
  [
    'names compared without case',
    listing((session, at) => {
      const folded = (text: string | null | undefined) => text?.toLowerCase()
      const { provider, subject, sid } = session
      return isAt(
        { ...session, provider: folded(provider), subject: folded(subject), sid: folded(sid) } as never,
        Object.fromEntries(Object.entries(at).map(([name, value]) => [name, folded(value)])) as never,
      )
    }),
    /listSessionsByProvider compares all names exactly/,
  ],
  [
    'names that are cut',
    listing((session, at) => {
      const cut = ({ provider, subject, sid }: AdapterSession | ProviderSession) => ({
        provider,
        ...(subject != null && { subject: subject.slice(0, 200) }),
        ...(sid != null && { sid: sid.slice(0, 200) }),
      })
      return isAt({ ...session, ...cut(session) } as never, cut(at) as never)
    }),
    /listSessionsByProvider finds names of 255 characters/,
  ],
  [
    'a list that loses a session with another token',
    listing(isAt, false),
    /listSessionsByProvider finds a session after it was renewed/,
  ],
  [
    'a list without those that were renewed',
    sabotaged(({ updateSession, listSessionsByProvider }) => {
      const renewed = new Set<string>()
      return {
        updateSession(changes) {
          renewed.add(changes.sessionToken)
          return updateSession(changes)
        },
        listSessionsByProvider: async (at) =>
          (await listSessionsByProvider(at)).filter(({ sessionToken }) => !renewed.has(sessionToken)),
      }
    }),
    /listSessionsByProvider finds a session after it was renewed/,
  ],
  [
    'a list as it was at the start of each session',
    sabotaged(({ createSession, getSession }) => {
      const first: AdapterSession[] = []
      return {
        createSession(session) {
          first.push(structuredClone(session))
          return createSession(session)
        },
        async listSessionsByProvider(at) {
          const rows = await Promise.all(
            first.filter((session) => isAt(session, at)).map(({ sessionToken }) => getSession(sessionToken)),
          )
          return rows.filter((row) => row !== null)
        },
      }
    }),
    /listSessionsByProvider finds a session where updateSession has put it/,
  ],
  [
    'sessions that were ended',
    sabotaged(({ createSession, listSessionsByProvider }) => {
      const all: AdapterSession[] = []
      return {
        createSession(session) {
          all.push(session)
          return createSession(session)
        },
        listSessionsByProvider: async (at) =>
          all.length < 4 ? listSessionsByProvider(at) : all.filter((session) => isAt(session, at)),
      }
    }),
    /listSessionsByProvider never gives a session that was ended/,
  ],
  ['a list of all sessions, however many', listing(isAt), /listSessionsByUserId gives 1,000 at most/],
  [
    'revoked token sessions',
    sabotaged(({ createTokenSession, getTokenSession }) => {
      const ids: string[] = []
      return {
        createTokenSession(session) {
          ids.push(session.id)
          return createTokenSession(session)
        },
        async listTokenSessionsByProvider(at) {
          const rows = await Promise.all([...new Set(ids)].map((id) => getTokenSession(id)))
          return rows.filter((row): row is AdapterTokenSession => row !== null && isAt(row as never, at))
        },
      }
    }),
    /listTokenSessionsByProvider finds a session after it was renewed, and never one that was revoked/,
  ],
]

describe('describeAdapter(), of changes and lists by provider', () => {
  for (const [what, create, finding] of [...CHANGES, ...LISTS]) {
    it(`finds ${what}`, async () => {
      expect(await failuresOf({ create }, finding)).to.have.length(1)
    })
  }

  it('lets an adapter do without them by design', async () => {
    const skip = ['updateAccount', 'listSessionsByProvider', 'listTokenSessionsByProvider'] as const
    const create = sabotaged(() => Object.fromEntries(skip.map((name) => [name, undefined])) as never)
    expect(await failuresOf({ create, skip })).to.deep.equal([])
  })
})
