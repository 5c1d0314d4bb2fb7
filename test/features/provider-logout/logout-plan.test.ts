import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, expressAuth, signOut } from '../../../lib/index.js'
import { listen, type Running, testConfig } from '../../support/app.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import { Person } from '../../support/person.js'
import { KINDS, type Kind } from './logout-app.js'

/** Two applications of one person: one keeps sessions in a database, the other one in tokens. */
describe('two applications at one certified OpenID provider', () => {
  const apps = new Map<Kind, Running>()
  const cookies: (string | undefined)[] = []
  let server: RealOidcProvider
  before(async () => {
    const handlers = new Map(KINDS.map((kind) => [kind, express()]))
    for (const [kind, handler] of handlers) apps.set(kind, await listen(handler))
    server = await startOidcProvider({
      configuration: {
        features: { rpInitiatedLogout: { enabled: true }, backchannelLogout: { enabled: true } },
        // The provider calls no address of its own machine otherwise, where the applications of this test are.
        fetch: (url, options) => {
          cookies.push(new Headers(options?.headers).get('cookie') ?? undefined)
          return fetch(url, { ...options, dispatcher: undefined } as RequestInit)
        },
      },
      clients: KINDS.map((kind) => ({
        client_id: kind,
        client_secret: 'a secret of the client',
        redirect_uris: [`${originOf(kind)}/auth/callback/op`],
        post_logout_redirect_uris: [`${originOf(kind)}/auth/signout/op`],
        backchannel_logout_uri: `${originOf(kind)}/auth/backchannel-logout/op`,
        backchannel_logout_session_required: true,
      })),
    })
    for (const [kind, handler] of handlers) {
      const config = configOf(kind, server.issuer)
      handler.use('/auth', expressAuth(config))
      handler.post('/leave', (req, res) => signOut(req, res, config, { redirectTo: '/thanks', endSession: true }))
      handler.use((_req, res) => void res.send('a page'))
    }
  })
  after(() => Promise.all([server.stop(), ...[...apps.values()].map((app) => app.close())]))

  const originOf = (kind: Kind) => apps.get(kind)?.origin ?? ''
  const other = (kind: Kind) => KINDS.find((each) => each !== kind) ?? kind

  for (const kind of KINDS) {
    it(`LOGOUT-03, LOGOUT-08: out of the one with ${kind} is out of both`, async () => {
      const [here, there] = [originOf(kind), originOf(other(kind))]
      const [ada, bob] = [new Person('ada'), new Person('bob')]
      for (const person of [ada, bob]) for (const app of [here, there]) await person.signIn(app)
      expect(await ada.signOut(here, { endSession: 'true' })).to.equal(`${here}/thanks`)
      expect([await ada.isSignedInAt(here), await ada.isSignedInAt(there)]).to.deep.equal([false, false])
      // Another person, and another browser of nobody, notice nothing.
      expect([await bob.isSignedInAt(here), await bob.isSignedInAt(there)]).to.deep.equal([true, true])
    })

    it(`ends one browser of the person and not another one, out of the one with ${kind}`, async () => {
      const [here, there] = [originOf(kind), originOf(other(kind))]
      const [laptop, phone] = [new Person(), new Person()]
      for (const browser of [laptop, phone]) for (const app of [here, there]) await browser.signIn(app)
      await laptop.signOut(here, { endSession: 'true' })
      expect([await laptop.isSignedInAt(here), await laptop.isSignedInAt(there)]).to.deep.equal([false, false])
      expect([await phone.isSignedInAt(here), await phone.isSignedInAt(there)]).to.deep.equal([true, true])
    })

    it(`stays signed in at the other one without the box, out of the one with ${kind}`, async () => {
      const [here, there] = [originOf(kind), originOf(other(kind))]
      const ada = new Person()
      for (const app of [here, there]) await ada.signIn(app)
      expect(await ada.signOut(here)).to.equal(`${here}/thanks`)
      expect([await ada.isSignedInAt(here), await ada.isSignedInAt(there)]).to.deep.equal([false, true])
    })
  }

  it('signs out of both from a route of the application', async () => {
    const [here, there] = [originOf(KINDS[0]), originOf(KINDS[1])]
    const ada = new Person()
    for (const app of [here, there]) await ada.signIn(app)
    const answer = await fetch(`${here}/leave`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        origin: here,
        'sec-fetch-site': 'same-origin',
        cookie: [...ada.cookiesAt(here)].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/)
      ada.cookiesAt(here).set(name, value)
    }
    expect(await ada.goTo(answer.headers.get('location') ?? '', here)).to.equal(`${here}/thanks`)
    expect([await ada.isSignedInAt(here), await ada.isSignedInAt(there)]).to.deep.equal([false, false])
  })

  it('oidcc-client-test-rp-backchannel-rpinitlogout: the provider needed no cookie', () => {
    expect(cookies).not.to.deep.equal([])
    expect(cookies.filter(Boolean)).to.deep.equal([])
  })
})

function configOf(kind: Kind, issuer: string): AuthConfig {
  const store = memoryAdapter()
  return testConfig({
    adapter: store,
    ...(kind === 'database sessions' ? {} : { session: { strategy: 'jwt', revocation: { store, checkEvery: 0 } } }),
    providers: [
      {
        id: 'op',
        name: 'Acme',
        type: 'oidc',
        issuer,
        clientId: kind,
        clientSecret: 'a secret of the client',
        checks: ['pkce', 'state', 'nonce'],
        endSession: 'offer',
        // It takes them also without an ID token, which the older of two browsers does not have.
        tokenFacts: { endSession: { url: 'metadata', returnParam: 'post_logout_redirect_uri', withoutHint: true } },
        backChannelLogout: true,
      },
    ],
  })
}
