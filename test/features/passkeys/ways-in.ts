import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Person } from '../../support/sign-ins.js'
import type { TestApp, TestBrowser } from '../../support/test-app.js'
import { answer, ask } from './ceremonies.js'

/** What people make their passkeys with, by person. */
const devices = new Map<string, SoftAuthenticator>()

/** Signs the person in whose address it gets, and gives the last answer. */
export default {
  async 'a passkey'({ origin }: Pick<TestApp, 'origin'>, browser: TestBrowser, { sub, email }: Person) {
    const keys = devices.get(sub) ?? new SoftAuthenticator(origin)
    devices.set(sub, keys)
    const isKnown = keys.passkeys.length > 0
    const asked = await ask(browser, isKnown ? {} : { action: 'register', email: email ?? '' })
    const { options } = asked.json()
    return answer(
      browser,
      isKnown ? 'authenticate' : 'register',
      isKnown ? keys.authenticate(options) : keys.register(options),
    )
  },
}
