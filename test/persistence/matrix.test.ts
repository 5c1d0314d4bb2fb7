import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Provider } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { FakeProvider } from '../support/fake-provider.js'
import { rowsOfFeatures } from '../support/of-features.js'
import {
  askForLink,
  goTo,
  Mailbox,
  newPerson,
  oauth,
  type Person,
  registering,
  renaming,
  setProviderUser,
} from '../support/sign-ins.js'
import { type OpenStore, type RowCounts, STORES } from '../support/stores.js'
import {
  Clock,
  endOf,
  openTestApp,
  SESSION,
  sessionCookies,
  type TestBrowser,
  type TestResponse,
} from '../support/test-app.js'

const DAY = 24 * 60 * 60

let idp: FakeProvider
let store: OpenStore
const mailbox = new Mailbox()

/** How one kind of provider signs a person in, and what it leaves in the store the first time. */
interface Kind {
  readonly provider: () => Provider
  readonly signIn: (browser: TestBrowser, person: Person) => Promise<TestResponse>
  /** The account that is linked, if any: whose it is at the provider, and what the store must have of it. */
  readonly account?: (person: Person) => { readonly id: string; readonly columns: object }
  /** Whether Latchkey itself makes the user. */
  readonly makesUser: boolean
  readonly provesAddress: boolean
  /** Whether it gives the person's name. */
  readonly givesName: boolean
  /** The passkeys, with their counters, that the store must have after the first sign-in and one more; none by default. */
  readonly passkeys?: (person: Person) => readonly (readonly [id: string, counter: number])[]
}

const atProvider = (type: 'oidc' | 'oauth'): Kind => ({
  provider: () => oauth(idp, type),
  async signIn(browser, person) {
    setProviderUser(idp, browser.clock, person, type)
    return browser.get(await goTo(browser, idp, type))
  },
  // The tokens are encrypted; test/persistence/account-tokens.test.ts searches the rows for plain ones.
  account: ({ sub }) => ({ id: sub, columns: { token_type: 'bearer' } }),
  makesUser: true,
  provesAddress: false,
  givesName: true,
})

const KINDS: Readonly<Record<string, Kind>> = {
  oauth: atProvider('oauth'),
  oidc: atProvider('oidc'),
  email: {
    provider: () => mailbox.provider(),
    signIn: async (browser, { email }) => browser.get(await askForLink(browser, mailbox, email)),
    makesUser: true,
    provesAddress: true,
    givesName: false,
  },
  credentials: {
    provider: () => registering(store.adapter),
    signIn: (browser, { email }) => browser.signIn({ email: email ?? '' }),
    makesUser: false,
    provesAddress: false,
    givesName: true,
  },
  ...(await rowsOfFeatures<Kind>('sign-in-matrix')),
}

const STRATEGIES = ['jwt', 'database'] as const

const difference = (now: RowCounts, before: RowCounts) =>
  Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count - before[name as keyof RowCounts]]))

for (const { name, requireServer, open } of STORES) {
  describe(`signing in over ${name}`, () => {
    before(async function () {
      await requireServer.call(this)
      idp = await FakeProvider.start()
      store = await open()
    })
    after(async () => {
      await idp?.stop()
      await store?.close()
    })

    for (const [type, kind] of Object.entries(KINDS)) {
      for (const strategy of STRATEGIES) {
        const testApp = () => {
          const newUsers: unknown[] = []
          const opened = openTestApp(
            {
              adapter: store.adapter,
              providers: [kind.provider()],
              session: { strategy },
              pages: { newUser: '/welcome' },
              events: { signIn: ({ isNewUser }) => void newUsers.push(isNewUser) },
              ...renaming(store.adapter),
            },
            { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
          )
          return { ...opened, newUsers }
        }
        const isStored = strategy === 'database'
        const rowOf = (browser: TestBrowser) =>
          store.adapter.getSession(storedForm(browser.jar.get(SESSION)?.value ?? ''))

        it(`${type}, ${strategy} sessions: signs in, reads, slides, updates, ends`, async () => {
          const person = newPerson()
          const empty = await store.count()
          const { browser, clock, log } = testApp()
          const ada = browser()
          await kind.signIn(ada, person)
          expect(log.errors).to.deep.equal([])
          const shown = (await ada.session())?.user
          expect([shown?.email, shown?.name ?? null]).to.deep.equal([person.email, kind.givesName ? 'Ada' : null])
          expect(difference(await store.count(), empty)).to.deep.equal({
            users: 1,
            accounts: kind.account ? 1 : 0,
            sessions: isStored ? 1 : 0,
            verificationTokens: 0,
          })

          const end = clock.seconds + 30 * DAY
          clock.advance(DAY - 60)
          expect(endOf(await ada.session()), 'too early to slide').to.equal(end)
          clock.advance(60)
          const due = await ada.get('/auth/session')
          expect(endOf(due.json()), 'slides').to.equal(end + DAY)
          expect(sessionCookies(due).map(({ expires }) => expires?.getTime())).to.deep.equal([(end + DAY) * 1000])
          const slid = isStored ? (end + DAY) * 1000 : undefined
          expect((await rowOf(ada))?.expires.getTime(), 'row and cookie slide together').to.equal(slid)

          expect((await ada.update({ name: 'Countess' })).json().user.name).to.equal('Countess')
          expect((await ada.session())?.user?.name, 'the update lasts').to.equal('Countess')

          const copy = ada.copy()
          await ada.signOut()
          expect(await copy.session(), 'ended for every copy').to.equal(null)
          expect((await store.count()).sessions).to.equal(empty.sessions)
          expect(log.errors).to.deep.equal([])
        })

        it(`${type}, ${strategy} sessions: the application knows each session by an id that is no credential`, async () => {
          const person = newPerson()
          const { browser, clock, log } = testApp()
          const [phone, laptop, stranger] = [browser(), browser(), browser()]
          const answers = [await kind.signIn(phone, person), await kind.signIn(laptop, person)]
          const first = await phone.current()
          const other = await laptop.current()
          expect(first?.id).to.match(/^[\w-]{22}$/)
          expect(first?.user?.id).to.equal((await store.adapter.getUserByEmail(person.email ?? ''))?.id)
          expect(other?.user?.id, 'one user').to.equal(first?.user?.id)
          expect(other?.id, 'two browsers').to.not.equal(first?.id)

          clock.advance(DAY)
          answers.push(await phone.get('/auth/session'))
          expect(sessionCookies(answers[2] as TestResponse), 'renewed').to.have.length.above(0)
          expect((await phone.current())?.id, 'after a renewal').to.equal(first?.id)
          answers.push(await phone.update({ name: 'Countess' }))
          expect(await phone.current(), 'after an update').to.deep.include({ id: first?.id })
          expect((await phone.copy().current())?.id, 'in another tab').to.equal(first?.id)

          stranger.plant(SESSION, first?.id ?? '')
          expect([await stranger.current(), await stranger.session()], 'as a cookie').to.deep.equal([null, null])

          answers.push(await phone.signOut())
          expect(await phone.current()).to.equal(null)
          answers.push(await kind.signIn(phone, person))
          const next = await phone.current()
          expect(next?.id, 'after a sign-out and a sign-in').to.match(/^[\w-]{22}$/)
          expect(next?.id).to.not.equal(first?.id)

          const said = JSON.stringify([
            answers.map(({ body, location, setCookies }) => [body, location, setCookies]),
            [log.lines, log.warnings, log.errors.map((error) => inspect(error))],
          ])
          for (const id of [first?.id, other?.id, next?.id]) expect(said).to.not.include(id)
        })

        it(`${type}, ${strategy} sessions: knows somebody again, and lets a session end by itself`, async () => {
          const person = newPerson()
          const { browser, clock, log, newUsers } = testApp()
          const [phone, laptop] = [browser(), browser()]
          const first = await kind.signIn(phone, person)
          const before = await store.count()
          const again = await kind.signIn(laptop, person)
          expect([first, again].map(({ location }) => location?.split('?')[0])).to.deep.equal(
            kind.makesUser ? ['/welcome', 'http://app.example'] : ['http://app.example', 'http://app.example'],
          )
          expect(newUsers).to.deep.equal(kind.makesUser ? [true, false] : [undefined, undefined])
          const more = { users: 0, accounts: 0, sessions: isStored ? 1 : 0, verificationTokens: 0 }
          expect(difference(await store.count(), before)).to.deep.equal(more)
          const user = await store.adapter.getUserByEmail(person.email ?? '')
          expect(user?.emailVerified instanceof Date).to.equal(kind.provesAddress)
          if (kind.account) {
            const { id, columns } = kind.account(person)
            expect(await store.adapter.getAccount(id, type)).to.include({ userId: user?.id, type, ...columns })
          }
          const passkeys = (await store.adapter.listAuthenticatorsByUserId(user?.id ?? '')).map(
            ({ credentialID, counter }) => [credentialID, counter],
          )
          expect(passkeys, 'passkeys and their counters').to.deep.equal(kind.passkeys?.(person) ?? [])
          await laptop.signOut()
          expect(await laptop.session()).to.equal(null)
          expect((await phone.session())?.user?.email, 'the other session stays').to.equal(person.email)

          phone.plant(SESSION, phone.jar.get(SESSION)?.value ?? '')
          clock.advance(30 * DAY + 60)
          expect(await phone.session(), 'past its end').to.equal(null)
          expect(phone.sessionNames()).to.deep.equal([])
          expect((await store.count()).sessions, 'expired rows go').to.equal(before.sessions - (isStored ? 1 : 0))
          expect(log.errors).to.deep.equal([])
        })
      }
    }
  })
}
