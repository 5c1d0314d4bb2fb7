import { expect } from 'chai'
import mysql from 'mysql2/promise'
import { migrateToLatest, type SqlAdapter, sqlAdapter } from '../../../lib/adapters/sql.js'
import { createOwnMariaDB, hasMariaDBPrograms, type OwnMariaDB } from '../../support/own-mariadb.js'
import { skipSuite } from '../redis/servers.js'

const MINUTE_MS = 60_000
/** In Berlin both are 02:40: clocks go back from three to two between them. */
const FIRST = Date.parse('2026-10-25T00:40:00.123Z')
const SECOND = FIRST + 60 * MINUTE_MS
const ENDS = [-120, -70, -20, 2, 20, 59, 61, 120]

describe('timestamps of a MariaDB whose clock goes back', function () {
  this.timeout(120_000)
  const realNow = Date.now
  let server: OwnMariaDB
  let pool: mysql.Pool
  let adapter: SqlAdapter
  let now: number

  before(async function () {
    if (!(await hasMariaDBPrograms())) return skipSuite(this, 'mariadbd and mariadb-install-db are not installed')
    server = await createOwnMariaDB('Europe/Berlin')
    pool = mysql.createPool(server.url)
    await migrateToLatest({ url: server.url })
    await pool.query('alter table sessions modify expires timestamp(3) null')
    await pool.query('alter table users modify emailVerified timestamp(3) null')
    for (const name of ['createdAt', 'revokedAt', 'tokenIssuedAt']) {
      await pool.query(`alter table token_sessions modify ${name} timestamp(3) null`)
    }
  })
  beforeEach(() => {
    adapter = sqlAdapter(pool)
  })
  afterEach(async () => {
    Date.now = realNow
    await pool?.query('delete from users')
    await pool?.query('delete from token_sessions')
  })
  after(async () => {
    await pool?.end()
    await server?.remove()
  })

  const storedEnd = async (sessionToken: string) => {
    const [rows] = await pool.query(
      'select unix_timestamp(expires) * 1000 as end from sessions where sessionToken = ?',
      [sessionToken],
    )
    return Number((rows as { end: unknown }[])[0]?.end)
  }
  const zone = async () => (await pool.query('select @@session.time_zone as zone'))[0]

  for (const [label, moment] of Object.entries({ first: FIRST, second: SECOND })) {
    it(`of token sessions are stored as they are in the ${label} of the two hours`, async () => {
      const at = new Date(moment)
      const session = { id: 'i', userId: 'u', expires: at, createdAt: at, revokedAt: null, tokenIssuedAt: null }
      await adapter.createTokenSession(session)
      expect(await adapter.getTokenSession('i')).to.deep.equal(session)
      await adapter.updateTokenSession('i', { tokenIssuedAt: at })
      expect(await adapter.revokeTokenSession('i', at)).to.equal(true)
      expect(await adapter.getTokenSession('i')).to.deep.equal({ ...session, revokedAt: at, tokenIssuedAt: at })
    })

    it(`are stored as they are in the ${label} of the two hours`, async () => {
      const zoneBefore = await zone()
      const emailVerified = new Date(moment)
      const user = await adapter.createUser({ id: 'u', email: 'a@b.example', emailVerified })
      expect(user.emailVerified).to.deep.equal(emailVerified)
      const session = { sessionToken: 't', userId: 'u', expires: new Date(moment) }
      expect((await adapter.createSession(session)).expires.getTime()).to.equal(moment)
      expect(await storedEnd('t')).to.equal(moment)
      const extended = await adapter.updateSession({ sessionToken: 't', expires: new Date(moment + 1) })
      expect(extended?.expires.getTime()).to.equal(moment + 1)
      expect(await storedEnd('t')).to.equal(moment + 1)
      const account = { type: 'oauth', provider: 'p', providerAccountId: '1' } as const
      const signUp = { user: { id: 'v', email: 'v@b.example', emailVerified }, account }
      expect((await adapter.createUserWithAccount(signUp)).emailVerified).to.deep.equal(emailVerified)
      expect((await adapter.getUser('v'))?.emailVerified).to.deep.equal(emailVerified)
      expect(await zone()).to.deep.equal(zoneBefore)
    })

    it(`end sessions no sooner and no later in the ${label} of the two hours`, async () => {
      await adapter.createUser({ id: 'u', email: 'a@b.example', emailVerified: null })
      for (const minutes of ENDS) {
        const expires = new Date(moment + minutes * MINUTE_MS)
        await adapter.createSession({ sessionToken: `${minutes}`, userId: 'u', expires })
      }
      now = moment
      const connection = mysql.createPool(server.url)
      connection.pool.on('connection', (made) => made.query(`set timestamp = ${now / 1000}`))
      Date.now = () => moment
      const { sessions, hints } = await sqlAdapter(connection).deleteExpired({ batch: 2 })
      Date.now = realNow
      await connection.end()
      const [rows] = await pool.query('select sessionToken as token from sessions')
      const left = (rows as { token: string }[]).map(({ token }) => Number(token)).sort((a, b) => a - b)
      expect(left).to.deep.equal(ENDS.filter((minutes) => minutes > -5))
      expect(sessions).to.equal(3)
      expect(hints.filter((hint) => /clock/.test(hint))).to.deep.equal([])
    })
  }
})
