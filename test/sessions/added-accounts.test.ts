import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import type { JWTCallbackParams } from '../../lib/sessions/jwt-claims.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { newPerson } from '../support/sign-ins.js'
import { SESSION, type TestBrowser } from '../support/test-app.js'

/** What the session route shows of a session. */
const shownOf = async (browser: TestBrowser) => (await browser.get('/auth/session')).json()

describe('a session in which an account is added', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  function setUp(session: AuthConfig['session'] & object) {
    const told: JWTCallbackParams[] = []
    const events: string[] = []
    const app = openAccountApp(idp, {
      methods: [],
      config: {
        session: { exposeIds: true, ...session },
        callbacks: {
          jwt: (params) => {
            const { token, account } = params
            if (account) told.push(structuredClone(params))
            return account
              ? { role: 'pilot', ...token, accounts: [token['accounts'] ?? [], account.provider].flat() }
              : token
          },
          session: (params) => ({
            ...params.session,
            ...(params.token && { role: params.token['role'], accounts: params.token['accounts'] }),
          }),
        },
        events: {
          signIn: ({ account }) => void events.push(`signIn ${account?.provider}`),
          linkAccount: ({ account }) => void events.push(`linkAccount ${account.provider}`),
        },
      },
    })
    return { ...app, told, events }
  }

  it('stays with its id, its claims and the time of its sign-in, and the jwt callback is told of the account', async () => {
    const { browser, signIn, told, events, clock } = setUp({ strategy: 'jwt' })
    const [ada, person] = [browser(), newPerson()]
    await signIn(ada, person)
    const before = await shownOf(ada)
    expect(before.accounts).to.deep.equal(['acme'])
    events.length = 0
    clock.advance(60)
    await signIn(ada, newPerson(), 'other')
    const after = await shownOf(ada)
    expect(after).to.include({ id: before.id, role: 'pilot' })
    expect(after.accounts).to.deep.equal(['acme', 'other'])
    expect(told.map(({ trigger, isNewUser, account }) => [trigger, isNewUser, account?.provider])).to.deep.equal([
      ['signUp', true, 'acme'],
      ['signIn', false, 'other'],
    ])
    expect(told[1]?.user?.email, 'the stored user').to.equal(person.email)
    expect(told[1]?.profile?.sub, 'the profile of what was added').not.to.equal(told[0]?.profile?.sub)
    expect(events).to.deep.equal(['linkAccount other', 'signIn other'])
    clock.advance(15 * 60 - 60)
    await signIn(ada, newPerson(), 'other')
    clock.advance(1)
    const late = await signIn(ada, newPerson(), 'acme')
    expect(late.location, 'the sign-in is that of before').to.include('error=RecentSignInRequired')
  })

  it('stays as it is in a store', async () => {
    const { browser, signIn, store, clock } = setUp({ strategy: 'database' })
    const ada = browser()
    await signIn(ada, newPerson())
    const cookie = ada.jar.get(SESSION)?.value
    const user = (await shownOf(ada)).user
    const [row] = await store.listSessionsByUserId(user.id)
    clock.advance(60)
    await signIn(ada, newPerson(), 'other')
    expect(ada.jar.get(SESSION)?.value).to.equal(cookie)
    expect(await store.listSessionsByUserId(user.id)).to.deep.equal([row])
  })
})
