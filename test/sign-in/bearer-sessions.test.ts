import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type BearerApp, STRATEGIES, startBearerApp } from '../support/bearer-app.js'

for (const strategy of STRATEGIES) {
  describe(`the list of sessions for a program with an issued token, with ${strategy} sessions`, () => {
    let app: BearerApp
    afterEach(() => app.close())

    const post = (token: string, fields: object) =>
      app.send('/auth/sessions/revoke', `Bearer ${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      })

    it('shows the token as one, lets the program end it, and no session of the person', async () => {
      const revocation = { store: memoryAdapter(), checkEvery: 0 }
      app = await startBearerApp(strategy, strategy === 'jwt' ? { session: { strategy, revocation } } : {})
      const ada = await app.signedIn()
      const { token } = await app.issued()
      const list = (await (await app.send('/auth/sessions', `Bearer ${token}`)).json()).sessions as {
        id: string
        isCurrent: boolean
        kind: string
      }[]
      const own = list.find(({ isCurrent }) => isCurrent)
      const other = list.find(({ kind }) => kind === 'browser')
      expect(own?.kind).to.equal('token')
      expect([other?.isCurrent, (await ada.session()).user.name]).to.deep.equal([false, 'Ada'])
      for (const fields of [{ id: other?.id }, { others: true }, { all: true }]) {
        const refused = await post(token, fields)
        expect([refused.status, await refused.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
      }
      const { token: scoped } = await app.issued({ maxAge: 60, scope: 'reports:read' })
      for (const answer of [
        await app.send('/auth/sessions', `Bearer ${scoped}`),
        await post(scoped, { others: true }),
      ]) {
        expect(answer.status, 'a token for something else').to.equal(401)
      }
      const ended = await post(token, { id: own?.id })
      expect([ended.status, await ended.json()]).to.deep.equal([200, { revoked: 1 }])
      expect((await app.send('/auth/sessions', `Bearer ${token}`)).status).to.equal(401)
      expect((await ada.session()).user.name).to.equal('Ada')
    })
  })
}
