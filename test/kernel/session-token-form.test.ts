import { createCipheriv, createHmac } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt, EncryptJWT, jwtDecrypt } from 'jose'
import { createJweDecrypter, createJweEncrypter } from '../../lib/kernel/jwe.js'
import { createKeyRing } from '../../lib/kernel/keys.js'
import { createSessionJwtCodec } from '../../lib/sessions/session-jwt.js'
import { SECRET } from '../support/app.js'
import { tokenWith } from '../support/tokens.js'

const SALT = 'authjs.session-token'
const ring = createKeyRing([SECRET], SALT)
const NOW = Date.parse('2031-05-04T03:02:01.000Z')

/** Claims that every token has. */
const ALWAYS = { iat: NOW / 1000, exp: NOW / 1000 + 60, jti: 'any' }

/** The claims that jose reads from a token; null if jose refuses it. */
async function decryptedByJose(token: string): Promise<unknown> {
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

const encrypt = (claims: Record<string, unknown>) =>
  new EncryptJWT(claims)
    .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
    .encrypt(ring.encryptionKey.bytes)

/** Encrypts any text, as somebody with the key could. */
function encryptText(
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

/** jose hands each step to other threads: one value after the other would mostly wait for them. */
const AT_ONCE = 20

/** A property of single values that tries several at the same time. */
const severalAtOnce = <T>(values: fc.Arbitrary<T>, holds: (value: T) => Promise<void>) =>
  fc.asyncProperty(fc.array(values, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
    await Promise.all(all.map(holds))
  })

describe('decrypting a session token', () => {
  it('gives what jose gives, for thousands of random tokens, cache warm and cold', async function () {
    this.timeout(120_000)
    const cold = codec(0)
    const warm = codec(100)
    await fc.assert(
      severalAtOnce(fc.dictionary(fc.string(), fc.jsonValue()), async (claims) => {
        const token = await encrypt({ ...claims, ...ALWAYS })
        const expected = await decryptedByJose(token)
        expect(await cold.decode(token)).to.deep.equal(expected)
        expect(await warm.decode(token)).to.deep.equal(expected)
        expect(await warm.decode(token)).to.deep.equal(expected)
      }),
      { numRuns: 2000 / AT_ONCE },
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
        const token = encryptText(JSON.stringify({ sub: '1', ...ALWAYS, [name]: value }))
        expect(await codec(10).decode(token), `${name} ${value}`).to.deep.equal(await decryptedByJose(token))
      }
    }
  })

  it('refuses what jose refuses, for every character changed, dropped and doubled', async function () {
    this.timeout(120_000)
    const token = await encrypt({ sub: '1815', name: 'Ada', ...ALWAYS })
    const cold = codec(0)
    const others = [
      `${token}.`,
      `.${token}`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      `${token}\n`,
      token.replace('..', '.QQ.'),
      '',
      '....',
    ]
    for (let at = 0; at < token.length; at++) {
      const changed = token[at] === 'A' ? 'B' : 'A'
      others.push(token.slice(0, at) + changed + token.slice(at + 1), token.slice(0, at) + token.slice(at + 1))
    }
    const refuses = async (other: string) =>
      expect(await cold.decode(other), other).to.deep.equal(await decryptedByJose(other))
    await Promise.all(others.map(refuses))
  })

  it('gives what jose gives for headers and plaintexts that nobody can make without the key', async () => {
    const tokens = [
      ...['[]', 'null', '"text"', '1', '{', '', '{"sub":"1"}', GOOD].map((text) => encryptText(text)),
      ...[
        { alg: 'dir', enc: 'A256CBC-HS512' },
        { enc: 'A256CBC-HS512', alg: 'dir', kid: ring.encryptionKey.id },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, typ: 'JWT' },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, crit: ['x'], x: 1 },
        { alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id, zip: 'DEF' },
        { alg: 'A256KW', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id },
      ].map((header) => encryptText(GOOD, header)),
    ]
    for (const token of tokens) expect(await codec(0).decode(token), token).to.deep.equal(await decryptedByJose(token))
  })

  it('decrypts the one form of Latchkey, and leaves every other form to jose', () => {
    const decrypt = createJweDecrypter(() => ring)
    expect(decrypt(encryptText('{}'))).to.deep.equal({ plaintext: '{}' })
    expect(decrypt(encryptText('{}', { alg: 'dir', enc: 'A256CBC-HS512', kid: 'of another secret' }))).to.equal(null)
    expect(decrypt(encryptText('{}', { alg: 'dir', enc: 'A256GCM', kid: ring.encryptionKey.id }))).to.equal('unknown')
    expect(decrypt('a.b.c')).to.equal('unknown')
  })

  it('gives all callers one frozen record, and refuses a remembered token once it has expired', async () => {
    let now = NOW
    const remembering = createSessionJwtCodec([SECRET], SALT, () => now)
    const token = await remembering.encode(tokenWith({ sub: '1' }), {
      issuedAt: NOW / 1000,
      expiresAt: NOW / 1000 + 60,
    })
    const first = await remembering.decode(token)
    expect(first?.claims.sub).to.equal('1')
    expect(first?.claims).to.be.frozen
    now += 76_000
    expect(await remembering.decode(token)).to.equal(null)
  })
})

describe('encrypting a session token', () => {
  const encrypt = createJweEncrypter(() => ring)

  it('gives what jose decrypts, for thousands of random claims', async function () {
    this.timeout(120_000)
    await fc.assert(
      severalAtOnce(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), async (claims) => {
        const text = JSON.stringify(claims)
        const { plaintext, protectedHeader } = await compactDecrypt(encrypt(text), ring.encryptionKey.bytes)
        expect(new TextDecoder().decode(plaintext)).to.equal(text)
        expect(protectedHeader).to.deep.equal({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
      }),
      { numRuns: 2000 / AT_ONCE },
    )
  })

  it('gives what jose encrypts, byte by byte, with the same initialisation vector', async () => {
    for (const text of ['{}', '{"sub":"1"}', 'x'.repeat(15), 'x'.repeat(16), 'ä'.repeat(1000)]) {
      const token = encrypt(text)
      const [, , iv = ''] = token.split('.')
      const byJose = await new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: ring.encryptionKey.id })
        .setInitializationVector(Buffer.from(iv, 'base64url'))
        .encrypt(ring.encryptionKey.bytes)
      expect(token).to.equal(byJose)
    }
  })

  it('takes a new initialisation vector each time', () => {
    const vectors = Array.from({ length: 1000 }, () => encrypt('{}').split('.')[2])
    expect(new Set(vectors).size).to.equal(1000)
  })
})
