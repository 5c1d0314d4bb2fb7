import { expect } from 'chai'
import { newPerson } from '../../support/sign-ins.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { Clock, type TestBrowser } from '../../support/test-app.js'
import { openEventsApp, typesOf } from './events-app.js'

const KIND = 'security-events'

for (const { name, requireServer, open } of STORES) {
  describe(`security events, over ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    it('are all kept that happen at once, in several processes', async () => {
      const clock = new Clock(Date.now())
      const apps = [store.adapter, await store.another()].map((adapter) =>
        openEventsApp({ secondFactor: false }, { adapter: adapter as never, clock }),
      )
      const email = String(newPerson().email)
      const browsers: TestBrowser[] = []
      for (const app of [...apps, ...apps, ...apps]) browsers.push(await app.signedIn(email))
      await Promise.all(browsers.map((browser) => browser.signOut()))
      const types = typesOf((await apps[0]?.kept(email)) ?? [])
      expect(types).to.deep.equal(browsers.flatMap(() => 'sign-out').concat(browsers.flatMap(() => 'sign-in')))
    })

    it('EVENT-06: go when their time is over, and with their user', async () => {
      const { adapter } = store
      const app = openEventsApp({ secondFactor: false }, { adapter: adapter as never, clock: new Clock(Date.now()) })
      const [gone, old] = [String(newPerson().email), String(newPerson().email)]
      await app.signedIn(gone)
      const id = (await app.idOf(gone)) ?? ''
      expect(await adapter.listRecordsByOwner(KIND, id)).to.have.lengthOf(1)
      await adapter.deleteUser(id)
      expect(await adapter.listRecordsByOwner(KIND, id)).to.deep.equal([])
      const past = { adapter: adapter as never, clock: new Clock(Date.now() - 2 * 24 * 60 * 60 * 1000) }
      const before = openEventsApp({ secondFactor: false, securityEvents: { maxAge: 24 * 60 * 60 } }, past)
      await before.signedIn(old)
      await adapter.deleteExpired()
      expect(await adapter.listRecordsByOwner(KIND, (await app.idOf(old)) ?? '')).to.deep.equal([])
    })
  })
}
