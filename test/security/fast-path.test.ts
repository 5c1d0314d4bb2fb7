import { createCipheriv, createHmac } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { CompactEncrypt, SignJWT, UnsecuredJWT } from 'jose'
import type { AuthConfig, JWT } from '../../lib/index.js'
import { createValueEncryption } from '../../lib/kernel/encrypted-values.js'
import { deriveKey } from '../../lib/kernel/keys.js'
import { ADA, type Running, SECRET } from '../support/app.js'
import { PURPOSES } from '../support/purposes.js'
import {
  CACHE_STATES,
  type CheckResult,
  checkSession,
  expectAccepted,
  expectRefused,
  REFERENCE,
  SystemClock,
  startSessionChecks,
} from '../support/session-checks.js'
import { SESSION } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60
/** Machines' clocks differ a little, so a token is honoured so many seconds after its end. */
const TOLERANCE = 15

const clock = new SystemClock()

/** A good token, and an app that accepts it. */
interface Accepted {
  readonly good: string
  readonly app: Running
}

/** A cookie that a browser presents, and that every configuration must judge alike. */
interface Presented {
  /** The value of the cookie. What happens first, such as that the good token expires, happens here. */
  readonly present: (accepted: Accepted) => string | Promise<string>
  /** Name of the cookie; that of the session by default. */
  readonly name?: string
  readonly options?: Partial<AuthConfig>
}

const partsOf = (token: string): string[] => token.split('.')
const withPart = (token: string, index: number, change: (part: string) => string): string =>
  partsOf(token)
    .map((part, at) => (at === index ? change(part) : part))
    .join('.')

/** Another letter in the middle of a part: the last one may have bits that mean nothing. */
const flip = (part: string): string => {
  const at = Math.floor(part.length / 2)
  return part.slice(0, at) + (part[at] === 'A' ? 'B' : 'A') + part.slice(at + 1)
}

const lasting = () => ({
  sub: '1815',
  email: 'ada@example.com',
  iat: clock.seconds,
  exp: clock.seconds + DAY,
  // The id of the session, which must be the same with each state of the cache.
  jti: 'b3c1f2d8-0000-4000-8000-000000000000',
})
const { bytes: key, id: kid } = deriveKey(SECRET, SESSION, 'A256CBC-HS512')
const text = () => new TextEncoder().encode(JSON.stringify(lasting()))

/** Seals claims with the right key under any header, by RFC 7518 §5.2.2.1. */
function sealUnder(header: object, claims: object = lasting()): string {
  const aad = Buffer.from(JSON.stringify(header)).toString('base64url')
  const iv = Buffer.alloc(16, 5)
  const cipher = createCipheriv('aes-256-cbc', key.subarray(32), iv)
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(claims)), cipher.final()])
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(aad.length * 8))
  const mac = createHmac('sha512', key.subarray(0, 32)).update(aad).update(iv).update(ciphertext).update(length)
  return [aad, '', ...[iv, ciphertext, mac.digest().subarray(0, 32)].map((part) => part.toString('base64url'))].join(
    '.',
  )
}

const encrypt = (header: { alg: string; enc: string }, bytes: Uint8Array) =>
  new CompactEncrypt(text()).setProtectedHeader({ ...header, kid }).encrypt(bytes)

const revoked = new Set<unknown>()

const REFUSED: Readonly<Record<string, Presented>> = {
  'a token whose end has come': {
    present({ good }) {
      clock.advance(30 * DAY + TOLERANCE)
      return good
    },
  },
  'a token whose end came long ago': {
    present({ good }) {
      clock.advance(365 * DAY)
      return good
    },
  },
  'a token of the future': { present: () => forge({ ...lasting(), nbf: clock.seconds + 120 }) },
  'a token whose end is no number': { present: () => forge({ ...lasting(), exp: 'never' as never }) },
  'a token that the jwt callback has revoked since': {
    options: { callbacks: { jwt: ({ token }) => (revoked.has(token.sub) ? null : token) } },
    present({ good }) {
      revoked.add('1815')
      return good
    },
  },
  'a token that the session callback shows to nobody since': {
    options: { callbacks: { session: ({ session, token }) => (revoked.has(token.sub) ? (null as never) : session) } },
    present({ good }) {
      revoked.add('1815')
      return good
    },
  },
  'a token that was signed out': {
    // Not the good one of all these tests: it would be over for each configuration with the secret.
    async present({ app }) {
      const visitor = app.visitor()
      await visitor.signIn(ADA)
      const token = visitor.jar.get(SESSION) ?? ''
      expectAccepted(await checkSession(app, token), 'before the sign-out')
      await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
      return token
    },
  },
  'a header of another letter': { present: ({ good }) => withPart(good, 0, flip) },
  'a header of other words for the same': {
    present: ({ good }) =>
      withPart(good, 0, (part) => Buffer.from(` ${Buffer.from(part, 'base64url').toString()}`).toString('base64url')),
  },
  'an encrypted key where none belongs': { present: ({ good }) => withPart(good, 1, () => 'AAAA') },
  'an initialization vector of another letter': { present: ({ good }) => withPart(good, 2, flip) },
  'a ciphertext of another letter': { present: ({ good }) => withPart(good, 3, flip) },
  'a tag of another letter': { present: ({ good }) => withPart(good, 4, flip) },
  'a tag of half the length': { present: ({ good }) => withPart(good, 4, (part) => part.slice(0, 22)) },
  'no tag': { present: ({ good }) => withPart(good, 4, () => '') },
  'no last part': { present: ({ good }) => partsOf(good).slice(0, 4).join('.') },
  'one letter less': { present: ({ good }) => good.slice(0, -1) },
  'half of it': { present: ({ good }) => good.slice(0, good.length / 2) },
  'a part more': { present: ({ good }) => `${good}.AAAA` },
  'it twice': { present: ({ good }) => `${good}.${good}` },
  'parts of two good tokens': {
    present: async ({ good }) => withPart(await forge(lasting()), 4, () => partsOf(good)[4] ?? ''),
  },
  'a token under the key of another cookie': {
    present: () => forge(lasting(), { salt: '__Secure-authjs.session-token' }),
  },
  'a token of another secret': {
    present: () => forge(lasting(), { secret: 'another secret, as long as this one is' }),
  },
  'a token of another secret, with the id of this one': {
    present: () => forge(lasting(), { secret: 'another secret, as long as this one is', header: { kid } }),
  },
  'the good one in the cookie of https': { name: '__Secure-authjs.session-token', present: ({ good }) => good },
  'the good one in the cookie of the major version before': {
    name: 'next-auth.session-token',
    present: ({ good }) => good,
  },
  'a wrapped key': { present: () => encrypt({ alg: 'A256KW', enc: 'A256CBC-HS512' }, key.subarray(0, 32)) },
  'a key from a password': {
    present: () => encrypt({ alg: 'PBES2-HS256+A128KW', enc: 'A256CBC-HS512' }, new TextEncoder().encode(SECRET)),
  },
  'half the key, A128CBC-HS256': { present: () => encrypt({ alg: 'dir', enc: 'A128CBC-HS256' }, key.subarray(0, 32)) },
  'part of the key, A192GCM': { present: () => encrypt({ alg: 'dir', enc: 'A192GCM' }, key.subarray(0, 24)) },
  'the right key under alg none': { present: () => sealUnder({ alg: 'none', enc: 'A256CBC-HS512', kid }) },
  'the right key, compressed by its header': {
    present: () => sealUnder({ alg: 'dir', enc: 'A256CBC-HS512', kid, zip: 'DEF' }),
  },
  'the right key, with a header that must be understood': {
    present: () => sealUnder({ alg: 'dir', enc: 'A256CBC-HS512', kid, crit: ['x'], x: 1 }),
  },
  'claims that are a list': { present: () => sealUnder({ alg: 'dir', enc: 'A256CBC-HS512', kid }, [lasting()]) },
  'a signature in place of encryption': {
    present: () => new SignJWT(lasting()).setProtectedHeader({ alg: 'HS512', kid }).sign(key),
  },
  'neither signature nor encryption': { present: () => new UnsecuredJWT(lasting()).encode() },
  'the CSRF cookie': {
    async present({ app }) {
      const visitor = app.visitor()
      await visitor.csrfToken()
      return visitor.jar.get('authjs.csrf-token') ?? ''
    },
  },
  ...Object.fromEntries(
    PURPOSES.map((purpose) => [
      `an encrypted value of another purpose: ${purpose}`,
      { present: () => createValueEncryption([SECRET], purpose, () => clock.ms).encrypt(lasting(), 600) },
    ]),
  ),
}

const LET_IN: Readonly<Record<string, Presented>> = {
  'the good one': { present: ({ good }) => good },
  'the good one, a second before its end and the tolerance': {
    present({ good }) {
      clock.advance(30 * DAY + TOLERANCE - 1)
      return good
    },
  },
  'a token without an id of its key, as older versions of Auth.js wrote them': {
    present: () => forge(lasting(), { withKid: false }),
  },
  'a token with A256GCM, which jose opens': { present: () => forge(lasting(), { enc: 'A256GCM' }) },
  'a header in another order': { present: () => sealUnder({ kid, enc: 'A256CBC-HS512', alg: 'dir' }) },
}

describe('a session token at a guard, at getSession and at the session route', () => {
  let good: string

  before(async () => {
    clock.install()
    const app = await startSessionChecks()
    const ada = app.visitor()
    await ada.signIn(ADA)
    good = ada.jar.get(SESSION) ?? ''
    await app.close()
  })
  after(() => clock.uninstall())
  beforeEach(() => clock.restart())

  /** What an application says of a value: twice, since a refusal must not be forgotten, nor a refused token remembered. */
  async function judge(way: keyof typeof CACHE_STATES, { present, name, options = {} }: Presented) {
    clock.restart()
    revoked.clear()
    const { isWarm, session } = CACHE_STATES[way]
    const app = await startSessionChecks({ ...options, session })
    try {
      if (isWarm) {
        expectAccepted(await checkSession(app, good), 'the good one, before')
        expectAccepted(await checkSession(app, good), 'the good one, from the cache')
      }
      const value = await present({ good, app })
      const first = await checkSession(app, value, name)
      return { first, again: await checkSession(app, value, name) }
    } finally {
      await app.close()
    }
  }

  /** The same whatever is remembered; `check` says what. */
  async function expectAlike(presented: Presented, check: (results: readonly CheckResult[], why: string) => void) {
    const expected = await judge(REFERENCE, presented)
    for (const way of Object.keys(CACHE_STATES) as (keyof typeof CACHE_STATES)[]) {
      const { first, again } = await judge(way, presented)
      check(first, way)
      check(again, `${way}, again`)
      expect({ first, again }, `${way} as ${REFERENCE}`).to.deep.equal(expected)
    }
  }

  describe('is refused, cache warm, cold and off, with the same words', () => {
    for (const [name, presented] of Object.entries(REFUSED)) it(name, () => expectAlike(presented, expectRefused))
  })

  describe('is let in, cache warm, cold and off, with the same words', () => {
    for (const [name, presented] of Object.entries(LET_IN)) it(name, () => expectAlike(presented, expectAccepted))
  })

  it('ends at the very second, whether it is remembered or not', async () => {
    const end = clock.seconds + 100
    const token = await forge({ ...lasting(), exp: end })
    for (const { isWarm, session } of Object.values(CACHE_STATES)) {
      clock.restart()
      const app = await startSessionChecks({ session })
      if (isWarm) expectAccepted(await checkSession(app, token), 'before')
      clock.ms = (end + TOLERANCE) * 1000 - 1
      expectAccepted(await checkSession(app, token), 'the last millisecond')
      clock.ms += 1
      expectRefused(await checkSession(app, token), 'the next one')
      clock.ms -= 1
      expectAccepted(await checkSession(app, token), 'a clock that was set back')
      await app.close()
    }
  })

  it('ends with its secret: an engine without it refuses what the one before has seen, and one with it takes it', async () => {
    const next = 'the secret of next year, as long as it has to be'
    for (const session of [{}, { tokenCacheSize: 0 }]) {
      const before = await startSessionChecks({ session })
      expectAccepted(await checkSession(before, good), 'under its secret')
      const rotating = await startSessionChecks({ session, secret: [next, SECRET] })
      const rotated = await startSessionChecks({ session, secret: next })
      expectAccepted(await checkSession(rotating, good), 'while it rotates')
      expectAccepted(await checkSession(rotating, good), 'while it rotates, again')
      expectRefused(await checkSession(rotated, good), 'rotated out')
      expectRefused(await checkSession(rotated, good), 'rotated out, again')
      expectAccepted(await checkSession(before, good), 'the engine of before')
      await Promise.all([before, rotating, rotated].map((app) => app.close()))
    }
  })

  it('is refused once any letter of it has changed, though it was seen before', async function () {
    this.timeout(120_000)
    const app = await startSessionChecks()
    const off = await startSessionChecks({ session: { tokenCacheSize: 0 } })
    const others = await Promise.all([1, 2, 3].map(() => forge(lasting())))
    for (const token of [good, ...others]) expectAccepted(await checkSession(app, token), 'warm')
    const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.')
    const change = fc.oneof(
      fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), letter }),
      fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), letter }),
      fc.record({ kind: fc.constant('delete' as const), at: fc.nat(), letter }),
      fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), letter }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), letter }),
      fc.record({ kind: fc.constant('splice' as const), at: fc.nat(), letter }),
    )
    const apply = (token: string, { kind, at, letter }: { kind: string; at: number; letter: string }): string => {
      const index = at % token.length
      const [head, tail] = [token.slice(0, index), token.slice(index)]
      switch (kind) {
        case 'replace':
          return head + letter + tail.slice(1)
        case 'insert':
          return head + letter + tail
        case 'delete':
          return head + tail.slice(1)
        case 'swap':
          return head + (tail[1] ?? '') + (tail[0] ?? '') + tail.slice(2)
        case 'cut':
          return head
        default:
          return withPart(token, at % 5, () => partsOf(others[at % others.length] ?? '')[at % 5] ?? '')
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const changed = changes.reduce(apply, good)
        // Base64url has letters at the end whose last bits mean nothing: what stands for the same bytes is the same token.
        fc.pre(changed !== '' && !sameBytes(changed, good) && !others.includes(changed))
        const results = await checkSession(app, changed)
        expectRefused(results, changed)
        expect(results).to.deep.equal(await checkSession(off, changed))
      }),
      { numRuns: 500 },
    )
    expectAccepted(await checkSession(app, good), 'the good one, after all that')
    await Promise.all([app, off].map((running) => running.close()))
  })

  describe('that is remembered', () => {
    const claims = () => ({ ...lasting(), name: 'Ada', roles: ['reader'], at: { work: 'engine' } })

    it('is not changed by what a callback does to what it is given', async () => {
      const given: JWT[] = []
      const app = await startSessionChecks({
        callbacks: {
          jwt({ token }) {
            given.push(structuredClone(token))
            const roles = token['roles'] as string[]
            roles.push('admin')
            Object.assign(token['at'] as object, { work: 'nowhere' })
            token['name'] = 'Eve'
            delete token['email']
            return token
          },
          session({ session, token }) {
            ;(token['roles'] as string[]).push('owner')
            return { ...session, roles: token['roles'] as string[] }
          },
        },
      })
      const token = await forge(claims())
      const results: CheckResult[][] = []
      for (let round = 0; round < 5; round++) results.push(await checkSession(app, token))
      expect(given).to.have.lengthOf(15)
      for (const one of given) expect(one).to.include({ name: 'Ada', email: 'ada@example.com' })
      for (const one of given) expect([one['roles'], one['at']]).to.deep.equal([['reader'], { work: 'engine' }])
      const shown = results.flat().map(({ body }) => JSON.parse(body).roles)
      expect(shown).to.deep.equal(shown.map(() => ['reader', 'admin', 'owner']))
      await app.close()
    })

    it('is not changed by a route either, nor by a request beside it', async () => {
      const meddling: Partial<AuthConfig> = {
        callbacks: {
          session: ({ session, token }) => Object.assign(session, { roles: token['roles'], at: token['at'] }),
        },
        events: { session: ({ session, token }) => void Object.assign(session.user ?? {}, token && { name: 'Eve' }) },
      }
      const app = await startSessionChecks(meddling)
      const token = await forge(claims())
      const rounds = await Promise.all(Array.from({ length: 30 }, () => checkSession(app, token)))
      await app.close()
      // Each request has claims of its own; what an event does to them ends with the request.
      const alone = await startSessionChecks({ ...meddling, session: { tokenCacheSize: 0 } })
      const expected = await checkSession(alone, token)
      await alone.close()
      for (const round of rounds) expect(round).to.deep.equal(expected)
    })

    it('reaches the callbacks at every request, which decide anew', async () => {
      let calls = 0
      const app = await startSessionChecks({ callbacks: { jwt: ({ token }) => (++calls % 2 === 0 ? null : token) } })
      const statuses: number[] = []
      for (let round = 0; round < 6; round++) {
        const visitor = app.visitor()
        visitor.jar.set(SESSION, good)
        statuses.push((await visitor.get('/private')).status)
      }
      expect(statuses).to.deep.equal([200, 401, 200, 401, 200, 401])
      await app.close()
    })

    it('belongs to one configuration: another one in the same process asks its own callbacks and keys', async () => {
      const [one, other] = await Promise.all([
        startSessionChecks(),
        startSessionChecks({ secret: 'the secret of another tenant, long enough' }),
      ])
      expectAccepted(await checkSession(one, good), 'at home')
      expectRefused(await checkSession(other, good), 'elsewhere')
      await Promise.all([one.close(), other.close()])
    })
  })
})

/** Whether two tokens stand for the same header text and the same bytes. */
function sameBytes(one: string, other: string): boolean {
  const read = (token: string) => {
    const [header, ...rest] = partsOf(token)
    return JSON.stringify([header, ...rest.map((part) => Buffer.from(part, 'base64url').toString('hex'))])
  }
  return read(one) === read(other)
}
