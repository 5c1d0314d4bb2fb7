import { createCipheriv, createHmac } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt, EncryptJWT, jwtDecrypt } from 'jose'
import { createJweDecrypter } from '../../lib/crypto/decrypt-jwe.js'
import { createJweEncrypter } from '../../lib/crypto/encrypt-jwe.js'
import { createKeyRing } from '../../lib/crypto/keys.js'
import { createRecentCache } from '../../lib/crypto/recent-cache.js'
import { createSessionJwtCodec } from '../../lib/crypto/session-jwt.js'
import { SECRET } from '../support/app.js'
import { holding } from '../support/tokens.js'

const SALT = 'authjs.session-token'
const ring = createKeyRing([SECRET], SALT)
const NOW = Date.parse('2031-05-04T03:02:01.000Z')

/** Claims that every token has. */
const ALWAYS = { iat: NOW / 1000, exp: NOW / 1000 + 60, jti: 'any' }

/** What jose says of a token. */
async function judgedByJose(token: string): Promise<unknown> {
  try {
    const { payload } = await jwtDecrypt(token, ring.encryptionKey.bytes, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256CBC-HS512'],
      clockTolerance: 60,
      currentDate: new Date(NOW),
    })
    const { iat, exp, jti } = payload
    // What Auth.js gives every token, and what it never gives any (TOK-03), jose leaves open.
    const isComplete = iat !== undefined && exp !== undefined && jti !== undefined
    return isComplete && iat <= NOW / 1000 + 60 && exp > NOW / 1000 - 15 ? payload : null
  } catch {
    return null
  }
}

const seal = (claims: Record<string, unknown>) =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
    .encrypt(ring.encryptionKey.bytes)

/** Seals any text, as somebody with the key could. */
function sealText(
  text: string,
  header: object = { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id },
): string {
  const aad = Buffer.from(JSON.stringify(header)).toString('base64url')
  const iv = Buffer.alloc(16, 7)
  const { bytes } = ring.encryptionKey
  const cipher = createCipheriv('aes-256-cbc', bytes.subarray(32), iv)
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()])
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(aad.length * 8))
  const mac = createHmac('sha512', bytes.subarray(0, 32)).update(aad).update(iv).update(ciphertext).update(length)
  return [
    aad,
    '',
    iv.toString('base64url'),
    ciphertext.toString('base64url'),
    mac.digest().subarray(0, 32).toString('base64url'),
  ].join('.')
}

const GOOD = JSON.stringify({ sub: '1', ...ALWAYS })

const codec = (cacheSize: number) => {
  const { decode } = createSessionJwtCodec([SECRET], SALT, () => NOW, cacheSize)
  return { decode: async (token: string) => (await decode(token))?.claims ?? null }
}

describe('opening a session token', () => {
  it('gives what jose gives, for thousands of random tokens, cache warm and cold', async function () {
    this.timeout(60_000)
    const cold = codec(0)
    const warm = codec(100)
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (claims) => {
        const token = await seal({ ...claims, ...ALWAYS })
        const expected = await judgedByJose(token)
        expect(await cold.decode(token)).to.deep.equal(expected)
        expect(await warm.decode(token)).to.deep.equal(expected)
        expect(await warm.decode(token)).to.deep.equal(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives what jose gives, for times and types of times', async () => {
    const time = Math.floor(NOW / 1000)
    const values = [
      undefined,
      time - 16,
      time - 15,
      time - 14,
      time,
      time + 60,
      time + 61,
      0,
      -1,
      1.5,
      null,
      'soon',
      true,
      {},
    ]
    for (const name of ['exp', 'nbf', 'iat']) {
      for (const value of values) {
        const token = sealText(JSON.stringify({ sub: '1', ...ALWAYS, [name]: value }))
        expect(await codec(10).decode(token), `${name} ${value}`).to.deep.equal(await judgedByJose(token))
      }
    }
  })

  it('refuses what jose refuses, for every character changed, dropped and doubled', async function () {
    this.timeout(60_000)
    const token = await seal({ sub: '1815', name: 'Ada', ...ALWAYS })
    const cold = codec(0)
    for (let at = 0; at < token.length; at++) {
      const changed = token[at] === 'A' ? 'B' : 'A'
      for (const other of [
        token.slice(0, at) + changed + token.slice(at + 1),
        token.slice(0, at) + token.slice(at + 1),
      ]) {
        expect(await cold.decode(other), other).to.deep.equal(await judgedByJose(other))
      }
    }
    for (const other of [
      `${token}.`,
      `.${token}`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      `${token}\n`,
      token.replace('..', '.QQ.'),
      '',
      '....',
    ]) {
      expect(await cold.decode(other), other).to.deep.equal(await judgedByJose(other))
    }
  })

  it('gives what jose gives for headers and plaintexts that nobody can make without the key', async () => {
    const tokens = [
      ...['[]', 'null', '"text"', '1', '{', '', '{"sub":"1"}', GOOD].map((text) => sealText(text)),
      ...[
        { alg: 'dir', enc: 'A256CBC-HS512' },
        { enc: 'A256CBC-HS512', alg: 'dir', kid: ring.encryptionKey.id },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, typ: 'JWT' },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, crit: ['x'], x: 1 },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, zip: 'DEF' },
        { alg: 'A256KW', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id },
      ].map((header) => sealText(GOOD, header)),
    ]
    for (const token of tokens) expect(await codec(0).decode(token), token).to.deep.equal(await judgedByJose(token))
  })

  it('decides by itself about the one form, and leaves every other to jose', () => {
    const open = createJweDecrypter(() => ring)
    expect(open(sealText('{}'))).to.deep.equal({ plaintext: '{}' })
    expect(open(sealText('{}', { alg: 'dir', enc: 'A256CBC-HS512', kid: 'of another secret' }))).to.equal(null)
    expect(open(sealText('{}', { alg: 'dir', enc: 'A256GCM', kid: ring.encryptionKey.id }))).to.equal('unknown')
    expect(open('a.b.c')).to.equal('unknown')
  })

  it('gives each caller claims of its own, and notices when a remembered token expires', async () => {
    let now = NOW
    const remembering = createSessionJwtCodec([SECRET], SALT, () => now)
    const token = await remembering.encode(holding({ sub: '1' }), { issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 60 })
    const first = await remembering.decode(token)
    if (first) first.claims.sub = 'changed'
    expect((await remembering.decode(token))?.claims.sub).to.equal('1')
    now += 76_000
    expect(await remembering.decode(token)).to.equal(null)
  })
})

describe('the cache of opened tokens', () => {
  it('never holds more than its size, under a million tokens', () => {
    const cache = createRecentCache<string, number>(1000)
    for (let token = 0; token < 1_000_000; token++) cache.set(`token ${token}`, token)
    let held = 0
    for (let token = 0; token < 1_000_000; token++) if (cache.get(`token ${token}`) !== undefined) held += 1
    expect(held).to.be.within(500, 1000)
  })

  it('keeps what is asked for, and remembers nothing when its size is 0', () => {
    const cache = createRecentCache<string, string>(10)
    cache.set('hot', 'kept')
    for (let token = 0; token < 100; token++) {
      cache.set(`token ${token}`, 'other')
      expect(cache.get('hot')).to.equal('kept')
    }
    const off = createRecentCache<string, string>(0)
    off.set('any', 'value')
    expect(off.get('any')).to.equal(undefined)
  })
})

describe('the cache of opened tokens, by bytes', () => {
  it('never holds more than its budget, however large what it is given', () => {
    let held = 0
    const cache = createRecentCache<number, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    for (let key = 0; key < 5000; key += 1) cache.set(key, 'x'.repeat(1 + ((key * 7919) % 20_000)))
    for (let key = 0; key < 5000; key += 1) held += cache.get(key)?.length ?? 0
    expect(held).to.be.within(30_000, 100_000)
  })

  it('keeps small values while large ones come and go, if they are asked for', () => {
    const cache = createRecentCache<string, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    cache.set('hot', 'small')
    for (let key = 0; key < 100; key += 1) {
      cache.set(`large ${key}`, 'x'.repeat(30_000))
      expect(cache.get('hot')).to.equal('small')
    }
  })

  it('does not take what would fill it alone', () => {
    const cache = createRecentCache<string, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    cache.set('hot', 'small')
    cache.set('huge', 'x'.repeat(60_000))
    expect([cache.get('huge'), cache.get('hot')]).to.deep.equal([undefined, 'small'])
  })

  it('remembers few of many large tokens, and of usual ones as many as it may', async function () {
    this.timeout(60_000)
    const COUNT = 1000
    const rememberedOf = async (claims: object) => {
      const codec = createSessionJwtCodec([SECRET], SALT, () => NOW, COUNT)
      const lifetime = { issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 60 }
      const firstClaims = new Map<string, unknown>()
      const claimIn = async (token: string) => (await codec.decode(token))?.sessionClaim
      for (let n = 0; n < COUNT; n += 1) {
        const token = await codec.encode(holding({ ...claims, n }), lifetime)
        firstClaims.set(token, await claimIn(token))
      }
      // What is remembered has the claim that it was first opened with; the newest first, since opening others pushes it out.
      let characters = 0
      let count = 0
      for (const [token, claim] of [...firstClaims].reverse()) {
        if ((await claimIn(token)) !== claim) continue
        count += 1
        characters += token.length
      }
      return { count, characters }
    }
    const usual = await rememberedOf({ name: 'Ada', email: 'ada@example.com', sub: crypto.randomUUID() })
    expect(usual.count).to.be.within(COUNT / 2, COUNT)
    const large = await rememberedOf({ weight: 'x'.repeat(9000) })
    expect(large.count).to.be.within(20, 100)
    expect(large.characters).to.be.below(COUNT * 1024)
  })
})

describe('what is remembered of a token', () => {
  it('is the token, and not the header that it came in', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const remembering = createSessionJwtCodec([SECRET], SALT, () => NOW)
    const lifetime = { issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 60 }
    const tokens: string[] = []
    for (let n = 0; n < 500; n += 1) tokens.push(await remembering.encode(holding({ n }), lifetime))
    collect()
    const before = process.memoryUsage().heapUsed
    for (const token of tokens) {
      const header = Buffer.from(`${SALT}=${token}; other=${'x'.repeat(12_000)}`).toString('latin1')
      remembering.decode(header.slice(SALT.length + 1, SALT.length + 1 + token.length))
    }
    collect()
    expect((process.memoryUsage().heapUsed - before) / tokens.length, 'bytes for each').to.be.below(4000)
    expect(remembering.decode(tokens[0] ?? '')).not.to.equal(null)
  })
})

describe('sealing a session token', () => {
  const seal = createJweEncrypter(() => ring)

  it('gives what jose opens, for thousands of random claims', async function () {
    this.timeout(60_000)
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), async (claims) => {
        const text = JSON.stringify(claims)
        const { plaintext, protectedHeader } = await compactDecrypt(seal(text), ring.encryptionKey.bytes)
        expect(new TextDecoder().decode(plaintext)).to.equal(text)
        expect(protectedHeader).to.deep.equal({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
      }),
      { numRuns: 2000 },
    )
  })

  it('gives what jose seals, byte by byte, with the same initialisation vector', async () => {
    for (const text of ['{}', '{"sub":"1"}', 'x'.repeat(15), 'x'.repeat(16), 'ä'.repeat(1000)]) {
      const token = seal(text)
      const [, , iv = ''] = token.split('.')
      const byJose = await new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
        .setInitializationVector(Buffer.from(iv, 'base64url'))
        .encrypt(ring.encryptionKey.bytes)
      expect(token).to.equal(byJose)
    }
  })

  it('takes a new initialisation vector each time', () => {
    const vectors = Array.from({ length: 1000 }, () => seal('{}').split('.')[2])
    expect(new Set(vectors).size).to.equal(1000)
  })
})
