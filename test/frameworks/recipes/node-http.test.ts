import { expect } from 'chai'
import { expressAuth, getSession } from '../../../lib/index.js'
import { ADA, listen, type Running, testConfig } from '../../support/app.js'

describe('the recipe for node:http', () => {
  const config = testConfig({ basePath: '/auth' })
  const auth = expressAuth(config)
  let app: Running

  before(async () => {
    app = await listen((req, res) => {
      const fail = () => {
        res.writeHead(500).end()
      }
      const show = async () => {
        const session = await getSession(req, config)
        res.end(JSON.stringify({ user: session?.user ?? null }))
      }
      auth(req, res, (error?: unknown) => (error ? fail() : show().catch(fail)))
    })
  })
  after(() => app.close())

  it('serves the mount, and leaves other paths to the application', async () => {
    const visitor = app.visitor()
    expect((await visitor.get('/auth/signin')).text).to.include(`${app.origin}/auth/callback/credentials`)
    expect((await visitor.get('/notes')).json()).to.deep.equal({ user: null })
  })

  it('signs in, and reads the session', async () => {
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    expect((await visitor.get('/notes')).json().user).to.include({ name: 'Ada' })
  })
})
