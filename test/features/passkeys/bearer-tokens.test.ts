import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Passkey from '../../../lib/providers/passkey.js'
import { testConfig } from '../../support/app.js'
import { startBearerApp } from '../../support/bearer-app.js'

describe('a bearer token and passkeys', () => {
  it('gets no options for a passkey, and adds none', async () => {
    const store = memoryAdapter()
    store.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const { providers } = testConfig()
    const app = await startBearerApp('jwt', {
      adapter: store,
      providers: [...providers, Passkey],
      experimental: { enableWebAuthn: true },
      url: 'http://localhost:3000',
    })
    try {
      const { token } = await app.issued()
      for (const [method, path] of [
        ['GET', '/auth/webauthn-options/passkey?action=register'],
        ['HEAD', '/auth/webauthn-options/passkey'],
        ['POST', '/auth/callback/passkey'],
      ] as const) {
        const answer = await app.send(path, `Bearer ${token}`, { method })
        expect([answer.status, answer.headers.getSetCookie()], path).to.deep.equal([403, []])
      }
    } finally {
      await app.close()
    }
  })
})
