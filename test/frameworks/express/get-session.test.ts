import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, expressAuth, getSession } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, SECRET, startApp, testConfig } from '../../support/app.js'
import { sendRaw } from '../../support/raw-http.js'

/** Counts how often the session is read. */
function counting(more: Partial<AuthConfig> = {}) {
  const count = { jwt: 0, event: 0 }
  const config = testConfig({
    callbacks: {
      jwt: ({ token, trigger }) => {
        if (!trigger) count.jwt += 1
        return token
      },
    },
    events: {
      session: () => {
        count.event += 1
      },
    },
    ...more,
  })
  return { config, count }
}

describe('getSession', () => {
  let app: Running
  afterEach(() => app.close())

  it('reads the session once per request, however often it is asked for', async () => {
    const { config, count } = counting()
    app = await startApp(config, (server) => {
      server.get('/', async (req, res) => {
        const sessions = await Promise.all([getSession(req, config), getSession(req, config)])
        res.json([...sessions, await getSession(req, config)].map((session) => session?.user?.name))
      })
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    expect((await ada.get('/')).json()).to.deep.equal(['Ada', 'Ada', 'Ada'])
    expect(count).to.deep.equal({ jwt: 1, event: 1 })
    await ada.get('/')
    expect(count.jwt).to.equal(2)
  })

  it('reads only: no cookie is set, no caching rule is changed, even when the session is due', async () => {
    const config = testConfig({ session: { updateAge: 0 } })
    app = await startApp(config, (server) => {
      server.get('/', async (req, res) => void res.json(await getSession(req, config)))
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    const answer = await ada.get('/')
    expect(answer.json().user.name).to.equal('Ada')
    expect(answer.setCookie).to.deep.equal([])
    expect(answer.headers.has('cache-control')).to.equal(false)
  })

  it('keeps two instances apart in one request', async () => {
    const other = testConfig({ cookies: { sessionToken: { name: 'other' } } })
    const config = testConfig()
    app = await startApp(config, (server) => {
      server.get('/', async (req, res) => void res.json([await getSession(req, config), await getSession(req, other)]))
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    const [mine, others] = (await ada.get('/')).json()
    expect(mine.user.name).to.equal('Ada')
    expect(others).to.equal(null)
  })

  it('gives null for cookies that are no session, and never throws for them', async () => {
    const config = testConfig()
    app = await startApp(config, (server) => {
      server.get('/', async (req, res) => void res.json(await getSession(req, config)))
    })
    const values = ['', 'x', 'a.b.c.d.e', '%', '%00', '"quoted"', `${'A'.repeat(9000)}`, 'eyJhbGciOiJub25lIn0..a.b.c']
    for (const value of values) {
      const answer = await sendRaw(app.origin, '/', { headers: { cookie: `authjs.session-token=${value}` } })
      expect([answer.status, answer.body], value.slice(0, 20)).to.deep.equal([200, 'null'])
    }
  })

  it('takes a function of the request, and works before any sign-in route was asked for', async () => {
    const config = testConfig()
    const server = express().set('env', 'test')
    server.use('/auth', expressAuth(testConfig()))
    server.get('/', async (req, res) => void res.json(await getSession(req, async () => config)))
    app = await listen(server)
    const ada = app.visitor()
    expect((await ada.get('/')).json()).to.equal(null)
    await ada.signIn(ADA)
    expect((await ada.get('/')).json().user.name).to.equal('Ada')
  })

  it('throws when the session cannot be read: a fault is never "signed out" (SESS-15)', async () => {
    const broken: AuthConfig[] = [
      testConfig({ callbacks: { jwt: () => Promise.reject(new Error('the store is down')) } }),
      testConfig({ callbacks: { session: () => Promise.reject(new Error('the store is down')) } }),
      testConfig({ jwt: { decode: () => Promise.reject(new Error('no key server')) } }),
      { providers: [], secret: '', logger: createLog().logger },
      { providers: [{} as never], secret: SECRET, logger: createLog().logger },
    ]
    for (const [index, config] of broken.entries()) {
      app = await startApp(testConfig(), (server) => {
        server.get('/', async (req, res) => {
          const outcome = await getSession(req, config).catch((error: Error) => `threw ${error.name}`)
          res.json(outcome)
        })
      })
      const ada = app.visitor()
      await ada.signIn(ADA)
      expect((await ada.get('/')).json(), `configuration ${index}`).to.match(/^threw /)
      await app.close()
    }
  })
})
