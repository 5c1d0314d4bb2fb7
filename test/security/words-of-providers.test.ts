import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, customFetch } from '../../lib/index.js'
import { dataText } from '../../lib/kernel/console-lines.js'
import { describeError } from '../../lib/kernel/logger.js'
import { cleanError, ProviderFault } from '../../lib/oauth/faults.js'
import { blackOut, quoted, secretsSent, shown, textsIn, wordsOfAnswer } from '../../lib/oauth/provider-words.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import type { TokenSet } from '../../lib/providers/provider.js'
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

/** The lines of a file that get the `fetch` of the back channel, and do not give it to what hears error answers. */
const unheard = (code: string) =>
  code
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\bchannelOf\(/.test(line.replace(/\b(endpointFetch|heardFetch)\((\w+\.)?channelOf\(/g, '')))

/** What a text is in the answers of servers. */
const ENCODINGS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in a URL': encodeURIComponent,
  'in a URL, in lower case': (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  'in a form': (text) => String(new URLSearchParams({ '': text })).slice(1),
  'in a form, in lower case': (text) =>
    String(new URLSearchParams({ '': text }))
      .slice(1)
      .replace(/%../g, (byte) => byte.toLowerCase()),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'with the slash of JSON': (text) => text.replaceAll('/', '\\/'),
  'in JSON of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
}

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
    const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.ts$/.test(name),
    )
    const calls = files.flatMap((name) =>
      unheard(readText(`lib/${name}`)).map((line) => `${name.split('/').at(-1)}: ${line}`),
    )
    // The first is a type. The others give it to a function, which gives it to `endpointFetch` or `observe`.
    expect(calls).to.have.members([
      'metadata.ts: channelOf(provider: ResolvedOAuthProvider): typeof fetch',
      'metadata.ts: const document = requireLasting(provider, held, await discover(provider, channelOf(provider)))',
      'key-sets.ts: fetch: () => fetchKeys(url, channelOf(provider), provider),',
      'refresh-tokens.ts: const channel = dependencies.channelOf(provider)',
    ])
    expect(unheard('endpointFetch(channelOf(provider), endpoint)\nawait channelOf(provider)(url)')).to.have.length(1)
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

  for (const [how, encode] of Object.entries(ENCODINGS)) {
    it(`hides a secret ${how}, and what Basic makes of it`, () => {
      const secret = 'marked "+/<é>% of\\us'
      const inForm = String(new URLSearchParams({ '': secret })).slice(1)
      const authorization = `Basic ${Buffer.from(`client:${inForm}`).toString('base64')}`
      const hidden = secretsSent({ headers: { authorization } })
      expect(quoted(`wrong: ${encode(secret)}`, [secret])).to.equal('"wrong: [hidden]"')
      expect(quoted(`wrong: ${encode(`client:${inForm}`)}`, [secret, ...hidden])).not.to.include('marked')
    })
  }

  it('hides an e-mail address however it is written', () => {
    const local = 'anna.bell'
    for (const address of [
      `${local}@example.com`,
      `${local}%40example.com`,
      `${local}%2540example.com`,
      `${local}&#64;example.com`,
      `${local}\\u0040example.com`,
      `${local}\uff20example.com`,
      `${local}@m\u00fcller.example`,
      `${local}@[10.0.0.1]`,
      `${local.repeat(9)}@example.com`,
      `mailto:${local}@example.com`,
      `anna.o'bell@example.com`,
    ])
      expect(quoted(`the user ${address}, is unknown`, []), address).to.not.match(/anna|bell|example|ller/)
    expect(blackOut('https://api.example/people/anna@example.com/mails failed', [])).to.equal(
      'https://api.example/people/[hidden]/mails failed',
    )
  })

  it('hides a text of which another text is a part', () => {
    expect(quoted('told: abcd1234efgh', ['1234', 'abcd1234efgh'])).to.equal('"told: [hidden]"')
  })

  it('never makes a fault of its own, whatever the texts are', () => {
    const half = 'Ada \ud83d'
    expect(blackOut(`no ${half} here`, [half])).to.equal('no [hidden] here')
    expect(quoted(`${half}`, ['a\udc00bcd'])).to.be.a('string')
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    expect(shown(deep)).to.equal('a list')
    expect(shown({ deep })).to.equal('an object')
    const ring: Record<string, unknown> = { name: 'Ada' }
    ring['self'] = ring
    expect(textsIn(ring)).to.include('Ada')
    expect(textsIn(deep)).to.be.an('array')
    expect(secretsSent({ body: '{"a":{"toString":1,"b":"secret"}}' })).to.include('secret')
    // What stands for a secret is not searched for another one, or a text could grow without end.
    const parts = ['hidd', 'idde', '[hid', 'den]', '][hi', 'n][h']
    expect(blackOut('hidd '.repeat(300), parts)).to.equal('[hidden] '.repeat(300))
  })

  it('costs little where a profile has a hundred thousand texts, and a message is long', () => {
    const groups = Array.from({ length: 110_000 }, (_, index) => String(index).padStart(6, 'z'))
    const texts = textsIn({ groups, name: 'Ada Bell' })
    expect(texts).to.include('Ada Bell').and.have.length.at.most(1000)
    const before = process.cpuUsage()
    for (const message of [
      'z'.repeat(1_000_000),
      'zzzzz '.repeat(200_000),
      'a@'.repeat(500_000),
      '\u202e'.repeat(500_000),
    ]) {
      expect(cleanError(new Error(message), texts).message).to.have.length.below(1100)
      expect(new ProviderFault(message).message).to.have.length.below(1100)
      expect(quoted(message, texts)).to.have.length.below(1100)
      expect(dataText({ message })).to.have.length.below(11_000)
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).to.be.below(3000)
  })

  it('is no fault of a sign-in that goes on: half a character in a profile, and a call of profile() that fails', async () => {
    fake.faults.userinfo = (profile) => ({ body: { ...profile, name: 'Ada \ud83d' } })
    const urls: string[] = []
    const app = open({
      idToken: false,
      async profile(profile: { sub: string }, _: unknown, { fetch: ask }: { fetch: typeof fetch }) {
        urls.push(`${fake.issuer}/nothing`)
        await ask(`${fake.issuer}/nothing`)
        return { id: profile.sub, name: 'Ada' }
      },
    })
    const browser = app.browser()
    await finish(browser, fake.authorize(await begin(browser)))
    expect(urls).to.have.length(1)
    expect(await browser.session()).not.to.equal(null)
  })

  it('has no secret and no address in the path of a call of a hook, with an answer and without', async () => {
    for (const origin of [() => fake.issuer, () => 'http://127.0.0.1:1']) {
      fake.faults.userinfo = (profile) => ({ body: { ...profile, iss: fake.issuer } })
      let token = ''
      const app = open({
        idToken: false,
        async profile(profile: { sub: string }, tokens: TokenSet, { fetch: ask }: { fetch: typeof fetch }) {
          token = String(tokens.access_token)
          const answer = await ask(`${origin()}/people/anna.bell@example.com/of/${token}`)
          if (!answer.ok) throw new Error('no')
          return { id: profile.sub }
        },
      })
      const browser = app.browser()
      await finish(browser, fake.authorize(await begin(browser)))
      expect(logOf(app)).to.include(`${origin()}/people/[hidden]/of/[hidden]`)
      expect(deepLogOf(app)).not.to.include(token).and.not.include('anna.bell')
    }
  })

  it('makes one error line of all codes that a provider makes up', async () => {
    let made = 0
    const app = open(
      {
        [customFetch]: (async (input: string, init?: RequestInit) => {
          if (!/\/token/.test(input)) return fetch(input, init)
          made += 1
          return Response.json(
            { error: `code_${'abcdefghij'[made % 10]}${'abcdefghij'[Math.floor(made / 10)]}` },
            { status: 400 },
          )
        }) as typeof fetch,
      },
      { logging: { repeatInterval: 30 } },
    )
    const browser = app.browser()
    for (let n = 0; n < 40; n += 1) await finish(browser, fake.authorize(await begin(browser)))
    expect(made).to.equal(40)
    expect(errorLines(app)).to.have.length(1)
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
