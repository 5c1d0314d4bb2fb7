import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, type RequestRefused, requireAuth } from '../../lib/index.js'
import type { RemainingWay } from '../../lib/users/ask-confirmation.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { createLog, startApp, testConfig } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { createPause } from '../support/pause.js'
import { requestContext } from '../support/request-context.js'
import { askForLink, confirmLink, Mailbox, newPerson, oauth, type Person, registering } from '../support/sign-ins.js'
import { asAuthjsHasIt, type OpenStore, STORES } from '../support/stores.js'
import { openTestApp, SESSION, type TestBrowser, whoIs } from '../support/test-app.js'

const HOME = 'http://app.example'
const NOT_CONFIRMED = `${HOME}/auth/error?error=EmailNotConfirmed`
const NOT_LINKED = `${HOME}/auth/signin?error=OAuthAccountNotLinked`

/** Where an answer leads, without the encrypted hint, which has the ways that the owner of the address has. */
let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

interface Setting extends Pick<AccountAppOptions, 'store' | 'change' | 'provider'> {
  readonly withPasswords?: boolean
  readonly options?: Partial<AuthConfig>
}

/** An app with two providers, passkeys and mailed links, and passwords if it is to have them. */
function setUp({ withPasswords = false, options = {}, ...stores }: Setting = {}) {
  const emitted: string[] = []
  const events: AuthConfig['events'] = {
    updateUser: () => void emitted.push('updateUser'),
    linkAccount: () => void emitted.push('linkAccount'),
  }
  const app = openAccountApp(idp, {
    ...stores,
    methods: ['passkey', 'email', ...(withPasswords ? (['credentials'] as const) : [])],
    config: { events, ...options },
  })
  const { store, mailbox } = app
  /** Follows a mailed link in the browser that asked for it. */
  const followLink = async (browser: TestBrowser, { email }: Person) =>
    browser.get(await askForLink(browser, mailbox, email))
  const userOf = async ({ email }: Person) => (await store.getUserByEmail(email ?? '')) as AdapterUser
  return { ...app, emitted, followLink, userOf }
}

/** The victim, and an attacker who has taken the address at a provider that verifies none. */
function people() {
  const victim = newPerson()
  return { victim, attacker: { ...newPerson(), email: victim.email }, alias: newPerson() }
}

/** What a test of a feature works with. */
interface Squat {
  readonly setUp: typeof setUp
  readonly people: typeof people
  readonly adapter: () => Required<Adapter>
}

const OF_FEATURES = await ofFeatures<{
  /** Adds tests. */
  readonly add: (squat: Squat) => void
  /** Adds a way to sign in. */
  readonly addWay: (browser: TestBrowser) => Promise<unknown>
}>('account-pre-hijacking')

for (const kind of STORES.filter(({ name }) => ['memory', 'SQLite', 'PostgreSQL'].includes(name))) {
  describe(`ACCT-05 an attacker who signed up with the victim’s address, on ${kind.name},`, () => {
    let open: OpenStore
    before(async function () {
      await kind.requireServer.call(this)
      open = await kind.open()
    })
    after(() => open?.close())

    for (const strategy of ['jwt', 'database'] as const) {
      it(`has no account or session left when the owner follows a mailed link, with ${strategy} sessions`, async () => {
        const app = setUp({ store: open.adapter, options: { session: { strategy } } })
        const { signIn, browser, followLink, userOf, store } = app
        const { victim, attacker, alias } = people()
        const there = browser()
        await signIn(there, attacker)
        await signIn(there, alias, 'other')
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
        expect(await whoIs(there)).to.equal(null)
        expect(await whoIs(own), 'the owner stays').to.equal(victim.email)
      })
    }

    for (const [age, minutes] of [
      ['old', 16],
      ['new', 0],
    ] as const) {
      it(`keeps nothing by a link that is opened in another browser, nor by ${age === 'old' ? 'an' : 'a'} ${age} session planted in the victim’s (ACCT-05)`, async () => {
        const { signIn, browser, mailbox, userOf, store, clock } = setUp({ store: open.adapter })
        const { victim, attacker } = people()
        const there = browser()
        await signIn(there, attacker)
        clock.advance(minutes * 60)
        const own = browser()
        // What a sibling host can set. It cannot set a cookie with the prefix __Host-, such as the one of an own sign-in.
        own.plant(SESSION, there.jar.get(SESSION)?.value ?? '')
        expect(await whoIs(own)).to.equal(victim.email)
        const path = await askForLink(browser(), mailbox, victim.email)
        expect((await confirmLink(own, path)).location).to.equal(HOME)
        expect(await store.listAccountsByUserId((await userOf(victim)).id)).to.deep.equal([])
        expect(await whoIs(there)).to.equal(null)
      })
    }

    it('is refused with a password, unless the application ends that', async () => {
      const { victim, alias } = people()
      const plain = setUp({ store: open.adapter, withPasswords: true })
      const there = plain.browser()
      await there.signIn({ email: victim.email ?? '' })
      await plain.signIn(there, alias, 'other')
      const { id } = await plain.userOf(victim)
      const own = plain.browser()
      const path = await askForLink(own, plain.mailbox, victim.email)
      const refused = await own.get(path)
      expect(refused.location).to.equal(NOT_CONFIRMED)
      const page = await own.get('/auth/error?error=EmailNotConfirmed')
      expect(page.status).to.equal(403)
      expect(page.body).to.include('sign in that way again').and.include('The link has been used up.')
      expect(await whoIs(own)).to.equal(null)
      expect(plain.log.errors.at(-1)?.message).to.include('callbacks.confirmEmail')
      expect((await confirmLink(own, path)).location, 'the link is gone').to.include('error=Verification')
      const user = await plain.userOf(victim)
      expect([user.id, user.emailVerified], 'nothing has changed').to.deep.equal([id, null])
      expect(await plain.store.listAccountsByUserId(id)).to.have.length(1)
      expect(await whoIs(there)).to.equal(victim.email)
      expect(plain.emitted).to.deep.equal(['linkAccount'])

      const asked: [string, readonly RemainingWay[]][] = []
      const mended = setUp({
        store: open.adapter,
        withPasswords: true,
        options: {
          callbacks: {
            confirmEmail: ({ user, remaining }) => {
              asked.push([user.id, remaining])
              return true
            },
          },
        },
      })
      const again = mended.browser()
      expect((await mended.followLink(again, victim)).location).to.equal(HOME)
      // Once before the address counts as confirmed, and once after it: something may have been added in between.
      expect(asked).to.deep.equal([
        [id, ['password']],
        [id, ['password']],
      ])
      expect(await mended.store.listAccountsByUserId(id)).to.deep.equal([])
      expect(await whoIs(there)).to.equal(null)
      expect(await whoIs(again)).to.equal(victim.email)
    })

    describe('who acts during the confirmation', () => {
      it('and links an account while the owner confirms has it taken back', async () => {
        const pause = createPause()
        pause.start()
        const change: Partial<Adapter> = {
          async linkAccount(account) {
            if (account.provider === 'other') await pause.wait()
            return open.adapter.linkAccount(account)
          },
        }
        const { signIn, browser, followLink, ...app } = setUp({ store: open.adapter, change })
        const { victim, attacker, alias } = people()
        const there = browser()
        await signIn(there, attacker)
        const linking = signIn(there, alias, 'other')
        await pause.reached
        const own = browser()
        await followLink(own, victim)
        pause.end()
        expect((await linking).location).to.equal(NOT_LINKED)
        expect(await app.store.listAccountsByUserId((await app.userOf(victim)).id)).to.deep.equal([])
        expect(app.emitted).to.deep.equal(['linkAccount', 'updateUser'])
        expect(await whoIs(own)).to.equal(victim.email)
      })

      it('and links one between the end of the others and the confirmation loses that, too', async () => {
        const { victim, attacker, alias } = people()
        let linkNow = async () => {}
        const change: Partial<Adapter> = {
          async updateUser(user) {
            await linkNow()
            return open.adapter.updateUser(user)
          },
        }
        const app = setUp({ store: open.adapter, change })
        await app.signIn(app.browser(), attacker)
        const { id } = await app.userOf(victim)
        linkNow = async () => {
          linkNow = async () => {}
          await app.store.linkAccount({ userId: id, provider: 'other', type: 'oidc', providerAccountId: alias.sub })
        }
        const own = app.browser()
        await app.followLink(own, victim)
        expect(await app.store.listAccountsByUserId(id)).to.deep.equal([])
        expect(await whoIs(own)).to.equal(victim.email)
      })

      it('and signs in while the owner confirms is not', async () => {
        const pause = createPause()
        const change: Partial<Adapter> = {
          async createSession(session) {
            await pause.wait()
            return open.adapter.createSession(session)
          },
        }
        const { signIn, browser, followLink } = setUp({ store: open.adapter, change })
        const { victim, attacker } = people()
        await signIn(browser(), attacker)
        const there = browser()
        pause.start()
        const signingIn = signIn(there, attacker)
        await pause.reached
        const own = browser()
        await followLink(own, victim)
        pause.end()
        expect((await signingIn).location).to.equal(NOT_LINKED)
        expect(there.sessionNames()).to.deep.equal([])
        expect(await whoIs(own)).to.equal(victim.email)
      })

      it('and signs up while the owner comes in as the user that was just made keeps nothing, and deletes nobody', async () => {
        const pause = createPause()
        pause.start()
        const change: Partial<Adapter> = {
          async linkAccount(account) {
            await pause.wait()
            return open.adapter.linkAccount(account)
          },
        }
        const { signIn, browser, followLink, userOf, store } = setUp({ store: open.adapter, change })
        const { victim, attacker } = people()
        const signingUp = signIn(browser(), attacker)
        await pause.reached
        const own = browser()
        await followLink(own, victim)
        pause.end()
        expect((await signingUp).location).to.equal(NOT_LINKED)
        const { id, emailVerified } = await userOf(victim)
        expect(Boolean(emailVerified)).to.equal(true)
        expect(await store.listAccountsByUserId(id)).to.deep.equal([])
        expect(await whoIs(own)).to.equal(victim.email)
      })

      it('keeps nothing where two links are followed at the same moment', async () => {
        const { signIn, browser, mailbox, userOf, store } = setUp({ store: open.adapter })
        const { victim, attacker } = people()
        await signIn(browser(), attacker)
        const browsers = [browser(), browser()]
        const paths: string[] = []
        for (const own of browsers) paths.push(await askForLink(own, mailbox, victim.email))
        const answers = await Promise.all(browsers.map((own, index) => own.get(paths[index] ?? '')))
        expect(answers.map(({ location }) => location)).to.deep.equal([HOME, HOME])
        expect(await store.listAccountsByUserId((await userOf(victim)).id)).to.deep.equal([])
        expect(await Promise.all(browsers.map(whoIs))).to.deep.equal([victim.email, victim.email])
        expect((await signIn(browser(), attacker)).location).to.equal(NOT_LINKED)
      })
    })

    it('who fails to be ended for a fault of the store is ended by the next link', async () => {
      let isDown = true
      const change: Partial<Adapter> = {
        unlinkAccount: async (key) => {
          if (isDown && key.provider === 'other') throw new Error('connect ECONNREFUSED')
          return open.adapter.unlinkAccount(key)
        },
      }
      const { signIn, browser, followLink, userOf, store } = setUp({ store: open.adapter, change })
      const { victim, attacker, alias } = people()
      const there = browser()
      await signIn(there, attacker)
      await signIn(there, alias, 'other')
      const own = browser()
      expect((await followLink(own, victim)).location).to.equal(
        `${HOME}/auth/error?error=Configuration&code=Unavailable`,
      )
      expect((await userOf(victim)).emailVerified).to.equal(null)
      expect(await whoIs(own)).to.equal(null)
      isDown = false
      await followLink(own, victim)
      expect(await store.listAccountsByUserId((await userOf(victim)).id)).to.deep.equal([])
      expect(await whoIs(own)).to.equal(victim.email)
    })

    describe('is anybody who comes from a provider that is not trusted with addresses, whatever it says of them:', () => {
      it('it has not confirmed the address for mail, so a mailed link ends what it has', async () => {
        const { signIn, browser, followLink, userOf, store } = setUp({ store: open.adapter })
        const { victim, attacker } = people()
        const there = browser()
        for (const _ of ['a first sign-in', 'a later one']) {
          await signIn(there, { ...attacker, emailVerified: true })
          expect((await userOf(victim)).emailVerified).to.equal(null)
        }
        await followLink(browser(), victim)
        expect(await store.listAccountsByUserId((await userOf(victim)).id)).to.deep.equal([])
        expect(await whoIs(there)).to.equal(null)
      })

      it('it has not confirmed the address for a provider that is trusted', async () => {
        const trusted = oauth(idp, 'oidc', { id: 'trusted', allowDangerousEmailAccountLinking: true })
        const { signIn, browser, store } = openAccountApp(idp, { store: open.adapter, more: [trusted] })
        const { victim, attacker } = people()
        await signIn(browser(), { ...attacker, emailVerified: true })
        const own = browser()
        expect((await signIn(own, { ...victim, emailVerified: true }, 'trusted')).location).to.equal(NOT_LINKED)
        expect(await whoIs(own)).to.equal(null)
        const account = { provider: 'trusted', providerAccountId: victim.sub }
        expect(await store.getUserByAccount(account)).to.equal(null)
      })
    })

    describe('is nobody who comes from a provider that has verified the address, and is trusted with addresses:', () => {
      const verified = { emailVerified: true }
      const provider = { allowDangerousEmailAccountLinking: true }

      it('the first sign-in confirms it, and the owner’s own link keeps what the owner has added', async () => {
        const app = setUp({ store: open.adapter, provider })
        const { signIn, browser, followLink, userOf, clock } = app
        const ada = { ...newPerson(), ...verified }
        const here = browser()
        await signIn(here, ada)
        expect((await userOf(ada)).emailVerified).to.deep.equal(new Date(clock.ms))
        await followLink(browser(), ada)
        expect((await signIn(browser(), ada)).location).to.equal(HOME)
      })

      /** A user of Auth.js's, whom nobody ever called confirmed, with an account at the provider. */
      const known = async (setting: Setting = {}) => {
        const app = setUp({ store: open.adapter, provider, ...setting })
        const ada = newPerson()
        await app.signIn(app.browser(), ada)
        app.emitted.length = 0
        const comeAgain = async (person: Person) => {
          const here = app.browser()
          await app.signIn(here, person)
          expect(await whoIs(here)).to.equal(ada.email)
          return Boolean((await app.userOf(ada)).emailVerified)
        }
        return { ...app, ada, comeAgain }
      }

      it('a later sign-in confirms it as well if it is the only sign-in method, and ends the earlier sessions', async () => {
        const { ada, comeAgain, emitted, browser, signIn } = await known()
        const open = browser()
        await signIn(open, ada)
        expect(await comeAgain({ ...ada, ...verified })).to.equal(true)
        expect(emitted).to.deep.equal(['updateUser'])
        expect(await whoIs(open)).to.equal(null)
        expect(await comeAgain({ ...ada, ...verified })).to.equal(true)
        expect(emitted, 'once').to.deep.equal(['updateUser'])
      })

      it('but not with an unverified address, with another address, or beside other sign-in methods', async () => {
        const one = await known()
        expect(await one.comeAgain({ ...one.ada, emailVerified: 'maybe' })).to.equal(false)
        expect(await one.comeAgain({ ...one.ada, email: newPerson().email, ...verified })).to.equal(false)
        const withPassword = await known({ withPasswords: true, options: { callbacks: { confirmEmail: () => true } } })
        expect(await withPassword.comeAgain({ ...withPassword.ada, ...verified })).to.equal(false)
        const withAccount = await known()
        const here = withAccount.browser()
        await withAccount.signIn(here, withAccount.ada)
        await withAccount.signIn(here, newPerson(), 'other')
        expect(await withAccount.comeAgain({ ...withAccount.ada, ...verified })).to.equal(false)
        for (const { addWay } of OF_FEATURES) {
          const withMore = await known()
          const there = withMore.browser()
          await withMore.signIn(there, withMore.ada)
          await addWay(there)
          expect(await withMore.comeAgain({ ...withMore.ada, ...verified })).to.equal(false)
        }
        const ofAuthjs = await known({ store: asAuthjsHasIt(open.adapter) })
        expect(await ofAuthjs.comeAgain({ ...ofAuthjs.ada, ...verified })).to.equal(false)
      })

      it('and not where somebody adds a way in at that moment', async () => {
        const { ada, comeAgain, userOf, store } = await known({
          change: {
            async updateUser(user) {
              if (user.emailVerified) {
                const alias = newPerson().sub
                await store.linkAccount({ userId: user.id, provider: 'other', type: 'oidc', providerAccountId: alias })
              }
              return open.adapter.updateUser(user)
            },
          },
        })
        expect(await comeAgain({ ...ada, ...verified })).to.equal(false)
        expect((await userOf(ada)).emailVerified).to.equal(null)
      })
    })

    for (const { add } of OF_FEATURES) add({ setUp, people, adapter: () => open.adapter })
  })
}

describe('ACCT-05 the issued tokens and sessions in tokens of a squatter', () => {
  for (const isOwner of [false, true])
    it(`leave the list and the bound when a link confirms the address, ${isOwner ? 'also in the browser of the one who was there' : 'and none of them is good'}`, async () => {
      const store = memoryAdapter()
      const session = { strategy: 'jwt' as const, revocation: { store } }
      const { signIn, browser, followLink, userOf, engine } = setUp({ store, options: { bearer: true, session } })
      const { victim, attacker } = people()
      const there = browser()
      await signIn(there, attacker)
      await signIn(browser(), attacker)
      const at = (one: TestBrowser) => requestContext(one.cookieHeader(), one.origin)
      for (let count = 0; count < 100; count += 1) await engine.issueToken(at(there), { maxAge: 6000 })
      expect(await errorOfIssuing(engine.issueToken(at(there), { maxAge: 6000 }))).to.equal(409)

      const own = isOwner ? there : browser()
      await followLink(own, victim)
      expect(await whoIs(own)).to.equal(victim.email)
      const listed = await engine.listSessions(at(own))
      expect(listed?.map(({ isCurrent, kind }) => [isCurrent, kind])).to.deep.equal([[true, 'browser']])
      expect((await engine.issueToken(at(own), { maxAge: 600 })).id).to.be.a('string')
      const { id } = await userOf(victim)
      expect(await store.listTokenSessionsByUserId(id)).to.have.length(2)
    })
})

const errorOfIssuing = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ status }: RequestRefused) => status,
  )

describe('ACCT-05 an adapter of Auth.js’s methods only', () => {
  it('says at the start, and in the log, what it cannot end, and confirms nothing', async () => {
    const { signIn, browser, followLink, log, userOf } = setUp({ store: asAuthjsHasIt(memoryAdapter()) })
    expect(log.warnings).to.deep.equal(['sign-in-time-unknown', 'unconfirmed-addresses'])
    const { victim, attacker } = people()
    await signIn(browser(), attacker)
    expect((await followLink(browser(), victim)).location).to.equal(NOT_CONFIRMED)
    expect(log.errors.at(-1)?.message).to.match(
      /listAccountsByUserId\(\) and unlinkAccount\(\).*deleteSessionsByUserId\(\)/,
    )
    expect((await userOf(victim)).emailVerified).to.equal(null)
  })

  it('confirms whom the application made, where mailed links are the only way to sign in', async () => {
    const store = asAuthjsHasIt(memoryAdapter())
    const mailbox = new Mailbox()
    const testApp = openTestApp({ adapter: store, providers: [mailbox.provider()] })
    const { email } = newPerson()
    await store.createUser({ id: '', email: email ?? '', emailVerified: null })
    const own = testApp.browser()
    expect((await own.get(await askForLink(own, mailbox, email))).location).to.equal(HOME)
    expect(await whoIs(own)).to.equal(email)
    expect(testApp.log.warnings).to.deep.equal([])
  })
})

describe('accounts-ended', () => {
  it('logs how many accounts a confirmation deleted, and not whose they were', async () => {
    const logged: unknown[] = []
    const logger = { warn: (...warning: unknown[]) => logged.push(warning), error() {} }
    const app = setUp({ options: { logger } })
    const { victim, attacker, alias } = people()
    const there = app.browser()
    await app.signIn(there, attacker)
    await app.signIn(there, alias, 'other')
    expect((await app.followLink(app.browser(), victim)).location).to.equal(HOME)
    expect(logged).to.have.lengthOf(1)
    expect(logged[0]).to.deep.include.members(['accounts-ended', { accounts: 2, passkeys: 0 }])
    await app.followLink(app.browser(), victim)
    expect(logged, 'a confirmed address ends nothing').to.have.lengthOf(1)
  })
})

describe('unconfirmed-addresses', () => {
  const warned = (withPasswords: boolean, options: Partial<AuthConfig> = {}) =>
    setUp({ withPasswords, options }).log.warnings

  it('is a warning of the start where passwords and mailed links are together and nobody ends the passwords', () => {
    expect(warned(true)).to.deep.equal(['unconfirmed-addresses'])
    expect(warned(true, { callbacks: { confirmEmail: () => true } })).to.deep.equal([])
    expect(warned(false)).to.deep.equal([])
    expect(warned(true, { providers: [registering(memoryAdapter())] })).to.deep.equal([])
  })
})

describe('over a socket', () => {
  for (const kind of STORES.filter(({ name }) => ['memory', 'SQLite'].includes(name))) {
    it(`ACCT-05: the attacker's token session ends, with all copies, when the owner confirms the address, on ${kind.name}`, async () => {
      const store = await kind.open()
      const mailbox = new Mailbox()
      const config = testConfig({
        adapter: store.adapter,
        providers: [mailbox.provider(), registering(store.adapter)],
        session: { strategy: 'jwt' },
        callbacks: { confirmEmail: () => true },
        logger: createLog().logger,
      })
      const app = await startApp(config, (express) => {
        express.get('/guarded', requireAuth(config), (_req, res) => res.send('in'))
      })
      try {
        const { email } = newPerson()
        const attacker = app.visitor()
        await attacker.signIn({ email: email ?? '' })
        const early = attacker.copy()
        await attacker.postJson('/auth/session', { csrfToken: await attacker.csrfToken(), data: {} })
        expect((await attacker.get('/guarded')).text).to.equal('in')
        const own = app.visitor()
        await own.post('/auth/signin/email', { csrfToken: await own.csrfToken(), email: email ?? '' })
        expect((await own.get(mailbox.pathFor(email))).location?.pathname).to.equal('/')
        for (const copy of [attacker, early]) {
          expect(await copy.session()).to.equal(null)
          expect((await copy.get('/guarded')).text).not.to.equal('in')
        }
        expect((await own.get('/guarded')).text).to.equal('in')
      } finally {
        await app.close()
        await store.close()
      }
    })
  }

  it('ACCT-05: a link that would join two people leads to a page that says so, and nobody is signed in', async () => {
    const store = memoryAdapter()
    const mailbox = new Mailbox()
    const providers = [mailbox.provider(), registering(store)]
    const log = createLog()
    const app = await startApp(testConfig({ adapter: store, providers, logger: log.logger }))
    try {
      const { email } = newPerson()
      await app.visitor().signIn({ email: email ?? '' })
      const own = app.visitor()
      await own.post('/auth/signin/email', { csrfToken: await own.csrfToken(), email: email ?? '' })
      const answer = await own.get(mailbox.pathFor(email))
      expect(answer.location?.pathname).to.equal('/auth/error')
      const page = await own.get(answer.location?.href ?? '')
      expect([page.status, page.text.includes('This address is not confirmed')]).to.deep.equal([403, true])
      expect(await own.session()).to.equal(null)
      expect(log.errors.map(({ name }) => name)).to.deep.equal(['EmailNotConfirmed'])
    } finally {
      await app.close()
    }
  })
})
