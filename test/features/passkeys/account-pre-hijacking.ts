import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../../lib/adapters/adapter.js'
import type { AuthConfig } from '../../../lib/index.js'
import type { AccountAppOptions, openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { createPause } from '../../support/pause.js'
import { newPerson, type Person } from '../../support/sign-ins.js'
import { asAuthjsHasIt } from '../../support/stores.js'
import { type TestBrowser, type TestResponse, whoIs } from '../../support/test-app.js'
import { answer, ask, authenticate, errorOf, register } from './ceremonies.js'

/** An app, its people, and its store. */
interface Squat {
  readonly setUp: (
    setting: Pick<AccountAppOptions, 'store' | 'change' | 'provider'> & { readonly options?: Partial<AuthConfig> },
  ) => ReturnType<typeof openAccountApp> & {
    readonly followLink: (browser: TestBrowser, person: Person) => Promise<TestResponse>
    readonly userOf: (person: Person) => Promise<AdapterUser>
  }
  /** The victim, and an attacker who has taken the address at a provider that verifies none. */
  readonly people: () => { readonly victim: Person; readonly attacker: Person; readonly alias: Person }
  readonly adapter: () => Required<Adapter>
}

const HOME = 'http://app.example'
const NOT_LINKED = `${HOME}/auth/signin?error=OAuthAccountNotLinked`

function add({ setUp, people, adapter }: Squat): void {
  for (const strategy of ['jwt', 'database'] as const) {
    it(`has no account, passkey or session left when the owner follows a mailed link, with ${strategy} sessions`, async () => {
      const app = setUp({ store: adapter(), options: { session: { strategy } } })
      const { signIn, browser, followLink, userOf, store } = app
      const { victim, attacker, alias } = people()
      const there = browser()
      await signIn(there, attacker)
      await signIn(there, alias, 'other')
      const authenticator = new SoftAuthenticator(app.origin)
      expect(errorOf(await register({ browser: there, device: authenticator }))).to.equal(null)
      const { id } = await userOf(victim)

      const own = browser()
      expect((await followLink(own, victim)).location).to.equal(HOME)
      expect(await whoIs(own)).to.equal(victim.email)
      const user = await userOf(victim)
      expect([user.id, Boolean(user.emailVerified)]).to.deep.equal([id, true])
      expect(await store.listAccountsByUserId(id)).to.deep.equal([])
      expect(await store.listAuthenticatorsByUserId(id)).to.deep.equal([])

      expect((await signIn(browser(), attacker)).location).to.equal(NOT_LINKED)
      const byAlias = browser()
      await signIn(byAlias, alias, 'other')
      expect(await whoIs(byAlias)).to.equal(alias.email)
      const byPasskey = browser()
      const refused = await authenticate({ browser: byPasskey, device: authenticator })
      expect(errorOf(refused)).to.equal('WebAuthnVerificationError')
      expect(await whoIs(there)).to.equal(null)
      expect(await whoIs(own), 'the owner stays').to.equal(victim.email)
    })
  }

  it('and makes a passkey while the owner confirms has it taken back, also where accounts cannot be listed', async () => {
    for (const shown of [adapter(), asAuthjsHasIt(adapter())]) {
      const pause = createPause()
      pause.start()
      const change: Partial<Adapter> = {
        async createAuthenticator(row) {
          await pause.wait()
          return adapter().createAuthenticator(row)
        },
      }
      const recentAuthAge = Number.POSITIVE_INFINITY
      const callbacks = { confirmEmail: () => true }
      const app = setUp({ store: shown, change, options: { callbacks, session: { recentAuthAge } } })
      const { victim, attacker } = people()
      const there = app.browser()
      await app.signIn(there, attacker)
      const authenticator = new SoftAuthenticator(app.origin)
      const { options } = (await ask(there, { action: 'register' })).json()
      const making = answer(there, 'register', authenticator.register(options))
      await pause.reached
      await app.followLink(app.browser(), victim)
      pause.end()
      expect(errorOf(await making)).to.equal('AccountNotLinked')
      const refused = await authenticate({ browser: app.browser(), device: authenticator })
      expect(errorOf(refused)).to.equal('WebAuthnVerificationError')
    }
  })

  it('is nobody who comes from a provider that is trusted with addresses: the own link of the owner keeps the passkey that they have added', async () => {
    const app = setUp({ store: adapter(), provider: { allowDangerousEmailAccountLinking: true } })
    const { signIn, browser, followLink, userOf, clock } = app
    const ada = { ...newPerson(), emailVerified: true }
    const here = browser()
    await signIn(here, ada)
    expect((await userOf(ada)).emailVerified).to.deep.equal(new Date(clock.ms))
    const authenticator = new SoftAuthenticator(app.origin)
    await register({ browser: here, device: authenticator })
    await followLink(browser(), ada)
    const byPasskey = browser()
    expect(errorOf(await authenticate({ browser: byPasskey, device: authenticator }))).to.equal(null)
    expect(await whoIs(byPasskey)).to.equal(ada.email)
    expect((await signIn(browser(), ada)).location).to.equal(HOME)
  })
}

export default {
  add,
  addWay: (browser: TestBrowser) => register({ browser, device: new SoftAuthenticator(browser.origin) }),
}
