import { decode } from '@auth/core/jwt'
import { expect } from 'chai'
import type { AuthConfig, JWT } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'
import { forge } from '../support/tokens.js'

const DAY = 24 * 60 * 60
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** All that a session token holds, as another reader of the cookie sees it. */
const contentOf = async ({ jar, clock }: TestBrowser): Promise<JWT> => {
  const real = Date.now
  const token = jar.get(SESSION)?.value ?? ''
  try {
    Date.now = clock.now
    return (await decode({ token, secret: SECRET, salt: SESSION })) ?? {}
  } finally {
    Date.now = real
  }
}

describe('the claim of a session token that is ours', () => {
  it('has an id of the session and the time of the sign-in, beside what Auth.js writes', async () => {
    const { signedIn, clock } = openTestApp()
    const ada = await signedIn()
    const { latchkey, jti, ...claims } = await contentOf(ada)
    expect(claims).to.deep.equal({
      name: 'Ada',
      email: 'ada@example.com',
      picture: null,
      sub: '1815',
      iat: clock.seconds,
      exp: clock.seconds + 30 * DAY,
    })
    expect(jti).to.match(UUID)
    expect(latchkey).to.have.property('authenticatedAt', clock.ms)
    expect(latchkey)
      .to.have.property('id')
      .that.matches(/^[\w-]{22}$/)
  })

  it('stays through extensions, updates and rewriting, and the id of the token does not', async () => {
    let reads = 0
    const { signedIn, clock } = openTestApp({
      // A callback that gives a fresh object loses nothing that is ours.
      callbacks: { jwt: ({ token: { sub, name } }) => ({ sub: sub ?? '', name, reads: ++reads }) },
    })
    const ada = await signedIn()
    const first = await contentOf(ada)
    const ids = new Set([first.jti])
    for (const _ of [1, 2, 3]) {
      clock.advance(2 * DAY)
      await ada.session()
      await ada.update({})
      await ada.update({})
      const { latchkey, jti } = await contentOf(ada)
      expect(latchkey).to.deep.equal(first['latchkey'])
      ids.add(jti)
    }
    expect(ids.size).to.equal(4)
  })

  it('is new with each sign-in', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const first = await contentOf(ada)
    await ada.signIn()
    expect((await contentOf(ada))['latchkey']).not.to.deep.equal(first['latchkey'])
  })

  it('is shown to no callback and no event', async () => {
    const shown: unknown[] = []
    const note = (message: object) => void shown.push(structuredClone(message))
    const { signedIn, clock } = openTestApp({
      callbacks: {
        jwt(params) {
          note(params)
          return { ...params.token, nested: { deep: [1] } }
        },
        session(params) {
          note(params)
          return params.session
        },
      },
      events: { session: note, signOut: note, signIn: note },
    })
    const ada = await signedIn()
    await ada.session()
    clock.advance(DAY)
    await ada.session()
    await ada.update({})
    await ada.update({})
    await ada.session()
    await ada.update({})
    clock.advance(DAY)
    await ada.session()
    await ada.update({})
    await ada.signOut()
    expect(shown.length).to.be.greaterThan(8)
    expect(JSON.stringify(shown)).not.to.contain('latchkey')
    expect(JSON.stringify(shown)).not.to.contain('authenticatedAt')
  })

  it("is nobody else's to write: one that the jwt callback gives is put aside, and changes nothing", async () => {
    const { signedIn, engine, origin, clock } = openTestApp({
      callbacks: { jwt: ({ token }) => ({ ...token, latchkey: { id: 'chosen', authenticatedAt: 9e15 } }) },
    })
    const ada = await signedIn()
    const began = clock.ms
    expect((await contentOf(ada))['latchkey']).to.include({ authenticatedAt: began })
    clock.advance(60)
    expect((await ada.get('/auth/session')).setCookies).to.deep.equal([])
    await ada.update({})
    const { latchkey } = await contentOf(ada)
    expect(latchkey).to.include({ authenticatedAt: began })
    expect(latchkey).not.to.include({ id: 'chosen' })
    expect((await engine.renewSession(requestContext(ada.cookieHeader(), origin))).authenticatedAt).to.equal(began)
  })

  it('is part of the token for an encode of the application, and good when its decode gives it back', async () => {
    const encoded: JWT[] = []
    const jwt: AuthConfig['jwt'] = {
      encode({ token = {} }) {
        encoded.push(token)
        return Buffer.from(JSON.stringify(token)).toString('base64url')
      },
      decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
    }
    const { signedIn, engine, origin, clock } = openTestApp({ jwt })
    const ada = await signedIn()
    const thief = ada.copy()
    await thief.update({})
    expect(encoded.map(({ latchkey }) => latchkey)).to.deep.equal([encoded[0]?.['latchkey'], encoded[0]?.['latchkey']])
    expect((await engine.renewSession(requestContext(thief.cookieHeader(), origin))).authenticatedAt).to.equal(clock.ms)
    await ada.signOut()
    expect(await thief.session()).to.equal(null)
  })

  it('may get lost in an encode of the application: then a sign-out ends the copies of the one form', async () => {
    const { signedIn } = openTestApp({
      jwt: {
        encode: ({ token }) => Buffer.from(JSON.stringify({ ...token, latchkey: undefined })).toString('base64url'),
        decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
      },
    })
    const ada = await signedIn()
    const thief = ada.copy()
    expect(await thief.session()).not.to.equal(null)
    await ada.signOut()
    expect(await thief.session()).to.equal(null)
  })

  it('is taken for absent when it is not as we write it', async () => {
    const { browser, clock, engine, origin } = openTestApp()
    const times = { iat: clock.seconds, exp: clock.seconds + DAY, jti: crypto.randomUUID() }
    for (const latchkey of [null, 'text', [], {}, { id: 7 }, { id: '' }, { id: 'x'.repeat(500), authenticatedAt: 5 }]) {
      const ada = browser()
      ada.plant(SESSION, await forge({ sub: '1', ...times, latchkey }))
      const { session, authenticatedAt } = await engine.renewSession(requestContext(ada.cookieHeader(), origin))
      expect(session, JSON.stringify(latchkey)).not.to.equal(null)
      expect(authenticatedAt, JSON.stringify(latchkey)).to.equal(null)
    }
  })

  it('was in the jti of Latchkey 0.1.0: the time of the sign-in is read from there', async () => {
    const { browser, clock, engine, origin } = openTestApp()
    const ada = browser()
    const began = clock.ms - 1234
    const hex = began.toString(16).padStart(12, '0')
    const jti = `${hex.slice(0, 8)}-${hex.slice(8)}-8123-9123-0123456789ab`
    ada.plant(SESSION, await forge({ sub: '1', iat: clock.seconds, exp: clock.seconds + DAY, jti }))
    expect((await engine.renewSession(requestContext(ada.cookieHeader(), origin))).authenticatedAt).to.equal(began)
    await ada.update({})
    expect((await contentOf(ada))['latchkey']).to.include({ id: jti, authenticatedAt: began })
  })
})
