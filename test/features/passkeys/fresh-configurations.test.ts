import { expect } from 'chai'
import express from 'express'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { expressAuth } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { atLocalhost, listen, type Running, testConfig } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { SESSION } from '../../support/test-app.js'

describe('a configuration function that gives a fresh object for each request', () => {
  let app: Running
  before(async () => {
    const adapter = memoryAdapter()
    // Not that of other configurations of this process, which would be a warning of its own.
    const secret = 'the secret of the store of passkeys, long enough for all'
    const configOf = () => testConfig({ adapter, secret, providers: [Passkey()], session: { strategy: 'jwt' } })
    app = atLocalhost(await listen(express().use('/auth', expressAuth(configOf))))
  })
  after(() => app.close())

  it('WEBAUTHN-01: takes the answer to a challenge once', async () => {
    const device = new SoftAuthenticator(app.origin)
    const ada = app.visitor()
    const query = new URLSearchParams({ action: 'register', email: 'key@example.com' })
    const made = (await ada.get(`/auth/webauthn-options/passkey?${query}`)).json()
    await ada.post('/auth/callback/passkey', { action: 'register', data: device.register(made.options) })
    const visitor = app.visitor()
    const { options } = (await visitor.get('/auth/webauthn-options/passkey?action=authenticate')).json()
    const thief = visitor.copy()
    const answer = { action: 'authenticate', data: device.authenticate(options) }
    await visitor.post('/auth/callback/passkey', answer)
    await thief.post('/auth/callback/passkey', answer)
    expect([visitor.jar.has(SESSION), thief.jar.has(SESSION)]).to.deep.equal([true, false])
  })
})
