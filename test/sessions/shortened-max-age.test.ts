import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { Clock, openTestApp, SESSION } from '../support/test-app.js'

const DAY = 86_400

describe('LOGOUT-02: a sign-out after `session.maxAge` was shortened', () => {
  const stores = { 'in memory': undefined, 'in a revocation store': memoryAdapter() }
  for (const [where, store] of Object.entries(stores)) {
    it(`counts until every token of before has expired, ${where}`, async () => {
      const clock = new Clock()
      // No two tests share what the process remembers of a secret.
      const secret = `a secret of its own, long enough, ${crypto.randomUUID()}`
      const open = (session: AuthConfig['session'], time: Clock) => openTestApp({ secret, session }, { clock: time })
      // Another process has a clock of its own, and so a memory of its own.
      const before = await open({ maxAge: 30 * DAY }, new Clock(clock.ms)).signedIn()
      const app = open({ maxAge: 3600, updateAge: 600, ...(store && { revocation: { store, checkEvery: 0 } }) }, clock)
      const value = before.jar.get(SESSION)?.value ?? ''
      const at = (token: string) => {
        const browser = app.browser()
        browser.plant(SESSION, token)
        return browser
      }
      const ada = at(value)
      expect(await ada.session()).not.to.equal(null)
      expect(ada.jar.get(SESSION)?.value, 'it was renewed, for a shorter time').not.to.equal(value)
      // Renewed once more: the second token knows of the first.
      clock.advance(1200)
      expect(await ada.session()).not.to.equal(null)
      await ada.signOut()
      for (const days of [0, 1, 20]) {
        clock.advance(days * DAY)
        store?.deleteExpired()
        expect(await at(value).session(), `${days} days later`).to.equal(null)
      }
    })
  }
})
