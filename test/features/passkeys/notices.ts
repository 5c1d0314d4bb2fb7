import type { Adapter } from '../../../lib/adapters/adapter.js'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { TestBrowser } from '../../support/test-app.js'
import { register } from './ceremonies.js'

/** A passkey that is added and removed, of which its owner is told. */
export default {
  provider: () => Passkey(),
  kind: 'passkey-added',
  add: (browser: TestBrowser) => register({ browser, device: new SoftAuthenticator(browser.origin) }),
  async give({ createAuthenticator }: Required<Adapter>, userId: string) {
    const credentialID = Buffer.from('key').toString('base64')
    await createAuthenticator({
      ...{ userId, providerAccountId: credentialID, credentialID, credentialPublicKey: 'cHVibGlj', counter: 0 },
      ...{ credentialDeviceType: 'multiDevice', credentialBackedUp: true },
    })
    return ['removePasskey', [{ credentialID }]]
  },
}
