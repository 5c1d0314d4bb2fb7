import AuthJsCredentials from '@auth/core/providers/credentials'
import { CredentialsSignin as AuthJsCredentialsSignin } from '@auth/express'
import { expect } from 'chai'
import { type AuthConfig, CredentialsSignin, type Provider } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { type Behaviour, type Call, recording, steady } from '../support/recorder.js'
import { PACKAGE_NAMES, type PackageName, startSwitchableApp } from '../support/switchable-app.js'
import type { Answer, Visitor } from '../support/visitor.js'

// biome-ignore lint/suspicious/noExplicitAny: recorded values have all shapes
type Any = any

interface Story {
  readonly behaviour?: Behaviour
  readonly config?: Partial<AuthConfig>
  readonly providers?: (side: PackageName, note: (name: string, given: unknown) => void) => Provider[]
  /** What the visitor does. Only calls made by the last answer asked for with `watch` are compared. */
  readonly play: (
    visitor: Visitor,
    watch: (answer: Promise<Answer>) => Promise<Answer>,
    side: PackageName,
  ) => Promise<unknown>
}

interface Observed {
  readonly calls: readonly Call[]
  /** Status and target or JSON of each watched answer. */
  readonly answers: readonly unknown[]
}

const person = { id: '1815', name: 'Ada', email: 'ada@example.com', image: null, role: 'analyst' }

const credentials =
  (authorize: (fields: Any, side: PackageName) => Any = () => ({ ...person })) =>
  (side: PackageName, note: (name: string, given: unknown) => void): Provider[] => [
    AuthJsCredentials({
      credentials: { username: {}, password: {} },
      authorize(fields, request) {
        note('authorize', { fields, request: steady(request) })
        return authorize(fields, side)
      },
    }) as unknown as Provider,
  ]

/** Plays a story on both sides. */
async function play({
  behaviour,
  config,
  providers = credentials(),
  play,
}: Story): Promise<Record<PackageName, Observed>> {
  const observed = {} as Record<PackageName, Observed>
  const calls = { authjs: [] as Call[], latchkey: [] as Call[] }
  const app = await startSwitchableApp((side) => ({
    ...recording(calls[side], behaviour),
    providers: providers(side, (name, given) => void calls[side].push([name, given])),
    ...config,
  }))
  try {
    for (const side of PACKAGE_NAMES) {
      app.run(side)
      const watched: Call[] = []
      const answers: unknown[] = []
      const watch = async (answer: Promise<Answer>) => {
        calls[side].length = 0
        const { status, location, text } = await answer
        answers.push({ status, ...(location ? { to: location.href } : { body: steady(JSON.parse(text)) }) })
        watched.push(...calls[side])
        return answer
      }
      await play(app.visitor(), watch, side)
      observed[side] = { calls: watched.filter(isNoProof), answers }
    }
  } finally {
    await app.close()
  }
  return observed
}

/** Latchkey reads the first token that an `encode` of the application wrote, at once, to see what is left of it. */
const isNoProof = ([name]: Call, index: number, calls: readonly Call[]) =>
  name !== 'decode' || calls[index - 1]?.[0] !== 'encode'

const names = ({ calls }: Observed) => calls.map(([name]) => name)
const given = ({ calls }: Observed, name: string): Any => calls.find(([called]) => called === name)?.[1]

/** The one thing in which `authorize` differs: the form's own fields are not the application's (§16, 26). */
const ownFields = ({ csrfToken: _csrfToken, callbackUrl: _callbackUrl, ...own }: Any) => own

function withoutFormFields({ calls, answers }: Observed): Observed {
  const strip = ([name, value]: Call): Call => {
    const known = value as Any
    if (name === 'authorize') return [name, { ...known, fields: ownFields(known.fields) }]
    if (name === 'signIn' && known.credentials) return [name, { ...known, credentials: ownFields(known.credentials) }]
    return [name, known]
  }
  return { calls: calls.map(strip), answers }
}

function expectAlike({ authjs, latchkey }: Record<PackageName, Observed>) {
  expect(names(latchkey)).to.deep.equal(names(authjs))
  expect(latchkey.calls).to.deep.equal(withoutFormFields(authjs).calls)
  expect(latchkey.answers).to.deep.equal(authjs.answers)
}

/** Auth.js asks the `redirect` callback at every request; Latchkey asks it where the target is used. */
function lessUnusedRedirect({ authjs, latchkey }: Record<PackageName, Observed>): Record<PackageName, Observed> {
  expect(names(authjs)[0]).to.equal('redirect')
  return { authjs: { ...authjs, calls: authjs.calls.slice(1) }, latchkey }
}

const signIn = async (visitor: Visitor, fields: Record<string, string> = {}) => {
  const csrfToken = await visitor.csrfToken()
  return visitor.post('/auth/callback/credentials', { csrfToken, ...ADA, callbackUrl: '/home', ...fields })
}

/** Fetches the form before the watch begins. */
const watchedSignIn: Story['play'] = async (visitor, watch) => {
  const csrfToken = await visitor.csrfToken()
  await watch(visitor.post('/auth/callback/credentials', { csrfToken, ...ADA, callbackUrl: '/home' }))
}

describe('the same configuration under @auth/express and Latchkey: credentials', () => {
  it('calls the same, in the same order, with the same arguments, when somebody signs in', async () => {
    const observed = await play({ play: watchedSignIn })
    expect(names(observed.latchkey)).to.deep.equal(['redirect', 'authorize', 'signIn', 'jwt', 'encode', 'event signIn'])
    expectAlike(observed)
    expect(given(observed.authjs, 'authorize').fields).to.have.keys('username', 'password', 'csrfToken', 'callbackUrl')
    expect(given(observed.latchkey, 'authorize').fields).to.deep.equal(ADA)
  })

  it('does so for a user without an id, and with a number for one', async () => {
    for (const id of [undefined, 1815]) {
      expectAlike(await play({ providers: credentials(() => ({ ...person, id })), play: watchedSignIn }))
    }
  })

  it('does so when the jwt and session callbacks add members', async () => {
    const behaviour: Behaviour = {
      jwt: ({ token, user }) => (user ? { ...token, role: user.role } : token),
      session: ({ session, token }) => ({ ...session, role: token.role }),
    }
    const observed = await play({
      behaviour,
      config: { session: { updateAge: 0 } },
      async play(visitor, watch) {
        await signIn(visitor)
        await watch(visitor.get('/auth/session'))
      },
    })
    expectAlike(lessUnusedRedirect(observed))
    expect(observed.latchkey.answers).to.deep.include.members([
      {
        status: 200,
        body: { user: { name: 'Ada', email: 'ada@example.com', image: null }, role: 'analyst', expires: '<time>' },
      },
    ])
  })

  const REFUSALS: Record<string, { behaviour?: Behaviour; providers?: Story['providers']; to: string }> = {
    'the signIn callback gives false': { behaviour: { signIn: () => false }, to: '/auth/error?error=AccessDenied' },
    'the signIn callback gives nothing': {
      behaviour: { signIn: () => undefined },
      to: '/auth/error?error=AccessDenied',
    },
    'the signIn callback throws': {
      behaviour: {
        signIn: () => {
          throw new Error('no')
        },
      },
      to: '/auth/error?error=AccessDenied',
    },
    'the signIn callback names another page': { behaviour: { signIn: () => '/welcome' }, to: '/welcome' },
    'the signIn callback names another site': { behaviour: { signIn: () => 'https://evil.example/' }, to: '' },
    'authorize gives null': {
      providers: credentials(() => null),
      to: '/auth/signin?error=CredentialsSignin&code=credentials',
    },
    'authorize throws CredentialsSignin with a code': {
      providers: credentials((_fields, side) => {
        const Kind = side === 'authjs' ? AuthJsCredentialsSignin : CredentialsSignin
        throw Object.assign(new Kind(), { code: 'locked out & sorry' })
      }),
      to: '/auth/signin?error=CredentialsSignin&code=locked+out+%26+sorry',
    },
    'authorize throws something else': {
      providers: credentials(() => {
        throw new Error('the database is down')
      }),
      to: '/auth/error?error=Configuration',
    },
    'the jwt callback throws': {
      behaviour: {
        jwt: () => {
          throw new Error('no')
        },
      },
      to: '/auth/error?error=Configuration',
    },
    'the jwt callback gives null': { behaviour: { jwt: () => null }, to: '/home' },
  }
  for (const [name, { behaviour = {}, providers, to }] of Object.entries(REFUSALS)) {
    it(`does so when ${name}: ${to || 'the origin'}`, async () => {
      const observed = await play({ behaviour, ...(providers && { providers }), play: watchedSignIn })
      expectAlike(observed)
      expect(observed.latchkey.answers).to.have.length(1)
      expect((observed.latchkey.answers[0] as Any).to).to.match(/^http:\/\/127\.0\.0\.1:\d+/)
      expect((observed.latchkey.answers[0] as Any).to.replace(/^http:\/\/[^/]*/, '').replace(/^\/$/, '')).to.equal(to)
    })
  }

  it('does so when an event throws: nothing changes', async () => {
    const events = {
      signIn: () => {
        throw new Error('the mail server is down')
      },
    }
    expectAlike(await play({ config: { events }, play: watchedSignIn }))
  })

  it('refuses a form without its CSRF token alike, and calls nothing first: Auth.js asks where to redirect', async () => {
    const observed = await play({
      async play(visitor, watch) {
        await visitor.csrfToken()
        await watch(visitor.post('/auth/callback/credentials', ADA))
      },
    })
    expect(names(observed.authjs)).to.deep.equal(['redirect'])
    expect(observed.latchkey.calls).to.deep.equal([])
    expect(observed.latchkey.answers).to.deep.equal(observed.authjs.answers)
  })

  it('hands authorize JSON with its types', async () => {
    const observed = await play({
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        await watch(
          visitor.postJson('/auth/callback/credentials', {
            csrfToken,
            ...ADA,
            remember: true,
            list: [1, { two: null }],
          }),
        )
      },
    })
    expectAlike(observed)
    expect(given(observed.latchkey, 'authorize').fields).to.deep.equal({
      ...ADA,
      remember: true,
      list: [1, { two: null }],
    })
  })

  it('gives an XMLHttpRequest the target as JSON', async () => {
    const observed = await play({
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        const asked = { 'x-auth-return-redirect': '1' }
        const fields = { csrfToken, ...ADA, callbackUrl: '/home' }
        const { json } = await watch(visitor.post('/auth/callback/credentials', fields, asked))
        expect(new URL(json().url).pathname).to.equal('/home')
      },
    })
    expectAlike(observed)
  })
})

describe('the same configuration under @auth/express and Latchkey: sessions', () => {
  const everyTime = { session: { updateAge: 0 } }

  it('calls the same when a session is read, where sessions are extended at every read', async () => {
    const observed = await play({
      config: everyTime,
      async play(visitor, watch) {
        await signIn(visitor)
        await watch(visitor.get('/auth/session'))
      },
    })
    expect(names(observed.latchkey)).to.deep.equal(['decode', 'jwt', 'session', 'encode', 'event session'])
    expectAlike(lessUnusedRedirect(observed))
  })

  it('encodes nothing between extensions: Auth.js re-issues at every read (§17, "at most once per updateAge")', async () => {
    const observed = await play({
      async play(visitor, watch) {
        await signIn(visitor)
        await watch(visitor.get('/auth/session'))
      },
    })
    expect(names(observed.authjs)).to.deep.equal(['redirect', 'decode', 'jwt', 'session', 'encode', 'event session'])
    expect(names(observed.latchkey)).to.deep.equal(['decode', 'jwt', 'session', 'event session'])
    expect(observed.latchkey.calls).to.deep.equal(observed.authjs.calls.slice(1).filter(([name]) => name !== 'encode'))
  })

  it('calls the same on an update, and the session callback learns of it, as the specification says (§17: not in Auth.js)', async () => {
    const data = { user: { name: 'Countess' } }
    const observed = lessUnusedRedirect(
      await play({
        behaviour: {
          jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.user.name } : token),
        },
        async play(visitor, watch) {
          await signIn(visitor)
          const csrfToken = await visitor.csrfToken()
          await watch(visitor.postJson('/auth/session', { csrfToken, data }))
        },
      }),
    )
    const { session: theirSession, ...theirs } = Object.fromEntries(observed.authjs.calls)
    const { session: ourSession, ...ours } = Object.fromEntries(observed.latchkey.calls)
    expect(names(observed.latchkey)).to.deep.equal(names(observed.authjs))
    // Latchkey compares before it writes, and an update always writes.
    expect(ours).to.deep.equal(theirs)
    expect(ourSession).to.deep.equal({ ...(theirSession as object), trigger: 'update', newSession: data })
    expect(observed.latchkey.answers).to.deep.equal(observed.authjs.answers)
  })

  it('calls nothing when nobody is signed in', async () => {
    for (const path of ['/auth/session', '/who']) {
      const observed = await play({ play: (visitor, watch) => watch(visitor.get(path)) })
      expectAlike(observed)
      expect(observed.latchkey.calls).to.deep.equal([])
      expect(observed.latchkey.answers).to.deep.equal([{ status: 200, body: null }])
    }
  })

  it('sets no cookie for a visitor who only asks; Auth.js hands out two with every first answer (design, "CSRF and callback-url")', async () => {
    const jars: Record<string, string[]> = {}
    await play({
      async play(visitor, _watch, side) {
        await visitor.get('/auth/session')
        jars[side] = [...visitor.jar.keys()]
      },
    })
    expect(jars).to.deep.equal({ authjs: ['authjs.csrf-token', 'authjs.callback-url'], latchkey: [] })
  })

  it('calls the same for getSession, less a redirect that is not made and a token whose cookie would be thrown away', async () => {
    const observed = await play({
      config: everyTime,
      async play(visitor, watch) {
        await signIn(visitor)
        await watch(visitor.get('/who'))
      },
    })
    expect(names(observed.authjs)[0]).to.equal('redirect')
    expect(observed.latchkey.calls).to.deep.equal(observed.authjs.calls.slice(1).filter(([name]) => name !== 'encode'))
    const sessionIn = ({ answers }: (typeof observed)['authjs']) =>
      (answers[0] as { readonly body: { readonly id?: string; readonly user: object } }).body
    const [theirs, ours] = [sessionIn(observed.authjs), sessionIn(observed.latchkey)]
    expect(ours.id).to.match(/^[\w-]{22}$/)
    // Latchkey gives an application the ids as well.
    expect(ours).to.deep.equal({ ...theirs, id: ours.id, user: { ...theirs.user, id: '1815' } })
  })

  it('calls the same when the jwt callback ends the session', async () => {
    const observed = await play({
      behaviour: { jwt: ({ token, user }) => (user ? token : null) },
      async play(visitor, watch) {
        await signIn(visitor)
        await watch(visitor.get('/auth/session'))
        expect([...visitor.jar.keys()].filter((name) => name.includes('session'))).to.deep.equal([])
      },
    })
    expectAlike(lessUnusedRedirect(observed))
  })

  it('calls the same when a callback throws; Latchkey says 503 and keeps the cookie (§16, 8)', async () => {
    const kept: Record<string, number> = {}
    const observed = await play({
      behaviour: {
        session: () => {
          throw new Error('the database is down')
        },
      },
      async play(visitor, watch, side) {
        await signIn(visitor)
        await watch(visitor.get('/auth/session'))
        kept[side] = [...visitor.jar.keys()].filter((name) => name.includes('session')).length
      },
    })
    expect(observed.latchkey.calls).to.deep.equal(lessUnusedRedirect(observed).authjs.calls)
    expect(observed.authjs.answers).to.deep.equal([{ status: 200, body: null }])
    expect(observed.latchkey.answers).to.deep.equal([{ status: 503, body: null }])
    expect(kept).to.deep.equal({ authjs: 0, latchkey: 1 })
  })

  it('calls the same when somebody signs out', async () => {
    const observed = await play({
      async play(visitor, watch) {
        await signIn(visitor)
        const csrfToken = await visitor.csrfToken()
        await watch(visitor.post('/auth/signout', { csrfToken, callbackUrl: '/bye' }))
      },
    })
    expect(names(observed.latchkey)).to.deep.equal(['redirect', 'decode', 'event signOut'])
    expectAlike(observed)
  })

  it('calls the same when nobody signs out', async () => {
    const observed = await play({
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        await watch(visitor.post('/auth/signout', { csrfToken }))
      },
    })
    expectAlike(observed)
    expect(names(observed.latchkey)).to.deep.equal(['redirect'])
  })

  it('lets the redirect callback choose where a form of the application leads that names no target', async () => {
    const observed = await play({
      behaviour: { redirect: ({ baseUrl }) => `${baseUrl}/dashboard` },
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        await watch(visitor.post('/auth/callback/credentials', { csrfToken, ...ADA }))
      },
    })
    expectAlike(observed)
    expect((observed.latchkey.answers[0] as Any).to).to.match(/\/dashboard$/)
  })

  it('lists the same providers', async () => {
    const observed = await play({ play: (visitor, watch) => watch(visitor.get('/auth/providers')) })
    expectAlike(observed)
    expect((observed.latchkey.answers[0] as Any).body.credentials).to.have.keys(
      'id',
      'name',
      'type',
      'signinUrl',
      'callbackUrl',
    )
  })
})

describe('the same configuration under @auth/express and Latchkey: OAuth and OpenID Connect', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const KINDS: Record<string, () => object> = {
    oidc: () => ({
      type: 'oidc',
      issuer: idp.issuer,
      checks: ['pkce', 'state', 'nonce'],
    }),
    'oidc with userinfo': () => ({ type: 'oidc', issuer: idp.issuer, idToken: false }),
    oauth: () => ({
      type: 'oauth',
      authorization: { url: `${idp.issuer}/authorize`, params: { scope: 'read:me' } },
      token: `${idp.issuer}/token`,
      userinfo: `${idp.issuer}/userinfo`,
      checks: ['pkce', 'state'],
    }),
  }

  const providers =
    (kind: () => object, more: object = {}): NonNullable<Story['providers']> =>
    (_side, note) => [
      {
        id: 'acme',
        name: 'Acme',
        clientId: 'client',
        clientSecret: 'a client secret of some length',
        profile(profile: Any, tokens: Any) {
          note('profile', { profile: steady(profile), tokens: steady(tokens) })
          return { id: profile.sub, name: profile.name, email: profile.email, image: profile.picture, role: 'analyst' }
        },
        ...kind(),
        ...more,
      } as unknown as Provider,
    ]

  /** Signs in at the fake provider; the last request is watched. */
  const signInAtProvider: Story['play'] = async (visitor, watch) => {
    const csrfToken = await visitor.csrfToken()
    const start = await visitor.post('/auth/signin/acme', { csrfToken, callbackUrl: '/home' })
    expect(start.location?.origin, start.location?.href).to.equal(idp.issuer)
    const params = idp.authorize(start.location?.href ?? '')
    await watch(visitor.get(`/auth/callback/acme?${params}`))
  }

  for (const [name, kind] of Object.entries(KINDS)) {
    it(`calls the same, in the same order, with the same arguments, for ${name}`, async () => {
      // A plain OAuth provider says nothing of OpenID Connect.
      if (name === 'oauth') idp.faults = { idToken: () => undefined, answer: (params) => params.delete('iss') }
      const observed = await play({ providers: providers(kind), play: signInAtProvider })
      idp.reset()
      expect(names(observed.latchkey)).to.deep.equal(['profile', 'signIn', 'jwt', 'encode', 'event signIn'])
      expectAlike(lessUnusedRedirect(observed))
      const home = { status: 302, to: (observed.authjs.answers[0] as Any).to }
      expect(observed.latchkey.answers).to.deep.equal([home])
      expect(home.to).to.match(/\/home$/)
    })
  }

  it('gives the same profile and account where the provider has no profile() of its own', async () => {
    const observed = await play({
      providers: providers(KINDS['oidc'] ?? (() => ({})), { profile: undefined }),
      play: signInAtProvider,
    })
    expectAlike(lessUnusedRedirect(observed))
  })

  const VERDICTS: Record<string, { behaviour: Behaviour; to: RegExp }> = {
    'the signIn callback gives false': { behaviour: { signIn: () => false }, to: /\/auth\/error\?error=AccessDenied$/ },
    'the signIn callback throws': {
      behaviour: {
        signIn: () => {
          throw new Error('no')
        },
      },
      to: /\/auth\/error\?error=AccessDenied$/,
    },
    'the signIn callback names another page': { behaviour: { signIn: () => '/welcome' }, to: /:\d+\/welcome$/ },
    'the jwt callback throws': {
      behaviour: {
        jwt: () => {
          throw new Error('no')
        },
      },
      to: /\/auth\/error\?error=Configuration$/,
    },
    'the jwt callback gives null': { behaviour: { jwt: () => null }, to: /:\d+\/home$/ },
  }
  for (const [name, { behaviour, to }] of Object.entries(VERDICTS)) {
    it(`does so when ${name}`, async () => {
      const observed = await play({
        behaviour,
        providers: providers(KINDS['oidc'] ?? (() => ({}))),
        play: signInAtProvider,
      })
      expectAlike(lessUnusedRedirect(observed))
      expect((observed.latchkey.answers[0] as Any).to).to.match(to)
    })
  }

  it('shows the same page when the visitor cancels at the provider', async () => {
    const observed = await play({
      providers: providers(KINDS['oidc'] ?? (() => ({}))),
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        const start = await visitor.post('/auth/signin/acme', { csrfToken })
        const params = new URLSearchParams({
          error: 'access_denied',
          state: start.location?.searchParams.get('state') ?? '',
        })
        await watch(visitor.get(`/auth/callback/acme?${params}`))
      },
    })
    expectAlike(lessUnusedRedirect(observed))
    expect((observed.latchkey.answers[0] as Any).to).to.match(/\/auth\/signin\?error=OAuthCallbackError$/)
  })

  it('shows the error page when profile() throws; Auth.js sends the code on to a page that does not exist (§16, 18)', async () => {
    const profile = () => {
      throw new Error('no')
    }
    const observed = await play({
      providers: providers(KINDS['oidc'] ?? (() => ({})), { profile }),
      play: signInAtProvider,
    })
    expect((observed.authjs.answers[0] as Any).to).to.match(/\/auth\/callback\/acme\?.*\/signin$/)
    expect((observed.latchkey.answers[0] as Any).to).to.match(/\/auth\/error\?error=Configuration$/)
  })

  it('shows the sign-in page when the check cookies are lost; Auth.js calls it a fault of the server (§16, 20)', async () => {
    const observed = await play({
      providers: providers(KINDS['oidc'] ?? (() => ({}))),
      async play(visitor, watch) {
        const csrfToken = await visitor.csrfToken()
        const start = await visitor.post('/auth/signin/acme', { csrfToken })
        visitor.jar.clear()
        await watch(visitor.get(`/auth/callback/acme?${idp.authorize(start.location?.href ?? '')}`))
      },
    })
    expect(observed.latchkey.calls).to.deep.equal(observed.authjs.calls)
    expect((observed.authjs.answers[0] as Any).to).to.match(/\/auth\/error\?error=Configuration$/)
    expect((observed.latchkey.answers[0] as Any).to).to.match(/\/auth\/signin\?error=OAuthCallbackError$/)
  })
})
