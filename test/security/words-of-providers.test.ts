import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { quoted, wordsOfAnswer } from '../../lib/flows/oauth/provider-words.js'
import { type AuthConfig, customFetch } from '../../lib/index.js'
import { describeError } from '../../lib/logger.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import { ROOT, readText } from '../docs/documents.js'
import { type FakeAnswer, FakeProvider } from '../support/fake-provider.js'
import { accessTokenOf, openTokenApp, RefreshingProvider, signInAt } from '../support/refreshing-provider.js'
import { oauth } from '../support/sign-ins.js'
import { Clock, openTestApp, type TestApp, type TestBrowser } from '../support/test-app.js'

const CLIENT_SECRET = 'marked+client/secret of 32 bytes'
/** What somebody would write who wants to forge lines, colour a terminal, turn text around, and put markup into a page. */
const HOSTILE =
  'x\n2026-01-01T00:00:00.000Z [latchkey][error] forged\r\u2028forged\u001b[2J\u001b]0;t\u0007\u202egnp\u200b"><script>alert(1)</script>'

/** What is wrong with lines that somebody else has written a part of. */
const faultsOf = (text: string) => [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
  ...(/[\r\u2028\u2029\u001b\u0007\u202e\u200b]|^2026-01-01/m.test(text) ? ['a line is forged'] : []),
  ...(text.split('\n').some((line) => line.length > 1500) ? ['a line is long'] : []),
]

describe('LOG: what a provider or a visitor says of an error', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const open = (more: object = {}, options: Partial<AuthConfig> = {}) =>
    openTestApp(
      {
        providers: [oauth(fake, 'oidc', { clientSecret: CLIENT_SECRET, ...more })],
        adapter: memoryAdapter(),
        ...options,
      },
      { clock: new Clock(Date.now()) },
    )
  const begin = async (browser: TestBrowser, query = '') =>
    (await browser.post(`/auth/signin/oidc${query}`, { csrfToken: await browser.csrfToken() })).location ?? ''
  const finish = (browser: TestBrowser, answer: URLSearchParams) => browser.get(`/auth/callback/oidc?${answer}`)
  /** Everything that a logger could write. */
  const logOf = ({ log }: TestApp) => log.errors.map((error) => describeError(error)).join('\n')
  const deepLogOf = ({ log }: TestApp) => inspect(log.errors, { depth: 10, showHidden: true })
  const errorLines = ({ log }: TestApp) => log.errors.filter((error) => !log.infos.includes(error))

  describe('at each endpoint, where it repeats what it was sent:', () => {
    /** An answer that has everything of the request in it, and what is hostile besides. */
    const repeating =
      (status: number, sent: Set<string>) =>
      async (_input: unknown, init: RequestInit = {}): Promise<Response> => {
        const fields = new URLSearchParams(String(init.body ?? ''))
        const authorization = new Headers(init.headers).get('authorization') ?? ''
        const credentials = authorization.split(' ')[1] ?? ''
        for (const [name, value] of fields) if (SECRET.has(name)) sent.add(value)
        if (credentials !== '') sent.add(credentials)
        const text = `told: ${[...sent].join(' ')} ${[...sent].map(encodeURIComponent).join(' ')} ${fields} ${authorization} ${CLIENT_SECRET}`
        return Response.json(
          { error: 'invalid_request', error_description: `the reason ${HOSTILE} ${text} ${'long '.repeat(13_000)}` },
          { status, headers: { 'www-authenticate': 'Basic' } },
        )
      }
    const SECRET = new Set(['code', 'code_verifier', 'client_secret', 'refresh_token', 'token', 'state', 'nonce'])
    /** A `fetch` that answers so at one path, and asks the fake provider at all others. */
    const at = (path: RegExp, status: number, sent: Set<string>) =>
      ((input: string, init?: RequestInit) =>
        path.test(input) ? repeating(status, sent)(input, init) : fetch(input, init)) as typeof fetch

    const endpoints: Record<string, [path: RegExp, options: object]> = {
      'the metadata': [/openid-configuration/, {}],
      'pushed requests': [/\/par/, { pushedAuthorizationRequests: true }],
      'the token endpoint': [/\/token/, {}],
      'the token endpoint, with the secret in the body': [
        /\/token/,
        { client: { token_endpoint_auth_method: 'client_secret_post' } },
      ],
      'the keys': [/\/jwks/, {}],
      'the userinfo endpoint': [/\/userinfo/, { idToken: false }],
    }
    for (const [what, [path, options]] of Object.entries(endpoints)) {
      for (const status of [400, 401, 503]) {
        it(`${what}, with ${status}: the log has its words, and no secret`, async () => {
          const sent = new Set([CLIENT_SECRET])
          fake.faults.metadata = (document) => ({
            ...document,
            pushed_authorization_request_endpoint: `${fake.issuer}/par`,
          })
          const app = open({ ...options, [customFetch]: at(path, status, sent) })
          const browser = app.browser()
          const location = await begin(browser)
          if (location.startsWith(fake.issuer)) await finish(browser, fake.authorize(location))
          const log = logOf(app)
          expect(log).to.include('the reason x')
          expect(faultsOf(log), log.slice(0, 3000)).to.deep.equal([])
          for (const secret of sent)
            for (const form of [
              secret,
              encodeURIComponent(secret),
              String(new URLSearchParams({ '': secret })).slice(1),
            ])
              expect(deepLogOf(app)).not.to.include(form)
          expect(await browser.session()).to.equal(null)
        })
      }
    }

    it('a challenge of the userinfo endpoint', async () => {
      let token = ''
      fake.faults.userinfo = (_, { headers }) => {
        token = String(headers.authorization).split(' ')[1] ?? ''
        const challenge = `Bearer error="invalid_token", error_description="the reason, not ${token}", realm="${'a="'.repeat(3000)}"`
        return { status: 401, headers: { 'www-authenticate': challenge }, body: '' }
      }
      const app = open({ idToken: false })
      const browser = app.browser()
      await finish(browser, fake.authorize(await begin(browser)))
      expect(token).not.to.equal('')
      expect(logOf(app)).to.include('"invalid_token"').and.include('the reason, not [hidden]')
      expect(deepLogOf(app)).not.to.include(token)
    })

    it('an API that a hook of the entry asks', async () => {
      const token = 'marked-token-of-github'
      const answering = (async (input: string) =>
        /access_token/.test(input)
          ? Response.json({ access_token: token, token_type: 'bearer' })
          : Response.json({ message: `Bad credentials: ${token}` }, { status: 401 })) as typeof fetch
      const provider = GitHub({ clientId: 'c', clientSecret: CLIENT_SECRET, [customFetch]: answering })
      const app = openTestApp({ providers: [provider], adapter: memoryAdapter() }, { clock: new Clock(Date.now()) })
      const browser = app.browser()
      const begun = await browser.post('/auth/signin/github', { csrfToken: await browser.csrfToken() })
      const answer = fake.authorize(begun.location ?? '')
      answer.delete('iss')
      await browser.get(`/auth/callback/github?${answer}`)
      expect(logOf(app)).to.include('https://api.github.com/user answered with the status 401')
      expect(logOf(app)).to.include('Bad credentials: [hidden]')
      expect(deepLogOf(app)).not.to.include(token)
    })

    it('a refresh and a revocation', async () => {
      const sent = new Set<string>()
      const provider = new RefreshingProvider(fake)
      const tokenFacts = { revocation: { url: `${fake.issuer}/revoke`, dialect: 'rfc7009' } }
      const app = openTokenApp(provider, memoryAdapter(), {
        providers: [oauth(fake, 'oidc', { tokenFacts, [customFetch]: at(/\/revoke/, 400, sent) })],
        accountTokens: { revokeAtSignOut: true },
      })
      const browser = await signInAt(app, provider)
      for (const error of ['invalid_client', 'invalid_grant']) {
        app.clock.advance(3601)
        provider.onRefresh = (_, call): FakeAnswer => {
          sent.add(call.body.get('refresh_token') ?? '')
          return { status: 400, body: { error, error_description: `the reason ${HOSTILE} ${call.text}` } }
        }
        app.log.errors.length = 0
        await accessTokenOf(app, browser)
        expect(logOf(app)).to.include(`"${error}"`).and.include('the reason x')
        expect(faultsOf(logOf(app))).to.deep.equal([])
      }
      await browser.signOut()
      const again = await signInAt(app, provider)
      app.log.errors.length = 0
      await again.signOut()
      expect(logOf(app)).to.include('revocation endpoint').and.include('the reason x')
      expect(faultsOf(logOf(app))).to.deep.equal([])
      expect([...sent]).to.have.length.greaterThan(1)
      for (const secret of sent) expect(deepLogOf(app)).not.to.include(secret)
    })
  })

  it('is heard wherever Latchkey calls a provider: no file makes a call by another way', () => {
    const folder = join(ROOT, 'lib/flows/oauth')
    const callers = readdirSync(folder).filter((name) => /\bchannel(Of)?\(/.test(readText(`lib/flows/oauth/${name}`)))
    const through = callers.filter((name) =>
      /endpointFetch\(|heardFetch\(|observe\(/.test(readText(`lib/flows/oauth/${name}`)),
    )
    // The first is the way itself, the second a type.
    const ways = ['endpoint-fetch.ts', 'dependencies.ts']
    expect(callers).to.have.members([...new Set([...through, ...ways])])
  })

  it('hides what looks like a token, also one that was never sent, and keeps the ids of a provider', () => {
    const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg'
    const opaque = 'gho_16C7e42F292c6912E7710c838347Ae178B4a'
    const trace = '0f3f4c1e-77aa-4b0e-9d53-0c5f3d2a1b00'
    const shown = quoted(
      `bad ${jwt}, "${opaque}", token=${opaque}. Trace ID: ${trace}, http://localhost:3000/auth/callback/acme`,
      [],
    )
    expect(shown).not.to.include(opaque).and.not.include('eyJ')
    expect(quoted("User account 'ada@example.com' does not exist", [])).to.equal(
      '"User account \'[hidden]\' does not exist"',
    )
    expect(shown).to.include(trace).and.include('http://localhost:3000/auth/callback/acme')
    for (const form of [
      CLIENT_SECRET,
      encodeURIComponent(CLIENT_SECRET),
      String(new URLSearchParams({ s: CLIENT_SECRET })),
    ])
      expect(quoted(`wrong: ${form}`, [CLIENT_SECRET]), form)
        .to.include('[hidden]')
        .and.not.include('marked')
    // What is cut off leaves no half of a secret.
    const secret = 'correct-horse-battery-staple'
    for (let at = 1960; at < 2010; at += 1) {
      const text = `${'word '.repeat(400).slice(0, at)}${secret} and so on ${'y '.repeat(2000)}`
      expect(quoted(text, [secret, ...Array(400).fill('word word word word ')])).not.to.include('correct')
    }
  })

  it('is read from odd bodies and challenges without a fault', () => {
    for (const body of [
      '',
      'null',
      '[]',
      '{"error":null}',
      '{"error":{}}',
      '{"error":[1]}',
      '{"message":{}}',
      '{"error":1}',
    ])
      expect(wordsOfAnswer(body, null), body).to.deep.equal({ code: null, text: '' })
    expect(wordsOfAnswer('{"error":{"message":"m","type":"OAuthException"}}', null)).to.deep.equal({
      code: 'OAuthException',
      text: 'm',
    })
    expect(wordsOfAnswer('{"message":"Bad credentials"}', null)).to.deep.equal({ code: null, text: 'Bad credentials' })
  })

  describe('through the browser', () => {
    const forged = (state: string | null, error: string, description: string) =>
      new URLSearchParams({ ...(state !== null && { state }), error, error_description: description })

    it('is one line, is short, and has no secret of the answer, whatever it says', async () => {
      const app = open()
      const browser = app.browser()
      for (const error of ['access_denied', 'unauthorized_client', HOSTILE, 'e'.repeat(6000)]) {
        for (const hasState of [true, false]) {
          const url = await begin(browser)
          const state = new URL(url).searchParams.get('state') ?? ''
          const text = `${HOSTILE} ${state} ${CLIENT_SECRET} ${'long '.repeat(1000)}`
          await finish(browser, forged(hasState ? state : 'unknown', error, text))
          expect(deepLogOf(app)).not.to.include(state)
        }
      }
      expect(app.log.errors).to.have.length.greaterThan(6)
      expect(faultsOf(logOf(app)), logOf(app)).to.deep.equal([])
      expect(deepLogOf(app)).not.to.include(CLIENT_SECRET)
    })

    it('OIDC-21: never reaches a page, a URL, or an answer to a script', async () => {
      const app = open()
      const browser = app.browser()
      for (const error of ['access_denied', 'server_error', 'unauthorized_client', 'zzmarked', 'zzmarked <b>']) {
        const state = new URL(await begin(browser)).searchParams.get('state')
        const answer = await finish(browser, forged(state, error, 'zzmarked <script>zzmarked</script>'))
        const target = new URL(answer.location ?? '', app.origin)
        const page = await browser.get(`${target.pathname}${target.search}`)
        for (const text of [answer.body, target.href, page.body]) expect(text, error).not.to.include('zzmarked')
      }
    })

    it('makes no more error lines than one for a provider and a code, however often and whatever it says', async () => {
      const app = open({}, { logging: { repeatInterval: 30 } })
      const browser = app.browser()
      for (let n = 0; n < 60; n += 1) {
        const state = new URL(await begin(browser)).searchParams.get('state')
        await finish(
          browser,
          forged(state, n % 2 ? 'unauthorized_client' : 'server_error', `${n} ${HOSTILE} ${'"'.repeat(n)}`),
        )
      }
      expect(errorLines(app).map(({ message }) => /"(\w+)", and says/.exec(message)?.[1])).to.have.members([
        'unauthorized_client',
        'server_error',
      ])
    })

    it('makes no error line without a sign-in of this browser: without a state, with one of another browser, or used', async () => {
      const app = open()
      const [browser, other] = [app.browser(), app.browser()]
      const state = new URL(await begin(browser)).searchParams.get('state')
      for (const given of [null, '', 'made-up']) await finish(browser, forged(given, 'unauthorized_client', 'x'))
      await finish(other, forged(state, 'unauthorized_client', 'x'))
      expect(errorLines(app)).to.deep.equal([])
      await finish(browser, forged(state, 'access_denied', 'x'))
      await finish(browser, forged(state, 'unauthorized_client', 'x'))
      expect(errorLines(app)).to.deep.equal([])
      expect(app.log.infos).to.have.length(6)
    })

    it('makes no error line where a provider has no checks', async () => {
      const app = open({ checks: ['none'] })
      const answer = await finish(app.browser(), forged(null, 'unauthorized_client', 'x'))
      expect(answer.location).to.include('/auth/signin?error=OAuthCallbackError')
      expect(errorLines(app)).to.deep.equal([])
    })

    it('makes no error line and no "problem on our side" of what a visitor can choose or make up', async () => {
      const choices: ((params: URLSearchParams) => void)[] = [
        (params) => params.delete('code'),
        (params) => params.set('code', 'made-up'),
        (params) => params.set('iss', 'https://other.example'),
        (params) => params.set('response', 'e30.e30.'),
        (params) => params.set('error', 'made_up'),
        (params) => params.set('error', '__proto__'),
        (params) => params.set('error', 'access_denied'),
      ]
      for (const choose of choices) {
        const app = open()
        const browser = app.browser()
        const answer = fake.authorize(await begin(browser))
        choose(answer)
        const { location } = await finish(browser, answer)
        expect(location, `${answer}`).to.include('/auth/signin?error=OAuthCallbackError')
        expect(errorLines(app), `${answer}`).to.deep.equal([])
      }
    })

    it('ISS-04: an error is trusted no more without iss: no code beside it is used, and nobody is signed in', async () => {
      fake.faults.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true })
      const app = open()
      for (const iss of [undefined, 'https://other.example']) {
        const browser = app.browser()
        const answer = fake.authorize(await begin(browser))
        answer.set('error', 'access_denied')
        if (iss) answer.set('iss', iss)
        else answer.delete('iss')
        await finish(browser, answer)
        answer.delete('error')
        await finish(browser, answer)
        expect(await browser.session()).to.equal(null)
      }
      expect(fake.callsTo('/token')).to.deep.equal([])
    })
  })

  it('is bounded where an ID token says it: an audience, an issuer, an algorithm', async () => {
    const claims = [
      { aud: HOSTILE },
      { aud: Array(5000).fill('other') },
      { iss: `${HOSTILE}${'x'.repeat(60_000)}` },
      { azp: { toString: 1 } },
    ]
    for (const more of claims) {
      const app = open()
      const browser = app.browser()
      fake.faults.claims = (all) => ({ ...all, ...(more as object) })
      await finish(browser, fake.authorize(await begin(browser)))
      expect(errorLines(app)).to.have.length(1)
      expect(faultsOf(logOf(app)), logOf(app)).to.deep.equal([])
    }
  })
})
