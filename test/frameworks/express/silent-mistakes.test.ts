import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import {
  type AuthConfig,
  expressAuth,
  getSession,
  listSessions,
  requireAuth,
  signOut,
  verifyCsrfToken,
} from '../../../lib/index.js'
import { ADA, listen, type Running, startApp, testConfig } from '../../support/app.js'
import { untyped } from '../../support/untyped.js'

/** The warnings of a configuration, with what they say. */
function watched(more: Partial<AuthConfig> = {}) {
  const warnings: { code: string; fix?: string }[] = []
  const warn = (code: string, data?: unknown) => void warnings.push({ code, ...(data as { fix?: string }) })
  return { warnings, config: testConfig({ ...more, logger: { error() {}, warn, debug() {}, info() {} } }) }
}

describe('a mistake that would only show as "signed out" or "refused"', () => {
  let app: Running
  afterEach(() => app.close())

  describe('a guard with a role, where sessions show none', () => {
    const visit = async (user: object | undefined) => {
      const { warnings, config } = watched({
        callbacks: { session: ({ session }) => ({ ...session, user: { ...session.user, ...user } }) },
      })
      app = await startApp(config, (server) => {
        server.get('/private', requireAuth(config, { roles: ['admin'] }), (_req, res) => void res.end('in'))
      })
      const ada = app.visitor()
      await ada.signIn(ADA)
      await ada.get('/private')
      const { status } = await ada.get('/private')
      return { status, warnings: warnings.filter(({ code }) => code === 'session-without-roles') }
    }

    for (const [what, user] of Object.entries({
      'no member': {},
      'an empty member': { role: undefined },
      'a list in `role`': { role: ['admin'] },
      'a text in `roles`': { roles: 'admin' },
      'objects in `roles`': { roles: [{ name: 'admin' }] },
      'a set': { roles: new Set(['admin']) },
    })) {
      it(`is warned of once: ${what}`, async () => {
        const { status, warnings } = await visit(user)
        expect([status, warnings.length]).to.deep.equal([403, 1])
        expect(warnings[0]?.fix).to.include('`session` callback')
      })
    }

    for (const user of [{ role: null }, { role: 'reader' }, { roles: [] }, { roles: null }, { roles: ['reader'] }]) {
      it(`is silent about somebody who has another role, or none: ${JSON.stringify(user)}`, async () => {
        const { status, warnings } = await visit(user)
        expect([status, warnings]).to.deep.equal([403, []])
      })
    }
  })

  it('the session is read with the secret of another configuration', async () => {
    const other = watched({ secret: 'another secret of at least thirty-two bytes' })
    const { config } = watched()
    app = await startApp(config, (server) => {
      server.get('/whoami', (req, res, next) => {
        getSession(req, other.config).then((session) => res.json(session), next)
      })
      server.get('/private', requireAuth(other.config), (_req, res) => void res.end('in'))
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    for (const _ of [1, 2]) expect((await ada.get('/whoami')).json()).to.equal(null)
    expect((await ada.get('/private')).status).to.equal(401)
    const found = other.warnings.filter(({ code }) => code === 'session-of-other-secret')
    expect(found).to.have.length(1)
    expect(found[0]?.fix).to.include('same configuration')
  })

  it('is not seen in instances of their own, nor in a cookie that somebody made up', async () => {
    const other = watched({ instance: 'b' })
    const { config, warnings } = watched({ instance: 'a' })
    app = await startApp(config, (server) => {
      server.get('/whoami', (req, res, next) => {
        getSession(req, other.config).then((session) => res.json(session), next)
      })
    })
    const ada = app.visitor()
    await ada.signIn(ADA)
    expect((await ada.get('/whoami')).json()).to.equal(null)
    const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256CBC-HS512', kid: 'x' })).toString('base64url')
    const stranger = app.visitor()
    stranger.jar.set('authjs.session-token', { name: 'authjs.session-token', value: `${header}..a.b.c` } as never)
    expect((await stranger.get('/whoami')).json()).to.equal(null)
    expect([...other.warnings, ...warnings].map(({ code }) => code)).to.not.include('session-of-other-secret')
  })

  it('a function gets the headers of a request, a web request, or nothing', async () => {
    const { config } = watched()
    const calls: Record<string, (req: express.Request) => Promise<unknown>> = {
      headers: (req) => getSession(untyped(req.headers), config),
      fixed: (req) => getSession(untyped(req.headers), { ...config, url: 'https://app.example' }),
      web: () => getSession(untyped(new Request('http://app.example/')), config),
      list: (req) => listSessions(untyped(req.headers), config),
      csrf: (req) => verifyCsrfToken(untyped(req.headers), config, 'x'),
      out: (req) => signOut(untyped(req.headers), untyped(req.res), config),
    }
    const server = express().use('/auth', expressAuth(config))
    server.get('/:call', (req, res) => {
      calls[req.params['call']]?.(req).then(
        () => res.end('no error'),
        (error: Error) => res.end(`${error.name}: ${error.message}`),
      )
    })
    app = await listen(server)
    for (const call of Object.keys(calls)) {
      expect((await app.visitor().get(`/${call}`)).text, call).to.match(/^InvalidConfiguration: .*request itself/)
    }
  })

  describe('a session callback that reads what these sessions do not have', () => {
    const visit = async (session: object, more: Partial<AuthConfig> = {}) => {
      const { warnings, config } = watched({ callbacks: { session: untyped(session) }, ...more })
      app = await startApp(config)
      const ada = app.visitor()
      await ada.signIn(ADA)
      for (const _ of [1, 2]) await ada.get('/auth/session')
      return warnings.filter(({ code }) => code === 'session-callback-argument')
    }
    const stored = () => {
      const adapter = memoryAdapter()
      adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
      return { adapter, session: { strategy: 'database' } } as const
    }
    type Given = { session: object; token?: { sub?: string }; user?: { id: string } }

    it('is warned of once: the token of a stored session', async () => {
      const [first, ...more] = await visit(({ session, token }: Given) => ({ ...session, sub: token?.sub }), stored())
      expect(first).to.have.property('member', 'token')
      expect(more).to.deep.equal([])
    })

    it('is warned of where it fails because of that', async () => {
      const found = await visit(
        ({ session, token }: Given) => ({ ...session, sub: (token as { sub: string }).sub }),
        stored(),
      )
      expect(found).to.have.length(1)
    })

    it('is warned of once: the user of a session in a token', async () => {
      const found = await visit(({ session, user }: Given) => ({ ...session, id: user?.id }))
      expect(found).to.have.length(1)
      expect(found[0]).to.have.property('member', 'user')
    })

    it('is silent where it reads what is there, both, or neither', async () => {
      for (const callback of [
        ({ session, token, user }: Given) => ({ ...session, sub: token?.sub ?? user?.id }),
        ({ session }: Given) => session,
        (given: Given) => ({ ...given.session, ...('token' in given ? { sub: given.token?.sub } : {}) }),
      ]) {
        expect(await visit(callback, stored())).to.deep.equal([])
        await app.close()
        expect(await visit(callback)).to.deep.equal([])
        await app.close()
      }
    })
  })

  it('nothing says who sent a form: no other site is accused', async () => {
    const { warnings, config } = watched()
    app = await startApp(config, (server) => {
      server.post('/out', (req, res, next) => void signOut(req, res, config).catch(next))
    })
    const answers = [
      await fetch(`${app.origin}/out`, { method: 'POST' }),
      await fetch(`${app.origin}/out`, { method: 'POST', headers: { origin: 'https://evil.example' } }),
    ]
    for (const { status } of answers) expect(status).to.be.within(400, 599)
    expect(warnings.map(({ code }) => code)).to.deep.equal(['cross-site-post'])
  })
})
