import { expect } from 'chai'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, OAuthDriver, resolved } from '../support/oauth-driver.js'

const DISCOVERY = '/.well-known/openid-configuration'

describe('the metadata of a provider', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const provider = (more: object = {}) =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      ...more,
    })

  it('is fetched once for all that ask at once, and kept for an hour', async () => {
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const one = provider()
    await Promise.all(Array.from({ length: 10 }, () => driver.start(one, new CookieJar())))
    expect(fake.callsTo(DISCOVERY)).to.have.length(1)
    time += 59 * 60_000
    await driver.start(one, new CookieJar())
    expect(fake.callsTo(DISCOVERY)).to.have.length(1)
    time += 2 * 60_000
    await driver.start(one, new CookieJar())
    // In the background.
    while (fake.callsTo(DISCOVERY).length === 1) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(fake.callsTo(DISCOVERY)).to.have.length(2)
  })

  it('is asked for again after a failure', async () => {
    let time = Date.now()
    const driver = new OAuthDriver({ now: () => time })
    const one = provider()
    fake.faults.metadata = () => 'not JSON'
    await failure(driver.start(one, new CookieJar()), 'OAuthSignInError', /not a JSON object/)
    fake.faults.metadata = undefined
    time += 1000
    await driver.start(one, new CookieJar())
  })

  it('is not asked for when every endpoint is configured', async () => {
    const configured = provider({
      authorization: `${fake.issuer}/authorize`,
      token: `${fake.issuer}/token`,
      jwks_endpoint: `${fake.issuer}/jwks`,
    })
    await new OAuthDriver().start(configured, new CookieJar())
    expect(fake.calls).to.deep.equal([])
  })

  it('yields to configured endpoints', async () => {
    const url = await new OAuthDriver().start(
      provider({ authorization: 'https://other.example/authorize' }),
      new CookieJar(),
    )
    expect(url.origin).to.equal('https://other.example')
  })

  const wrong: Record<string, [(document: Record<string, unknown>) => unknown, RegExp]> = {
    'of an issuer with another letter': [
      (document) => ({ ...document, issuer: `${document['issuer']}x` }),
      /must be the same, letter by letter/,
    ],
    'of an issuer in capitals': [
      (document) => ({ ...document, issuer: String(document['issuer']).toUpperCase() }),
      /letter by letter/,
    ],
    'without an issuer': [({ issuer: _, ...document }) => document, /names no issuer/],
    'of a template that the configured issuer does not fit': [
      (document) => ({ ...document, issuer: 'https://login.example/{tenantid}/v2.0' }),
      /letter by letter/,
    ],
    'without an authorization endpoint': [
      ({ authorization_endpoint: _, ...document }) => document,
      /authorization_endpoint/,
    ],
    'with a token endpoint over plain http': [
      (document) => ({ ...document, token_endpoint: 'http://op.example/token' }),
      /token_endpoint in its metadata is not an https URL/,
    ],
    'with an authorization endpoint that is script': [
      (document) => ({ ...document, authorization_endpoint: 'javascript:alert(1)' }),
      /not an https URL/,
    ],
    'with keys in a file': [(document) => ({ ...document, jwks_uri: 'file:///etc/passwd' }), /not an https URL/],
    'that is a list': [(document) => [document], /not a JSON object/],
  }
  for (const [what, [change, message]] of Object.entries(wrong)) {
    it(`${what} is refused`, async () => {
      fake.faults.metadata = change
      await failure(new OAuthDriver().start(provider(), new CookieJar()), 'OAuthSignInError', message)
    })
  }

  describe('of an issuer with https', () => {
    const issuer = 'https://op.example'
    const document = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      pushed_authorization_request_endpoint: `${issuer}/par`,
    }
    /** A sign-in that is begun with this metadata, and the addresses that were called. */
    const begin = async (change: object, more: object = {}) => {
      const called: string[] = []
      const { customFetch } = await import('../../lib/providers/provider.js')
      const remote = provider({
        issuer,
        [customFetch]: (async (input: string) => {
          called.push(input)
          return input.endsWith(DISCOVERY)
            ? Response.json({ ...document, ...change })
            : Response.json({}, { status: 500 })
        }) as typeof fetch,
        ...more,
      })
      return { called, started: new OAuthDriver().start(remote, new CookieJar()) }
    }
    const endpoints = Object.keys(document).filter((name) => name !== 'issuer')
    const inside = [
      'http://localhost:6379/',
      'http://127.0.0.1/latest',
      'http://[::1]:9200/',
      'http://a.localhost/',
      'http://10.0.0.7/',
    ]

    for (const name of endpoints) {
      it(`may not name plain http for its ${name}, on this machine neither`, async () => {
        for (const url of inside) {
          const { called, started } = await begin({ [name]: url, require_pushed_authorization_requests: true })
          await failure(started, 'OAuthSignInError', new RegExp(`${name} in its metadata is not an https URL`))
          expect(called).to.deep.equal([`${issuer}${DISCOVERY}`])
        }
      })
    }

    it('goes with an endpoint on this machine that the application configured itself, or admitted', async () => {
      const local = 'http://localhost:8080/authorize'
      const { started } = await begin({}, { authorization: local })
      expect((await started).origin).to.equal('http://localhost:8080')
      const admitted = await begin({ authorization_endpoint: local }, { allowInsecureHttp: true })
      expect((await admitted.started).origin).to.equal('http://localhost:8080')
    })
  })

  it('of an issuer without a path may spell it with or without the slash', async () => {
    fake.faults.metadata = (document) => ({ ...document, issuer: `${document['issuer']}/` })
    await new OAuthDriver().start(provider(), new CookieJar())
    fake.faults.metadata = undefined
    await new OAuthDriver().start(provider({ issuer: `${fake.issuer}/` }), new CookieJar())
  })

  it('that cannot be fetched says where it was looked for', async () => {
    const nowhere = provider({ issuer: 'http://127.0.0.1:1/realm' })
    await failure(
      new OAuthDriver().start(nowhere, new CookieJar()),
      'OAuthSignInError',
      /GET http:\/\/127\.0\.0\.1:1\/realm\/\.well-known\/openid-configuration failed/,
    )
    const missing = provider({ issuer: `${fake.issuer}/elsewhere` })
    await failure(new OAuthDriver().start(missing, new CookieJar()), 'OAuthSignInError', /status 404/)
  })

  it('that takes too long or is too large is given up', async () => {
    const driver = new OAuthDriver({ backChannel: { timeoutMs: 100, maxBytes: 10_000 } })
    const server = await FakeProvider.start()
    try {
      server.faults.metadata = (document) => ({ ...document, filler: 'x'.repeat(20_000) })
      await failure(
        driver.start(provider({ issuer: server.issuer }), new CookieJar()),
        'OAuthSignInError',
        /more than 10000 bytes/,
      )
    } finally {
      await server.stop()
    }
  })

  it('is fetched through the fetch of the application, within the same limits', async () => {
    const { customFetch } = await import('../../lib/providers/provider.js')
    const asked: string[] = []
    const own = provider({
      [customFetch]: (async (input: string, init: RequestInit) => {
        asked.push(`${init.redirect} ${input}`)
        return fetch(input, init)
      }) as typeof fetch,
    })
    await new OAuthDriver().start(own, new CookieJar())
    expect(asked).to.deep.equal([`manual ${fake.issuer}${DISCOVERY}`])
    const hanging = provider({ [customFetch]: (() => new Promise(() => {})) as typeof fetch })
    await failure(
      new OAuthDriver({ backChannel: { timeoutMs: 50 } }).start(hanging, new CookieJar()),
      'OAuthSignInError',
      /within 50 ms/,
    )
  })
})
