import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import type { Pool } from 'pg'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { connect, hasRedisPrograms, REDIS_URL, skipSuite, startCluster } from '../adapters/redis/servers.js'
import { ENGINES, postgres, sqlite, type TestDatabase } from '../adapters/sql/databases.js'
import { latchkey, latchkeyProcess } from '../support/command-line.js'

const HOUR_MS = 60 * 60 * 1000

/** Three sessions and a link that are over, and one of each that is not. */
async function fill(database: TestDatabase): Promise<void> {
  await migrateToLatest(database.connection)
  const adapter = sqlAdapter(database.connection)
  await adapter.createUser({ id: 'ada', email: 'ada@example.com', emailVerified: null })
  for (const [index, hours] of [-3, -2, -1, 1].entries()) {
    const expires = new Date(Date.now() + hours * HOUR_MS)
    await adapter.createSession({ sessionToken: `s${index}`, userId: 'ada', expires })
    if (index > 1) await adapter.createVerificationToken({ identifier: 'ada@example.com', token: `t${index}`, expires })
  }
  await adapter.close()
}

const left = async (database: TestDatabase) =>
  (await database.run('select expires from sessions')).length +
  (await database.run('select expires from verification_token')).length

const PRUNED = ['sessions', 'verification_token', 'token_sessions', 'latchkey_records']

/** Makes somebody on a server who has these rights and no others, as SQL. */
const RESTRICTED = {
  PostgreSQL: (name: string, rights: string, tables: readonly string[]) => [
    `create role ${name} login`,
    `grant ${rights} on ${tables.join(', ')} to ${name}`,
  ],
  MariaDB: (name: string, rights: string, tables: readonly string[]) => [
    `create user ${name}@'127.0.0.1'`,
    ...tables.map((table) => `grant ${rights} on ${table} to ${name}@'127.0.0.1'`),
  ],
} as const

for (const engine of ENGINES) {
  if (engine.name === 'SQLite') continue
  const grant = RESTRICTED[engine.name]
  describe(`latchkey prune as a user with few rights, on ${engine.name}`, () => {
    let database: TestDatabase
    const users: string[] = []
    before(async function () {
      await engine.requireServer.call(this)
      database = await engine.create()
      await fill(database)
    })
    after(async () => {
      for (const name of users) {
        if (engine.name === 'PostgreSQL') await database.run(`drop owned by ${name}`)
        await database.run(`drop ${engine.name === 'PostgreSQL' ? `role ${name}` : `user ${name}@'127.0.0.1'`}`)
      }
      await database?.drop()
    })

    const urlWith = async (rights: string, tables: readonly string[] = PRUNED) => {
      const name = `prune_${randomBytes(4).toString('hex')}`
      for (const statement of grant(name, rights, tables)) await database.run(statement)
      users.push(name)
      const url = new URL(database.url)
      url.username = name
      return url.href
    }

    it('says before and after that a right is missing, and deletes nothing', async () => {
      const lacking = engine.name === 'PostgreSQL' ? ['select', 'select, delete'] : ['select']
      for (const rights of lacking) {
        const url = await urlWith(rights)
        const dry = await latchkey(['prune', '--database', url, '--dry-run'])
        expect(dry.code, rights).to.equal(0)
        expect(dry.output).to.match(/Would delete 3 sessions and 1 /)
        expect(dry.complaint, rights).to.match(/sessions could not be deleted: .*denied/)
        const done = await latchkey(['prune', '--database', url])
        expect(done.code, rights).to.equal(1)
        expect(done.complaint).to.match(/denied.*\n*.*`select`, `delete` and, on PostgreSQL, `update`/)
      }
      expect(await left(database)).to.equal(6)
    })

    it('does its work with the rights that the guide names, and no others', async () => {
      const rights = engine.name === 'PostgreSQL' ? 'select, delete, update' : 'select, delete'
      const url = await urlWith(rights)
      expect(await latchkey(['prune', '--database', url, '--dry-run'])).to.include({ code: 0, complaint: '' })
      expect(await left(database)).to.equal(6)
      expect(await latchkey(['prune', '--database', url])).to.include({ code: 0, complaint: '' })
      expect(await left(database)).to.equal(2)
    })

    it('prunes the other tables for a user who has no right on the table of token sessions', async () => {
      const adapter = sqlAdapter(database.connection)
      const expires = new Date(Date.now() - HOUR_MS)
      await adapter.createSession({ sessionToken: 'over', userId: 'ada', expires })
      await adapter.close()
      const rights = engine.name === 'PostgreSQL' ? 'select, delete, update' : 'select, delete'
      const url = await urlWith(rights, PRUNED.slice(0, 2))
      const { code, complaint } = await latchkey(['prune', '--database', url])
      expect(await left(database)).to.equal(2)
      // MariaDB does not show such a table to its users.
      expect(code).to.equal(engine.name === 'PostgreSQL' ? 1 : 0)
      if (code === 1) expect(complaint).to.match(/denied.*token_sessions.* deleted 1 session and 0 links/)
    })
  })
}

describe('latchkey prune', () => {
  it('tells how it is used, and that it is there', async () => {
    expect((await latchkey(['--help'])).output).to.match(/^ {2}prune /m)
    const help = await latchkey(['prune', '--help'])
    expect(help).to.include({ code: 0, complaint: '' })
    expect(help.output).to.match(/--database[\s\S]*--redis[\s\S]*--dry-run/)
  })

  it('refuses command lines that make no sense, and says how it is used', async () => {
    const senseless = [
      ['prune'],
      ['prune', 'sessions', '--database', 'x.db'],
      ['prune', '--database', 'x.db', '--dryrun'],
      ['prune', '--database', 'x.db', '--table', 'people=x'],
      ['prune', '--database', 'x.db', '--table', 'sessions=a=b'],
      ...['0', '10001', '1e3', 'all', ''].map((batch) => ['prune', '--database', 'x.db', '--batch', batch]),
      ['prune', '--database', 'x.db', '--timeout', '0'],
    ]
    for (const words of senseless) {
      const outcome = await latchkey(words)
      expect(outcome, words.join(' ')).to.include({ code: 2, output: '' })
      expect(outcome.complaint).to.match(/Usage: latchkey prune/)
    }
    expect(existsSync('x.db')).to.equal(false)
  })

  it('repeats nothing of a location of Redis that is almost a URL', async () => {
    for (const location of [
      'redis://default:12/s3cr3t@127.0.0.1:1',
      'redis://default:77#s3cr3t@127.0.0.1:1',
      'redis://s3cr3t@127.0.0.1:1',
      'redis:s3cr3t@127.0.0.1:1',
      'REDIS_URL=redis://default:s3cr3t@127.0.0.1:1',
      's3cr3t@127.0.0.1:1',
      's3cr3t',
    ]) {
      const { code, output, complaint } = await latchkey(['prune', '--redis', location])
      expect(output + complaint, location).not.to.include('s3cr3t')
      expect(code, location).to.equal(1)
    }
  })

  it('makes no SQLite file', async () => {
    const database = await sqlite.create()
    const outcome = await latchkey(['prune', '--database', `${database.url}.absent`])
    expect(outcome).to.include({ code: 1 })
    expect(outcome.complaint).to.match(/There is no file/)
    expect(existsSync(`${database.url}.absent`)).to.equal(false)
    await database.drop()
  })

  it('takes other table names, and fails when there is no such table', async () => {
    const database = await sqlite.create()
    await fill(database)
    await database.run('alter table sessions rename to "Session"')
    const at = ['prune', '--database', database.url, '--table']
    expect((await latchkey([...at, 'sessions=Sesion'])).complaint).to.match(/no table "Sesion"/)
    expect((await latchkey([...at, 'sessions=Session'])).output).to.match(/Deleted 3 sessions and 1 link\.\n$/)
    const adapter = sqlAdapter(database.connection)
    const expires = new Date(Date.now() - HOUR_MS)
    await adapter.createTokenSession({ id: 'a', userId: 'ada', expires, revokedAt: null, tokenIssuedAt: null })
    await database.run('alter table token_sessions rename to "Revocable"')
    const both = [...at, 'sessions=Session', '--table', 'tokenSessions=Revocable']
    expect((await latchkey(both)).output).to.match(/Deleted 1 session and 0 links\.\n$/)
    await database.drop()
  })

  it('says what it left, and what makes it faster', async () => {
    const database = await sqlite.create()
    await fill(database)
    await database.run('drop index sessions_expires_idx')
    await database.run(`update sessions set expires = 'soon' where "sessionToken" = 's0'`)
    const outcome = await latchkey(['prune', '--database', database.url])
    expect(outcome.output).to.match(/Deleted 2 sessions and 1 link/)
    expect(outcome.complaint).to.match(/^1 row is left, since [\s\S]*no index on sessions \(expires\)/)
    expect(outcome.code).to.equal(0)
    await database.drop()
  })

  it('gives up when a store does not answer, and the process ends', async function () {
    this.timeout(120_000)
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const host = `ada:p4ssw0rd@127.0.0.1:${(silent.address() as AddressInfo).port}`
    const urls = [`postgres://${host}/app`, `mysql://${host}/app`]
    const outcomes = await Promise.all([
      ...urls.map((url) => latchkeyProcess(['prune', '--timeout', '1', '--database', url])),
      latchkeyProcess(['prune', '--timeout', '1', '--redis', `redis://${host}`]),
    ])
    for (const { code, output, complaint } of outcomes) {
      expect({ code, complaint }).to.deep.equal({
        code: 1,
        complaint: 'The store has not answered for 1 s. What was deleted until then stays deleted.\n',
      })
      expect(output).not.to.include('p4ssw0rd')
    }
    silent.close()
  })

  it('names the fix when a store cannot be reached, never prints a password, and goes on with the other store', async () => {
    const database = await sqlite.create()
    await fill(database)
    const outcome = await latchkey([
      'prune',
      '--database',
      database.url,
      '--redis',
      'redis://ada:p%40ssw0rd@127.0.0.1:1',
    ])
    expect(outcome.code).to.equal(1)
    expect(outcome.output).to.match(/Deleted 3 sessions/)
    expect(outcome.complaint).to.match(/ECONNREFUSED[\s\S]*is the server running/)
    const faults = [
      ['--redis', 'postgres://ada:p%40ssw0rd@127.0.0.1:1', /must begin with redis:/],
      ['--redis', 'redis://ada:p%40ssw0rd@[', /must begin with redis:/],
      ['--database', 'redis://ada:p%40ssw0rd@127.0.0.1:1', /must begin with postgres:/],
      ['--database', 'postgres://ada:p%40ssw0rd@127.0.0.1:1/app', /is the server running/],
    ] as const
    for (const [option, url, expected] of faults) {
      const { code, output, complaint } = await latchkey(['prune', option, url])
      expect(code).to.equal(1)
      expect(complaint).to.match(expected)
      expect(output + complaint).not.to.match(/ssw0rd/)
    }
    await database.drop()
  })
})

for (const engine of ENGINES) {
  describe(`latchkey prune on ${engine.name}`, () => {
    before(engine.requireServer)

    it('counts, deletes, and says so; two at once do no harm', async function () {
      this.timeout(120_000)
      const database = await engine.create()
      await fill(database)
      const at = ['--database', database.url]
      const dry = await latchkey(['prune', '--dry-run', ...at])
      expect(dry.output).to.match(/^Database: .*\nWould delete 3 sessions and 1 link\.\n$/)
      expect(await left(database)).to.equal(6)
      const outcomes = await Promise.all([
        latchkeyProcess(['prune', ...at, '--batch', '1']),
        latchkeyProcess(['prune'], { DATABASE_URL: database.url }),
      ])
      for (const outcome of outcomes) {
        expect(outcome).to.include({ code: 0, complaint: '' })
        // A run that takes long prints how far it is.
        const lines = outcome.output.replace(/^ {2}.* so far\n/gm, '')
        expect(lines).to.match(/^Database: .*\n(?:Deleted .*|Nothing has expired\.)\n$/)
      }
      expect(await left(database)).to.equal(2)
      expect((await latchkey(['prune', ...at])).output).to.match(/\nNothing has expired\.\n$/)
      await database.drop()
    })
  })
}

describe('latchkey prune on PostgreSQL', () => {
  before(postgres.requireServer)

  it('waits for a locked table as long as the option says, and then says in sentences what went wrong', async function () {
    this.timeout(120_000)
    const database = await postgres.create()
    await fill(database)
    const client = await (database.connection as Pool).connect()
    await client.query('begin; lock table sessions in access exclusive mode')
    const words = ['prune', '--database', database.url]
    const began = Date.now()
    expect((await latchkey([...words, '--timeout', '1'])).complaint).to.equal(
      'The store has not answered for 1 s. What was deleted until then stays deleted.\n',
    )
    expect(Date.now() - began).to.be.below(3000)
    const pruned = latchkey(words)
    await new Promise((resolve) => setTimeout(resolve, 6000))
    await client.query('rollback')
    client.release()
    expect((await pruned).complaint).to.equal('')
    // The one that gave up may have been done once the table was free.
    expect(await left(database)).to.equal(2)
    await database.run(
      'create function refuse() returns trigger language plpgsql as $$ begin raise exception $q$no$q$; end $$',
    )
    await database.run('create trigger refuse before delete on sessions for each row execute function refuse()')
    await database.run("update sessions set expires = now() - interval '1 day'")
    expect((await latchkey(words)).complaint).to.equal(
      'deleteExpired: no. Until then it had deleted 0 sessions and 0 links.\n',
    )
    await database.drop()
  })
})

describe('latchkey prune on Redis', () => {
  it('takes what a deletion that broke off had left, below its prefix', async function () {
    const client = await connect(REDIS_URL)
    if (!client) return skipSuite(this, `no Redis answers at ${REDIS_URL}`)
    const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
    await client.set(`${prefix}email:ada%40example.com`, 'nonce:gone')
    const words = ['prune', '--redis', REDIS_URL, '--prefix', prefix]
    expect(await latchkey([...words, '--dry-run'])).to.deep.equal({
      code: 0,
      output: `Redis: ${REDIS_URL}\nWould delete 0 sessions, 0 links, and 1 leftover.\n`,
      complaint: '',
    })
    expect((await latchkey(words)).output).to.match(/Deleted 0 sessions, 0 links, and 1 leftover/)
    expect(await client.exists(`${prefix}email:ada%40example.com`)).to.equal(0)
    expect((await latchkey(words)).output).to.match(/Nothing has expired/)
    client.destroy()
  })

  it('takes no node of a cluster for all of it where its user may not ask for the others', async function () {
    this.timeout(120_000)
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    const cluster = await startCluster()
    try {
      for (const { url } of cluster.nodes) {
        const node = await connect(url)
        await node?.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>p4ssw0rd', '~*', '+@all', '-cluster'])
        for (let index = 0; index < 30; index++) {
          await node?.set(`latchkey:email:ada${index}`, 'nonce:gone').catch(() => undefined)
        }
        node?.destroy()
      }
      const url = cluster.nodes[0]?.url.replace('//', '//app:p4ssw0rd@') ?? ''
      const { output, complaint, code } = await latchkey(['prune', '--redis', url])
      expect(complaint).to.match(/NOPERM.*\n.*add "\+cluster\|slots" to its ACL\.\n$/)
      expect(output + complaint).not.to.match(/Deleted|p4ssw0rd/)
      expect(code).to.equal(1)
    } finally {
      await cluster.stop()
    }
  })

  it('finds the other nodes of a cluster', async function () {
    this.timeout(120_000)
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    const cluster = await startCluster()
    try {
      for (const { url } of cluster.nodes) {
        const node = await connect(url)
        // Each node takes those of the keys that are in its slots.
        for (let index = 0; index < 30; index++) {
          await node?.set(`latchkey:email:ada${index}`, 'nonce:gone').catch(() => undefined)
        }
        node?.destroy()
      }
      const { output, code } = await latchkey(['prune', '--redis', cluster.nodes[0]?.url ?? ''])
      expect(output).to.match(/Deleted 0 sessions, 0 links, and 30 leftovers/)
      expect(code).to.equal(0)
    } finally {
      await cluster.stop()
    }
  })
})
