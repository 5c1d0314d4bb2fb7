import { expect } from 'chai'
import { answer, ask, openPasskeyApp, register } from './ceremonies.js'

const HOUR = 60 * 60
const JUMPS = { forward: HOUR, back: -HOUR } as const

describe('a passkey during whose ceremony the clock jumps', () => {
  for (const [direction, jump] of Object.entries(JUMPS)) {
    it(`an hour ${direction}: is refused, and the log says why`, async () => {
      const passkeyApp = openPasskeyApp()
      const { testApp, browser, device } = passkeyApp
      await register(passkeyApp, { email: 'ada@example.com' })
      const options = (await ask(browser, { action: 'authenticate' })).json().options
      testApp.clock.advance(jump)
      const refused = await answer(browser, 'authenticate', device.authenticate(options))
      expect(refused.location).to.match(/error=WebAuthnVerificationError$/)
      const message = testApp.log.errors.at(-1)?.message
      expect(message).to.match(
        direction === 'back' ? /begun 3600 s in the future/ : /expired 3000 s ago by this machine's/,
      )
    })
  }

  it('reports the clock, and not a sign-in in between, to a user who adds a passkey', async () => {
    const passkeyApp = openPasskeyApp()
    const { testApp, browser, device } = passkeyApp
    await register(passkeyApp, { email: 'ada@example.com' })
    const options = (await ask(browser, { action: 'register' })).json().options
    testApp.clock.advance(HOUR)
    const refused = await answer(browser, 'register', device.register(options))
    expect(refused.location).to.match(/error=WebAuthnVerificationError$/)
  })
})
