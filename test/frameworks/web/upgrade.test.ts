import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import { signInAs } from '../../../lib/testing/index.js'
import { failureOf } from '../../support/failure.js'
import { untyped } from '../../support/untyped.js'
import { ORIGIN, webConfig } from '../../support/web-app.js'

describe('upgradeSession of latchkey/web', () => {
  it('CSRF-04: opens a connection for a page of the application only, and for who is signed in', async () => {
    const config = webConfig({ adapter: memoryAdapter(), session: { strategy: 'database' } })
    const { cookie } = await signInAs(config, { email: 'ada@app.example', name: 'Ada' }, { origin: ORIGIN })
    const closed = new AbortController()
    const upgrade = (headers: Record<string, string>) => {
      const asking = new Headers({ connection: 'keep-alive, Upgrade', upgrade: 'websocket', ...headers })
      return webAuth(config).forRequest({ headers: asking, method: 'GET' }).upgradeSession({ closed: closed.signal })
    }
    const accepted = await upgrade({ cookie, origin: ORIGIN })
    expect([accepted.status, accepted.session?.user?.name]).to.deep.equal([101, 'Ada'])
    expect((await upgrade({ origin: ORIGIN })).status).to.equal(401)
    for (const origin of ['https://evil.example', 'null']) {
      expect((await upgrade({ cookie, origin })).status, origin).to.equal(403)
    }
    expect((await upgrade({ cookie })).status, 'no Origin').to.equal(403)
    expect((await upgrade({ cookie, origin: ORIGIN, connection: 'close' })).status).to.equal(403)
    closed.abort()
    const visitor = webAuth(config).forRequest({ headers: new Headers() })
    expect((await failureOf(visitor.upgradeSession(untyped({})))).message).to.include('`closed` is missing')
  })
})
