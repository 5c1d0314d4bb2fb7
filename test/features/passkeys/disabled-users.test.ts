import { expect } from 'chai'
import type { AdapterUser } from '../../../lib/adapters/adapter.js'
import { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { newPerson } from '../../support/sign-ins.js'
import { answer, ask } from './ceremonies.js'

for (const strategy of ['jwt', 'database'] as const) {
  describe(`a disabled user whose session is not over yet, with ${strategy} sessions`, () => {
    let idp: FakeProvider
    before(async () => {
      idp = await FakeProvider.start()
    })
    after(() => idp.stop())

    it('adds no passkey', async () => {
      const app = openAccountApp(idp, { methods: ['passkey'], config: { session: { strategy, refreshUser: 3600 } } })
      const person = newPerson()
      const ada = app.browser()
      await app.signIn(ada, person)
      const asked = await ask(ada, { action: 'register' })
      const { id } = (await app.store.getUserByEmail(person.email ?? '')) as AdapterUser
      await app.store.updateUser({ id, disabled: true } as Partial<AdapterUser> & { id: string })
      await answer(ada, 'register', new SoftAuthenticator(app.origin).register(asked.json().options))
      expect(await app.store.listAuthenticatorsByUserId(id)).to.deep.equal([])
    })
  })
}
