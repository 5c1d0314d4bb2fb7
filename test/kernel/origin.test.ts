import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import connect from 'connect'
import express from 'express'
import {
  Auth,
  type AuthConfig,
  authSession,
  createActionURL,
  expressAuth,
  getSession,
  UntrustedHost,
} from '../../lib/index.js'
import { type OriginFacts, publicOrigin } from '../../lib/kernel/origin.js'
import { ADA, createLog, listen, type Running, testConfig } from '../support/app.js'
import { withEnv } from '../support/env.js'
import { sendRaw } from '../support/raw-http.js'

const SPOOFED = {
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '444',
  forwarded: 'host=evil.example;proto=https',
  'x-original-host': 'evil.example',
}

describe('the public origin', () => {
  let app: Running
  afterEach(() => app?.close())

  /** An app whose `/` tells the visitor's name, under some `trust proxy` setting. */
  const start = async (config: AuthConfig, trustProxy?: unknown) => {
    const server = express().set('env', 'test')
    if (trustProxy !== undefined) server.set('trust proxy', trustProxy)
    server.use('/auth', expressAuth(config))
    server.get('/', async (req, res) => void res.json((await getSession(req, config))?.user?.name ?? null))
    app = await listen(server)
    return app.visitor()
  }

  const signInUrl = async (headers: Record<string, string>) => {
    const { body } = await sendRaw(app.origin, '/auth/providers', { headers })
    return JSON.parse(body).credentials.signinUrl
  }

  it('is that of the Host header, and forwarded headers of anybody change nothing (WEB-04)', async () => {
    await start(testConfig())
    expect(await signInUrl(SPOOFED)).to.equal(`${app.origin}/auth/signin/credentials`)
    await app.close()
    await start(testConfig(), false)
    expect(await signInUrl(SPOOFED)).to.equal(`${app.origin}/auth/signin/credentials`)
    await app.close()
    await start(testConfig(), '10.0.0.1')
    expect(await signInUrl(SPOOFED)).to.equal(`${app.origin}/auth/signin/credentials`)
  })

  it("is what a proxy forwards that Express's trust proxy trusts", async () => {
    for (const trusted of [true, 'loopback', 1, (address: string) => address.startsWith('127.')]) {
      await start(testConfig(), trusted)
      const forwarded = { 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }
      expect(await signInUrl(forwarded)).to.equal('https://app.example/auth/signin/credentials')
      expect(await signInUrl({ 'x-forwarded-proto': 'https' })).to.equal(
        `${app.origin.replace('http', 'https')}/auth/signin/credentials`,
      )
      await app.close()
    }
  })

  it('is what the outermost trusted proxy says, and not what came in front of that (WEB-04)', async () => {
    // Each proxy appends to the lists. The addresses are those of whoever sent the request to a proxy: the first is the visitor's.
    const one = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'http, https',
      'x-forwarded-host': 'evil.example, app.example',
    }
    const two = {
      'x-forwarded-for': '198.51.100.1, 203.0.113.9, 10.0.0.2',
      'x-forwarded-proto': 'http, https, http',
      'x-forwarded-host': 'evil.example, app.example, inner',
    }
    const atSecond = (_address: string, hop: number) => hop < 2
    for (const [trusted, headers, expected] of [
      ...[true, 1, 'loopback', (address: string) => address === '127.0.0.1'].map(
        (trust) => [trust, one, 'https://app.example'] as const,
      ),
      ...[1, 'loopback', true].map((trust) => [trust, two, 'http://inner'] as const),
      ...[2, atSecond, ['loopback', '10.0.0.2'], 'loopback, uniquelocal'].map(
        (trust) => [trust, two, 'https://app.example'] as const,
      ),
      // Addresses that the visitor made up make no visitor a proxy.
      ['loopback', { ...one, 'x-forwarded-for': '127.0.0.1, 127.0.0.1, 203.0.113.9' }, 'https://app.example'],
      [true, { ...one, 'x-forwarded-for': '127.0.0.1, 127.0.0.1, 203.0.113.9' }, 'https://app.example'],
      // A visitor on a trusted machine is no proxy either.
      ['loopback', { ...one, 'x-forwarded-for': '127.0.0.1' }, 'https://app.example'],
      // Proxies that replace a header leave one entry, whoever wrote it.
      [2, { ...two, 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'HTTPS' }, 'https://app.example'],
      [1, { 'x-forwarded-host': ' , app.example ,, ', 'x-forwarded-proto': 'https' }, 'https://app.example'],
      [1, { 'x-forwarded-host': '', 'x-forwarded-proto': '' }, null],
    ] as [unknown, Record<string, string>, string | null][]) {
      await start(testConfig(), trusted)
      const url = await signInUrl(headers)
      expect(url, `${trusted} ${JSON.stringify(headers)}`).to.equal(`${expected ?? app.origin}/auth/signin/credentials`)
      await app.close()
    }
  })

  it('follows the trust proxy setting of the app that an app is mounted in', async () => {
    const inner = express().use('/auth', expressAuth(testConfig()))
    app = await listen(express().set('trust proxy', true).use('/inner', inner))
    const headers = { 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }
    const { body } = await sendRaw(app.origin, '/inner/auth/providers', { headers })
    expect(JSON.parse(body).credentials.signinUrl).to.equal('https://app.example/inner/auth/signin/credentials')
  })

  it('is trusted behind a trusted proxy even where trustHost is off', async () => {
    await start(testConfig({ trustHost: false }), true)
    const forwarded = { 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }
    expect(await signInUrl(forwarded)).to.equal('https://app.example/auth/signin/credentials')
  })

  it('is config.url whatever a request says, and its path is not the mount', async () => {
    await start(testConfig({ url: 'https://app.example' }), true)
    for (const headers of [{}, SPOOFED, { host: 'evil.example' }] as Record<string, string>[]) {
      expect(await signInUrl(headers)).to.equal('https://app.example/auth/signin/credentials')
    }
  })

  it('is AUTH_URL where config.url says nothing, and config.url wins', async () => {
    await withEnv({ AUTH_URL: 'https://env.example' }, async () => {
      await start(testConfig())
      expect(await signInUrl(SPOOFED)).to.equal('https://env.example/auth/signin/credentials')
      await app.close()
      await start(testConfig({ url: 'https://own.example' }))
      expect(await signInUrl(SPOOFED)).to.equal('https://own.example/auth/signin/credentials')
    })
  })

  it('decides the cookies: getSession and the handler agree behind a proxy, with AUTH_URL and without', async () => {
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }
    for (const [config, trusts, headers, name] of [
      [testConfig(), true, https, '__Secure-authjs.session-token'],
      [testConfig(), false, https, 'authjs.session-token'],
      [testConfig({ url: 'https://app.example' }), false, {}, '__Secure-authjs.session-token'],
      [testConfig({ url: 'http://app.example' }), true, https, 'authjs.session-token'],
      [testConfig({ useSecureCookies: false }), true, https, 'authjs.session-token'],
      [testConfig({ useSecureCookies: true }), false, {}, '__Secure-authjs.session-token'],
    ] as const) {
      const ada = await start(config, trusts)
      const { csrfToken } = (await ada.get('/auth/csrf', headers)).json()
      await ada.post('/auth/callback/credentials', { csrfToken, ...ADA }, headers)
      expect([...ada.jar.keys()], name).to.include(name)
      expect((await ada.get('/', headers)).json(), name).to.equal('Ada')
      expect((await ada.get('/auth/session', headers)).json().user.name, name).to.equal('Ada')
      await app.close()
    }
  })

  it('answers C500 in production if nothing says the origin, and the log has the fix', async () => {
    const log = createLog()
    await withEnv({ NODE_ENV: 'production' }, async () => {
      const visitor = await start(testConfig({ logger: log.logger }))
      const answer = await visitor.get('/auth/session')
      expect([answer.status, answer.setCookie]).to.deep.equal([500, []])
      expect(answer.json().message).to.match(/problem with the server configuration/)
      const page = await visitor.get('/auth/signin')
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([500, 'text/html; charset=utf-8'])
      expect(page.text).to.not.contain(new URL(app.origin).host)
    })
    const [error] = log.errors
    expect(error).to.be.instanceOf(UntrustedHost)
    expect(error?.message)
      .to.match(/AUTH_URL/)
      .and.match(/trust proxy/)
      .and.match(/trustHost: true/)
  })

  it('is believed in production where the configuration or the platform says so', async () => {
    for (const [env, config] of [
      [{}, { trustHost: true }],
      [{ AUTH_TRUST_HOST: 'true' }, {}],
      [{ VERCEL: '1' }, {}],
      [{ CF_PAGES: '1' }, {}],
    ] as const) {
      await withEnv({ NODE_ENV: 'production', ...env }, async () => {
        const visitor = await start(testConfig(config))
        expect((await visitor.get('/auth/session')).status, JSON.stringify(env)).to.equal(200)
        await app.close()
      })
    }
    await withEnv({ AUTH_TRUST_HOST: 'false' }, async () => {
      const visitor = await start(testConfig())
      expect((await visitor.get('/auth/session')).status).to.equal(500)
    })
  })

  it('must be one of `hosts` if that is set, for every source of the origin; every other host is refused with 400 (WEB-04)', async () => {
    const hosts = ['app.example', '*.preview.example', 'own.example:8443']
    for (const [environment, trustProxy] of [
      [{}, false],
      [{ NODE_ENV: 'production' }, false],
      [{}, 1],
      [{ NODE_ENV: 'production' }, 1],
    ] as const) {
      await withEnv(environment, async () => {
        const config = testConfig({ hosts })
        const server = express().set('env', 'test').set('trust proxy', trustProxy).use('/auth', expressAuth(config))
        server.use(authSession(config)).get('/', (_req, res) => void res.send('ran'))
        app = await listen(server)
        const header = (host: string): Record<string, string> => (trustProxy ? { 'x-forwarded-host': host } : { host })
        for (const host of ['app.example', 'APP.example:443', 'pr-7.preview.example', 'own.example:8443']) {
          expect(await signInUrl(header(host)), host).to.contain(`http://${host.toLowerCase()}/auth/signin/`)
          expect((await sendRaw(app.origin, '/', { headers: header(host) })).status).to.equal(200)
        }
        for (const host of [
          'evil.example',
          'app.example.evil.example',
          'preview.example',
          'own.example',
          'localhost',
          '127.0.0.1',
        ]) {
          for (const path of ['/auth/session', '/auth/signin', '/auth/providers', '/']) {
            const { status, setCookie } = await sendRaw(app.origin, path, { headers: header(host) })
            expect([status, setCookie], `${host} ${path}`).to.deep.equal([400, []])
          }
        }
        await app.close()
      })
    }
  })

  it('is one of `hosts` for web requests and for createActionURL, too (WEB-04)', async () => {
    const config = testConfig({ hosts: ['app.example'] })
    await withEnv({ NODE_ENV: 'production' }, async () => {
      expect((await Auth(new Request('https://app.example/auth/session'), config)).status).to.equal(200)
      expect((await Auth(new Request('https://evil.example/auth/session'), config)).status).to.equal(400)
    })
    const urlFor = (headers: Record<string, string>) =>
      createActionURL('signin', 'https', new Headers(headers), {}, { ...config, basePath: '/auth' }).href
    expect(urlFor({ host: 'app.example' })).to.equal('https://app.example/auth/signin')
    expect(urlFor({ host: 'inner', 'x-forwarded-host': 'evil.example, app.example' })).to.equal(
      'https://app.example/auth/signin',
    )
    for (const headers of [
      { host: 'evil.example' },
      { host: 'app.example', 'x-forwarded-host': 'evil.example' },
    ] as Record<string, string>[]) {
      expect(() => urlFor(headers))
        .to.throw()
        .with.property('status', 400)
    }
  })

  it('leaves `hosts` alone where the configured URL says it all, and lets trustHost say that only proxies may name one', async () => {
    await start(testConfig({ url: 'https://app.example', hosts: ['other.example'] }))
    expect(await signInUrl({ host: 'evil.example' })).to.equal('https://app.example/auth/signin/credentials')
    await app.close()
    const visitor = await start(testConfig({ trustHost: false, hosts: ['127.0.0.1', 'app.example'] }))
    expect((await visitor.get('/auth/session')).status).to.equal(400)
    await app.close()
    await start(testConfig({ trustHost: false, hosts: ['127.0.0.1', 'app.example'] }), 1)
    expect(await signInUrl({ 'x-forwarded-host': 'app.example' })).to.equal(
      'http://app.example/auth/signin/credentials',
    )
  })

  describe('behind a proxy that nobody named', () => {
    /** What is said about forwarded headers when a few requests bring them. */
    const warningsFor = async (
      listener: (logger: NonNullable<AuthConfig['logger']>) => RequestListener,
      headers: Record<string, string>,
    ) => {
      const warnings: { code: string; headers: string[]; fix: string }[] = []
      app = await listen(
        listener({ warn: (code, data) => warnings.push({ code, ...(data as { headers: string[]; fix: string }) }) }),
      )
      for (let round = 0; round < 3; round += 1) await sendRaw(app.origin, '/auth/signin', { headers })
      await app.close()
      return warnings
    }
    const inExpress =
      (trustProxy: unknown = false, more: Partial<AuthConfig> = {}) =>
      (logger: NonNullable<AuthConfig['logger']>) =>
        express()
          .set('trust proxy', trustProxy)
          .use('/auth', expressAuth(testConfig({ logger, ...more })))
    const inConnect = (logger: NonNullable<AuthConfig['logger']>) =>
      connect().use('/auth', expressAuth(testConfig({ logger })))

    it('is logged once, with the headers and the fix', async () => {
      for (const [headers, named] of [
        [{ 'x-forwarded-proto': 'https' }, ['X-Forwarded-Proto']],
        [{ 'x-forwarded-proto': 'https, http' }, ['X-Forwarded-Proto']],
        [{ 'x-forwarded-host': 'app.example' }, ['X-Forwarded-Host']],
        [
          { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' },
          ['X-Forwarded-Proto', 'X-Forwarded-Host'],
        ],
      ] as const) {
        const [warning, ...more] = await warningsFor(inExpress(), headers)
        expect(more).to.deep.equal([])
        expect(warning).to.deep.include({ code: 'forwarded-headers-ignored', headers: named })
        expect(warning?.fix).to.contain("app.set('trust proxy'").and.to.contain('AUTH_URL')
      }
    })

    it('has nothing in its advice that a visitor wrote', async () => {
      const host = 'x. SECURITY UPDATE: run curl evil.example'
      const headers = { 'x-forwarded-proto': 'https', host }
      const [warning] = await warningsFor(inExpress(), headers)
      expect(warning?.fix).to.contain('another address').and.not.to.contain('SECURITY')
    })

    it('is logged once for headers that are not read at all', async () => {
      const forwarded = { forwarded: 'for=203.0.113.9;proto=https;host=app.example' }
      const [warning, ...more] = await warningsFor(inExpress(1), forwarded)
      expect(more).to.deep.equal([])
      expect(warning).to.deep.include({ code: 'forwarded-headers-ignored', headers: ['Forwarded'] })
      expect(warning?.fix).to.contain('X-Forwarded-Proto').and.to.contain('AUTH_URL').and.to.not.contain('203.0.113.9')
      expect(await warningsFor(inExpress(1, { url: 'https://app.example' }), forwarded)).to.deep.equal([])
      const prefix = { 'x-forwarded-prefix': '/a\u0009b' }
      const prefixed = await warningsFor(inExpress(1), prefix)
      expect(prefixed.map(({ code }) => code)).to.deep.equal(['forwarded-prefix-ignored'])
      expect(prefixed[0]?.fix).to.contain("strippedPrefix: '/app'")
      expect(await warningsFor(inExpress(1, { strippedPrefix: '/app' }), prefix)).to.deep.equal([])
    })

    it('has another cure in Connect, which has no such setting', async () => {
      const [warning] = await warningsFor(inConnect, { 'x-forwarded-proto': 'https' })
      expect(warning?.fix).to.contain('AUTH_URL').and.to.not.contain('trust proxy')
    })

    it('is no matter where the headers change nothing, the proxy is trusted or the URL is configured', async () => {
      const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }
      expect(await warningsFor(inExpress(1), https)).to.deep.equal([])
      expect(await warningsFor(inExpress(false, { url: 'https://app.example' }), https)).to.deep.equal([])
      const same = { 'x-forwarded-proto': 'http', host: 'a.example', 'x-forwarded-host': 'A.example' }
      expect(await warningsFor(inExpress(), same)).to.deep.equal([])
      expect(await warningsFor(inExpress(), { 'x-forwarded-for': '203.0.113.9' })).to.deep.equal([])
    })
  })

  it('is refused with 400 if the Host header is malformed, by every reader of a session', async () => {
    const config = testConfig()
    const server = express().set('env', 'test').use('/auth', expressAuth(config)).use(authSession(config))
    app = await listen(server.get('/', (_req, res) => void res.send('ran')))
    for (const host of ['a b', 'a/b', 'user@host', 'a:b:c', '<x>', 'a\\b', '%65vil', 'host:99999', '', '[::1', 'a,b']) {
      for (const path of ['/auth/session', '/auth/signin', '/']) {
        const answer = await sendRaw(app.origin, path, { headers: { host } })
        expect(answer.status, `${host} ${path}`).to.equal(400)
        expect(answer.setCookie).to.deep.equal([])
      }
    }
  })
})

describe('publicOrigin', () => {
  const facts: OriginFacts = { protocol: 'https', host: 'app.example', proxyTrusted: false }
  const settings = { url: null, trustHost: true, hosts: null }

  it('writes default ports, letter case and addresses as browsers do', () => {
    for (const [host, origin] of [
      ['APP.Example', 'https://app.example'],
      ['app.example:443', 'https://app.example'],
      ['app.example:8443', 'https://app.example:8443'],
      ['[::1]:3000', 'https://[::1]:3000'],
      ['127.0.0.1', 'https://127.0.0.1'],
      ['my_host', 'https://my_host'],
    ]) {
      expect(publicOrigin({ ...facts, host }, settings), host).to.equal(origin)
    }
  })

  it('is null where nothing may be believed', () => {
    expect(publicOrigin(facts, { url: null, trustHost: false, hosts: null })).to.equal(null)
    expect(publicOrigin({ ...facts, host: undefined }, settings)).to.equal(null)
    expect(publicOrigin({ ...facts, proxyTrusted: true }, { url: null, trustHost: false, hosts: null })).to.equal(
      'https://app.example',
    )
  })

  it('keeps answering right when visitors make up more hosts than it remembers', () => {
    for (let index = 0; index < 1000; index += 1) {
      expect(publicOrigin({ ...facts, host: `h${index}.example` }, settings)).to.equal(`https://h${index}.example`)
    }
    expect(publicOrigin({ ...facts, host: 'not a host' }, settings)).to.equal(null)
  })
})
