import { inspect } from 'node:util'
import { expect } from 'chai'
import mysql from 'mysql2'
import { attempt, toAdapterError } from '../../../lib/adapters/sql/faults.js'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { ENGINES, mariadb, type TestDatabase } from './databases.js'

const EMAIL = 'very-private@x.example'
const user = { id: 'private-id', email: EMAIL, emailVerified: null }
const account = { userId: 'private-id', type: 'oidc', provider: 'acme', providerAccountId: 'private-account' } as const

for (const engine of ENGINES) {
  describe(`errors of ${engine.name}`, () => {
    let database: TestDatabase
    let adapter: SqlAdapter
    before(engine.requireServer)
    beforeEach(async () => {
      database = await engine.create()
      await migrateToLatest(database.connection)
      adapter = sqlAdapter(database.connection)
      await adapter.createUser(user)
      await adapter.linkAccount({ ...account, access_token: 'private-token' })
    })
    afterEach(async () => {
      await adapter?.close()
      await database?.drop()
    })

    const failureOf = async (call: Promise<unknown>): Promise<AdapterError> => {
      const error = await call.then(
        () => null,
        (thrown) => thrown,
      )
      expect(error).to.be.instanceOf(AdapterError)
      return error
    }
    const everythingIn = (error: Error) =>
      `${error.message} ${error.stack} ${inspect(error, { depth: 9, showHidden: true })}`

    it('say that a row is there already, and none of its values', async () => {
      const failures = [
        await failureOf(adapter.createUser({ ...user, id: 'private-other' })),
        await failureOf(adapter.createUser({ ...user, email: 'private@x.example' })),
        await failureOf(adapter.linkAccount({ ...account, access_token: 'private-token-2' })),
      ]
      for (const failure of failures) {
        expect(failure.cause).to.include({ duplicate: true })
        expect(everythingIn(failure)).not.to.match(/private/)
      }
    })

    it('have no values in them when a row refers to nobody', async () => {
      const session = { sessionToken: 'private-session', userId: 'private-nobody', expires: new Date() }
      const failure = await failureOf(adapter.createSession(session))
      expect(failure.message).to.match(/^createSession: .*foreign key/i)
      expect(failure.cause).not.to.have.property('duplicate')
      expect(everythingIn(failure)).not.to.match(/private/)
    })

    it('report invalid dates', async () => {
      const session = { sessionToken: 'private-session', userId: 'private-id', expires: new Date(Number.NaN) }
      expect((await failureOf(adapter.createSession(session))).message).to.equal('expires is not a valid date')
    })

    it('do not come of look-ups by what cannot be there', async () => {
      const strange = [
        '',
        'a\0b',
        '\ud800',
        {},
        [],
        ['private-id'],
        { id: 'private-id' },
        null,
        undefined,
        Number.NaN,
        true,
      ]
      for (const value of strange) {
        expect(await adapter.getUser(value as never)).to.equal(null)
        expect(await adapter.getUserByEmail(value as never)).to.equal(null)
        expect(await adapter.getSessionAndUser(value as never)).to.equal(null)
        expect(await adapter.getUserByAccount({ provider: 'acme', providerAccountId: value as never })).to.equal(null)
        expect(await adapter.useVerificationToken({ identifier: EMAIL, token: value as never })).to.equal(null)
        expect(await adapter.deleteUser(value as never)).to.equal(null)
      }
      expect(await adapter.getUser('private-id')).to.include({ email: EMAIL })
    })

    it('do not come of quotes: every value is sent apart from the statement', async () => {
      const evil = `x'"\`; drop table users; -- \\' or 1=1 /* ${'?'} $1 :a @b`
      const given = { id: evil, name: evil, email: evil, emailVerified: null, image: evil }
      expect(await adapter.createUser(given)).to.deep.equal(given)
      expect(await adapter.updateUser({ id: evil, image: `${evil}!` })).to.deep.equal({ ...given, image: `${evil}!` })
      expect((await adapter.getUserByEmail(evil))?.id).to.equal(evil)
      expect((await adapter.deleteUser(evil))?.id).to.equal(evil)
    })
  })
}

describe('errors of drivers', () => {
  const MESSAGES = [
    [`Duplicate entry 'a 'quoted' b' for key 'users_email_key'`, `Duplicate entry … for key 'users_email_key'`],
    ['invalid input syntax for type uuid: "x"', 'invalid input syntax for type uuid: …'],
    ['value "99999999999" is out of range for type integer', 'value … is out of range for type integer'],
    [`Incorrect datetime value: 'x' for column 'a'`, 'Incorrect datetime value: …'],
    [
      `You have an error in your SQL syntax near 'x y' at line 1`,
      'You have an error in your SQL syntax near … at line 1',
    ],
    ['relation "users" does not exist', 'relation "users" does not exist'],
  ] as const

  it('lose the values that databases repeat in them', () => {
    for (const [message, kept] of MESSAGES) {
      expect(toAdapterError(new Error(message), 'getUser').message).to.equal(`getUser: ${kept}`)
    }
  })

  it('repeat no line of a value that looks like a frame of a stack', () => {
    const value = 'x\n    at private-token (file.js:1:1)'
    const fault = toAdapterError(new Error(`no such user: ${value}`), 'getUser', [value])
    const { err } = fault.cause as { err: Error }
    expect(err.stack).to.match(/^\s+at /m)
    expect(`${err.stack} ${err.message}`).to.not.include('private-token')
  })

  it('are tried again when the database gave up a deadlock, but not for ever', async () => {
    let calls = 0
    const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01' })
    const settled = await attempt('x', [], async () => {
      calls++
      if (calls < 3) throw deadlock()
      return calls
    })
    expect(settled).to.equal(3)
    calls = 0
    const failure = await attempt('x', [], async () => {
      calls++
      throw deadlock()
    }).catch((error) => error)
    expect(failure.message).to.equal('x: deadlock detected')
    expect(calls).to.equal(6)
  })
})

describe('a MariaDB session in which backslashes do not escape', () => {
  before(mariadb.requireServer)

  it('is refused: mysql2 relies on them', async () => {
    const database = await mariadb.create()
    const pool = mysql.createPool(database.url)
    pool.on('connection', (connection) => connection.query(`set sql_mode = 'NO_BACKSLASH_ESCAPES'`))
    const failure = await sqlAdapter(pool)
      .getUser('1')
      .catch((error) => error)
    expect(failure.message).to.match(/NO_BACKSLASH_ESCAPES/)
    await pool.promise().end()
    await database.drop()
  })
})
