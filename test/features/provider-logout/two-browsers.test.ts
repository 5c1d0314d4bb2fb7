import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Adapter, AdapterRecord, AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { customFetch } from '../../../lib/index.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { accessTokenOf } from '../../support/refreshing-provider.js'
import { watched } from '../../support/stores.js'
import type { TestBrowser } from '../../support/test-app.js'
import { KINDS, type LogoutApp, logoutToken, openLogoutApp, sendLogout } from './logout-app.js'

const RECORDS = ['createRecord', 'getRecord', 'updateRecord', 'deleteRecord', 'listRecordsByOwner'] as const

/** An adapter like those that were made for Auth.js and have tokens of accounts. */
function withoutRecords(): Adapter {
  const adapter: Adapter = memoryAdapter()
  for (const name of RECORDS) delete adapter[name]
  return adapter
}

describe('one person in two browsers, with a session of the provider in each', () => {
  let fake: FakeProvider
  let signIns: number
  let revoked: string[]
  let refreshed: string[]
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => {
    fake.reset()
    signIns = 0
    revoked = []
    refreshed = []
    fake.faults.metadata = (document) => ({ ...document, end_session_endpoint: `${fake.issuer}/logout` })
    fake.faults.token = (answer, { body }) => {
      const used = body.get('refresh_token')
      if (used !== null) refreshed.push(used)
      signIns += 1
      return { body: { ...answer, refresh_token: `refresh-${signIns}`, access_token: `access-${signIns}` } }
    }
  })

  const noteRevocation = async (input: string | URL | Request, init?: RequestInit) => {
    if (!String(input).includes('/revoke')) return fetch(input, init)
    revoked.push(String(new URLSearchParams(String(init?.body)).get('token')))
    return new Response('')
  }

  const open = (kind: (typeof KINDS)[number], more: Parameters<typeof openLogoutApp>[2] = {}) =>
    openLogoutApp(fake, kind, {
      accountTokens: { encrypt: false },
      ...more,
      provider: {
        endSession: 'always',
        tokenFacts: { revocation: { url: 'https://op.example/revoke', dialect: 'rfc7009' } },
        [customFetch]: noteRevocation,
        ...more.provider,
      },
    })

  const refreshTokenOf = async ({ store }: LogoutApp) =>
    (await store.getAccount?.('person-1', 'op'))?.refresh_token ?? null
  const recordsOf = async ({ store }: LogoutApp) => {
    const user = await store.getUserByAccount?.({ provider: 'op', providerAccountId: 'person-1' })
    return (await store.listRecordsByOwner?.('provider-session', user?.id ?? '')) ?? []
  }

  /** Signs out here and at the provider, and gives the `sid` that the provider is told; null for none. */
  const leave = async (app: LogoutApp, browser: TestBrowser): Promise<unknown> => {
    const started = await browser.post('/auth/signout', { csrfToken: await browser.csrfToken() })
    const sent = await browser.get((started.location ?? '').replace(app.origin, ''))
    const hint = new URL(sent.location ?? '').searchParams.get('id_token_hint')
    return hint === null ? null : decodeJwt(hint)['sid']
  }

  for (const kind of KINDS) {
    describe(`with ${kind}`, () => {
      it('LOGOUT-03 the provider is told of the session of the browser that signs out, whichever that is', async () => {
        for (const order of [
          [0, 1],
          [1, 0],
        ] as const) {
          const app = open(kind)
          const browsers = [await app.signInAt('session-1'), await app.signInAt('session-2')] as const
          for (const which of order) expect(await leave(app, browsers[which])).to.equal(`session-${which + 1}`)
          expect(app.log.warnings).to.deep.equal([])
        }
      })

      it('LOGOUT-08 the end of one session at the provider leaves the tokens of the other', async () => {
        const app = open(kind)
        const older = await app.signInAt('session-1')
        await app.signInAt('session-2')
        await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-2' }))
        expect(await refreshTokenOf(app)).to.equal(null)
        fake.faults.claims = (claims) => ({ ...claims, sid: 'session-1' })
        app.clock.advance(2 * 60 * 60)
        const results = await Promise.all([1, 2, 3].map(() => accessTokenOf(app, older, {}, 'op')))
        expect(results.map((result) => result?.status)).to.deep.equal(['ok', 'ok', 'ok'])
        expect(refreshed).to.deep.equal(['refresh-1'])
        const iat = app.clock.seconds
        await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-1', iat, exp: iat + 120 }))
        expect([await refreshTokenOf(app), await recordsOf(app)]).to.deep.equal([null, []])
      })

      it('LOGOUT-08 a sign-out that leads to the provider leaves the tokens of the other browser', async () => {
        const app = open(kind)
        await app.signInAt('session-1')
        const newer = await app.signInAt('session-2')
        await leave(app, newer)
        expect([await refreshTokenOf(app), await recordsOf(app)]).to.deep.equal(['refresh-1', []])
      })

      it('LOGOUT-08 the end of all sessions at the provider takes the tokens of all', async () => {
        const app = open(kind)
        for (const sid of ['session-1', 'session-2', 'session-3']) await app.signInAt(sid)
        expect(await recordsOf(app)).to.have.length(2)
        await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: undefined }))
        expect([await refreshTokenOf(app), await recordsOf(app)]).to.deep.equal([null, []])
      })

      it('LOGOUT-08 revokeAtSignOut revokes the tokens of the session that ends, and no others', async () => {
        const accountTokens = { encrypt: false, revokeAtSignOut: true }
        const app = open(kind, { accountTokens, provider: { endSession: undefined } })
        const [older, newer] = [await app.signInAt('session-1'), await app.signInAt('session-2')]
        await older.signOut()
        expect(revoked.sort()).to.deep.equal(['access-1', 'refresh-1'])
        expect(await refreshTokenOf(app)).to.equal('refresh-2')
        await newer.signOut()
        expect(revoked.sort()).to.deep.equal(['access-1', 'access-2', 'refresh-1', 'refresh-2'])
        expect(await refreshTokenOf(app)).to.equal(null)
      })

      it('revokeAtSignOut leaves the ID token, by which the provider knows the session that ends', async () => {
        for (const order of [
          [0, 1],
          [1, 0],
        ] as const) {
          const app = open(kind, { accountTokens: { encrypt: false, revokeAtSignOut: true } })
          const browsers = [await app.signInAt('session-1'), await app.signInAt('session-2')] as const
          for (const which of order) expect(await leave(app, browsers[which])).to.equal(`session-${which + 1}`)
        }
      })
    })
  }

  it('a sign-in at the same session of the provider keeps nothing of it, and costs nothing elsewhere', async () => {
    const app = open('database sessions')
    for (let count = 0; count < 3; count += 1) await app.signInAt('session-1')
    expect(await recordsOf(app)).to.deep.equal([])
    const { adapter, calls } = watched(memoryAdapter(), {})
    const other = open('database sessions', {
      store: adapter,
      provider: { endSession: undefined, backChannelLogout: false, frontChannelLogout: false },
    })
    for (const sid of ['session-1', 'session-2']) await other.signInAt(sid)
    expect(calls.filter((name) => /Record/.test(name))).to.deep.equal([])
  })

  it('a session that is newest again takes the place of what was kept of it', async () => {
    const app = open('database sessions')
    for (const sid of ['session-1', 'session-2', 'session-1', 'session-2']) await app.signInAt(sid)
    const kept = await recordsOf(app)
    expect(kept.map(({ value }) => /refresh-\d/.exec(value)?.[0])).to.have.members(['refresh-3', 'refresh-2'])
  })

  it('a refresh token that stays in the account is kept nowhere else', async () => {
    const accountTokens = { encrypt: false, revokeAtSignOut: true }
    const app = open('database sessions', { accountTokens, provider: { endSession: undefined } })
    const older = await app.signInAt('session-1')
    const { token } = fake.faults
    fake.faults.token = (answer) => ({ body: { ...answer, refresh_token: undefined, access_token: 'access-new' } })
    await app.signInAt('session-2')
    fake.faults.token = token
    await older.signOut()
    expect([await refreshTokenOf(app), revoked]).to.deep.equal(['refresh-1', ['access-1']])
  })

  it('LOGOUT-08 the tokens of a session that has ended here are revoked with the next, and never put back', async () => {
    for (const kind of KINDS) {
      revoked = []
      signIns = 0
      const app = open(kind, { accountTokens: { encrypt: false, revokeAtSignOut: true } })
      await app.signInAt('session-1')
      const newer = await app.signInAt('session-2')
      await newer.post('/auth/sessions/revoke', { csrfToken: await newer.csrfToken(), others: 'true' })
      await leave(app, newer)
      expect(revoked.sort(), kind).to.deep.equal(['access-1', 'access-2', 'refresh-1', 'refresh-2'])
      expect(await refreshTokenOf(app), kind).to.equal(null)
    }
  })

  it('LOGOUT-08 a late logout token of a whole person takes the tokens of the sessions that end, and leaves the newer one', async () => {
    const app = open('database sessions')
    await app.signInAt('session-1')
    await app.signInAt('session-2')
    const iat = app.clock.seconds
    app.clock.ms += 90_000
    await app.signInAt('session-3')
    await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: undefined, iat }))
    expect([await refreshTokenOf(app), await recordsOf(app)]).to.deep.equal(['refresh-3', []])
  })

  it('OAUTH-14 tokens that were stored as they came are encrypted where they are kept', async () => {
    const store = memoryAdapter()
    await open('database sessions', { store }).signInAt('session-1')
    const app = open('database sessions', { store, accountTokens: {} })
    await app.signInAt('session-2')
    const [kept] = await recordsOf(app)
    expect(kept?.value)
      .to.match(/encrypted:/)
      .and.not.to.match(/refresh-1|access-1/)
  })

  it('a refresh token that comes again is kept in the account alone', async () => {
    const app = open('database sessions')
    fake.faults.token = (answer) => ({ body: { ...answer, refresh_token: 'the same' } })
    for (const sid of ['session-1', 'session-2']) await app.signInAt(sid)
    const [kept] = await recordsOf(app)
    expect([await refreshTokenOf(app), kept?.value.includes('the same')]).to.deep.equal(['the same', false])
  })

  it('ACCT-01 an account that belongs to another user by now gets no tokens of the one before', async () => {
    const store = memoryAdapter()
    const app = open('database sessions', { store })
    const older = await app.signInAt('session-1')
    await app.signInAt('session-2')
    await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-2' }))
    app.clock.advance(2 * 60 * 60)
    const { deleteRecord } = store
    const user = store.createUser({ id: 'eve', email: 'eve@example.com', emailVerified: null }) as AdapterUser
    store.deleteRecord = (kind, key) => {
      store.unlinkAccount({ provider: 'op', providerAccountId: 'person-1' })
      store.linkAccount({ provider: 'op', providerAccountId: 'person-1', type: 'oidc', userId: user.id })
      return deleteRecord(kind, key)
    }
    expect(await accessTokenOf(app, older, {}, 'op')).to.include({ status: 'reauthorize' })
    expect(await store.getAccount('person-1', 'op')).not.to.have.any.keys('refresh_token', 'access_token')
  })

  it('the newest ten are kept, however often somebody signs in', async () => {
    const app = open('database sessions')
    for (let count = 1; count <= 14; count += 1) await app.signInAt(`session-${count}`)
    expect(await recordsOf(app)).to.have.length(10)
  })

  it('tokens that cannot be put back are not lost', async () => {
    const store = memoryAdapter()
    const { updateAccount } = store
    const app = open('database sessions', { store })
    const older = await app.signInAt('session-1')
    await app.signInAt('session-2')
    await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-2' }))
    app.clock.advance(2 * 60 * 60)
    store.updateAccount = () => Promise.reject(new Error('down'))
    expect(await accessTokenOf(app, older, {}, 'op')).to.include({ status: 'reauthorize' })
    store.updateAccount = updateAccount
    expect(await accessTokenOf(app, older, {}, 'op')).to.include({ status: 'ok' })
  })

  it('what is kept is encrypted as the tokens of accounts are, and is good for its account alone', async () => {
    const store = memoryAdapter()
    const app = open('database sessions', { store, accountTokens: {} })
    const BOB = { sub: 'person-2', email: 'bob@example.com', name: 'Bob' }
    await app.signInAt('session-1')
    await app.signInAt('session-2')
    const bob = await app.signInAt('session-3', BOB)
    const [kept] = await recordsOf(app)
    expect(kept?.value)
      .to.match(/encrypted:/)
      .and.not.to.match(/refresh-\d|access-\d/)
    // Somebody who can write into the store gives Bob what belongs to Ada.
    const owner = (await store.getUserByAccount({ provider: 'op', providerAccountId: 'person-2' }))?.id ?? ''
    const value = (kept?.value ?? '').replaceAll('person-1', 'person-2').replace('session-1', 'session-9')
    store.createRecord({ ...(kept as AdapterRecord), owner, value, key: 'stolen' })
    await app.signInAt('session-4', BOB)
    await sendLogout(app, await logoutToken(fake, { sub: 'person-2', sid: 'session-4' }))
    app.clock.advance(2 * 60 * 60)
    expect(await accessTokenOf(app, bob, {}, 'op')).to.include({ status: 'ok' })
    expect(refreshed).to.deep.equal(['refresh-3'])
  })

  it('nothing is left of a user who is deleted', async () => {
    const app = open('database sessions')
    await app.signInAt('session-1')
    await app.signInAt('session-2')
    const [kept] = await recordsOf(app)
    await app.store.deleteUser?.(kept?.owner ?? '')
    expect(await app.store.getRecord?.('provider-session', kept?.key ?? '')).to.equal(null)
  })

  it('an adapter without records keeps the tokens of the newest session, and the log says what it lacks', async () => {
    const app = open('database sessions', { store: withoutRecords() })
    const [older, newer] = [await app.signInAt('session-1'), await app.signInAt('session-2')]
    expect(await leave(app, older)).to.equal(null)
    expect(app.log.warnings).to.deep.equal(['no-id-token-hint'])
    expect([await leave(app, newer), await refreshTokenOf(app)]).to.deep.equal(['session-2', 'refresh-2'])
  })

  for (const name of RECORDS) {
    it(`nobody is kept from a sign-in or a sign-out where ${name}() fails`, async () => {
      const store = memoryAdapter()
      const { adapter } = watched(store, { [name]: () => Promise.reject(new Error('down')) })
      const app = open('database sessions', { store: adapter })
      const [older, newer] = [await app.signInAt('session-1'), await app.signInAt('session-2')]
      expect([await older.session(), await newer.session()]).not.to.include(null)
      expect(await refreshTokenOf(app)).to.equal('refresh-2')
      for (const browser of [newer, older]) {
        await leave(app, browser)
        expect(await browser.session()).to.equal(null)
      }
    })
  }
})
