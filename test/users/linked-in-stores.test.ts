import { expect } from 'chai'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { goToLink, link } from '../support/links.js'
import { newPerson, setProviderUser } from '../support/sign-ins.js'
import { type OpenStore, STORES } from '../support/stores.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

for (const kind of STORES) {
  describe(`accounts that are linked on purpose, with ${kind.name}`, () => {
    let store: OpenStore
    before(async function () {
      await kind.requireServer.call(this)
      store = await kind.open()
    })
    after(() => store?.close())

    it('are added in two tabs at once, listed, and removed but for the last way in', async () => {
      const app = openAccountApp(idp, { store: store.adapter, methods: [] })
      const browser = app.browser()
      const [home, first, second] = [newPerson(), newPerson(), newPerson()]
      await app.signIn(browser, home, 'other')
      // Two tabs of one browser: the end of one link leaves the other one alone.
      const [one, two] = [await goToLink(browser, idp), await goToLink(browser, idp)]
      setProviderUser(idp, app.clock, first)
      expect((await browser.get(one)).location).to.equal(app.origin)
      setProviderUser(idp, app.clock, second)
      expect((await browser.get(two)).location).to.equal(app.origin)
      await link(browser, { idp, clock: app.clock }, second)

      const listed = async (): Promise<{ id: string; provider: string; isOnlyWayIn: boolean }[]> =>
        (await browser.get('/auth/accounts')).json().accounts
      const unlink = async (id: string) =>
        (await browser.postJson('/auth/accounts/unlink', { csrfToken: await browser.csrfToken(), id })).status
      const accounts = await listed()
      expect(accounts.map(({ provider }) => provider).sort()).to.deep.equal(['acme', 'acme', 'other'])
      for (const { id, provider } of accounts) if (provider === 'acme') expect(await unlink(id)).to.equal(200)
      const [only, ...others] = await listed()
      expect([others.length, only?.provider, only?.isOnlyWayIn]).to.deep.equal([0, 'other', true])
      expect(await unlink(only?.id ?? '')).to.equal(409)
      expect(await app.ownerOf(first)).to.equal(undefined)
      expect(await app.ownerOf(home, 'other')).not.to.equal(undefined)
    })
  })
}
