import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import type { SessionCallback } from '../../lib/sessions/session-callback.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { ofFeatures } from '../support/of-features.js'
import { createPause } from '../support/pause.js'
import { askForLink, goTo, newPerson, type Person, setProviderUser } from '../support/sign-ins.js'
import { whoIs } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

/** A `session` callback that takes a while, once. */
function createSlowCallback() {
  const pause = createPause()
  const session: SessionCallback = async ({ session }) => {
    await pause.wait()
    const { name, email } = session.user
    return { user: { name, email }, expires: new Date(session.expires).toISOString() }
  }
  return { pause, session }
}

function setUp(strategy: 'jwt' | 'database', callbacks: AuthConfig['callbacks'] = {}) {
  const store = memoryAdapter()
  const passwordCheck = createPause()
  /** Credentials whose check takes a while, once. */
  const passwords = Credentials({
    credentials: { email: {} },
    async authorize({ email }) {
      const user = await store.getUserByEmail(String(email))
      await passwordCheck.wait()
      return user
    },
  })
  const app = openAccountApp(idp, {
    store,
    methods: ['email', 'passkey'],
    more: [passwords],
    provider: { allowDangerousEmailAccountLinking: true },
    config: { session: { strategy }, callbacks: { confirmEmail: () => true, ...callbacks } },
  })
  /** The owner of an address follows a link that was mailed there; it takes a moment. */
  const confirm = async ({ email }: Person) => {
    app.clock.advance(1)
    const owner = app.browser()
    await owner.get(await askForLink(owner, app.mailbox, email))
    expect(await whoIs(owner)).to.equal(email)
    app.clock.advance(1)
  }
  const userAtAcme = ({ sub }: Person) => store.getUserByAccount({ provider: 'acme', providerAccountId: sub })
  return { ...app, store, passwordCheck, confirm, userAtAcme }
}

/** What a test of a feature works with. */
interface Races {
  readonly setUp: (callbacks?: AuthConfig['callbacks']) => ReturnType<typeof setUp>
  readonly createSlowCallback: typeof createSlowCallback
}

const OF_FEATURES = await ofFeatures<(races: Races) => void>('confirmation-races')

for (const strategy of ['jwt', 'database'] as const) {
  describe(`ACCT-05 while the owner confirms an address, with ${strategy} sessions,`, () => {
    it('a password that is being checked signs nobody in afterwards', async () => {
      const { browser, store, passwordCheck, confirm } = setUp(strategy)
      const victim = newPerson()
      await store.createUser({ id: '', email: victim.email, emailVerified: null } as AdapterUser)
      const attacker = browser()
      const csrfToken = await attacker.csrfToken()
      passwordCheck.start()
      const entered = attacker.post('/auth/callback/credentials', { csrfToken, email: victim.email ?? '' })
      await passwordCheck.reached
      await confirm(victim)
      passwordCheck.end()
      expect((await entered).location).to.include('error=CredentialsSignin')
      expect(await whoIs(attacker)).to.equal(null)
    })

    it('an account that an earlier session is linking is deleted again', async () => {
      const { pause, session } = createSlowCallback()
      const { browser, clock, signIn, confirm, ownerOf } = setUp(strategy, { session })
      const victim = newPerson()
      const attacker = browser()
      await signIn(attacker, { ...newPerson(), email: victim.email })
      const backdoor = newPerson(null)
      setProviderUser(idp, clock, backdoor)
      const path = await goTo(attacker, idp, 'other')
      pause.start()
      const finished = attacker.get(path)
      await pause.reached
      await confirm(victim)
      pause.end()
      expect((await finished).location).to.include('error=')
      expect(await ownerOf(backdoor, 'other')).to.equal(undefined)
      expect(await whoIs(attacker)).to.equal(null)
    })

    for (const add of OF_FEATURES) add({ setUp: (callbacks) => setUp(strategy, callbacks), createSlowCallback })

    it('a session that began under another, confirmed address adds nothing to the user', async () => {
      const { browser, clock, store, signIn, confirm, ownerOf, userAtAcme } = setUp(strategy)
      const [victim, attacker, backdoor] = [newPerson(), newPerson(), newPerson(null)]
      const there = browser()
      await signIn(there, { ...attacker, emailVerified: true })
      const user = (await userAtAcme(attacker)) as AdapterUser
      expect(user.emailVerified).to.be.instanceOf(Date)
      await store.updateUser({ id: user.id, email: victim.email ?? '', emailVerified: null })
      clock.advance(2)
      await confirm(victim)
      await signIn(there, backdoor, 'other')
      expect(await ownerOf(backdoor, 'other')).to.not.equal(user.id)
      expect(await store.listAccountsByUserId(user.id)).to.deep.equal([])
    })

    it('a session that began before the user had the address is over as well', async () => {
      const { browser, store, signIn, confirm, userAtAcme } = setUp(strategy)
      const [victim, attacker] = [newPerson(), newPerson(null)]
      const there = browser()
      await signIn(there, attacker)
      expect(await there.session()).to.not.equal(null)
      const user = (await userAtAcme(attacker)) as AdapterUser
      await store.updateUser({ id: user.id, email: victim.email ?? '', emailVerified: null })
      await confirm(victim)
      expect(await there.session()).to.equal(null)
    })
  })
}
