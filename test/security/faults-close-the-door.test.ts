import { inspect } from 'node:util'
import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { oidcProvider } from '../../lib/providers/index.js'
import { ADA, createLog, type Log, type Running, startApp, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { hurryTimers } from '../support/timers.js'
import type { Answer, Visitor } from '../support/visitor.js'

const CLIENT_SECRET = 'a client secret that is marked'

const acme = (idp: FakeProvider, more: object = {}) =>
  oidcProvider({ id: 'acme', name: 'Acme', issuer: idp.issuer, checks: ['pkce', 'state', 'nonce'] })({
    clientId: 'client',
    clientSecret: CLIENT_SECRET,
    ...more,
  })

/** From the press on the button to the provider, and back with its answer. */
async function signIn(visitor: Visitor, idp: FakeProvider): Promise<Answer> {
  const start = await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken() })
  if (!start.location?.href.startsWith(idp.issuer)) return start
  return visitor.get(`/auth/callback/acme?${idp.authorize(start.location.href)}`)
}

const CONFIGURATION = '/auth/error?error=Configuration'
const UNAVAILABLE = '/auth/error?error=Configuration&code=Unavailable'
const START_AGAIN = '/auth/signin?error=OAuthCallbackError'

/** Ends a hurry that a fault began. */
let takeTime = () => {}

/** What goes wrong at the provider → where the visitor ends. */
const AT_THE_PROVIDER: Record<string, [(idp: FakeProvider) => void, string]> = {
  'metadata of another issuer': [
    (idp) => {
      idp.faults.metadata = (document) => ({ ...document, issuer: 'https://other.example' })
    },
    CONFIGURATION,
  ],
  'metadata that is no JSON': [
    (idp) => {
      idp.faults.metadata = () => '<html>'
    },
    CONFIGURATION,
  ],
  'a token endpoint with status 500': [
    (idp) => {
      idp.faults.token = () => ({ status: 500, body: 'oops' })
    },
    UNAVAILABLE,
  ],
  'a token endpoint that answers with HTML': [
    (idp) => {
      idp.faults.token = () => ({ body: '<html>', headers: { 'content-type': 'text/html' } })
    },
    CONFIGURATION,
  ],
  'a token answer of two megabytes': [
    (idp) => {
      idp.faults.token = (answer) => ({ body: { ...answer, padding: 'x'.repeat(2 * 1024 * 1024) } })
    },
    CONFIGURATION,
  ],
  'a token endpoint that does not answer in time': [
    (idp) => {
      takeTime = hurryTimers(10_000)
      idp.faults.token = (body) => ({ body, delayMs: 15_000 })
    },
    UNAVAILABLE,
  ],
  'a redirect in place of tokens': [
    (idp) => {
      idp.faults.token = () => ({ status: 307, headers: { location: `${idp.issuer}/elsewhere` }, body: '' })
    },
    CONFIGURATION,
  ],
  'no id_token': [
    (idp) => {
      idp.faults.idToken = () => undefined
    },
    CONFIGURATION,
  ],
  'keys that cannot be had': [
    (idp) => {
      idp.faults.jwks = () => ({ status: 503, body: '' })
    },
    UNAVAILABLE,
  ],
  'a code that is not good any longer': [
    (idp) => {
      idp.faults.token = () => ({ status: 400, body: { error: 'invalid_grant' } })
    },
    START_AGAIN,
  ],
  'a visitor who cancels there': [
    (idp) => {
      idp.faults.answer = (params) => {
        params.delete('code')
        params.set('error', 'access_denied')
      }
    },
    START_AGAIN,
  ],
}

const fault = () => {
  throw new Error('a fault of the application')
}

/** What throws in the application → where the visitor ends. */
const IN_THE_APP: Record<string, [Partial<AuthConfig>, object, string]> = {
  'the signIn callback': [{ callbacks: { signIn: fault } }, {}, '/auth/error?error=AccessDenied'],
  'the jwt callback': [{ callbacks: { jwt: fault } }, {}, CONFIGURATION],
  'the redirect callback': [{ callbacks: { redirect: fault } }, {}, CONFIGURATION],
  'profile()': [{}, { profile: fault }, CONFIGURATION],
}

describe('a fault during a sign-in closes the door', () => {
  let idp: FakeProvider
  let app: Running
  let log: Log

  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(async () => {
    takeTime()
    idp.reset()
    await app.close()
  })

  const open = async (config: Partial<AuthConfig> = {}, provider: object = {}) => {
    log = createLog()
    app = await startApp(testConfig({ ...config, providers: [acme(idp, provider)], logger: log.logger }))
    return app.visitor()
  }

  const expectClosed = async (visitor: Visitor, answer: Answer, page: string) => {
    expect(answer.headers.get('location')).to.equal(app.origin + page)
    expect([...visitor.jar.keys()].filter((name) => /session|pkce|state|nonce/.test(name))).to.deep.equal([])
    expect(log.errors).to.have.length(1)
    expect(await visitor.session()).to.equal(null)
    const logged = inspect(log, { depth: 10 })
    for (const secret of [CLIENT_SECRET, 'marked-access-token', 'marked-refresh-token'])
      expect(logged).to.not.include(secret)
  }

  it('works when nothing is wrong', async () => {
    const visitor = await open()
    expect((await signIn(visitor, idp)).headers.get('location')).to.equal(app.origin)
    expect(await visitor.session()).to.not.equal(null)
    expect(log.errors).to.deep.equal([])
  })

  for (const [name, [breakIt, page]] of Object.entries(AT_THE_PROVIDER)) {
    it(`when the provider has ${name}`, async () => {
      breakIt(idp)
      const visitor = await open()
      await expectClosed(visitor, await signIn(visitor, idp), page)
    })
  }

  for (const [name, [config, provider, page]] of Object.entries(IN_THE_APP)) {
    it(`when ${name} throws`, async () => {
      const visitor = await open(config, provider)
      const answer =
        name === 'the redirect callback'
          ? await visitor.post('/auth/signin/acme', { csrfToken: await visitor.csrfToken(), callbackUrl: '/x' })
          : await signIn(visitor, idp)
      await expectClosed(visitor, answer, page)
    })
  }

  it('when the provider is down', async () => {
    const gone = await FakeProvider.start()
    const visitor = await open({}, { issuer: gone.issuer })
    await gone.stop()
    await expectClosed(visitor, await signIn(visitor, idp), UNAVAILABLE)
  })

  it('and leaves somebody alone who is signed in already', async () => {
    log = createLog()
    const config = testConfig({ logger: log.logger })
    app = await startApp({ ...config, providers: [...config.providers, acme(idp)] })
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    idp.faults.token = () => ({ status: 500, body: 'oops' })
    expect((await signIn(visitor, idp)).headers.get('location')).to.equal(app.origin + UNAVAILABLE)
    expect((await visitor.session()).user.name).to.equal('Ada')
  })
})
