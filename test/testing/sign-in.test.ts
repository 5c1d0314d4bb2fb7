import { expect } from 'chai'
import express from 'express'
import supertest from 'supertest'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, csrfToken, expressAuth, getSession, requireAuth, verifyCsrfToken } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import { csrfFor, signInAs } from '../../lib/testing/index.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'

const ADA = { name: 'Ada', email: 'ada@example.com' }

const appOf = (config: AuthConfig) =>
  express()
    .use('/auth', expressAuth(config))
    .get('/me', requireAuth(config), async (req, res) => void res.json(await getSession(req, config)))
    .post('/save', requireAuth(config), express.urlencoded({ extended: false }), async (req, res) => {
      void res.sendStatus((await verifyCsrfToken(req, config, req.body.csrfToken)) ? 204 : 403)
    })

const KINDS: readonly [string, () => AuthConfig][] = [
  ['token sessions', () => testConfig()],
  ['stored sessions', () => testConfig({ adapter: memoryAdapter() })],
  ['token sessions that can be revoked', () => testConfig({ session: { revocation: { store: memoryAdapter() } } })],
  ['options that are inherited', () => Object.create(testConfig()) as AuthConfig],
  ['sessions of an instance', () => testConfig({ instance: 'tenant-7' })],
  [
    'sessions in several cookies',
    () => testConfig({ callbacks: { jwt: ({ token }) => ({ ...token, much: 'x'.repeat(6000) }) } }),
  ],
]

for (const [kind, configure] of KINDS) {
  describe(`signInAs, with ${kind}`, () => {
    it('gives cookies with which the application knows the user', async () => {
      const config = configure()
      const { cookie, session } = await signInAs(config, ADA)
      const { body } = await supertest(appOf(config)).get('/me').set('Cookie', cookie).expect(200)
      expect(body.user).to.include(ADA)
      expect(session.user).to.include(ADA)
    })

    it('signs in several people side by side', async () => {
      const config = configure()
      const [ada, grace] = await Promise.all([
        signInAs(config, { id: '1', ...ADA }),
        signInAs(config, { id: '2', name: 'Grace', email: 'grace@example.com' }),
      ])
      for (const [{ cookie }, name] of [
        [ada, 'Ada'],
        [grace, 'Grace'],
      ] as const) {
        expect((await supertest(appOf(config)).get('/me').set('Cookie', cookie)).body.user.name).to.equal(name)
      }
    })

    it('gives a session that a sign-out ends', async () => {
      const config = configure()
      const signedIn = await signInAs(config, ADA)
      const { csrfToken: token, cookie } = await csrfFor(config, signedIn)
      const app = appOf(config)
      await supertest(app)
        .post('/auth/signout')
        .type('form')
        .set('Cookie', cookie)
        .send({ csrfToken: token })
        .expect(302)
      await supertest(app).get('/me').set('Cookie', signedIn.cookie).expect(401)
    })
  })
}

describe('signInAs', () => {
  let running: Running | undefined
  afterEach(() => running?.close())

  it('does not warn of a second configuration with the same secret, nor of passwords: there are none', async () => {
    const log = createLog()
    const config = testConfig({
      secret: 'a secret that only this test of signInAs has',
      logger: log.logger,
      adapter: memoryAdapter(),
      providers: [Email({ from: 'app@example.com', sendVerificationRequest() {} })],
    })
    await supertest(appOf(config)).get('/auth/session').expect(200)
    await signInAs(config, ADA)
    expect(log.warnings).not.to.include.members(['shared-secret'])
    expect(log.warnings).not.to.include.members(['unconfirmed-addresses'])
  })

  it('works with fetch', async () => {
    const config = testConfig()
    running = await listen(appOf(config))
    const { headers } = await signInAs(config, ADA)
    expect((await fetch(`${running.origin}/me`, { headers })).status).to.equal(200)
  })

  it('gives the cookies that a browser would have, of http and of https', async () => {
    const plain = (await signInAs(testConfig(), ADA)).cookies.find(({ name }) => name.endsWith('session-token'))
    expect(plain).to.include({
      name: 'authjs.session-token',
      domain: 'localhost',
      path: '/',
      httpOnly: true,
      secure: false,
      sameSite: 'Lax',
    })
    expect(plain?.expires).to.be.greaterThan(Date.now() / 1000 + 24 * 60 * 60)
    const { cookies } = await signInAs(testConfig(), ADA, { origin: 'https://app.example' })
    expect(cookies.find(({ name }) => name === '__Secure-authjs.session-token')).to.include({
      domain: 'app.example',
      secure: true,
    })
  })

  it('takes the stored user, and creates the user only if there is none', async () => {
    const adapter = memoryAdapter()
    const config = testConfig({ adapter })
    const first = await signInAs(config, ADA)
    const again = await signInAs(config, { email: ADA.email })
    const stored = await adapter.getUserByEmail(ADA.email)
    expect(stored?.name).to.equal('Ada')
    expect(again.session.user).to.include({ name: 'Ada' })
    expect(first.cookie).to.not.equal(again.cookie)
  })

  it('runs the callbacks and events of the application, as any sign-in does', async () => {
    const seen: string[] = []
    const config = testConfig({
      callbacks: {
        signIn: ({ user }) => user.email !== 'mallory@example.com',
        jwt: ({ token }) => ({ ...token, role: 'admin' }),
        session: ({ session, token }) => ({ ...session, role: token['role'] }),
      },
      events: { signIn: ({ user }) => void seen.push(String(user.email)) },
    })
    expect((await signInAs(config, ADA)).session).to.include({ role: 'admin' })
    expect(seen).to.deep.equal([ADA.email])
    const refused = await signInAs(config, { email: 'mallory@example.com' }).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(refused).to.match(/not signed in: AccessDenied/)
  })

  it('works wherever the application serves: at the path of AUTH_URL, and behind a proxy that cuts a prefix off', async () => {
    for (const place of [{ url: 'https://app.example/api/auth' }, { strippedPrefix: '/app' }, { basePath: '/login' }]) {
      expect((await signInAs(testConfig(place), ADA)).session.user, JSON.stringify(place)).to.include(ADA)
    }
  })

  it('logs no warning, however often a test signs somebody in', async () => {
    const warnings: string[] = []
    const config = testConfig({ logger: { warn: (code) => void warnings.push(code) } })
    for (let count = 0; count < 12; count += 1) await signInAs(config, ADA)
    expect(warnings).to.deep.equal([])
  })

  it('says what is wrong with a configuration that cannot work', async () => {
    const failure = await signInAs(testConfig({ basePath: 'auth' }), ADA).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(failure).to.include('`basePath` must be a path')
  })

  it('says what is wrong with a call', async () => {
    const failure = (...words: readonly unknown[]) =>
      (signInAs as (...words: readonly unknown[]) => Promise<unknown>)(...words).then(
        () => null,
        (error: Error) => error.message,
      )
    const config = testConfig()
    expect(await failure(config))
      .to.include('The user is undefined')
      .and.include('signInAs(config, user')
    expect(await failure(express(), ADA)).to.include('A middleware was given in place of the configuration')
    expect(await failure(() => config, ADA)).to.include('give what it returns')
    expect(await failure(config, { mail: ADA.email })).to.include('Did you mean `email`?')
    expect(await failure(config, { ...ADA, role: 'admin' })).to.equal(null)
  })

  it('gives a CSRF token for forms of the application', async () => {
    const config = testConfig()
    const { csrfToken: token, cookie } = await csrfFor(config, await signInAs(config, ADA))
    const save = (fields: object) =>
      supertest(appOf(config)).post('/save').type('form').set('Cookie', cookie).send(fields)
    await save({ csrfToken: token }).expect(204)
    await save({ csrfToken: 'another' }).expect(403)
    expect(csrfToken).to.be.a('function')
  })

  it('adds no way to sign in to the application itself', async () => {
    const config = testConfig()
    const { cookies } = await signInAs(config, ADA)
    expect(JSON.stringify(cookies)).to.not.include('latchkey-testing').and.not.include('last-provider')
    expect(Object.keys((await supertest(appOf(config)).get('/auth/providers')).body)).to.not.include('latchkey-testing')
    await supertest(appOf(config)).post('/auth/callback/latchkey-testing').expect(404)
  })

  it('gives no session of another secret or instance', async () => {
    const { cookie } = await signInAs(testConfig({ secret: 'another secret, with thirty-two bytes at least' }), ADA)
    await supertest(appOf(testConfig())).get('/me').set('Cookie', cookie).expect(401)
    const other = await signInAs(testConfig({ instance: 'other' }), ADA)
    await supertest(appOf(testConfig({ instance: 'one' })))
      .get('/me')
      .set('Cookie', other.cookie)
      .expect(401)
  })

  it('refuses to work in production', async () => {
    const before = process.env['NODE_ENV']
    process.env['NODE_ENV'] = 'production'
    try {
      for (const work of [signInAs(testConfig({ trustHost: true }), ADA), csrfFor(testConfig({ trustHost: true }))]) {
        expect(
          await work.then(
            () => null,
            (error: Error) => error.message,
          ),
        ).to.include('does not work in production')
      }
    } finally {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    }
  })
})
