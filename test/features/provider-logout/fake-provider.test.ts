import { expect } from 'chai'
import { fakeOpenIdProvider } from '../../../lib/testing/index.js'
import { startApp, testConfig } from '../../support/app.js'

describe('fakeOpenIdProvider', () => {
  it('signs out, and leads back', async () => {
    const provider = await fakeOpenIdProvider({ user: { sub: 'ada-1815', name: 'Ada', email: 'ada@example.com' } })
    const app = await startApp(testConfig({ providers: [provider.entry({ endSession: 'always' })] }))
    try {
      const visitor = app.visitor()
      const begun = await visitor.post('/auth/signin/fake', { csrfToken: await visitor.csrfToken() })
      await visitor.get((await provider.visit(begun.location)).href)
      expect((await visitor.session())?.user.name).to.equal('Ada')
      const csrfToken = await visitor.csrfToken()
      const { location } = await visitor.post('/auth/signout', { csrfToken })
      const left = await visitor.get(location?.href ?? '')
      const toProvider = left.location ?? location
      expect(toProvider?.pathname).to.equal('/end-session')
      const back = await provider.visit(toProvider)
      expect(back.origin).to.equal(visitor.origin)
      expect(await visitor.session()).to.equal(null)
    } finally {
      await app.close()
      await provider.close()
    }
  })
})
