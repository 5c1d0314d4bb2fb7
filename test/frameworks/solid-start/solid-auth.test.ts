import { Auth as AuthJs, type AuthConfig as AuthJsConfig, skipCSRFCheck } from '@auth/core'
import AuthJsCredentials from '@auth/core/providers/credentials'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import {
  type APIHandler,
  getSession,
  SolidAuth,
  type SolidAuthConfig,
  signIn,
} from '../../../lib/frameworks/solid-start/index.js'
import { ADA, SECRET, testConfig } from '../../support/app.js'
import { failure } from '../../support/oauth-driver.js'
import { ORIGIN, OWN_PAGE } from '../../support/web-app.js'
import { cookiesFrom, event } from './event.js'

const config = (more: Partial<SolidAuthConfig> = {}): SolidAuthConfig => ({ ...testConfig(), url: ORIGIN, ...more })
const get = (handler: APIHandler, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  handler(event(path, headers, method))

/** The cookies of Ada's browser. */
async function signedIn(options: SolidAuthConfig): Promise<string> {
  const at = event('/_server', OWN_PAGE, 'POST')
  await signIn(at, options, 'credentials', { ...ADA, redirect: false })
  return cookiesFrom(at.response.headers)
}

describe('SolidAuth(config)', () => {
  it('serves the mount at /api/auth, with links of the public origin', async () => {
    const { GET } = SolidAuth(config())
    const page = await get(GET, '/api/auth/signin', { accept: 'text/html' })
    expect(page?.status).to.equal(200)
    const html = await page?.text()
    expect(html).to.include(`${ORIGIN}/api/auth/callback/credentials`).and.not.include('inner:3000')
    const head = await get(GET, '/api/auth/signin', {}, 'HEAD')
    expect([head?.status, await head?.text()]).to.deep.equal([200, ''])
  })

  it('leaves every other path to SolidStart', async () => {
    const { GET, POST } = SolidAuth(config())
    for (const path of ['/', '/api/authors', '/api'])
      expect([await get(GET, path), await get(POST, path, {}, 'POST')]).to.deep.equal([undefined, undefined])
  })

  it('takes the prefix of @auth/solid-start; basePath comes first', async () => {
    expect((await get(SolidAuth(config({ prefix: '/id' })).GET, '/id/providers'))?.status).to.equal(200)
    const both = SolidAuth(config({ prefix: '/id', basePath: '/login' })).GET
    expect(await get(both, '/id/providers')).to.equal(undefined)
    expect((await get(both, '/login/providers'))?.status).to.equal(200)
  })

  it('keeps what a configuration with a prefix inherits', async () => {
    class Options implements SolidAuthConfig {
      readonly prefix = '/id'
      readonly url = ORIGIN
      get providers() {
        return testConfig().providers
      }
      get secret() {
        return SECRET
      }
    }
    expect((await get(SolidAuth(new Options()).GET, '/id/providers'))?.status).to.equal(200)
  })

  it('has one engine for a configuration, whatever uses it', async () => {
    const options = config({ prefix: '/id', adapter: memoryAdapter(), session: { strategy: 'jwt' } })
    const cookie = await signedIn(options)
    const session = await get(SolidAuth(options).GET, '/id/session', { cookie })
    const { id, ...user } = (await getSession(event('/', { cookie }).request, options))?.user ?? {}
    expect(id).to.be.a('string')
    expect(await session?.json()).to.deep.include({ user })
  })

  it('fails at the start when the configuration cannot work, and names the cure', () => {
    expect(() => SolidAuth({ ...config(), provider: [] } as never)).to.throw(/providers/)
    expect(() => SolidAuth(undefined as never)).to.throw(/SolidAuth\(config\)/)
  })

  it('takes a function of the request, and answers 500 where what it gives cannot work', async () => {
    const tenants: Record<string, SolidAuthConfig> = {
      '/good': config({ prefix: '/good' }),
      '/bad': { ...config(), basePath: '/bad', pages: 5 } as never,
    }
    const { GET } = SolidAuth(({ url }) => tenants[`/${new URL(url).pathname.split('/')[1]}`] as SolidAuthConfig)
    expect((await get(GET, '/good/providers'))?.status).to.equal(200)
    expect((await get(GET, '/bad/session'))?.status).to.equal(500)
  })

  it('forms of the mount need the CSRF token, since SolidStart has no check of its own', async () => {
    const { POST } = SolidAuth(config())
    const headers = { ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' }
    const request = new Request('http://inner:3000/api/auth/callback/credentials', {
      method: 'POST',
      headers,
      body: new URLSearchParams(ADA),
    })
    const answer = await POST({ request })
    expect(answer?.headers.get('location')).to.include('error=MissingCSRF')
    expect(answer?.headers.getSetCookie().join()).not.to.include('session-token')
  })
})

describe("a client's X-Forwarded-Proto", () => {
  const forged = { host: 'app.example', 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' }

  it('changes nothing where the URL is configured', async () => {
    const { GET } = SolidAuth(config())
    const csrf = await get(GET, '/api/auth/csrf', forged)
    for (const cookie of csrf?.headers.getSetCookie() ?? []) expect(cookie).to.match(/^__(?:Host|Secure)-.*; Secure/i)
    const page = await get(GET, '/api/auth/signin', { ...forged, accept: 'text/html' })
    expect(await page?.text()).not.to.match(/http:\/\/app|evil\.example/)
    const cookie = await signedIn(config())
    expect((await getSession(event('/', { ...forged, cookie }).request, config()))?.user?.name).to.equal('Ada')
  })

  it('is not believed where nothing is: the mount says so, and nobody is signed in', async () => {
    const options = config({ url: undefined as never, trustHost: false })
    expect((await get(SolidAuth(options).GET, '/api/auth/signin', forged))?.status).to.equal(500)
    await failure(getSession(event('/', forged).request, options), 'UntrustedHost')
  })

  it('is that of the nearest proxy where proxies are trusted, whatever the client sent first', async () => {
    const options = config({ url: undefined as never, trustHost: true })
    const headers = { host: 'app.example', 'x-forwarded-proto': 'http, https' }
    const page = await get(SolidAuth(options).GET, '/api/auth/signin', { ...headers, accept: 'text/html' })
    expect(await page?.text()).to.include('https://app.example/api/auth/callback/credentials')
  })
})

describe('getSession(request, config)', () => {
  it('reads the session and does not renew it', async () => {
    const options = config({ session: { updateAge: 0 } })
    const cookie = await signedIn(options)
    expect((await getSession(event('/', { cookie }).request, options))?.user).to.include({ name: 'Ada' })
    expect(await getSession(event('/').request, options)).to.equal(null)
  })

  it('throws where the store fails, and never says that nobody is signed in', async () => {
    const adapter = { ...memoryAdapter(), getSessionAndUser: () => Promise.reject(new Error('down')) }
    const github = { id: 'github', name: 'GitHub', type: 'oauth', clientId: 'id', clientSecret: 'secret' } as const
    const endpoints = { authorization: `${ORIGIN}/a`, token: `${ORIGIN}/t`, userinfo: `${ORIGIN}/u` }
    const options = config({ adapter, providers: [{ ...github, ...endpoints }], session: { strategy: 'database' } })
    const cookie = '__Secure-authjs.session-token=5a0f8a52-5d0b-4f3c-9a5e-1d4c7d1f6f0a'
    await failure(getSession(event('/', { cookie }).request, options), 'SessionTokenError')
  })

  it('finds the session of a visitor who signed in with @auth/core, by the defaults of @auth/solid-start', async () => {
    const theirs: AuthJsConfig = {
      basePath: '/api/auth',
      secret: SECRET,
      trustHost: true,
      skipCSRFCheck,
      providers: [AuthJsCredentials({ credentials: {}, authorize: () => ({ id: '1815', name: 'Ada' }) })],
    }
    for (const origin of ['http://localhost:3000', ORIGIN]) {
      const answer = (await AuthJs(
        new Request(`${origin}/api/auth/callback/credentials`, { method: 'POST', body: new URLSearchParams(ADA) }),
        theirs,
      )) as Response
      const request = new Request(`${origin}/`, { headers: { cookie: cookiesFrom(answer.headers) } })
      const session = await getSession(request, { ...config(), url: origin })
      expect(session?.user?.name, origin).to.equal('Ada')
    }
  })
})
