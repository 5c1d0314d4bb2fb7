import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { membersOf } from '../../lib/kernel/objects.js'
import Credentials from '../../lib/providers/credentials.js'
import { openTestApp } from '../support/test-app.js'

/** A row as Mongoose and Sequelize give it: members are getters of its class, and the class has much more. */
class Row {
  readonly #members: Record<string, unknown>
  constructor(members: Record<string, unknown>) {
    this.#members = members
  }
  get $internal() {
    return 'of the library'
  }
  get connection() {
    return new Map()
  }
  save() {
    return this.#members
  }
  static of(members: Record<string, unknown>): Row {
    class Model extends Row {}
    for (const name of Object.keys(members)) {
      Object.defineProperty(Model.prototype, name, {
        get(this: Row) {
          return this.#members[name]
        },
      })
    }
    return new Model(members)
  }
}

/** An adapter whose rows are such objects. */
function withRows(adapter: Adapter): Adapter {
  const asRow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(asRow)
    if (typeof value !== 'object' || value === null) return value
    if ('session' in value && 'user' in value) return { session: asRow(value.session), user: asRow(value.user) }
    return Row.of(value as Record<string, unknown>)
  }
  const entries = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...args: unknown[]) => asRow(await (method as (...args: unknown[]) => unknown)(...args)),
  ])
  return Object.fromEntries(entries) as Adapter
}

const ADA = { id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null, role: 'admin' }

describe('objects of ORMs, whose members are getters', () => {
  const signIn = async (config: Partial<AuthConfig>) => {
    const seen: unknown[] = []
    const app = openTestApp({
      providers: [Credentials({ credentials: { name: {} }, authorize: () => Row.of(ADA) as never })],
      callbacks: {
        jwt: ({ token, user }) => {
          if (user) Object.assign(token, { role: (user as { role?: unknown }).role, user: { id: user.id } })
          return token
        },
        session: ({ session, token, user }) => {
          seen.push(session)
          return { ...session, role: token?.['role'] ?? (user as unknown as { role?: unknown } | undefined)?.role }
        },
      },
      ...config,
    })
    const visitor = app.browser()
    await visitor.post('/auth/callback/credentials', { csrfToken: await visitor.csrfToken(), name: 'Ada' })
    return { session: (await visitor.get('/auth/session')).json(), seen }
  }

  it('keep their members when authorize() gives one', async () => {
    const { session } = await signIn({})
    expect(session).to.deep.include({ role: 'admin' })
    expect(session.user).to.deep.include({ name: 'Ada', email: 'ada@example.com' })
  })

  it('keep their members when an adapter gives them', async () => {
    const store = memoryAdapter()
    store.createUser(ADA as never)
    const { session } = await signIn({ adapter: withRows(store), session: { strategy: 'database' } })
    expect(session.user).to.deep.include({ name: 'Ada', email: 'ada@example.com' })
    expect(session.role).to.equal('admin')
    expect(session.expires).to.match(/^\d{4}-/)
  })

  it('give their members to a spread, and nothing of their library', () => {
    expect({ ...membersOf(Row.of({ id: 1, tags: ['a'], at: new Date(0) })) }).to.deep.equal({
      id: 1,
      tags: ['a'],
      at: new Date(0),
    })
    const plain = { id: 1 }
    expect(membersOf(plain)).to.equal(plain)
    const date = new Date()
    expect(membersOf(date)).to.equal(date)
  })

  for (const strategy of ['jwt', 'database'] as const) {
    it(`users whom the store numbers with BigInt can sign in: ${strategy}`, async () => {
      const user = { ...ADA, id: 7n }
      const sessions = new Map<string, object>()
      const adapter = {
        ...memoryAdapter(),
        getUser: (id: unknown) => (String(id) === '7' ? user : null),
        createSession: (row: { sessionToken: string }) => {
          sessions.set(row.sessionToken, row)
          return row
        },
        getSessionAndUser: (token: string) =>
          sessions.has(token) ? { session: { ...sessions.get(token) }, user } : null,
      } as unknown as Adapter
      const { session } = await signIn({
        adapter,
        session: { strategy },
        providers: [Credentials({ credentials: { name: {} }, authorize: () => user as never })],
      })
      expect(session.user?.name).to.equal('Ada')
    })
  }
})
