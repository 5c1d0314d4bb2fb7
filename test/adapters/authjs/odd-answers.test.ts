import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { askForLink, goTo, Mailbox, newPerson, oauth, registering, setProviderUser } from '../../support/sign-ins.js'
import { Clock, openTestApp, SESSION } from '../../support/test-app.js'

const DAY = 24 * 60 * 60

/** The memory of this process, with what each method answers changed on its way out. */
function answering(change: (name: string, answer: unknown) => unknown): Required<Adapter> {
  const entries = Object.entries(memoryAdapter()).map(([name, method]) => [
    name,
    async (...args: unknown[]) => change(name, await (method as (...args: unknown[]) => unknown)(...args)),
  ])
  return Object.fromEntries(entries) as Required<Adapter>
}

/** A value with each of its dates in another form, however deep. */
function dated(value: unknown, form: (date: Date) => unknown): unknown {
  if (value instanceof Date) return form(value)
  if (Array.isArray(value)) return value.map((each) => dated(each, form))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dated(member, form)]))
}

/** Calls whose answer the contract of Auth.js lets be nothing. */
const WRITES = /^(?:linkAccount|createSession|updateSession|deleteSession|createVerificationToken)$/

/** What adapters written for Auth.js do, which it puts up with. */
const HABITS: Readonly<Record<string, (name: string, answer: unknown) => unknown>> = {
  'answer undefined where there is nothing': (_name, answer) => answer ?? undefined,
  'answer nothing to what they write': (name, answer) => (WRITES.test(name) ? undefined : answer),
  'give dates as text': (_name, answer) => dated(answer, (date) => date.toISOString()),
  'give dates as numbers': (_name, answer) => dated(answer, (date) => date.getTime()),
  'give rows that cannot be changed': (_name, answer) => Object.freeze(answer),
  'throw when there is nothing to change or delete': (name, answer) => {
    if (/^(?:updateSession|deleteSession)$/.test(name) && !answer) throw new Error('P2025: no such record')
    return answer
  },
}

for (const [habit, change] of Object.entries(HABITS)) {
  describe(`adapters that ${habit}`, () => {
    let idp: FakeProvider
    before(async () => {
      idp = await FakeProvider.start()
    })
    after(() => idp.stop())

    const setUp = () => {
      const adapter = answering(change)
      const mailbox = new Mailbox()
      const providers = [oauth(idp), oauth(idp, 'oidc', { id: 'other' }), mailbox.provider(), registering(adapter)]
      const clock = new Clock(Math.floor(Date.now() / 1000) * 1000)
      return {
        ...openTestApp({ adapter, providers, session: { recentAuthAge: Number.POSITIVE_INFINITY } }, { clock }),
        adapter,
        mailbox,
      }
    }

    it('sign people in at a provider, know them again, link, slide and end', async () => {
      const { browser, clock, log } = setUp()
      const [person, elsewhere] = [newPerson(), newPerson()]
      const [ada, again] = [browser(), browser()]
      setProviderUser(idp, clock, person)
      await ada.get(await goTo(ada, idp))
      expect((await ada.session())?.user?.email).to.equal(person.email)

      clock.advance(2 * DAY)
      const end = new Date(clock.ms + 30 * DAY * 1000).toISOString()
      expect((await ada.session())?.expires, 'slides').to.equal(end)
      setProviderUser(idp, clock, elsewhere)
      expect((await ada.get(await goTo(ada, idp, 'other'))).location, 'links').to.equal('http://app.example')
      expect((await ada.session())?.user?.email).to.equal(person.email)
      setProviderUser(idp, clock, person)
      await again.get(await goTo(again, idp))
      expect((await again.session())?.user?.email, 'knows them again').to.equal(person.email)

      await ada.signOut()
      expect(await ada.session()).to.equal(null)
      again.plant(SESSION, again.jar.get(SESSION)?.value ?? '')
      clock.advance(31 * DAY)
      expect(await again.session(), 'past its end').to.equal(null)
      expect(log.errors).to.deep.equal([])
    })

    it('sign people in with a mailed link, new and known, once', async () => {
      const { browser, mailbox, log } = setUp()
      const { email } = newPerson()
      for (const _ of ['new', 'known']) {
        const ada = browser()
        const path = await askForLink(ada, mailbox, email)
        await ada.get(path)
        expect((await ada.session())?.user?.email).to.equal(email)
        const { csrfToken, ...fields } = { csrfToken: await ada.csrfToken(), ...linkFields(path) }
        const used = await ada.post('/auth/callback/email', { csrfToken, ...fields })
        expect(used.location).to.include('error=Verification')
      }
      expect(log.errors.map(({ message }) => message).filter((message) => !message.includes('the link'))).to.be.empty
    })

    it('have sessions that Auth.js wrote moved in', async () => {
      const { adapter, browser, clock, log } = setUp()
      const { email } = newPerson()
      await browser().signIn({ email: email ?? '' })
      const user = await adapter.getUserByEmail(email ?? '')
      const expires = new Date(clock.ms + 29.5 * DAY * 1000)
      await adapter.createSession({ sessionToken: 'as-auth-js-kept-it', userId: user?.id ?? '', expires })
      const ada = browser()
      ada.plant(SESSION, 'as-auth-js-kept-it')
      for (const _ of ['moved', 'there']) {
        expect(await ada.session())
          .to.deep.include({ expires: expires.toISOString() })
          .nested.include({ 'user.email': email })
      }
      await ada.signOut()
      ada.plant(SESSION, 'as-auth-js-kept-it')
      expect(await ada.session()).to.equal(null)
      expect(log.errors).to.deep.equal([])
    })
  })
}

const linkFields = (path: string) => {
  const { token = '', email = '' } = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
  return { token, email }
}

describe('a session whose end is no date', () => {
  for (const expires of [null, undefined, 'tomorrow', Number.NaN]) {
    it(`is a fault of the store, neither over nor without an end: ${expires}`, async () => {
      let isBroken = false
      const adapter = answering((name, answer) =>
        isBroken && name === 'getSessionAndUser' && answer
          ? { ...answer, session: { ...(answer as { session: object }).session, expires } }
          : answer,
      )
      const { browser } = openTestApp({ adapter, providers: [registering(adapter)] })
      const { email } = newPerson()
      const ada = browser()
      await ada.signIn({ email: email ?? '' })
      isBroken = true
      expect(await ada.get('/auth/session')).to.include({ status: 503, body: 'null' })
      expect(ada.sessionNames()).to.deep.equal([SESSION])
      isBroken = false
      expect((await ada.session())?.user?.email).to.equal(email)
    })
  }
})
