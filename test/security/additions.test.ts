import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { rowsOfFeatures } from '../support/of-features.js'
import { createPause, type Pause } from '../support/pause.js'
import { goTo, newPerson, type Person, setProviderUser } from '../support/sign-ins.js'
import { sessionCookies, type TestBrowser, type TestResponse, whoIs } from '../support/test-app.js'

/*
 * Somebody has a copy of a session cookie, and adds an account or a passkey while the owner signs out.
 */

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** Where a request is while the session ends. */
type Moment = 'before the account is stored' | 'in the event linkAccount'

function openPausedApp(strategy: 'jwt' | 'database', methods: readonly ('email' | 'passkey')[], moment: Moment) {
  const store = memoryAdapter()
  const pause = createPause()
  const linked: string[] = []
  const testApp = openAccountApp(idp, {
    store,
    methods,
    change: {
      async linkAccount(account) {
        if (moment === 'before the account is stored') await pause.wait()
        return store.linkAccount(account)
      },
    },
    config: {
      session: { strategy },
      events: {
        async linkAccount({ account }) {
          linked.push(account.providerAccountId)
          if (moment === 'in the event linkAccount') await pause.wait()
        },
      },
    },
  })
  return { ...testApp, pause, linked }
}

/** Begins to add something in a browser; gives the request that ends it. */
interface Addition {
  readonly begin: (
    app: ReturnType<typeof openPausedApp>,
    browser: TestBrowser,
    added: Person,
    pause: Pause,
  ) => Promise<TestResponse>
  readonly passkeys: number
}

const ADDITIONS: Readonly<Record<string, Addition>> = {
  account: {
    async begin({ clock }, browser, added, pause) {
      setProviderUser(idp, clock, added)
      const path = await goTo(browser, idp, 'other')
      pause.start()
      return browser.get(path)
    },
    passkeys: 0,
  },
  ...(await rowsOfFeatures<Addition>('additions')),
}

for (const strategy of ['database', 'jwt'] as const) {
  for (const methods of [['passkey'], ['email', 'passkey']] as const) {
    for (const [what, { begin, passkeys: addedPasskeys }] of Object.entries(ADDITIONS)) {
      describe(`SESS-14, with ${strategy} sessions and ${methods.join(', ')}: a sign-out while a copy of the cookie adds something: ${what}`, () => {
        async function addWhileOwnerSignsOut(moment: Moment) {
          const app = openPausedApp(strategy, methods, moment)
          const [person, added] = [newPerson(), newPerson(null)]
          const owner = app.browser()
          await app.signIn(owner, person, 'acme', { email_verified: true })
          const user = (await app.store.getUserByEmail(person.email ?? '')) as AdapterUser
          const before = await app.store.listAccountsByUserId(user.id)
          app.linked.length = 0
          const thief = owner.copy()
          const adding = begin(app, thief, added, app.pause)
          await app.pause.reached
          expect((await owner.signOut()).location).to.equal(app.origin)
          app.pause.end()
          const ended = await adding
          const accounts = await app.store.listAccountsByUserId(user.id)
          const passkeys = await app.store.listAuthenticatorsByUserId(user.id)
          const signedIn = sessionCookies(ended).filter(({ value }) => value !== '')
          expect(signedIn, 'no session begins').to.deep.equal([])
          expect(await whoIs(thief)).to.equal(null)
          return { ended, linked: app.linked, accounts: accounts.length - before.length, passkeys: passkeys.length }
        }

        it('removes what is stored after it, and emits no event for it', async () => {
          const { ended, ...rest } = await addWhileOwnerSignsOut('before the account is stored')
          expect(rest).to.deep.equal({ linked: [], accounts: 0, passkeys: 0 })
          expect(ended.location).to.include('error=SessionChanged')
        })

        it('keeps what was stored before it, and ends the session', async () => {
          const { linked, accounts, passkeys } = await addWhileOwnerSignsOut('in the event linkAccount')
          expect([linked.length, accounts, passkeys]).to.deep.equal([1, 1, addedPasskeys])
        })
      })
    }
  }
}
