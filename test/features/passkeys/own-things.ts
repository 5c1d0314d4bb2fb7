import type { Adapter } from '../../../lib/adapters/adapter.js'
import Passkey from '../../../lib/providers/passkey.js'

/** Passkeys of somebody, and what they do with them. */
export default {
  provider: () => Passkey(),
  async give(adapter: Required<Adapter>, userId: string) {
    const passkeys = ['1', '2'].map((each) => Buffer.from(`${userId} ${each}`).toString('base64'))
    for (const credentialID of passkeys) {
      const account = { userId, provider: 'passkey', providerAccountId: credentialID }
      await adapter.linkAccount({ ...account, type: 'webauthn' })
      await adapter.createAuthenticator({
        ...{ ...account, credentialID, credentialPublicKey: 'cHVibGlj', counter: 0 },
        ...{ credentialDeviceType: 'multiDevice', credentialBackedUp: true },
      })
    }
    return {
      listPasskeys: () => [],
      renamePasskey: (more: object = {}) => [{ credentialID: passkeys[0], name: 'Phone', ...more }],
      removePasskey: (more: object = {}) => [{ credentialID: passkeys[0], ...more }],
    }
  },
  changes: ['renamePasskey', 'removePasskey'],
  removals: ['removePasskey'],
  async removeAll(
    adapter: Required<Adapter>,
    userId: string,
    call: (name: string, given: readonly unknown[]) => Promise<unknown>,
  ) {
    for (const { credentialID } of (await adapter.listAuthenticatorsByUserId(userId)) ?? [])
      await call('removePasskey', [{ credentialID }])
  },
}
