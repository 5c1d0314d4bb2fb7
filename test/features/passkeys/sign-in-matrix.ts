import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Person } from '../../support/sign-ins.js'
import type { TestBrowser } from '../../support/test-app.js'
import { authenticate, register } from './ceremonies.js'

/** What people make their passkeys with, by person. */
const devices = new Map<string, SoftAuthenticator>()

const idOf = ({ sub }: Person) => devices.get(sub)?.passkey.id.toString('base64') ?? ''

/** How a passkey signs a person in, and what it leaves in the store the first time. */
export default {
  webauthn: {
    provider: () => Passkey({ id: 'webauthn' }),
    async signIn(browser: TestBrowser, { sub, email }: Person) {
      const known = devices.get(sub)
      if (known) return authenticate({ browser, device: known }, { id: 'webauthn' })
      const device = new SoftAuthenticator(browser.origin)
      device.step = 1
      devices.set(sub, device)
      return register({ browser, device }, { email: email ?? '', id: 'webauthn' })
    },
    account: (person: Person) => ({ id: idOf(person), columns: {} }),
    // The sign-up shows 0, and the one sign-in after it 1.
    passkeys: (person: Person) => [[idOf(person), 1]],
    makesUser: true,
    provesAddress: false,
    givesName: false,
  },
}
