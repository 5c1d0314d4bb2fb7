import { Auth as AuthJs, skipCSRFCheck } from '@auth/core'
import AuthJsCredentials from '@auth/core/providers/credentials'
import { expect } from 'chai'
import type { AuthConfig } from '../../../lib/index.js'
import { CredentialsSignin } from '../../../lib/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import { readText } from '../../docs/documents.js'
import { ADA, SECRET } from '../../support/app.js'
import { failure } from '../../support/oauth-driver.js'
import { ORIGIN, webConfig } from '../../support/web-app.js'
import { cookiesOf, eventAt, type FakeEvent, handlers, operations, ownPage, run, work } from './fake-city.js'

const { getSession, signIn, signOut, updateSession } = operations
const SIGN_IN = { providerId: 'credentials', options: ADA }
const PERSON = { 'sec-fetch-mode': 'navigate', accept: 'text/html' }

/** A request of which `onRequest` has read the session. */
async function began(source: AuthConfig, path: string, options: Parameters<typeof eventAt>[1] = {}) {
  const event = eventAt(path, options)
  await handlers(source).onRequest(event)
  return event
}

const posted = (source: AuthConfig, path: string, headers: Record<string, string> = ownPage()) =>
  began(source, path, { method: 'POST', headers })

/** The cookies of Ada's browser. */
async function signedIn(source: AuthConfig): Promise<string> {
  const event = await posted(source, '/login')
  await run(() => work.signIn(SIGN_IN, event), event)
  return cookiesOf(event)
}

describe('onRequest of QwikAuth(config)', () => {
  it('serves the mount, with links of the public origin, and nothing else', async () => {
    const { onRequest } = handlers(webConfig())
    const page = await run(onRequest, eventAt('/auth/signin', { headers: { accept: 'text/html' } }))
    expect(page.answered?.status).to.equal(200)
    expect((await run(onRequest, eventAt('/notes'))).answered).to.equal(null)
    expect((await run(onRequest, eventAt('/auth/signin/q-data.json'))).answered, 'data of the mount').to.equal(null)
  })

  it('gives the session to loaders and to the values of the request, and extends it', async () => {
    const source = webConfig({ session: { updateAge: 0 } })
    const event = await began(source, '/', { headers: { cookie: await signedIn(source) } })
    expect((await work.readSession(event))?.user?.name).to.equal('Ada')
    expect(event.sharedMap.get('session')).to.equal(await getSession(event))
    expect(cookiesOf(event)).to.include('__Secure-authjs.session-token=')
    const nobody = await began(source, '/')
    expect([nobody.sharedMap.get('session'), await getSession(nobody)]).to.deep.equal([null, null])
  })

  it('keeps what depends on the visitor out of shared caches, whatever the page says later', async () => {
    const source = webConfig()
    const event = await began(source, '/', { headers: { cookie: await signedIn(source) } })
    event.headers.set('cache-control', 'public, s-maxage=600')
    event.getWritableStream()
    expect([event.headers.get('cache-control'), event.headers.get('vary')]).to.deep.equal([
      'private, no-cache, no-store',
      'Cookie',
    ])
    const nobody = await began(source, '/')
    nobody.headers.set('cache-control', 'public, s-maxage=600')
    nobody.getWritableStream()
    expect(nobody.headers.get('cache-control')).to.equal('public, s-maxage=600')
  })

  it('calls a function without parameters once, as that of @auth/qwik makes new options each time', async () => {
    let calls = 0
    const { onRequest } = handlers(async () => {
      calls += 1
      return webConfig()
    })
    await Promise.all([onRequest(eventAt('/')), onRequest(eventAt('/'))])
    await onRequest(eventAt('/'))
    expect(calls).to.equal(1)
  })

  it('gives the event to a function with a parameter, and takes the configuration of each tenant', async () => {
    const tenants: Record<string, AuthConfig> = { a: webConfig({ basePath: '/a' }), b: webConfig({ basePath: '/b' }) }
    const { onRequest } = handlers(({ url }) => tenants[url.pathname[1] ?? ''] ?? webConfig())
    for (const path of ['/a/providers', '/b/providers'])
      expect((await run(onRequest, eventAt(path))).answered?.status, path).to.equal(200)
  })

  it('throws where the configuration cannot work, at each request, and at once where there is none', async () => {
    const { onRequest } = handlers({ ...webConfig(), provider: [] } as never)
    for (const path of ['/', '/auth/signin']) await failure(onRequest(eventAt(path)), 'InvalidConfiguration')
    expect(() => handlers(undefined as never)).to.throw(/QwikAuth\(config\)/)
  })

  it('finds the session of a visitor who signed in with @auth/core, by the defaults of @auth/qwik', async () => {
    for (const origin of ['http://localhost:3000', ORIGIN]) {
      const answer = (await AuthJs(
        new Request(`${origin}/auth/callback/credentials`, { method: 'POST', body: new URLSearchParams(ADA) }),
        {
          basePath: '/auth',
          secret: [SECRET],
          trustHost: true,
          skipCSRFCheck,
          providers: [AuthJsCredentials({ credentials: {}, authorize: () => ({ id: '1815', name: 'Ada' }) })],
        },
      )) as Response
      const cookie = answer.headers
        .getSetCookie()
        .map((text) => text.split(';', 1)[0])
        .join('; ')
      const event = await began(webConfig({ url: origin }), '/', { headers: { cookie } })
      expect((await getSession(event))?.user?.name, origin).to.equal('Ada')
    }
  })
})

describe('the public origin in Qwik City', () => {
  const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

  it('is that of the configuration, whatever a client or the server says', async () => {
    const event = await posted(webConfig(), '/login', { ...ownPage(), ...forged })
    await run(() => work.signIn(SIGN_IN, event), event)
    expect(event.answered?.location).to.equal(`${ORIGIN}/login`)
  })

  it('is not believed where nothing is', async () => {
    const source = webConfig({ url: undefined as never, trustHost: false })
    await failure(handlers(source).onRequest(eventAt('/', { headers: forged })), 'UntrustedHost')
    const guarded = await run(handlers(source).guard, eventAt('/'))
    expect(guarded.answered?.status).to.equal(503)
  })

  it('is that of the adapter where the host is trusted, and no header that the adapter did not read', async () => {
    const source = webConfig({ url: undefined as never, trustHost: true })
    const event = await posted(source, '/login', { ...forged, origin: 'http://inner:3000' })
    await run(() => work.signIn(SIGN_IN, event), event)
    expect(event.answered?.location).to.equal('http://inner:3000/login')
  })
})

describe('useSignIn and useSignOut', () => {
  it('sign in and redirect with 302, to the page of the form or to redirectTo', async () => {
    for (const [input, target] of [
      [SIGN_IN, '/login?next=1'],
      [{ ...SIGN_IN, redirectTo: '/notes' }, '/notes'],
      [{ ...SIGN_IN, redirectTo: '/x', options: { ...ADA, redirectTo: '/notes' } }, '/notes'],
      [{ ...SIGN_IN, redirectTo: '' }, '/login?next=1'],
    ] as const) {
      const event = await posted(webConfig(), '/login?next=1&qaction=id_latchkey-sign-in')
      await run(() => work.signIn(input, event), event)
      expect(event.answered).to.include({ status: 302, location: ORIGIN + target })
    }
  })

  it('answer the script of Qwik City with data, which lead to another origin too', async () => {
    const event = await posted(webConfig(), '/login/q-data.json?qaction=x')
    const input = { providerId: 'github', authorizationParams: { prompt: 'login' } }
    await run(() => work.signIn(input, event), event)
    expect([event.answered?.status, event.answered?.location]).to.deep.equal([200, null])
    expect([...event.set.keys()].join()).to.include('authjs.pkce.code_verifier')
  })

  it('take parameters as a text, a record and URLSearchParams', async () => {
    const record = { prompt: 'login' }
    for (const authorizationParams of ['prompt=login', record, new URLSearchParams(record)]) {
      const event = await posted(webConfig(), '/login')
      await run(() => work.signIn({ providerId: 'github', authorizationParams }, event), event)
      expect(new URL(event.answered?.location ?? '').searchParams.get('prompt')).to.equal('login')
    }
  })

  it('lead to no other site', async () => {
    for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/\\evil.example']) {
      for (const act of [
        (event: FakeEvent) => work.signIn({ ...SIGN_IN, redirectTo }, event),
        (event: FakeEvent) => work.signOut({ redirectTo }, event),
      ]) {
        const event = await posted(webConfig(), '/login')
        await run(act, event)
        expect(new URL(event.answered?.location ?? '').origin, redirectTo).to.equal(ORIGIN)
      }
    }
  })

  it('say what is wrong: a wrong password, with the code of authorize, an unknown provider, a request from elsewhere', async () => {
    class Locked extends CredentialsSignin {
      override code = 'locked'
    }
    const locked = Credentials({
      id: 'locked',
      credentials: {},
      authorize() {
        throw new Locked()
      },
    })
    const base = webConfig()
    const source = { ...base, providers: [...base.providers, locked] }
    const wrong = { ...SIGN_IN, options: { ...ADA, password: 'x' } }
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const [input, headers, expected] of [
      [wrong, ownPage(), { status: 401, error: 'CredentialsSignin', code: 'credentials' }],
      [{ providerId: 'locked' }, ownPage(), { status: 401, error: 'CredentialsSignin', code: 'locked' }],
      [{ providerId: 'nobody' }, ownPage(), { status: 404, error: 'Configuration' }],
      [SIGN_IN, elsewhere, { status: 403, error: 'MissingCSRF' }],
      [SIGN_IN, {}, { status: 403, error: 'MissingCSRF' }],
    ] as const) {
      const event = await posted(source, '/login', headers)
      const value = await work.signIn(input, event)
      expect(value).to.deep.include({ failed: true, fieldErrors: {}, ...expected })
      expect(value.formErrors).to.have.length(1)
      expect(cookiesOf(event), 'no session').not.to.include('session-token')
    }
  })

  it('forget the fields of the form, which Qwik City would put into its page', async () => {
    const event = await posted(webConfig(), '/login')
    event.sharedMap.set('@actionFormData', new FormData())
    await work.checks.signIn.validate(event, {})
    expect(event.sharedMap.has('@actionFormData')).to.equal(false)
  })

  it('forget them in an action of the application, too, when the sign-in fails by a fault', async () => {
    const authorize = () => Promise.reject(new Error('the database is down'))
    const source = webConfig({ providers: [Credentials({ credentials: { password: {} }, authorize })] })
    const event = await posted(source, '/login')
    event.sharedMap.set('@actionFormData', new FormData())
    await failure(signIn(event, 'credentials', { password: 'hunter2' }), 'CallbackRouteError')
    expect(event.sharedMap.has('@actionFormData')).to.equal(false)
  })

  it('end the session, for the rest of the request too, and not for a request from elsewhere', async () => {
    const source = webConfig()
    const cookie = await signedIn(source)
    const other = await posted(source, '/notes', { cookie, origin: 'https://evil.example' })
    expect((await work.signOut({}, other)).failed).to.equal(true)
    expect((await getSession(other))?.user?.name).to.equal('Ada')
    const event = await posted(source, '/notes', ownPage(cookie))
    await run(() => work.signOut({ redirectTo: '/bye' }, event), event)
    expect(event.answered).to.include({ status: 302, location: `${ORIGIN}/bye` })
    expect(event.set.get('__Secure-authjs.session-token')).to.match(/max-age=0/i)
  })
})

describe('signIn, signOut and updateSession in an action', () => {
  it('return the URL with redirect: false, and the session is known in the same request', async () => {
    const event = await posted(webConfig(), '/login')
    const url = await signIn(event, 'credentials', { ...ADA, redirect: false })
    expect(url).to.equal(`${ORIGIN}/login`)
    expect((await work.readSession(event))?.user?.name).to.equal('Ada')
    expect(event.sharedMap.get('session')).to.deep.include({ user: (await getSession(event))?.user })
    expect(await signOut(event, { redirect: false, redirectTo: '/bye' })).to.equal(`${ORIGIN}/bye`)
    expect(event.sharedMap.get('session')).to.equal(null)
    expect(await work.readSession(event)).to.equal(null)
  })

  it('change the session, for the rest of the request and the next one', async () => {
    const source = webConfig({
      callbacks: { jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, ...session } : token) },
    })
    const event = await posted(source, '/notes', ownPage(await signedIn(source)))
    expect((await updateSession(event, { name: 'Augusta' }))?.user?.name).to.equal('Augusta')
    expect((await getSession(event))?.user?.name).to.equal('Augusta')
    const next = await began(source, '/', { headers: { cookie: cookiesOf(event) } })
    expect((await getSession(next))?.user?.name).to.equal('Augusta')
    const other = await posted(source, '/notes', { cookie: cookiesOf(event) })
    await failure(updateSession(other, { name: 'Eve' }), 'MissingCSRF')
  })

  it('throw what went wrong, and set no cookie once the answer has begun', async () => {
    const event = await posted(webConfig(), '/login')
    await failure(signIn(event, 'credentials', { ...ADA, password: 'x' }), 'CredentialsSignin')
    event.getWritableStream()
    await failure(signIn(event, 'credentials', ADA), 'AuthError', /answer has begun/)
    expect(event.set.size).to.equal(0)
  })

  it('name the cure where onRequest is missing', async () => {
    await failure(getSession(eventAt('/')), 'AuthError', /plugin@auth\.ts/)
  })
})

describe('guard of QwikAuth(config)', () => {
  const statusOf = async (source: AuthConfig, event: FakeEvent) =>
    (await run(handlers(source).guard, event)).answered?.status

  it('sends a person to sign in, tells a script, and lets somebody pass who is signed in', async () => {
    const source = webConfig()
    const person = await run(handlers(source).guard, eventAt('/notes?page=2', { headers: PERSON }))
    expect(person.answered).to.include({
      status: 302,
      location: `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/notes?page=2`)}`,
    })
    expect(await statusOf(source, eventAt('/notes'))).to.equal(401)
    const ada = await run(
      handlers(source).guard,
      eventAt('/notes', { headers: { ...PERSON, cookie: await signedIn(source) } }),
    )
    expect([ada.answered, (await getSession(ada))?.user?.name]).to.deep.equal([null, 'Ada'])
  })

  it('guards HEAD, forms and actions as well, and never the mount', async () => {
    const source = webConfig()
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'])
      expect(await statusOf(source, eventAt('/notes?qaction=x', { method })), method).to.equal(401)
    expect(await statusOf(source, eventAt('/auth/signin'))).to.equal(undefined)
    expect(await statusOf(source, eventAt('/auth/signin/..%2f..%2fadmin')), 'leads out of it (WEB-08)').to.equal(401)
  })

  it('refuses data without a redirect and without JSON, which the script would follow', async () => {
    const authorized = () => Response.redirect(`${ORIGIN}/upgrade`)
    for (const callbacks of [{}, { authorized }]) {
      const event = await run(handlers(webConfig({ callbacks })).guard, eventAt('/notes/q-data.json'))
      expect(event.answered).to.include({ status: 401, location: null })
      expect(event.headers.get('content-type')).to.include('text/plain')
    }
  })

  it('asks the authorized callback about the page, also for its data and after a rewrite, in each spelling', async () => {
    const authorized = ({ request }: { request: Request }) => !new URL(request.url).pathname.startsWith('/admin')
    const source = webConfig({ callbacks: { authorized } })
    for (const path of ['/public', '/public/q-data.json', '/Admin'])
      expect(await statusOf(source, eventAt(path)), path).to.equal(undefined)
    for (const path of ['/admin', '/admin/', '/admin/q-data.json', '/%61dmin', '/x/../admin'])
      expect(await statusOf(source, eventAt(path)), path).to.equal(401)
    const rewritten = eventAt('/public')
    rewritten.url.pathname = '/admin'
    expect(await statusOf(source, rewritten)).to.equal(401)
  })

  it('lets nobody pass after a fault', async () => {
    const authorized = () => {
      throw new Error('x')
    }
    for (const path of ['/notes', '/notes/q-data.json'])
      expect(await statusOf(webConfig({ callbacks: { authorized } }), eventAt(path)), path).to.equal(503)
  })
})

describe('while Qwik City makes files of pages', () => {
  const building = (path: string) => eventAt(path, { platform: { static: true } })

  it('nobody is signed in, and no secret is needed', async () => {
    const event = building('/')
    await handlers({ providers: [] }).onRequest(event)
    expect([event.sharedMap.get('session'), await work.readSession(event)]).to.deep.equal([null, null])
  })

  it('the guard lets no page become a file that not everybody may see', async () => {
    const authorized = ({ request }: { request: Request }) => new URL(request.url).pathname === '/public'
    const { guard } = handlers(() => ({ providers: [], callbacks: { authorized } }))
    expect((await run(guard, building('/public'))).answered).to.equal(null)
    expect((await run(guard, building('/notes'))).answered?.status).to.equal(401)
    expect((await run(handlers({ providers: [] }).guard, building('/'))).answered?.status).to.equal(401)
  })
})

describe('package.json, as Qwik reads it', () => {
  const { qwik, exports } = JSON.parse(readText('package.json')) as {
    qwik: string
    exports: Record<string, Record<string, string | { default: string }>>
  }
  const inBrowsers = (target: string | { default: string } | undefined) =>
    typeof target === 'object' ? target.default : target

  it('names the entry, so that Qwik bundles Latchkey with the server, and both use one Qwik', () => {
    expect(qwik).to.equal(exports['./qwik']?.['default'])
  })

  it('keeps every entry of the server out of browsers under the condition that Qwik sets', () => {
    const kept = Object.entries(exports).filter(([, { browser }]) => inBrowsers(browser)?.includes('/import-latchkey-'))
    expect(kept.length).to.be.greaterThan(20)
    for (const [name, { browser, min }] of kept) expect(min, name).to.equal(inBrowsers(browser))
  })
})
