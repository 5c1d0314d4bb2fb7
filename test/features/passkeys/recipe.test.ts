import { expect } from 'chai'
import type { Express } from 'express'
import { loadRecipe, useVariables } from '../../docs/recipes/recipe.js'
import { atLocalhost, listen, type Running, SECRET } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Visitor } from '../../support/visitor.js'

async function addPasskey(visitor: Visitor, device: SoftAuthenticator, email?: string) {
  const query = new URLSearchParams({ action: 'register', ...(email !== undefined && { email }) })
  const { options } = (await visitor.get(`/auth/webauthn-options/passkey?${query}`)).json()
  return visitor.post('/auth/callback/passkey', { action: 'register', data: device.register(options) })
}

describe('examples/recipes/passkeys.ts', () => {
  useVariables({ AUTH_SECRET: SECRET })

  let app: Running
  let ada: Visitor
  let phone: SoftAuthenticator
  let laptop: SoftAuthenticator

  before(async () => {
    const { app: made } = await loadRecipe<{ app: Express }>('passkeys.ts')
    app = atLocalhost(await listen(made))
    ada = app.visitor()
    phone = new SoftAuthenticator(app.origin)
    laptop = new SoftAuthenticator(app.origin)
    await addPasskey(ada, phone, 'ada@example.com')
    await addPasskey(ada, laptop)
  })
  after(() => app?.close())

  const idOf = ({ passkey }: SoftAuthenticator) => passkey.id.toString('base64')
  const change = (what: 'rename' | 'remove', body: object, headers: Record<string, string> = { origin: app.origin }) =>
    ada.postJson(`/account/passkeys/${what}`, body, headers)

  it('list, and say that nobody is signed in', async () => {
    const listed = (await ada.get('/account/passkeys')).json()
    expect(listed.map(({ name }: { name: string }) => name).sort()).to.deep.equal(['Passkey', 'Passkey 2'])
    expect((await app.visitor().get('/account/passkeys')).status).to.equal(401)
  })

  it('rename, with the origin of the page or with the token', async () => {
    const credentialID = idOf(phone)
    expect((await change('rename', { credentialID, name: 'Phone' })).json()).to.include({ name: 'Phone' })
    const csrfToken = await ada.csrfToken()
    const answer = await change('rename', { credentialID, name: 'My phone', csrfToken }, {})
    expect(answer.json()).to.include({ name: 'My phone' })
  })

  it('answer 403 where nothing shows that a page of the application asked', async () => {
    const credentialID = idOf(phone)
    const evil = { origin: 'https://evil.example' }
    for (const refused of [
      await change('rename', { credentialID, name: 'x' }, {}),
      await change('rename', { credentialID, name: 'x' }, evil),
      await change('remove', { credentialID }, evil),
      await change('remove', { credentialID, csrfToken: 'f'.repeat(64) }),
    ]) {
      expect([refused.status, refused.json()]).to.deep.equal([403, { message: 'Not from this page.' }])
    }
  })

  it('answer with the statuses of the table', async () => {
    expect((await change('rename', { credentialID: 'none', name: 'x' })).status).to.equal(404)
    expect((await change('rename', { credentialID: idOf(phone), name: ' ' })).status).to.equal(400)
  })

  it('remove a passkey, and answer with what the browser needs', async () => {
    const removed = await change('remove', { credentialID: idOf(laptop) })
    const credentialId = laptop.passkey.id.toString('base64url')
    expect([removed.status, removed.json()]).to.deep.equal([200, { rpId: 'localhost', credentialId }])
    expect((await change('remove', { credentialID: idOf(phone) })).status, 'the last one').to.equal(409)
  })
})
