import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import AuthJsCredentials from '@auth/core/providers/credentials'
import { UnstorageAdapter } from '@auth/unstorage-adapter'
import { expect } from 'chai'
import { createStorage } from 'unstorage'
import NextAuth, { type NextAuthConfig } from '../../lib/frameworks/next/index.js'
import { getSession, SolidAuth } from '../../lib/frameworks/solid-start/index.js'
import type { AuthConfig, Provider, Session } from '../../lib/index.js'
import { eventAt, run, SvelteKitAuth } from '../frameworks/sveltekit/fake-kit.js'
import { ADA, createLog, SECRET } from '../support/app.js'
import { type FrameworkPackages, installFrameworkPackages, type Serve } from '../support/framework-packages.js'

type PackageName = keyof FrameworkPackages['serve']

const SESSION = 'authjs.session-token'
const USER = { name: 'Ada', email: 'ada@example.com' }

/** An integration of Latchkey: what it answers at its mount, and the session that pages get from it. */
interface Integration {
  /** Path of the mount, which the package has too. */
  readonly mount: string
  /** Options that the package needs. */
  readonly needs?: Partial<AuthConfig>
  serve(config: AuthConfig): Serve
  session(config: AuthConfig, request: Request): Promise<Session | null>
}

function eventOf(request: Request) {
  const headers = { cookie: request.headers.get('cookie') ?? '' }
  return { ...eventAt('/', { headers }), request, url: new URL(request.url) }
}

const INTEGRATIONS: Readonly<Record<PackageName, Integration>> = {
  'next-auth': {
    mount: '/api/auth',
    serve(config) {
      const { handlers } = NextAuth(config as NextAuthConfig)
      return (request) => handlers[request.method as 'GET' | 'POST'](request as never)
    },
    async session(config, request) {
      const req = new IncomingMessage(new Socket())
      Object.assign(req.headers, Object.fromEntries(request.headers))
      return NextAuth(config as NextAuthConfig).auth(req, new ServerResponse(req))
    },
  },
  '@auth/sveltekit': {
    mount: '/auth',
    serve(config) {
      const auth = SvelteKitAuth(config)
      return (request) => run(auth, eventOf(request))
    },
    async session(config, request) {
      const response = await run(SvelteKitAuth(config), eventOf(request), ({ locals }) => locals.auth())
      return (await response.json()) as Session | null
    },
  },
  '@auth/solid-start': {
    mount: '/api/auth',
    // Its handlers are at this path by default, and @auth/core is not told so.
    needs: { basePath: '/api/auth' },
    serve(config) {
      const handlers = SolidAuth(config)
      return async (request) => (await handlers[request.method as 'GET' | 'POST']({ request })) as Response
    },
    session: (config, request) => getSession(request, config),
  },
}

/** A browser: it keeps cookies, and sends them to whoever serves the mount now. */
class Browser {
  readonly jar = new Map<string, string>()
  constructor(
    readonly origin: string,
    public serve: Serve,
  ) {}

  request(path: string, form?: Record<string, string>): Request {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const url = new URL(path, this.origin)
    const headers = { host: url.host, cookie, 'x-forwarded-proto': url.protocol.slice(0, -1) }
    if (!form) return new Request(url, { headers })
    const own = { ...headers, origin: this.origin, 'sec-fetch-site': 'same-origin' }
    return new Request(url, { method: 'POST', headers: own, body: new URLSearchParams(form) })
  }

  async visit(path: string, form?: Record<string, string>): Promise<Response> {
    const response = await this.serve(this.request(path, form))
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(text)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return response
  }

  async post(mount: string, path: string, fields: Record<string, string>): Promise<Response> {
    // @auth/sveltekit leaves forms to SvelteKit, and has no token.
    const answer = await this.visit(`${mount}/csrf`)
    const token = answer.ok ? ((await answer.json()) as { csrfToken: string }) : {}
    return this.visit(mount + path, { ...token, ...fields })
  }

  sessionCookies = () => [...this.jar.keys()].filter((name) => name.includes('session-token'))
}

/** The same options for either package. Auth.js writes into the object that it gets, so each gets one of its own. */
const configOf = (more: Partial<AuthConfig> = {}): AuthConfig => ({
  providers: [
    AuthJsCredentials({
      credentials: { username: {}, password: { type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'lovelace' ? { id: '1815', ...USER } : null,
    }) as unknown as Provider,
  ],
  secret: SECRET,
  trustHost: true,
  logger: createLog().logger,
  ...more,
})

const heavy: AuthConfig['callbacks'] = {
  jwt: ({ token, trigger }) => (trigger === 'signIn' ? { ...token, weight: 'w'.repeat(5000) } : token),
}

const HTTPS = 'https://app.example'
const VARIANTS: Record<string, { origin: string; config?: Partial<AuthConfig>; names: readonly string[] }> = {
  'over https': { origin: HTTPS, names: [`__Secure-${SESSION}`] },
  'over http': { origin: 'http://app.example', names: [SESSION] },
  'in pieces': {
    origin: HTTPS,
    config: { callbacks: heavy },
    names: [`__Secure-${SESSION}.0`, `__Secure-${SESSION}.1`],
  },
}

describe('an app of another framework that changes its import', function () {
  this.timeout(180_000)
  let packages: FrameworkPackages

  before(async () => {
    packages = await installFrameworkPackages()
  })
  after(() => packages?.remove())

  for (const [name, { mount, needs, serve, session }] of Object.entries(INTEGRATIONS) as [PackageName, Integration][]) {
    for (const [variant, { origin, config = {}, names }] of Object.entries(VARIANTS)) {
      it(`from ${name} keeps its visitors signed in, and back: ${variant}`, async () => {
        const theirs = packages.serve[name](configOf({ ...needs, ...config }))
        const options = configOf(config)
        const ours = serve(options)
        const browser = new Browser(origin, theirs)
        await browser.post(mount, '/callback/credentials', ADA)
        expect(browser.sessionCookies()).to.deep.equal(names)

        expect((await session(options, browser.request('/')))?.user, 'for a page').to.include(USER)
        browser.serve = ours
        const shown = async () => ((await (await browser.visit(`${mount}/session`)).json()) as Session | null)?.user
        expect(await shown(), 'at the mount').to.include(USER)
        expect(browser.sessionCookies()).to.deep.equal(names)

        browser.serve = theirs
        expect(await shown(), 'a move can be taken back').to.include(USER)

        browser.serve = ours
        await browser.post(mount, '/signout', {})
        expect(browser.sessionCookies()).to.deep.equal([])
      })
    }

    it(`from ${name} keeps its visitors signed in by stored sessions`, async () => {
      const links: string[] = []
      const storage = createStorage()
      const stored = () =>
        configOf({
          ...needs,
          adapter: UnstorageAdapter(storage) as unknown as NonNullable<AuthConfig['adapter']>,
          session: { strategy: 'database' },
          providers: [
            {
              id: 'mail',
              name: 'Mail',
              type: 'email',
              from: 'notes@example.com',
              maxAge: 600,
              options: {},
              sendVerificationRequest: ({ url }: { url: string }) => void links.push(url),
            } as unknown as Provider,
          ],
        })
      const theirs = packages.serve[name](stored())
      const browser = new Browser(HTTPS, theirs)
      await browser.post(mount, '/signin/mail', { email: USER.email })
      const { pathname, search } = new URL(links[0] ?? '')
      await browser.visit(pathname + search)
      expect(browser.sessionCookies()).to.deep.equal([`__Secure-${SESSION}`])

      const options = stored()
      expect((await session(options, browser.request('/')))?.user).to.include({ email: USER.email })
      browser.serve = serve(options)
      const { user } = (await (await browser.visit(`${mount}/session`)).json()) as Session
      expect(user).to.include({ email: USER.email })
      const copy = browser.request(`${mount}/session`)
      await browser.post(mount, '/signout', {})
      expect(await (await theirs(copy)).json(), 'the row is gone').to.equal(null)
    })
  }

  it('from next-auth 4 asks its visitors to sign in again: name and key of the cookie are others', async () => {
    const value = await packages.encodeOfVersion4({ token: { sub: '1815', ...USER }, secret: SECRET })
    const { logger, errors } = createLog()
    for (const [name, config] of [
      ['__Secure-next-auth.session-token', configOf({ logger })],
      ['my.session', configOf({ logger, cookies: { sessionToken: { name: 'my.session' } } })],
    ] as const) {
      const { mount, serve, session } = INTEGRATIONS['next-auth']
      const browser = new Browser(HTTPS, serve(config))
      browser.jar.set(name, value)
      expect(await session(config, browser.request('/')), name).to.equal(null)
      await browser.post(mount, '/callback/credentials', ADA)
      expect((await session(config, browser.request('/')))?.user, `${name}, signed in again`).to.include(USER)
    }
    expect(errors).to.deep.equal([])
  })

  it('from next-auth 4 keeps its visitors signed in by stored sessions, under the old name of the cookie', async () => {
    const adapter = UnstorageAdapter(createStorage())
    const user = await adapter.createUser?.({ id: '1815', ...USER, emailVerified: null })
    const sessionToken = '6f0ad2b0-6d1c-4a8e-9a4a-0c8c1f1f6c11'
    await adapter.createSession?.({ sessionToken, userId: user?.id ?? '', expires: new Date(Date.now() + 600_000) })
    const config = configOf({
      adapter: adapter as unknown as NonNullable<AuthConfig['adapter']>,
      session: { strategy: 'database' },
      cookies: { sessionToken: { name: '__Secure-next-auth.session-token' } },
      providers: [],
    })
    const { serve, session } = INTEGRATIONS['next-auth']
    const browser = new Browser(HTTPS, serve(config))
    browser.jar.set('__Secure-next-auth.session-token', sessionToken)
    expect((await session(config, browser.request('/')))?.user).to.include({ email: USER.email })
  })
})
