import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import {
  type CookieChange,
  type GuardOptions,
  prepareWebAuth,
  privateByDefault,
  type RequestAuth,
  webAuth,
} from '../../../lib/frameworks/web/index.js'
import type { AuthConfig, Session } from '../../../lib/index.js'
import { CredentialsSignin, InvalidConfiguration, MissingCSRF } from '../../../lib/kernel/errors.js'
import { ADA, createLog } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { failure } from '../../support/oauth-driver.js'
import { github, ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'

const requestWith = (headers: Record<string, string>) => ({ headers: new Headers(headers) })
const cookieHeader = (cookies: readonly CookieChange[]) =>
  cookies
    .filter(({ options }) => options.maxAge !== 0)
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')

/** Ada signs in by code of the application; the cookies that her browser then has. */
async function signedIn(options: AuthConfig): Promise<string> {
  const visitor = webAuth(options).forRequest(requestWith(OWN_PAGE))
  return cookieHeader((await visitor.signIn({ provider: 'credentials', fields: ADA })).cookies)
}

describe('webAuth(config)', () => {
  it('serves the mount, at the path that the integration has by default', async () => {
    const auth = webAuth(webConfig(), { basePath: '/api/auth' })
    expect([auth.basePath, auth.isServed('/api/auth/signin'), auth.isServed('/api/authors')]).to.deep.equal([
      '/api/auth',
      true,
      false,
    ])
    const page = await auth.serve(
      new Request('http://0.0.0.0:3000/api/auth/signin', { headers: { accept: 'text/html' } }),
    )
    expect(page.status).to.equal(200)
    expect(await page.text())
      .to.include(`${ORIGIN}/api/auth/callback/credentials`)
      .and.not.include('0.0.0.0')
    const head = await auth.serve(new Request(`${ORIGIN}/api/auth/signin`, { method: 'HEAD' }))
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
  })

  it('keeps the path of the configuration, and that of its URL', () => {
    expect(webAuth(webConfig({ basePath: '/id' }), { basePath: '/api/auth' }).basePath).to.equal('/id')
    expect(webAuth(webConfig({ url: `${ORIGIN}/login` }), { basePath: '/api/auth' }).basePath).to.equal('/login')
  })

  it('resolves one configuration once, and says at once what cannot work', () => {
    const log = createLog()
    const options = webConfig({ secret: 'short', logger: log.logger })
    webAuth(options)
    webAuth(options)
    expect(log.warnings).to.deep.equal(['weak-secret'])
    expect(() => prepareWebAuth({ providers: [], secret: 'x', pages: 5 } as never)).to.throw(/pages/)
  })

  it('takes a function of the request, and answers 500 where what it gives cannot work', async () => {
    const log = createLog()
    const tenants: Record<string, AuthConfig> = {
      good: webConfig(),
      bad: { providers: [], secret: 'x', pages: 5, logger: log.logger } as never,
    }
    const authOf = prepareWebAuth((tenant: string) => tenants[tenant] as AuthConfig, { basePath: '/api/auth' })
    expect((await (await authOf('good')).serve(new Request(`${ORIGIN}/api/auth/providers`))).status).to.equal(200)
    const bad = await authOf('bad')
    expect((await bad.serve(new Request(`${ORIGIN}/api/auth/session`))).status).to.equal(500)
    expect(() => bad.forRequest(requestWith({}))).to.throw(/pages/)
    expect(log.errors).to.have.length(1)
  })
})

describe('the public origin of a web request', () => {
  const seen = async (options: Partial<AuthConfig>, headers: Record<string, string>, facts = {}) => {
    const auth = webAuth(webConfig({ url: undefined as never, ...options }))
    const answer = await auth.serve(new Request('http://0.0.0.0:3000/auth/providers', { headers }), facts)
    if (answer.status !== 200) return answer.status
    return new URL(((await answer.json()) as { github: { signinUrl: string } }).github.signinUrl).origin
  }
  const proxied = { host: 'inner:3000', 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' }

  it('is that of the host, and never that which a framework made up', async () => {
    expect(await seen({ trustHost: true }, { host: 'app.example' })).to.equal('http://app.example')
    expect(await seen({ trustHost: true }, { host: 'x' }, { protocol: 'https', host: 'shop.example' })).to.equal(
      'https://shop.example',
    )
  })

  it('is what a proxy forwarded, where the configuration trusts the request', async () => {
    expect(await seen({ trustHost: true }, proxied)).to.equal(ORIGIN)
    expect(await seen({ hosts: ['app.example'] }, proxied)).to.equal(ORIGIN)
    const twice = { ...proxied, 'x-forwarded-host': 'evil.example, app.example', 'x-forwarded-proto': 'http, https' }
    expect(await seen({ trustHost: true }, twice)).to.equal(ORIGIN)
  })

  it('is what anybody forwards under trustHost alone, which a warning says once (forged X-Forwarded-Host)', async () => {
    const warningsOf = async (options: Partial<AuthConfig>, headers: Record<string, string>) => {
      const { logger, warnings } = createLog()
      const auth = webAuth(webConfig({ url: undefined as never, trustHost: true, logger, ...options }))
      for (let visits = 0; visits < 2; visits += 1)
        await auth.serve(new Request('http://0.0.0.0:3000/auth/providers', { headers }))
      await auth.forRequest(requestWith(headers)).getSession()
      return warnings
    }
    expect(await warningsOf({}, proxied)).to.deep.equal(['forwarded-host-trusted'])
    expect(await warningsOf({}, { ...proxied, host: 'App.Example' }), 'a proxy that keeps Host').to.deep.equal([])
    expect(await warningsOf({}, { host: 'app.example', 'x-forwarded-proto': 'https' })).to.deep.equal([])
    expect(await warningsOf({ hosts: ['app.example'] }, proxied)).to.deep.equal([])
    expect(await warningsOf({ url: ORIGIN }, proxied)).to.deep.equal([])
  })

  it('is refused where nothing is trusted, and where the host is none of the configured (HOST)', async () => {
    expect(await seen({ trustHost: false }, proxied)).to.equal(500)
    expect(await seen({ hosts: ['other.example'] }, proxied)).to.equal(400)
  })

  it('is the configured URL whatever the request says', async () => {
    expect(await seen({ url: 'https://fixed.example' }, proxied)).to.equal('https://fixed.example')
  })
})

describe('an answer that depends on the visitor', () => {
  it('is kept by no cache, unless the application says otherwise (COOKIE-12)', () => {
    const caching = (headers: Record<string, string>, status = 200) => {
      const answer = privateByDefault(new Response(null, { status, headers }))
      return [answer.headers.get('cache-control'), answer.headers.get('vary')]
    }
    expect(caching({})).to.deep.equal(['private, no-cache, no-store', 'Cookie'])
    expect(caching({ vary: 'Accept' })).to.deep.equal(['private, no-cache, no-store', 'Accept, Cookie'])
    expect(caching({ 'cache-control': 'max-age=5' })).to.deep.equal(['max-age=5', 'Cookie'])
    expect(caching({ 'cdn-cache-control': 'max-age=5' })).to.deep.equal([null, 'Cookie'])
    expect(caching({}, 304), 'what a browser has kept').to.deep.equal([null, null])
  })
})

describe('a session read by code', () => {
  it('is found by the cookies as they are now, though the request came without them', async () => {
    const options = webConfig()
    const cookies = await signedIn(options)
    const auth = webAuth(options)
    expect(await auth.forRequest(requestWith({})).getSession()).to.equal(null)
    expect((await auth.forRequest(requestWith({}), { cookies }).getSession())?.user).to.include({ name: 'Ada' })
    const gone = auth.forRequest(requestWith({ cookie: cookies }), { cookies: '' })
    expect(await gone.getSession()).to.equal(null)
  })

  it('is changed, with the cookies to set', async () => {
    const options = webConfig({
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.name } : token),
      },
    })
    const visitor = webAuth(options).forRequest(requestWith({ ...OWN_PAGE, cookie: await signedIn(options) }))
    const { session, cookies } = await visitor.updateSession({ name: 'Augusta' })
    expect(session?.user?.name).to.equal('Augusta')
    const next = webAuth(options).forRequest(requestWith({ cookie: cookieHeader(cookies) }))
    expect((await next.renewSession()).session?.user?.name).to.equal('Augusta')
  })

  it('is a fault where the store fails, never nobody', async () => {
    const adapter = { ...memoryAdapter(), getSessionAndUser: () => Promise.reject(new Error('down')) }
    const options = webConfig({ adapter, providers: [github], session: { strategy: 'database' } })
    const cookie = '__Secure-authjs.session-token=5a0f8a52-5d0b-4f3c-9a5e-1d4c7d1f6f0a'
    const visitor = webAuth(options).forRequest(requestWith({ ...OWN_PAGE, cookie }))
    for (const work of [visitor.getSession(), visitor.renewSession(), visitor.updateSession({})])
      await failure(work, 'SessionTokenError')
    expect((await visitor.guard()).response?.status).to.equal(503)
  })
})

describe('a sign-in by code', () => {
  const visitorOf = (options: AuthConfig, headers: Record<string, string> = OWN_PAGE) =>
    webAuth(options).forRequest(requestWith(headers))

  it('sends to the provider with the parameters, and comes back to the page it began on', async () => {
    const visitor = visitorOf(webConfig())
    for (const authorizationParams of [
      { prompt: 'login' },
      'prompt=login',
      new URLSearchParams('prompt=login'),
      [['prompt', 'login']],
    ]) {
      const { url, cookies } = await visitor.signIn({ provider: 'github', authorizationParams })
      const target = new URL(url)
      expect(target.origin).to.equal('https://github.example')
      expect(target.searchParams.get('prompt')).to.equal('login')
      expect(target.searchParams.get('redirect_uri')).to.equal(`${ORIGIN}/auth/callback/github`)
      expect(cookies.find(({ name }) => name.endsWith('callback-url'))?.value).to.equal(`${ORIGIN}/notes`)
    }
  })

  it('without a provider, as with an empty field of a form, leads to the sign-in page', async () => {
    for (const provider of [undefined, null, ''])
      expect((await visitorOf(webConfig()).signIn({ provider, redirectTo: '/papers' })).url).to.equal(
        `${ORIGIN}/auth/signin`,
      )
  })

  it('with credentials throws for a wrong password, in the log without a stack', async () => {
    const log = createLog()
    const visitor = visitorOf(webConfig({ logger: log.logger }))
    const error = await failure(
      visitor.signIn({ provider: 'credentials', fields: { ...ADA, password: 'x' } }),
      'CredentialsSignin',
    )
    expect(error).to.be.instanceOf(CredentialsSignin)
    expect(log.infos).to.have.length(1)
    const { url, cookies } = await visitor.signIn({ provider: 'credentials', fields: ADA, redirectTo: '/papers' })
    expect(url).to.equal(`${ORIGIN}/papers`)
    expect(cookies.map(({ name }) => name)).to.include('__Secure-authjs.session-token')
  })

  it('leads nowhere else: a target on another site is none', async () => {
    for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/\\evil.example']) {
      const { url } = await visitorOf(webConfig()).signIn({ provider: 'credentials', fields: ADA, redirectTo })
      expect(new URL(url).origin, redirectTo).to.equal(ORIGIN)
    }
    const strange = { ...OWN_PAGE, referer: 'https://evil.example/' }
    expect((await visitorOf(webConfig(), strange).signIn({ provider: 'credentials', fields: ADA })).url).to.equal(
      `${ORIGIN}/`,
    )
  })

  it('with a provider that is not there, or fields that no form has, is refused', async () => {
    for (const provider of ['nobody', '../signout', '__proto__'])
      await failure(visitorOf(webConfig()).signIn({ provider, fields: ADA }), 'RequestRefused')
    const polluted = JSON.parse('{"__proto__":{"admin":true}}')
    await failure(visitorOf(webConfig()).signIn({ provider: 'credentials', fields: polluted }), 'RequestRefused')
  })

  const CROSS_SITE: Record<string, Record<string, string>> = {
    'another site, by Origin': { origin: 'https://evil.example' },
    'another site, by Sec-Fetch-Site': { 'sec-fetch-site': 'cross-site', origin: ORIGIN },
    'a sandboxed frame': { origin: 'null' },
    'another host of the same site': { origin: 'https://blog.app.example', 'sec-fetch-site': 'same-site' },
    'nobody knows where (Next.js lets such a request pass)': {},
    'an image in a page of this origin': { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
    'a script in a page of this origin': { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' },
  }
  for (const [sender, headers] of Object.entries(CROSS_SITE)) {
    it(`with credentials, and a sign-out, are refused from ${sender} (CSRF-01)`, async () => {
      const options = webConfig()
      const cookie = await signedIn(options)
      const signIn = visitorOf(options, headers).signIn({ provider: 'credentials', fields: ADA })
      await failure(signIn, 'MissingCSRF')
      await failure(visitorOf(options, { ...headers, cookie }).signOut(), 'MissingCSRF')
      await failure(visitorOf(options, { ...headers, cookie }).updateSession({}), 'MissingCSRF')
      expect(() => visitorOf(options, headers).checkSender()).to.throw(MissingCSRF)
      expect(() => visitorOf(options).checkSender()).not.to.throw()
      expect(await visitorOf(options, { cookie }).getSession()).not.to.equal(null)
    })
  }

  it('at a provider begins with no link and no form of another site: it may add an account (LINK-01)', async () => {
    const link: Record<string, string> = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const refused: Record<string, string>[] = [
      link,
      { ...link, origin: 'https://evil.example' },
      { origin: 'null' },
      { ...link, 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    ]
    for (const headers of refused)
      await failure(visitorOf(webConfig(), headers).signIn({ provider: 'github' }), 'MissingCSRF')
    // The sign-in page has forms of its own.
    expect((await visitorOf(webConfig(), link).signIn({})).url).to.equal(`${ORIGIN}/auth/signin`)
  })
})

describe('a sign-out by code', () => {
  it('ends the session, and deletes its cookies', async () => {
    const options = webConfig()
    const cookie = await signedIn(options)
    const visitor: RequestAuth = webAuth(options).forRequest(requestWith({ ...OWN_PAGE, cookie }))
    const { url, cookies } = await visitor.signOut('/bye')
    expect(url).to.equal(`${ORIGIN}/bye`)
    expect(cookies.find(({ name }) => name.endsWith('session-token'))?.options.maxAge).to.equal(0)
    expect(await visitor.getSession()).to.equal(null)
  })

  it('says that the store could not end the session, and deletes the cookies', async () => {
    const adapter = memoryAdapter()
    adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const deleteSession = () => Promise.reject(new Error('Connection terminated'))
    const options = webConfig({ adapter: { ...adapter, deleteSession } })
    const cookie = await signedIn(options)
    const visitor: RequestAuth = webAuth(options).forRequest(requestWith({ ...OWN_PAGE, cookie }))
    const { url, cookies, fault } = await visitor.signOut('/bye')
    expect([new URL(url).pathname, fault?.type]).to.deep.equal(['/auth/error', 'SignOutError'])
    expect(cookies.find(({ name }) => name.endsWith('session-token'))?.options.maxAge).to.equal(0)
  })
})

describe('a guard of a web request', () => {
  const at = (options: AuthConfig, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    webAuth(options)
      .forRequest(new Request(`http://0.0.0.0:3000${path}`, { headers, method }))
      .guard()
  const PERSON = { 'sec-fetch-mode': 'navigate' }

  it('sends a person to sign in, and tells a script', async () => {
    const person = (await at(webConfig(), '/papers?page=2', PERSON)).response
    expect(person?.status).to.equal(302)
    expect(person?.headers.get('location')).to.equal(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/papers?page=2`)}`,
    )
    const script = (await at(webConfig(), '/papers')).response
    expect([script?.status, await script?.json()]).to.deep.equal([401, { message: 'Sign in first.' }])
  })

  it('lets somebody pass who is signed in, with the cookies of the renewed session', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    const { session, cookies, response } = await at(options, '/papers', { cookie: await signedIn(options) })
    expect([session?.user?.name, response]).to.deep.equal(['Ada', null])
    expect(cookies.map(({ name }) => name)).to.deep.equal(['__Secure-authjs.session-token'])
  })

  it('asks the authorized callback, about every spelling that routes may read', async () => {
    const asked: string[] = []
    const options = webConfig({
      callbacks: {
        authorized({ request }) {
          const { pathname, origin } = new URL(request.url)
          asked.push(origin + pathname)
          return !pathname.startsWith('/admin')
        },
      },
    })
    expect((await at(options, '/public')).response).to.equal(null)
    expect((await at(options, '/%61dmin')).response?.status).to.equal(401)
    expect((await at(options, '/Admin')).response?.status).to.equal(401)
    expect(asked).to.include(`${ORIGIN}/public`).and.include(`${ORIGIN}/admin`)
    expect((await at(options, '/public', {}, 'OPTIONS')).response).to.equal(null)
    expect((await at(options, '/a/../admin%2f..%00')).response?.status).to.be.oneOf([400, 401])
  })

  it('gives the answer of the callback, with the cookies of the session, for no shared cache', async () => {
    const options = webConfig({
      session: { updateAge: 0 },
      callbacks: {
        authorized: () =>
          new Response('no', { status: 403, headers: { 'cache-control': 's-maxage=600', 'set-cookie': 'a=b' } }),
      },
    })
    const { response } = await at(options, '/papers', { cookie: await signedIn(options) })
    expect([response?.status, await response?.text()]).to.deep.equal([403, 'no'])
    expect(response?.headers.getSetCookie().map((text) => text.split('=', 1)[0])).to.deep.equal([
      'a',
      '__Secure-authjs.session-token',
    ])
    expect(response?.headers.get('cache-control')).to.include('no-store')
  })

  it('fails closed: a callback that throws, or gives what is no answer, lets nobody in', async () => {
    const throwing = webConfig({
      callbacks: {
        authorized: () => {
          throw new Error('x')
        },
      },
    })
    expect((await at(throwing, '/papers')).response?.status).to.equal(503)
    for (const answer of [undefined, 1, 'yes', {}]) {
      const options = webConfig({ callbacks: { authorized: () => answer as never } })
      expect((await at(options, '/papers')).response?.status, String(answer)).to.equal(401)
    }
    const untrusted = webConfig({ url: undefined as never, trustHost: false })
    expect((await at(untrusted, '/papers')).response?.status).to.be.greaterThanOrEqual(400)
  })
})

describe('a guard of a web request with rules', () => {
  const at = (options: AuthConfig, guard: GuardOptions, headers: Record<string, string>, path = '/papers') =>
    webAuth(options)
      .forRequest(new Request(`${ORIGIN}${path}`, { headers }))
      .guard(guard)
  const writers = (role: string) =>
    webConfig({ callbacks: { session: ({ session }) => ({ ...session, user: { ...session.user, role } }) } })

  it('counts rules that the options inherit', async () => {
    const options = writers('reader')
    const cookie = await signedIn(options)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const refused = async (rules: GuardOptions) =>
      (await at(options, Object.create(rules), { cookie })).response?.status
    expect(await refused({ allow: () => false })).to.equal(403)
    expect(await refused({ roles: 'writer' })).to.equal(403)
    expect(await refused({ maxAuthAge: 1 })).to.equal(401)
    expect(await refused({ roles: 'reader', allow: () => true }), 'somebody who fulfils them').to.equal(undefined)
  })

  it('lets those pass who fulfil them, and answers others with 403, also where it stands before every page', async () => {
    for (const everywhere of [false, true]) {
      for (const [role, allowed, status] of [
        ['writer', true, undefined],
        ['writer', false, 403],
        ['reader', true, 403],
      ] as const) {
        const options = writers(role)
        const rules = { roles: 'writer', allow: () => allowed, everywhere }
        const { response } = await at(options, rules, { cookie: await signedIn(options) })
        expect(response?.status, `${role} ${allowed} ${everywhere}`).to.equal(status)
      }
      expect((await at(writers('writer'), { roles: 'writer', everywhere }, {})).response?.status).to.equal(401)
    }
  })

  it('tells `allow` the request, and keeps the mount and the sign-in page open', async () => {
    const asked: string[] = []
    const options = webConfig({ pages: { signIn: '/login' } })
    const cookie = await signedIn(options)
    const allow = (_session: Session, { url }: { readonly url?: string }) => {
      asked.push(String(url))
      return false
    }
    for (const [path, status] of [
      ['/papers', 403],
      ['/login', undefined],
      ['/auth/session', undefined],
    ] as const) {
      const { response } = await at(options, { everywhere: true, allow }, { cookie }, path)
      expect(response?.status, path).to.equal(status)
    }
    expect(asked).to.deep.equal([`${ORIGIN}/papers`, `${ORIGIN}/login`])
  })

  it('demands a recent sign-in', async () => {
    const ahead = Date.now() + 302_000
    const realNow = Date.now
    let isLater = false
    Date.now = () => (isLater ? ahead : realNow())
    try {
      const options = webConfig()
      const cookie = await signedIn(options)
      expect((await at(options, { maxAuthAge: 300 }, { cookie })).response).to.equal(null)
      isLater = true
      expect((await at(options, { maxAuthAge: 300 }, { cookie })).response?.status).to.equal(401)
    } finally {
      Date.now = realNow
    }
  })

  it('refuses rules that are not set, or misspelt', async () => {
    for (const rules of [{ roles: undefined }, { allow: undefined }, { maxAuthAge: undefined }, { role: 'writer' }]) {
      expect(await failureOf(at(webConfig(), rules as never, {})), JSON.stringify(rules)).to.be.instanceOf(
        InvalidConfiguration,
      )
    }
  })
})

/** Paths that begin as one of the mount does. Code that decodes them, or resolves slashes and dots, reads others. */
const LEADING_OUT = [
  '/auth/signin/..%2f..%2fadmin',
  '/auth/signin/%2e%2e%2F%2e%2e%2Fadmin',
  '/auth/callback/..%5c..%5cadmin',
  '/auth/signin/x//..%2f..%2fadmin',
  '/auth/session//admin',
  '/auth/signin%2f..%2f..%2fadmin',
  '/auth//signin',
  '/auth/signin/%00',
  '/auth/signin/%',
]

describe('a guard before every page', () => {
  const at = (options: AuthConfig, path: string, headers: Record<string, string> = {}) =>
    webAuth(options)
      .forRequest(new Request(`${ORIGIN}${path}`, { headers }))
      .guard({ everywhere: true, renews: false })

  it('lets everybody pass without an authorized callback, and never extends the session', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    expect((await at(options, '/papers')).response).to.equal(null)
    const { session, cookies } = await at(options, '/papers', { cookie: await signedIn(options) })
    expect([session?.user?.name, cookies]).to.deep.equal(['Ada', []])
  })

  it('lets pass only who fulfils its rules, and everybody to the mount', async () => {
    const options = webConfig()
    const cookie = await signedIn(options)
    const statusAt = async (path: string, rules: GuardOptions, headers: Record<string, string>) => {
      const visitor = webAuth(options).forRequest(new Request(`${ORIGIN}${path}`, { headers }))
      return (await visitor.guard({ ...rules, everywhere: true })).response?.status ?? 'passed'
    }
    for (const [rules, hers] of [
      [{ acr: 'gold' }, 401],
      [{ maxAuthAge: 300 }, 'passed'],
      [{ roles: 'admin' }, 403],
      [{ allow: () => true }, 'passed'],
    ] as const) {
      const found = [await statusAt('/papers', rules, {}), await statusAt('/papers', rules, { cookie })]
      expect(found, Object.keys(rules).join()).to.deep.equal([401, hers])
      expect(await statusAt('/auth/signin', rules, {})).to.equal('passed')
    }
  })

  it('keeps the mount and the sign-in page open, and nothing beside them', async () => {
    const options = webConfig({ pages: { signIn: '/login' }, callbacks: { authorized: ({ auth }) => auth !== null } })
    for (const path of ['/login', '/login/', '/login?error=x', '/auth/signin', '/auth/session'])
      expect((await at(options, path)).response, path).to.equal(null)
    const slashed = webConfig({ ...options, pages: { signIn: '/login/' } })
    for (const path of ['/login', '/login/']) expect((await at(slashed, path)).response, path).to.equal(null)
    for (const path of [
      '/papers',
      '/auth',
      '/auth/users',
      '/login/x',
      '/login//',
      '/',
      '/authors',
      '/Login',
      '/auth%2f..%2fpapers',
      '/x?/login',
    ])
      expect((await at(options, path)).response?.status, path).to.be.oneOf([400, 401])
  })

  it('does not take a path for one of the mount that leads out of it in some reading (WEB-08)', async () => {
    const authorized = webConfig({ callbacks: { authorized: ({ auth }) => auth !== null } })
    for (const path of LEADING_OUT) {
      expect(webAuth(authorized).isServed(new URL(ORIGIN + path).pathname), path).to.equal(false)
      expect((await at(authorized, path)).response?.status, path).to.be.oneOf([400, 401])
      const visitor = webAuth(webConfig()).forRequest(new Request(ORIGIN + path))
      const { response } = await visitor.guard({ everywhere: true, roles: 'admin' })
      expect(response?.status, `${path} for admins`).to.equal(401)
    }
    for (const path of ['/auth/callback/a%2Fb', '/auth/signin/'])
      expect([webAuth(authorized).isServed(path), (await at(authorized, path)).response], path).to.deep.equal([
        true,
        null,
      ])
  })

  it('leaves nothing open for which the framework runs other code than for the mount or the sign-in page (WEB-08)', async () => {
    const options = webConfig({ pages: { signIn: '/login' }, callbacks: { authorized: ({ auth }) => auth !== null } })
    for (const [path, routedAs, status] of [
      ['/auth/signin', '/admin', 401],
      ['/login', '/admin', 401],
      ['/auth/signin', '/auth/signin', undefined],
      ['/login', '/login/', undefined],
    ] as const) {
      const visitor = webAuth(options).forRequest(new Request(ORIGIN + path), { routedAs })
      const { response } = await visitor.guard({ everywhere: true })
      expect(response?.status, `${path} as ${routedAs}`).to.equal(status)
    }
  })

  it('asks the authorized callback about the request class of the framework', async () => {
    class OwnRequest extends Request {}
    const asked: unknown[] = []
    const options = webConfig({
      callbacks: {
        authorized: ({ request }) => {
          asked.push(request)
          return true
        },
      },
    })
    const toRequest = (request: Request) => new OwnRequest(request)
    await webAuth(options)
      .forRequest(new Request(`${ORIGIN}/papers`), { toRequest })
      .guard()
    expect(asked).to.have.length(1)
    expect(asked[0]).to.be.instanceOf(OwnRequest)
  })
})
