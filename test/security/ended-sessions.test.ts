import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { SessionManager, SessionStart } from '../../lib/sessions/session.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { requestContext } from '../support/request-context.js'
import { newPerson, registering } from '../support/sign-ins.js'
import { asAuthjsHasIt, STORES } from '../support/stores.js'
import { openTestApp, SESSION, whoIs } from '../support/test-app.js'

/*
 * Somebody has a copy of a session cookie, and adds an account while the session ends: the owner signs out, or all
 * sessions of the user are deleted. What is added is in additions.test.ts.
 */

/** A store, and a way to close it. */
interface Opened {
  readonly adapter: Adapter
  close(): Promise<void>
}

/** A kind of store: those of the package, and those that have the methods of Auth.js alone. */
interface Kind {
  readonly name: string
  requireServer(this: Mocha.Context): Promise<void>
  open(): Promise<Opened>
  /** Whether the store has the methods that Auth.js does not have. */
  readonly isOwn: boolean
  /** Whether the store says who deleted a session. Otherwise two requests can both have deleted it. */
  readonly saysWhoDeletes: boolean
}

/** An adapter made for Auth.js, and what its `deleteSession` does. */
function likeAuthjs(deleteSession: (store: Required<Adapter>, token: string) => ReturnType<DeleteSession>): Adapter {
  const store = memoryAdapter()
  return { ...asAuthjsHasIt(store), deleteSession: async (token) => deleteSession(store, token) }
}
type DeleteSession = NonNullable<Adapter['deleteSession']>

const AUTHJS: Readonly<Record<string, () => Adapter>> = {
  'an adapter of Auth.js that gives the session that it deletes': () =>
    likeAuthjs((store, token) => store.deleteSession(token)),
  'an adapter of Auth.js that throws if there is no session to delete': () =>
    likeAuthjs(async (store, token) => {
      const deleted = await store.deleteSession(token)
      if (!deleted) throw new Error('Record to delete does not exist.')
      return deleted
    }),
  'an adapter of Auth.js that gives nothing': () =>
    likeAuthjs(async (store, token) => {
      await store.deleteSession(token)
    }),
}

const KINDS: readonly Kind[] = [
  ...STORES.map((kind) => ({ ...kind, isOwn: true, saysWhoDeletes: true })),
  ...Object.entries(AUTHJS).map(([name, create]) => ({
    name,
    isOwn: false,
    saysWhoDeletes: !name.endsWith('nothing'),
    requireServer: async () => {},
    open: async () => ({ adapter: create(), close: async () => {} }),
  })),
]

for (const kind of KINDS) {
  describe(`SESS-14, with stored sessions in ${kind.name}: the session to which something is added`, () => {
    let store: Opened
    before(async function () {
      await kind.requireServer.call(this)
      store = await kind.open()
    })
    after(() => store?.close())

    /** Somebody who is signed in, what the session manager needs to add an account, and what the store is asked. */
    async function setUp(change: Partial<Adapter> = {}) {
      const adapter = { ...store.adapter, ...change } as Required<Adapter>
      const { browser, engine, origin } = openTestApp({ adapter, providers: [registering(adapter)] })
      const { sessions } = engine.config.schemeFor(origin)
      const ada = browser()
      await ada.signIn({ email: newPerson().email ?? '' })
      const token = ada.jar.get(SESSION)?.value ?? ''
      const request = requestContext(new Map([[SESSION, token]]), origin)
      const principal = await sessions.readPrincipal(request)
      const account = { provider: 'acme', type: 'oidc', providerAccountId: 'of the thief' } as const
      const start: SessionStart = {
        user: { id: principal?.id ?? '' },
        account,
        isNewUser: false,
        authenticatedAt: principal?.authenticatedAt ?? null,
      }
      const add = async () => (await sessions.issue(request, start)).find(({ value }) => value !== '')?.value ?? null
      const reads = async (value: string | null) =>
        value === null
          ? null
          : ((await sessions.read(requestContext(new Map([[SESSION, value]]), origin))).session?.user?.email ?? null)
      return { sessions, request, start, token, add, reads, userId: start.user.id }
    }

    it('goes on under a new token, with the time of its sign-in, and its old token is no session', async () => {
      const { add, reads, token, sessions, start } = await setUp()
      const email = await reads(token)
      const added = await add()
      expect(added)
        .to.match(/^[0-9a-f]{64}$/)
        .and.not.equal(token)
      expect([await reads(added), await reads(token)]).to.deep.equal([email, null])
      const principal = await sessions.readPrincipal(requestContext(new Map([[SESSION, added ?? '']])))
      expect(principal).to.deep.include({ id: start.user.id, authenticatedAt: start.authenticatedAt })
    })

    it('does not come back after a sign-out', async () => {
      const { sessions, request, add } = await setUp()
      expect((await sessions.revoke(request)).ended).not.to.equal(null)
      expect(await add()).to.equal(null)
    })

    it('does not come back if it is deleted after it was read', async () => {
      const { getSessionAndUser, deleteSession } = store.adapter as Required<Adapter>
      let reading: 'not yet' | 'next' | 'done' = 'not yet'
      const { add, token } = await setUp({
        async getSessionAndUser(...asked) {
          const found = await getSessionAndUser(...asked)
          if (found && reading === 'next') {
            reading = 'done'
            await deleteSession(found.session.sessionToken)
          }
          return found
        },
      })
      reading = 'next'
      expect(await add()).to.equal(null)
      expect(reading).to.equal('done')
      expect(await getSessionAndUser(storedForm(token))).to.equal(null)
    })

    if (kind.isOwn)
      it('does not come back, and leaves no row, if all sessions of the user are deleted after it was read', async () => {
        const { adapter } = store
        const { getSessionAndUser, createSession, changeSessionToken, deleteSessionsByUserId } =
          adapter as Required<Adapter>
        let isNext = false
        const made: string[] = []
        const { add, userId } = await setUp({
          async getSessionAndUser(...asked) {
            const found = await getSessionAndUser(...asked)
            if (isNext && found) {
              isNext = false
              await deleteSessionsByUserId(userId)
            }
            return found
          },
          async createSession(session) {
            made.push(session.sessionToken)
            return createSession(session)
          },
          async changeSessionToken(from, to) {
            made.push(to)
            return changeSessionToken(from, to)
          },
        })
        isNext = true
        expect(await add()).to.equal(null)
        expect(made.length).to.be.greaterThan(0)
        for (const each of made) expect(await getSessionAndUser(each)).to.equal(null)
      })

    if (!kind.saysWhoDeletes) return
    it('has one successor at most, however many requests add something at once', async () => {
      const { add, reads } = await setUp()
      const added = await Promise.all(Array.from({ length: 8 }, add))
      expect(added.filter((value) => value !== null)).to.have.lengthOf(1)
      expect((await Promise.all(added.map(reads))).filter((email) => email !== null)).to.have.lengthOf(1)
    })

    it('either is ended by a sign-out at the same moment, or has gone on before', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { sessions, request, add, token, reads } = await setUp()
        const adding = add()
        await new Promise((resolve) => setTimeout(resolve, round / 4))
        const [added, end] = await Promise.all([adding, sessions.revoke(request)])
        const isEnded = end.ended !== null && 'session' in end.ended && end.ended.session !== null
        expect([isEnded, added !== null], `round ${round}`).to.not.deep.equal([true, true])
        expect(await reads(token)).to.equal(null)
      }
    })
  })
}

describe('SESS-14, with an adapter of Auth.js: a session to which something is added', () => {
  it('goes on if the adapter does not say what it deletes', async () => {
    const adapter = AUTHJS['an adapter of Auth.js that gives nothing']?.() as Required<Adapter>
    const { browser, engine, origin } = openTestApp({ adapter, providers: [registering(adapter)] })
    const { sessions } = engine.config.schemeFor(origin)
    const ada = browser()
    await ada.signIn({ email: newPerson().email ?? '' })
    const token = ada.jar.get(SESSION)?.value ?? ''
    expect(await issueInPlaceOf(sessions, token, origin)).to.match(/^[0-9a-f]{64}$/)
    expect(await adapter.getSessionAndUser(storedForm(token))).to.equal(null)
  })

  it('keeps its session, and leaves no other, if the adapter fails to delete it', async () => {
    const store = memoryAdapter()
    const made: string[] = []
    const fault = { isOn: false }
    const adapter = {
      ...asAuthjsHasIt(store),
      createSession: (session) => {
        made.push(session.sessionToken)
        return store.createSession(session)
      },
      deleteSession: (token) => {
        if (fault.isOn) throw new Error('The store is down.')
        return store.deleteSession(token)
      },
    } as Required<Adapter>
    const { browser, engine, origin } = openTestApp({ adapter, providers: [registering(store)] })
    const { sessions } = engine.config.schemeFor(origin)
    const ada = browser()
    await ada.signIn({ email: newPerson().email ?? '' })
    const token = ada.jar.get(SESSION)?.value ?? ''
    fault.isOn = true
    const failure = await issueInPlaceOf(sessions, token, origin).catch((error: Error) => error)
    fault.isOn = false
    expect(failure).to.include({ name: 'SessionTokenError' })
    expect(await whoIs(ada)).not.to.equal(null)
    await new Promise((resolve) => setTimeout(resolve, 1300))
    expect(made).to.have.lengthOf(2)
    expect(store.getSession(made[1] ?? ''), 'it is deleted a second later').to.equal(null)
  })
})

async function issueInPlaceOf(sessions: SessionManager, token: string, origin: string): Promise<string | undefined> {
  const request = requestContext(new Map([[SESSION, token]]), origin)
  const principal = await sessions.readPrincipal(request)
  const start: SessionStart = {
    user: { id: principal?.id ?? '' },
    account: { provider: 'acme', type: 'oidc', providerAccountId: 'added' },
    isNewUser: false,
    authenticatedAt: principal?.authenticatedAt ?? null,
  }
  return (await sessions.issue(request, start)).find(({ value }) => value !== '')?.value
}
