import { expect } from 'chai'
import fc from 'fast-check'
import { JWTSessionError } from '../../lib/errors.js'
import { type CookieChange, cookieSpecs, serializeCookie } from '../../lib/http/cookies.js'
import { parseCookies } from '../../lib/http/request-cookies.js'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from '../../lib/http/session-cookie.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'

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
  it('is whole up to 3936 characters', () => {
    expect(lengths(written(new Map(), text(PIECE)))).to.deep.equal([[SESSION, PIECE]])
  })

  it('is cut into pieces of exactly 3936 characters beyond, without the unsuffixed cookie', () => {
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

  it('fits into 4096 bytes with its name and every attribute, piece by piece', () => {
    const secure = cookieSpecs(true, { sessionToken: { options: { domain: 'accounts.app.example' } } }).sessionToken
    for (const change of writeSessionCookie(new Map(), secure, text(9000), { expires })) {
      const [pair = ''] = serializeCookie(change).split(';', 1)
      expect(Buffer.byteLength(pair)).to.be.at.most(4096)
      expect(serializeCookie(change)).to.match(
        /; Domain=accounts\.app\.example; Path=\/; Expires=Wed, 01 Jan 2031 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax$/,
      )
    }
  })

  it('loses its stale pieces when it shrinks, and the whole one when it grows', () => {
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

  it('is deleted with the attributes that it was set with', () => {
    const { sessionToken } = cookieSpecs(true, {
      sessionToken: { options: { domain: 'app.example', path: '/inner', sameSite: 'strict' } },
    })
    const [set] = writeSessionCookie(new Map(), sessionToken, 'x', { expires })
    const [cleared] = clearSessionCookie(new Map([[sessionToken.name, 'x']]), sessionToken)
    const { expires: _, ...kept } = set?.options ?? {}
    expect(cleared?.options).to.deep.equal({ ...kept, maxAge: 0 })
    expect(cleared?.value).to.equal('')
  })

  it('reads pieces in the order of their numbers', () => {
    const pieces = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`${SESSION}.${n}`, text(2, String.fromCharCode(97 + n))]).reverse(),
    )
    expect(readSessionCookie(jarOf(pieces), spec)).to.equal('aabbccddeeffgghhiijjkkll')
  })

  it('prefers the whole cookie over pieces', () => {
    expect(readSessionCookie(jarOf({ [`${SESSION}.0`]: 'old', [SESSION]: 'new' }), spec)).to.equal('new')
    expect(readSessionCookie(jarOf({ [`${SESSION}.0`]: 'pieces', [SESSION]: '' }), spec)).to.equal('pieces')
  })

  it('ends with the first piece that is shorter: what follows is left from a longer value', () => {
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
    it(`takes ${JSON.stringify(`name${suffix}`)} for no piece, and leaves it alone`, () => {
      const jar = jarOf({ [SESSION + suffix]: 'stranger' })
      expect(readSessionCookie(jar, spec)).to.equal(undefined)
      expect(clearSessionCookie(jar, spec)).to.deep.equal([])
      expect(lengths(written(jar, 'x'))).to.deep.equal([[SESSION, 1]])
    })
  }

  it('comes back as it was written, whatever was there before', () => {
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

  it('survives the Cookie header', () => {
    const jar = applied(new Map(), written(new Map(), text(9000)))
    const header = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    expect(readSessionCookie(parseCookies(header), spec)).to.equal(text(9000))
  })

  it('refuses a value that no later request could carry, and says what to do', () => {
    expect(() => written(new Map(), text(16 * 1024))).to.throw(JWTSessionError, /16384 characters.*jwt callback/)
  })
})

describe('a session of many kilobytes', () => {
  const heavy = (characters: number) => ({
    callbacks: {
      jwt: ({ token, trigger, session }: { token: object; trigger?: string; session?: { weight: number } }) => ({
        ...token,
        ...(trigger === 'signIn' && { weight: 'w'.repeat(characters) }),
        ...(trigger === 'update' && { weight: 'w'.repeat(session?.weight ?? 0) }),
      }),
    },
  })

  it('is kept in pieces, read, shrunk, grown and signed out without leaving anything behind', async () => {
    const { signedIn } = openTestApp(heavy(6000))
    const ada = await signedIn()
    const names = (count: number) => Array.from({ length: count }, (_, number) => `${SESSION}.${number}`)
    expect(ada.sessionNames()).to.deep.equal(names(3))
    expect((await ada.session())?.user?.name).to.equal('Ada')
    await ada.update({ weight: 3000 })
    expect(ada.sessionNames()).to.deep.equal(names(2))
    await ada.update({ weight: 10 })
    expect(ada.sessionNames()).to.deep.equal([SESSION])
    await ada.update({ weight: 6000 })
    expect(ada.sessionNames()).to.deep.equal(names(3))
    expect((await ada.session())?.user?.name).to.equal('Ada')
    await ada.signOut()
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('that no request could carry is refused: a clear error, and no session', async () => {
    const { browser, log } = openTestApp(heavy(12_000))
    const ada = browser()
    const answer = await ada.signIn()
    expect(answer.location).to.equal('http://app.example/auth/error?error=Configuration')
    expect(ada.sessionNames()).to.deep.equal([])
    expect(log.errors[0]).to.be.instanceOf(JWTSessionError)
    expect(log.errors[0]?.message).to.match(/at most \d+ fit into a request.*Keep less in the token/)
  })

  it('that grows too large in an update leaves the session as it was', async () => {
    const { signedIn } = openTestApp(heavy(10))
    const ada = await signedIn()
    const answer = await ada.update({ weight: 12_000 })
    expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('survives a tab that wrote fewer pieces while another wrote more', async () => {
    const { signedIn } = openTestApp(heavy(3000))
    const ada = await signedIn()
    const grown = ada.copy()
    await grown.update({ weight: 6000 })
    await ada.update({ weight: 3000 })
    ada.plant(`${SESSION}.2`, grown.jar.get(`${SESSION}.2`)?.value ?? '')
    expect(ada.sessionNames()).to.have.length(3)
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })
})

describe('cookies beside the session cookie', () => {
  it('do not sign anyone out, whatever their names begin with', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const before = await ada.session()
    for (const suffix of ['-other', '.old', '.0x', 'X']) ada.plant(SESSION + suffix, 'anything')
    const answer = await ada.get('/auth/session')
    expect(answer.json()).to.deep.equal(before)
    expect(answer.setCookies).to.deep.equal([])
  })

  it('are deleted when they are pieces beside a whole cookie', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    ada.plant(`${SESSION}.0`, 'left from before')
    const answer = await ada.get('/auth/session')
    expect(answer.json().user.name).to.equal('Ada')
    expect(sessionCookies(answer).map(({ name, maxAge }) => [name, maxAge])).to.deep.equal([[`${SESSION}.0`, 0]])
    expect(ada.sessionNames()).to.deep.equal([SESSION])
  })

  it('of the same name do not count: the first is used, at every request', async () => {
    const { signedIn, engine, origin } = openTestApp()
    const ada = await signedIn()
    const header = ada.cookieHeader()
    const good = await engine.renewSession(requestContext(`${header}; ${SESSION}=planted`, origin))
    expect(good.session?.user?.name).to.equal('Ada')
    expect((await engine.renewSession(requestContext(`${SESSION}=planted; ${header}`, origin))).session).to.equal(null)
  })

  it('without the prefix never stand in for a __Secure- one', async () => {
    const { browser } = openTestApp({}, { origin: 'https://app.example' })
    const plain = await openTestApp().signedIn()
    const victim = browser()
    victim.plant(SESSION, plain.jar.get(SESSION)?.value ?? '')
    expect(await victim.session()).to.equal(null)
    await victim.signIn()
    const held = victim.jar.get(`__Secure-${SESSION}`)?.value ?? ''
    expect((await claimsOf(held, { salt: `__Secure-${SESSION}` })).sub).to.equal('1815')
    victim.plant(SESSION, 'planted')
    expect((await victim.session())?.user?.name).to.equal('Ada')
  })
})
