import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ENGINES, postgres, postgresServer, sqlite } from '../adapters/sql/databases.js'
import { latchkey, latchkeyProcess } from '../support/command-line.js'

describe('the program latchkey', () => {
  it('ends by itself, with the exit code of its command', async function () {
    this.timeout(120_000)
    const database = await sqlite.create()
    const [done, senseless, failed] = await Promise.all([
      latchkeyProcess(['migrate', 'up'], { DATABASE_URL: database.url }),
      latchkeyProcess(['migrate', 'up']),
      latchkeyProcess(['migrate', 'up', '--database', 'postgres://ada:p4ssw0rd@127.0.0.1:1/app']),
    ])
    expect(done).to.include({ code: 0, complaint: '' })
    expect(done.output).to.match(/Done: 9 migrations applied\.\n$/)
    expect(await database.run('select * from users')).to.deep.equal([])
    expect(senseless).to.include({ code: 2, output: '' })
    expect(failed).to.include({ code: 1 })
    expect(failed.output + failed.complaint).not.to.include('p4ssw0rd')
    await database.drop()
  })

  it('reads the database from a file of variables', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-env-'))
    writeFileSync(join(folder, '.env'), `DATABASE_URL=${join(folder, 'app.db')}\n`)
    for (const words of [['migrate', 'up'], ['prune']]) {
      const { code, output } = await latchkeyProcess([...words, '--env-file', join(folder, '.env')])
      expect(code, output).to.equal(0)
      expect(output).to.include('app.db')
    }
    rmSync(folder, { recursive: true })
  })

  for (const engine of ENGINES) {
    it(`makes the tables on ${engine.name}`, async function () {
      this.timeout(120_000)
      await engine.requireServer.call(this)
      const database = await engine.create()
      const { code, complaint } = await latchkeyProcess(['migrate', 'up', '--database', database.url])
      expect({ code, complaint }).to.deep.equal({ code: 0, complaint: '' })
      expect(await database.run('select * from users')).to.deep.equal([])
      await database.drop()
    })
  }
})

describe('latchkey', () => {
  it('tells how it is used', async () => {
    expect(await latchkey(['--help']))
      .to.include({ code: 0, complaint: '' })
      .and.property('output')
      .match(/migrate/)
    const help = await latchkey(['migrate', '--help'])
    expect(help)
      .to.include({ code: 0 })
      .and.property('output')
      .match(/--dry-run[\s\S]*DATABASE_URL/)
  })

  it('refuses command lines that make no sense, and says how it is used', async () => {
    const senseless = [
      [],
      ['destroy'],
      ['migrate'],
      ['migrate', 'down', '--database', 'x.db'],
      ['migrate', 'up', '--databse', 'x.db'],
      ['migrate', 'up', '--table', 'people=x', '--database', 'x.db'],
      ['migrate', 'up'],
      ['migrate', 'up', '--database', 'x.db', '--lock-timeout', '0'],
      ['migrate', 'up', '--database', 'x.db', '--lock-timeout', 'soon'],
      ['migrate', 'up', '--database', 'x.db', '--give-up-after', ''],
    ]
    for (const outcome of await Promise.all(senseless.map((words) => latchkey(words)))) {
      expect(outcome).to.include({ code: 2, output: '' })
      expect(outcome.complaint).to.match(/Usage: latchkey/)
    }
  })
})

for (const engine of ENGINES) {
  describe(`latchkey migrate on ${engine.name}`, () => {
    before(engine.requireServer)

    it('shows what it would do, does it, and says so', async () => {
      const database = await engine.create()
      const at = ['--database', database.url]

      const dry = await latchkey(['migrate', '--dry-run', ...at])
      expect(dry.output).to.match(/^-- Database: .*\n-- .*transaction.*\n-- 0001-tables\ncreate table /)
      expect(dry.output).to.match(/verification_token/)
      const before = await latchkey(['migrate', 'status', ...at])
      expect(before).to.include({ code: 3, complaint: '' })
      expect(before.output).to.match(
        /0001-tables {2}pending\n.*0002-passkey-details {2}pending\n.*0003-sign-in-time {2}pending\n.*0004-exact-keys {2}pending\n.*0005-expiry-indexes {2}pending\n.*0006-token-sessions {2}pending\n.*0007-provider-sessions {2}pending\n.*0008-records {2}pending\n.*0009-authentication {2}pending\n9 pending: run "latchkey migrate up"/,
      )

      const up = await latchkey(['migrate', 'up'], { DATABASE_URL: database.url })
      expect(up).to.include({ code: 0, complaint: '' })
      expect(up.output).to.match(
        /0001-tables\n {2}create table users \(1 of \d+, \d+\.\d s\)\n[\s\S]*Done: 9 migrations applied\.\n$/,
      )
      expect(await database.run('select * from users')).to.deep.equal([])

      const after = await latchkey(['migrate', 'status', ...at])
      expect(after).to.include({ code: 0, complaint: '' })
      expect(after.output).to.match(
        /0001-tables {2}applied 20\d\d-.*\n.*0002-passkey-details {2}applied 20\d\d-.*\n.*0003-sign-in-time {2}applied 20\d\d-.*\n.*0004-exact-keys {2}applied 20\d\d-.*\n.*0005-expiry-indexes {2}applied 20\d\d-.*\n.*0006-token-sessions {2}applied 20\d\d-.*\n.*0007-provider-sessions {2}applied 20\d\d-.*\n.*0008-records {2}applied 20\d\d-.*\n.*0009-authentication {2}applied 20\d\d-.*\nUp to date\.\n$/,
      )
      expect((await latchkey(['migrate', 'up', ...at])).output).to.match(/Nothing to do/)
      expect((await latchkey(['migrate', '--dry-run', ...at])).output).to.match(/^-- .*\n-- Nothing to do/)
      await database.drop()
    })
  })
}

describe('latchkey migrate', () => {
  it('takes other table names', async () => {
    const database = await sqlite.create()
    const names = ['--table', 'users=members', '--table', 'tokenSessions=revocable']
    await latchkey(['migrate', 'up', '--database', database.url, ...names])
    expect(await database.run('select * from members')).to.deep.equal([])
    expect(await database.run('select * from revocable')).to.deep.equal([])
    await database.drop()
  })

  it('makes no SQLite file when it only looks', async () => {
    const database = await sqlite.create()
    const outcome = await latchkey(['migrate', 'status', '--database', `${database.url}.absent`])
    expect(outcome.output).to.match(/pending/)
    expect(existsSync(`${database.url}.absent`)).to.equal(false)
    await database.drop()
  })

  it('lets no answer of a server control the terminal', async () => {
    const server = createServer((socket) => {
      // ErrorResponse (PostgreSQL documentation, "Message Formats"), with a title and a clear-screen for the terminal.
      const fields = 'SFATAL\0VFATAL\0C28000\0M\u001b]0;PWNED\u0007\u001b[2Jall good\0\0'
      const head = Buffer.alloc(5)
      head.write('E')
      head.writeInt32BE(Buffer.byteLength(fields) + 4, 1)
      socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
      socket.on('error', () => {})
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { complaint } = await latchkey([
      'migrate',
      'up',
      '--database',
      `postgres://127.0.0.1:${port}/app?sslmode=disable`,
    ])
    server.close()
    expect(complaint).to.include('PWNED')
    expect(complaint.replaceAll('\n', '')).not.to.match(/\p{Cc}/u)
  })

  it('names the fix when the database cannot be reached, and never prints a password', async () => {
    const faults = [
      ['postgres://ada:p%40ssw0rd@127.0.0.1:1/app?sslpassword=p%40ssw0rd', /ECONNREFUSED[\s\S]*is the server running/],
      ['mysql://ada:p%40ssw0rd@127.0.0.1:1/app', /ECONNREFUSED[\s\S]*is the server running/],
      ['redis://ada:p%40ssw0rd@127.0.0.1:1/app', /must begin with postgres:/],
      ['postgres://ada:p%40ssw0rd@[/app', /./],
      ['/no/such/folder/auth.db', /its folder does not exist/],
    ] as const
    for (const [url, expected] of faults) {
      const { code, output, complaint } = await latchkey(['migrate', 'up', '--database', url])
      expect(code).to.equal(1)
      expect(complaint).to.match(expected)
      expect(output + complaint).not.to.match(/ssw0rd/)
    }
  })

  for (const command of [['migrate', 'up'], ['migrate', 'status'], ['prune']]) {
    it(`refuses a location that is almost a URL, and repeats nothing of it: ${command.join(' ')}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
      const cwd = process.cwd()
      process.chdir(folder)
      try {
        for (const location of [
          'postgres://u:12/s3cr3t@127.0.0.1:1/db',
          'postgres://u:/s3cr3t@127.0.0.1:1/db',
          'postgres://u:77#s3cr3t@127.0.0.1:1/db',
          'postgres://u:77?s3cr3t@127.0.0.1:1/db',
          'postgres:/u:s3cr3t@127.0.0.1:1/db',
          'postgres:u:s3cr3t@127.0.0.1:1/db',
          'postgres://u:s3cr3t@127.0.0.1:99999/db',
          ' postgres://u:s3cr3t@127.0.0.1:1/db',
          '"postgres://u:s3cr3t@127.0.0.1:1/db"',
          'DATABASE_URL=postgres://u:s3cr3t@127.0.0.1:1/db',
          'host=127.0.0.1 password=s3cr3t dbname=x',
          's3cr3t@127.0.0.1',
          'root:s3cr3t@127.0.0.1/db',
          'file:x.db?key=s3cr3t',
          'sqlite://u:s3cr3t@x.db',
          'file:postgres://u:s3cr3t@127.0.0.1:1/db',
        ]) {
          const { code, output, complaint } = await latchkey([...command, '--database', location])
          expect(output + complaint, location).not.to.include('s3cr3t')
          expect(code, location).to.equal(1)
          // One of them can be read as a URL with a password in its query, and nothing listens at what it says.
          expect(complaint, location).to.match(/percent-encoded\.$|%23 for #|ECONNREFUSED|ENOTFOUND|EAI_AGAIN/m)
          expect(await latchkey([...command, location]), location).to.include({ code: 2 })
          expect((await latchkey([...command, location])).complaint, location).not.to.include('s3cr3t')
        }
        expect(readdirSync(folder)).to.deep.equal([])
      } finally {
        process.chdir(cwd)
        rmSync(folder, { recursive: true })
      }
    })
  }

  it('says when the database is not there', async function () {
    await postgres.requireServer.call(this)
    const { port } = await postgresServer()
    const url = `postgres://postgres:p4ssw0rd@127.0.0.1:${port}/latchkey_no_such_database`
    const { code, complaint } = await latchkey(['migrate', 'up', '--database', url])
    expect(code).to.equal(1)
    expect(complaint).to.match(/does not exist\nCreate the database first\.\n$/)
  })
})
