import { expect } from 'chai'
import { type OpenStore, STORES } from '../../support/stores.js'
import { whoIs } from '../../support/test-app.js'
import { ADA, GOOD, openLimited } from './limited-app.js'

const addressOf = (index: number) => `198.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
/** An address of a network of its own. */
const elsewhere = (index: number) => `${20 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.9`

for (const { name, requireServer, open } of STORES) {
  const guesses = name === 'memory' ? 10_000 : 1000
  describe(`of ${guesses} guesses at three processes, over ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    /** How many guesses are looked at, and whether the owner comes in after them with a browser that is known. */
    async function attack(of: (index: number) => { readonly email: string; readonly address: string }, owner: string) {
      const adapters = [store.adapter, await store.another(), await store.another()]
      const apps = adapters.map((adapter) => openLimited({ adapter }))
      const at = (index: number) => apps[index % apps.length] as (typeof apps)[0]
      const own = at(0).from('192.0.2.1')
      await at(0).guess(own, GOOD, owner)
      await own.signOut()
      const browsers = apps.map((app) => app.from(undefined))
      const tokens = await Promise.all(browsers.map((browser) => browser.csrfToken()))
      let looked = 0
      for (let index = 0; index < guesses; index += 1) {
        const { email, address } = of(index)
        const browser = browsers[index % browsers.length] as (typeof browsers)[0]
        browser.address = address
        const csrfToken = tokens[index % tokens.length] ?? ''
        const fields = { csrfToken, email, password: `wrong ${index}` }
        if ((await browser.post('/auth/callback/credentials', fields)).status !== 429) looked += 1
      }
      await at(1).guess(own, GOOD, owner)
      return { looked, owner: await whoIs(own) }
    }

    it('RATE-01: ten at one account from one network are looked at', async () => {
      const email = `one-${ADA}`
      expect(await attack(() => ({ email, address: '203.0.113.5' }), email)).to.deep.equal({ looked: 10, owner: email })
    })

    it('RATE-01: ten at one account from as many networks', async () => {
      const email = `many-${ADA}`
      expect(await attack((index) => ({ email, address: elsewhere(index) }), email)).to.deep.equal({
        looked: 10,
        owner: email,
      })
    })

    it('RATE-01: a hundred at as many accounts from one network', async () => {
      const victim = `member-7-${ADA}`
      const at = (index: number) => ({ email: `member-${index}-${ADA}`, address: addressOf(index & 255) })
      expect(await attack(at, victim)).to.deep.equal({ looked: 100, owner: victim })
    })
  })
}
