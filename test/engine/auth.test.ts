import { expect } from 'chai'
import { Auth, type AuthConfig, createActionURL, raw } from '../../lib/index.js'
import { ADA, createLog, testConfig } from '../support/app.js'
import { written } from '../support/console.js'
import { withEnv } from '../support/env.js'

const ORIGIN = 'https://app.example'
const request = (path: string, init?: RequestInit) => new Request(ORIGIN + path, init)

/** Signs Ada in without any server. */
async function signIn(config: AuthConfig) {
  const csrf = await Auth(request('/auth/csrf'), config)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers
    .getSetCookie()
    .map((text) => text.split(';', 1)[0])
    .join('; ')
  return { cookie, body: new URLSearchParams({ csrfToken, ...ADA, callbackUrl: '/in' }) }
}

describe('Auth', () => {
  it('answers a web Request with a Response, every cookie a header of its own', async () => {
    const config = testConfig()
    const { cookie, body } = await signIn(config)
    const answer = await Auth(
      request('/auth/callback/credentials', { method: 'POST', body, headers: { cookie } }),
      config,
    )
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, `${ORIGIN}/in`])
    const session = answer.headers.getSetCookie().find((text) => text.startsWith('__Secure-authjs.session-token='))
    const seen = await Auth(request('/auth/session', { headers: { cookie: session?.split(';', 1)[0] ?? '' } }), config)
    expect(((await seen.json()) as { user: object }).user).to.deep.equal({
      name: 'Ada',
      email: 'ada@example.com',
      image: null,
    })
  })

  it('gives a ResponseInternal with raw', async () => {
    const config = testConfig()
    const { cookie, body } = await signIn(config)
    const init = { method: 'POST', body, headers: { cookie } }
    const answer = await Auth(request('/auth/callback/credentials', init), { ...config, raw })
    expect(answer).to.include({ status: 302, redirect: `${ORIGIN}/in` })
    expect(answer.cookies?.map(({ name }) => name)).to.include('__Secure-authjs.session-token')
    const json = await Auth(request('/auth/session', { headers: { 'x-auth-return-redirect': '1' } }), {
      ...config,
      raw,
    })
    expect([json.status, json.body]).to.deep.equal([200, 'null'])
  })

  it('is served under basePath, /auth by default', async () => {
    expect((await Auth(request('/auth/session'), testConfig())).status).to.equal(200)
    expect((await Auth(request('/api/auth/session'), testConfig({ basePath: '/api/auth' }))).status).to.equal(200)
    expect((await Auth(request('/session'), testConfig({ basePath: '/' }))).status).to.equal(200)
    for (const path of ['/api/auth/session', '/session', '/authx/session', '/']) {
      expect((await Auth(request(path), testConfig())).status, path).to.equal(404)
    }
  })

  it('makes its URLs from config.url, whatever host was asked', async () => {
    const answer = await Auth(request('/auth/providers'), testConfig({ url: 'https://public.example' }))
    const { credentials } = (await answer.json()) as { credentials: { signinUrl: string } }
    expect(credentials.signinUrl).to.equal('https://public.example/auth/signin/credentials')
  })

  it('answers HEAD without a body', async () => {
    const answer = await Auth(request('/auth/providers', { method: 'HEAD' }), testConfig())
    expect([answer.status, await answer.text()]).to.deep.equal([200, ''])
  })

  it('takes the configuration from a function of the request', async () => {
    const configs = [testConfig(), testConfig({ basePath: '/b' })] as const
    const choose = async ({ url }: Request) => configs[url.includes('/b/') ? 1 : 0]
    expect((await Auth(request('/auth/session'), choose)).status).to.equal(200)
    expect((await Auth(request('/b/session'), choose)).status).to.equal(200)
  })

  it('answers C500 for what cannot work, as JSON and as a page, and logs why', async () => {
    const log = createLog()
    const broken: AuthConfig = { providers: [], secret: '', logger: log.logger }
    const answer = await Auth(request('/auth/session'), broken)
    expect([answer.status, await answer.json()]).to.deep.equal([
      500,
      { message: 'There was a problem with the server configuration. Check the server logs for more information.' },
    ])
    for (const page of ['signin', 'signout', 'error', 'verify-request']) {
      const shown = await Auth(request(`/auth/${page}`), broken)
      expect([shown.status, shown.headers.get('content-type'), shown.headers.getSetCookie()], page).to.deep.equal([
        500,
        'text/html; charset=utf-8',
        [],
      ])
      expect(await shown.text()).to.contain('href="/auth/signin"')
    }
    const tricked = await Auth(request('//evil.example/signin'), broken)
    expect(await tricked.text()).to.not.contain('href="//')
    expect(
      log.errors.map(({ name }) => name),
      'one fault, logged once',
    ).to.deep.equal(['MissingSecretError'])
  })

  it('answers C500 where the function of the request gives nothing', async () => {
    const lines = await written(async () => {
      const answer = await Auth(request('/auth/session'), (async () => undefined) as never)
      expect(answer.status).to.equal(500)
    })
    expect(lines.join()).to.match(/of type undefined/)
  })

  it('answers C500 where the host is not trusted (CVE-2026-73421)', async () => {
    const log = createLog()
    await withEnv({ NODE_ENV: 'production' }, async () => {
      const answer = await Auth(request('/auth/session'), testConfig({ logger: log.logger }))
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([500, 'application/json'])
      const sent = new Request(request('/auth/callback/credentials'), {
        method: 'POST',
        headers: { accept: 'text/html' },
      })
      const page = await Auth(sent, testConfig({ logger: log.logger }))
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([500, 'text/html; charset=utf-8'])
    })
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['UntrustedHost', 'UntrustedHost'])
  })

  it('gives pages no stack and no cause of a fault (WEB-06)', async () => {
    const config = testConfig({ callbacks: { redirect: () => Promise.reject(new Error('marked cause')) } })
    for (const path of [
      '/auth/signin?callbackUrl=/x',
      '/auth/session?callbackUrl=/x',
      '/auth/providers?callbackUrl=/x',
    ]) {
      const answer = await Auth(request(path), config)
      expect(`${await answer.text()} ${answer.headers.get('location')}`, path).to.not.match(/marked|at .*\.ts/)
      expect(answer.headers.getSetCookie(), path).to.deep.equal([])
    }
  })
})

describe('createActionURL', () => {
  const url = (
    headers: Record<string, string>,
    env: Record<string, string>,
    config: { basePath?: string },
    protocol = 'http',
  ) => createActionURL('signin', protocol, new Headers(headers), env, { ...config, logger: createLog().logger }).href

  it('is made from forwarded headers, the Host header or AUTH_URL', () => {
    for (const [headers, env, config, protocol, expected] of [
      [{ host: 'app.example' }, {}, { basePath: '/auth' }, 'https', 'https://app.example/auth/signin'],
      [{ host: 'app.example' }, {}, { basePath: '/auth' }, 'http:', 'http://app.example/auth/signin'],
      [
        { host: 'inner', 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' },
        {},
        {},
        'http',
        'https://app.example/signin',
      ],
      [
        { host: 'inner', 'x-forwarded-host': 'evil.example, a.example', 'x-forwarded-proto': 'http,https' },
        {},
        {},
        'http',
        'https://a.example/signin',
      ],
      [
        { host: 'x' },
        { AUTH_URL: 'https://env.example' },
        { basePath: '/auth' },
        'http',
        'https://env.example/auth/signin',
      ],
      [{ host: 'x' }, { AUTH_URL: 'https://env.example/api/auth' }, {}, 'http', 'https://env.example/api/auth/signin'],
      [
        { host: 'x' },
        { NEXTAUTH_URL: 'https://old.example/' },
        { basePath: '/auth/' },
        'http',
        'https://old.example/auth/signin',
      ],
      [{ host: 'app.example' }, {}, { basePath: '/' }, 'https', 'https://app.example/signin'],
    ] as const) {
      expect(url(headers as Record<string, string>, env as Record<string, string>, config, protocol)).to.equal(expected)
    }
  })

  it('warns where AUTH_URL and basePath disagree, and basePath wins', () => {
    const log = createLog()
    const env = { AUTH_URL: 'https://env.example/api/auth' }
    const made = createActionURL('session', 'https', new Headers(), env, { basePath: '/auth', logger: log.logger })
    expect([made.href, log.warnings]).to.deep.equal(['https://env.example/auth/session', ['env-url-basepath-mismatch']])
    createActionURL('session', 'https', new Headers(), env, { basePath: '/api/auth', logger: log.logger })
    expect(log.warnings).to.have.length(1)
  })
})
