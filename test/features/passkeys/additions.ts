import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Pause } from '../../support/pause.js'
import type { Person } from '../../support/sign-ins.js'
import type { TestApp, TestBrowser } from '../../support/test-app.js'
import { answer, ask } from './ceremonies.js'

/** Begins to add a passkey in a browser; gives the request that ends it. */
export default {
  passkey: {
    async begin({ origin }: Pick<TestApp, 'origin'>, browser: TestBrowser, _added: Person, pause: Pause) {
      const asked = await ask(browser, { action: 'register' })
      const data = new SoftAuthenticator(origin).register(asked.json().options)
      pause.start()
      return answer(browser, 'register', data)
    },
    passkeys: 1,
  },
}
