import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Box } from '../../support/provider-kinds.js'
import type { Person } from '../../support/sign-ins.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ask, register } from './ceremonies.js'

/** What people make their passkeys with, by person. */
const devices = new Map<string, SoftAuthenticator>()

/** A sign-in with a passkey, with the box as it is in the form. */
export default {
  webauthn: {
    provider: () => Passkey(),
    async signIn(browser: TestBrowser, { sub, email }: Person, box: Box) {
      const device = devices.get(sub) ?? new SoftAuthenticator(browser.origin)
      if (!devices.has(sub)) {
        device.step = 1
        devices.set(sub, device)
        const signUp = new (browser.constructor as new (...given: unknown[]) => TestBrowser)(
          browser.engine,
          browser.clock,
          browser.origin,
        )
        await register({ browser: signUp, device }, { email: email ?? '' })
      }
      const asked = await ask(browser, { action: 'authenticate' })
      const data = device.authenticate(asked.json().options)
      return browser.post('/auth/callback/passkey', { action: 'authenticate', data, ...box })
    },
  },
}
