import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Passkey from '../../lib/providers/passkey.js'
import type { SessionCallback } from '../../lib/sessions/session.js'
import { answer, ask } from '../flows/webauthn/ceremonies.js'
import { SoftAuthenticator } from '../support/authenticator.js'
import { FakeProvider } from '../support/fake-provider.js'
import { askForLink, goTo, Mailbox, newPerson, oauth, type Person, seat } from '../support/sign-ins.js'
import { Clock, openTestApp, type TestBrowser } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** Holds somebody up at a point, once, until they are let on. */
function createStop() {
  const { promise: passed, resolve: letOn } = deferred()
  const { promise: reached, resolve: reach } = deferred()
  let isSet = false
  return {
    set: () => {
      isSet = true
    },
    async pass() {
      if (!isSet) return
      isSet = false
      reach()
      await passed
    },
    reached,
    letOn,
  }
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** A `session` callback that takes a while, once. */
function createSlowCallback() {
  const stop = createStop()
  const session: SessionCallback = async ({ session }) => {
    await stop.pass()
    const { name, email } = session.user
    return { user: { name, email }, expires: new Date(session.expires).toISOString() }
  }
  return { stop, session }
}

function setUp(strategy: 'jwt' | 'database', callbacks: AuthConfig['callbacks'] = {}) {
  const store = memoryAdapter()
  const mailbox = new Mailbox()
  const check = createStop()
  const passwords = Credentials({
    credentials: { email: {} },
    async authorize({ email }) {
      const user = await store.getUserByEmail(String(email))
      await check.pass()
      return user
    },
  })
  const testApp = openTestApp(
    {
      adapter: store,
      providers: [
        oauth(idp, 'oidc', { id: 'acme' }),
        oauth(idp, 'oidc', { id: 'other' }),
        Passkey(),
        mailbox.provider(),
        passwords,
      ],
      session: { strategy },
      callbacks: { confirmEmail: () => true, ...callbacks },
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  const signIn = async (browser: TestBrowser, person: Person) => {
    seat(idp, testApp.clock, person)
    return browser.get(await goTo(browser, idp, 'acme'))
  }
  /** The owner of an address follows a link that was mailed there; it takes a moment. */
  const confirm = async ({ email }: Person) => {
    testApp.clock.advance(1)
    const owner = testApp.browser()
    await owner.get(await askForLink(owner, mailbox, email))
    expect(await emailIn(owner)).to.equal(email)
    testApp.clock.advance(1)
  }
  const ownerOf = (sub: string, provider = 'other') => store.getUserByAccount({ provider, providerAccountId: sub })
  return { ...testApp, store, check, signIn, confirm, ownerOf }
}

const emailIn = async (browser: TestBrowser) => (await browser.session())?.user?.email ?? null

for (const strategy of ['jwt', 'database'] as const) {
  describe(`ACCT-05 while the owner confirms an address, with ${strategy} sessions,`, () => {
    it('a password that is being checked signs nobody in afterwards', async () => {
      const { browser, store, check, confirm } = setUp(strategy)
      const victim = newPerson()
      await store.createUser({ id: '', email: victim.email, emailVerified: null } as AdapterUser)
      const squatter = browser()
      const csrfToken = await squatter.csrfToken()
      check.set()
      const entered = squatter.post('/auth/callback/credentials', { csrfToken, email: victim.email ?? '' })
      await check.reached
      await confirm(victim)
      check.letOn()
      expect((await entered).location).to.include('error=CredentialsSignin')
      expect(await emailIn(squatter)).to.equal(null)
    })

    it('an account that an earlier session is linking is deleted again', async () => {
      const { stop, session } = createSlowCallback()
      const { browser, clock, signIn, confirm, ownerOf } = setUp(strategy, { session })
      const victim = newPerson()
      const squatter = browser()
      await signIn(squatter, { ...newPerson(), email: victim.email })
      const backdoor = newPerson(null)
      seat(idp, clock, backdoor)
      const path = await goTo(squatter, idp, 'other')
      stop.set()
      const finished = squatter.get(path)
      await stop.reached
      await confirm(victim)
      stop.letOn()
      expect((await finished).location).to.include('error=')
      expect(ownerOf(backdoor.sub)).to.equal(null)
      expect(await emailIn(squatter)).to.equal(null)
    })

    it('a passkey that an earlier session is adding is deleted again', async () => {
      const { stop, session } = createSlowCallback()
      const { browser, origin, store, signIn, confirm } = setUp(strategy, { session })
      const victim = newPerson()
      const squatter = browser()
      await signIn(squatter, { ...newPerson(), email: victim.email })
      const asked = await ask(squatter, { action: 'register' })
      const data = new SoftAuthenticator(origin).register(asked.json().options)
      stop.set()
      const finished = answer(squatter, 'register', data)
      await stop.reached
      await confirm(victim)
      stop.letOn()
      expect((await finished).location).to.include('error=')
      const { id } = (await store.getUserByEmail(victim.email ?? '')) as AdapterUser
      expect(await store.listAuthenticatorsByUserId(id)).to.deep.equal([])
      expect(await store.listAccountsByUserId(id)).to.deep.equal([])
    })

    it('a session that began under another, confirmed address adds nothing to the user', async () => {
      const { browser, clock, store, signIn, confirm, ownerOf } = setUp(strategy)
      const [victim, squatter, backdoor] = [newPerson(), newPerson(), newPerson(null)]
      const there = browser()
      await signIn(there, { ...squatter, emailVerified: true })
      const user = ownerOf(squatter.sub, 'acme') as AdapterUser
      expect(user.emailVerified).to.be.instanceOf(Date)
      await store.updateUser({ id: user.id, email: victim.email ?? '', emailVerified: null })
      clock.advance(2)
      await confirm(victim)
      seat(idp, clock, backdoor)
      await there.get(await goTo(there, idp, 'other'))
      expect((await ownerOf(backdoor.sub))?.id).to.not.equal(user.id)
      expect(await store.listAccountsByUserId(user.id)).to.deep.equal([])
    })

    it('a session that began before the user had the address is over as well', async () => {
      const { browser, store, signIn, confirm, ownerOf } = setUp(strategy)
      const [victim, squatter] = [newPerson(), newPerson(null)]
      const there = browser()
      await signIn(there, squatter)
      expect(await there.session()).to.not.equal(null)
      const user = ownerOf(squatter.sub, 'acme') as AdapterUser
      await store.updateUser({ id: user.id, email: victim.email ?? '', emailVerified: null })
      await confirm(victim)
      expect(await there.session()).to.equal(null)
    })
  })
}
