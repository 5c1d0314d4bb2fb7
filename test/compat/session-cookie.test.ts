import { Auth as AuthJs, type AuthConfig as AuthJsConfig } from '@auth/core'
import { decode, encode, getToken } from '@auth/core/jwt'
import AuthJsCredentials from '@auth/core/providers/credentials'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt } from 'jose'
import { Auth, type AuthConfig, type Provider } from '../../lib/index.js'
import { deriveKey } from '../../lib/kernel/keys.js'
import { withSessionClaim } from '../../lib/sessions/session-claim.js'
import { createSessionJwtCodec } from '../../lib/sessions/session-jwt.js'
import { ADA, SECRET } from '../support/app.js'
import { type PackageName, type SwitchableApp, startSwitchableApp } from '../support/switchable-app.js'
import { SESSION } from '../support/test-app.js'
import { later } from '../support/timers.js'
import { forge, tokenWith } from '../support/tokens.js'
import type { Visitor } from '../support/visitor.js'

const silent = { error: () => {}, warn: () => {}, debug: () => {} }
const OLD_SECRET = 'the secret of before, which is long enough too'

/** The provider as @auth/core makes it: an app that moves over keeps it. */
const passwords = AuthJsCredentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username, password }) =>
    username === 'ada' && password === 'lovelace' ? { id: '1815', name: 'Ada', email: 'ada@example.com' } : null,
}) as unknown as Provider

const configOf = (more: Partial<AuthConfig> = {}): AuthConfig => ({
  providers: [passwords],
  secret: SECRET,
  logger: silent,
  ...more,
})

/** Puts so much into the token that its cookie is cut into pieces. */
const heavy: AuthConfig['callbacks'] = {
  jwt: ({ token, trigger }) => (trigger === 'signIn' ? { ...token, weight: 'w'.repeat(5000) } : token),
}

interface Variant {
  readonly config?: Partial<AuthConfig>
  readonly headers?: Record<string, string>
  readonly names: readonly string[]
}

const https = { 'x-forwarded-proto': 'https' }
const pieces = (name: string) => [0, 1].map((number) => `${name}.${number}`)

const VARIANTS: Record<string, Variant> = {
  'http, whole': { names: [SESSION] },
  'http, in pieces': { config: { callbacks: heavy }, names: pieces(SESSION) },
  'https, whole': { headers: https, names: [`__Secure-${SESSION}`] },
  'https, in pieces': { headers: https, config: { callbacks: heavy }, names: pieces(`__Secure-${SESSION}`) },
  'a secret array': { config: { secret: [SECRET, OLD_SECRET] }, names: [SESSION] },
  'a secret of its own for tokens': { config: { jwt: { secret: OLD_SECRET } }, names: [SESSION] },
  'a name of its own': { config: { cookies: { sessionToken: { name: 'my.session' } } }, names: ['my.session'] },
  'a name of its own, in pieces': {
    config: { callbacks: heavy, cookies: { sessionToken: { name: '__Host-sid' } }, useSecureCookies: true },
    names: pieces('__Host-sid'),
  },
  'useSecureCookies on http': { config: { useSecureCookies: true }, names: [`__Secure-${SESSION}`] },
}

const OTHER = { authjs: 'latchkey', latchkey: 'authjs' } as const

describe('an app that changes its import', () => {
  let app: SwitchableApp
  afterEach(() => app.close())

  /** Signs in with the credentials form, as the page of either side does. */
  async function signIn(visitor: Visitor, headers: Record<string, string>) {
    const { csrfToken } = (await visitor.get('/auth/csrf', headers)).json()
    return visitor.post('/auth/callback/credentials', { csrfToken, ...ADA, callbackUrl: '/home' }, headers)
  }

  const sessionNames = ({ jar }: Visitor) =>
    [...jar.keys()].filter((name) => /session-token|my\.session|sid/.test(name))

  for (const [name, { config = {}, headers = {}, names }] of Object.entries(VARIANTS)) {
    for (const from of ['authjs', 'latchkey'] as const) {
      it(`keeps its visitors signed in, from ${from} to ${OTHER[from]}: ${name}`, async () => {
        app = await startSwitchableApp(() => configOf(config))
        const ada = app.visitor()
        app.run(from)
        expect((await signIn(ada, headers)).status).to.equal(302)
        expect(sessionNames(ada)).to.deep.equal(names)

        app.run(OTHER[from])
        const user = { name: 'Ada', email: 'ada@example.com' }
        // Latchkey gives an application the id of the user as well.
        const whole = from === 'authjs' ? { ...user, id: '1815' } : user
        expect((await ada.get('/who', headers)).json()?.user).to.deep.equal(whole)
        expect((await ada.get('/auth/session', headers)).json()?.user).to.deep.equal(user)
        expect(sessionNames(ada)).to.deep.equal(names)

        // What the other side wrote, the first side reads again: a move can be taken back.
        app.run(from)
        expect((await ada.get('/auth/session', headers)).json()?.user).to.deep.equal(user)

        app.run(OTHER[from])
        const { csrfToken } = (await ada.get('/auth/csrf', headers)).json()
        await ada.post('/auth/signout', { csrfToken }, headers)
        expect(sessionNames(ada)).to.deep.equal([])
        app.run(from)
        expect((await ada.get('/auth/session', headers)).json()).to.equal(null)
      })
    }
  }

  for (const from of ['authjs', 'latchkey'] as const) {
    it(`takes the forms that ${from} handed out`, async () => {
      app = await startSwitchableApp(() => configOf())
      const ada = app.visitor()
      app.run(from)
      const csrfToken = await ada.csrfToken()
      app.run(OTHER[from])
      expect(await ada.csrfToken()).to.equal(csrfToken)
      const answer = await ada.post('/auth/callback/credentials', { csrfToken, ...ADA })
      expect(answer.location?.href).to.equal(`${app.origin}/`)
      expect(sessionNames(ada)).to.deep.equal([SESSION])
    })

    it(`goes where ${from} remembered that the visitor wanted to go`, async () => {
      app = await startSwitchableApp(() => configOf())
      const ada = app.visitor()
      app.run(from)
      await ada.get('/auth/signin?callbackUrl=/wanted%3Fx%3D1')
      app.run(OTHER[from])
      const csrfToken = await ada.csrfToken()
      const answer = await ada.post('/auth/callback/credentials', { csrfToken, ...ADA })
      expect(answer.location?.href).to.equal(`${app.origin}/wanted?x=1`)
    })
  }

  it('takes open forms over with a secret array, too', async () => {
    app = await startSwitchableApp(() => configOf({ secret: [SECRET, OLD_SECRET] }))
    const ada = app.visitor()
    const csrfToken = await ada.csrfToken()
    app.run('latchkey')
    await ada.post('/auth/callback/credentials', { csrfToken, ...ADA })
    expect(sessionNames(ada)).to.deep.equal([SESSION])
  })

  it('cannot take open forms back with a secret array: there Auth.js signs with all secrets at once (§16, 28)', async () => {
    app = await startSwitchableApp(() => configOf({ secret: [SECRET, OLD_SECRET] }))
    const ada = app.visitor()
    app.run('latchkey')
    const csrfToken = await ada.csrfToken()
    app.run('authjs')
    const answer = await ada.post('/auth/callback/credentials', { csrfToken, ...ADA })
    expect(answer.location?.search).to.equal('?error=MissingCSRF')
    expect((await signIn(ada, {})).location?.pathname, 'a new form works').to.equal('/home')
  })

  it('keeps visitors of an older secret signed in, on either side', async () => {
    for (const side of ['authjs', 'latchkey'] as const) {
      app = await startSwitchableApp((each) => configOf({ secret: each === side ? OLD_SECRET : [SECRET, OLD_SECRET] }))
      const ada = app.visitor()
      app.run(side)
      await signIn(ada, {})
      app.run(OTHER[side])
      expect((await ada.get('/auth/session')).json()?.user.name, `from ${side}`).to.equal('Ada')
      if (side === 'authjs') await app.close()
    }
  })
})

describe('Auth(request, config)', () => {
  const send = async (side: PackageName, path: string, init: RequestInit = {}) => {
    const request = new Request(`https://app.example/auth${path}`, init)
    const response =
      side === 'authjs'
        ? await AuthJs(request, { ...configOf(), basePath: '/auth', trustHost: true } as unknown as AuthJsConfig)
        : await Auth(request, configOf({ trustHost: true }))
    const pairs = response.headers.getSetCookie().map((text) => text.split(';', 1)[0] ?? '')
    return { response, pairs: pairs.filter((pair) => !pair.endsWith('=')) }
  }

  for (const from of ['authjs', 'latchkey'] as const) {
    it(`without a framework: a session of ${from} opens in ${OTHER[from]}`, async () => {
      const csrf = await send(from, '/csrf')
      const { csrfToken } = (await csrf.response.json()) as { csrfToken: string }
      const { pairs } = await send(from, '/callback/credentials', {
        method: 'POST',
        body: new URLSearchParams({ csrfToken, ...ADA }),
        headers: { cookie: csrf.pairs.join('; ') },
      })
      expect(pairs.join()).to.contain(`__Secure-${SESSION}=`)
      const { response } = await send(OTHER[from], '/session', { headers: { cookie: pairs.join('; ') } })
      expect(await response.json()).to.have.nested.property('user.name', 'Ada')
    })
  }
})

describe('a token of @auth/core', () => {
  const codec = (secrets: readonly string[] = [SECRET], salt = SESSION) =>
    createSessionJwtCodec(secrets, salt, Date.now)
  const opened = async (token: string, secrets?: readonly string[], salt?: string) =>
    (await codec(secrets, salt).decode(token))?.claims ?? null
  const soon = () => {
    const issuedAt = Math.floor(Date.now() / 1000)
    return { issuedAt, expiresAt: issuedAt + 3600 }
  }

  it('and one of Latchkey are alike, header and claims, except for the one claim that is ours', async () => {
    const theirs = await encode({ token: { sub: '1', name: 'Ada' }, secret: SECRET, salt: SESSION, maxAge: 3600 })
    const ours = await codec().encode(tokenWith({ sub: '1', name: 'Ada' }), soon())
    const header = (token: string) => Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()
    expect(header(ours)).to.equal(header(theirs))
    const shape = (claims: object | null) =>
      Object.entries(claims ?? {}).map(([key, value]) => [key, ['sub', 'name'].includes(key) ? value : typeof value])
    const { latchkey, ...claims } = (await decode({ token: ours, secret: SECRET, salt: SESSION })) ?? {}
    const { personDigest: subject, ...more } = tokenWith({}).sessionClaim
    expect(latchkey).to.deep.equal({ ...more, subject })
    expect(shape(claims)).to.deep.equal(shape(await opened(theirs)))
  })

  it('opens here, and the reverse, whatever claims, secrets and names', async () => {
    const secret = fc.string({ minLength: 1, unit: 'binary' })
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        secret,
        fc.string(),
        async (claims, secret, salt) => {
          const theirs = await encode({ token: claims, secret, salt })
          const ours = await codec([secret], salt).encode(tokenWith(claims), soon())
          const alike = async (token: string, more: object) =>
            expect({ ...(await opened(token, [secret], salt)), ...more }).to.deep.equal(
              await decode({ token, secret, salt }),
            )
          await alike(theirs, {})
          await alike(ours, { latchkey: withSessionClaim(tokenWith(claims)).latchkey })
        },
      ),
      { numRuns: 40 },
    )
  })

  it('is judged alike: by kid, form, secrets and time', async () => {
    const now = Math.floor(Date.now() / 1000)
    const secrets = ['first', 'second']
    const outcomes: Record<string, boolean> = {}
    for (const enc of ['A256CBC-HS512', 'A256GCM'] as const)
      for (const secret of ['first', 'second', 'foreign'])
        for (const header of [{}, { kid: 'unknown' }, { kid: undefined }])
          for (const exp of [now + 60, now - 10, now - 20]) {
            const token = await forge({ sub: '1', exp }, { secret, enc, header })
            const theirs = await decode({ token, secret: secrets, salt: SESSION }).catch(() => null)
            const ours = await opened(token, secrets)
            const kid = 'kid' in header ? (header.kid ?? 'no kid') : 'right kid'
            const name = [enc, secret, kid, exp - now].join(' ')
            expect(ours, name).to.deep.equal(theirs)
            outcomes[name] = ours !== null
          }
    const counts = Object.values(outcomes)
    expect([counts.filter(Boolean).length, counts.length]).to.deep.equal([12, 54])
  })

  it('that is compressed opens there and not here (TOK-02)', async () => {
    const key = deriveKey(SECRET, SESSION, 'A256CBC-HS512')
    const token = await new CompactEncrypt(new TextEncoder().encode('{"sub":"1"}'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: key.id, zip: 'DEF' })
      .encrypt(key.bytes)
    expect(await decode({ token, secret: SECRET, salt: SESSION })).to.deep.equal({ sub: '1' })
    expect(await codec().decode(token)).to.equal(null)
  })
})

describe('session.maxAge and jwt.maxAge', () => {
  const DAYS = 24 * 60 * 60
  /** When a visitor is out, who never comes back: the browser drops the cookie, or nobody opens the token any more. */
  const COMBINATIONS: readonly [session: number | undefined, jwt: number | undefined, lives: number][] = [
    [undefined, undefined, 30 * DAYS],
    [1800, undefined, 1800],
    [undefined, 1800, 1800],
    [1800, 86_400, 1800],
    [86_400, 1800, 1800],
    [90 * DAYS, undefined, 90 * DAYS],
    [undefined, 90 * DAYS, 30 * DAYS],
    [90 * DAYS, 60 * DAYS, 60 * DAYS],
  ]
  for (const [session, jwt, lives] of COMBINATIONS) {
    it(`end a session after the same time here and there: ${session ?? 'none'} and ${jwt ?? 'none'}`, async () => {
      const app = await startSwitchableApp(() =>
        configOf({
          ...(session !== undefined && { session: { maxAge: session } }),
          ...(jwt !== undefined && { jwt: { maxAge: jwt } }),
        }),
      )
      try {
        for (const side of ['authjs', 'latchkey'] as const) {
          app.run(side)
          const ada = app.visitor()
          const { setCookie } = await ada.signIn(ADA)
          const line = setCookie.find((text) => text.startsWith(`${SESSION}=`)) ?? ''
          const expires = Date.parse(/expires=([^;]+)/i.exec(line)?.[1] ?? '') / 1000
          const { exp = 0 } = (await decode({ token: ada.jar.get(SESSION) ?? '', secret: SECRET, salt: SESSION })) ?? {}
          expect(Math.min(expires, exp) - Date.now() / 1000, side).to.be.closeTo(lives, 3)
          if (side === 'latchkey') expect(exp, 'and a copy of the cookie lives no longer').to.be.closeTo(expires, 1)
        }
      } finally {
        await app.close()
      }
    })
  }
})

describe("Latchkey's cookies", () => {
  for (const weight of [10, 5000]) {
    it(`open with getToken of @auth/core, at ${weight} characters and more`, async () => {
      const app = await startSwitchableApp(() =>
        configOf({ callbacks: { jwt: ({ token }) => ({ ...token, weight: 'w'.repeat(weight) }) } }),
      )
      try {
        app.run('latchkey')
        const ada = app.visitor()
        await ada.signIn(ADA)
        const req = new Request(app.origin, { headers: { cookie: ada.cookieHeader() } })
        expect(await getToken({ req, secret: SECRET })).to.include({ sub: '1815', name: 'Ada' })
      } finally {
        await app.close()
      }
    })
  }
})

describe('jwt.encode and jwt.decode of @auth/core, given as codec of the application', () => {
  it('keep the end of a session where it is, as the built-in codec does', async () => {
    let reads = 0
    const app = await startSwitchableApp(() =>
      configOf({
        jwt: {
          encode: (params) => encode(params),
          decode: (params) => decode(params),
        },
        callbacks: { jwt: ({ token }) => ({ ...token, reads: ++reads }) },
      }),
    )
    try {
      app.run('latchkey')
      const ada = app.visitor()
      await ada.signIn(ADA)
      const end = async () =>
        (await decode({ token: ada.jar.get(SESSION) ?? '', secret: SECRET, salt: SESSION }))?.exp ?? 0
      const first = await end()
      const { expires } = (await later(2100, () => ada.get('/auth/session'))).json()
      expect(Date.parse(expires) / 1000).to.be.closeTo(first, 1)
      expect(await end()).to.be.closeTo(first, 1)
    } finally {
      await app.close()
    }
  })
})
