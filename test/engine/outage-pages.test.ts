import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { AdapterError, type AuthConfig, AuthError, SessionTokenError } from '../../lib/index.js'
import { ADA, createLog, type Running, startApp, testConfig } from '../support/app.js'
import { elements, visibleText } from '../support/html.js'

const REFUSED = new Error('connect ECONNREFUSED 10.0.0.5:5432')

/** A store that fails as a test chooses. */
function failingStore() {
  const store = memoryAdapter()
  store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
  const state: { fails: (() => unknown) | null } = { fails: null }
  const entries = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      if (state.fails) return state.fails()
      return (method as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return { adapter: Object.fromEntries(entries) as NonNullable<AuthConfig['adapter']>, state }
}

const failing = (error: Error) => () => {
  throw error
}

const OUTAGES: readonly [string, () => unknown][] = [
  ['throws', failing(REFUSED)],
  ['refuses', failing(new AdapterError('getUser: connect ECONNREFUSED', { err: REFUSED, method: 'getUser' }))],
  ['has a limit of its own', failing(new AdapterError('The database gave no answer.', { queryTimeout: 2 }))],
  ['hangs', () => new Promise(() => {})],
]

describe('a store that fails at a sign-in', () => {
  let app: Running
  afterEach(() => app.close())

  const start = async (more: Partial<AuthConfig> = {}) => {
    const store = failingStore()
    const log = createLog()
    app = await startApp(testConfig({ adapter: store.adapter, storeTimeout: 0.05, logger: log.logger, ...more }))
    return { ...store, log, visitor: app.visitor() }
  }

  for (const [what, fails] of OUTAGES) {
    it(`is shown as an outage that will end, if the store ${what}`, async () => {
      const { visitor, state } = await start()
      await visitor.get('/auth/signin?callbackUrl=/papers?page=2')
      state.fails = fails
      const { location, setCookie } = await visitor.signIn(ADA)
      expect(location?.pathname + (location?.search ?? '')).to.equal('/auth/error?error=Configuration&code=Unavailable')
      expect(setCookie.join()).to.not.contain('session-token')
      const page = await visitor.get((location?.pathname ?? '') + (location?.search ?? ''))
      expect([page.status, page.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect(page.headers.get('cache-control')).to.contain('no-store')
      expect(visibleText(page.text))
        .to.match(/nothing is lost/i)
        .and.match(/try again in a moment/i)
        .and.include('Error 503')
      expect(visibleText(page.text)).to.not.include('set up')
      const [link] = elements(page.text, 'a')
      const target = `${app.origin}/papers?page=2`
      expect(link?.get('href')).to.equal(`${app.origin}/auth/signin?${new URLSearchParams({ callbackUrl: target })}`)
    })
  }

  it('is reported to the page of the application by a code', async () => {
    const { visitor, state } = await start({ pages: { error: '/sorry?from=auth' } })
    state.fails = failing(REFUSED)
    const expected = `${app.origin}/sorry?from=auth&error=Configuration&code=Unavailable`
    expect((await visitor.signIn(ADA)).headers.get('location')).to.equal(expected)
    const shown = await visitor.get('/auth/error?error=Configuration&code=Unavailable')
    expect(shown.headers.get('location')).to.equal('/sorry?from=auth&error=Configuration&code=Unavailable')
  })

  it('is reported to scripts with the usual error, and a code beside it', async () => {
    const { visitor, state } = await start()
    const csrfToken = await visitor.csrfToken()
    state.fails = failing(REFUSED)
    const answer = await visitor.post(
      '/auth/callback/credentials',
      { csrfToken, ...ADA },
      { 'x-auth-return-redirect': '1' },
    )
    expect([answer.status, new URL(answer.json().url).search]).to.deep.equal([
      200,
      '?error=Configuration&code=Unavailable',
    ])
  })

  it('has the session route answer 503, and when to ask again', async () => {
    const { visitor, state } = await start()
    await visitor.signIn(ADA)
    state.fails = failing(REFUSED)
    const answer = await visitor.get('/auth/session')
    expect([answer.status, answer.json(), answer.headers.get('retry-after')]).to.deep.equal([503, null, '5'])
    expect(answer.setCookie).to.deep.equal([])
  })
})

describe('a fault that lasts until somebody mends it', () => {
  const FAULTS: readonly [string, Partial<AuthConfig>][] = [
    ['a callback that throws', { callbacks: { jwt: failing(new Error('no')) } }],
    [
      'a method that the adapter lacks',
      { callbacks: { jwt: failing(new AdapterError('no getUser', { method: 'getUser' })) } },
    ],
    [
      'a row that is there twice',
      { callbacks: { jwt: failing(new AdapterError('twice', { err: REFUSED, duplicate: true })) } },
    ],
    ['a session that cannot be', { callbacks: { jwt: failing(new SessionTokenError('no')) } }],
    ['an error of a plain kind', { callbacks: { jwt: failing(new AuthError('no')) } }],
  ]
  for (const [what, config] of FAULTS) {
    it(`is not shown as an outage that will end: ${what}`, async () => {
      const app = await startApp(testConfig(config))
      try {
        const visitor = app.visitor()
        const { location } = await visitor.signIn(ADA)
        expect(location?.search).to.equal('?error=Configuration')
        const page = await visitor.get('/auth/error?error=Configuration')
        expect([page.status, page.headers.get('retry-after')]).to.deep.equal([500, null])
      } finally {
        await app.close()
      }
    })
  }

  it('cannot be made to look so by a link to another page, nor with another code', async () => {
    const app = await startApp()
    try {
      for (const query of ['error=Verification&code=Unavailable', 'error=Configuration&code=x', 'code=Unavailable']) {
        const page = await app.visitor().get(`/auth/error?${query}`)
        expect(page.headers.get('retry-after'), query).to.equal(null)
        expect(visibleText(page.text), query).to.not.match(/in a moment/)
      }
    } finally {
      await app.close()
    }
  })
})
