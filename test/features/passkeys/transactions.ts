import { expect } from 'chai'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { newPerson, type Person } from '../../support/sign-ins.js'
import { type TestApp, type TestBrowser, whoIs } from '../../support/test-app.js'
import { ask } from './ceremonies.js'

interface TransactionApp extends TestApp {
  readonly signIn: (browser: TestBrowser, person: Person) => Promise<unknown>
}

/** A ceremony that is under way. */
export default {
  provider: () => Passkey(),
  begin: (browser: TestBrowser) => ask(browser, { action: 'authenticate' }),
  cookie: 'challenge',
  title: 'with a passkey add no passkey to a user who signed in meanwhile, and what is lost is only lost',
  async run({ browser, signIn, origin }: TransactionApp) {
    const device = new SoftAuthenticator(origin)
    const own = browser()
    const { options } = (await ask(own, { action: 'register', email: 'new@example.com' })).json()
    const ada = newPerson()
    await signIn(own, ada)
    const data = device.register(options)
    const { location } = await own.post('/auth/callback/passkey', { action: 'register', data })
    expect(location).to.include('error=AccountNotLinked')
    const lost = await own.post('/auth/callback/passkey', { action: 'register', data })
    expect(lost.location).to.include('error=WebAuthnVerificationError')
    expect(await whoIs(own)).to.equal(ada.email)
  },
}
