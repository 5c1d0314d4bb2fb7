import { expect } from 'chai'
import type { AuthConfig } from '../../../lib/index.js'
import { ADA, createLog, type Running, testConfig } from '../../support/app.js'
import { navigate, startGuarded } from '../../support/guard.js'
import { sendRaw } from '../../support/raw-http.js'

describe('the authorized callback', () => {
  let app: Running
  let ran: string[]
  const start = async (authorized: NonNullable<NonNullable<AuthConfig['callbacks']>['authorized']>, more = {}) => {
    const started = await startGuarded(testConfig({ callbacks: { authorized }, ...more }))
    app = started.app
    ran = started.ran
    return app.visitor()
  }
  afterEach(() => app.close())

  it('lets anybody in by true, and nobody by anything else but a Response', async () => {
    for (const [verdict, status] of [
      [true, 200],
      [false, 401],
      [undefined, 401],
      [null, 401],
      [1, 401],
      ['yes', 401],
      [{}, 401],
      [Promise.resolve(true), 200],
    ] as const) {
      const visitor = await start((() => verdict) as never)
      expect((await visitor.get('/private')).status, String(verdict)).to.equal(status)
      expect(ran.length, String(verdict)).to.equal(status === 200 ? 1 : 0)
      await app.close()
    }
  })

  it('may answer itself', async () => {
    const visitor = await start(() => {
      const response = new Response('pay first', { status: 402, headers: { 'x-reason': 'debts' } })
      response.headers.append('set-cookie', 'a=1')
      response.headers.append('set-cookie', 'b=2')
      return response
    })
    const answer = await navigate(visitor, '/private')
    expect([answer.status, answer.body, answer.headers.get('x-reason')]).to.deep.equal([402, 'pay first', 'debts'])
    expect(answer.setCookie).to.deep.equal(['a=1', 'b=2'])
    expect(ran).to.deep.equal([])
  })

  it('is given the session and the request as it came', async () => {
    const seen: unknown[] = []
    const visitor = await start(async ({ auth, request }) => {
      seen.push([auth?.user?.name, request.method, request.url, request.headers.get('x-mark'), await request.text()])
      return true
    })
    await visitor.signIn(ADA)
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      await visitor.visit('/private/x?y=1', {
        method,
        headers: { 'x-mark': 'm' },
        ...(method === 'POST' && { body: 'b' }),
      })
    }
    const url = `${app.origin}/private/x?y=1`
    expect(seen).to.deep.equal(['GET', 'POST', 'DELETE', 'PATCH'].map((method) => ['Ada', method, url, 'm', '']))
  })

  it('closes the door when it throws: 503, and the log says why', async () => {
    for (const thrown of [new Error('boom'), undefined, 'route']) {
      const log = createLog()
      const visitor = await start(() => Promise.reject(thrown), { logger: log.logger })
      expect((await navigate(visitor, '/private')).status).to.equal(503)
      expect([ran, log.errors.length]).to.deep.equal([[], 1])
      await app.close()
    }
  })

  it('never judges another path than that of the route which runs', async () => {
    await start(({ request }) => new URL(request.url).pathname.startsWith('/public'))
    for (const path of [
      '/private/../public',
      '/private/%2e%2e/public',
      '/private/.%2E/public',
      '/private\\..\\..\\public',
    ]) {
      expect((await sendRaw(app.origin, path)).status, path).to.be.within(400, 404)
    }
    for (const path of ['/private/a..b', '/private/...', '/private/%2e%2e%2e']) {
      expect((await sendRaw(app.origin, path)).status, path).to.equal(401)
    }
    expect(ran).to.deep.equal([])
  })

  it('is asked about odd methods and targets without a fault', async () => {
    await start(() => true)
    for (const [method, target, status] of [
      ['TRACE', '/private', 405],
      ['OPTIONS', '/private', 200],
      ['PROPFIND', '/private', 200],
      ['GET', `${app.origin}/private/x`, 200],
    ] as const) {
      expect((await sendRaw(app.origin, target, { method })).status, `${method} ${target}`).to.equal(status)
    }
  })
})
