import * as authJs from '@auth/core/jwt'
import { expect } from 'chai'
import fc from 'fast-check'
import * as latchkey from '../../lib/jwt/index.js'
import { SECRET } from '../support/app.js'
import { SESSION } from '../support/test-app.js'

const OLD_SECRET = 'the secret of before, which is long enough too'
const SECURE = `__Secure-${SESSION}`
const MODULES = { authJs, latchkey } as const
const OTHER = { authJs: 'latchkey', latchkey: 'authJs' } as const

/** The cookies of a token, in pieces as both packages write them if it is long. */
function cookiesOf(name: string, token: string): string {
  if (token.length <= 3936) return `${name}=${token}`
  const pieces = token.match(/.{1,3936}/g) ?? []
  return pieces.map((piece, number) => `${name}.${number}=${piece}`).join('; ')
}

const changedAt = (token: string, place: number) =>
  token.slice(0, place) + (token[place] === 'A' ? 'B' : 'A') + token.slice(place + 1)

describe('latchkey/jwt beside @auth/core/jwt', () => {
  it('exports the same functions', () => {
    expect(Object.keys(latchkey).sort()).to.deep.equal(Object.keys(authJs).sort())
  })

  for (const from of ['authJs', 'latchkey'] as const) {
    it(`reads the same claims from a token of ${from}, whatever claims, secrets and names`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.string(), fc.jsonValue()),
          fc.string({ minLength: 1, unit: 'binary' }),
          fc.string(),
          async (token, secret, salt) => {
            const made = await MODULES[from].encode({ token, secret, salt })
            const ours = await latchkey.decode({ token: made, secret, salt })
            expect(ours).to.deep.equal(await authJs.decode({ token: made, secret, salt }))
            expect(ours).to.deep.include(JSON.parse(JSON.stringify(token)))
          },
        ),
        { numRuns: 40 },
      )
    })

    it(`reads a token of ${from} with any secret of a list, and the first secret makes tokens`, async () => {
      const token = await MODULES[from].encode({ token: { sub: '1' }, secret: [SECRET, OLD_SECRET], salt: SESSION })
      const read = (secret: string | string[]) => MODULES[OTHER[from]].decode({ token, secret, salt: SESSION })
      expect(await read([OLD_SECRET, SECRET])).to.include({ sub: '1' })
      expect(await read(SECRET)).to.include({ sub: '1' })
      expect(await read(OLD_SECRET).catch(() => null)).to.equal(null)
    })
  }

  it('gives a token the lifetime that was asked for, and 30 days otherwise', async () => {
    for (const maxAge of [undefined, 60, 3600]) {
      const lifetimes = []
      for (const { encode, decode } of Object.values(MODULES)) {
        const token = await encode({
          token: {},
          secret: SECRET,
          salt: SESSION,
          ...(maxAge !== undefined && { maxAge }),
        })
        const { iat = 0, exp = 0 } = (await decode({ token, secret: SECRET, salt: SESSION })) ?? {}
        lifetimes.push(exp - iat)
      }
      expect(lifetimes[1]).to.be.closeTo(lifetimes[0] ?? 0, 1)
    }
  })

  it('replaces iat, exp and jti of the claims, and encodes no claims as Auth.js does', async () => {
    const stale = { sub: '1', iat: 1, exp: 2, jti: 'old' }
    for (const { encode, decode } of Object.values(MODULES)) {
      const read = await decode({
        token: await encode({ token: stale, secret: SECRET, salt: SESSION }),
        secret: SECRET,
        salt: SESSION,
      })
      expect(read?.jti).to.be.a('string').and.not.equal('old')
      expect(read?.exp).to.be.greaterThan(Date.now() / 1000)
      const empty = await decode({
        token: await encode({ secret: SECRET, salt: SESSION }),
        secret: SECRET,
        salt: SESSION,
      })
      expect(Object.keys(empty ?? {}).sort()).to.deep.equal(['exp', 'iat', 'jti'])
    }
  })
})

describe('getToken beside that of @auth/core/jwt', () => {
  type Params = authJs.GetTokenParams<boolean>
  /** The same call of both packages. */
  const both = async (params: Params) => [await authJs.getToken(params), await latchkey.getToken(params)] as const

  const weights = { short: 10, 'in pieces': 9000 }
  const names: Record<string, { readonly name: string; readonly params: Partial<Params> }> = {
    'the usual name': { name: SESSION, params: {} },
    'the name of https': { name: SECURE, params: { secureCookie: true } },
    'a name of its own': { name: 'my.session', params: { cookieName: 'my.session' } },
    'a name of its own, with https': { name: '__Host-sid', params: { cookieName: '__Host-sid', secureCookie: true } },
    'another salt than the name': { name: 'renamed', params: { cookieName: 'renamed', salt: SESSION } },
  }

  for (const [weight, length] of Object.entries(weights)) {
    for (const [title, { name, params }] of Object.entries(names)) {
      for (const from of ['authJs', 'latchkey'] as const) {
        it(`reads the cookie of ${from}, ${weight}, under ${title}`, async () => {
          const claims = { sub: '1', name: 'Ada', weight: 'w'.repeat(length) }
          const token = await MODULES[from].encode({ token: claims, secret: SECRET, salt: params.salt ?? name })
          const cookie = `first=1; ${cookiesOf(name, token)}; last=2`
          const requests: Params['req'][] = [
            new Request('https://app.example', { headers: { cookie } }),
            { headers: new Headers({ cookie }) },
            { headers: { cookie } },
            { headers: { CoOkIe: cookie } },
          ]
          for (const req of requests) {
            const [theirs, ours] = await both({ req, secret: [OLD_SECRET, SECRET], ...params })
            expect(ours).to.deep.equal(theirs)
            expect(ours).to.deep.include(claims)
            expect(await both({ req, secret: SECRET, raw: true, ...params })).to.deep.equal([token, token])
          }
        })
      }
    }
  }

  it('refuses what that one refuses', async () => {
    const made = (more: object = {}) => latchkey.encode({ token: { sub: '1' }, secret: SECRET, salt: SESSION, ...more })
    const token = await made()
    const cookies: Record<string, string> = {
      'no cookie': '',
      'another cookie': 'other=1',
      'an empty cookie': `${SESSION}=`,
      'no token': `${SESSION}=nonsense`,
      'a token of another secret': `${SESSION}=${await made({ secret: OLD_SECRET })}`,
      'a token for another cookie': `${SESSION}=${await made({ salt: SECURE })}`,
      'an expired token': `${SESSION}=${await made({ maxAge: -20 })}`,
      'a token without its tag': `${SESSION}=${token.slice(0, token.lastIndexOf('.'))}`,
      'the cookie of https alone': `${SECURE}=${await made({ salt: SECURE })}`,
      'one piece of two': `${SESSION}.1=${token}`.replace(token, token.slice(10)),
      // The last character of a tag has bits that count for nothing.
      ...Object.fromEntries(
        [3, 40, 100, 150, token.length - 20].map((place) => [
          `a token changed at ${place}`,
          `${SESSION}=${changedAt(token, place)}`,
        ]),
      ),
    }
    for (const [title, cookie] of Object.entries(cookies)) {
      expect(await both({ req: { headers: { cookie } }, secret: SECRET }), title).to.deep.equal([null, null])
    }
    expect((await both({ req: { headers: { cookie: `${SESSION}=${token}` } }, secret: SECRET }))[1]).not.to.equal(null)
  })

  it('counts a token within the same seconds after its expiry', async () => {
    for (const [maxAge, counts] of [
      [-5, true],
      [-25, false],
    ] as const) {
      const token = await authJs.encode({ token: { sub: '1' }, secret: SECRET, salt: SESSION, maxAge })
      const found = await both({ req: { headers: { cookie: `${SESSION}=${token}` } }, secret: SECRET })
      expect(
        found.map((each) => each !== null),
        String(maxAge),
      ).to.deep.equal([counts, counts])
    }
  })

  it('calls the decode of the application, and takes its refusal', async () => {
    const req = { headers: { cookie: `${SESSION}=of-the-application` } }
    const seen: unknown[] = []
    const decode = (params: { token?: string; secret: unknown; salt: string }) => {
      seen.push([params.token, params.secret, params.salt])
      return params.token === 'of-the-application' ? { sub: '1' } : null
    }
    expect(await both({ req, secret: SECRET, decode })).to.deep.equal([{ sub: '1' }, { sub: '1' }])
    expect(seen[1]).to.deep.equal(seen[0])
    expect(await both({ req, secret: SECRET, decode: () => null })).to.deep.equal([null, null])
  })

  describe('differs', () => {
    it('in a token of the header Authorization, which is read there and not here', async () => {
      const token = await authJs.encode({ token: { sub: '1' }, secret: SECRET, salt: SESSION })
      for (const req of [
        { headers: { authorization: `Bearer ${token}` } },
        { headers: new Headers({ authorization: `Bearer ${token}` }) },
      ]) {
        const [theirs, ours] = await both({ req, secret: SECRET })
        expect([theirs !== null, ours]).to.deep.equal([true, null])
        expect(await latchkey.getToken({ req, secret: SECRET, raw: true })).to.equal(null)
      }
    })

    it('in raw, which gives a token there without a look at it, and here only a valid one', async () => {
      const req = { headers: { cookie: `${SESSION}=anything` } }
      expect(await both({ req, secret: SECRET, raw: true })).to.deep.equal(['anything', null])
    })

    it('in decode, which throws there for a token that is not valid, and here gives null', async () => {
      const params = { token: 'anything', secret: SECRET, salt: SESSION }
      expect(await authJs.decode(params).catch(() => 'thrown')).to.equal('thrown')
      expect(await latchkey.decode(params)).to.equal(null)
    })

    it('in cookies whose names only begin like that of the session: they break the session there', async () => {
      const token = await authJs.encode({ token: { sub: '1' }, secret: SECRET, salt: SESSION })
      const cookie = `${SESSION}=${token}; ${SESSION}-of-a-sibling=x`
      const [theirs, ours] = await both({ req: { headers: { cookie } }, secret: SECRET })
      expect(theirs).to.equal(null)
      expect(ours).to.include({ sub: '1' })
    })
  })
})
