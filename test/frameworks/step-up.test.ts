import { expect } from 'chai'
import express from 'express'
import { engineOfObject } from '../../lib/engine/engines.js'
import { webAuth } from '../../lib/frameworks/web/index.js'
import {
  type AuthConfig,
  expressAuth,
  InvalidConfiguration,
  type RequireAuthOptions,
  requireAuth,
} from '../../lib/index.js'
import type { Authentication } from '../../lib/sessions/authentication.js'
import { SECOND_FACTOR_PAGE, type Services } from '../../lib/sign-in/config.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { NAVIGATION, navigate } from '../support/guard.js'
import { visibleText } from '../support/html.js'
import { requestContext } from '../support/request-context.js'
import { STORES } from '../support/stores.js'
import { openTestApp } from '../support/test-app.js'
import { later } from '../support/timers.js'
import { untyped } from '../support/untyped.js'
import { Visitor } from '../support/visitor.js'
import { github } from '../support/web-app.js'

/** What guards demand. */
const GUARDS = {
  '/factors': { factors: 2 },
  '/gold': { acr: 'gold' },
  '/either': { acr: ['gold', 'silver'] },
  '/recent': { maxAuthAge: 300 },
  '/all': { factors: 2, acr: 'gold', maxAuthAge: 300 },
} as const satisfies Record<string, RequireAuthOptions>
type Path = keyof typeof GUARDS

/** What a session lacks at a guard; null if it passes. */
type Lack = 'deny' | 'weak' | 'one-factor' | 'outdated' | null
type Lacks = Readonly<Record<Path, Lack>>

interface Kind {
  readonly authentication?: Authentication
  readonly isOld?: true
  readonly lacks: Lacks
}

const lacks = (factors: Lack, gold: Lack, either: Lack, recent: Lack, all: Lack): Lacks => ({
  '/factors': factors,
  '/gold': gold,
  '/either': either,
  '/recent': recent,
  '/all': all,
})

/** Each session, and what it lacks. */
const SESSIONS: Readonly<Record<string, Kind>> = {
  'one factor': { lacks: lacks('one-factor', 'weak', 'weak', null, 'weak') },
  'the word of a provider that there were two factors': {
    authentication: { amr: ['pwd', 'mfa'] },
    lacks: lacks('one-factor', 'weak', 'weak', null, 'weak'),
  },
  'two factors': {
    authentication: { factors: 2, amr: ['pwd', 'otp'] },
    lacks: lacks(null, 'weak', 'weak', null, 'weak'),
  },
  'the acr of another provider': {
    authentication: { factors: 2, acr: 'bronze' },
    lacks: lacks(null, 'weak', 'weak', null, 'weak'),
  },
  'an acr in capitals': { authentication: { acr: 'GOLD' }, lacks: lacks('one-factor', 'weak', 'weak', null, 'weak') },
  'one of two values of acr': {
    authentication: { acr: 'silver' },
    lacks: lacks('one-factor', 'weak', null, null, 'weak'),
  },
  'the acr, and one factor': {
    authentication: { acr: 'gold' },
    lacks: lacks('one-factor', null, null, null, 'one-factor'),
  },
  'the acr, and two factors': {
    authentication: { factors: 2, acr: 'gold' },
    lacks: lacks(null, null, null, null, null),
  },
  'an old sign-in with everything': {
    authentication: { factors: 2, acr: 'gold' },
    isOld: true,
    lacks: lacks(null, null, null, 'outdated', 'outdated'),
  },
  'an old sign-in with the acr, and one factor': {
    authentication: { acr: 'gold' },
    isOld: true,
    lacks: lacks('one-factor', null, null, 'outdated', 'one-factor'),
  },
}

const BASE = 'Bearer realm="session"'
const NEEDED = `${BASE}, error="insufficient_user_authentication"`

/** The header `WWW-Authenticate` for a session that lacks something (RFC 9470 §3). */
function challengeFor(path: Path, lack: Lack): string {
  const { acr = [], maxAuthAge } = GUARDS[path] as RequireAuthOptions
  const values = [acr].flat()
  return [
    NEEDED,
    ...(lack === 'one-factor' ? ['error_description="Show a second factor first."'] : []),
    ...(values.length > 0 ? [`acr_values="${values.join(' ')}"`] : []),
    ...(maxAuthAge === undefined ? [] : [`max_age="${maxAuthAge}"`]),
  ].join(', ')
}

/** An application with a page that asks for second factors. */
function withSecondFactor(config: AuthConfig): AuthConfig {
  ;(engineOfObject(config).config.services as Services).set(SECOND_FACTOR_PAGE, {
    path: 'second-factor',
    canAnswer: async () => true,
    lacksOne: async () => false,
    needsPasskeys: async () => false,
  })
  return config
}

/** Where a browser is led. */
function leadOf(path: Path, lack: Lack, origin: string): string {
  const url = new URL(lack === 'one-factor' ? '/auth/second-factor' : '/auth/signin', origin)
  url.searchParams.set('callbackUrl', `${origin}${path}?page=2`)
  if (lack === 'outdated' || lack === 'weak') {
    url.searchParams.set('error', 'RecentSignInRequired')
    url.searchParams.set('code', 'OpenPage')
  }
  const { acr } = GUARDS[path] as RequireAuthOptions
  if (lack !== 'one-factor' && acr !== undefined) url.searchParams.set('acr_values', [acr].flat().join(' '))
  return url.href
}

const PLACES = [
  { name: 'a token', requireServer: async () => {}, open: async () => null },
  ...STORES.map(({ name, requireServer, open }) => ({ name: `a row in ${name}`, requireServer, open })),
]

for (const { name, requireServer, open } of PLACES) {
  describe(`a guard that demands more of a session in ${name}`, function () {
    this.timeout(20_000)
    let app: Running
    let config: AuthConfig
    let userId = '1815'
    let close = async () => {}
    before(async function () {
      await requireServer.call(this)
      const store = await open()
      const session = { strategy: store ? 'database' : 'jwt', recentAuthAge: Number.POSITIVE_INFINITY } as const
      config = withSecondFactor(testConfig({ ...(store && { adapter: store.adapter }), session, bearer: true }))
      const user = { id: '1815', name: 'Ada', email: 'ada@example.com', emailVerified: null }
      if (store) userId = (await store.adapter.createUser(user)).id
      const server = express().set('env', 'test')
      server.use('/auth', expressAuth(config))
      for (const [path, options] of Object.entries(GUARDS))
        server.get(path, requireAuth(config, options), (_req, res) => void res.send('passed'))
      app = await listen(server)
      close = async () => {
        await app.close()
        await store?.close()
      }
    })
    after(() => close())

    /** Somebody with such a session, and a token for a program that was issued in it. */
    const signedIn = async ({ authentication, isOld }: Kind) => {
      const engine = engineOfObject(config)
      const { sessions } = engine.config.schemeFor(app.origin)
      const account = { provider: 'credentials', type: 'credentials', providerAccountId: userId } as const
      const start = { user: { id: userId, name: 'Ada' }, account, isNewUser: false, authentication }
      const begin = async () => sessions.issue(requestContext(undefined, app.origin), start)
      const ada = new Visitor(app.origin)
      for (const { name, value } of isOld ? await later(-400_000, begin) : await begin()) ada.jar.set(name, value)
      const { token } = await sessions.issueToken(requestContext(ada.cookieHeader(), app.origin), { maxAge: 600 })
      return { ada, token }
    }

    for (const [what, kind] of Object.entries(SESSIONS)) {
      it(`asks for what is missing: ${what}`, async () => {
        const { ada, token } = await signedIn(kind)
        for (const path of Object.keys(GUARDS) as Path[]) {
          const lack = kind.lacks[path]
          const [person, script] = [await navigate(ada, `${path}?page=2`), await ada.get(path)]
          if (lack === null) expect([person.status, script.status], path).to.deep.equal([200, 200])
          else {
            expect([person.status, person.location?.href], path).to.deep.equal([302, leadOf(path, lack, app.origin)])
            expect([script.status, script.headers.get('www-authenticate')], path).to.deep.equal([
              401,
              challengeFor(path, lack),
            ])
            expect(script.json(), path).to.have.all.keys('message')
          }
          // A program never proves who its user is.
          const forProgram = lack ?? ('maxAuthAge' in GUARDS[path] ? 'outdated' : null)
          const program = await new Visitor(app.origin).get(path, { ...NAVIGATION, authorization: `Bearer ${token}` })
          expect([program.status, program.headers.get('www-authenticate')], `a program at ${path}`).to.deep.equal(
            forProgram === null ? [200, null] : [401, challengeFor(path, forProgram)],
          )
        }
      })
    }

    it('leads whoever is not signed in to sign in, as the guard demands it', async () => {
      for (const path of Object.keys(GUARDS) as Path[]) {
        const nobody = app.visitor()
        expect((await navigate(nobody, `${path}?page=2`)).location?.href).to.equal(leadOf(path, 'deny', app.origin))
        const script = await nobody.get(path)
        expect([script.status, script.headers.get('www-authenticate')]).to.deep.equal([401, BASE])
        const program = await nobody.get(path, { authorization: 'Bearer unknown' })
        expect(program.headers.get('www-authenticate')).to.equal(`${BASE}, error="invalid_token"`)
      }
    })

    it('lets pass whoever has shown the second factor meanwhile, also where the sign-in was old', async () => {
      const { ada } = await signedIn({
        authentication: { acr: 'gold' },
        isOld: true,
        lacks: lacks(null, null, null, null, null),
      })
      expect((await ada.get('/all')).status).to.equal(401)
      const { sessions } = engineOfObject(config).config.schemeFor(app.origin)
      const copy = ada.copy()
      const proved = { factors: 2, amr: ['otp'] } as const
      for (const { name, value } of (await sessions.raise(requestContext(ada.cookieHeader(), app.origin), proved)) ??
        [])
        ada.jar.set(name, value)
      for (const path of Object.keys(GUARDS)) {
        if (path !== '/either') expect((await ada.get(path)).text, path).to.equal('passed')
        if (path === '/factors' || path === '/all') expect((await copy.get(path)).status, path).to.equal(401)
      }
    })
  })
}

/** The cookies of a session that has shown one factor. */
function cookiesOfAda(config: AuthConfig, origin: string) {
  const account = { provider: 'credentials', type: 'credentials', providerAccountId: '1815' } as const
  const { sessions } = engineOfObject(config).config.schemeFor(origin)
  return sessions.issue(requestContext(undefined, origin), { user: { id: '1815' }, account, isNewUser: false })
}

describe('a guard that demands more', () => {
  const guard = (options: unknown, config = withSecondFactor(testConfig())) =>
    requireAuth(config, untyped<RequireAuthOptions>(options))

  for (const [what, options, says] of [
    ['undefined factors', { factors: undefined }, '`factors` is undefined, which would be no limit; it must be 2'],
    ['one factor', { factors: 1 }, '`factors` is 1; it must be 2'],
    ['a text of factors', { factors: '2' }, '`factors` is "2"; it must be 2'],
    ['yes for factors', { factors: true }, '`factors` is'],
    ['a misspelt name', { factor: 2 }, 'Did you mean `factors`?'],
    ['an undefined acr', { acr: undefined }, '`acr` is undefined, which would be no limit'],
    ['an empty acr', { acr: '' }, '`acr` is'],
    ['an empty list of acr', { acr: [] }, 'The list is empty.'],
    ['a list with undefined', { acr: ['gold', undefined] }, '`acr'],
    ['two values in one text', { acr: 'gold silver' }, '`acr` is'],
    ['a quotation mark', { acr: 'go"ld' }, '`acr` is'],
    ['a line break', { acr: 'gold\r\nset-cookie: a=b' }, '`acr` is'],
    ['a number', { acr: 2 }, '`acr` is'],
  ] as const) {
    it(`fails when it is created: ${what}`, async () => {
      expect(() => guard(options)).to.throw(InvalidConfiguration, says)
      const visitor = webAuth(withSecondFactor(testConfig({ url: 'https://app.example' }))).forRequest(
        new Request('https://app.example/page'),
      )
      const failure = await visitor.guard(untyped(options)).then(
        () => null,
        (error: unknown) => error,
      )
      expect(failure).to.be.instanceOf(InvalidConfiguration)
      expect(String(failure)).to.include(says)
    })
  }

  it('fails when it is created, or first used, where nothing asks for a second factor', async () => {
    const says = 'Set `secondFactor` in the configuration'
    expect(() => guard({ factors: 2 }, testConfig())).to.throw(InvalidConfiguration, says)
    const config = testConfig({ url: 'https://app.example' })
    const failure = await webAuth(config)
      .forRequest(new Request('https://app.example/page'))
      .guard({ factors: 2 })
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(InvalidConfiguration)
    const log = createLog()
    const server = express().set('env', 'test')
    server.get(
      '/',
      requireAuth(() => testConfig({ logger: log.logger }), { factors: 2 }),
      (_req, res) => void res.send('passed'),
    )
    server.use(((error, _req, res, _next) => void res.status(500).send(String(error))) as express.ErrorRequestHandler)
    const app = await listen(server)
    try {
      const answer = await app.visitor().get('/')
      expect(answer.status).to.equal(500)
      expect(answer.text).to.include(says)
    } finally {
      await app.close()
    }
  })

  for (const [demand, options] of Object.entries<RequireAuthOptions>({ ...GUARDS, '/callback': { factors: 2 } })) {
    it(`refuses whoever does not have the role before it asks for more proof: ${demand}`, async () => {
      let asked = 0
      const rules = { ...options, roles: 'admin', allow: () => ++asked > 0 }
      let role = 'reader'
      const config = withSecondFactor(
        testConfig({
          bearer: true,
          callbacks: {
            session: ({ session }) => ({ ...session, user: { ...session.user, role } }),
            ...(demand === '/callback' && { authorized: ({ auth }) => auth !== null }),
          },
        }),
      )
      const server = express().set('env', 'test')
      server.get('/page', requireAuth(config, rules), (_req, res) => void res.send('passed'))
      server.get('/web', async (req, res) => {
        const request = new Request(`${app.origin}/web`, { headers: req.headers as Record<string, string> })
        const { response } = await webAuth(config).forRequest(request).guard(rules)
        if (response === null) return void res.send('passed')
        res
          .status(response.status)
          .set(Object.fromEntries(response.headers))
          .send(await response.text())
      })
      const app = await listen(server)
      try {
        const ada = app.visitor()
        const cookies = await later(-400_000, async () => cookiesOfAda(config, app.origin))
        for (const { name, value } of cookies) ada.jar.set(name, value)
        for (const path of ['/page', '/web']) {
          role = 'reader'
          const person = await navigate(ada, path)
          expect([person.status, visibleText(person.body).includes('No access to this page')]).to.deep.equal([
            403,
            true,
          ])
          const script = await ada.get(path)
          expect([script.status, script.json(), script.headers.get('www-authenticate')]).to.deep.equal([
            403,
            { message: 'Your account may not do this.' },
            null,
          ])
          role = 'admin'
          expect((await navigate(ada, path)).location?.pathname).to.match(/^\/auth\/(signin|second-factor)$/)
          expect((await ada.get(path)).status).to.equal(401)
        }
        expect((await navigate(app.visitor(), '/page')).location?.pathname, 'nobody').to.equal('/auth/signin')
        expect(asked, '`allow` is asked about whom the guard would let pass').to.equal(0)
      } finally {
        await app.close()
      }
    })
  }

  it('has the provider that the visitor chooses asked for the acr', async () => {
    const app = openTestApp({ providers: [github] })
    const query = new URLSearchParams({ error: 'RecentSignInRequired', code: 'OpenPage', acr_values: 'gold silver' })
    for (const page of [`/auth/signin?${query}`, '/auth/signin?acr_values=gold+silver']) {
      const browser = app.browser()
      const { body } = await browser.get(page)
      const [, action = ''] = /action="([^"]*signin\/github[^"]*)"/.exec(body) ?? []
      const { pathname, search } = new URL(action.replaceAll('&amp;', '&'), app.origin)
      const { location } = await browser.post(pathname + search, { csrfToken: await browser.csrfToken() })
      expect(new URL(location ?? '').searchParams.get('acr_values')).to.equal('gold silver')
    }
    expect((await app.browser().get('/auth/signin')).body, 'no other visitor').to.not.include('acr_values')
  })

  it('counts rules that its options inherit', async () => {
    expect(() => guard(Object.create({ factors: undefined }))).to.throw(InvalidConfiguration, '`factors`')
    const visitor = webAuth(withSecondFactor(testConfig({ url: 'https://app.example' }))).forRequest(
      new Request('https://app.example/page', { headers: NAVIGATION }),
    )
    const { response } = await visitor.guard(Object.create({ acr: 'gold' }))
    expect(response?.headers.get('location')).to.match(/[?&]acr_values=gold$/)
  })

  it('shows a page, and does not lead in circles, where it stands before the page that asks', async () => {
    const log = createLog()
    const config = withSecondFactor(testConfig({ logger: log.logger }))
    const server = express().set('env', 'test')
    server.use(requireAuth(config, { factors: 2 }))
    const app = await listen(server)
    try {
      const ada = app.visitor()
      for (const { name, value } of await cookiesOfAda(config, app.origin)) ada.jar.set(name, value)
      const answer = await navigate(ada, '/auth/second-factor?callbackUrl=/')
      expect(answer.status).to.equal(500)
      expect(log.errors.map(({ message }) => message).join()).to.match(/stands behind the guard/)
      expect((await navigate(ada, '/elsewhere')).location?.pathname).to.equal('/auth/second-factor')
    } finally {
      await app.close()
    }
  })
})
