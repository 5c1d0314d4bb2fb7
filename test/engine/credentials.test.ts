import { expect } from 'chai'
import { type AuthConfig, CredentialsSignin, getSession } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { untyped } from '../support/untyped.js'

const SESSION = 'authjs.session-token'

type Authorize = Parameters<typeof Credentials>[0]['authorize']

describe('POST /auth/callback/credentials', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (more: Partial<AuthConfig> = {}) => {
    app = await startApp(testConfig(more))
    return app.visitor()
  }
  const startWith = (authorize: Authorize, more: Partial<AuthConfig> = {}) =>
    start({ providers: [Credentials({ authorize })], ...more })

  it('signs in, is recognised, and signs out', async () => {
    const config = testConfig()
    app = await startApp(config, (express) => {
      express.get('/', async (req, res) => void res.json(await getSession(req, config)))
    })
    const ada = app.visitor()
    const answer = await ada.signIn({ ...ADA, callbackUrl: '/private?x=1#y' })
    expect(answer.status).to.equal(302)
    expect(answer.headers.get('location')).to.equal(`${app.origin}/private?x=1#y`)
    expect((await ada.get('/')).json().user).to.deep.equal({
      id: '1815',
      name: 'Ada',
      email: 'ada@example.com',
      image: null,
    })
    const csrfToken = await ada.csrfToken()
    const out = await ada.post('/auth/signout', { csrfToken, callbackUrl: '/bye' })
    expect(out.headers.get('location')).to.equal(`${app.origin}/bye`)
    expect(await ada.session()).to.equal(null)
    expect([...ada.jar.keys()].filter((name) => name.includes('session'))).to.deep.equal([])
  })

  it('asks and tells in the order of Auth.js: redirect, authorize, signIn, jwt, encode, event (wire contract 13)', async () => {
    const order: string[] = []
    const note = <T>(step: string, value: T): T => {
      order.push(step)
      return value
    }
    const ada = await startWith(() => note('authorize', { id: '1', name: 'Ada' }), {
      callbacks: {
        redirect: ({ baseUrl }) => note('redirect', baseUrl),
        signIn: () => note('signIn', true),
        jwt: ({ token }) => note('jwt', token),
      },
      jwt: { encode: () => note('encode', 'token') },
      events: { signIn: () => void note('event signIn', null) },
    })
    await ada.signIn({ callbackUrl: '/x' })
    expect(order).to.deep.equal(['redirect', 'authorize', 'signIn', 'jwt', 'encode', 'event signIn'])
  })

  it('hands authorize what was entered, and the request, without the fields of our own form', async () => {
    const seen: unknown[] = []
    const ada = await startWith(async (credentials, request) => {
      seen.push({ ...credentials }, request.method, request.url, request.headers.get('x-mark'), await request.json())
      return null
    })
    const csrfToken = await ada.csrfToken()
    const fields = { csrfToken, callbackUrl: '/x', user: 'ada' }
    await ada.post('/auth/callback/credentials?y=1', fields, { 'x-mark': 'm' })
    expect(seen).to.deep.equal([{ user: 'ada' }, 'POST', `${app.origin}/auth/callback/credentials?y=1`, 'm', fields])
  })

  it('sends who is not accepted back to the form, and leaves an existing session alone', async () => {
    class TooOften extends CredentialsSignin {
      override code = 'too often&x=1'
    }
    for (const [refuse, code] of [
      [() => null, 'credentials'],
      [() => Promise.reject(new CredentialsSignin()), 'credentials'],
      [() => Promise.reject(new TooOften('slow down')), 'too often&x=1'],
    ] as const) {
      const ada = await startWith((credentials) => (credentials['password'] ? { id: '1', name: 'Ada' } : refuse()))
      await ada.signIn({ password: 'x' })
      const { status, location, cookies } = await ada.signIn({})
      expect([status, location?.pathname]).to.deep.equal([302, '/auth/signin'])
      expect(Object.fromEntries(location?.searchParams ?? [])).to.deep.equal({ error: 'CredentialsSignin', code })
      expect(cookies.has(SESSION)).to.equal(false)
      expect((await ada.session()).user.name).to.equal('Ada')
      await app.close()
    }
  })

  it('closes the door when authorize throws, shows nothing of it, and logs it (WEB-06)', async () => {
    const log = createLog()
    for (const thrown of [new Error('marked: no database'), 'marked text', undefined]) {
      const visitor = await startWith(() => Promise.reject(thrown), { logger: log.logger })
      const answer = await visitor.signIn({})
      expect(answer.headers.get('location')).to.equal(`${app.origin}/auth/error?error=Configuration`)
      expect(answer.cookies.has(SESSION)).to.equal(false)
      expect((await visitor.get(answer.location?.href ?? '')).text).to.not.contain('marked')
      await app.close()
    }
    expect(log.errors.map(({ name }) => name)).to.deep.equal(Array(3).fill('CallbackRouteError'))
  })

  it('signs nobody in when authorize gives what is no user, and says so in the log', async () => {
    const log = createLog()
    for (const given of [true, 1, 'ada', [], [{ id: '1' }]]) {
      const visitor = await startWith((() => given) as never, { logger: log.logger })
      const answer = await visitor.signIn({})
      expect(answer.headers.get('location')).to.equal(`${app.origin}/auth/error?error=Configuration`)
      expect(await visitor.session()).to.equal(null)
      await app.close()
    }
    expect(log.errors.map(({ message }) => /gave (?:an? )?(\w+)/.exec(message)?.[1])).to.deep.equal([
      'true',
      'number',
      'string',
      'list',
      'list',
    ])
  })

  it('follows the verdict of the signIn callback (wire contract 8)', async () => {
    for (const [verdict, expected] of [
      [true, '/in'],
      [false, '/auth/error?error=AccessDenied'],
      [undefined, '/auth/error?error=AccessDenied'],
      ['', '/auth/error?error=AccessDenied'],
      ['/pay-first', '/pay-first'],
      ['https://evil.example', ''],
      [new Error('boom'), '/auth/error?error=AccessDenied'],
    ] as const) {
      const signIn = () => {
        if (verdict instanceof Error) throw verdict
        return untyped<boolean>(verdict)
      }
      const ada = await start({ callbacks: { signIn } })
      const answer = await ada.signIn({ ...ADA, callbackUrl: '/in' })
      expect(answer.headers.get('location'), String(verdict)).to.equal(app.origin + expected)
      expect(answer.cookies.has(SESSION), String(verdict)).to.equal(verdict === true)
      await app.close()
    }
  })

  it('signs nobody in when the jwt callback gives null, and ends the session of before', async () => {
    let refuse = false
    const ada = await start({ callbacks: { jwt: ({ token }) => (refuse ? null : token) } })
    await ada.signIn(ADA)
    refuse = true
    const answer = await ada.signIn(ADA)
    expect([answer.status, answer.cookies.get(SESSION)]).to.deep.equal([302, ''])
    expect(ada.jar.has(SESSION)).to.equal(false)
  })

  it('ends closed when a callback on the way throws', async () => {
    const boom = () => Promise.reject(new Error('boom'))
    for (const more of [{ callbacks: { jwt: boom } }, { jwt: { encode: boom } }] as Partial<AuthConfig>[]) {
      const ada = await start(more)
      const answer = await ada.signIn({ ...ADA, callbackUrl: '/x' })
      expect(answer.headers.get('location')).to.equal(`${app.origin}/auth/error?error=Configuration`)
      expect(answer.cookies.has(SESSION)).to.equal(false)
      await app.close()
    }
  })
})
