import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Email from '../../lib/providers/email.js'
import Passkey from '../../lib/providers/passkey.js'
import { ADA, createLog, passwords, type Running, startApp, testConfig } from '../support/app.js'

/** Names that every object has from its prototype. */
const INHERITED = [
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  '__proto__',
  '__defineGetter__',
]

/** Addresses that look something up by what a visitor wrote. */
const ADDRESSES = [
  'signin?error=NAME',
  'signin?error=NAME&code=NAME',
  'signin?error=OAuthCallbackError&code=NAME',
  'signin?error=CredentialsSignin&code=NAME',
  'signin?email=NAME&correct=NAME&remember=NAME&error=OAuthAccountNotLinked',
  'signin/NAME',
  'signout?error=NAME&endSession=NAME',
  'error?error=NAME',
  'error?error=NAME&code=NAME',
  'error?error=Configuration&code=NAME',
  'error?error=Verification&code=NAME',
  'verify-request?provider=NAME&type=NAME',
  'link/NAME?error=NAME',
  'link/github?error=NAME&code=NAME&request=NAME',
  'callback/NAME?error=NAME&state=NAME',
  'callback/github?error=NAME&state=NAME&iss=NAME',
  'callback/email?token=NAME&email=NAME',
  'webauthn-options/passkey?action=NAME',
  'webauthn-options/NAME?action=NAME',
  'frontchannel-logout?iss=NAME&sid=NAME',
  'assets/passkey-buttons.js?lang=NAME',
  'NAME',
  'NAME/NAME',
]

describe('a name that every object has (WEB-06, WEB-07)', () => {
  let app: Running
  const log = createLog()

  before(async () => {
    app = await startApp(
      testConfig({
        adapter: memoryAdapter(),
        logger: log.logger,
        session: { strategy: 'jwt' },
        providers: [
          passwords,
          GitHub({ clientId: 'client', clientSecret: 'secret' }),
          Passkey(),
          Email({ sendVerificationRequest: () => {} }),
        ],
      }),
    )
  })
  after(() => app.close())

  for (const address of ADDRESSES) {
    it(`is no fault in ${address}, signed in or not`, async () => {
      const [stranger, ada] = [app.visitor(), app.visitor()]
      await ada.signIn(ADA)
      for (const name of INHERITED) {
        for (const visitor of [stranger, ada]) {
          for (const accept of ['text/html', 'application/json']) {
            const path = `/auth/${address.replaceAll('NAME', name)}`
            const answer = await visitor.get(path, { accept, 'accept-language': name })
            const control = await visitor.get(`/auth/${address.replaceAll('NAME', 'nonsense')}`, { accept })
            expect(answer.status, path).to.equal(control.status)
            expect(answer.text, path).not.to.match(/native code|\[object/)
          }
        }
      }
      // A fault is of no other kind; a refusal is no fault.
      expect(log.errors.splice(0).filter((line) => String(line).startsWith('AuthError'))).to.deep.equal([])
    })
  }
})
