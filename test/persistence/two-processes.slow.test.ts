import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { connect, REDIS_URL, skipSuite } from '../adapters/redis/servers.js'
import { postgres, type TestDatabase } from '../adapters/sql/databases.js'
import { type ChildApp, startChild } from '../support/child-app.js'
import { newPerson } from '../support/sign-ins.js'
import { Visitor } from '../support/visitor.js'

describe('two processes of an application, over one PostgreSQL and one Redis', () => {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  const apps: ChildApp[] = []
  let database: TestDatabase | undefined
  let redis: Awaited<ReturnType<typeof connect>>
  let origins: string[] = []

  before(async function () {
    await postgres.requireServer.call(this)
    redis = await connect(REDIS_URL)
    if (!redis) skipSuite(this, `no Redis at ${REDIS_URL}`)
    database = await postgres.create()
    await migrateToLatest(database.connection)
    const variables = { POSTGRES_URL: database.url, REDIS_URL, REDIS_PREFIX: prefix }
    const start = async () => {
      const app = await startChild('store-app.ts', variables)
      apps.push(app)
      return app.origin
    }
    origins = await Promise.all([start(), start()])
  })

  after(async () => {
    await Promise.all(apps.map((app) => app.stop()))
    await database?.drop()
    if (!redis) return
    for await (const keys of redis.scanIterator({ MATCH: `${prefix}*` })) if (keys.length > 0) await redis.unlink(keys)
    redis.destroy()
  })

  /** One browser, whose requests a load balancer sends here or there. */
  const balanced = () => {
    const [one = '', other = ''] = origins
    const here = new Visitor(one)
    const there = new Visitor(other)
    Object.assign(there, { jar: here.jar })
    return { here, there }
  }

  const signedIn = async () => {
    const { email } = newPerson()
    const browser = balanced()
    await browser.here.signIn({ email: email ?? '' })
    return { ...browser, email }
  }

  it('run in processes of their own', () => {
    expect(new Set([process.pid, ...apps.map((app) => app.process.pid)]).size).to.equal(3)
    expect(new Set(origins).size).to.equal(2)
  })

  it('read in one the session that was made in the other', async () => {
    const { here, there, email } = await signedIn()
    expect((await here.session()).user.email).to.equal(email)
    expect((await there.session()).user.email).to.equal(email)
    expect((await there.get('/private')).text).to.equal(`Hello ${email}`)
  })

  it('end in both, at the next request, what one of them ended', async () => {
    const { here, there, email } = await signedIn()
    const copy = balanced()
    for (const [name, value] of here.jar) copy.here.jar.set(name, value)
    expect((await copy.here.get('/private')).text).to.equal(`Hello ${email}`)
    // The form comes from one process, and is sent to the other.
    await there.post('/auth/signout', { csrfToken: await here.csrfToken() })
    const answers = await Promise.all([copy.here, copy.there].map((visitor) => visitor.get('/private')))
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 401])
    expect(await copy.here.session()).to.equal(null)
  })

  it('SESS-07 end the sessions of a user who is deleted, at the next request', async () => {
    const { here, there, email } = await signedIn()
    if (!database) throw new Error('no database')
    const users = sqlAdapter(database.connection)
    await users.deleteUser((await users.getUserByEmail(email ?? ''))?.id ?? '')
    expect([(await here.get('/private')).status, (await there.get('/private')).status]).to.deep.equal([401, 401])
  })
})
