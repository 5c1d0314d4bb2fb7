import { expect } from 'chai'
import { newPerson } from '../../support/sign-ins.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { isDone, openAddressApp } from './address-app.js'

const threeAddresses = () => Array.from({ length: 3 }, () => String(newPerson().email))

for (const { name, requireServer, open } of STORES) {
  describe(`the change of an address, over ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    it('moves a user', async () => {
      const { adapter } = store
      const app = openAddressApp(adapter)
      const [email = '', second = ''] = threeAddresses()
      const ada = await app.signedIn(email)
      const id = (await app.idOf(email)) ?? ''
      expect(isDone(await app.confirm(await app.tokenFor(ada, second), ada))).to.equal(true)
      expect([await app.idOf(email), await app.idOf(second)]).to.deep.equal([null, id])
      expect((await adapter.getUser?.(id))?.emailVerified).to.be.an.instanceOf(Date)
    })

    it('ACCT-04: moves a user to one of two addresses that are confirmed at the same moment', async () => {
      const app = openAddressApp(store.adapter)
      const [email = '', ...wanted] = threeAddresses()
      const ada = await app.signedIn(email)
      const id = await app.idOf(email)
      const tokens = [await app.tokenFor(ada, wanted[0]), await app.tokenFor(ada, wanted[1])]
      const answers = await Promise.all(tokens.map((token) => app.confirm(token)))
      expect(answers.map(isDone).sort()).to.deep.equal([false, true])
      const moved = wanted[answers.findIndex(isDone)] ?? ''
      expect(await app.idOf(moved)).to.equal(id)
    })

    it('ACCT-04: gives one of two users an address that both want', async () => {
      const { adapter } = store
      const app = openAddressApp(adapter)
      const [one = '', other = '', wanted = ''] = threeAddresses()
      const tokens = [
        await app.tokenFor(await app.signedIn(one), wanted),
        await app.tokenFor(await app.signedIn(other), wanted),
      ]
      const answers = await Promise.all(tokens.map((token) => app.confirm(token)))
      expect(answers.map(isDone).sort()).to.deep.equal([false, true])
      const left = await Promise.all([one, other, wanted].map(app.idOf))
      expect(left.filter((id) => id === null)).to.have.length(1)
    })
  })
}
