import { expect } from 'chai'
import {
  authSession,
  type MiddlewareEvent,
  requireAuth,
  type SolidAuthConfig,
  signIn,
} from '../../../lib/frameworks/solid-start/index.js'
import { ADA, testConfig } from '../../support/app.js'
import { failure } from '../../support/oauth-driver.js'
import { ORIGIN, OWN_PAGE } from '../../support/web-app.js'
import { cookiesFrom, event, nodeHeaders } from './event.js'

const PERSON = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const config = (more: Partial<SolidAuthConfig> = {}): SolidAuthConfig => ({
  ...testConfig(),
  url: ORIGIN,
  session: { updateAge: 0 },
  ...more,
})
const locals = (at: MiddlewareEvent) => at.locals as { session?: { user?: { name?: string } } | null }

async function signedIn(options: SolidAuthConfig): Promise<string> {
  const at = event('/_server', OWN_PAGE, 'POST')
  await signIn(at, options, 'credentials', { ...ADA, redirect: false })
  return cookiesFrom(at.response.headers)
}

describe('authSession(config)', () => {
  it('gives the session to the code behind it, and extends it', async () => {
    const options = config()
    const at = event('/', { cookie: await signedIn(options) })
    expect(await authSession(options).onRequest(at)).to.equal(undefined)
    expect(locals(at).session?.user?.name).to.equal('Ada')
    expect(cookiesFrom(at.response.headers)).to.include('__Secure-authjs.session-token=')
    const nobody = event('/')
    await authSession(options).onRequest(nobody)
    expect(locals(nobody).session).to.equal(null)
  })

  it('lets a fault reach SolidStart', async () => {
    const options = config({ url: undefined as never, trustHost: false })
    await failure(authSession(options).onRequest(event('/')), 'UntrustedHost')
  })

  for (const [version, headersOf] of [
    ['1', nodeHeaders],
    ['2', () => new Headers()],
  ] as const) {
    it(`keeps its cookies out of shared caches, whatever a page or route says later (SolidStart ${version})`, async () => {
      const options = config()
      const { onRequest, onBeforeResponse } = authSession(options)
      const headers = headersOf()
      const at = { ...event('/', { cookie: await signedIn(options) }), response: { headers } }
      await onRequest(at)
      expect(headers.get('vary')).to.equal('Cookie')
      headers.set('cache-control', 'public, s-maxage=600')
      headers.set('cdn-cache-control', 's-maxage=600')
      expect(onBeforeResponse(at, { body: 'a page' })).to.equal(undefined)
      expect([headers.get('cache-control'), headers.get('cdn-cache-control')]).to.deep.equal([
        'private, no-cache, no-store',
        null,
      ])
      const route = new Response('x', {
        status: 201,
        headers: { 'cache-control': 's-maxage=600', 'set-cookie': 'a=b' },
      })
      const answer = onBeforeResponse(at, { body: route })
      expect([answer?.status, await answer?.text(), answer?.headers.get('set-cookie')]).to.deep.equal([201, 'x', 'a=b'])
      expect(answer?.headers.get('cache-control')).to.include('no-store')
    })
  }

  it('leaves caching to the route where there is no cookie', async () => {
    const { onRequest, onBeforeResponse } = authSession(config())
    const at = event('/')
    await onRequest(at)
    at.response.headers.set('cache-control', 'public, s-maxage=600')
    expect(onBeforeResponse(at, { body: new Response('x') })).to.equal(undefined)
    expect(at.response.headers.get('cache-control')).to.equal('public, s-maxage=600')
  })

  it('gives way to the Cache-Control of an API route, which SolidStart 2 would drop', async () => {
    const { onRequest, onBeforeResponse } = authSession(config())
    const cachingAfter = async (body: unknown) => {
      const at = event('/api/news')
      await onRequest(at)
      onBeforeResponse(at, { body })
      return [at.response.headers.get('cache-control'), at.response.headers.get('vary')]
    }
    const own = new Response('x', { headers: { 'cache-control': 'public, max-age=60' } })
    expect(await cachingAfter(own)).to.deep.equal([null, 'Cookie'])
    for (const body of [new Response('x'), 'a page', null])
      expect(await cachingAfter(body)).to.deep.equal(['private, no-cache, no-store', 'Cookie'])
  })
})

describe('requireAuth(config)', () => {
  it('sends a person to sign in, tells a script, and lets somebody pass who is signed in', async () => {
    const options = config()
    const { onRequest } = requireAuth(options)
    const person = await onRequest(event('/papers?page=2', PERSON))
    expect([person?.status, person?.headers.get('location')]).to.deep.equal([
      302,
      `${ORIGIN}/api/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/papers?page=2`)}`,
    ])
    expect((await onRequest(event('/papers')))?.status).to.equal(401)
    const at = event('/papers', { ...PERSON, cookie: await signedIn(options) })
    expect(await onRequest(at)).to.equal(undefined)
    expect(locals(at).session?.user?.name).to.equal('Ada')
  })

  it('guards HEAD and the server functions of SolidStart as well, and never the mount', async () => {
    const { onRequest } = requireAuth(config())
    for (const [path, method] of [
      ['/papers', 'HEAD'],
      ['/_server?id=1', 'GET'],
      ['/_server', 'POST'],
      ['/api/authors', 'GET'],
      // Leads out of the mount where something decodes it (WEB-08).
      ['/api/auth/signin/..%2f..%2f..%2fadmin', 'GET'],
    ] as const)
      expect((await onRequest(event(path, {}, method)))?.status, `${method} ${path}`).to.equal(401)
    expect(await onRequest(event('/api/auth/signin'))).to.equal(undefined)
  })

  it('asks the authorized callback about each spelling of a path, as the router folds case', async () => {
    const authorized = ({ request }: { request: Request }) => !new URL(request.url).pathname.startsWith('/admin')
    const { onRequest } = requireAuth(config({ callbacks: { authorized } }))
    expect(await onRequest(event('/public'))).to.equal(undefined)
    for (const path of ['/admin', '/Admin', '/%61dmin'])
      expect((await onRequest(event(path)))?.status, path).to.equal(401)
  })

  it('asks the authorized callback about the path of server functions for every path that runs one', async () => {
    const asked: string[] = []
    const authorized = ({ request }: { request: Request }) => {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname + search)
      return pathname !== '/_server' && pathname !== '/shop/_server'
    }
    const { onRequest } = requireAuth(config({ callbacks: { authorized } }))
    const paths = [
      '/_server',
      '/_serverless',
      '/_server/x',
      '/_server;x',
      '/_server%2fx',
      '/shop/_server.',
      '/_server/',
    ]
    for (const path of paths) expect((await onRequest(event(`${path}?id=1`)))?.status, path).to.equal(401)
    expect(asked).to.include('/_server?id=1').and.include('/_serverless?id=1').and.include('/shop/_server?id=1')
    for (const path of ['/server', '/x_server', '/docs']) expect(await onRequest(event(path)), path).to.equal(undefined)
  })

  it('lets nobody pass after a fault', async () => {
    const authorized = () => {
      throw new Error('x')
    }
    expect((await requireAuth(config({ callbacks: { authorized } })).onRequest(event('/')))?.status).to.equal(503)
  })
})

describe('a guard before the router of SolidStart 1', () => {
  it('refuses a path that this router reads with its dots: a URL has resolved them', async () => {
    const guard = requireAuth({
      providers: [],
      secret: 'a secret that is long enough for anything',
      url: 'http://app.example',
    })
    const status = async (originalUrl: string, path: string) => {
      const request = new Request(`http://app.example${path}`)
      const nativeEvent = { node: { req: { originalUrl } } }
      return (await guard.onRequest({ request, response: { headers: new Headers() }, locals: {}, nativeEvent }))?.status
    }
    expect(await status('/_server/../api/auth/session', '/api/auth/session')).to.equal(400)
    expect(await status('/_server/%2e%2e/api/auth/session', '/api/auth/session')).to.equal(400)
    expect(await status('/api/auth/session?x=1', '/api/auth/session?x=1')).to.equal(undefined)
    expect(await status('/members', '/members')).to.equal(401)
  })
})
