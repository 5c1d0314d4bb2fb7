import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { FakeProvider } from '../../support/fake-provider.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { KINDS, logoutToken, openLogoutApp, sendLogout } from './logout-app.js'

for (const kind of STORES) {
  describe(`a logout at a provider, with ${kind.name}`, () => {
    let fake: FakeProvider
    let store: OpenStore
    before(async function () {
      await kind.requireServer.call(this)
      fake = await FakeProvider.start()
      store = await kind.open()
    })
    after(async () => {
      await store?.close()
      await fake?.stop()
    })

    for (const sessions of KINDS) {
      it(`LOGOUT-08 ends ${sessions} by sid, and those that are left by subject`, async () => {
        const person = { sub: randomUUID(), email: `${randomUUID()}@example.com` }
        const [one, two] = [randomUUID(), randomUUID()]
        const app = openLogoutApp(fake, sessions, { store: store.adapter })
        const laptop = await app.signInAt(one, person)
        const phone = await app.signInAt(two, person)
        const token = await logoutToken(fake, { sid: one })
        // Another process, with connections of its own, gets the logout token.
        const process = openLogoutApp(fake, sessions, { store: await store.another() })
        expect((await sendLogout(process, token)).status).to.equal(200)
        expect(await laptop.session()).to.equal(null)
        expect(await phone.session()).not.to.equal(null)
        // LOGOUT-07: this process has not seen the token, and the store has.
        expect((await sendLogout(app, token)).status).to.equal(400)
        const bySubject = await logoutToken(fake, { sid: undefined, sub: person.sub })
        expect((await sendLogout(process, bySubject)).status).to.equal(200)
        expect(await phone.session()).to.equal(null)
      })
    }
  })
}
