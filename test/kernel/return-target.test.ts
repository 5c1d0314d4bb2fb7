import { expect } from 'chai'
import fc from 'fast-check'
import { serializeCookie, setCookie } from '../../lib/kernel/cookies.js'
import { defaultRedirect, formatTarget, parseReturnTarget, parseTarget } from '../../lib/kernel/return-target.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { redirectCorpus } from '../support/redirect-corpus.js'

const ORIGIN = 'https://app.example'

/** Texts made of the parts that URL parsers disagree about. */
const tricky = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '\\',
        '//',
        '.',
        '..',
        '@',
        ':',
        '?',
        '#',
        '%2f',
        '%5c',
        '%2e',
        '%00',
        '\t',
        '\n',
        '\r',
        ' ',
        '\u0000',
      ),
      fc.constantFrom(
        'http',
        'https:',
        'javascript:',
        'data:',
        'app.example',
        'evil.example',
        ORIGIN,
        '443',
        '[::1]',
        '。',
        '\u202e',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('parseReturnTarget', () => {
  it('gives a URL of this origin or null, whatever it is given (property)', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          tricky,
          tricky.map((text) => `/${text}`),
          tricky.map((text) => ORIGIN + text),
          fc.anything(),
        ),
        (value) => {
          const url = parseReturnTarget(value, ORIGIN)
          if (url === null) return
          expect(url.origin).to.equal(ORIGIN)
          expect(url.username + url.password).to.equal('')
          // What goes out reads the same to every parser that comes after.
          expect(new URL(url.href).href).to.equal(url.href)
          expect(url.href).to.match(/^https:\/\/app\.example\/[\x21-\x7e]*$/)
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('gives a target that fits into its cookie, or null (COOKIE-05, property)', () => {
    const spec = cookieSpecs(true).callbackUrl
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 200, maxLength: 4000 }), (text) => {
        const url = parseReturnTarget(`/${text}`, ORIGIN)
        if (url) expect(serializeCookie(setCookie(spec, url.href)).split(';', 1)[0]?.length).to.be.at.most(4096)
      }),
      { numRuns: 200 },
    )
    expect(parseReturnTarget(`/${'%20'.repeat(1000)}`, ORIGIN)).to.equal(null)
    expect(parseReturnTarget(`/${'a'.repeat(3000)}`, ORIGIN)).to.not.equal(null)
  })

  it('refuses or keeps home every form of the corpus', () => {
    for (const target of redirectCorpus(ORIGIN)) {
      const url = parseReturnTarget(target, ORIGIN)
      if (url) expect(url.origin, target).to.equal(ORIGIN)
      expect(new URL(defaultRedirect(null)({ url: target, baseUrl: ORIGIN })).origin, target).to.equal(ORIGIN)
    }
  })

  it('keeps paths, queries and fragments as they are', () => {
    for (const [given, expected] of [
      ['/', `${ORIGIN}/`],
      ['/a/b?c=d#e', `${ORIGIN}/a/b?c=d#e`],
      [ORIGIN, ORIGIN],
      [`${ORIGIN}/`, `${ORIGIN}/`],
      ['HTTPS://APP.EXAMPLE:443/x', `${ORIGIN}/x`],
    ] as const) {
      expect(defaultRedirect(null)({ url: given, baseUrl: ORIGIN })).to.equal(expected)
    }
  })
})

describe('parseTarget', () => {
  it('gives web addresses of any host, never another scheme or user (property)', () => {
    fc.assert(
      fc.property(tricky, (value) => {
        const url = parseTarget(value, ORIGIN)
        if (url) expect([/^https?:$/.test(url.protocol), url.username, url.password]).to.deep.equal([true, '', ''])
      }),
      { numRuns: 2000 },
    )
    expect(parseTarget('https://other.example/x', ORIGIN)?.href).to.equal('https://other.example/x')
    expect(parseTarget('https://a:b@other.example', ORIGIN)).to.equal(null)
  })

  it('has one text: an origin alone has no slash where none was given', () => {
    expect(formatTarget(new URL(ORIGIN), ORIGIN)).to.equal(ORIGIN)
    expect(formatTarget(new URL('/', ORIGIN), '/')).to.equal(`${ORIGIN}/`)
  })
})
