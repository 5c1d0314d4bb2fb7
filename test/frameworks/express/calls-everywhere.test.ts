import { expect } from 'chai'
import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import {
  type AuthConfig,
  defineAuth,
  expressAuth,
  getSession,
  InvalidConfiguration,
  type MiddlewareRequest,
  type MiddlewareResponse,
  type NextFunction,
  signInUrl,
  signOut,
  startSignIn,
} from '../../../lib/index.js'
import { ADA, listen, type Running, testConfig } from '../../support/app.js'
import { ownForm } from '../../support/calling-app.js'
import { failureOf } from '../../support/failure.js'
import { untyped } from '../../support/untyped.js'

/** What reads forms in no framework: the fields stand in the query. */
const fieldsOf = ({ url = '' }: MiddlewareRequest) => Object.fromEntries(new URL(url, 'http://x').searchParams)

describe('sign-ins and sign-outs in routes of every framework', () => {
  let app: Running
  afterEach(() => app?.close())

  /** The calls, as a middleware that no framework has changed: at `/in`, `/out` and `/link`. */
  const callsOf = (config: AuthConfig) => (req: MiddlewareRequest, res: MiddlewareResponse, next: NextFunction) => {
    const answer = async () => {
      const path = (req.originalUrl ?? req.url ?? '').split('?', 1)[0]
      if (path === '/in')
        await startSignIn(req, res, config, 'credentials', { fields: fieldsOf(req), redirectTo: '/p' })
      else if (path === '/out') await signOut(req, res, config, { redirectTo: '/bye' })
      else if (path === '/link') res.end(await signInUrl(req, config))
      else res.end(JSON.stringify(await getSession(req, config)))
    }
    answer().catch(next)
  }
  const servers: Readonly<Record<string, (config: AuthConfig) => Promise<Running>>> = {
    'Express 5': (config) => listen(express().use('/auth', expressAuth(config)).use(callsOf(config))),
    'Express 4': (config) => listen(express4().use('/auth', expressAuth(config)).use(callsOf(config))),
    Connect: (config) => listen(connect().use('/auth', expressAuth(config)).use(callsOf(config))),
    'node:http': (config) => listen((req, res) => callsOf(config)(req, res, () => res.writeHead(500).end())),
  }

  for (const [name, start] of Object.entries(servers)) {
    it(`signs in and out: ${name}`, async () => {
      app = await start(testConfig())
      const ada = app.visitor()
      const own = ownForm(app.origin)
      const signedIn = await ada.post(`/in?${new URLSearchParams(ADA)}`, {}, own)
      expect([signedIn.status, signedIn.location?.pathname]).to.deep.equal([302, '/p'])
      expect((await ada.get('/whoami')).json().user.name).to.equal('Ada')
      const link = encodeURIComponent(`${app.origin}/link`)
      expect((await ada.get('/link')).text).to.equal(`${app.origin}/auth/signin?callbackUrl=${link}`)
      expect((await ada.post('/out', {}, own)).location?.pathname).to.equal('/bye')
      expect((await ada.get('/whoami')).json()).to.equal(null)
    })
  }

  it('signs in and out with defineAuth, and with a configuration for each tenant', async () => {
    const tenants = new Map(['one', 'two'].map((id) => [id, testConfig({ instance: id })]))
    const auth = defineAuth((req) => tenants.get(String(req.headers['x-tenant'])) ?? testConfig())
    app = await listen(
      express()
        .post('/in', async (req, res) => auth.startSignIn(req, res, 'credentials', { fields: ADA }))
        .post('/out', async (req, res) => auth.signOut(req, res, { redirectTo: '/' }))
        .get('/link', async (req, res) => void res.send(await auth.signInUrl(req, { redirectTo: '/x' })))
        .get('/whoami', async (req, res) => void res.json(await auth.getSession(req))),
    )
    const ada = app.visitor()
    const own = { ...ownForm(app.origin), 'x-tenant': 'one' }
    await ada.post('/in', {}, own)
    const whoIsAt = async (tenant: string) => (await ada.get('/whoami', { 'x-tenant': tenant })).json()
    expect([(await whoIsAt('one'))?.user.name, await whoIsAt('two')]).to.deep.equal(['Ada', null])
    expect((await ada.get('/link', own)).text).to.include('callbackUrl=')
    // The other tenant ends no session of this one: its own copy of the cookie stays good.
    const copy = ada.copy()
    await ada.post('/out', {}, { ...own, 'x-tenant': 'two' })
    expect((await copy.get('/whoami', { 'x-tenant': 'one' })).json().user.name).to.equal('Ada')
  })

  it('refuses options that there are not, and values that the application has mistaken', async () => {
    const config = testConfig()
    const failures: Error[] = []
    app = await listen(
      express().use(async (req, res) => {
        const wrong = [{ redirect: '/' }, { fromAnywhere: 'yes' }, { callbackUrl: '/' }, '/', null]
        for (const options of wrong) {
          failures.push(await failureOf(startSignIn(req, res, config, 'credentials', untyped(options))))
        }
        for (const options of [{ fromAnywhere: true }, '/']) {
          failures.push(await failureOf(signOut(req, res, config, untyped(options))))
          failures.push(await failureOf(signInUrl(req, config, untyped(options))))
        }
        res.end()
      }),
    )
    await app.visitor().post('/', {}, ownForm(app.origin))
    expect(failures).to.have.length(9)
    for (const failure of failures) expect(failure).to.be.instanceOf(InvalidConfiguration)
  })
})
