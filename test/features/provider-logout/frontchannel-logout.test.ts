import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { toResponse } from '../../../lib/kernel/answer.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { incomingFromRequest } from '../../../lib/kernel/incoming.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { KINDS, type LogoutApp, openLogoutApp } from './logout-app.js'

describe('GET /auth/frontchannel-logout/:provider (oidcc-client-front-channel-logout-rp-basic)', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const path = (iss: string, sid: string) =>
    `/auth/frontchannel-logout/op?iss=${encodeURIComponent(iss)}&sid=${encodeURIComponent(sid)}`

  const ask = async (app: LogoutApp, target: string, method = 'GET') => {
    const request = new Request(app.origin + target, { method })
    const mount = { origin: app.origin, basePath: '/auth' }
    return toResponse(await app.engine.handle(incomingFromRequest(request), mount))
  }

  for (const kind of KINDS) {
    it(`oidcc-client-test-rp-frontchannel-opinitlogout: ends the session in a frame without cookies, with ${kind}`, async () => {
      const app = openLogoutApp(fake, kind)
      const ada = await app.signInAt('session-1')
      const other = await app.signInAt('session-2')
      expect((await ask(app, path(fake.issuer, 'session-1'))).status).to.equal(200)
      expect(await ada.session()).to.equal(null)
      expect(await other.session()).not.to.equal(null)
    })

    it(`deletes the cookies where the browser sends them, with ${kind}`, async () => {
      const app = openLogoutApp(fake, kind)
      const ada = await app.signInAt('session-1')
      await ada.get(path(fake.issuer, 'session-1'))
      expect(ada.sessionNames()).to.deep.equal([])
    })

    it(`LOGOUT-10 ends nothing without the right iss and sid, with ${kind}`, async () => {
      const app = openLogoutApp(fake, kind)
      const ada = await app.signInAt('session-1')
      const wrong = [
        path(`${fake.issuer}/other`, 'session-1'),
        `/auth/frontchannel-logout/op?sid=session-1`,
        `/auth/frontchannel-logout/op?iss=${encodeURIComponent(fake.issuer)}`,
        path(fake.issuer, ''),
        '/auth/frontchannel-logout/op',
        `${path(fake.issuer, 'session-1')}&sid=session-2`,
      ]
      for (const target of wrong) {
        const answer = await ask(app, target)
        expect(answer.status, target).to.equal(400)
        expect(answer.headers.get('content-security-policy') ?? '').not.to.include(fake.issuer)
      }
      expect((await ask(app, path(fake.issuer, 'session-2'))).status).to.equal(200)
      expect((await ada.get(path(fake.issuer, 'session-2'))).setCookies).to.deep.equal([])
      expect(await ada.session()).not.to.equal(null)
    })
  }

  it('LOGOUT-10 may be framed by the provider only, and no cache keeps it', async () => {
    const app = openLogoutApp(fake)
    const { headers } = await ask(app, path(fake.issuer, 'session-1'))
    expect(headers.get('content-security-policy')).to.equal(`default-src 'none'; frame-ancestors ${fake.issuer}`)
    expect(headers.get('x-frame-options')).to.equal(null)
    expect(headers.get('cache-control')).to.include('no-store')
  })

  it('ends nothing with HEAD', async () => {
    const app = openLogoutApp(fake)
    const ada = await app.signInAt('session-1')
    const { headers } = await ask(app, path(fake.issuer, 'session-1'), 'HEAD')
    expect(headers.get('cache-control')).to.include('no-store')
    expect(await ada.session()).not.to.equal(null)
  })

  for (const kind of KINDS) {
    for (const [place, isSent] of [
      ['a browser that sends the cookie', true],
      ['one that does not', false],
    ] as const) {
      it(`LOGOUT-10 drops the refresh token of that account and of no other, with ${kind}, in ${place}`, async () => {
        const app = openLogoutApp(fake, kind)
        const ada = await app.signInAt('session-1')
        const user = await app.store.getUserByAccount?.({ provider: 'op', providerAccountId: 'person-1' })
        await app.store.linkAccount?.({
          userId: user?.id ?? '',
          provider: 'op',
          providerAccountId: 'person-2',
          type: 'oidc',
          refresh_token: 'refresh-2',
        })
        if (isSent) await ada.get(path(fake.issuer, 'session-1'))
        else await ask(app, path(fake.issuer, 'session-1'))
        const kept = await Promise.all(['person-1', 'person-2'].map((id) => app.store.getAccount?.(id, 'op')))
        expect(kept.map((account) => Boolean(account?.refresh_token))).to.deep.equal([false, true])
      })
    }
  }

  it('deletes the cookie also if the store cannot list the sessions, and then says that it failed', async () => {
    const store = memoryAdapter()
    const app = openLogoutApp(fake, 'database sessions', { store })
    const ada = await app.signInAt('session-1')
    store.listSessionsByProvider = () => Promise.reject(new AdapterError('The store is down.'))
    const answer = await ada.get(path(fake.issuer, 'session-1'))
    expect(answer.status).to.be.within(300, 599)
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('gives the same answer whether or not there was such a session', async () => {
    const app = openLogoutApp(fake)
    await app.signInAt('session-1')
    const texts = await Promise.all(
      ['session-1', 'session-7'].map(async (sid) => {
        const answer = await ask(app, path(fake.issuer, sid))
        return [answer.status, await answer.text()]
      }),
    )
    expect(texts[0]).to.deep.equal(texts[1])
  })

  it('answers 404 for a provider that is not configured for it', async () => {
    const app = openLogoutApp(fake, 'database sessions', { provider: { frontChannelLogout: false } })
    const ada = await app.signInAt('session-1')
    expect((await ask(app, path(fake.issuer, 'session-1'))).status).to.equal(404)
    expect(await ada.session()).not.to.equal(null)
  })

  it('is refused at the start where the store cannot find the sessions of a provider', () => {
    const { listSessionsByProvider: _, ...rows } = memoryAdapter()
    expect(() => openLogoutApp(fake, 'database sessions', { store: rows })).to.throw(
      /lacks listSessionsByProvider, which backChannelLogout of provider "op" needs/,
    )
    const { listTokenSessionsByProvider: __, ...tokens } = memoryAdapter()
    const provider = { backChannelLogout: false }
    expect(() => openLogoutApp(fake, 'token sessions with revocation', { store: tokens, provider })).to.throw(
      /lacks listTokenSessionsByProvider, which frontChannelLogout/,
    )
    const more = { provider, adapter: undefined, session: { strategy: 'jwt' } } as const
    expect(
      () => openLogoutApp(fake, 'database sessions', more),
      'the session of the browser itself ends',
    ).not.to.throw()
  })
})
