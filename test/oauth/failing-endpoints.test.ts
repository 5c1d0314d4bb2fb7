import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/config/options.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Tiktok from '../../lib/providers/catalogue/tiktok.js'
import { customFetch } from '../../lib/providers/provider.js'
import { FAILURES, FakeProvider } from '../support/fake-provider.js'
import { oauth } from '../support/sign-ins.js'
import { Clock, openTestApp } from '../support/test-app.js'

describe('a provider that fails for a while', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  beforeEach(() => fake.reset())
  after(() => fake.stop())

  /** Where a sign-in ends: the error page, or the page of the provider if it got no further. */
  const signIn = async (provider: AuthConfig['providers'][number], id: string) => {
    const app = openTestApp({ providers: [provider], adapter: memoryAdapter() }, { clock: new Clock(Date.now()) })
    const browser = app.browser()
    const started = await browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrfToken() })
    const location = started.location ?? ''
    if (!location.startsWith('http') || location.includes('code=Unavailable')) return { location, app, started }
    const answer = fake.authorize(location)
    if (id !== 'oauth' && id !== 'oidc') answer.delete('iss')
    const finished = await browser.get(`/auth/callback/${id}?${answer}`)
    return { location: finished.location ?? '', app, started: finished }
  }
  const isUnavailable = async (provider: AuthConfig['providers'][number], id: string, what: string) => {
    const { location, started, app } = await signIn(provider, id)
    const text = `${what}: ${started.status} ${location} ${app.log.errors.map(({ message }) => message)}`
    expect(location, text).to.include('code=Unavailable')
    expect(app.log.errors, text).to.have.length(1)
  }

  it('at its token endpoint, keys or userinfo is shown as unavailable, whatever the body says', async () => {
    for (const answer of FAILURES) {
      fake.reset()
      fake.faults.token = () => answer
      await isUnavailable(oauth(fake, 'oidc'), 'oidc', 'token endpoint')
      fake.reset()
      fake.faults.jwks = () => answer
      await isUnavailable(oauth(fake, 'oidc'), 'oidc', 'keys')
      fake.reset()
      fake.faults.userinfo = () => answer
      await isUnavailable(oauth(fake, 'oidc', { idToken: false }), 'oidc', 'userinfo of OpenID Connect')
      await isUnavailable(oauth(fake, 'oauth'), 'oauth', 'userinfo')
    }
  })

  it('at the endpoint for pushed requests, too', async () => {
    const fails = async () => Response.json({ error: 'server_error' }, { status: 503 })
    const pushed = oauth(fake, 'oidc', {
      pushedAuthorizationRequests: true,
      [customFetch]: ((input: string, init?: RequestInit) =>
        input.endsWith('/par') ? fails() : fetch(input, init)) as typeof fetch,
    })
    fake.faults.metadata = (document) => ({
      ...document,
      pushed_authorization_request_endpoint: `${fake.issuer}/par`,
    })
    const { started, app } = await signIn(pushed, 'oidc')
    expect(`${started.location} ${started.status}`).to.match(/code=Unavailable|503/)
    expect(app.log.errors).to.have.length(1)
  })

  it('where a hook asks it: for the tokens, the profile, and what completes the profile', async () => {
    const failing = async (call: typeof fetch | undefined, path: string) => {
      const answer = await (call ?? fetch)(`${fake.issuer}${path}`)
      return answer.json() as Promise<Record<string, unknown>>
    }
    fake.faults.userinfo = () => ({ status: 503, body: '' })
    const closed = 'http://127.0.0.1:1/'
    await isUnavailable(
      oauth(fake, 'oauth', {
        token: {
          url: closed,
          request: async (asked: { fetch?: typeof fetch }) => ({ tokens: await failing(asked.fetch, '/../') }),
        },
        [customFetch]: (() => Promise.reject(new TypeError('fetch failed'))) as typeof fetch,
      }),
      'oauth',
      'token.request',
    )
    for (const member of ['completeProfile', 'profile'] as const) {
      const asks = async (_: unknown, __: unknown, context?: { fetch: typeof fetch }) => {
        await context?.fetch(closed)
        return { id: '1' }
      }
      await isUnavailable(oauth(fake, 'oidc', { [member]: asks }), 'oidc', member)
    }
  })

  it('at the APIs that entries of the catalogue ask', async () => {
    const answering = (failing: RegExp): typeof fetch =>
      (async (input: string) => {
        if (failing.test(input)) return new Response('', { status: 503 })
        if (/token/.test(input)) return Response.json({ access_token: 'a', token_type: 'bearer', open_id: '1' })
        return Response.json({ id: 1, login: 'ada', data: { user: { open_id: '1' } } })
      }) as typeof fetch
    for (const [entry, id, failing] of [
      [GitHub, 'github', /access_token/],
      [GitHub, 'github', /\/user$/],
      [Tiktok, 'tiktok', /token/],
      [Tiktok, 'tiktok', /user\/info/],
    ] as const) {
      const provider = entry({ clientId: 'c', clientSecret: 's', [customFetch]: answering(failing) })
      await isUnavailable(provider, id, `${id} ${failing}`)
    }
  })
})
