import { expect } from 'chai'
import type { AuthConfig, JWTDecodeParams, JWTEncodeParams } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { endOf, openTestApp, SESSION, type TestAppOptions } from '../support/test-app.js'

const DAY = 24 * 60 * 60

/** A codec of the application: JSON in base64url, so that the tests can look inside. */
function openCodec() {
  const encoded: JWTEncodeParams[] = []
  const decoded: JWTDecodeParams[] = []
  const jwt: NonNullable<AuthConfig['jwt']> = {
    encode(params) {
      encoded.push(params)
      return Buffer.from(JSON.stringify({ ...params.token, lives: params.maxAge })).toString('base64url')
    },
    decode(params) {
      decoded.push(params)
      return JSON.parse(Buffer.from(params.token ?? '', 'base64url').toString())
    },
  }
  return { encoded, decoded, jwt }
}

describe('jwt.encode and jwt.decode of the application', () => {
  it('are given exactly the token, the secret, the lifetime and the name of the cookie', async () => {
    const { encoded, decoded, jwt } = openCodec()
    const { signedIn } = openTestApp({ jwt, session: { maxAge: 3600 } })
    const ada = await signedIn()
    const shown = ada.jar.get(SESSION)?.value
    await ada.session()
    const token = { name: 'Ada', email: 'ada@example.com', picture: null, sub: '1815' }
    const { latchkey, ...claims } = encoded[0]?.token ?? {}
    expect({ ...encoded[0], token: claims }).to.deep.equal({ token, secret: SECRET, maxAge: 3600, salt: SESSION })
    expect(latchkey, 'and our own claim').to.have.all.keys('id', 'authenticatedAt')
    expect(decoded[0]).to.deep.equal({
      token: shown,
      secret: SECRET,
      maxAge: 3600,
      salt: SESSION,
    })
  })

  const SECRETS: Record<string, { options: Partial<AuthConfig>; testApp?: TestAppOptions; secret: unknown }> = {
    'a text': { options: { secret: SECRET }, secret: SECRET },
    'a list': { options: { secret: [SECRET, 'old'] }, secret: [SECRET, 'old'] },
    'a list of one': { options: { secret: [SECRET] }, secret: [SECRET] },
    'jwt.secret': { options: { jwt: { secret: 'of its own' } }, secret: 'of its own' },
    'the environment': { options: { secret: [] }, testApp: { env: { AUTH_SECRET: SECRET } }, secret: SECRET },
  }
  for (const [name, { options, testApp, secret }] of Object.entries(SECRETS)) {
    it(`are given the secret as it was configured: ${name}`, async () => {
      const { encoded, jwt } = openCodec()
      await openTestApp({ ...options, jwt: { ...jwt, ...options.jwt } }, testApp).signedIn()
      expect(encoded[0]?.secret).to.deep.equal(secret)
    })
  }

  it('are given the name of the cookie as salt: of https, and of the application', async () => {
    const { encoded, jwt } = openCodec()
    await openTestApp({ jwt }, { origin: 'https://app.example' }).signedIn()
    await openTestApp({ jwt, cookies: { sessionToken: { name: 'sid' } } }).signedIn()
    expect(encoded.map(({ salt }) => salt)).to.deep.equal([`__Secure-${SESSION}`, 'sid'])
  })

  it('are given what is left of the lifetime when claims change between extensions', async () => {
    const { encoded, jwt } = openCodec()
    let reads = 0
    const { clock, signedIn } = openTestApp({
      jwt: { ...jwt, decode: async (params) => ({ ...(await jwt.decode?.(params)), exp: end }) },
      callbacks: { jwt: ({ token }) => ({ ...token, reads: ++reads }) },
      session: { maxAge: 3600, updateAge: 1800 },
    })
    const end = clock.seconds + 3600
    const ada = await signedIn()
    clock.advance(600)
    expect(endOf(await ada.session())).to.equal(end)
    expect(encoded.map(({ maxAge }) => maxAge)).to.deep.equal([3600, 3000])
  })

  it('replace the built-in ones for the session only: the forms and the pages still work', async () => {
    const { jwt } = openCodec()
    const { signedIn } = openTestApp({ jwt })
    const ada = await signedIn()
    expect((await ada.get('/auth/signin')).status).to.equal(200)
    expect((await ada.update({})).json().user.name).to.equal('Ada')
    await ada.signOut()
    expect(await ada.session()).to.equal(null)
  })

  it('may say that there is no session; the cookie is left alone, since another process may open it', async () => {
    const { jwt } = openCodec()
    const { browser } = openTestApp({ jwt: { ...jwt, decode: () => null } })
    const ada = browser()
    await ada.signIn()
    expect(await ada.session()).to.equal(null)
    expect(ada.sessionNames()).to.deep.equal([SESSION])
    // What the decode said counts at a sign-out as well: there was no session to be ended.
    expect((await ada.signOut()).location).to.equal('http://app.example')
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('may throw: that is a fault, answered with 503, and the cookie is kept', async () => {
    const { jwt } = openCodec()
    let isDown = false
    const { signedIn, log } = openTestApp({
      jwt: {
        ...jwt,
        decode(params) {
          if (isDown) throw new Error('the key store is down')
          return jwt.decode?.(params) ?? null
        },
      },
    })
    const ada = await signedIn()
    isDown = true
    const answer = await ada.get('/auth/session')
    expect([answer.status, answer.json(), answer.setCookies]).to.deep.equal([503, null, []])
    isDown = false
    expect((await ada.session())?.user?.name).to.equal('Ada')
    expect(log.errors).to.have.length(1)
  })

  it('may give a token without exp: the session is shown, and gets an end', async () => {
    const { clock, browser } = openTestApp({
      jwt: { decode: ({ token }) => (token === 'endless' ? { sub: '1', name: 'Ada' } : null) },
    })
    const ada = browser()
    ada.plant(SESSION, 'endless')
    expect(endOf(await ada.session())).to.equal(clock.seconds + 30 * DAY)
    expect(ada.jar.get(SESSION)?.expires?.getTime()).to.equal((clock.seconds + 30 * DAY) * 1000)
  })
})

describe('a jwt.decode that throws', () => {
  const throwing = (error: Error) =>
    openTestApp({ jwt: { encode: ({ token }) => JSON.stringify(token), decode: () => Promise.reject(error) } })

  for (const error of [
    Object.assign(new Error('"exp" claim timestamp check failed'), { code: 'ERR_JWT_EXPIRED' }),
    Object.assign(new Error('jwt expired'), { name: 'TokenExpiredError' }),
  ]) {
    it(`says that there is no session when it throws what JWT libraries do: ${error.message}`, async () => {
      const ada = await throwing(error).signedIn()
      const answer = await ada.get('/auth/session')
      expect({ status: answer.status, body: answer.body }).to.deep.equal({ status: 200, body: 'null' })
      expect(ada.sessionNames()).to.deep.equal([SESSION])
    })
  }

  it('is a fault that keeps the cookie when it throws anything else, and signing out deletes the cookie all the same', async () => {
    const ada = await throwing(new Error('the key server is down')).signedIn()
    expect((await ada.get('/auth/session')).status).to.equal(503)
    expect(ada.sessionNames()).to.have.length(1)
    expect((await ada.signOut()).status).to.equal(302)
    expect(ada.sessionNames()).to.deep.equal([])
  })
})
