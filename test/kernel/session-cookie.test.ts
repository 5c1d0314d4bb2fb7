import { expect } from 'chai'
import fc from 'fast-check'
import { type CookieChange, serializeCookie } from '../../lib/kernel/cookies.js'
import { JWTSessionError } from '../../lib/kernel/errors.js'
import { parseCookies } from '../../lib/kernel/request-cookies.js'
import {
  clearSessionCookie,
  readSessionCookie,
  requireRoomInCookie,
  writeSessionCookie,
} from '../../lib/sessions/session-cookie.js'
import { cookieSpecs } from '../support/cookie-specs.js'
import { SESSION } from '../support/test-app.js'

const spec = cookieSpecs(false).sessionToken
const expires = new Date('2031-01-01T00:00:00Z')
const PIECE = 3936

const jarOf = (cookies: Record<string, string>) => new Map(Object.entries(cookies))
const text = (length: number, letter = 'a') => letter.repeat(length)
const written = (cookies: ReadonlyMap<string, string>, value: string) =>
  writeSessionCookie(cookies, spec, value, { expires })

/** A jar after an answer. */
function applied(jar: ReadonlyMap<string, string>, changes: readonly CookieChange[]) {
  const next = new Map(jar)
  for (const { name, value, options } of changes) {
    if (options.maxAge === 0) next.delete(name)
    else next.set(name, value)
  }
  return next
}

const lengths = (changes: readonly CookieChange[]) => changes.map(({ name, value }) => [name, value.length])

describe('the session cookie', () => {
  it('is one cookie up to 3936 characters', () => {
    expect(lengths(written(new Map(), text(PIECE)))).to.deep.equal([[SESSION, PIECE]])
  })

  it('consists of pieces of exactly 3936 characters if it is longer, without the cookie that has no suffix (COOKIE-05)', () => {
    expect(lengths(written(new Map(), text(PIECE + 1)))).to.deep.equal([
      [`${SESSION}.0`, PIECE],
      [`${SESSION}.1`, 1],
    ])
    expect(lengths(written(new Map(), text(3 * PIECE)))).to.deep.equal([
      [`${SESSION}.0`, PIECE],
      [`${SESSION}.1`, PIECE],
      [`${SESSION}.2`, PIECE],
    ])
  })

  it('fits into 4096 bytes with its name, piece by piece, and each piece has every attribute (COOKIE-05)', () => {
    const secure = cookieSpecs(true, { sessionToken: { options: { domain: 'accounts.app.example' } } }).sessionToken
    for (const change of writeSessionCookie(new Map(), secure, text(9000), { expires })) {
      const [pair = ''] = serializeCookie(change).split(';', 1)
      expect(Buffer.byteLength(pair)).to.be.at.most(4096)
      expect(serializeCookie(change)).to.match(
        /; Domain=accounts\.app\.example; Path=\/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax$/,
      )
    }
  })

  it('deletes pieces that are left over when it shrinks, and the cookie without a suffix when it grows (COOKIE-05)', () => {
    const three = applied(new Map(), written(new Map(), text(9000)))
    const two = written(three, text(5000))
    expect(lengths(two)).to.deep.equal([
      [`${SESSION}.2`, 0],
      [`${SESSION}.0`, PIECE],
      [`${SESSION}.1`, 5000 - PIECE],
    ])
    const one = written(applied(three, two), text(10))
    expect([...applied(applied(three, two), one).keys()]).to.deep.equal([SESSION])
    const again = written(new Map([[SESSION, text(10)]]), text(5000))
    expect(lengths(again)[0]).to.deep.equal([SESSION, 0])
    expect(again[0]?.options.maxAge).to.equal(0)
  })

  it('is read from its pieces in the order of their numbers', () => {
    const pieces = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`${SESSION}.${n}`, text(2, String.fromCharCode(97 + n))]).reverse(),
    )
    expect(readSessionCookie(jarOf(pieces), spec)).to.equal('aabbccddeeffgghhiijjkkll')
  })

  it('is the cookie without a suffix, if there is one beside pieces', () => {
    expect(readSessionCookie(jarOf({ [`${SESSION}.0`]: 'old', [SESSION]: 'new' }), spec)).to.equal('new')
    expect(readSessionCookie(jarOf({ [`${SESSION}.0`]: 'pieces', [SESSION]: '' }), spec)).to.equal('pieces')
  })

  it('ends with the first piece that is shorter: later pieces are left from a longer value', () => {
    const jar = jarOf({ [`${SESSION}.0`]: text(PIECE), [`${SESSION}.1`]: text(9, 'b'), [`${SESSION}.2`]: text(7, 'c') })
    expect(readSessionCookie(jar, spec)).to.equal(text(PIECE) + text(9, 'b'))
  })

  const STRANGERS = [
    '-other',
    '.old',
    '.',
    '.0.1',
    '.-1',
    '.1e1',
    '.00',
    '.007',
    '.100',
    '0',
    '_0',
    '.٣',
    '.0 ',
    '.constructor',
  ]
  for (const suffix of STRANGERS) {
    it(`has no piece of the name ${JSON.stringify(`name${suffix}`)}, and leaves such a cookie alone (COOKIE-09)`, () => {
      const jar = jarOf({ [SESSION + suffix]: 'stranger' })
      expect(readSessionCookie(jar, spec)).to.equal(undefined)
      expect(clearSessionCookie(jar, spec)).to.deep.equal([])
      expect(lengths(written(jar, 'x'))).to.deep.equal([[SESSION, 1]])
    })
  }

  it('is read as it was written, whatever was there before', () => {
    const value = fc.integer({ min: 1, max: 13_000 }).map((length) => text(length, 'v'))
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
        let jar: ReadonlyMap<string, string> = new Map()
        for (const next of values) {
          jar = applied(jar, written(jar, next))
          expect(readSessionCookie(jar, spec)).to.equal(next)
        }
        expect(applied(jar, clearSessionCookie(jar, spec)).size).to.equal(0)
      }),
    )
  })

  it('is read from a Cookie header', () => {
    const jar = applied(new Map(), written(new Map(), text(9000)))
    const header = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    expect(readSessionCookie(parseCookies(header), spec)).to.equal(text(9000))
  })

  it('is refused if no later request could carry it, and the error says what to do (COOKIE-06)', () => {
    expect(() => requireRoomInCookie(text(16 * 1024))).to.throw(JWTSessionError, /16384 characters.*jwt callback/)
  })
})
