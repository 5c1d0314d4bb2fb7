import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, SignJWT } from 'jose'
import { deriveKey } from '../../lib/kernel/keys.js'
import { takeSessionClaim, withSessionClaim } from '../../lib/sessions/session-claim.js'
import { createSessionJwtCodec, type SessionJwtCodec } from '../../lib/sessions/session-jwt.js'
import { createCustomCodec } from '../../lib/sessions/token-writer.js'
import { SECRET } from '../support/app.js'
import { Clock, SESSION } from '../support/test-app.js'
import { forge, forgeBytes, tokenWith } from '../support/tokens.js'

const clock = new Clock()
const codec = createSessionJwtCodec([SECRET], SESSION, clock.now)
/** The claims of a token; null if it is refused. */
const claimsIn = async (token: string, by: SessionJwtCodec = codec) => (await by.decode(token))?.claims ?? null
const inAnHour = () => ({ issuedAt: clock.seconds, expiresAt: clock.seconds + 3600 })
const valid = () => forge({ sub: '1815', iat: clock.seconds, exp: clock.seconds + 60 })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a session token', () => {
  it('carries the claims, and iat, exp and jti of its own', async () => {
    const claims = { name: 'Ada', sub: '1815', nested: { list: [1, null, 'ü'] } }
    const old = { iat: 1, exp: 2, jti: 'old' }
    const { jti, ...rest } = (await claimsIn(await codec.encode(tokenWith({ ...claims, ...old }), inAnHour()))) ?? {}
    expect(jti).to.match(UUID)
    expect(rest).to.deep.equal({ ...claims, iat: clock.seconds, exp: clock.seconds + 3600 })
  })

  it('is never the same twice', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => codec.encode(tokenWith({ sub: '1' }), inAnHour())),
    )
    expect(new Set(tokens).size).to.equal(20)
    const ids = await Promise.all(tokens.map(async (token) => (await claimsIn(token))?.jti))
    expect(new Set(ids).size).to.equal(20)
  })

  it('shows nothing of its claims', async () => {
    const token = await codec.encode(tokenWith({ email: 'ada@example.com' }), inAnHour())
    const raw = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(raw.join('')).not.to.contain('ada')
  })

  it('is decrypted to the claims that were encrypted, whatever JSON they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (claims) => {
        const decoded = await claimsIn(await codec.encode(tokenWith(claims), inAnHour()))
        const { iat: _iat, exp: _exp, jti: _jti, ...rest } = decoded ?? {}
        const { iat: _a, exp: _b, jti: _c, ...given } = claims
        expect(JSON.stringify(rest)).to.equal(JSON.stringify(given))
      }),
      { numRuns: 50 },
    )
  })

  it('is accepted until 15 seconds after its end, and not at the 15th', async () => {
    const token = await forge({ sub: '1', exp: clock.seconds })
    for (const [late, opens] of [
      [0, true],
      [14, true],
      [15, false],
      [16, false],
    ] as const) {
      const later = createSessionJwtCodec([SECRET], SESSION, () => clock.ms + late * 1000)
      expect((await later.decode(token)) !== null, `${late} s`).to.equal(opens)
    }
  })

  it('TOK-03: needs exp, iat and jti, and nothing else', async () => {
    expect(await claimsIn(await forge({}))).to.have.all.keys('exp', 'iat', 'jti')
    for (const claim of ['exp', 'iat', 'jti'])
      expect(await claimsIn(await forge({ [claim]: undefined }))).to.equal(null)
  })

  it('is accepted with A256GCM, too', async () => {
    const token = await forge({ sub: '1' }, { enc: 'A256GCM' })
    expect(await claimsIn(token)).to.include({ sub: '1' })
  })
})

describe('secrets that rotate', () => {
  const rotated = createSessionJwtCodec(['newest', 'older', 'oldest'], SESSION, clock.now)

  for (const secret of ['newest', 'older', 'oldest']) {
    for (const enc of ['A256CBC-HS512', 'A256GCM'] as const) {
      it(`decrypt a token of the ${secret} one (${enc}), by its kid`, async () => {
        expect(await claimsIn(await forge({ sub: '1' }, { secret, enc }), rotated)).to.include({ sub: '1' })
      })
    }
  }

  it('encrypt with the first', async () => {
    const token = await rotated.encode(tokenWith({ sub: '1' }), inAnHour())
    expect(await claimsIn(token, createSessionJwtCodec(['newest'], SESSION, clock.now))).to.include({ sub: '1' })
    expect(await claimsIn(token, createSessionJwtCodec(['older'], SESSION, clock.now))).to.equal(null)
  })

  it('decrypt a token without a kid with the first only', async () => {
    for (const enc of ['A256CBC-HS512', 'A256GCM'] as const) {
      const [first, second] = ['newest', 'older'].map((secret) => forge({ sub: '1' }, { secret, enc, withKid: false }))
      expect(await claimsIn((await first) ?? '', rotated)).to.include({ sub: '1' })
      expect(await claimsIn((await second) ?? '', rotated)).to.equal(null)
    }
  })

  it('decrypt no token of a secret that was removed', async () => {
    const token = await forge({ sub: '1' }, { secret: 'older' })
    expect(await claimsIn(token, createSessionJwtCodec(['newest'], SESSION, clock.now))).to.equal(null)
  })
})

/** Everything that is no session, made with the right key wherever that is possible. */
const FORGERIES: Record<string, () => Promise<string> | string> = {
  'an empty text': () => '',
  'four dots': () => '....',
  'an expired token': () => forge({ sub: '1', exp: clock.seconds - 16 }),
  'a token that is not valid yet': () => forge({ sub: '1', nbf: clock.seconds + 61 }),
  'an exp that is no number': () => forge({ sub: '1', exp: '99999999999' as unknown as number }),
  'a token of another secret': () => forge({ sub: '1' }, { secret: 'another' }),
  'a token of another cookie name': () => forge({ sub: '1' }, { salt: `__Secure-${SESSION}` }),
  'a kid of another key, though the key fits': () => forge({ sub: '1' }, { header: { kid: 'another' } }),
  'an empty kid': () => forge({ sub: '1' }, { header: { kid: '' } }),
  'the kid of the other form of the key': () =>
    forge({ sub: '1' }, { header: { kid: deriveKey(SECRET, SESSION, 'A256GCM').id } }),
  'a compressed token': async () => {
    const key = deriveKey(SECRET, SESSION, 'A256CBC-HS512')
    return new CompactEncrypt(new TextEncoder().encode('{"sub":"1"}'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512', kid: key.id, zip: 'DEF' })
      .encrypt(key.bytes)
  },
  'a smaller content encryption': async () => {
    const key = deriveKey(SECRET, SESSION, 'A256CBC-HS512')
    return new CompactEncrypt(new TextEncoder().encode('{"sub":"1"}'))
      .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256', kid: key.id })
      .encrypt(key.bytes.subarray(0, 32))
  },
  'a key wrapped with the session key': async () => {
    const key = deriveKey(SECRET, SESSION, 'A256GCM')
    return new CompactEncrypt(new TextEncoder().encode('{"sub":"1"}'))
      .setProtectedHeader({ alg: 'A256KW', enc: 'A256CBC-HS512', kid: key.id })
      .encrypt(key.bytes)
  },
  'a critical extension that nobody knows': async () =>
    swapHeader(await valid(), (header) => ({ ...header, crit: ['x'], x: 1 })),
  'alg none': async () => swapHeader(await valid(), (header) => ({ ...header, alg: 'none' })),
  'a password that would take minutes to try': async () =>
    swapHeader(await valid(), (header) => ({ ...header, alg: 'PBES2-HS512+A256KW', p2c: 2 ** 31, p2s: 'AAAAAAAAAAA' })),
  'a header that is no JSON': async () => replacePart(await valid(), 0, () => Buffer.from('{').toString('base64url')),
  'an encrypted key, which dir has none of': async () => replacePart(await valid(), 1, () => 'AAAA'),
  'a part too few': async () => (await valid()).split('.').slice(0, 4).join('.'),
  'a part too many': async () => `${await valid()}.AAAA`,
  'a signed token in place of an encrypted one': () =>
    new SignJWT({ sub: '1' }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(SECRET)),
  'claims that are null': () => forgeBytes('null'),
  'claims that are a list': () => forgeBytes('[]'),
  'claims that are no JSON': () => forgeBytes('{"sub":'),
  'claims that are not UTF-8': async () => forgeBytes('{"sub":"\ud800"'),
  'a token of 65 kilobytes': () => forge({ sub: '1', weight: 'x'.repeat(65 * 1024) }),
  'a flipped bit in the header': async () => replacePart(await valid(), 0, flip),
  'a flipped bit in the initialisation vector': async () => replacePart(await valid(), 2, flip),
  'a flipped bit in the ciphertext': async () => replacePart(await valid(), 3, flip),
  'a flipped bit in the tag': async () => replacePart(await valid(), 4, flip),
  'no tag': async () => replacePart(await valid(), 4, () => ''),
  'the first half of the tag': async () => replacePart(await valid(), 4, (tag) => cut(tag, 16)),
  'a tag that goes on': async () => replacePart(await valid(), 4, (tag) => `${tag}AAAA`),
  ...Object.fromEntries(
    [15, 12, 8, 4, 0].map((bytes) => [
      `a GCM tag of ${bytes} bytes`,
      async () => replacePart(await forge({ sub: '1' }, { enc: 'A256GCM' }), 4, (tag) => cut(tag, bytes)),
    ]),
  ),
}

const cut = (part: string, bytes: number) => Buffer.from(part, 'base64url').subarray(0, bytes).toString('base64url')

function flip(part: string): string {
  const bytes = Buffer.from(part, 'base64url')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64url')
}

const replacePart = (token: string, index: number, change: (part: string) => string) =>
  token
    .split('.')
    .map((part, at) => (at === index ? change(part) : part))
    .join('.')

const swapHeader = (token: string, change: (header: Record<string, unknown>) => Record<string, unknown>) =>
  replacePart(token, 0, (part) =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(part, 'base64url').toString())))).toString('base64url'),
  )

describe('decoding a session token', () => {
  it('opens the one that the forgeries are made of', async () => {
    expect(await claimsIn(await valid())).to.include({ sub: '1815' })
  })

  for (const [name, make] of Object.entries(FORGERIES)) {
    it(`gives null for ${name}`, async () => {
      expect(await claimsIn(await make())).to.equal(null)
    })
  }

  it('never throws, whatever it is given', async () => {
    const part = fc.oneof(fc.base64String(), fc.string(), fc.constant(''))
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part, { maxLength: 7 }).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await claimsIn(text)).to.equal(null)
      }),
    )
  })

  it('gives null for any change of one character', async () => {
    const token = await valid()
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...'AQgw-_.'), async (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1)
        const sameBytes = changed
          .split('.')
          .every((part, n) =>
            Buffer.from(part, 'base64url').equals(Buffer.from(token.split('.')[n] ?? '', 'base64url')),
          )
        fc.pre(changed !== token && !sameBytes)
        expect(await claimsIn(changed)).to.equal(null)
      }),
    )
  })

  it('answers quickly, however expensive the header asks it to be', async () => {
    const expensive = (await FORGERIES['a password that would take minutes to try']?.()) ?? ''
    const began = process.cpuUsage()
    await codec.decode(expensive)
    // The password alone would cost minutes of a fast machine.
    expect(process.cpuUsage(began).user / 1e6).to.be.lessThan(5)
  })
})

describe('a codec of the application', () => {
  const onFirst = () => {}
  const settings = { secret: ['new', 'old'], salt: SESSION, maxAge: 3600, now: clock.now, onFirst }
  const none: SessionJwtCodec = {
    encode: async () => 'built-in',
    decode: async () => takeSessionClaim(withSessionClaim(tokenWith({ sub: 'built-in' })), ''),
    acceptedByOthers: () => 'no',
  }

  it('is given the token, the secret as configured, the lifetime and the salt, and nothing else', async () => {
    const seen: unknown[] = []
    const custom = createCustomCodec(
      {
        encode: (params) => {
          seen.push(params)
          return 'sealed'
        },
        decode: async (params) => {
          seen.push(params)
          return { sub: '1' }
        },
      },
      none,
      settings,
    )
    expect(await custom.encode(tokenWith({ sub: '1' }), { issuedAt: 100, expiresAt: 700 })).to.equal('sealed')
    expect(await claimsIn('sealed', custom)).to.deep.equal({ sub: '1' })
    expect(seen).to.deep.equal([
      {
        token: { sub: '1', latchkey: { id: 'a session', subject: null, authenticatedAt: null } },
        secret: ['new', 'old'],
        maxAge: 600,
        salt: SESSION,
      },
      // The first that is written is read again, to see whether our claim is still there.
      { token: 'sealed', secret: ['new', 'old'], maxAge: 3600, salt: SESSION },
      { token: 'sealed', secret: ['new', 'old'], maxAge: 3600, salt: SESSION },
    ])
  })

  it('leaves the half it does not replace to the built-in one', async () => {
    const onlyEncode = createCustomCodec({ encode: () => 'sealed' }, none, settings)
    expect(await claimsIn('any', onlyEncode)).to.deep.equal({ sub: 'built-in' })
    const onlyDecode = createCustomCodec({ decode: () => null }, none, settings)
    expect(await onlyDecode.encode(tokenWith({}), { issuedAt: 0, expiresAt: 1 })).to.equal('built-in')
    expect(await onlyDecode.decode('any')).to.equal(null)
  })

  it('says "no session" with undefined, too', async () => {
    const custom = createCustomCodec({ decode: () => undefined as unknown as null }, none, settings)
    expect(await custom.decode('any')).to.equal(null)
  })
})
