import { expect } from 'chai'
import type { AdapterUser } from '../../../lib/adapters/adapter.js'
import { ask, openPasskeyApp, register } from './ceremonies.js'

describe('a user with many passkeys', () => {
  const withPasskeys = async (count: number) => {
    const app = openPasskeyApp()
    await register(app, { email: 'ada@example.com' })
    const { id } = app.adapter.getUserByEmail('ada@example.com') as AdapterUser
    for (let n = 1; n < count; n += 1) {
      const credentialID = Buffer.from(`passkey ${n}`).toString('base64')
      app.adapter.createAuthenticator({
        credentialID,
        providerAccountId: credentialID,
        userId: id,
        counter: 0,
        credentialPublicKey: 'AA==',
        credentialBackedUp: false,
        credentialDeviceType: 'singleDevice',
        transports: null,
      })
      app.adapter.linkAccount({ userId: id, provider: 'passkey', type: 'webauthn', providerAccountId: credentialID })
    }
    return app
  }

  it('adds none after the hundredth, and is told so', async () => {
    const { browser } = await withPasskeys(99)
    const begun = await ask(browser, { action: 'register' })
    expect(begun.status).to.equal(200)
    const full = await withPasskeys(100)
    const refused = await ask(full.browser, { action: 'register' })
    expect([refused.status, refused.json()]).to.deep.equal([409, { error: 'TooManyPasskeys' }])
  })

  it('adds none in a ceremony that began before the hundredth either', async () => {
    const app = await withPasskeys(99)
    const { id } = app.adapter.getUserByEmail('ada@example.com') as AdapterUser
    const { options } = (await ask(app.browser, { action: 'register' })).json()
    app.adapter.linkAccount({ userId: id, provider: 'acme', type: 'oidc', providerAccountId: 'one more' })
    const csrfToken = await app.browser.csrfToken()
    const data = app.device.register(options)
    const form = { csrfToken, action: 'register', data }
    const answer = await app.browser.post('/auth/callback/passkey', form, { accept: 'text/html' })
    expect(answer.status).to.equal(409)
    expect(answer.body).to.include('No more can be added')
    expect(app.adapter.listAccountsByUserId(id)).to.have.length(100)
  })

  it('signs in, also with more than the cookie of a ceremony could name', async () => {
    const { browser } = await withPasskeys(400)
    const begun = await ask(browser, { action: 'authenticate' })
    expect(begun.status).to.equal(200)
    expect(begun.json().options.allowCredentials).to.have.length(100)
  })
})
