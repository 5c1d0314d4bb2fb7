import { expect } from 'chai'
import express from 'express'
import { type OriginFacts, publicOrigin } from '../../lib/http/origin.js'
import { type AuthConfig, authSession, expressAuth, getSession, UntrustedHost } from '../../lib/index.js'
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
      expect(
        await signInUrl({ 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'app.example, inner' }),
      ).to.equal('https://app.example/auth/signin/credentials')
      expect(await signInUrl({ 'x-forwarded-proto': 'https' })).to.equal(
        `${app.origin.replace('http', 'https')}/auth/signin/credentials`,
      )
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

  it('answers C500 in production where nothing tells the origin, and the log has the fix', async () => {
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

  it('is refused with 400 where the Host header is none, by every way to a session', async () => {
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
  const settings = { url: null, trustHost: true }

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
    expect(publicOrigin(facts, { url: null, trustHost: false })).to.equal(null)
    expect(publicOrigin({ ...facts, host: undefined }, settings)).to.equal(null)
    expect(publicOrigin({ ...facts, proxyTrusted: true }, { url: null, trustHost: false })).to.equal(
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
