import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { connect, REDIS_URL, skipSuite } from '../adapters/redis/servers.js'
import { mariadb, postgres, type TestDatabase } from '../adapters/sql/databases.js'
import { SoftAuthenticator } from '../support/authenticator.js'
import { type MailServer, startMailServer } from '../support/smtp.js'
import { Visitor } from '../support/visitor.js'
import { BUNDLERS } from './bundled/bundlers.js'
import { linkPackages, makeProject, OWN_DEPENDENCIES, type Program, startProgram } from './bundled/program.js'

const INSTALLED = [
  ...OWN_DEPENDENCIES,
  ...['express', 'nodemailer', '@simplewebauthn/server'],
  ...['kysely', 'pg', 'mysql2', 'redis', 'libsql'],
]
/** It has compiled code, so it is installed beside the bundle. */
const COMPILED = ['libsql']
/** One bundler that joins everything into one file, and one that wraps every module. */
const CHOSEN = ['esbuild', 'webpack'] as const
const STORES = ['postgres', 'mariadb', 'sqlite', 'redis']

describe('an application that is bundled together with the drivers of its stores', function () {
  // What a bundler needs depends on what else the machine does: on a busy one webpack took five minutes.
  this.timeout(900_000)

  let folder: string
  let project: string
  let mail: MailServer
  let databases: TestDatabase[] = []
  let program: Program | undefined

  before(async function () {
    for (const { requireServer } of [postgres, mariadb]) await requireServer.call(this)
    const client = await connect(REDIS_URL)
    if (!client) return skipSuite(this, `no Redis at ${REDIS_URL}`)
    await client.close()
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-stores-')))
    project = join(folder, 'project')
    await makeProject(project, INSTALLED)
    mail = await startMailServer()
  })

  beforeEach(async () => {
    databases = await Promise.all([postgres.create(), mariadb.create()])
  })

  afterEach(async () => {
    await program?.stop()
    program = undefined
    await Promise.all(databases.map((database) => database.drop()))
    const client = await connect(REDIS_URL)
    for await (const keys of client?.scanIterator({ MATCH: `${redisPrefix()}*` }) ?? []) {
      if (keys.length > 0) await client?.del(keys)
    }
    await client?.close()
  })

  after(async () => {
    await mail?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  for (const name of CHOSEN) {
    it(`signs in with a mailed link and a passkey on every store, with ${name}`, async () => {
      const alone = join(folder, name)
      const file = await BUNDLERS[name](join(project, 'stores.js'), alone, COMPILED)
      linkPackages(alone, COMPILED)
      const [postgresUrl = '', mariadbUrl = ''] = databases.map(({ url }) => url)
      program = await startProgram(alone, file, {
        MAIL_SERVER: mail.url,
        POSTGRES_URL: postgresUrl,
        MARIADB_URL: mariadbUrl,
        SQLITE_FILE: join(alone, 'auth.db'),
        REDIS_URL,
        REDIS_PREFIX: redisPrefix(),
      })
      for (const store of STORES) {
        await signInWithMail(store, program)
        await signInWithPasskey(store, program)
      }
      expect(program.log()).to.not.include('[error]')
      for (const database of databases) {
        expect(await database.run('select email from users order by email')).to.have.length(2)
      }
    })
  }

  const redisPrefix = () => `latchkey-bundled-${process.pid}:`

  async function signInWithMail(store: string, { origin, log }: Program) {
    const visitor = new Visitor(origin)
    const email = `${store}@example.com`
    const csrfToken = await visitor.csrfToken(`/${store}/auth`)
    await visitor.post(`/${store}/auth/signin/nodemailer`, { csrfToken, email })
    const [link = ''] = /http:\/\/localhost\S+/.exec(mail.delivered.at(-1)?.mail.text ?? '') ?? []
    expect(link, log()).to.include(`/${store}/auth/callback/nodemailer`)
    await visitor.get(new URL(link).pathname + new URL(link).search)
    expect((await visitor.get(`/${store}/private`)).json().user, log()).to.include({ email })
  }

  async function signInWithPasskey(store: string, { origin, log }: Program) {
    const device = new SoftAuthenticator(origin)
    const email = `${store}-passkey@example.com`
    for (const action of ['register', 'authenticate'] as const) {
      const visitor = new Visitor(origin)
      const query = new URLSearchParams({ action, email })
      const { options } = (await visitor.get(`/${store}/auth/webauthn-options/passkey?${query}`)).json()
      expect(options, log()).to.be.an('object')
      await visitor.post(`/${store}/auth/callback/passkey`, { action, data: device[action](options) })
      expect((await visitor.get(`/${store}/private`)).json().user, log()).to.include({ email })
    }
  }
})
