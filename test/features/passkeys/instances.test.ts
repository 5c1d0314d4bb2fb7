import { expect } from 'chai'
import Passkey from '../../../lib/providers/passkey.js'
import { openTestApp } from '../../support/test-app.js'
import { answer, ask, signedUp } from './ceremonies.js'

describe('what one instance made, at another with the same secret (CVE-2026-37171),', () => {
  it('is no passkey ceremony: an answer to its challenge', async () => {
    const passkeyApp = await signedUp({ instance: 'north' })
    const south = openTestApp({ instance: 'south', adapter: passkeyApp.adapter, providers: [Passkey()] })
    const asked = await ask(passkeyApp.browser, { action: 'authenticate' })
    const data = passkeyApp.device.authenticate(asked.json().options)
    const moved = south.browser()
    for (const [name, cookie] of passkeyApp.browser.jar) moved.jar.set(name, cookie)
    expect((await answer(moved, 'authenticate', data)).location).to.contain('error=WebAuthnVerificationError')
    expect(await moved.session()).to.equal(null)
    expect((await answer(passkeyApp.browser, 'authenticate', data)).location).to.equal(passkeyApp.testApp.origin)
  })
})
