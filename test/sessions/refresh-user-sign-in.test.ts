import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { rowsOfFeatures } from '../support/of-features.js'
import { askForLink, goTo, newPerson, oauth, type Person, setProviderUser } from '../support/sign-ins.js'
import { sessionCookies, type TestBrowser, type TestResponse, whoIs } from '../support/test-app.js'

const DENIED = 'http://app.example/auth/error?error=AccessDenied'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

function open(strategy: 'jwt' | 'database', refreshUser: number, options: AccountAppOptions = {}) {
  const events: string[] = []
  const asked: string[] = []
  const app = openAccountApp(idp, {
    methods: ['email', 'credentials', 'passkey'],
    more: [oauth(idp, 'oauth')],
    ...options,
    config: {
      session: { strategy, refreshUser },
      callbacks: { signIn: ({ account }) => asked.push(account?.provider ?? '') > 0 },
      events: {
        signIn: ({ account }) => void events.push(`signIn ${account?.provider}`),
        linkAccount: ({ account }) => void events.push(`linkAccount ${account.provider}`),
        updateUser: () => void events.push('updateUser'),
      },
    },
  })
  const userOf = async ({ email }: Person) => (await app.store.getUserByEmail(email ?? '')) as AdapterUser
  const setDisabled = async (person: Person, disabled: unknown) => {
    const { id } = await userOf(person)
    await app.store.updateUser({ id, disabled } as Partial<AdapterUser> & { id: string })
  }
  return { ...app, events, asked, userOf, setDisabled }
}

type App = ReturnType<typeof open>

/** Signs the person in whose address it gets, and gives the last answer. */
type Way = (app: App, browser: TestBrowser, person: Person) => Promise<TestResponse>

const WAYS: Readonly<Record<string, Way>> = {
  oidc: (app, browser, person) => app.signIn(browser, person),
  async oauth({ clock }, browser, person) {
    setProviderUser(idp, clock, person, 'oauth')
    return browser.get(await goTo(browser, idp, 'oauth'))
  },
  'a mailed link': async (app, browser, { email }) => browser.get(await askForLink(browser, app.mailbox, email)),
  credentials: async (_app, browser, { email }) =>
    browser.post('/auth/callback/credentials', { csrfToken: await browser.csrfToken(), email: email ?? '' }),
  ...(await rowsOfFeatures<Way>('ways-in')),
}

for (const strategy of ['jwt', 'database'] as const) {
  for (const [way, signIn] of Object.entries(WAYS)) {
    it(`a disabled user cannot sign in with ${way}, with ${strategy} sessions`, async () => {
      const app = open(strategy, 3600)
      const person = newPerson()
      const first = app.browser()
      await signIn(app, first, person)
      expect(await whoIs(first)).to.equal(person.email)
      await app.setDisabled(person, new Date())
      const stored = await app.userOf(person)
      app.events.length = 0
      const again = app.browser()
      const refused = await signIn(app, again, person)
      expect(refused.location).to.equal(DENIED)
      expect(sessionCookies(refused)).to.deep.equal([])
      expect(await whoIs(again)).to.equal(null)
      expect(app.events).to.deep.equal([])
      expect(await app.userOf(person), 'nothing was stored').to.deep.equal(stored)
      await app.setDisabled(person, null)
      await signIn(app, again, person)
      expect(await whoIs(again)).to.equal(person.email)
    })
  }

  describe(`a disabled user whose session is not over yet, with ${strategy} sessions`, () => {
    it('adds no account', async () => {
      const app = open(strategy, 3600)
      const [person, added] = [newPerson(), newPerson(null)]
      const ada = app.browser()
      await app.signIn(ada, person)
      await app.setDisabled(person, true)
      await app.signIn(ada, added, 'other')
      expect(await app.ownerOf(added, 'other')).not.to.equal((await app.userOf(person)).id)
      const { id } = await app.userOf(person)
      expect(await app.store.listAccountsByUserId(id)).to.have.length(1)
    })

    it('adds no account in a sign-in that began before', async () => {
      const app = open(strategy, 3600)
      const [person, added] = [newPerson(), newPerson(null)]
      const ada = app.browser()
      await app.signIn(ada, person)
      const { location } = await ada.post('/auth/signin/other', { csrfToken: await ada.csrfToken() })
      idp.profile = { sub: added.sub, name: added.name }
      await app.setDisabled(person, true)
      const ended = await ada.get(`/auth/callback/other?${idp.authorize(location ?? '')}`)
      expect(ended.location).to.include('error=SessionChanged')
      expect(await app.ownerOf(added, 'other')).to.equal(undefined)
    })
  })

  it(`an account is not linked by address to a disabled user, with ${strategy} sessions`, async () => {
    const app = open(strategy, 3600, { provider: { allowDangerousEmailAccountLinking: true } })
    const person = { ...newPerson(), emailVerified: true }
    await app.signIn(app.browser(), person)
    await app.setDisabled(person, true)
    const refused = await app.signIn(app.browser(), person, 'other')
    expect(refused.location).to.equal(DENIED)
    expect(await app.ownerOf(person, 'other')).to.equal(undefined)
  })

  it(`a stranger does not learn which addresses belong to disabled users, with ${strategy} sessions`, async () => {
    const app = open(strategy, 3600)
    const [person, disabled] = [newPerson(), newPerson()]
    for (const one of [person, disabled]) await app.signIn(app.browser(), one)
    await app.setDisabled(disabled, true)
    /** What a stranger is shown, without what differs at each visit: their address, and encrypted values. */
    const tried = async (person: Person) => {
      const email = String(person.email)
      const [browser, stranger] = [app.browser(), { ...newPerson(), email }]
      const { location } = await app.signIn(browser, stranger, 'other')
      const url = new URL(location ?? '')
      const { body } = await browser.get(url.pathname + url.search)
      return [url.href, body.replaceAll(email, 'the address').replaceAll(/[\w.|%-]{40,}|nonce="[^"]+"/g, 'differs')]
    }
    const [one, other] = [await tried(disabled), await tried(person)]
    expect(one).to.deep.equal(other)
  })
}

it('the signIn callback is not asked for a known account of a disabled user', async () => {
  const app = open('jwt', 3600)
  const person = newPerson()
  await app.signIn(app.browser(), person)
  await app.setDisabled(person, true)
  app.asked.length = 0
  await app.signIn(app.browser(), person)
  expect(app.asked).to.deep.equal([])
})
