import { decode, encode } from '@auth/core/jwt'
import { expect } from 'chai'
import type { AuthConfig } from '../../../lib/index.js'
import { ADA, createLog, SECRET } from '../../support/app.js'
import { withEnv } from '../../support/env.js'
import { failure } from '../../support/oauth-driver.js'
import { ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'
import { cookieHeader, eventAt, type FakeEvent, redirection, run, SvelteKitAuth } from './fake-kit.js'

const SESSION = '__Secure-authjs.session-token'
const formOf = (form: Record<string, string> | URLSearchParams, headers: Record<string, string> = OWN_PAGE) =>
  eventAt('/login', { form, headers })
const CREDENTIALS = { providerId: 'credentials', ...ADA }

/** The `Cookie` header of Ada, who signs in with the action. */
async function signedIn(options: AuthConfig): Promise<string> {
  const event = formOf(CREDENTIALS)
  await redirection(SvelteKitAuth(options).signIn(event))
  return cookieHeader(event)
}
const asAda = async (options: AuthConfig, path: string) =>
  eventAt(path, { headers: { ...OWN_PAGE, host: 'app.example', cookie: await signedIn(options) } })

describe('handle of SvelteKitAuth(config)', () => {
  it('serves the mount, and leaves every other path to the application', async () => {
    const auth = SvelteKitAuth(webConfig())
    const page = await run(auth, eventAt('/auth/signin'))
    expect([page.status, await page.text()]).to.satisfy(([status, text]: [number, string]) => {
      return status === 200 && text.includes(`${ORIGIN}/auth/callback/credentials`)
    })
    for (const path of ['/', '/authors', '/auth/own-page', '/auth/signin/..%2f..%2fown'])
      expect(await (await run(auth, eventAt(path), () => 'own')).json(), path).to.equal('own')
  })

  it('gives pages the session', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const names = async (event: FakeEvent) =>
      (await run(auth, event, async ({ locals }) => [await locals.auth(), await locals.getSession()])).json()
    expect(await names(eventAt('/'))).to.deep.equal([null, null])
    const [session, same] = (await names(await asAda(options, '/'))) as [{ user: unknown }, unknown]
    expect(session.user).to.include({ name: 'Ada' })
    expect(same).to.deep.equal(session)
  })

  it('renews a session once for all load functions of a page, in an answer that no shared cache keeps', async () => {
    let calls = 0
    const options = webConfig({
      session: { updateAge: 0 },
      callbacks: {
        jwt({ token }) {
          calls += 1
          return token
        },
      },
    })
    const event = await asAda(options, '/')
    calls = 0
    const response = await run(SvelteKitAuth(options), event, async ({ locals }) => {
      await Promise.all([locals.auth(), locals.auth(), locals.getSession()])
      return new Response('page', { headers: { 'cache-control': 'public, s-maxage=600', 'set-cookie': 'theme=dark' } })
    })
    expect(calls).to.equal(1)
    const cookies = response.headers.getSetCookie()
    expect(cookies.map((text) => text.split('=', 1)[0])).to.deep.equal(['theme', SESSION])
    expect(cookies[1]).to.include('HttpOnly').and.include('Secure').and.include('SameSite=Lax').and.include('Path=/')
    expect(response.headers.get('cache-control')).to.include('no-store')
    expect(event.set.has(SESSION), 'for redirects that a later hook throws').to.equal(true)
  })

  it('reads the session in a streamed promise without renewing it', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    const event = await asAda(options, '/')
    let late: () => Promise<unknown> = async () => 'never asked'
    const response = await run(SvelteKitAuth(options), event, ({ locals }) => {
      late = async () => (await locals.auth())?.user
    })
    expect(response.headers.getSetCookie()).to.deep.equal([])
    expect(await late()).to.include({ name: 'Ada' })
    expect(event.set.size).to.equal(0)
  })

  it('waits for a renewal that a streamed promise began, and sets its cookie', async () => {
    const options = webConfig({
      session: { updateAge: 0 },
      callbacks: {
        async jwt({ token }) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          return token
        },
      },
    })
    let begun: Promise<unknown> = Promise.resolve()
    const response = await run(SvelteKitAuth(options), await asAda(options, '/'), ({ locals }) => {
      begun = locals.auth()
    })
    expect(response.headers.getSetCookie().map((text) => text.split('=', 1)[0])).to.deep.equal([SESSION])
    expect(await begun).to.have.nested.property('user.name', 'Ada')
  })

  it('refuses to change a session in a streamed promise', async () => {
    const options = webConfig()
    const event = await asAda(options, '/')
    await run(SvelteKitAuth(options), event)
    for (const work of [event.locals.updateSession({}), event.locals.signOut(), event.locals.signIn('github')])
      expect((await failure(work, 'AuthError')).message).to.include('load function')
  })

  it('lets no cache keep a page that has read the session, unless the application says otherwise (COOKIE-12)', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const headersOf = async (path: string, headers: Record<string, string> = {}, status = 200) => {
      const answer = await run(auth, await asAda(options, path), async ({ locals }) => {
        if (path !== '/about') await locals.auth()
        return new Response(status === 304 ? null : 'page', { status, headers })
      })
      return Object.fromEntries(answer.headers)
    }
    const kept = { 'cache-control': 'private, no-cache, no-store', vary: 'Cookie' }
    expect(await headersOf('/')).to.include(kept)
    expect(await headersOf('/', { vary: 'Accept' })).to.include({ ...kept, vary: 'Accept, Cookie' })
    const own = { 'cache-control': 'public, s-maxage=60', vary: 'Cookie' }
    expect(await headersOf('/', { 'cache-control': own['cache-control'] })).to.include(own)
    expect(await headersOf('/', { 'cdn-cache-control': 'max-age=60' }), 'for one cache')
      .to.include({ 'cdn-cache-control': 'max-age=60' })
      .and.not.have.property('cache-control')
    expect(await headersOf('/about'), 'a page that does not ask').to.not.have.any.keys('cache-control', 'vary')
    expect(await headersOf('/', { etag: '"1"' }, 304), 'what the browser has kept stays').to.deep.equal({ etag: '"1"' })
  })

  it('shows nobody the session of another request, also when they run at the same time', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const nameOf = async (event: FakeEvent) =>
      (await run(auth, event, async ({ locals }) => (await locals.auth())?.user?.name ?? null)).json()
    const events = [await asAda(options, '/'), eventAt('/'), await asAda(options, '/'), eventAt('/')]
    expect(await Promise.all(events.map(nameOf))).to.deep.equal(['Ada', null, 'Ada', null])
  })

  it('reads the session in a request of event.fetch without renewing it', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    const event = eventAt('/api', {
      headers: { cookie: await signedIn(options) },
      more: { isSubRequest: true },
    })
    const response = await run(SvelteKitAuth(options), event, async ({ locals }) => (await locals.auth())?.user)
    expect(await response.json()).to.include({ name: 'Ada' })
    expect(response.headers.getSetCookie()).to.deep.equal([])
  })

  it('reads a session cookie that @auth/core made under the defaults of @auth/sveltekit', async () => {
    const value = await encode({ token: { name: 'Ada', sub: '1815' }, secret: SECRET, salt: SESSION })
    const event = eventAt('/', { headers: { host: 'app.example', cookie: `${SESSION}=${value}` } })
    const response = await run(SvelteKitAuth(webConfig()), event, async ({ locals }) => (await locals.auth())?.user)
    expect(await response.json()).to.deep.equal({ id: '1815', name: 'Ada' })
  })

  it('takes a function of the event', async () => {
    const tenants = { 'app.example': webConfig(), 'other.example': webConfig({ basePath: '/id' }) }
    const auth = SvelteKitAuth((event: FakeEvent) => tenants[event.request.headers.get('host') as 'app.example'])
    expect((await run(auth, eventAt('/auth/providers'))).headers.get('content-type')).to.include('json')
    const other = { headers: { host: 'other.example' } }
    expect(await (await run(auth, eventAt('/auth/providers', other), () => 'own')).json()).to.equal('own')
    expect(Object.keys((await (await run(auth, eventAt('/id/providers', other))).json()) as object)).to.include(
      'github',
    )
  })

  it('lets no request pass when the configuration cannot work, and says why', async () => {
    expect(() => SvelteKitAuth(undefined as never)).to.throw(/SvelteKitAuth\(config\)/)
    const auth = SvelteKitAuth({ providers: [], secret: 'x', pages: 5 } as never)
    const reached: string[] = []
    for (const path of ['/', '/auth/session'])
      expect(
        (
          await failure(
            run(auth, eventAt(path), () => void reached.push(path)),
            'InvalidConfiguration',
          )
        ).message,
      )
        .to.include('pages')
        .and.not.include('undefined')
    expect(reached).to.deep.equal([])
  })

  it('answers HEAD as GET, without a body', async () => {
    const event = { ...eventAt('/auth/signin'), request: new Request(`${ORIGIN}/auth/signin`, { method: 'HEAD' }) }
    Object.defineProperty(event.request, 'headers', { value: new Headers({ host: 'app.example' }) })
    const response = await run(SvelteKitAuth(webConfig()), event)
    expect([response.status, await response.text()]).to.deep.equal([200, ''])
  })

  it('takes the origin that SvelteKit has, and believes no forwarded header (forged X-Forwarded-Host)', async () => {
    const forged = { host: 'app.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
    const served = (more: Partial<AuthConfig>) =>
      run(
        SvelteKitAuth(webConfig({ url: undefined as never, ...more })),
        eventAt('/auth/providers', { headers: forged }),
      )
    const trusting = await served({ trustHost: true })
    expect(await trusting.text())
      .to.include(`${ORIGIN}/auth/signin`)
      .and.not.include('evil.example')
    expect((await served({ hosts: ['app.example'] })).status).to.equal(200)
    expect((await served({ hosts: ['evil.example'] })).status).to.equal(400)
    expect((await served({ trustHost: false })).status).to.equal(500)
    const event = eventAt('/private', { headers: { ...forged, 'sec-fetch-mode': 'navigate' } })
    const { guard } = SvelteKitAuth(webConfig({ url: undefined as never, trustHost: true }))
    const refused = await guard({ event, resolve: () => new Response('secret') })
    expect(new URL(refused.headers.get('location') ?? '').origin).to.equal(ORIGIN)
  })
})

describe('a page that SvelteKit prerenders', () => {
  const prerendered = (path: string) => {
    const event = eventAt(path, { headers: {} })
    for (const property of ['search', 'searchParams'])
      Object.defineProperty(event.url, property, {
        get() {
          throw new Error(`Cannot access url.${property} on a page with prerendering enabled`)
        },
      })
    return event
  }

  it('has no session, and needs no secret', async () => {
    const auth = SvelteKitAuth({ providers: [] })
    const whoami = async ({ locals }: FakeEvent) => [await locals.auth(), await locals.getSession()]
    await withEnv({ SVELTEKIT_FORK: 'true' }, async () => {
      for (const event of [prerendered('/about'), eventAt('/[fallback]', { headers: {} })])
        expect(await (await run(auth, event, whoami)).json()).to.deep.equal([null, null])
    })
  })

  it('is not every request without headers: a guard judges such a request before the route runs', async () => {
    const auth = SvelteKitAuth(webConfig())
    let hasRun = false
    const resolve = async () => {
      hasRun = true
      return new Response('secret')
    }
    for (const path of ['/admin', '/[fallback]', '/admin/[fallback]']) {
      const event = eventAt(path, { headers: {} })
      const answer = await auth.handle({
        event,
        resolve: (next: never) => auth.guard({ event: next, resolve }),
      } as never)
      expect([hasRun, answer.status], path).to.deep.equal([false, 401])
    }
  })

  it('may link to the mount, which is not prerendered', async () => {
    const auth = SvelteKitAuth(webConfig())
    expect((await run(auth, prerendered('/auth/signin'), () => 'own')).status).to.equal(204)
    expect(await (await run(auth, prerendered('/authors'), () => 'own')).json()).to.equal('own')
  })

  it('stands behind the guard only if everybody may see it', async () => {
    const authorized: NonNullable<AuthConfig['callbacks']>['authorized'] = ({ request }) =>
      request.url.endsWith('/about')
    const made = (path: string, status = 200, callbacks = {}) =>
      SvelteKitAuth({ providers: [], callbacks }).guard({
        event: prerendered(path),
        resolve: () => new Response(status === 200 ? 'page' : null, { status }),
      })
    expect(await (await made('/about', 200, { authorized })).text()).to.equal('page')
    for (const refused of [made('/private', 200, { authorized }), made('/about')])
      expect((await failure(refused, 'AuthError')).message).to.include('prerender = false')
    // What SvelteKit answers for a page that is not prerendered, and for one that redirects.
    for (const status of [204, 302]) expect((await made('/private', status)).status).to.equal(status)
  })

  it('signs nobody in', async () => {
    const event = prerendered('/about')
    await run(SvelteKitAuth(webConfig()), event)
    await failure(event.locals.signIn('github'), 'AuthError')
  })
})

describe('the signIn action of SvelteKitAuth(config)', () => {
  it('sends to the provider with the parameters of the form, by a redirect to another site', async () => {
    const event = formOf({ providerId: 'github', redirectTo: '/papers', 'authorizationParams-prompt': 'login' })
    const { status, location, options } = await redirection(SvelteKitAuth(webConfig()).signIn(event))
    const target = new URL(location)
    expect([status, target.origin, target.searchParams.get('prompt'), options]).to.deep.equal([
      302,
      'https://github.example',
      'login',
      { external: true },
    ])
    expect(event.set.get('__Secure-authjs.callback-url')?.value).to.equal(`${ORIGIN}/papers`)
  })

  it('signs in with credentials, for the page that the answer renders', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const event = formOf({ ...CREDENTIALS, redirect: 'false', redirectTo: '/papers' })
    const response = await run(auth, event, async (given) => {
      const before = await given.locals.auth()
      // SvelteKit hands actions a copy of the event.
      const answer = await auth.signIn({ ...given })
      return [before, answer, (await given.locals.auth())?.user]
    })
    expect(await response.json()).to.deep.equal([
      null,
      { url: `${ORIGIN}/papers` },
      { id: '1815', name: 'Ada', email: 'ada@example.com', image: null },
    ])
    expect(response.headers.getSetCookie().some((text) => text.startsWith(`${SESSION}=`))).to.equal(true)
    expect(response.headers.get('cache-control')).to.include('no-store')
  })

  it('without a provider leads to the sign-in page', async () => {
    expect((await redirection(SvelteKitAuth(webConfig()).signIn(formOf({})))).location).to.equal(
      `${ORIGIN}/auth/signin`,
    )
  })

  it('refuses a form that repeats a field, by the action and by event.locals', async () => {
    const auth = SvelteKitAuth(webConfig())
    for (const [name, value] of [['password', 'lovelace'] as const, ['redirectTo', '/papers'] as const]) {
      const fields = new URLSearchParams({ ...CREDENTIALS, redirectTo: '/' })
      fields.append(name, value)
      const event = formOf(fields)
      await failure(auth.signIn(event), 'RequestRefused')
      await run(auth, formOf(fields), async ({ locals, request }) => {
        const form = await request.formData()
        await failure(
          Promise.resolve().then(() => locals.signIn('credentials', form)),
          'RequestRefused',
        )
      })
      expect(event.set.has(SESSION), name).to.equal(false)
    }
  })

  it('throws CredentialsSignin for a wrong password', async () => {
    const work = SvelteKitAuth(webConfig()).signIn(formOf({ ...CREDENTIALS, password: 'x' }))
    expect(await failure(work, 'CredentialsSignin')).to.include({ code: 'credentials' })
  })

  it('leads to no other site (open redirect by redirectTo, and by the older name callbackUrl)', async () => {
    for (const field of ['redirectTo', 'callbackUrl'])
      for (const target of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
        const form = formOf({ ...CREDENTIALS, [field]: target })
        const { location } = await redirection(SvelteKitAuth(webConfig()).signIn(form))
        expect(new URL(location).origin, target).to.equal(ORIGIN)
      }
  })

  it('refuses a form of another site also where the check of SvelteKit is off', async () => {
    const log = createLog()
    const options = webConfig({ logger: log.logger })
    const auth = SvelteKitAuth(options)
    const CROSS_SITE: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
      { host: 'app.example' },
    ]
    for (const headers of CROSS_SITE) {
      const event = formOf(CREDENTIALS, headers)
      await failure(auth.signIn(event), 'MissingCSRF')
      expect(event.set.has(SESSION)).to.equal(false)
      const cookie = await signedIn(options)
      await failure(auth.signOut(formOf({}, { ...headers, cookie })), 'MissingCSRF')
    }
  })

  it('is there for code of the application, too', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const event = formOf({}, OWN_PAGE)
    await run(auth, event, async ({ locals }) => {
      const url = await locals.signIn('github', { redirect: false }, { prompt: 'login' })
      expect(new URL(url).searchParams.get('prompt')).to.equal('login')
      const form = new FormData()
      for (const [name, value] of Object.entries(ADA)) form.set(name, value)
      expect((await redirection(locals.signIn('credentials', form))).location).to.equal(`${ORIGIN}/notes`)
      expect((await locals.auth())?.user?.name).to.equal('Ada')
    })
  })
})

describe('the signOut action of SvelteKitAuth(config)', () => {
  it('ends the session, also for the page that the answer renders', async () => {
    const options = webConfig()
    const auth = SvelteKitAuth(options)
    const event = formOf({ redirect: 'false' }, { ...OWN_PAGE, cookie: await signedIn(options) })
    const response = await run(auth, event, async (given) => {
      const before = await given.locals.auth()
      const answer = await auth.signOut({ ...given })
      return [before?.user?.name, answer, await given.locals.auth()]
    })
    expect(await response.json()).to.deep.equal(['Ada', { url: `${ORIGIN}/notes` }, null])
    expect(response.headers.getSetCookie().find((text) => text.startsWith(`${SESSION}=`))).to.include('Max-Age=0')
  })

  it('is not undone by a renewal that runs at the same time', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    const event = formOf({}, { ...OWN_PAGE, cookie: await signedIn(options) })
    const response = await run(SvelteKitAuth(options), event, async ({ locals }) => {
      await Promise.allSettled([locals.auth(), locals.signOut({ redirect: false }), locals.auth()])
    })
    expect(response.headers.getSetCookie().filter((text) => text.startsWith(`${SESSION}=`))).to.have.length(1)
    expect(response.headers.getSetCookie().find((text) => text.startsWith(`${SESSION}=`))).to.include('Max-Age=0')
  })
})

describe('updateSession of event.locals', () => {
  it('changes the session for the rest of the event', async () => {
    const options = webConfig({
      callbacks: { jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, ...session } : token) },
    })
    const event = formOf({}, { ...OWN_PAGE, cookie: await signedIn(options) })
    const response = await run(SvelteKitAuth(options), event, async ({ locals }) => [
      (await locals.updateSession({ name: 'Augusta' }))?.user?.name,
      (await locals.auth())?.user?.name,
    ])
    expect(await response.json()).to.deep.equal(['Augusta', 'Augusta'])
    expect(response.headers.getSetCookie().map((text) => text.split('=', 1)[0])).to.deep.equal([SESSION])
  })
})

describe('guard of SvelteKitAuth(config)', () => {
  const PERSON = { host: 'app.example', 'sec-fetch-mode': 'navigate' }
  const guarded = (options: AuthConfig, event: FakeEvent, headers?: ResponseInit) => {
    const auth = SvelteKitAuth(options)
    return run(auth, event, (given) =>
      auth.guard({ event: given, resolve: () => new Response(`secret of ${given.url.pathname}`, headers) }),
    )
  }
  const signInUrl = (path: string) => `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(ORIGIN + path)}`

  it('sends a person to sign in, tells a script, and lets Ada pass', async () => {
    const options = webConfig()
    const person = await guarded(options, eventAt('/private?page=2', { headers: PERSON }))
    expect([person.status, person.headers.get('location')]).to.deep.equal([302, signInUrl('/private?page=2')])
    expect((await guarded(options, eventAt('/private'))).status).to.equal(401)
    expect(await (await guarded(options, await asAda(options, '/private'))).text()).to.equal('secret of /private')
  })

  it('guards __data.json like pages', async () => {
    const options = webConfig({
      callbacks: { authorized: ({ auth, request }) => !!auth || !request.url.includes('/private') },
    })
    const data = await guarded(
      options,
      eventAt('/private/__data.json', { headers: { ...PERSON, 'sec-fetch-mode': 'cors' } }),
    )
    expect([data.status, data.headers.get('location')]).to.deep.equal([302, signInUrl('/private')])
    expect(await (await guarded(options, eventAt('/public/__data.json'))).text()).to.equal('secret of /public')
    const head = { ...eventAt('/private'), request: new Request(`${ORIGIN}/private`, { method: 'HEAD' }) }
    Object.defineProperty(head.request, 'headers', { value: new Headers({ host: 'app.example' }) })
    expect((await guarded(options, head)).status).to.equal(401)
  })

  it('judges a remote function by its own address, and not by the page that the browser claims', async () => {
    const options = webConfig({
      callbacks: { authorized: ({ request }) => new URL(request.url).pathname === '/public' },
    })
    const claimed = { url: new URL(`${ORIGIN}/public`), isRemoteRequest: true }
    expect((await guarded(options, eventAt('/_app/remote/1/2', { more: claimed }))).status).to.equal(401)
  })

  it('judges the path that runs the route', async () => {
    const options = webConfig({ callbacks: { authorized: ({ request }) => !request.url.includes('/private') } })
    expect((await guarded(options, eventAt('/%70rivate'))).status).to.equal(401)
  })

  it('redirects a form that the script of SvelteKit posts', async () => {
    const headers = { ...OWN_PAGE, accept: 'application/json', 'x-sveltekit-action': 'true' }
    const { location } = await redirection(guarded(webConfig(), eventAt('/private', { form: {}, headers })))
    expect(location).to.equal(signInUrl('').replace(encodeURIComponent(ORIGIN), encodeURIComponent(ORIGIN)))
  })

  it('lets no cache keep a page that only Ada may see, unless the application says otherwise (COOKIE-12)', async () => {
    const options = webConfig()
    const caching = async (headers?: ResponseInit['headers']) => {
      const answer = await guarded(options, await asAda(options, '/private'), headers ? { headers } : {})
      expect(await answer.text()).to.equal('secret of /private')
      return [answer.headers.get('cache-control'), answer.headers.get('vary')]
    }
    expect(await caching()).to.deep.equal(['private, no-cache, no-store', 'Cookie'])
    expect(await caching({ 'cache-control': 'private, max-age=5' })).to.deep.equal(['private, max-age=5', 'Cookie'])
  })

  it('renews a session once for a page and all its requests of event.fetch', async () => {
    let renewals = 0
    const options = webConfig({
      session: { updateAge: 0 },
      jwt: {
        encode(params) {
          renewals += 1
          return encode(params)
        },
        decode,
      },
    })
    const auth = SvelteKitAuth(options)
    const event = await asAda(options, '/private')
    const resolveWith = (page: (given: FakeEvent) => unknown) => (given: FakeEvent) =>
      auth.guard({ event: given, resolve: async (next) => Response.json((await page(next as FakeEvent)) ?? null) })
    renewals = 0
    const answer = await run(
      auth,
      event,
      resolveWith(async (page) => {
        // SvelteKit sends the cookies as they are now.
        const headers = { host: 'app.example', cookie: cookieHeader(page) }
        const asked = await Promise.all(
          ['/api/notes', '/api/tags', '/api/people'].map(async (path) => {
            const part = eventAt(path, { headers, more: { isSubRequest: true } })
            const given = await run(
              auth,
              part,
              resolveWith(async ({ locals }) => (await locals.auth())?.user?.name),
            )
            expect([part.set.size, given.headers.getSetCookie()], path).to.deep.equal([0, []])
            return given.json()
          }),
        )
        return [(await page.locals.auth())?.user?.name, ...asked]
      }),
    )
    expect(await answer.json()).to.deep.equal(['Ada', 'Ada', 'Ada', 'Ada'])
    expect(answer.headers.getSetCookie()).to.have.length(1)
    expect(renewals).to.equal(1)
  })

  it('keeps a page of somebody out of shared caches when it renews the session', async () => {
    const options = webConfig({ session: { updateAge: 0 } })
    const answer = await guarded(options, await asAda(options, '/private'), {
      headers: { 'cache-control': 's-maxage=60' },
    })
    expect(answer.headers.getSetCookie()).to.have.length(1)
    expect(answer.headers.get('cache-control')).to.include('no-store')
  })
})

describe('GET and POST of SvelteKitAuth(config)', () => {
  it('serve the mount in an application without handle', async () => {
    const auth = SvelteKitAuth(webConfig())
    expect((await auth.GET(eventAt('/auth/providers'))).status).to.equal(200)
    const posted = await auth.POST(eventAt('/auth/signin/github', { form: {}, headers: OWN_PAGE }))
    expect(posted.status).to.be.oneOf([302, 400, 403])
    expect(posted.headers.get('location') ?? '').not.to.include('github.example')
  })

  it('go with actions, whose cookies SvelteKit sets', async () => {
    const event = formOf(CREDENTIALS)
    await redirection(SvelteKitAuth(webConfig()).signIn(event))
    expect(event.set.get(SESSION)?.options).to.include({ httpOnly: true, secure: true, sameSite: 'lax', path: '/' })
  })
})
