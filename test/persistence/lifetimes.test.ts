import { expect } from 'chai'
import type { AuthConfig, Provider } from '../../lib/index.js'
import { FakeProvider } from '../support/fake-provider.js'
import { elements } from '../support/html.js'
import { atProvider, type Box, confirm, EMPTY, linkFor, providerKinds, TICKED } from '../support/provider-kinds.js'
import { Mailbox, newPerson, oauth, registering, setProviderUser } from '../support/sign-ins.js'
import { type OpenStore, STORES } from '../support/stores.js'
import {
  Clock,
  openTestApp,
  SESSION,
  sessionCookies,
  type TestBrowser,
  type TestResponse,
} from '../support/test-app.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR

let idp: FakeProvider
let store: OpenStore
const mailbox = new Mailbox()
const KINDS = providerKinds({ idp: () => idp, store: () => store, mailbox })

/** No store has a part in the lifetimes of sessions in tokens. */
const strategiesOver = (name: string) => (name === 'memory' ? (['jwt', 'database'] as const) : (['database'] as const))

/** Whether the cookies of the session that an answer sets outlive the browser. */
const isPersistent = (given: TestResponse): boolean[] =>
  sessionCookies(given)
    .filter(({ value }) => value !== '')
    .map(({ expires, maxAge }) => expires !== undefined || maxAge !== undefined)

function openApp(strategy: 'jwt' | 'database', providers: Provider[], more: Partial<AuthConfig> = {}) {
  const { session, ...options } = more
  return openTestApp(
    { adapter: store.adapter, providers, session: { strategy, ...session }, ...options },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
}

/** A browser that keeps the cookie for ever, as a thief does. */
function thiefOf(browser: TestBrowser): TestBrowser {
  const thief = browser.copy()
  thief.plant(SESSION, browser.jar.get(SESSION)?.value ?? '')
  return thief
}

/** Uses a session every so often. Gives how long that goes; infinite if it goes on after `most`. */
async function secondsInUse(browser: TestBrowser, step: number, most: number): Promise<number> {
  for (let used = 0; used < most; used += step) {
    if ((await browser.session()) === null) return used
    browser.clock.advance(step)
  }
  return Number.POSITIVE_INFINITY
}

for (const { name, requireServer, open } of STORES) {
  describe(`lifetimes over ${name}`, () => {
    before(async function () {
      await requireServer.call(this)
      idp = await FakeProvider.start()
      store = await open()
    })
    after(async () => {
      await idp?.stop()
      await store?.close()
    })

    for (const strategy of strategiesOver(name)) {
      const asking = { session: { maxAge: DAY, updateAge: HOUR, remember: { maxAge: 30 * DAY } } }

      for (const [type, kind] of Object.entries(KINDS)) {
        for (const [says, box] of [
          ['is not ticked', EMPTY],
          ['is ticked', TICKED],
        ] as const) {
          it(`${type}, ${strategy} sessions: the box ${says}`, async () => {
            const isTicked = box === TICKED
            const { browser, clock, log } = openApp(strategy, [kind.provider()], asking)
            const ada = browser()
            const person = newPerson()
            expect(isPersistent(await kind.signIn(ada, person, box)), 'sign-in').to.deep.equal([isTicked])
            expect((await ada.session())?.user?.email).to.equal(person.email)

            clock.advance(isTicked ? 2 * DAY : 2 * HOUR)
            expect(isPersistent(await ada.get('/auth/session')), 'renewal').to.deep.equal([isTicked])
            expect(isPersistent(await ada.update({ name: 'Countess' })), 'update').to.not.include(!isTicked)

            const thief = thiefOf(ada)
            clock.advance((isTicked ? 30 * DAY : DAY) + 60)
            expect(await thief.session(), 'a copy that nobody has used').to.equal(null)
            expect(log.errors).to.deep.equal([])
          })
        }
      }

      for (const box of [EMPTY, TICKED]) {
        const isTicked = box === TICKED
        it(`${strategy} sessions: a link, followed on another device, has the box that is ${isTicked ? '' : 'not '}ticked`, async () => {
          const { browser } = openApp(strategy, [mailbox.provider()], asking)
          const path = await linkFor(mailbox, browser(), newPerson(), box)
          const forged = isTicked ? '' : '&remember=on'
          const phone = browser()
          expect((await phone.get(path + forged)).body).to.include('<form')
          // A forger adds the field; the box counts as it was in the form that requested the link.
          const more: Box = isTicked ? {} : TICKED
          expect(isPersistent(await confirm(phone, path, more))).to.deep.equal([isTicked])
        })

        it(`${strategy} sessions: adding an account keeps the choice of the session, ${isTicked ? '' : 'not '}ticked`, async () => {
          const { browser, clock } = openApp(strategy, [registering(store.adapter), oauth(idp)], asking)
          const ada = browser()
          const person = newPerson()
          await ada.signIn({ email: person.email ?? '', ...box })
          // The form at the provider has the box the other way round.
          const added = await atProvider(idp, ada, person, isTicked ? EMPTY : TICKED, 'oidc')
          expect(isPersistent(added), 'the session stays').to.not.include(!isTicked)
          clock.advance(2 * HOUR)
          expect(isPersistent(await ada.get('/auth/session')), 'renewal').to.deep.equal([isTicked])
        })
      }

      it(`${strategy} sessions: a provider that answers with \`remember\` keeps nobody signed in`, async () => {
        const { browser } = openApp(strategy, [oauth(idp)], asking)
        const ada = browser()
        setProviderUser(idp, ada.clock, newPerson())
        const { location } = await ada.post('/auth/signin/oidc', { csrfToken: await ada.csrfToken() })
        const answered = await ada.get(`/auth/callback/oidc?${idp.authorize(location ?? '')}&remember=on`)
        expect(isPersistent(answered)).to.deep.equal([false])
      })

      it(`${strategy} sessions: the box stays ticked if the provider refuses, and the page of the application learns of it`, async () => {
        for (const pages of [undefined, { signIn: '/login' }]) {
          const { browser } = openApp(strategy, [oauth(idp)], { ...asking, ...(pages && { pages }) })
          for (const box of [TICKED, EMPTY]) {
            const ada = browser()
            const { location } = await ada.post('/auth/signin/oidc', { csrfToken: await ada.csrfToken(), ...box })
            const state = new URL(location ?? '').searchParams.get('state') ?? ''
            const query = new URLSearchParams({ state, error: 'access_denied', iss: idp.issuer })
            const failed = new URL((await ada.get(`/auth/callback/oidc?${query}`)).location ?? '')
            expect(failed.searchParams.get('error')).to.equal('OAuthCallbackError')
            expect(failed.pathname).to.equal(pages ? '/login' : '/auth/signin')
            const isTicked = pages
              ? failed.searchParams.get('remember') === 'on'
              : elements((await ada.get(failed.pathname + failed.search)).body, 'input').some(
                  (input) => input.get('name') === 'remember' && input.has('checked'),
                )
            expect(isTicked).to.equal(box === TICKED)
          }
        }
      })

      it(`${strategy} sessions: two tabs with different choices get each their own`, async () => {
        const { browser } = openApp(strategy, [oauth(idp)], asking)
        const ada = browser()
        setProviderUser(idp, ada.clock, newPerson())
        const csrfToken = await ada.csrfToken()
        const ticked = await ada.post('/auth/signin/oidc', { csrfToken, ...TICKED })
        await ada.post('/auth/signin/oidc', { csrfToken })
        const answered = await ada.get(`/auth/callback/oidc?${idp.authorize(ticked.location ?? '')}`)
        expect(isPersistent(answered)).to.deep.equal([true])
      })

      // The table: what is configured, what the callback gives, and for how long the session goes on, in use and not.
      for (const [what, configured, chosen, box, idle, absolute] of [
        ['nothing', {}, true, EMPTY, 4 * HOUR, Number.POSITIVE_INFINITY],
        ['an absolute limit', { maxLifetime: 10 * HOUR }, true, EMPTY, 4 * HOUR, 10 * HOUR],
        ['a short maxAge', {}, { maxAge: HOUR }, EMPTY, HOUR, Number.POSITIVE_INFINITY],
        ['a long maxAge', {}, { maxAge: 8 * HOUR }, EMPTY, 8 * HOUR, Number.POSITIVE_INFINITY],
        ['both', {}, { maxAge: 2 * HOUR, maxLifetime: 6 * HOUR }, EMPTY, 2 * HOUR, 6 * HOUR],
        ['maxLifetime', {}, { maxLifetime: 6 * HOUR }, EMPTY, 4 * HOUR, 6 * HOUR],
        ['a longer absolute limit', { maxLifetime: 6 * HOUR }, { maxLifetime: 9 * HOUR }, EMPTY, 4 * HOUR, 6 * HOUR],
        [
          'a maxAge in place of remember',
          { remember: { maxAge: 9 * HOUR } },
          { maxAge: HOUR },
          TICKED,
          HOUR,
          Number.POSITIVE_INFINITY,
        ],
        ['remember', { remember: { maxAge: 9 * HOUR } }, true, TICKED, 9 * HOUR, Number.POSITIVE_INFINITY],
        [
          'remember and an absolute limit',
          { remember: { maxAge: 9 * HOUR }, maxLifetime: 12 * HOUR },
          true,
          TICKED,
          9 * HOUR,
          12 * HOUR,
        ],
      ] as const) {
        it(`${strategy} sessions with ${what}: idle ${idle / HOUR} h, absolute ${absolute / HOUR} h`, async () => {
          const signIn = () => (chosen === true ? true : { session: chosen })
          const session = { maxAge: 4 * HOUR, updateAge: 0, ...configured }
          const app = openApp(strategy, [registering(store.adapter)], { session, callbacks: { signIn } })
          const signedIn = async () => {
            const ada = app.browser()
            await ada.signIn({ email: newPerson().email ?? '', ...box })
            expect(await ada.session()).to.not.equal(null)
            return ada
          }
          const unused = thiefOf(await signedIn())
          app.clock.advance(idle - 60)
          const later = thiefOf(unused)
          expect(await later.session(), 'just before the idle limit').to.not.equal(null)
          const again = thiefOf(await signedIn())
          app.clock.advance(idle + 60)
          expect(await again.session(), 'just after the idle limit').to.equal(null)
          expect(await secondsInUse(thiefOf(await signedIn()), HOUR / 2, 16 * HOUR), 'in use').to.equal(absolute)
        })
      }
    }
  })
}
