import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, authSession, expressAuth, listSessions, revokeSession } from '../../../lib/index.js'
import { ADA, createLog, listen, type Running, testConfig } from '../../support/app.js'
import { type CallingOptions, follow, OWN_LINK, ownForm, startCallingApp } from '../../support/calling-app.js'
import { SESSION } from '../../support/test-app.js'

describe('signOut', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (more: Partial<AuthConfig> = {}, options: CallingOptions = {}) => {
    app = await startCallingApp(testConfig(more), options)
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    expect((await visitor.session())?.user.name).to.equal('Ada')
    return visitor
  }

  it('ends the session for every copy of the cookie, tells the application, and redirects', async () => {
    const ended: unknown[] = []
    const visitor = await start({ events: { signOut: (message) => void ended.push(message) } })
    const thief = visitor.copy()
    const answer = await visitor.post('/logout?to=/bye', {}, ownForm(app.origin))
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, `${app.origin}/bye`])
    expect([...visitor.jar.keys()]).to.deep.equal(['authjs.known-browser'])
    expect([await visitor.session(), await thief.session()]).to.deep.equal([null, null])
    expect(ended).to.have.length(1)
  })

  it('deletes the row of a stored session', async () => {
    const adapter = memoryAdapter()
    adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const visitor = await start({ adapter })
    const thief = visitor.copy()
    await visitor.post('/logout?to=/bye', {}, ownForm(app.origin))
    expect(await thief.session()).to.equal(null)
  })

  it('lets the route answer, in which nobody is signed in any more', async () => {
    const visitor = await start()
    const answer = await visitor.post('/logout-quietly', {}, ownForm(app.origin))
    expect([answer.status, answer.json()]).to.deep.equal([200, { session: null, locals: null }])
    expect(answer.headers.get('cache-control')).to.include('private')
    expect(await visitor.session()).to.equal(null)
  })

  it('is harmless when nobody is signed in', async () => {
    const visitor = await start()
    await visitor.post('/logout?to=/bye', {}, ownForm(app.origin))
    const again = await visitor.post('/logout?to=/bye', {}, ownForm(app.origin))
    expect(again.location?.pathname).to.equal('/bye')
  })

  /** An application whose session cookie changes its pieces in the request of the sign-out. */
  const resizing = (before: number, after: number) => {
    let size = before
    const config: Partial<AuthConfig> = {
      callbacks: { jwt: ({ token }) => ({ ...token, data: 'x'.repeat(size) }), session: ({ session }) => session },
    }
    const resize = () => {
      size = after
    }
    return { config, resize }
  }
  const RESIZED = [
    ['grows into pieces', 10, 6000],
    ['shrinks out of pieces', 6000, 10],
  ] as const
  for (const [name, before, after] of RESIZED) {
    it(`leaves no session in the browser if the cookie ${name} in the same request`, async () => {
      const { config, resize } = resizing(before, after)
      const visitor = await start(config)
      resize()
      const answer = await visitor.post('/logout-quietly', {}, ownForm(app.origin))
      expect(answer.json().session).to.equal(null)
      expect([...visitor.jar.keys()].filter((cookie) => cookie.includes('session-token'))).to.deep.equal([])
    })

    it(`leaves none behind authSession with the form of the mount either, if it ${name}`, async () => {
      const { config, resize } = resizing(before, after)
      const whole = testConfig(config)
      app = await listen(express().use(authSession(whole)).use('/auth', expressAuth(whole)))
      const visitor = app.visitor()
      await visitor.signIn(ADA)
      const csrfToken = await visitor.csrfToken()
      resize()
      await visitor.post('/auth/signout', { csrfToken })
      expect([...visitor.jar.keys()].filter((cookie) => cookie.includes('session-token'))).to.deep.equal([])
    })
  }

  for (const [name, before, after] of RESIZED) {
    it(`leaves none behind authSession if the route ends the session by its id, and it ${name}`, async () => {
      const { config, resize } = resizing(before, after)
      const whole = testConfig({ ...config, session: { revocation: { store: memoryAdapter() } } })
      app = await listen(
        express()
          .use(authSession(whole))
          .use('/auth', expressAuth(whole))
          .post('/end', async (req, res) => {
            const [only] = await listSessions(req, whole)
            res.json(await revokeSession(req, whole, only?.id ?? ''))
          }),
      )
      const visitor = app.visitor()
      await visitor.signIn(ADA)
      resize()
      expect((await visitor.post('/end', {}, ownForm(app.origin))).json()).to.equal(true)
      expect([...visitor.jar.keys()].filter((cookie) => cookie.includes('session-token'))).to.deep.equal([])
    })
  }

  describe('with a store that is down', () => {
    const failing = async () => {
      const adapter = memoryAdapter()
      adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      const log = createLog()
      const deleteSession = () => Promise.reject(new Error('Connection terminated'))
      const visitor = await start({ adapter: { ...adapter, deleteSession }, bearer: true, logger: log.logger })
      const bearer = { authorization: `Bearer ${visitor.jar.get(SESSION)}` }
      return { visitor, log, bearer }
    }

    it('deletes the cookies, and throws to the route that answers', async () => {
      const { visitor, log } = await failing()
      const answer = await visitor.post('/logout-quietly', {}, ownForm(app.origin))
      expect([answer.status, answer.json().type]).to.deep.equal([500, 'SignOutError'])
      expect([...visitor.jar.keys()].filter((cookie) => cookie.includes('session-token'))).to.deep.equal([])
      expect(log.errors.map(({ name }) => name)).to.include('SignOutError')
    })

    it('sends the visitor to the page that says so', async () => {
      const { visitor } = await failing()
      const headers = { ...ownForm(app.origin), 'x-auth-return-redirect': '1' }
      for (const sent of [ownForm(app.origin), headers]) {
        const answer = await visitor.copy().post('/logout?to=/bye', {}, sent)
        const url = answer.location ?? new URL(answer.json().url)
        expect([url.pathname, url.searchParams.has('error')]).to.deep.equal(['/auth/error', true])
      }
    })

    it('says so to a program, whose token is no cookie', async () => {
      for (const [path, status] of [
        ['/logout-quietly', 500],
        ['/logout?to=/bye', 503],
        ['/auth/signout', 503],
      ] as const) {
        const { bearer, log } = await failing()
        const answer = await app.visitor().post(path, {}, bearer)
        expect([answer.status, answer.setCookie], path).to.deep.equal([status, []])
        expect(answer.text).to.include('SignOut').and.not.include('asks the visitor first')
        expect(log.errors.map(({ name }) => name)).to.include('SignOutError')
        await app.close()
      }
    })
  })

  it('refuses GET, also from a page of the application: browsers fetch links ahead', async () => {
    const visitor = await start()
    for (const method of ['GET', 'HEAD']) {
      const answer = await follow(visitor, '/logout?to=/bye', OWN_LINK, method)
      expect(answer.status).to.equal(405)
    }
    expect((await visitor.session()).user.name).to.equal('Ada')
  })
})
