import { expect } from 'chai'
import type { RunningExample } from '../../support/run-example.js'
import type { Visitor } from '../../support/visitor.js'
import { complaintsOfCompiler, moved, startApp } from './apps.js'

const ADA = { username: 'ada', password: 'analytical engine' }
const ENV = {
  AUTH_SECRET: 'a secret that is long enough for anything',
  AUTH_GITHUB_ID: 'the-id',
  AUTH_GITHUB_SECRET: 'the-secret',
}

describe('examples/migrating/auth-express', function () {
  this.timeout(120_000)
  let ada: Visitor
  let app: RunningExample

  before(async () => {
    const before = await startApp('auth-express', 'before', ENV)
    ada = before.visitor()
    await ada.signIn(ADA)
    expect((await ada.get('/private')).json()).to.deep.equal({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      role: 'writer',
    })
    expect((await ada.get('/claims')).json()).to.deep.equal({ sub: '1815', role: 'writer' })
    await before.stop()
    app = await startApp('auth-express', 'after', ENV)
  })
  after(() => app?.stop())

  it('compiles on both sides', () => {
    expect(complaintsOfCompiler('auth-express')).to.equal('')
  })

  it('keeps visitors signed in, with the members that callbacks have added', async () => {
    const visitor = moved(ada, app)
    const { id, ...user } = (await visitor.get('/private')).json()
    expect(user).to.deep.equal({ name: 'Ada Lovelace', email: 'ada@example.com', role: 'writer' })
    expect(id, 'Latchkey gives routes the id, too').to.equal('1815')
    expect((await visitor.get('/claims')).json()).to.deep.equal({ sub: '1815', role: 'writer' })
  })

  it('signs out a session of the old application', async () => {
    const visitor = moved(ada, app)
    await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
    expect((await visitor.get('/private')).status).to.equal(401)
  })

  it('signs in as before', async () => {
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    expect((await visitor.get('/private')).json()).to.include({ role: 'writer' })
    const started = await visitor.post('/auth/signin/github', { csrfToken: await visitor.csrfToken() })
    expect(started.location?.searchParams.get('redirect_uri')).to.equal(`${app.url}/auth/callback/github`)
  })
})
