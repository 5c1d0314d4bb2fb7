import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, EncryptJWT, type JWTPayload } from 'jose'
import { InvalidConfiguration } from '../../lib/index.js'
import { createCsrfTokens } from '../../lib/kernel/csrf.js'
import { createValueEncryption } from '../../lib/kernel/encrypted-values.js'
import { type ContentEncryption, deriveKey } from '../../lib/kernel/keys.js'
import { SECRET } from '../support/app.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { PURPOSES, PURPOSES_IN_STORE, usedPurposes } from '../support/purposes.js'
import { requestContext } from '../support/request-context.js'
import { Clock, openTestApp, SESSION } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const SECURE = `__Secure-${SESSION}`
const clock = new Clock(Date.now())
const encryption = (purpose: string, secrets: readonly string[] = [SECRET], now = clock.now) =>
  createValueEncryption(secrets, purpose, now, { isInStore: PURPOSES_IN_STORE.includes(purpose) })

/** An encrypted value made by hand with the right key, so that every other part can be wrong. */
function sealByHand(
  purpose: string,
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

  /** Everything that is encrypted or signed with the secret, here and in Auth.js. */
  const KINDS: Record<string, () => Promise<string> | string> = {
    ...Object.fromEntries(
      PURPOSES.map((purpose) => [
        `encrypted for ${purpose}`,
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
      PURPOSES.map((purpose) => [
        `encrypted for ${purpose}`,
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

  it('each purpose is that of one place only, and none has changed', () => {
    const used = usedPurposes()
    expect(used.map(({ purpose }) => purpose)).to.have.members(PURPOSES)
    expect(used.flatMap(({ purpose, isInStore }) => (isInStore ? purpose : []))).to.deep.equal(PURPOSES_IN_STORE)
  })

  it('a purpose is inside the value, too: the right key is not enough', async () => {
    const value = await sealByHand('state', { value: 'x', purpose: 'pkce', ...lasting() })
    expect(await encryption('state').decrypt(value)).to.equal(null)
    expect(await encryption('state').decrypt(await sealByHand('state', { value: 'x', ...lasting() }))).to.equal(null)
  })

  it('no cookie name can be a label of ours, so no configuration can mix the keys', () => {
    for (const purpose of PURPOSES) {
      expect(() => openTestApp({ cookies: { sessionToken: { name: `latchkey:${purpose}` } } })).to.throw(
        InvalidConfiguration,
        /cookies\.sessionToken/,
      )
    }
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

describe('TOK-03: an encrypted value has a start and an expiry', () => {
  it('is accepted until it expires, and 15 seconds longer for clocks that differ', async () => {
    const encrypted = await encryption('nonce').encrypt('x', 60)
    const at = (seconds: number) => encryption('nonce', [SECRET], () => clock.ms + seconds * 1000).decrypt(encrypted)
    expect([await at(59), await at(74), await at(76), await at(100_000)]).to.deep.equal(['x', 'x', null, null])
  })

  it('without either it does not open', async () => {
    const { iat, exp } = lasting()
    const value = { value: 'x', purpose: 'nonce' }
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, iat }))).to.equal(null)
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, exp }))).to.equal(null)
    expect(await encryption('nonce').decrypt(await sealByHand('nonce', { ...value, iat, exp }))).to.equal('x')
  })

  it('has no expiry only in a store: a value that a request can bring always expires', async () => {
    const later = () => clock.ms + 10 * 365 * 24 * 3600 * 1000
    const kept = await encryption('account-token').encrypt('x'.repeat(20_000), Number.POSITIVE_INFINITY)
    const readLater = encryption('account-token', [SECRET], later)
    expect(readLater.decrypt(kept)).to.equal('x'.repeat(20_000))
    expect(readLater.decryptInTime(kept)).to.deep.equal({ value: 'x'.repeat(20_000) })
    for (const purpose of PURPOSES.filter((each) => !PURPOSES_IN_STORE.includes(each))) {
      const endless = await sealByHand(purpose, { value: 'x', purpose, iat: clock.seconds })
      expect(await encryption(purpose).decrypt(endless), purpose).to.equal(null)
      expect(encryption(purpose).decryptInTime(endless), purpose).to.equal(null)
    }
  })

  it('cannot be encrypted without a lifetime', () => {
    for (const lifetime of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => encryption('nonce').encrypt('x', lifetime), String(lifetime)).to.throw(RangeError)
    }
  })
})

describe('TOK-04: secrets rotate', () => {
  it('the first encrypts, all decrypt, and a value of an unknown one is refused', async () => {
    const old = await encryption('pkce', ['old']).encrypt({ deep: [1] }, 60)
    expect(await encryption('pkce', ['new', 'old']).decrypt(old)).to.deep.equal({ deep: [1] })
    expect(await encryption('pkce', ['new']).decrypt(old)).to.equal(null)
    const fresh = await encryption('pkce', ['new', 'old']).encrypt('x', 60)
    expect(await encryption('pkce', ['new']).decrypt(fresh)).to.equal('x')
    expect(await encryption('pkce', ['old']).decrypt(fresh)).to.equal(null)
  })
})

describe('TOK-06: every failure looks the same', () => {
  it('a session route answers all of them alike', async () => {
    const testApp = openTestApp({}, { clock })
    const good = await forge({ sub: '1', ...lasting() })
    const goodNowhere = ['rubbish', `${good}x`, good.slice(0, -4), await forge({ sub: '1', exp: clock.seconds - 100 })]
    // They name another key in their headers, so a reader learns nothing new from the answer.
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

describe('an encrypted value', () => {
  const value = fc.jsonValue().filter((value) => value !== null)

  it('comes back as it was, for its own purpose only', async () => {
    await fc.assert(
      fc.asyncProperty(
        value,
        fc.constantFrom(...PURPOSES),
        fc.constantFrom(...PURPOSES),
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

  it('never makes decryption throw, whatever is decrypted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await encryption('state').decrypt(text)).to.equal(null)
      }),
    )
  })
})
