import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import type { AuthConfig } from '../../lib/index.js'
import { ENGINES } from '../adapters/sql/databases.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { visibleText } from '../support/html.js'

const REFUSED = 'error=Configuration&code=RefusedValue'

/** What drivers and ORMs throw for a value that the store does not take. */
const refusals: readonly [string, () => Error][] = [
  ['pg: too long', () => Object.assign(new Error('too long'), { code: '22001' })],
  ['pg: a NUL', () => Object.assign(new Error('invalid byte sequence'), { code: '22021' })],
  ['pg: missing', () => Object.assign(new Error('null value'), { code: '23502' })],
  ['mysql2: too long', () => Object.assign(new Error('too long'), { code: 'ER_DATA_TOO_LONG' })],
  ['mysql2: no default', () => Object.assign(new Error('no default'), { code: 'ER_NO_DEFAULT_FOR_FIELD' })],
  ['libsql: missing', () => Object.assign(new Error('NOT NULL'), { code: 'SQLITE_CONSTRAINT_NOTNULL' })],
  ['Prisma: too long', () => Object.assign(new Error('too long'), { code: 'P2000' })],
  ['Mongoose: not valid', () => Object.assign(new Error('not valid'), { name: 'ValidationError' })],
  [
    'Drizzle: an error around that of pg',
    () => new Error('Failed query', { cause: Object.assign(new Error('long'), { code: '22001' }) }),
  ],
]

const OTHERS: readonly [string, () => Error][] = [
  ['a duplicate, which the next try finds', () => Object.assign(new Error('taken'), { code: '23505' })],
  ['a lost connection', () => Object.assign(new Error('lost'), { code: 'ECONNRESET' })],
  ['a server that takes no writes', () => Object.assign(new Error('read-only'), { code: '25006' })],
]

describe('a value that a store refuses', () => {
  let app: Running
  afterEach(() => app.close())

  const signInWith = async (fail: () => Error) => {
    const store = memoryAdapter()
    store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const adapter: AuthConfig['adapter'] = {
      ...store,
      createSession: async () => {
        throw fail()
      },
    }
    app = await startApp(testConfig({ adapter, logger: createLog().logger }))
    const visitor = app.visitor()
    const { location } = await visitor.signIn(ADA)
    return { visitor, location }
  }

  for (const [what, fail] of refusals) {
    it(`is no outage, and nobody is asked to try again: ${what}`, async () => {
      const { visitor, location } = await signInWith(fail)
      expect(location?.search).to.equal(`?${REFUSED}`)
      const page = await visitor.get(`/auth/error?${REFUSED}`)
      expect([page.status, page.headers.get('retry-after')]).to.deep.equal([500, null])
      expect(visibleText(page.text)).to.not.match(/try again in a moment|nothing is lost/i)
    })
  }

  for (const [what, fail] of OTHERS) {
    it(`is something else than ${what}`, async () => {
      const { location } = await signInWith(fail)
      expect(location?.search).to.equal('?error=Configuration&code=Unavailable')
    })
  }

  for (const engine of ENGINES) {
    it(`is told by ${engine.name} itself: a column of the application’s own that must have a value`, async () => {
      const database = await engine.create()
      await migrateToLatest(database.connection)
      await database.run('drop table sessions')
      const text = engine.name === 'MariaDB' ? 'varchar(100)' : 'text'
      const [token, user] = engine.name === 'MariaDB' ? ['sessionToken', 'userId'] : ['"sessionToken"', '"userId"']
      await database.run(
        `create table sessions (${token} ${text} primary key, ${user} ${text} not null, expires ${text} not null, tenant ${text} not null)`,
      )
      const adapter = sqlAdapter(database.connection)
      await adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      app = await startApp(testConfig({ adapter, logger: createLog().logger }))
      const { location } = await app.visitor().signIn(ADA)
      await adapter.close()
      await database.drop()
      expect(location?.search).to.equal(`?${REFUSED}`)
    })
  }
})
