import { expect } from 'chai'
import { decodeJwt, type JWTPayload } from 'jose'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Credentials from '../../../lib/providers/credentials.js'
import { FAILURES, FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import type { TestBrowser } from '../../support/test-app.js'
import { KINDS, type LogoutApp, logoutToken, openLogoutApp, sendLogout } from './logout-app.js'

const isSignedIn = async (browser: TestBrowser) => (await browser.session()) !== null
const BOB = { sub: 'person-2', email: 'bob@example.com', name: 'Bob' }

describe('POST /auth/backchannel-logout/:provider', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  for (const kind of KINDS) {
    describe(`with ${kind}`, () => {
      const open = (more: Parameters<typeof openLogoutApp>[2] = {}) => openLogoutApp(fake, kind, more)

      it('SESS-11, LOGOUT-08 ends the session of a sid, with every copy of its cookie, and no other session', async () => {
        const app = open()
        const laptop = await app.signInAt('session-1')
        const copy = laptop.copy()
        const phone = await app.signInAt('session-2')
        const bob = await app.signInAt('session-3', BOB)
        expect((await sendLogout(app, await logoutToken(fake, { sid: 'session-1' }))).status).to.equal(200)
        expect(await Promise.all([laptop, copy, phone, bob].map(isSignedIn))).to.deep.equal([false, false, true, true])
      })

      it('LOGOUT-08 ends all sessions of a subject, and none of another person', async () => {
        const app = open()
        const mine = [await app.signInAt('session-1'), await app.signInAt('session-2'), await app.signInAt()]
        const bob = await app.signInAt('session-3', BOB)
        await sendLogout(app, await logoutToken(fake, { sid: undefined, sub: 'person-1' }))
        expect(await Promise.all(mine.map(isSignedIn))).to.deep.equal([false, false, false])
        expect(await isSignedIn(bob)).to.equal(true)
      })

      it('ends no session of a sid under another subject', async () => {
        const app = open()
        const ada = await app.signInAt('session-1')
        expect((await sendLogout(app, await logoutToken(fake, { sub: 'person-2' }))).status).to.equal(200)
        expect(await isSignedIn(ada)).to.equal(true)
      })

      it('ends a session without a sid that belongs to the subject, since it may be the one', async () => {
        const app = open()
        const [unknown, other] = [await app.signInAt(), await app.signInAt('session-2')]
        await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-1' }))
        expect(await Promise.all([unknown, other].map(isSignedIn))).to.deep.equal([false, true])
      })

      it('ends more sessions than a store lists at a time', async () => {
        const store = memoryAdapter()
        const app = open({ store: { ...store, ...listingTwo(store) } })
        const browsers: TestBrowser[] = []
        for (let count = 0; count < 5; count += 1) browsers.push(await app.signInAt('session-1'))
        await sendLogout(app, await logoutToken(fake))
        expect((await Promise.all(browsers.map(isSignedIn))).some(Boolean)).to.equal(false)
      })

      it('ends no session that began with another provider, though a user is the same', async () => {
        const app = open()
        const ada = await app.signInAt('session-1')
        const other = openLogoutApp(fake, kind, { store: app.store, provider: { id: 'op2' } })
        await sendLogout(other, await logoutToken(fake), 'op2')
        expect(await isSignedIn(ada)).to.equal(true)
      })

      it('ends no session of another instance in the same store', async () => {
        const store = memoryAdapter()
        const [one, two] = [open({ store, instance: 'one' }), open({ store, instance: 'two' })]
        const here = await one.signInAt('session-1')
        const there = await two.signInAt('session-1')
        await sendLogout(one, await logoutToken(fake))
        expect([await isSignedIn(here), await isSignedIn(there)]).to.deep.equal([false, true])
      })

      it('LOGOUT-07 refuses a token that was used, also in another process', async () => {
        const app = open()
        const token = await logoutToken(fake)
        expect((await sendLogout(app, token)).status).to.equal(200)
        expect((await sendLogout(app, token)).status).to.equal(400)
        // Another secret has another memory, as another process has.
        const process = open({ store: app.store, secret: 'the secret of another process, which is long enough' })
        expect((await sendLogout(process, token)).status).to.equal(400)
        expect(process.log.errors[0]?.message).to.match(/used already/)
      })

      it('LOGOUT-07 leaves a session alone that began after the token, even where the token is not remembered', async () => {
        const app = open()
        const iat = Math.floor(app.clock.ms / 1000) - 300
        const later = await app.signInAt('session-1')
        const late = await logoutToken(fake, { iat, sid: undefined, sub: 'person-1' })
        expect((await sendLogout(app, late)).status).to.equal(200)
        expect(await isSignedIn(later)).to.equal(true)
      })

      it('answers 400 when the store fails, and the same token works when the store is back', async () => {
        const store = memoryAdapter()
        const failing = { on: false }
        const app = open({ store: failingAt(store, failing) })
        const ada = await app.signInAt('session-1')
        const token = await logoutToken(fake)
        failing.on = true
        const failed = await sendLogout(app, token)
        expect([failed.status, failed.json().error]).to.deep.equal([400, 'logout_failed'])
        expect(app.log.errors.length).to.be.at.least(1)
        failing.on = false
        expect((await sendLogout(app, token)).status).to.equal(200)
        expect(await isSignedIn(ada)).to.equal(false)
      })

      it('keeps a session where it began when an account is linked to it', async () => {
        const app = open({ providers: [entryOf(fake, 'op'), entryOf(fake, 'op2')] })
        const ada = await app.signInAt('session-1')
        fake.faults.claims = (claims) => ({ ...claims, sub: 'other-account', email: 'x@example.com', sid: 'session-9' })
        const started = await ada.post('/auth/signin/op2', { csrfToken: await ada.csrfToken() })
        await ada.get(`/auth/callback/op2?${fake.authorize(started.location ?? '')}`)
        expect(await isSignedIn(ada)).to.equal(true)
        await sendLogout(app, await logoutToken(fake, { sid: 'session-9' }), 'op2')
        expect(await isSignedIn(ada)).to.equal(true)
        await sendLogout(app, await logoutToken(fake, { sid: 'session-1' }))
        expect(await isSignedIn(ada)).to.equal(false)
      })

      it('tells the application of each session that it ends', async () => {
        const messages: object[] = []
        const app = open({ events: { signOut: (message) => void messages.push(message) } })
        await app.signInAt('session-1')
        await app.signInAt('session-1')
        await sendLogout(app, await logoutToken(fake))
        expect(messages).to.have.length(2)
        expect(JSON.stringify(messages)).not.to.match(/session-1|person-1|network|userAgent/)
      })

      it('shows nobody where a session began', async () => {
        const app = open({ session: { exposeIds: true, ...(kind === 'database sessions' ? {} : revocation()) } })
        const ada = await app.signInAt('session-1')
        const texts = [await ada.get('/auth/session'), await ada.get('/auth/sessions')].map(({ body }) => body)
        expect(texts.join()).not.to.match(/session-1|person-1/)
        expect(JSON.stringify(await ada.current())).not.to.match(/session-1|person-1/)
      })
    })
  }

  it('ends sessions of the user from before providers were recorded, if the token names the subject only', async () => {
    const app = openLogoutApp(fake)
    const old = await app.signInAt('session-1')
    await forgetProviders(app)
    await sendLogout(app, await logoutToken(fake, { sid: 'session-1' }))
    expect(await isSignedIn(old)).to.equal(true)
    await sendLogout(app, await logoutToken(fake, { sid: undefined, sub: 'person-1' }))
    expect(await isSignedIn(old)).to.equal(false)
  })

  describe('of somebody with more sessions than a store lists', () => {
    /** Stores so many sessions beside that of the browser that a list has no place for it. */
    async function hide(app: LogoutApp): Promise<void> {
      const [row] = (await app.store.listSessionsByProvider?.({ provider: 'op', subject: 'person-1' })) ?? []
      for (let count = 0; count < 1001; count += 1) {
        const newer = {
          sessionToken: `other-${count}`,
          sid: `other-${count}`,
          createdAt: new Date(app.clock.ms + 1000),
        }
        await app.store.createSession?.({ ...row, ...newer } as never)
      }
    }
    const refreshTokenOf = async (app: LogoutApp) =>
      (await app.store.getAccount?.('person-1', 'op'))?.refresh_token ?? null

    it('LOGOUT-07, LOGOUT-08 ends the session of a sid and a subject, and the token is used', async () => {
      const app = openLogoutApp(fake)
      const ada = await app.signInAt('session-1')
      await hide(app)
      const token = await logoutToken(fake, { sub: 'person-1' })
      expect((await sendLogout(app, token)).status).to.equal(200)
      expect(await isSignedIn(ada)).to.equal(false)
      expect(await refreshTokenOf(app)).to.equal(null)
      expect(app.log.warnings).to.include('sessions-not-listed')
      expect((await sendLogout(app, token)).status).to.equal(400)
    })

    it('LOGOUT-08 ends all of a subject, and leaves sessions that may be of another provider', async () => {
      const app = openLogoutApp(fake)
      const ada = await app.signInAt('session-1')
      const [row] = (await app.store.listSessionsByProvider?.({ provider: 'op', subject: 'person-1' })) ?? []
      for (let count = 0; count < 1001; count += 1) {
        const other = { sessionToken: `other-${count}`, provider: 'other', subject: 'x', sid: null }
        await app.store.createSession?.({ ...row, ...other } as never)
      }
      const answer = await sendLogout(app, await logoutToken(fake, { sid: undefined, sub: 'person-1' }))
      expect(answer.status).to.equal(200)
      expect(await isSignedIn(ada)).to.equal(false)
      expect(await refreshTokenOf(app)).to.equal(null)
      expect(app.log.warnings).to.include('sessions-not-listed')
    })
  })

  it('repeats no text of a token with line breaks to the logger, and no long one', async () => {
    const app = openLogoutApp(fake)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const name of ['evil\r\n\u001b[2J[latchkey] admin signed in\u2028', 'A'.repeat(20_000)]) {
      const token = `${part({ alg: 'RS256', crit: [name], [name]: 1 })}.${part({})}.AAAA`
      expect((await sendLogout(app, token)).status).to.equal(400)
    }
    expect(app.log.errors).to.have.length(2)
    for (const { message, cause } of app.log.errors as readonly (Error & { cause?: { err?: Error } })[])
      for (const text of [message, cause?.err?.message ?? '']) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(text).not.to.match(/[\u0000-\u001f\u2028]/)
        expect(text.length).to.be.within(1, 1100)
      }
  })

  it('does not end the sessions of the user that began with a password', async () => {
    const store = memoryAdapter()
    const words = Credentials({
      credentials: { name: {} },
      authorize: async () => ({ id: (await store.getUserByEmail('ada@example.com'))?.id ?? '', name: 'Ada' }),
    })
    const app = openLogoutApp(fake, 'token sessions with revocation', {
      store,
      providers: [entryOf(fake, 'op'), words],
    })
    await app.signInAt('session-1')
    const browser = app.browser()
    await browser.signIn({ name: 'Ada' })
    await sendLogout(app, await logoutToken(fake, { sid: undefined, sub: 'person-1' }))
    expect(await isSignedIn(browser)).to.equal(true)
  })

  it('LOGOUT-08 drops a refresh token, unless it is for offline access', async () => {
    for (const [scope, kept] of [
      ['openid email', false],
      ['openid offline_access', true],
    ] as const) {
      const app = openLogoutApp(fake)
      fake.faults.token = (answer) => ({ body: { ...answer, scope } })
      await app.signInAt('session-1')
      await sendLogout(app, await logoutToken(fake))
      const account = await app.store.getAccount?.('person-1', 'op')
      expect(Boolean(account?.refresh_token)).to.equal(kept)
      expect(account?.access_token).to.be.a('string')
    }
  })

  it('LOGOUT-06 takes a token again whose use the store could not record', async () => {
    const store = memoryAdapter()
    const app = openLogoutApp(fake, 'token sessions with revocation', { store })
    const ada = await app.signInAt('session-1')
    const { createRecord } = store
    store.createRecord = () => Promise.reject(new Error('down'))
    const token = await logoutToken(fake)
    expect((await sendLogout(app, token)).status).to.equal(400)
    store.createRecord = createRecord
    expect((await sendLogout(app, token)).status).to.equal(200)
    expect((await sendLogout(app, token)).status).to.equal(400)
    expect(await isSignedIn(ada)).to.equal(false)
  })

  it('LOGOUT-09 needs no cookie and no CSRF token, and no cache keeps the answer', async () => {
    const app = openLogoutApp(fake)
    const headers = { origin: 'https://op.example', 'sec-fetch-site': 'cross-site' }
    const good = { logout_token: await logoutToken(fake) }
    const answers = [
      await app.browser().post('/auth/backchannel-logout/op', good, headers),
      await app.browser().post('/auth/backchannel-logout/op', {}, headers),
    ]
    expect(answers.map(({ status, setCookies }) => [status, setCookies.length])).to.deep.equal([
      [200, 0],
      [400, 0],
    ])
    for (const path of ['op', 'unknown']) {
      const { headers } = await raw(app, path, 'logout_token=x')
      expect(headers.get('cache-control')).to.include('no-store')
    }
  })

  it('LOGOUT-09 refuses a body that is too large, and every other method', async () => {
    const app = openLogoutApp(fake)
    expect((await raw(app, 'op', `logout_token=${'x'.repeat(70_000)}`)).status).to.equal(413)
    expect((await app.browser().get('/auth/backchannel-logout/op')).status).to.equal(405)
    expect((await app.browser().postJson('/auth/backchannel-logout', {})).status).to.equal(404)
  })

  it('answers 404 for a provider that is not configured for it', async () => {
    const app = openLogoutApp(fake, 'database sessions', { provider: { backChannelLogout: false } })
    const ada = await app.signInAt('session-1')
    expect((await sendLogout(app, await logoutToken(fake))).status).to.equal(404)
    expect((await sendLogout(app, await logoutToken(fake), 'nobody')).status).to.equal(404)
    expect(await isSignedIn(ada)).to.equal(true)
  })

  it('LOGOUT-05 refuses another algorithm than the ID tokens had, where none is declared', async () => {
    const announced = { id_token_signing_alg_values_supported: ['RS256', 'ES256'] }
    fake.faults.metadata = (document) => ({ ...document, ...announced })
    const other = await fakeKey('key-es', 'ES256')
    const usual = fake.keys
    fake.keys = [...usual, other]
    const app = openLogoutApp(fake)
    const ada = await app.signInAt('session-1')
    const token = await logoutToken(fake, { sid: 'session-1' })
    const claims = { ...decodeJwt(token), jti: 'another' }
    expect((await sendLogout(app, await signWith(other, claims, { typ: 'logout+jwt' }))).status).to.equal(400)
    expect(app.log.infos.join() + app.log.errors.join()).to.include('id_token_signed_response_alg')
    expect(await isSignedIn(ada)).to.equal(true)
    expect((await sendLogout(app, token)).status).to.equal(200)
    fake.keys = usual
  })

  it('answers 503 when the keys of the provider cannot be fetched, and signs nobody out', async () => {
    const app = openLogoutApp(fake)
    const ada = await app.signInAt('session-1')
    const fresh = openLogoutApp(fake, 'database sessions', { store: app.store })
    fake.faults.jwks = () => ({ status: 503, body: '' })
    expect((await sendLogout(fresh, await logoutToken(fake))).status).to.equal(503)
    expect(await isSignedIn(ada)).to.equal(true)
  })

  it('is refused at the start where sessions could not be ended', () => {
    const { listSessionsByProvider: _, ...old } = memoryAdapter()
    const { listTokenSessionsByProvider: __, ...oldTokens } = memoryAdapter()
    expect(() => openLogoutApp(fake, 'database sessions', { store: old })).to.throw(/lacks listSessionsByProvider/)
    expect(() => openLogoutApp(fake, 'token sessions with revocation', { store: oldTokens })).to.throw(
      /lacks listTokenSessionsByProvider/,
    )
    const jwt = { session: { strategy: 'jwt' as const } }
    expect(() => openLogoutApp(fake, 'database sessions', jwt)).to.throw(/session\.revocation/)
    expect(() =>
      openLogoutApp(fake, 'database sessions', { provider: { type: 'oauth', checks: ['state'] } as never }),
    ).to.throw(/needs OpenID Connect/)
  })

  it('takes a member of a token that is null or empty for an absent one', async () => {
    for (const claims of [{ sub: null }, { sub: '' }]) {
      const app = openLogoutApp(fake)
      const browser = await app.signInAt('session-1')
      const token = await logoutToken(fake, { sid: 'session-1', ...claims } as JWTPayload)
      expect((await sendLogout(app, token)).status, JSON.stringify(claims)).to.equal(200)
      expect(await browser.session()).to.equal(null)
    }
    const app = openLogoutApp(fake)
    const nobody = { sub: null, sid: '' } as unknown as JWTPayload
    expect((await sendLogout(app, await logoutToken(fake, nobody))).status).to.equal(400)
  })

  it('answers 503 while a token cannot be checked, so that the provider sends it again', async () => {
    const app = openLogoutApp(fake)
    const browser = await app.signInAt('session-1')
    for (const answer of [...FAILURES, null]) {
      // Another process, started since, has no keys yet.
      const other = openLogoutApp(fake, 'database sessions', {
        store: app.store,
        ...(answer === null && { provider: { jwks_endpoint: 'http://127.0.0.1:1/keys' } }),
      })
      fake.faults.jwks = answer === null ? undefined : () => answer
      const refused = await sendLogout(other, await logoutToken(fake, { sid: 'session-1' }))
      expect(refused.status, JSON.stringify(answer)).to.equal(503)
      expect(await refused.json()).to.include({ error: 'temporarily_unavailable' })
      expect(other.log.errors).to.have.length(1)
      expect(await browser.session()).not.to.equal(null)
    }
    fake.faults.jwks = undefined
    expect((await sendLogout(app, await logoutToken(fake, { sid: 'session-1' }))).status).to.equal(200)
    expect(await browser.session()).to.equal(null)
  })
})

const revocation = () => ({ strategy: 'jwt' as const, revocation: { store: memoryAdapter(), checkEvery: 0 } })

const entryOf = (fake: FakeProvider, id: string) => ({
  id,
  name: id,
  type: 'oidc' as const,
  issuer: fake.issuer,
  clientId: 'client',
  clientSecret: 'marked-client-secret',
  backChannelLogout: true,
})

async function raw(app: LogoutApp, provider: string, body: string): Promise<Response> {
  const { incomingFromRequest } = await import('../../../lib/kernel/incoming.js')
  const { toResponse } = await import('../../../lib/kernel/answer.js')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = new Request(`${app.origin}/auth/backchannel-logout/${provider}`, { method: 'POST', body, headers })
  return toResponse(await app.engine.handle(incomingFromRequest(request), { origin: app.origin, basePath: '/auth' }))
}

/** The store lists two sessions at a time. */
const listingTwo = (store: Adapter): Adapter => ({
  listSessionsByProvider: async (at) => (await store.listSessionsByProvider?.(at))?.slice(0, 2) ?? [],
  listTokenSessionsByProvider: async (at) => (await store.listTokenSessionsByProvider?.(at))?.slice(0, 2) ?? [],
})

/** A store whose deletions and revocations fail while the switch is on. */
const failingAt = (store: Adapter, failing: { on: boolean }): Adapter => {
  const unless =
    <Args extends unknown[], Result>(method: ((...args: Args) => Result) | undefined) =>
    (...args: Args): Result => {
      if (failing.on || !method) throw new Error('the store is down')
      return method(...args)
    }
  return {
    ...store,
    deleteSession: unless(store.deleteSession),
    revokeTokenSession: unless(store.revokeTokenSession),
  }
}

/** Rows as they were before the provider was recorded. */
async function forgetProviders({ store }: LogoutApp): Promise<void> {
  const rows = (await store.listSessionsByProvider?.({ provider: 'op', subject: 'person-1' })) ?? []
  for (const { sessionToken } of rows) {
    await store.updateSession?.({ sessionToken, provider: null, subject: null, sid: null })
  }
}
