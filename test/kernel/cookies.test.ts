import { expect } from 'chai'
import { parseCookie, stringifyCookie } from 'cookie'
import fc from 'fast-check'
import { COOKIES_OF_FEATURES } from '../../lib/compose.js'
import { OPTIONS } from '../../lib/config/option-shapes.js'
import type { CookiesOptions } from '../../lib/config/options.js'
import {
  type CookieAttributes,
  clearCookie,
  mergeCookieChanges,
  serializeCookie,
  setCookie,
} from '../../lib/kernel/cookies.js'
import { parseCookies, suffixesOf } from '../../lib/kernel/request-cookies.js'
import { findSuffixed, listSuffixed, suffixed } from '../../lib/kernel/suffixed-cookies.js'
import { COOKIES } from '../../lib/sign-in/cookies.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { rowsOfFeatures } from '../support/of-features.js'

describe('parseCookies', () => {
  it('reads any header without throwing, into texts (CVE-2026-73418, property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (header) => {
        for (const [name, value] of parseCookies(header))
          expect([typeof name, typeof value]).to.deep.equal(['string', 'string'])
      }),
      { numRuns: 2000 },
    )
  })

  it('reads back what was written, whatever the values (property)', () => {
    const name = fc.stringMatching(/^[a-zA-Z_.-]{1,20}$/)
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'grapheme' }), { noNullPrototype: true }), (cookies) => {
        expect(Object.fromEntries(parseCookies(stringifyCookie(cookies)))).to.deep.equal(cookies)
      }),
    )
  })

  it('finds one cookie as the whole header has it, wherever its name stands (property)', () => {
    const pieces = fc.constantFrom(
      'a',
      'ab',
      'b',
      '=',
      ';',
      '; ',
      ' ',
      '"',
      '%',
      '%41',
      ',',
      '\t',
      'ä',
      'ba',
      'a=',
      '; a=',
      '.',
      '; a.b=',
      'a =',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.constantFrom('a', 'ab', 'b'), (parts, name) => {
        const header = parts.join('')
        const whole = parseCookie(header)
        expect(parseCookies(header).get(name)).to.equal(whole[name])
        expect(parseCookies(header).has(name)).to.equal(Object.hasOwn(whole, name))
        const suffixes = Object.keys(whole).flatMap((each) =>
          each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : [],
        )
        expect(suffixesOf(parseCookies(header), { name }, /^/)).to.deep.equal(suffixes)
      }),
      { numRuns: 5000 },
    )
  })

  it('takes the first of equal names, keeps quotes, and leaves what cannot be decoded (wire contract 2)', () => {
    expect([...parseCookies('a=1; a=2; b="x"; c=%ff; d=%7C; e; =f; g==')]).to.deep.equal([
      ['a', '1'],
      ['b', '"x"'],
      ['c', '%ff'],
      ['d', '|'],
      ['', 'f'],
      ['g', '='],
    ])
  })

  it('knows no inherited names (CVE-2024-47764)', () => {
    const cookies = parseCookies('a=1')
    for (const name of ['__proto__', 'constructor', 'toString']) expect(cookies.has(name)).to.equal(false)
    expect(parseCookies('__proto__=x').get('__proto__')).to.equal('x')
  })
})

/** Names of cookies of features, by the keys that configure them. */
const OF_FEATURES = await rowsOfFeatures<string>('cookie-names')

describe('the cookies', () => {
  const KEYS = Object.keys(cookieSpecs(false)) as (keyof CookiesOptions)[]

  it('have the names of Auth.js, with prefixes over https (COOKIE-01, wire contract 3)', () => {
    const names = (secure: boolean) =>
      Object.fromEntries(Object.entries(cookieSpecs(secure)).map(([key, { name }]) => [key, name]))
    expect(names(false)).to.include({
      sessionToken: 'authjs.session-token',
      callbackUrl: 'authjs.callback-url',
      csrfToken: 'authjs.csrf-token',
      pkceCodeVerifier: 'authjs.pkce.code_verifier',
      state: 'authjs.state',
      nonce: 'authjs.nonce',
      ...OF_FEATURES,
    })
    expect(names(true)).to.deep.equal({
      sessionToken: '__Secure-authjs.session-token',
      callbackUrl: '__Secure-authjs.callback-url',
      csrfToken: '__Host-authjs.csrf-token',
      pkceCodeVerifier: '__Host-authjs.pkce.code_verifier',
      state: '__Host-authjs.state',
      nonce: '__Host-authjs.nonce',
      emailRequest: '__Host-authjs.email-request',
      lastProvider: '__Host-authjs.last-provider',
      language: '__Host-authjs.language',
      note: '__Host-authjs.note',
      ownSignIn: '__Host-authjs.own-sign-in',
      heldSignIn: '__Host-authjs.held-sign-in',
      ...Object.fromEntries(Object.entries(OF_FEATURES).map(([key, name]) => [key, `__Host-${name}`])),
    })
  })

  it('are declared once each, and are those of the option', () => {
    const declared = [...Object.keys(COOKIES), ...Object.keys(COOKIES_OF_FEATURES)]
    expect(declared).to.have.members(Object.keys(OPTIONS.members?.cookies?.members ?? {}))
  })

  it('are all HttpOnly, Lax, on every path, and secure exactly over https (COOKIE-03, COOKIE-04)', () => {
    for (const secure of [false, true]) {
      for (const key of KEYS) {
        const text = serializeCookie(setCookie(cookieSpecs(secure)[key], 'v'))
        expect(text, key)
          .to.match(/; Path=\/(;|$)/)
          .and.match(/; HttpOnly(;|$)/)
          .and.match(/; SameSite=Lax$/)
        expect(/; Secure;/.test(text), key).to.equal(secure)
        expect(text, key).to.not.contain('Domain')
      }
    }
  })

  it('name no lifetime of their own: what sets a cookie gives it one', () => {
    const specs = cookieSpecs(false)
    for (const key of KEYS) expect(specs[key].attributes.maxAge, key).to.equal(undefined)
  })

  it('are deleted with the attributes they were set with, and no Expires (COOKIE-10)', () => {
    const specs = cookieSpecs(true, {
      sessionToken: {
        options: { domain: 'app.example', path: '/x', sameSite: 'none', expires: new Date(0), partitioned: true },
      },
    })
    expect(serializeCookie(clearCookie(specs.sessionToken))).to.equal(
      '__Secure-authjs.session-token=; Max-Age=0; Domain=app.example; Path=/x; HttpOnly; Secure; Partitioned; SameSite=None',
    )
    expect(serializeCookie(clearCookie(specs.state))).to.equal(
      '__Host-authjs.state=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    )
  })

  it('can be overridden one by one, attribute by attribute', () => {
    const specs = cookieSpecs(true, {
      sessionToken: { name: 'mine' },
      state: { options: { maxAge: 60 } },
      nonce: { name: 'once', options: { sameSite: 'none' } },
    })
    expect(specs.sessionToken.name).to.equal('mine')
    expect(specs.sessionToken.attributes).to.deep.equal(cookieSpecs(true).sessionToken.attributes)
    expect([specs.state.name, specs.state.attributes.maxAge]).to.deep.equal(['__Host-authjs.state', 60])
    expect([specs.nonce.name, specs.nonce.attributes.sameSite, specs.nonce.attributes.secure]).to.deep.equal([
      'once',
      'none',
      true,
    ])
  })

  it('keep an attribute whose option is undefined, as if it were not there (COOKIE-03, COOKIE-04)', () => {
    const nothing = {
      httpOnly: undefined,
      secure: undefined,
      sameSite: undefined,
      path: undefined,
      domain: undefined,
      maxAge: undefined,
      expires: undefined,
    } as unknown as CookieAttributes
    for (const secure of [true, false]) {
      const plain = cookieSpecs(secure)
      for (const key of Object.keys(plain) as (keyof CookiesOptions)[]) {
        const custom = { [key]: { name: undefined, options: nothing } } as Parameters<typeof cookieSpecs>[1]
        const spec = cookieSpecs(secure, custom)[key]
        expect(spec, key).to.deep.equal(plain[key])
        expect(serializeCookie(setCookie(spec, 'x')), key).to.equal(serializeCookie(setCookie(plain[key], 'x')))
      }
    }
  })

  it('give up __Host- for __Secure- where a domain or path is configured, as browsers demand (COOKIE-01, COOKIE-02)', () => {
    for (const options of [{ domain: 'app.example' }, { path: '/app' }]) {
      expect(cookieSpecs(true, { csrfToken: { options } }).csrfToken.name).to.equal('__Secure-authjs.csrf-token')
      expect(cookieSpecs(false, { csrfToken: { options } }).csrfToken.name).to.equal('authjs.csrf-token')
    }
    const ofFeatures = Object.keys(OF_FEATURES) as 'state'[]
    for (const key of ['state', 'pkceCodeVerifier', 'nonce', 'emailRequest', ...ofFeatures] as const) {
      const nameWith = (options: CookieAttributes, secure = true) =>
        cookieSpecs(secure, { [key]: { options } })[key].name
      expect(nameWith({}), key).to.match(/^__Host-authjs\./)
      expect(nameWith({ path: '/', sameSite: 'none' }), key).to.match(/^__Host-authjs\./)
      expect(nameWith({ domain: 'app.example' }), key).to.match(/^__Secure-authjs\./)
      expect(nameWith({ path: '/app' }), key).to.match(/^__Secure-authjs\./)
      expect(nameWith({ secure: false }), key).to.match(/^authjs\./)
      expect(nameWith({ path: '/app' }, false), key).to.match(/^authjs\./)
      expect(cookieSpecs(true, { [key]: { name: 'mine' } })[key].name).to.equal('mine')
    }
    expect(cookieSpecs(true, { csrfToken: { options: { path: '/', sameSite: 'strict' } } }).csrfToken.name).to.equal(
      '__Host-authjs.csrf-token',
    )
  })
})

describe('writing cookies', () => {
  const spec = { name: 'n', attributes: { path: '/' } }

  it('encodes values so that they cannot end, and reads them back (COOKIE-13, property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const text = serializeCookie(setCookie(spec, value))
        expect(text).to.match(/^n=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*; Path=\/$/)
        expect(parseCookies(text.split(';', 1)[0]).get('n')).to.equal(value)
      }),
    )
  })

  it('refuses names, paths and domains with characters that would end them (CVE-2024-47764)', () => {
    for (const name of ['', 'a b', 'a;b', 'a=b', 'a\r\nb', 'ü']) {
      expect(() => serializeCookie(setCookie({ ...spec, name }, 'v')), name).to.throw(TypeError)
    }
    for (const path of ['/;x', '/\r\n', '/\u0000'])
      expect(() => serializeCookie(setCookie({ name: 'n', attributes: { path } }, 'v')), path).to.throw(TypeError)
    for (const domain of ['a;b', 'a b', 'a,b', '-a']) {
      expect(() => serializeCookie(setCookie({ name: 'n', attributes: { domain } }, 'v')), domain).to.throw(TypeError)
    }
  })

  it('sends one change of each name, the last, where it was made', () => {
    const set = (name: string, value: string) => setCookie({ ...spec, name }, value)
    const changes = [set('a', '1'), set('b', '2'), clearCookie({ ...spec, name: 'a' }), set('c', '3'), set('a', '4')]
    expect(mergeCookieChanges(changes).map(({ name, value }) => name + value)).to.deep.equal(['b2', 'c3', 'a4'])
  })

  it('names pieces and transaction cookies after their cookie', () => {
    expect(suffixed(spec, '0')).to.deep.equal({ name: 'n.0', attributes: spec.attributes })
  })
})

describe('suffixed cookies of a request', () => {
  const specs = cookieSpecs(true)
  const keys = ['state', 'nonce'] as const
  const [state, nonce] = [specs.state.name, specs.nonce.name]
  const cookies = parseCookies(`${nonce}.bb=4; ${state}.aa=1; ${state}=2; other.aa=3; ${nonce}.aa=5; ${nonce}.a.b=6`)

  it('are found under one suffix, each with the change that deletes it', () => {
    const found = findSuffixed(cookies, specs, keys, 'aa', { sameSite: 'none' })
    expect(found.map(({ key, suffix, name, value }) => [key, suffix, name, value])).to.deep.equal([
      ['state', 'aa', `${state}.aa`, '1'],
      ['nonce', 'aa', `${nonce}.aa`, '5'],
    ])
    const spec = { name: `${state}.aa`, attributes: { ...specs.state.attributes, sameSite: 'none' as const } }
    expect(found[0]?.deletion).to.deep.equal(clearCookie(spec))
    expect(findSuffixed(cookies, specs, keys, 'cc')).to.deep.equal([])
  })

  it('are listed under all suffixes of a form, in the order of the header', () => {
    const listed = listSuffixed(cookies, specs, keys, /^[a-z]{2}$/)
    expect(listed.map(({ key, suffix, value }) => [key, suffix, value])).to.deep.equal([
      ['nonce', 'bb', '4'],
      ['state', 'aa', '1'],
      ['nonce', 'aa', '5'],
    ])
    expect(listed[0]?.deletion).to.deep.equal(clearCookie(suffixed(specs.nonce, 'bb')))
  })
})
