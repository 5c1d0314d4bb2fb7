import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, EncryptJWT, type JWTPayload } from 'jose'
import {
  createValueEncryption,
  ENCRYPTION_PURPOSES,
  type EncryptionPurpose,
} from '../../lib/crypto/encrypted-values.js'
import { type ContentEncryption, deriveKey } from '../../lib/crypto/keys.js'
import { createSessionJwtCodec } from '../../lib/crypto/session-jwt.js'
import { cookieSpecs } from '../../lib/http/cookies.js'
import { createCsrfTokens } from '../../lib/http/csrf.js'
import { AuthError, InvalidConfiguration, type Provider } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { requestContext } from '../support/request-context.js'
import { Clock, openTestApp, SESSION, sessionCookies, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const SECURE = `__Secure-${SESSION}`
const clock = new Clock(Date.now())
const encryption = (purpose: EncryptionPurpose, secrets: readonly string[] = [SECRET], now = clock.now) =>
  createValueEncryption(secrets, purpose, now)

/** A sealed value made by hand with the right key, so that every other part can be wrong. */
function sealByHand(
  purpose: EncryptionPurpose,
  claims: JWTPayload,
  { enc = 'A256CBC-HS512', header = {} }: { enc?: ContentEncryption; header?: Record<string, unknown> } = {},
) {
  const key = deriveKey(SECRET, `latchkey:${purpose}`, enc)
  return new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc, kid: key.id, ...header }).encrypt(key.bytes)
}

const lasting = () => ({ iat: clock.seconds, exp: clock.seconds + 900 })

describe('TOK-01: a value that was made for one place is worth nothing in another (CVE-2023-48309)', () => {
  const authJs = (salt: string, token: Record<string, unknown>) => encode({ token, secret: SECRET, salt, maxAge: 900 })
  const csrf = createCsrfTokens([SECRET])
  const csrfSpec = cookieSpecs(false).csrfToken

  /** Everything that is sealed or signed with the secret, here and in Auth.js. */
  const KINDS: Record<string, () => Promise<string> | string> = {
    ...Object.fromEntries(
      ENCRYPTION_PURPOSES.map((purpose) => [
        `sealed for ${purpose}`,
        () => encryption(purpose).encrypt({ sub: '1', value: 'x' }, 900),
      ]),
    ),
    'a session token': () => forge({ sub: '1', ...lasting() }),
    'a session token of https': () => forge({ sub: '1', ...lasting() }, { salt: SECURE }),
    'a CSRF cookie': () => csrf.handOut(new Map(), csrfSpec).cookies[0]?.value ?? '',
    "Auth.js's state cookie": () => authJs('authjs.state', { value: 'x', provider: 'acme', sub: '1' }),
    "Auth.js's state": () => authJs('encodedState', { random: 'x', origin: 'http://app.example', sub: '1' }),
    "Auth.js's PKCE cookie": () => authJs('authjs.pkce.code_verifier', { value: 'x', provider: 'acme', sub: '1' }),
    "Auth.js's nonce cookie": () => authJs('authjs.nonce', { value: 'x', provider: 'acme', sub: '1' }),
    "Auth.js's challenge cookie": () => authJs('authjs.challenge', { value: 'x', provider: 'passkey', sub: '1' }),
    "Auth.js's challenge": () => authJs('encodedWebauthnChallenge', { challenge: 'x', sub: '1' }),
  }

  /** Everything that reads such a value: whether it takes one. */
  const CONSUMERS: Record<string, (value: string) => Promise<boolean>> = {
    ...Object.fromEntries(
      ENCRYPTION_PURPOSES.map((purpose) => [
        `sealed for ${purpose}`,
        async (value: string) => (await encryption(purpose).decrypt(value)) !== null,
      ]),
    ),
    'a session token': async (value) => {
      const testApp = openTestApp({}, { clock })
      return (await testApp.engine.renewSession(requestContext(`${SESSION}=${value}`, testApp.origin))).session !== null
    },
    'a session token of https': async (value) => {
      const testApp = openTestApp({}, { clock })
      return (
        (await testApp.engine.renewSession(requestContext(`${SECURE}=${value}`, 'https://app.example'))).session !==
        null
      )
    },
    'a CSRF cookie': async (value) => csrf.handOut(new Map([[csrfSpec.name, value]]), csrfSpec).cookies.length === 0,
  }

  for (const [kind, make] of Object.entries(KINDS)) {
    it(`${kind}: opens where it belongs, if it belongs here, and nowhere else`, async () => {
      const value = await make()
      const takers: string[] = []
      for (const [consumer, takes] of Object.entries(CONSUMERS)) if (await takes(value)) takers.push(consumer)
      expect(takers).to.deep.equal(kind in CONSUMERS ? [kind] : [])
    })
  }

  it('a purpose is inside the value, too: the right key is not enough', async () => {
    const value = await sealByHand('state', { value: 'x', purpose: 'pkce', ...lasting() })
    expect(await encryption('state').decrypt(value)).to.equal(null)
    expect(await encryption('state').decrypt(await sealByHand('state', { value: 'x', ...lasting() }))).to.equal(null)
  })

  it('no cookie name can be a label of ours, so no configuration can mix the keys', () => {
    for (const purpose of ENCRYPTION_PURPOSES) {
      expect(() => openTestApp({ cookies: { sessionToken: { name: `latchkey:${purpose}` } } })).to.throw(
        InvalidConfiguration,
        /cookies\.sessionToken/,
      )
    }
  })
})

describe('TOK-01, in the browser', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const acme = (id: string) =>
    ({
      id,
      name: id,
      type: 'oidc',
      issuer: idp.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    }) as Provider
  const testApp = () => openTestApp({ providers: [acme('acme'), acme('other')] }, { clock: new Clock(Date.now()) })

  /** Begins a sign-in; gives the answer that the provider would send. */
  async function begin(browser: TestBrowser, provider = 'acme') {
    const { location } = await browser.post(`/auth/signin/${provider}`, { csrfToken: await browser.csrfToken() })
    return idp.authorize(location ?? '')
  }
  const checks = ({ jar }: TestBrowser) =>
    [...jar.keys()].filter((name) => /\.(state|code_verifier|nonce)\./.test(name))
  const isRefused = async (browser: TestBrowser, params: URLSearchParams, provider = 'acme') => {
    const answer = await browser.get(`/auth/callback/${provider}?${params}`)
    expect(browser.sessionNames()).to.deep.equal([])
    expect(answer.location).to.equal('http://app.example/auth/signin?error=OAuthCallbackError')
  }

  it('an attempt succeeds with its own cookies', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    expect(checks(browser)).to.have.length(3)
    expect((await browser.get(`/auth/callback/acme?${params}`)).location).to.equal('http://app.example')
    expect((await browser.session())?.user?.name).to.equal('Ada')
    expect(checks(browser)).to.deep.equal([])
  })

  it('its cookies are no session', async () => {
    const browser = testApp().browser()
    await begin(browser)
    for (const name of checks(browser)) {
      const thief = browser.copy()
      thief.plant(SESSION, browser.jar.get(name)?.value ?? '')
      expect(await thief.session(), name).to.equal(null)
    }
  })

  it('its cookies do not stand in for one another', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const [one = '', ...others] = checks(browser)
    for (const other of others) {
      const mixed = browser.copy()
      mixed.plant(one, browser.jar.get(other)?.value ?? '')
      await isRefused(mixed, params)
    }
  })

  it('neither a session token nor a cookie of Auth.js stands in for one of them', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const value = params.get('state') ?? ''
    const impostors = [
      await forge({ value, provider: 'acme' }),
      await encode({ token: { value, provider: 'acme' }, secret: SECRET, salt: 'authjs.state' }),
      await encode({ token: { value, provider: 'acme' }, secret: SECRET, salt: 'authjs.pkce.code_verifier' }),
    ]
    for (const name of checks(browser))
      for (const impostor of impostors) {
        const mixed = browser.copy()
        mixed.plant(name, impostor)
        await isRefused(mixed, params)
      }
  })

  it('an attempt of one provider does not end at another', async () => {
    const browser = testApp().browser()
    await isRefused(browser, await begin(browser, 'acme'), 'other')
  })

  it('an attempt of one browser does not end in another', async () => {
    const { browser } = testApp()
    await isRefused(browser(), await begin(browser()))
  })

  it('TOK-07: fifty answers at once make one session', async () => {
    const browser = testApp().browser()
    const params = await begin(browser)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => browser.copy().get(`/auth/callback/acme?${params}`)),
    )
    expect(answers.filter((answer) => sessionCookies(answer).length > 0)).to.have.length(1)
  })
})

describe('TOK-02: one form of sealing, and no other', () => {
  const good = () => ({ value: 'x', purpose: 'state', ...lasting() })

  it('takes the form it writes', async () => {
    expect(await encryption('state').decrypt(await sealByHand('state', good()))).to.equal('x')
  })

  const OTHERS: Record<string, () => Promise<string>> = {
    'another content encryption': () => sealByHand('state', good(), { enc: 'A256GCM' }),
    'no kid': () => sealByHand('state', good(), { header: { kid: undefined } }),
    'an empty kid': () => sealByHand('state', good(), { header: { kid: '' } }),
    'a kid of another key': () => sealByHand('state', good(), { header: { kid: 'another' } }),
    compression: () => {
      const key = deriveKey(SECRET, 'latchkey:state', 'A256CBC-HS512')
      return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(good())))
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: key.id, zip: 'DEF' })
        .encrypt(key.bytes)
    },
    'a wrapped key': () => {
      const key = deriveKey(SECRET, 'latchkey:state', 'A256GCM')
      return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(good())))
        .setProtectedHeader({ alg: 'A256KW', enc: 'A256CBC-HS512', kid: key.id })
        .encrypt(key.bytes)
    },
    'nine kilobytes': async () => `${await sealByHand('state', { ...good(), weight: 'x'.repeat(9000) })}`,
  }
  for (const [name, make] of Object.entries(OTHERS)) {
    it(`refuses ${name}`, async () => {
      expect(await encryption('state').decrypt(await make())).to.equal(null)
    })
  }
})

describe('TOK-03: a sealed value has a beginning and an end', () => {
  it('opens until its end, with 15 seconds for clocks that differ', async () => {
    const sealed = await encryption('nonce').encrypt('x', 60)
    const at = (seconds: number) => encryption('nonce', [SECRET], () => clock.ms + seconds * 1000).decrypt(sealed)
    expect([await at(59), await at(74), await at(76), await at(100_000)]).to.deep.equal(['x', 'x', null, null])
  })

  it('without either it does not open', async () => {
    const { iat, exp } = lasting()
    const value = { value: 'x', purpose: 'nonce' }
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, iat }))).to.equal(null)
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, exp }))).to.equal(null)
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, iat, exp }))).to.equal('x')
  })

  it('cannot be sealed for no time at all', async () => {
    for (const lifetime of [0, -1, Number.NaN]) {
      const error = await encryption('nonce')
        .encrypt('x', lifetime)
        .catch((error: unknown) => error)
      expect(error, String(lifetime)).to.be.instanceOf(RangeError)
    }
  })
})

describe('TOK-04: secrets rotate', () => {
  it('the first seals, all open, an unknown one is no value', async () => {
    const old = await encryption('pkce', ['old']).encrypt({ deep: [1] }, 60)
    expect(await encryption('pkce', ['new', 'old']).decrypt(old)).to.deep.equal({ deep: [1] })
    expect(await encryption('pkce', ['new']).decrypt(old)).to.equal(null)
    const fresh = await encryption('pkce', ['new', 'old']).encrypt('x', 60)
    expect(await encryption('pkce', ['new']).decrypt(fresh)).to.equal('x')
    expect(await encryption('pkce', ['old']).decrypt(fresh)).to.equal(null)
  })

  it('a session of an older secret goes on, and its next extension is under the newest', async () => {
    const time = new Clock()
    const before = openTestApp({ secret: 'the old secret, long enough for this' }, { clock: time })
    const ada = await before.signedIn()
    const held = ada.jar.get(SESSION)?.value ?? ''
    const rotated = openTestApp({ secret: [SECRET, 'the old secret, long enough for this'] }, { clock: time }).browser()
    rotated.plant(SESSION, held)
    time.advance(24 * 60 * 60)
    expect((await rotated.session())?.user?.name).to.equal('Ada')
    const renewed = openTestApp({ secret: SECRET }, { clock: time }).browser()
    renewed.plant(SESSION, held)
    expect(await renewed.session()).to.equal(null)
    renewed.plant(SESSION, rotated.jar.get(SESSION)?.value ?? '')
    expect((await renewed.session())?.user?.name).to.equal('Ada')
  })

  it('secrets of the environment rotate by their numbers', async () => {
    const time = new Clock()
    const env = { AUTH_SECRET: 'the first secret that there ever was', AUTH_SECRET_1: SECRET }
    const held =
      (await openTestApp({ secret: env.AUTH_SECRET }, { clock: time }).signedIn()).jar.get(SESSION)?.value ?? ''
    const testApp = openTestApp({ secret: [] }, { clock: time, env })
    const ada = testApp.browser()
    ada.plant(SESSION, held)
    expect((await ada.session())?.user?.name).to.equal('Ada')
    const fresh = (await testApp.signedIn()).jar.get(SESSION)?.value ?? ''
    expect((await createSessionJwtCodec([SECRET], SESSION, time.now).decode(fresh))?.claims).to.include({
      sub: '1815',
    })
  })
})

describe('TOK-05: a weak secret', () => {
  const WEAK = ['short', 'x'.repeat(31), 'changeme'] as const

  for (const secret of WEAK) {
    it(`stops the start in production: ${secret.length} characters`, () => {
      expect(() => openTestApp({ secret }, { env: { NODE_ENV: 'production' } })).to.throw(
        AuthError,
        /fewer than 32 bytes/,
      )
      expect(() => openTestApp({ secret: [SECRET, secret] }, { env: { NODE_ENV: 'production' } })).to.throw(AuthError)
    })

    it(`is warned of elsewhere: ${secret.length} characters`, () => {
      expect(openTestApp({ secret }).log.warnings).to.deep.equal(['weak-secret'])
    })
  }

  it('is never repeated in the message', () => {
    expect(() => openTestApp({ secret: 'marked-secret' }, { env: { NODE_ENV: 'production' } }))
      .to.throw(AuthError)
      .with.property('message')
      .that.does.not.contain('marked-secret')
  })

  it('that is missing stops the start everywhere, with the command that makes one', () => {
    for (const env of [{}, { NODE_ENV: 'development' }, { NODE_ENV: 'production' }] as Record<string, string>[]) {
      expect(() => openTestApp({ secret: [] }, { env })).to.throw(AuthError, /openssl rand -base64 33/)
    }
  })
})

describe('TOK-06: every failure looks the same', () => {
  it('a session route answers all of them alike', async () => {
    const testApp = openTestApp({}, { clock })
    const good = await forge({ sub: '1', ...lasting() })
    const goodNowhere = ['rubbish', `${good}x`, good.slice(0, -4), await forge({ sub: '1', exp: clock.seconds - 100 })]
    // They name another key: whoever has one of them reads that in its header, and need not look at the answer for it.
    const ofOtherKeys = [
      await forge({ sub: '1' }, { secret: 'another' }),
      await forge({ sub: '1' }, { salt: 'another' }),
      await encryption('state').encrypt({ sub: '1' }, 60),
    ]
    const answersTo = async (values: readonly string[]) => {
      const answers = values.map(async (value) => {
        const browser = testApp.browser()
        browser.plant(SESSION, value)
        const { status, body, setCookies } = await browser.get('/auth/session')
        return { status, body, deleted: setCookies.map(({ name, maxAge }) => [name, maxAge]) }
      })
      return new Set((await Promise.all(answers)).map((answer) => JSON.stringify(answer)))
    }
    const same = { status: 200, body: 'null' }
    expect([...(await answersTo(goodNowhere))]).to.deep.equal([JSON.stringify({ ...same, deleted: [[SESSION, 0]] })])
    expect([...(await answersTo(ofOtherKeys))]).to.deep.equal([JSON.stringify({ ...same, deleted: [] })])
    expect(testApp.log.errors).to.deep.equal([])
  })
})

describe('what is sealed', () => {
  const value = fc.jsonValue().filter((value) => value !== null)

  it('comes back as it was, for its own purpose only', async () => {
    await fc.assert(
      fc.asyncProperty(
        value,
        fc.constantFrom(...ENCRYPTION_PURPOSES),
        fc.constantFrom(...ENCRYPTION_PURPOSES),
        async (value, made, asked) => {
          const opened = await encryption(asked).decrypt(await encryption(made).encrypt(value, 60))
          expect(JSON.stringify(opened)).to.equal(JSON.stringify(made === asked ? value : null))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is safe in a cookie and in a URL', async () => {
    await fc.assert(
      fc.asyncProperty(value, async (value) => {
        expect(await encryption('state').encrypt(value, 60)).to.match(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
      }),
      { numRuns: 30 },
    )
  })

  it('never makes opening throw, whatever is opened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await encryption('state').decrypt(text)).to.equal(null)
      }),
    )
  })
})
