import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { sqlAdapter } from '../../../lib/adapters/sql.js'
import { snippets } from '../../docs/documents.js'
import { writeBlock } from '../../docs/recipes/recipe.js'
import type { RunningExample } from '../../support/run-example.js'
import type { Visitor } from '../../support/visitor.js'
import { complaintsOfCompiler, moved, startApp } from './apps.js'

const ADA = { username: 'ada', password: 'analytical engine' }
const GRACE = { username: 'grace', password: 'first compiler' }
const GUIDE = 'docs/migrating/from-passport.md'
const ACCOUNT_OF_ADA = { id: '1815', name: 'Ada Lovelace' }

describe('examples/migrating/passport', function () {
  this.timeout(120_000)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-passport-'))
  const variables = {
    AUTH_SECRET: 'a secret that is long enough for anything',
    SESSION_SECRET: 'another secret, of the old application',
    SESSION_FOLDER: folder,
  }
  let app: RunningExample
  let old: Visitor

  /** Sends a form of the application's own, as a browser sends it. */
  const send = (visitor: Visitor, path: string, fields: Record<string, string> = {}) =>
    visitor.post(path, fields, { origin: visitor.origin })
  const account = async (visitor: Visitor) => {
    const { status, text } = await visitor.get('/account')
    return status === 200 ? JSON.parse(text) : status
  }

  before(async () => {
    app = await startApp('passport', 'before', variables)
    old = app.visitor()
    expect((await send(old, '/login', ADA)).location?.pathname).to.equal('/account')
    expect(await account(old)).to.deep.equal(ACCOUNT_OF_ADA)
  })
  after(async () => {
    await app?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const moveTo = async (side: 'between' | 'after') => {
    await app.stop()
    app = await startApp('passport', side, variables)
  }

  it('compiles on all sides', () => {
    expect(complaintsOfCompiler('passport')).to.equal('')
  })

  describe('with both for a while', () => {
    before(() => moveTo('between'))

    it('keeps visitors signed in', async () => {
      expect(await account(moved(old, app))).to.deep.equal(ACCOUNT_OF_ADA)
      expect(await account(app.visitor())).to.equal(401)
    })

    it('signs in with Latchkey, also over an old session of somebody else', async () => {
      const visitor = moved(old, app)
      // A copy of the old session, as another browser.
      await send(visitor, '/login', GRACE)
      expect(await account(visitor)).to.deep.equal({ id: '1906', name: 'Grace Hopper' })
      for (const name of visitor.jar.keys()) if (name.includes('session-token')) visitor.jar.delete(name)
      expect(await account(visitor), 'the old session has ended').to.equal(401)
    })

    it('signs out of both', async () => {
      const visitor = app.visitor()
      await send(visitor, '/login', ADA)
      await send(visitor, '/logout')
      expect(await account(visitor)).to.equal(401)
    })
  })

  describe('with Latchkey alone', () => {
    before(() => moveTo('after'))

    it('asks visitors to sign in again, and finds the same user', async () => {
      const visitor = moved(old, app)
      expect(await account(visitor)).to.equal(401)
      expect((await send(visitor, '/login', ADA)).location?.pathname).to.equal('/account')
      expect(await account(visitor)).to.deep.equal(ACCOUNT_OF_ADA)
    })

    it('refuses a wrong password on the own page, and signs out', async () => {
      const visitor = app.visitor()
      const { location } = await send(visitor, '/login', { ...ADA, password: 'difference engine' })
      expect((await visitor.get(`/login${location?.search}`)).text).to.include('The name or the password is wrong.')
      await send(visitor, '/login', ADA)
      await send(visitor, '/logout')
      expect(await account(visitor)).to.equal(401)
    })
  })

  it('finds the users of a strategy after the copy of the guide, also if it runs twice', async () => {
    const file = join(folder, 'app.db')
    const people = [
      { id: '7', name: 'Ada', email: 'Ada@example.com', emailIsConfirmed: true, githubId: '1815' },
      { id: '8', name: 'Grace', email: 'grace@example.com', emailIsConfirmed: false, githubId: null },
    ]
    const snippet = snippets().find(({ path, code }) => path === GUIDE && code.includes('linkAccount'))
    const code = (snippet?.code ?? '')
      .replace(/^declare const people: .*$/m, `const people = ${JSON.stringify(people)}`)
      .replace("'app.db'", JSON.stringify(file))
    for (let runs = 0; runs < 2; runs += 1) await import(pathToFileURL(writeBlock('copy', code)).href)
    const adapter = sqlAdapter({ sqlite: file })
    const ada = await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1815' })
    expect(ada).to.include({ id: '7', email: 'ada@example.com' })
    expect(ada?.emailVerified).to.be.instanceOf(Date)
    expect(await adapter.getUserByEmail('grace@example.com')).to.include({ id: '8', emailVerified: null })
    await adapter.close()
  })
})
