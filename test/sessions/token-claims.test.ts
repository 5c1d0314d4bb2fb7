import { decode } from '@auth/core/jwt'
import { expect } from 'chai'
import type { JWT } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { forgeBytes } from '../support/tokens.js'

const DAY = 24 * 60 * 60

/** Claims as Auth.js writes them, as JSON text, with others in their place. */
function textWith(changes: Record<string, string | undefined>, seconds: number): string {
  const written = {
    name: '"Ada"',
    sub: '"1815"',
    iat: `${seconds - 60}`,
    exp: `${seconds + DAY}`,
    jti: JSON.stringify(crypto.randomUUID()),
    ...changes,
  }
  const members = Object.entries(written).filter(([, value]) => value !== undefined)
  return `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}

/** What Auth.js never writes. */
const NEVER_WRITTEN: Record<string, (seconds: number) => Record<string, string | undefined>> = {
  'an end that is infinite': () => ({ exp: '1e999' }),
  'an end that no date can have': () => ({ exp: '8640000000001' }),
  'an end far beyond all dates': () => ({ exp: '1e300' }),
  'an end before all dates': () => ({ exp: '-1e999' }),
  'no end': () => ({ exp: undefined }),
  'an end that is null': () => ({ exp: 'null' }),
  'an end that is a text': (seconds) => ({ exp: `"${seconds + DAY}"` }),
  'an end that is a list': (seconds) => ({ exp: `[${seconds + DAY}]` }),
  'no beginning': () => ({ iat: undefined }),
  'a beginning that is a text': (seconds) => ({ iat: `"${seconds}"` }),
  'a beginning that is infinite': () => ({ iat: '-1e999' }),
  'no id': () => ({ jti: undefined }),
  'an id that is a number': () => ({ jti: '7' }),
  'an empty id': () => ({ jti: '""' }),
  'a time from which on it is good that is infinite': () => ({ nbf: '-1e999' }),
}

describe('TOK-03: a session token with', () => {
  for (const [what, change] of Object.entries(NEVER_WRITTEN)) {
    it(`${what} is no session, and no fault`, async () => {
      const { browser, clock, log, engine, origin } = openTestApp()
      const ada = browser()
      ada.plant(SESSION, await forgeBytes(textWith(change(clock.seconds), clock.seconds)))
      const before = ada.cookieHeader()
      const answer = await ada.get('/auth/session')
      expect([answer.status, answer.json()]).to.deep.equal([200, null])
      expect(sessionCookies(answer).map(({ maxAge }) => maxAge)).to.deep.equal([0])
      expect((await engine.readSession(requestContext(before, origin))).session).to.equal(null)
      expect(log.errors).to.deep.equal([])
    })
  }

  it('a beginning that is to come is no session, and is left to processes whose clock is ahead', async () => {
    const { browser, clock } = openTestApp()
    const ada = browser()
    ada.plant(SESSION, await forgeBytes(textWith({ iat: `${clock.seconds + 61}` }, clock.seconds)))
    const answer = await ada.get('/auth/session')
    expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([200, null, []])
    clock.advance(1)
    expect(await ada.session()).not.to.equal(null)
  })

  for (const [what, change] of Object.entries({
    'what Auth.js writes': () => ({}),
    'a beginning that is to come, within the tolerance': (seconds: number) => ({ iat: `${seconds + 60}` }),
    'times in fractions of seconds': (seconds: number) => ({ iat: `${seconds - 0.5}`, exp: `${seconds + 60.5}` }),
  })) {
    it(`${what} is a session`, async () => {
      const { browser, clock } = openTestApp()
      const ada = browser()
      ada.plant(SESSION, await forgeBytes(textWith(change(clock.seconds), clock.seconds)))
      expect((await ada.session())?.user?.name).to.equal('Ada')
    })
  }

  it('no end or no beginning was a session for Auth.js, which never writes such a token', async () => {
    const seconds = Math.floor(Date.now() / 1000)
    for (const changes of [{ exp: undefined }, { iat: undefined }, { iat: `${seconds + 9999}` }, { exp: '1e999' }]) {
      const token = await forgeBytes(textWith(changes, seconds))
      expect(await decode({ token, secret: SECRET, salt: SESSION })).to.include({ sub: '1815' })
    }
  })
})

describe('a decode of the application that gives', () => {
  const given = (claims: (seconds: number) => unknown) => {
    const testApp = openTestApp({ jwt: { encode: () => 'any', decode: () => claims(testApp.clock.seconds) as JWT } })
    const ada = testApp.browser()
    ada.plant(SESSION, 'any')
    return { ...testApp, ada }
  }

  for (const exp of [Number.POSITIVE_INFINITY, Number.NaN, 1e300, -1e300, 'soon', null, [], new Date()]) {
    it(`${typeof exp === 'object' ? JSON.stringify(exp) : exp} for an end says that there is no session, and never fails`, async () => {
      const { ada, log } = given(() => ({ sub: '1', exp }))
      const answer = await ada.get('/auth/session')
      expect([answer.status, answer.json()]).to.deep.equal([200, null])
      expect(log.errors).to.deep.equal([])
    })
  }

  it('an end that has come says that there is no session (SESS-03)', async () => {
    expect(await given((seconds) => ({ sub: '1', exp: seconds - 15 })).ada.session()).to.equal(null)
    expect(await given((seconds) => ({ sub: '1', exp: seconds - 14 })).ada.session()).not.to.equal(null)
  })

  it('no end, no beginning and no id is believed: these rules are its own', async () => {
    expect(await given(() => ({ sub: '1' })).ada.session()).not.to.equal(null)
    expect(await given((seconds) => ({ sub: '1', iat: seconds + 9999 })).ada.session()).not.to.equal(null)
  })

  for (const value of ['a text', 7, true, [], ['sub'], new Date(0), new Error('refused'), () => ({ sub: '1' })]) {
    it(`${Object.prototype.toString.call(value)} fails: that is neither a session nor a sign-out`, async () => {
      const { ada, log } = given(() => value)
      const answer = await ada.get('/auth/session')
      expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
      expect(log.errors.map(({ name }) => name)).to.deep.equal(['JWTSessionError'])
    })
  }
})
