import { expect } from 'chai'
import type { Provider } from '../../lib/index.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { Clock, type DeskAnswer, type DeskBrowser, endOf, openDesk, SESSION, sessionCookies } from '../support/desk.js'
import { FakeProvider } from '../support/fake-provider.js'
import {
  askForLink,
  goTo,
  Mailbox,
  newPerson,
  oauth,
  type Person,
  registering,
  renaming,
  seat,
} from '../support/sign-ins.js'
import { type OpenStore, type RowCounts, STORES } from '../support/stores.js'

const DAY = 24 * 60 * 60

let idp: FakeProvider
let store: OpenStore
const mailbox = new Mailbox()

/** How one kind of provider signs a person in, and what it leaves in the store the first time. */
interface Kind {
  readonly provider: () => Provider
  readonly signIn: (browser: DeskBrowser, person: Person) => Promise<DeskAnswer>
  readonly hasAccount: boolean
  /** Whether Latchkey itself makes the user. */
  readonly makesUser: boolean
  readonly provesAddress: boolean
}

const atProvider = (type: 'oidc' | 'oauth'): Kind => ({
  provider: () => oauth(idp, type),
  async signIn(browser, person) {
    seat(idp, browser.clock, person, type)
    return browser.get(await goTo(browser, idp, type))
  },
  hasAccount: true,
  makesUser: true,
  provesAddress: false,
})

const KINDS: Readonly<Record<string, Kind>> = {
  oauth: atProvider('oauth'),
  oidc: atProvider('oidc'),
  email: {
    provider: () => mailbox.provider(),
    signIn: async (browser, { email }) => browser.get(await askForLink(browser, mailbox, email)),
    hasAccount: false,
    makesUser: true,
    provesAddress: true,
  },
  credentials: {
    provider: () => registering(store.adapter),
    signIn: (browser, { email }) => browser.signIn({ email: email ?? '' }),
    hasAccount: false,
    makesUser: false,
    provesAddress: false,
  },
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
        const desk = () => {
          const told: unknown[] = []
          const opened = openDesk(
            {
              adapter: store.adapter,
              providers: [kind.provider()],
              session: { strategy },
              pages: { newUser: '/welcome' },
              events: { signIn: ({ isNewUser }) => void told.push(isNewUser) },
              ...renaming(store.adapter),
            },
            { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
          )
          return { ...opened, told }
        }
        const isStored = strategy === 'database'
        const rowOf = (browser: DeskBrowser) =>
          store.adapter.getSession(storedForm(browser.jar.get(SESSION)?.value ?? ''))

        it(`${type}, ${strategy} sessions: signs in, reads, slides, updates, ends`, async () => {
          const person = newPerson()
          const empty = await store.count()
          const { browser, clock, log } = desk()
          const ada = browser()
          await kind.signIn(ada, person)
          expect(log.errors).to.deep.equal([])
          const shown = (await ada.session())?.user
          expect([shown?.email, shown?.name ?? null]).to.deep.equal([person.email, kind.provesAddress ? null : 'Ada'])
          expect(difference(await store.count(), empty)).to.deep.equal({
            users: 1,
            accounts: kind.hasAccount ? 1 : 0,
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

        it(`${type}, ${strategy} sessions: knows somebody again, and lets a session end by itself`, async () => {
          const person = newPerson()
          const { browser, clock, log, told } = desk()
          const [phone, laptop] = [browser(), browser()]
          const first = await kind.signIn(phone, person)
          const before = await store.count()
          const again = await kind.signIn(laptop, person)
          expect([first, again].map(({ location }) => location?.split('?')[0])).to.deep.equal(
            kind.makesUser ? ['/welcome', 'http://app.example'] : ['http://app.example', 'http://app.example'],
          )
          expect(told).to.deep.equal(kind.makesUser ? [true, false] : [undefined, undefined])
          const more = { users: 0, accounts: 0, sessions: isStored ? 1 : 0, verificationTokens: 0 }
          expect(difference(await store.count(), before)).to.deep.equal(more)
          const user = await store.adapter.getUserByEmail(person.email ?? '')
          expect(user?.emailVerified instanceof Date).to.equal(kind.provesAddress)
          if (kind.hasAccount) {
            const account = await store.adapter.getAccount(person.sub, type)
            expect(account).to.include({ userId: user?.id, type, access_token: 'marked-access-token' })
          }
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
