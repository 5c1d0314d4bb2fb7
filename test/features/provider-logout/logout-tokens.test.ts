import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { createUsedLogoutTokens } from '../../../lib/features/provider-logout/service.js'
import type { Adapter } from '../../../lib/index.js'
import { type CatalogueEntry, catalogueIds, entrySource } from '../../support/catalogue.js'
import { FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import { resolved } from '../../support/oauth-driver.js'
import { storeOver } from '../../support/open-store.js'
import { Clock, type TestBrowser } from '../../support/test-app.js'
import {
  KINDS,
  LOGOUT_EVENT,
  type LogoutApp,
  logoutClaims,
  logoutToken,
  openLogoutApp,
  sendLogout,
} from './logout-app.js'

const MINUTE = 60_000
const isSignedIn = async (browser: TestBrowser) => (await browser.session()) !== null
const seconds = () => Math.floor(Date.now() / 1000)

let fake: FakeProvider
before(async () => {
  fake = await FakeProvider.start()
})
after(() => fake.stop())
beforeEach(() => fake.reset())

for (const kind of KINDS) {
  describe(`LOGOUT-06 a logout token without exp, with ${kind},`, () => {
    const open = () => openLogoutApp(fake, kind)
    const withoutExp = (more: Record<string, unknown> = {}) => logoutToken(fake, { exp: undefined, ...more })
    /** What becomes of a session of `session-1` and of the token. */
    const result = async (token: string, app = open()) => {
      const ada = await app.signInAt('session-1')
      const { status } = await sendLogout(app, token)
      return [status, await isSignedIn(ada)]
    }

    it('ends its session for five minutes after its iat, and no longer', async () => {
      expect(await result(await withoutExp())).to.deep.equal([200, false])
      expect(await result(await withoutExp({ iat: seconds() - 290 }))).to.deep.equal([200, false])
      // Clocks may differ by a minute.
      for (const age of [365, 3000, 7200, 400 * 24 * 3600])
        expect(await result(await withoutExp({ iat: seconds() - age })), `${age}`).to.deep.equal([400, true])
    })

    it('is no good for longer because its iat is in the future, or no time', async () => {
      for (const iat of [seconds() + 120, seconds() + 24 * 3600, Number.MAX_SAFE_INTEGER, '1', null, undefined])
        expect(await result(await withoutExp({ iat })), `${iat}`).to.deep.equal([400, true])
    })

    it('has expired by an exp of its own, whatever the iat', async () => {
      expect(await result(await logoutToken(fake, { exp: seconds() - 61 }))).to.deep.equal([400, true])
      for (const exp of ['soon', null]) expect(await result(await withoutExp({ exp }))).to.deep.equal([400, true])
    })

    it('needs everything else: the key, the client, the event, a jti, and no nonce', async () => {
      const strange = await fakeKey('another')
      const refused = [
        signWith(strange, logoutClaims(fake, { exp: undefined }), { typ: 'logout+jwt', kid: 'key-1' }),
        withoutExp({ aud: 'another-client' }),
        withoutExp({ aud: ['client', 'another-client'] }),
        withoutExp({ iss: 'https://op.example' }),
        withoutExp({ events: {} }),
        withoutExp({ jti: undefined }),
        withoutExp({ nonce: 'n' }),
        withoutExp({ sid: undefined }),
      ]
      for (const token of refused) expect(await result(await token)).to.deep.equal([400, true])
    })

    it('LOGOUT-07 is good once, as long as it could be good', async () => {
      const app = open()
      const token = await withoutExp({ sid: undefined, sub: 'person-1' })
      expect(await result(token, app)).to.deep.equal([200, false])
      const process = openLogoutApp(fake, kind, { store: app.store, secret: `another process ${randomUUID()}` })
      for (const minutes of [0, 1, 3, 5, 6]) {
        app.clock.ms = Date.now() + minutes * MINUTE
        process.clock.ms = app.clock.ms
        for (const each of [app, process]) expect((await sendLogout(each, token)).status, `${minutes}`).to.equal(400)
      }
    })
  })

  describe(`LOGOUT-08 a logout token with a sid, with ${kind},`, () => {
    const refreshTokenOf = async ({ store }: LogoutApp) =>
      (await store.getAccount?.('person-1', 'op'))?.refresh_token ?? null

    it('ends its session also where the clock of this machine is fast', async () => {
      const app = openLogoutApp(fake, kind)
      app.clock.ms = Date.now() + 90_000
      fake.faults.idToken = undefined
      const ada = await app.signInAt('session-1')
      const behind = { iat: seconds(), exp: seconds() + 120 }
      await sendLogout(app, await logoutToken(fake, { ...behind, sub: 'person-1' }))
      expect(await isSignedIn(ada)).to.equal(false)
    })

    it('of somebody else ends nothing of another person, and says so in the log', async () => {
      const app = openLogoutApp(fake, kind)
      const ada = await app.signInAt('session-1')
      const bob = await app.signInAt('session-3', { sub: 'person-2', email: 'bob@example.com', name: 'Bob' })
      const token = await refreshTokenOf(app)
      expect(token).to.be.a('string')
      expect((await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-3' }))).status).to.equal(
        200,
      )
      expect(await Promise.all([ada, bob].map(isSignedIn))).to.deep.equal([true, true])
      expect(await refreshTokenOf(app)).to.equal(token)
      expect(app.log.infos.map(({ message }) => message).join()).to.match(/"op": a logout token ended no session/)
    })

    it('of the older of two browsers leaves the refresh token of the newer one, and that of the newer takes it', async () => {
      for (const sub of [undefined, 'person-1']) {
        const app = openLogoutApp(fake, kind)
        const older = await app.signInAt('session-1')
        const newer = await app.signInAt('session-2')
        const token = await refreshTokenOf(app)
        await sendLogout(app, await logoutToken(fake, { sub, sid: 'session-1' }))
        expect(await Promise.all([older, newer].map(isSignedIn))).to.deep.equal([false, true])
        expect(await refreshTokenOf(app)).to.equal(token)
        await sendLogout(app, await logoutToken(fake, { sub, sid: 'session-2' }))
        expect(await refreshTokenOf(app)).to.equal(null)
      }
    })

    it('takes the refresh token where the stored ID token says no sid', async () => {
      const app = openLogoutApp(fake, kind)
      await app.signInAt()
      await sendLogout(app, await logoutToken(fake, { sub: 'person-1', sid: 'session-1' }))
      expect(await refreshTokenOf(app)).to.equal(null)
    })
  })

  it(`LOGOUT-07 a late logout token of a whole person leaves the session and the refresh token of a newer sign-in, and says so, with ${kind}`, async () => {
    const app = openLogoutApp(fake, kind)
    const newer = await app.signInAt('session-2')
    const late = await logoutToken(fake, { sub: 'person-1', sid: undefined, iat: seconds() - 300 })
    expect((await sendLogout(app, late)).status).to.equal(200)
    expect(await isSignedIn(newer)).to.equal(true)
    expect((await app.store.getAccount?.('person-1', 'op'))?.refresh_token).to.be.a('string')
    expect(app.log.infos.map(({ message }) => message).join()).to.match(/ended 0 sessions, and left 1 that began more/)
  })
}

describe('LOGOUT-09 the log of logout tokens', () => {
  it('says nothing of a logout that ended its session', async () => {
    const app = openLogoutApp(fake)
    await app.signInAt('session-1')
    await sendLogout(app, await logoutToken(fake))
    expect([app.log.errors, app.log.warnings]).to.deep.equal([[], []])
  })

  it('gets one line at the level of visitors for what anybody can send, and no text of it', async () => {
    const app = openLogoutApp(fake)
    const tokens = ['', 'x', `marked.${'A'.repeat(5000)}.x`, await logoutToken(fake, { sid: 'marked', aud: 'x' })]
    for (const header of [
      { alg: 'marked by anybody' },
      { alg: 'marked'.repeat(60) },
      { alg: 'RS256', crit: ['marked'], marked: 1 },
    ])
      tokens.push(`${Buffer.from(JSON.stringify(header)).toString('base64url')}.e30.xx`)
    for (const token of tokens) await sendLogout(app, token)
    expect(app.log.infos).to.have.length(7)
    expect(app.log.infos).to.deep.equal(app.log.errors)
    expect(app.log.infos.map(({ message }) => message).join()).not.to.match(/marked/)
  })

  it('names the provider and the option where the provider has none, and the answer is 404', async () => {
    const app = openLogoutApp(fake, KINDS[0], { provider: { backChannelLogout: false } })
    expect((await sendLogout(app, await logoutToken(fake))).status).to.equal(404)
    expect(app.log.infos.map(({ message }) => message)).to.deep.equal([
      'Provider "op" has no `backChannelLogout: true`, so no logout token is accepted here.',
    ])
    expect((await sendLogout(app, 'x', 'marked')).status).to.equal(404)
    expect(app.log.errors.map(({ message }) => message).join()).not.to.match(/marked/)
  })
})

describe('LOGOUT-05 an entry that promises back-channel logout', () => {
  /** What its server puts into a logout token, beside iss, aud, iat and jti. Undefined takes a claim away. */
  const SERVERS: Record<string, readonly { readonly typ: string; readonly claims: Record<string, unknown> }[]> = {
    auth0: [{ typ: 'logout+jwt', claims: { sub: 'person-1' } }],
    authentik: [
      { typ: 'logout+jwt', claims: { sub: 'person-1' } },
      // Before 2025.8.2.
      { typ: 'logout+jwt', claims: { sub: 'person-1', exp: undefined } },
    ],
    keycloak: [
      { typ: 'logout+jwt', claims: { sub: 'person-1', typ: 'Logout' } },
      // Until 23.
      { typ: 'JWT', claims: { sub: 'person-1', typ: 'Logout', exp: undefined } },
      {
        typ: 'logout+jwt',
        claims: {
          sub: 'person-1',
          events: { [LOGOUT_EVENT]: {}, 'http://schemas.openid.net/event/backchannel-logout/revoke-offline': {} },
        },
      },
    ],
    logto: [{ typ: 'logout+jwt', claims: { sub: 'person-1' } }],
    'ory-hydra': [{ typ: 'JWT', claims: { aud: ['client'], exp: undefined } }],
    zitadel: [{ typ: 'logout+jwt', claims: { sub: 'person-1', aud: ['client', 'project'] } }],
  }

  it('is one whose tokens are known here', () => {
    const promising = catalogueIds.filter((id) => /backChannelLogout: true/.test(entrySource(id)))
    expect(Object.keys(SERVERS)).to.have.members(promising)
  })

  for (const [id, tokens] of Object.entries(SERVERS))
    for (const { typ, claims } of tokens)
      it(`is signed out by ${id}, with the type ${typ} and ${'exp' in claims ? 'no exp' : 'exp'}`, async () => {
        const entry: CatalogueEntry = (await import(`../../../lib/providers/catalogue/${id}.ts`)).default
        // Two of them have issuers with a slash.
        const iss = resolved(entry({ issuer: fake.issuer, clientId: 'client', clientSecret: 'secret' })).issuer ?? ''
        fake.faults.metadata = (document) => ({ ...document, issuer: iss })
        fake.faults.answer = (params) => params.set('iss', iss)
        const options = {
          issuer: iss,
          clientId: 'client',
          clientSecret: 'marked-client-secret',
          backChannelLogout: true,
        }
        const provider = { ...entry(options), id: 'op', idToken: true }
        const app = openLogoutApp(fake, KINDS[0], { providers: [provider] })
        const ada = await app.signInAt('session-1', { iss })
        const other = await app.signInAt('session-2', { iss })
        const token = signWith(await fakeKey('key-1'), logoutClaims(fake, { iss, ...claims }), { typ })
        expect((await sendLogout(app, await token)).status).to.equal(200)
        expect(await Promise.all([ada, other].map(isSignedIn))).to.deep.equal([false, true])
        expect((await sendLogout(app, await token)).status, 'once').to.equal(400)
      })
})

describe('LOGOUT-07 a used logout token', () => {
  const remember = (store: Adapter, secret: string) => {
    const clock = new Clock()
    return {
      clock,
      used: createUsedLogoutTokens({ store: storeOver(store), secrets: [secret], instance: undefined, now: clock.now }),
    }
  }
  const idOf = (tokenId: string | number) => ({ provider: 'op', tokenId: `${tokenId}` })

  it('counts as used also where it made room for others and no store knows it', async () => {
    const { clock, used } = remember({}, 'no store')
    const until = clock.ms + MINUTE
    await used.add(idOf('used'), until)
    for (let n = 0; n < 100_001; n += 1) await used.add(idOf(n), until)
    expect(await used.has(idOf('used'), until)).to.equal(true)
    expect(await used.has(idOf('later'), until + 1)).to.equal(false)
  })

  it('is known to a store, which refuses no other', async () => {
    const { clock, used } = remember(memoryAdapter(), 'a store')
    const until = clock.ms + MINUTE
    await used.add(idOf('used'), until)
    expect(await Promise.all(['used', 'another'].map((id) => used.has(idOf(id), until)))).to.deep.equal([true, false])
  })
})
