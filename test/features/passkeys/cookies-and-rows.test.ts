import Passkey from '../../../lib/providers/passkey.js'
import { softwareAuthenticator } from '../../../lib/testing/index.js'
import { FORMS_ORIGIN, keepForms } from '../../support/written-forms.js'

describe('cookies and rows of passkeys have the forms that they had', () => {
  keepForms({
    file: new URL('cookies-and-rows.json', import.meta.url),
    more: () => Passkey(),
    async run({ browser }, hasStore) {
      if (!hasStore) return
      const device = softwareAuthenticator({ origin: FORMS_ORIGIN })
      const owner = browser()
      const asked = '/auth/webauthn-options/passkey'
      const options = await owner.send('a new passkey: asks', `${asked}?action=register&email=key@example.com`)
      await owner.send('a new passkey: answers', '/auth/callback/passkey', device.answer(await options.json()))
      const again = browser()
      const challenge = await again.send('a passkey: asks', `${asked}?action=authenticate`)
      await again.send('a passkey: answers', '/auth/callback/passkey', device.answer(await challenge.json()))
    },
  })
})
