import { createCipheriv, createHmac } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { base64url, calculateJwkThumbprint, EncryptJWT } from 'jose'
import { createKeyRing, deriveKey } from '../../lib/kernel/keys.js'
import { createSessionJwtCodec } from '../../lib/sessions/session-jwt.js'
import { tokenWith } from '../support/tokens.js'

const hmac = (hash: string, key: Uint8Array, ...parts: Uint8Array[]) => {
  const mac = createHmac(hash, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** HKDF as RFC 5869 §2 writes it down. */
function hkdf(hash: string, ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  const prk = hmac(hash, salt, ikm)
  const blocks: Buffer[] = []
  for (let n = 1; Buffer.concat(blocks).length < length; n += 1) {
    blocks.push(hmac(hash, prk, blocks.at(-1) ?? Buffer.alloc(0), info, Buffer.of(n)))
  }
  return Buffer.concat(blocks).subarray(0, length)
}

/** AEAD_AES_256_CBC_HMAC_SHA_512 as RFC 7518 §5.2.2.1 writes it down. */
function sealByHand(key: Uint8Array, iv: Uint8Array, aad: Uint8Array, plaintext: Uint8Array) {
  const cipher = createCipheriv('aes-256-cbc', key.subarray(32), iv)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const al = Buffer.alloc(8)
  al.writeBigUInt64BE(BigInt(aad.length * 8))
  return { ciphertext, tag: hmac('sha512', key.subarray(0, 32), aad, iv, ciphertext, al).subarray(0, 32) }
}

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const utf8 = (text: string) => Buffer.from(text, 'utf8')

describe('the yardsticks of these tests', () => {
  it('derive what RFC 5869, test case 1, says', () => {
    const ikm = Buffer.alloc(22, 0x0b)
    const salt = hex('000102030405060708090a0b0c')
    const info = hex('f0f1f2f3f4f5f6f7f8f9')
    expect(hkdf('sha256', ikm, salt, info, 42).toString('hex')).to.equal(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    )
  })

  it('seal what RFC 7518, appendix B.3, says', () => {
    const { ciphertext, tag } = sealByHand(
      Buffer.from(Array.from({ length: 64 }, (_, n) => n)),
      hex('1a f3 8c 2d c2 b9 6f fd d8 66 94 09 23 41 bc 04'),
      utf8('The second principle of Auguste Kerckhoffs'),
      utf8(
        'A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience',
      ),
    )
    expect(ciphertext.subarray(0, 16).toString('hex')).to.equal('4affaaadb78c31c5da4b1b590d10ffbd')
    expect(tag.toString('hex')).to.equal('4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5')
  })
})

describe('deriveKey', () => {
  const secret = fc.string({ minLength: 1, unit: 'binary' })

  it('is HKDF with SHA-256 over the secret, salted with the purpose', () => {
    fc.assert(
      fc.property(secret, fc.string({ unit: 'binary' }), (secret, salt) => {
        for (const [form, length] of [
          ['A256CBC-HS512', 64],
          ['A256GCM', 32],
        ] as const) {
          const info = utf8(`Auth.js Generated Encryption Key (${salt})`)
          expect(Buffer.from(deriveKey(secret, salt, form).bytes)).to.deep.equal(
            hkdf('sha256', utf8(secret), utf8(salt), info, length),
          )
        }
      }),
    )
  })

  it('names a key by its thumbprint (RFC 7638), as jose does', async () => {
    await fc.assert(
      fc.asyncProperty(secret, async (secret) => {
        for (const [form, hash] of [
          ['A256CBC-HS512', 'sha512'],
          ['A256GCM', 'sha256'],
        ] as const) {
          const { bytes, id } = deriveKey(secret, 'any purpose', form)
          expect(id).to.equal(await calculateJwkThumbprint({ kty: 'oct', k: base64url.encode(bytes) }, hash))
        }
      }),
      { numRuns: 20 },
    )
  })

  it('gives every purpose, secret and form a key of its own', () => {
    const keys = ['one', 'other'].flatMap((secret) =>
      ['authjs.session-token', '__Secure-authjs.session-token', 'latchkey:state'].flatMap((salt) =>
        (['A256CBC-HS512', 'A256GCM'] as const).map((form) => deriveKey(secret, salt, form)),
      ),
    )
    expect(new Set(keys.map(({ id }) => id)).size).to.equal(12)
    expect(new Set(keys.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).to.equal(12)
  })
})

describe('a key ring', () => {
  const ring = createKeyRing(['new', 'old'], 'purpose')
  const id = (secret: string, form: 'A256CBC-HS512' | 'A256GCM' = 'A256CBC-HS512') =>
    deriveKey(secret, 'purpose', form).id

  it('encrypts with the first secret', () => {
    expect(ring.encryptionKey.id).to.equal(id('new'))
  })

  it('decrypts with the key that the kid names, whichever secret made it', () => {
    expect(ring.decryptionKey('A256CBC-HS512', id('new'))?.id).to.equal(id('new'))
    expect(ring.decryptionKey('A256CBC-HS512', id('old'))?.id).to.equal(id('old'))
    expect(ring.decryptionKey('A256GCM', id('old', 'A256GCM'))?.id).to.equal(id('old', 'A256GCM'))
  })

  it('decrypts with the first if there is no kid', () => {
    expect(ring.decryptionKey('A256CBC-HS512', undefined)?.id).to.equal(id('new'))
    expect(ring.decryptionKey('A256GCM', undefined)?.id).to.equal(id('new', 'A256GCM'))
  })

  it('has no key for a kid of another secret, purpose or form', () => {
    expect(ring.decryptionKey('A256CBC-HS512', id('foreign'))).to.equal(undefined)
    expect(ring.decryptionKey('A256CBC-HS512', deriveKey('new', 'elsewhere', 'A256CBC-HS512').id)).to.equal(undefined)
    expect(ring.decryptionKey('A256GCM', id('new'))).to.equal(undefined)
    expect(ring.decryptionKey('A256CBC-HS512', '')).to.equal(undefined)
  })

  it('needs a secret', () => {
    expect(() => createKeyRing([], 'purpose')).to.throw(RangeError)
  })
})

describe('an encrypted value', () => {
  it('is exactly RFC 7518 §5.2.5: the parts of a token, put together by hand', async () => {
    const token = await createSessionJwtCodec(['secret'], 'name', Date.now).encode(tokenWith({ sub: '1' }), {
      issuedAt: 1_900_000_000,
      expiresAt: 1_900_000_060,
    })
    const [header = '', encryptedKey, iv = '', ciphertext, tag] = token.split('.')
    const key = deriveKey('secret', 'name', 'A256CBC-HS512')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.deep.equal({
      alg: 'dir',
      enc: 'A256CBC-HS512',
      kid: key.id,
    })
    expect(encryptedKey).to.equal('')
    const { claims, sessionClaim } =
      (await createSessionJwtCodec(['secret'], 'name', () => 1_900_000_000_000).decode(token)) ?? tokenWith({})
    const { sub, ...times } = claims
    // The digest of the person is made of `sub` where the claim has none.
    const { id, personDigest: _digest, ...more } = sessionClaim ?? {}
    const text = JSON.stringify({ sub, latchkey: { id, subject: null, ...more }, ...times })
    const again = sealByHand(key.bytes, base64url.decode(iv), utf8(header), utf8(text))
    expect([again.ciphertext.toString('base64url'), again.tag.toString('base64url')]).to.deep.equal([ciphertext, tag])
  })

  it('is what jose encrypts with the same key', async () => {
    const { bytes, id } = deriveKey('secret', 'name', 'A256CBC-HS512')
    const claims = { sub: '1', iat: 1, exp: 4_000_000_000, jti: 'any' }
    const theirs = await new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: id })
      .encrypt(bytes)
    const opened = await createSessionJwtCodec(['secret'], 'name', Date.now).decode(theirs)
    expect(opened?.claims).to.deep.equal(claims)
  })
})
