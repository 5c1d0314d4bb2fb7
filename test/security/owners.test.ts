import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { FakeProvider } from '../support/fake-provider.js'
import { openTokenApp, RefreshingProvider, signInAt } from '../support/refreshing-provider.js'
import { goTo, newPerson, oauth } from '../support/sign-ins.js'

/** Signs anybody in, with the id that they choose. */
const names = Credentials({
  credentials: { name: {} },
  authorize: ({ name }) => ({ id: String(name), name: String(name) }),
})

/** As the guide of sessions recommends it where no users are stored. */
const namedByAccount: AuthConfig['callbacks'] = {
  jwt: ({ token, account }) =>
    account ? { ...token, sub: `${account.provider}:${account.providerAccountId}` } : token,
}

describe('SESS-09: an id that a visitor has chosen', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  beforeEach(() => {
    idp.reset()
    provider = new RefreshingProvider(idp)
  })
  after(() => idp.stop())

  const open = (more: Partial<AuthConfig>) =>
    openTokenApp(provider, undefined, { providers: [oauth(idp), names], ...more })
  const digestOf = (sub: string) => createHash('sha256').update(`oidc ${sub}`).digest('base64url').slice(0, 16)

  for (const callbacks of [{}, namedByAccount]) {
    const how = callbacks.jwt ? 'with a jwt callback that sets `sub`' : 'without a jwt callback'

    it(`is never the owner of the sessions of another person, ${how}`, async () => {
      const app = open({ session: { revocation: { store: memoryAdapter(), checkEvery: 0 } }, callbacks })
      const victim = newPerson()
      const own = await signInAt(app, provider, victim)
      for (const prefix of ['', 'user:', 'user:user:']) {
        const evil = app.browser()
        await evil.signIn({ name: `${prefix}subject ${digestOf(victim.sub)}` })
        expect(await evil.session()).not.to.equal(null)
        expect((await evil.get('/auth/sessions')).json().sessions).to.have.length(1)
        await evil.post('/auth/sessions/revoke', { csrfToken: await evil.csrfToken(), others: 'true' })
        expect(await own.session(), prefix).not.to.equal(null)
      }
    })
  }

  it('is not the person who ends a sign-in in another tab, where no users are stored', async () => {
    const app = open({})
    const [ada, bob] = [newPerson(), newPerson()]
    for (const [signedIn, isSame] of [
      [ada, true],
      [bob, false],
      [{ name: `user.${digestOf(ada.sub)}` }, false],
    ] as const) {
      const own = app.browser()
      const begun = await goTo(own, idp)
      if ('sub' in signedIn) await signInAt(app, provider, signedIn, own)
      else await own.signIn(signedIn)
      provider.play(app, ada)
      const { location } = await own.get(begun)
      expect(location?.includes('error=SessionChanged') ?? false, JSON.stringify(signedIn)).to.equal(!isSame)
    }
  })

  it('is not the owner of the sessions of others in a row of an earlier version either', async () => {
    const memory = memoryAdapter()
    const store: Adapter = {
      ...memory,
      // As before: the id as it is.
      createTokenSession: (row) => memory.createTokenSession({ ...row, userId: row.userId.replace(/^user:/, '') }),
    }
    const app = open({ session: { revocation: { store, checkEvery: 0 } } })
    const victim = newPerson()
    const own = await signInAt(app, provider, victim)
    const evil = app.browser()
    await evil.signIn({ name: `subject ${digestOf(victim.sub)}` })
    expect(memory.listTokenSessionsByUserId(`subject ${digestOf(victim.sub)}`)).to.have.length(2)
    expect((await evil.get('/auth/sessions')).json().sessions).to.deep.equal([])
    await evil.post('/auth/sessions/revoke', { csrfToken: await evil.csrfToken(), others: 'true' })
    expect(await own.session()).not.to.equal(null)
  })

  it('goes on to name the sessions that a row of an earlier version has', async () => {
    const store = memoryAdapter()
    const app = open({ session: { revocation: { store, checkEvery: 0 } } })
    for (const name of ['ada', 'user ada', 'user:ada']) {
      const [one, other] = [app.browser(), app.browser()]
      await one.signIn({ name })
      await other.signIn({ name })
      expect(store.listTokenSessionsByUserId(name), name).to.have.length(2)
      expect((await one.get('/auth/sessions')).json().sessions).to.have.length(2)
    }
  })
})
