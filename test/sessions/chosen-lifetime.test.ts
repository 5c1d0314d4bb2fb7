import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { choiceOf, choiceText, tokenWithChoice } from '../../lib/sessions/stored-token.js'
import { ADA } from '../support/app.js'
import { endOf, openTestApp, SESSION, type TestApp, whoIs } from '../support/test-app.js'
import { allClaimsOf } from '../support/tokens.js'

const HOUR = 60 * 60

const givingBack = (result: unknown, more: Partial<AuthConfig> = {}): TestApp =>
  openTestApp({ callbacks: { signIn: () => result as never }, ...more })

describe('the lifetime that the signIn callback chooses', () => {
  it('is kept through renewals and updates', async () => {
    const app = givingBack({ session: { maxAge: 2 * HOUR } }, { session: { updateAge: 0 } })
    const ada = await app.signedIn()
    for (let hours = 0; hours < 5; hours += 1) {
      app.clock.advance(HOUR)
      expect(endOf(await ada.session())).to.equal(app.clock.seconds + 2 * HOUR)
    }
    expect(endOf((await ada.update({ a: 1 })).json())).to.equal(app.clock.seconds + 2 * HOUR)
  })

  it('is renewed after half of it, if it is shorter than updateAge', async () => {
    const app = givingBack({ session: { maxAge: 2 * HOUR } })
    const ada = await app.signedIn()
    for (let hours = 0; hours < 5; hours += 1) {
      app.clock.advance(HOUR + 60)
      expect(await whoIs(ada)).to.equal('ada@example.com')
    }
  })

  it('is at most jwt.maxAge for a session in a token', async () => {
    const app = givingBack({ session: { maxAge: 8 * HOUR } }, { jwt: { maxAge: HOUR } })
    expect(endOf(await (await app.signedIn()).session())).to.equal(app.clock.seconds + HOUR)
  })

  it('is not shown to callbacks and clients', async () => {
    const seen: object[] = []
    const app = givingBack(
      { session: { maxAge: HOUR } },
      {
        callbacks: {
          signIn: () => ({ session: { maxAge: HOUR } }),
          jwt: ({ token }) => {
            seen.push({ ...token })
            return token
          },
        },
      },
    )
    const ada = await app.signedIn()
    expect(Object.keys((await ada.session()) ?? {}).sort()).to.deep.equal(['expires', 'user'])
    expect(JSON.stringify(seen)).to.not.match(/latchkey|maxAge/)
  })

  for (const [what, result] of Object.entries({
    'no object': { session: 3600 },
    undefined: { session: undefined },
    null: { session: null },
    'a list': { session: [3600] },
    empty: { session: {} },
    'misspelt members': { session: { maxage: 3600 } },
    'a text': { session: { maxAge: '3600' } },
    zero: { session: { maxAge: 0 } },
    'a negative number': { session: { maxAge: -1 } },
    'no number': { session: { maxAge: Number.NaN } },
    Infinity: { session: { maxAge: Number.POSITIVE_INFINITY } },
    'a part of a second': { session: { maxAge: 0.5 } },
    'milliseconds since the epoch': { session: { maxAge: Date.now() * 10 } },
    'a wrong absolute limit beside a good idle one': { session: { maxAge: 3600, maxLifetime: '1' } },
  })) {
    it(`signs nobody in if it is ${what}`, async () => {
      const app = givingBack(result)
      const ada = app.browser()
      const { location } = await ada.signIn()
      expect(location).to.include('/auth/error?error=AccessDenied')
      expect(await whoIs(ada)).to.equal(null)
      expect(app.log.errors[0]?.message).to.match(/result of the signIn callback, `session/)
      expect(app.log.infos, 'it is a fault of the application').to.deep.equal([])
    })
  }

  for (const [what, result] of Object.entries({
    'an empty list of rows': [],
    'a list of rows': [{ id: '1815' }],
    'an answer of another server': new Response(null, { status: 404 }),
    'an error': new Error('not allowed'),
    'an object that says no in its own words': { allowed: false },
    'a number': 1,
    'a function': () => false,
  })) {
    it(`signs nobody in if the callback gives ${what}, which says neither yes nor no`, async () => {
      const app = givingBack(result)
      const ada = app.browser()
      expect((await ada.signIn()).location).to.include('/auth/error?error=AccessDenied')
      expect(await whoIs(ada)).to.equal(null)
      expect(app.log.errors[0]?.message).to.match(/^The signIn callback gave .* It gives true, false,/)
      expect(app.log.infos, 'it is a fault of the application').to.deep.equal([])
    })
  }

  it('does not make a cookie outlive the browser, if the box was not ticked', async () => {
    const app = givingBack({ session: { maxAge: 8 * HOUR } }, { session: { remember: { maxAge: 9 * HOUR } } })
    const ada = await app.signedIn()
    expect(ada.jar.get(SESSION)?.expires).to.equal(undefined)
    expect(endOf(await ada.session())).to.equal(app.clock.seconds + 8 * HOUR)
  })

  it('refuses the sign-in if a codec of the application loses it: the session would live longer', async () => {
    const store = new Map<string, object>()
    const jwt: AuthConfig['jwt'] = {
      encode: async ({ token }) => {
        const { latchkey: _lost, ...kept } = { ...token } as Record<string, unknown>
        const key = `token-${store.size}`
        store.set(key, kept)
        return key
      },
      decode: async ({ token }) => (store.get(token ?? '') ?? null) as never,
    }
    const app = givingBack({ session: { maxAge: HOUR } }, { jwt })
    const ada = app.browser()
    expect((await ada.signIn()).location).to.include('error=Configuration')
    expect(app.log.errors[0]?.message).to.include('must keep the claim `latchkey`')
    expect(await whoIs(ada)).to.equal(null)
    const asked = openTestApp({ jwt, session: { remember: { maxAge: HOUR } } })
    const remembered = asked.browser()
    await remembered.signIn({ ...ADA, remember: 'on' })
    asked.clock.advance(0)
    const { setCookies } = await remembered.update({ a: 1 })
    const again = setCookies.filter(({ name }) => name === SESSION)
    expect(
      again.map(({ expires }) => expires),
      'a choice that is lost',
    ).to.not.include.members([new Date()])
    for (const { expires } of again) expect(expires).to.equal(undefined)
  })

  for (const [what, exp] of [
    ['no expiry', () => ({})],
    ['an expiry of its own', (seconds: number) => ({ exp: seconds + 30 * 24 * HOUR })],
  ] as const) {
    it(`refuses the sign-in if a codec of the application writes ${what}: a copy would live longer`, async () => {
      const store = new Map<string, object>()
      const jwt: AuthConfig['jwt'] = {
        encode: async ({ token }) => {
          const { exp: _replaced, ...claims } = { ...token }
          store.set(`token-${store.size}`, { ...claims, ...exp(app.clock.seconds) })
          return `token-${store.size - 1}`
        },
        decode: async ({ token }) => (store.get(token ?? '') ?? null) as never,
      }
      const app = givingBack({ session: { maxAge: HOUR } }, { jwt })
      const ada = app.browser()
      expect((await ada.signIn()).location).to.include('error=Configuration')
      expect(app.log.errors[0]?.message).to.include('`exp`')
      expect(await whoIs(ada)).to.equal(null)
    })
  }

  it('is remembered for a sign-out: no copy of the token works until all of them have expired', async () => {
    const app = givingBack({ session: { maxAge: 60 * 24 * HOUR } })
    const ada = await app.signedIn()
    const thief = ada.copy()
    app.clock.advance(40 * 24 * HOUR)
    await thief.session()
    await ada.signOut()
    app.clock.advance(45 * 24 * HOUR)
    expect(await whoIs(thief)).to.equal(null)
  })
})

describe('a token without a choice', () => {
  it('is as it was: no claim and no text is added', async () => {
    const ada = await openTestApp().signedIn()
    const { latchkey } = await allClaimsOf(ada.jar.get(SESSION)?.value ?? '')
    expect(latchkey).to.have.all.keys('id', 'authenticatedAt')
    expect(tokenWithChoice('a-random-token-of-a-store', undefined)).to.equal('a-random-token-of-a-store')
  })

  it('gives back the choice that it was made with', () => {
    for (const choice of [
      { remember: true },
      { remember: false },
      { maxAge: 3600 },
      { maxLifetime: 7200 },
      { remember: true, maxAge: 1, maxLifetime: 3_153_600_000 },
    ]) {
      for (const kept of [null, undefined, choiceText(choice)]) {
        expect(choiceOf(kept, tokenWithChoice('random', choice))).to.deep.equal(choice)
      }
      expect(choiceOf(choiceText(choice), 'random')).to.deep.equal(choice)
    }
    for (const unreadable of ['', 'r', 'x']) {
      expect(choiceOf(unreadable, tokenWithChoice('random', { maxAge: 60 }))).to.deep.equal({ maxAge: 60 })
    }
    for (const text of ['random', 'random~latchkey.', 'random~latchkey.x1', 'random~latchkey.r2', 'r1a3600']) {
      expect(choiceOf(null, text), text).to.equal(undefined)
    }
  })
})

describe('the option session.remember', () => {
  it('is refused without a number of seconds', () => {
    for (const remember of [{}, { maxAge: undefined }, { maxAge: '3600' }, { maxAge: 0 }, true, null, { maxage: 1 }]) {
      expect(() => openTestApp({ session: { remember: remember as never } }), JSON.stringify(remember)).to.throw(
        /session\.remember/,
      )
    }
  })
})
