import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { customFetch, type Provider } from '../../lib/index.js'
import { type FakeFaults, FakeProvider } from '../support/fake-provider.js'
import { oauth } from '../support/sign-ins.js'
import { Clock, openTestApp } from '../support/test-app.js'

/** What a visitor sees, and the level of the line in the log. */
const CANCELLED = { level: 'info', page: '/auth/signin', error: 'OAuthCallbackError', code: null, status: 200 }
const INCOMPLETE = { ...CANCELLED, code: 'Incomplete' }
const UNAVAILABLE = { level: 'error', page: '/auth/error', error: 'Configuration', code: 'Unavailable', status: 503 }
const OURS = { ...UNAVAILABLE, code: null, status: 500 }

/** What the page says, by its `code`, or else by its `error`. */
const TEXTS: Record<string, RegExp> = {
  OAuthCallbackError: /cancelled, took too long, or had already been used/,
  Incomplete: /could not be completed/,
  Unavailable: /try again in a moment/i,
  Configuration: /A problem on our side/,
}

describe('whose doing it is that a sign-in at a provider is refused', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  /** Signs in, and says how that ended. */
  async function ending(provider: Provider, query = '') {
    const app = openTestApp({ providers: [provider], adapter: memoryAdapter() }, { clock: new Clock(Date.now()) })
    const browser = app.browser()
    const { id } = provider as { id: string }
    const begun = await browser.post(`/auth/signin/${id}${query}`, { csrfToken: await browser.csrfToken() })
    const back = begun.location?.includes('/auth/error')
      ? begun
      : await browser.get(`/auth/callback/${id}?${fake.authorize(begun.location ?? '')}`)
    const target = new URL(back.location ?? '', app.origin)
    const page = await browser.get(`${target.pathname}${target.search}`)
    expect(page.body).to.match(
      TEXTS[target.searchParams.get('code') ?? target.searchParams.get('error') ?? ''] ?? /no such page/,
    )
    expect(app.log.errors, app.log.errors.map(({ message }) => message).join('\n')).to.have.length(1)
    return {
      message: app.log.errors[0]?.message ?? '',
      body: page.body,
      outcome: {
        level: app.log.infos.length === 1 ? 'info' : 'error',
        page: target.pathname,
        error: target.searchParams.get('error'),
        code: target.searchParams.get('code'),
        status: page.status,
      },
    }
  }

  describe('an error that comes through the browser:', () => {
    const rows: Record<string, object> = {
      access_denied: CANCELLED,
      account_selection_required: CANCELLED,
      consent_required: CANCELLED,
      interaction_required: CANCELLED,
      login_required: CANCELLED,
      user_cancelled_authorize: CANCELLED,
      user_cancelled_login: CANCELLED,
      unmet_authentication_requirements: INCOMPLETE,
      request_forbidden: INCOMPLETE,
      'The request has expired': INCOMPLETE,
      constructor: INCOMPLETE,
      server_error: UNAVAILABLE,
      temporarily_unavailable: UNAVAILABLE,
      slow_down: UNAVAILABLE,
      invalid_client: OURS,
      invalid_redirect_uri: OURS,
      invalid_request: OURS,
      invalid_request_object: OURS,
      invalid_request_uri: OURS,
      invalid_scope: OURS,
      invalid_target: OURS,
      registration_not_supported: OURS,
      request_not_supported: OURS,
      request_uri_not_supported: OURS,
      unauthorized_client: OURS,
      unsupported_grant_type: OURS,
      unsupported_response_type: OURS,
    }
    for (const [error, expected] of Object.entries(rows)) {
      it(error, async () => {
        fake.faults.answer = (params) => {
          params.delete('code')
          params.set('error', error)
          params.set('error_description', 'what it says of it')
        }
        const { outcome, message } = await ending(oauth(fake))
        expect(outcome).to.deep.equal(expected)
        expect(message).to.include(error).and.include("the visitor's browser").and.include('what it says of it')
      })
    }
  })

  describe('an error answer of the token endpoint:', () => {
    const rows: [status: number, error: string | undefined, expected: object][] = [
      [400, 'invalid_grant', CANCELLED],
      [400, 'temporarily_unavailable', UNAVAILABLE],
      [408, undefined, UNAVAILABLE],
      [429, undefined, UNAVAILABLE],
      [500, 'invalid_grant', UNAVAILABLE],
      [503, undefined, UNAVAILABLE],
      [400, 'invalid_request', OURS],
      [400, 'invalid_scope', OURS],
      [400, 'unauthorized_client', OURS],
      [400, 'unsupported_grant_type', OURS],
      [401, 'invalid_client', OURS],
      [401, 'No such client', OURS],
      [401, 'access_denied', OURS],
      [403, 'access_denied', OURS],
      [403, undefined, OURS],
    ]
    for (const [status, error, expected] of rows) {
      it(`${status} ${error ?? 'without an error'}`, async () => {
        fake.faults.token = () => ({ status, body: { error, error_description: 'what it says of it' } })
        const { outcome, message } = await ending(oauth(fake))
        expect(outcome).to.deep.equal(expected)
        expect(message)
          .to.include(status)
          .and.include(error ?? '')
          .and.include('what it says of it')
      })
    }
  })

  describe('an error answer to a pushed request:', () => {
    for (const [status, error, expected] of [
      [400, 'invalid_request', OURS],
      [401, 'invalid_client', OURS],
      [429, undefined, UNAVAILABLE],
      [503, 'invalid_request', UNAVAILABLE],
    ] as const) {
      it(`${status} ${error ?? 'without an error'}`, async () => {
        const pushed = oauth(fake, 'oidc', {
          pushedAuthorizationRequests: true,
          [customFetch]: ((input: string, init?: RequestInit) =>
            input.endsWith('/par')
              ? Promise.resolve(Response.json({ error, error_description: 'what it says of it' }, { status }))
              : fetch(input, init)) as typeof fetch,
        })
        fake.faults.metadata = (document) => ({
          ...document,
          pushed_authorization_request_endpoint: `${fake.issuer}/par`,
        })
        const { outcome, message } = await ending(pushed)
        expect(outcome).to.deep.equal(expected)
        expect(message)
          .to.include(status)
          .and.include(error ?? '')
          .and.include('what it says of it')
      })
    }
  })

  describe('an answer that does not sign in, though it is no error:', () => {
    const signedIn = (claims: object): FakeFaults => ({ claims: (all) => ({ ...all, ...claims }) })
    const hourAgo = Math.floor(Date.now() / 1000) - 3600
    const askedFor = { authorization: { params: { max_age: 60 } } }
    const granted = (scope?: string): FakeFaults => ({
      token: ({ id_token: _, scope: __, ...answer }) => ({ body: { ...answer, ...(scope && { scope }) } }),
    })
    const rows: Record<string, [FakeFaults, object, provider?: object, query?: string]> = {
      'another acr than requireAcr wants': [signedIn({ acr: '1' }), INCOMPLETE, { requireAcr: ['2'] }],
      'no acr, though requireAcr wants one': [{}, OURS, { requireAcr: ['2'] }],
      'too old a sign-in for the max_age of the visitor': [
        signedIn({ auth_time: hourAgo }),
        INCOMPLETE,
        {},
        '?max_age=60',
      ],
      'no auth_time for the max_age of the visitor': [{}, INCOMPLETE, {}, '?max_age=60'],
      'too old a sign-in for the max_age of the application': [signedIn({ auth_time: hourAgo }), OURS, askedFor],
      'the same, with one of the visitor': [signedIn({ auth_time: hourAgo }), OURS, askedFor, '?max_age=1'],
      'openid was not granted': [granted('profile email'), INCOMPLETE],
      'no ID token, and all was granted': [granted(), OURS],
      'an ID token for another client': [signedIn({ aud: 'another' }), OURS],
      'no code': [{ answer: (params) => params.delete('code') }, INCOMPLETE],
      'the iss of another issuer': [{ answer: (params) => params.set('iss', 'https://other.example') }, INCOMPLETE],
      'keys that answer 500': [{ jwks: () => ({ status: 500, body: '' }) }, UNAVAILABLE],
      'keys that answer 404': [{ jwks: () => ({ status: 404, body: '' }) }, UNAVAILABLE],
      'keys that are a page': [{ jwks: () => ({ body: '<h1>maintenance</h1>' }) }, UNAVAILABLE],
      'userinfo that answers 429': [
        { userinfo: () => ({ status: 429, body: { error: 'slow_down' } }) },
        UNAVAILABLE,
        { idToken: false },
      ],
      'userinfo that answers 401': [
        { userinfo: () => ({ status: 401, body: { error: 'invalid_token' } }) },
        OURS,
        { idToken: false },
      ],
      'a profile that cannot be read': [
        {},
        OURS,
        {
          profile: () => {
            throw new TypeError('no such member')
          },
        },
      ],
    }
    for (const [what, [faults, expected, provider, query]] of Object.entries(rows)) {
      it(what, async () => {
        fake.faults = faults
        expect((await ending(oauth(fake, 'oidc', provider), query)).outcome).to.deep.equal(expected)
      })
    }
  })

  describe('an answer that is refused for one reason, and is an error as well:', () => {
    const cancel = (change: (params: URLSearchParams) => void) => {
      fake.faults.answer = (params) => {
        params.delete('code')
        params.set('error', 'access_denied')
        change(params)
      }
    }

    it('without the iss that the metadata promise it is what it says, and the log says both', async () => {
      fake.faults.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true })
      cancel((params) => params.delete('iss'))
      const { outcome, message } = await ending(oauth(fake))
      expect(outcome).to.deep.equal(CANCELLED)
      expect(message).to.include('"access_denied"').and.include('no iss parameter')
    })

    it('with an empty state it belongs to no sign-in, and the log says both', async () => {
      cancel((params) => {
        params.set('state', '')
        params.set('error_description', 'No CSRF value available in the session cookie.')
      })
      const { outcome, message } = await ending(oauth(fake))
      expect(outcome).to.deep.equal(CANCELLED)
      expect(message).to.include('"access_denied"').and.include('No CSRF value available')
    })

    it('in place of the JWT that was asked for it is no answer, and the log says both', async () => {
      cancel(() => {})
      const { outcome, message } = await ending(
        oauth(fake, 'oidc', { authorization: { params: { response_mode: 'jwt' } } }),
      )
      expect(outcome).to.deep.equal(INCOMPLETE)
      expect(message).to.include('not one parameter named response').and.include('"access_denied"')
    })

    it('with the iss of another issuer it is an answer of that issuer, and the log says both', async () => {
      cancel((params) => params.set('iss', 'https://other.example'))
      const { outcome, message } = await ending(oauth(fake))
      expect(outcome).to.deep.equal(INCOMPLETE)
      expect(message).to.include('another issuer').and.include('"access_denied"')
    })
  })
})
