import type { Identity } from '../../../lib/users/identity.js'

const byPasskey = (id: string, email: string): Identity => ({
  user: { id, email },
  account: { provider: 'passkey', type: 'webauthn', providerAccountId: id },
  passkey: {
    ceremony: 'register',
    forUser: null,
    authenticator: {
      credentialID: id,
      providerAccountId: id,
      credentialPublicKey: '',
      counter: 0,
      credentialDeviceType: 'singleDevice',
      credentialBackedUp: false,
      transports: null,
    },
  },
})

export default { passkeys: { by: byPasskey, refusal: 'AccountNotLinked' } }
