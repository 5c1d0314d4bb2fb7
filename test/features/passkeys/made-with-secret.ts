import { expect } from 'chai'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { answer, ask, register } from './ceremonies.js'

/** A challenge that is made in a browser `there` and answered `here`. */
export default {
  title: 'a passkey ceremony ends there, and is used up',
  provider: () => Passkey(),
  async run({ there, here }: { readonly there: TestBrowser; readonly here: TestBrowser }) {
    const device = new SoftAuthenticator(there.origin)
    await register({ browser: there, device }, { email: 'ada@example.com' })
    const asked = await ask(there, { action: 'authenticate' })
    const data = device.authenticate(asked.json().options)
    const again = here.copy()
    expect((await answer(here, 'authenticate', data)).location).to.equal('http://app.example')
    expect(await whoIs(here)).to.equal('ada@example.com')
    expect((await answer(again, 'authenticate', data)).location).to.match(/error=/)
  },
}
