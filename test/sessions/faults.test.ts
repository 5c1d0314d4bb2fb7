import { expect } from 'chai'
import { type AuthConfig, AuthError, type JWT, JWTSessionError } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'

/** Callbacks that can be switched to another behaviour in the middle of a test. */
function switchable() {
  const now: NonNullable<AuthConfig['callbacks']> = {}
  const callbacks: NonNullable<AuthConfig['callbacks']> = {
    jwt: (params) => (now.jwt ? now.jwt(params) : params.token),
    session: (params) => (now.session ? now.session(params) : params.session),
  }
  return { now, callbacks }
}

const thrower = () => {
  throw new TypeError('the database is down')
}

describe('a jwt callback that gives null', () => {
  it('ends the session and deletes every piece of it', async () => {
    const { now, callbacks } = switchable()
    now.jwt = ({ token }) => ({ ...token, weight: 'x'.repeat(6000) })
    const { signedIn } = openTestApp({ callbacks })
    const ada = await signedIn()
    expect(ada.sessionNames()).to.deep.equal([`${SESSION}.0`, `${SESSION}.1`, `${SESSION}.2`])
    now.jwt = () => null
    const answer = await ada.get('/auth/session')
    expect([answer.status, answer.json()]).to.deep.equal([200, null])
    expect(
      sessionCookies(answer).map(({ name, value, maxAge, path }) => ({ name, value, maxAge, path })),
    ).to.deep.equal([0, 1, 2].map((number) => ({ name: `${SESSION}.${number}`, value: '', maxAge: 0, path: '/' })))
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('at the sign-in means no cookie, and the previous session is deleted', async () => {
    const { now, callbacks } = switchable()
    const { signedIn } = openTestApp({ callbacks })
    const ada = await signedIn()
    now.jwt = () => null
    const answer = await ada.signIn({ ...ADA, callbackUrl: '/next' })
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/next'])
    expect(ada.sessionNames()).to.deep.equal([])
  })
})

describe('a jwt callback that gives an object which says nothing', () => {
  const EMPTY: Record<string, () => JWT> = {
    'no member': () => ({}),
    'nulls and undefined': () => ({ sub: undefined, name: null, email: null, picture: null }) as unknown as JWT,
    'the claims of the token itself': () => ({ iat: 1, exp: 9e9, jti: 'a' }),
    'a claim that is ours': () => ({ latchkey: { id: 'chosen', subject: null, authenticatedAt: 1 } }),
    'a member that it inherits and that is empty': () => Object.create({ name: undefined }),
  }
  for (const [what, give] of Object.entries(EMPTY)) {
    it(`means nobody, as null does: ${what}`, async () => {
      const { now, callbacks } = switchable()
      const { signedIn, browser, engine, origin } = openTestApp({ callbacks })
      const ada = await signedIn()
      now.jwt = give
      expect((await engine.renewSession(requestContext(ada.cookieHeader(), origin))).session).to.equal(null)
      expect(await ada.session()).to.equal(null)
      expect(ada.sessionNames()).to.deep.equal([])
      const stranger = browser()
      await stranger.signIn()
      expect(stranger.sessionNames()).to.deep.equal([])
    })
  }

  it('is somebody with any claim, of the application’s own as well', async () => {
    const { now, callbacks } = switchable()
    const { signedIn } = openTestApp({ callbacks })
    now.jwt = () => ({ accountId: 0 })
    expect(await (await signedIn()).session()).to.have.property('user')
  })
})

for (const name of ['jwt', 'session'] as const) {
  describe(`a ${name} callback that throws`, () => {
    it('is answered with 503 and null; the cookie is kept, and works once the fault is over', async () => {
      const { now, callbacks } = switchable()
      const { signedIn, log } = openTestApp({ callbacks })
      const ada = await signedIn()
      now[name] = thrower
      const answer = await ada.get('/auth/session')
      expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
      expect((await ada.update({ any: 'thing' })).status).to.equal(503)
      delete now[name]
      expect(await ada.session()).not.to.equal(null)
      const [error] = log.errors
      expect(error).to.be.instanceOf(JWTSessionError)
      expect((error as JWTSessionError).cause?.err?.message).to.equal('the database is down')
    })

    it('makes engine.session throw: a fault is never "signed out"', async () => {
      const { now, callbacks } = switchable()
      const { signedIn, engine, origin } = openTestApp({ callbacks })
      const ada = await signedIn()
      Object.assign(now, { [name]: () => Promise.reject(new Error('later')) })
      expect(await failureOf(engine.renewSession(requestContext(ada.cookieHeader(), origin)))).to.be.instanceOf(
        JWTSessionError,
      )
    })

    it('may throw nothing at all, or text: it is a fault all the same', async () => {
      const { now, callbacks } = switchable()
      const { signedIn, engine, origin } = openTestApp({ callbacks })
      const ada = await signedIn()
      for (const thrown of [undefined, null, 'text', 7, {}]) {
        Object.assign(now, {
          [name]: () => {
            throw thrown
          },
        })
        expect(
          await failureOf(engine.renewSession(requestContext(ada.cookieHeader(), origin))),
          String(thrown),
        ).to.be.instanceOf(AuthError)
        expect((await ada.get('/auth/session')).status).to.equal(503)
      }
    })
  })
}

describe('a jwt callback that throws at the sign-in', () => {
  it('signs nobody in, and leaves an existing session alone', async () => {
    const { now, callbacks } = switchable()
    const { signedIn } = openTestApp({ callbacks })
    const ada = await signedIn()
    now.jwt = thrower
    const answer = await ada.signIn()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/auth/error?error=Configuration'])
    expect(sessionCookies(answer)).to.deep.equal([])
    delete now.jwt
    expect(await ada.session()).not.to.equal(null)
  })
})

/** What is no object of claims, and is none of the ways to say that there is no session. */
const NO_CLAIMS: Record<string, () => unknown> = {
  'a text': () => 'signed in',
  'an empty text': () => '',
  true: () => true,
  'a number': () => 7,
  zero: () => 0,
  'a list': () => [{ sub: '1815' }],
  'a date': () => new Date(),
  'an error': () => new Error('revoked'),
  'a function': () => () => ({ sub: '1815' }),
  'a map': () => new Map([['sub', '1815']]),
  'a promise of a text': async () => 'signed in',
}

describe('a jwt callback that gives what is no object', () => {
  for (const [what, give] of Object.entries(NO_CLAIMS)) {
    it(`signs nobody in with ${what}: that is a fault, and an existing session is left alone`, async () => {
      const { now, callbacks } = switchable()
      const { signedIn, browser, log } = openTestApp({ callbacks })
      const ada = await signedIn()
      now.jwt = give as never
      const stranger = browser()
      for (const visitor of [stranger, ada]) {
        const answer = await visitor.signIn()
        expect([answer.status, answer.location]).to.deep.equal([
          302,
          'http://app.example/auth/error?error=Configuration',
        ])
        expect(sessionCookies(answer)).to.deep.equal([])
      }
      expect(log.errors.map(({ name }) => name)).to.deep.equal(['JWTSessionError', 'JWTSessionError'])
      delete now.jwt
      expect([await stranger.session(), (await ada.session())?.user?.name]).to.deep.equal([null, 'Ada'])
    })

    it(`keeps no session with ${what}: that is a fault for every reader, and the cookie stays`, async () => {
      const { now, callbacks } = switchable()
      const { signedIn, engine, origin } = openTestApp({ callbacks })
      const ada = await signedIn()
      now.jwt = give as never
      for (const answer of [await ada.get('/auth/session'), await ada.update({ any: 'thing' })]) {
        expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
      }
      const { sessions } = engine.config.schemeFor(origin)
      const cookies = new Map([[SESSION, ada.jar.get(SESSION)?.value ?? '']])
      for (const read of [sessions.renew, sessions.read, sessions.readPrincipal]) {
        const reading: Promise<unknown> = (async () => read(requestContext(cookies)))()
        expect(await failureOf(reading)).to.be.instanceOf(JWTSessionError)
      }
    })
  }

  for (const nothing of [null, undefined, false]) {
    it(`ends the session with ${nothing}, as before`, async () => {
      const { now, callbacks } = switchable()
      const { signedIn } = openTestApp({ callbacks })
      const ada = await signedIn()
      now.jwt = () => nothing as never
      const answer = await ada.get('/auth/session')
      expect([answer.status, answer.json(), ada.sessionNames()]).to.deep.equal([200, null, []])
      expect((await ada.signIn()).location).to.equal('http://app.example')
      expect(ada.sessionNames()).to.deep.equal([])
    })
  }

  for (const [what, make] of Object.entries({
    'without a prototype': () => Object.assign(Object.create(null), { sub: '1815', name: 'Ada' }),
    'of a class': () => Object.assign(new (class Claims {})(), { sub: '1815', name: 'Ada' }),
  })) {
    it(`is no fault with an object ${what}`, async () => {
      const { signedIn } = openTestApp({ callbacks: { jwt: make as () => JWT } })
      expect((await (await signedIn()).session())?.user?.name).to.equal('Ada')
    })
  }
})

describe('a session callback that gives null', () => {
  it('shows no session, and keeps the cookie', async () => {
    const { now, callbacks } = switchable()
    const { signedIn } = openTestApp({ callbacks })
    const ada = await signedIn()
    now.session = () => null
    const answer = await ada.get('/auth/session')
    expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([200, null, []])
    delete now.session
    expect(await ada.session()).not.to.equal(null)
  })
})

describe('a session event that throws', () => {
  it('is logged and changes nothing', async () => {
    const { signedIn, log, engine, origin } = openTestApp({ events: { session: thrower } })
    const ada = await signedIn()
    const answer = await ada.get('/auth/session')
    expect([answer.status, answer.json().user.name]).to.deep.equal([200, 'Ada'])
    expect((await engine.renewSession(requestContext(ada.cookieHeader(), origin))).session?.user?.name).to.equal('Ada')
    expect(log.errors.map(({ name }) => name)).to.deep.equal(['EventError', 'EventError'])
  })
})

describe('a session that is read many times at once', () => {
  it('is extended, and every answer says the same', async () => {
    const { clock, signedIn, engine, origin } = openTestApp()
    const ada = await signedIn()
    clock.advance(2 * 24 * 60 * 60)
    const header = ada.cookieHeader()
    const lookups = await Promise.all(
      Array.from({ length: 100 }, () => engine.renewSession(requestContext(header, origin))),
    )
    expect(new Set(lookups.map(({ session }) => session?.expires)).size).to.equal(1)
    expect(lookups.every(({ session }) => session?.user?.name === 'Ada')).to.equal(true)
  })
})
