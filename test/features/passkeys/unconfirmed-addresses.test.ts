import { expect } from 'chai'
import type { AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Passkey from '../../../lib/providers/passkey.js'
import { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { askForLink, Mailbox, newPerson } from '../../support/sign-ins.js'
import { asAuthjsHasIt } from '../../support/stores.js'
import { openTestApp, type TestBrowser, whoIs } from '../../support/test-app.js'
import { authenticate, errorOf, register } from './ceremonies.js'

const HOME = 'http://app.example'

describe('ACCT-05 an adapter of Auth.js’s methods only', () => {
  it('deletes an attacker’s passkey with its account', async () => {
    const store = asAuthjsHasIt(memoryAdapter())
    const mailbox = new Mailbox()
    const providers = [Passkey(), mailbox.provider()]
    const testApp = openTestApp({ adapter: store, providers, session: { strategy: 'jwt' } })
    const { email } = newPerson()
    const attacker = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    await register(attacker, { email: email ?? '' })
    const own = testApp.browser()
    expect((await own.get(await askForLink(own, mailbox, email))).location).to.equal(HOME)
    expect(await whoIs(own)).to.equal(email)
    const again = await authenticate({ browser: testApp.browser(), device: attacker.device })
    expect(errorOf(again)).to.equal('WebAuthnVerificationError')
    expect(testApp.log.warnings, 'a passkey was deleted').to.deep.equal(['accounts-ended'])
  })
})

describe('accounts-ended', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  it('logs how many accounts and passkeys a confirmation deleted, and not whose they were', async () => {
    const logged: unknown[] = []
    const logger = { warn: (...warning: unknown[]) => logged.push(warning), error() {} }
    const app = openAccountApp(idp, { methods: ['passkey', 'email'], config: { logger } })
    const followLink = async (browser: TestBrowser) => browser.get(await askForLink(browser, app.mailbox, victim.email))
    const [victim, alias] = [newPerson(), newPerson()]
    const attacker = { ...newPerson(), email: victim.email }
    const there = app.browser()
    await app.signIn(there, attacker)
    await app.signIn(there, alias, 'other')
    expect(errorOf(await register({ browser: there, device: new SoftAuthenticator(app.origin) }))).to.equal(null)
    expect((await followLink(app.browser())).location).to.equal(HOME)
    expect(logged).to.have.lengthOf(1)
    expect(logged[0]).to.deep.include.members(['accounts-ended', { accounts: 2, passkeys: 1 }])
    await followLink(app.browser())
    expect(logged, 'a confirmed address ends nothing').to.have.lengthOf(1)
  })
})

describe('a passkey sign-up', () => {
  it('confirms no address, whatever getUserInfo() says of it', async () => {
    const store = memoryAdapter()
    const email = newPerson().email ?? ''
    const user = { email, emailVerified: new Date(0).toISOString() }
    const testApp = openTestApp({
      adapter: store,
      providers: [Passkey({ getUserInfo: async () => ({ user, exists: false }) })],
    })
    await register({ browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }, { email })
    expect(((await store.getUserByEmail(email)) as AdapterUser).emailVerified ?? null).to.equal(null)
  })
})
