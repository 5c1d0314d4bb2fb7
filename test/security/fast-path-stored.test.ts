import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { migratedDatabase, sqlite } from '../adapters/sql/databases.js'
import type { Running } from '../support/app.js'
import {
  CACHE_STATES,
  type CheckResult,
  checkSession,
  expectAccepted,
  expectRefused,
  REFERENCE,
  SystemClock,
  startSessionChecks,
} from '../support/session-checks.js'
import { registering } from '../support/sign-ins.js'
import { SESSION } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60
const ADDRESS = 'ada@example.com'

const clock = new SystemClock()

const STORES: Readonly<Record<string, () => Promise<{ adapter: Required<Adapter>; close(): Promise<void> }>>> = {
  memory: async () => ({ adapter: memoryAdapter(), close: async () => {} }),
  SQLite: async () => {
    const database = await migratedDatabase(sqlite)
    const adapter = sqlAdapter(database.connection)
    const close = async () => {
      await adapter.close()
      await database.drop()
    }
    return { adapter, close }
  },
}

/** Somebody whose session is in a store, and its token. */
interface Accepted {
  readonly good: string
  readonly adapter: Required<Adapter>
  readonly app: Running
}

/** Makes the token bad. Gives the value of the cookie that is presented then. */
type Present = (accepted: Accepted) => string | Promise<string>

const REFUSED: Readonly<Record<string, Present>> = {
  'a token whose row was deleted': async ({ good, adapter }) => {
    await adapter.deleteSession(storedForm(good))
    return good
  },
  'a token whose row has ended': async ({ good, adapter }) => {
    await adapter.updateSession({ sessionToken: storedForm(good), expires: new Date(clock.ms) })
    return good
  },
  'a token that nobody has used for its life': ({ good }) => {
    clock.advance(30 * DAY)
    return good
  },
  'a token whose user was deleted': async ({ good, adapter }) => {
    await adapter.deleteUser((await adapter.getUserByEmail(ADDRESS))?.id ?? '')
    return good
  },
  'a token that was signed out': async ({ good, app }) => {
    const visitor = app.visitor()
    visitor.jar.set(SESSION, good)
    await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
    return good
  },
  'a token that was signed out in another process': async ({ good, adapter }) => {
    const other = await startSessionChecks({
      adapter,
      providers: [registering(adapter)],
      session: { strategy: 'database' },
    })
    const visitor = other.visitor()
    visitor.jar.set(SESSION, good)
    await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
    await other.close()
    return good
  },
  'a token that a new sign-in in its browser has ended': async ({ good, app }) => {
    const visitor = app.visitor()
    visitor.jar.set(SESSION, good)
    await visitor.signIn({ email: ADDRESS })
    expect(visitor.jar.get(SESSION)).not.to.equal(good)
    return good
  },
  'the form of the token that is in the store': ({ good }) => storedForm(good),
  'the digest alone': ({ good }) => storedForm(good).replace('sha256:', ''),
  'one letter more': ({ good }) => `${good}A`,
  'one letter less': ({ good }) => good.slice(0, -1),
  'the token in capitals': ({ good }) => good.toUpperCase(),
  'a token session that is in order': () =>
    forge({ sub: '1', email: ADDRESS, iat: clock.seconds, exp: clock.seconds + DAY }),
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`a stored session over ${name}, at a guard, at getSession and at the session route`, () => {
    before(() => clock.install())
    after(() => clock.uninstall())
    beforeEach(() => clock.restart())

    const signInAda = async (session: object) => {
      const store = await open()
      const { adapter } = store
      const providers = [registering(adapter)]
      const app = await startSessionChecks({ adapter, providers, session: { strategy: 'database', ...session } })
      const ada = app.visitor()
      await ada.signIn({ email: ADDRESS })
      const close = async () => {
        await app.close()
        await store.close()
      }
      return { app, adapter, good: ada.jar.get(SESSION) ?? '', close }
    }

    async function judge(way: keyof typeof CACHE_STATES, present: Present): Promise<CheckResult[][]> {
      clock.restart()
      const { isWarm, session } = CACHE_STATES[way]
      const { app, adapter, good, close } = await signInAda(session)
      try {
        if (isWarm) for (const why of ['before', 'before, again']) expectAccepted(await checkSession(app, good), why)
        const value = await present({ app, adapter, good })
        return [await checkSession(app, value), await checkSession(app, value)]
      } finally {
        await close()
      }
    }

    for (const [what, present] of Object.entries(REFUSED)) {
      it(`refuses ${what}, seen before or not, with the same words`, async () => {
        const expected = await judge(REFERENCE, present)
        for (const way of Object.keys(CACHE_STATES) as (keyof typeof CACHE_STATES)[]) {
          const results = await judge(way, present)
          for (const one of results) expectRefused(one, way)
          expect(results, `${way} as ${REFERENCE}`).to.deep.equal(expected)
        }
      })
    }

    it('ends at the very millisecond', async () => {
      const { app, adapter, good, close } = await signInAda({})
      const end = clock.ms + 100_000
      await adapter.updateSession({ sessionToken: storedForm(good), expires: new Date(end) })
      clock.ms = end - 1
      // Read only: the guard and the session route would extend it.
      const visitor = app.visitor()
      visitor.jar.set(SESSION, good)
      expect((await visitor.get('/peek')).json()?.user?.email).to.equal(ADDRESS)
      clock.ms = end
      expectRefused(await checkSession(app, good), 'at its end')
      await close()
    })

    it('shows what the store says now, not what it said at the request before', async () => {
      const { app, adapter, good, close } = await signInAda({})
      expectAccepted(await checkSession(app, good), 'before')
      const user = await adapter.getUserByEmail(ADDRESS)
      await adapter.updateUser({ id: user?.id ?? '', name: 'Countess' })
      for (const { body } of await checkSession(app, good)) expect(JSON.parse(body).user.name).to.equal('Countess')
      await close()
    })
  })
}
