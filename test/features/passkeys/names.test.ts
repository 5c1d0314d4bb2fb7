import { expect } from 'chai'
import { distinctName } from '../../../lib/features/passkeys/finish-register.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { ADDRESS, authenticate, errorOf, type PasskeyApp, register, signedUp } from './ceremonies.js'

const namesOf = async ({ adapter }: PasskeyApp): Promise<string[]> => {
  const user = await adapter.getUserByEmail(ADDRESS)
  return (await adapter.listAuthenticatorsByUserId(user?.id ?? '')).map(({ name }) => String(name)).sort()
}

/** One more passkey for whoever is signed in, on a device of its own. */
const addOne = (passkeyApp: PasskeyApp & { signedIn: PasskeyApp['browser'] }) =>
  register({ browser: passkeyApp.signedIn, device: new SoftAuthenticator(passkeyApp.testApp.origin) })

describe('the name that a new passkey gets', () => {
  it('has a number where the user has one of that name', async () => {
    const passkeyApp = await signedUp()
    await addOne(passkeyApp)
    await addOne(passkeyApp)
    expect(await namesOf(passkeyApp)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  it('is free again once the passkey is renamed, and never one that its owner has given', async () => {
    const passkeyApp = await signedUp()
    const rename = (name: string) =>
      passkeyApp.adapter.updateAuthenticator(passkeyApp.device.passkey.id.toString('base64'), { name })
    await rename('Passkey 2')
    await addOne(passkeyApp)
    expect(await namesOf(passkeyApp)).to.deep.equal(['Passkey', 'Passkey 2'])
    await addOne(passkeyApp)
    expect(await namesOf(passkeyApp)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  it('differs from that of one which is made at the same moment', async () => {
    const passkeyApp = await signedUp()
    const { testApp, device } = passkeyApp
    const rooms = [1, 2, 3].map(() => ({ browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }))
    for (const { browser } of rooms) await authenticate({ browser, device })
    // None is stored before all have a name.
    const { createAuthenticator } = passkeyApp.adapter
    const named: (() => void)[] = []
    passkeyApp.adapter.createAuthenticator = async (row) => {
      await new Promise<void>((resolve) => {
        named.push(resolve)
        if (named.length === rooms.length) for (const go of named) go()
      })
      return createAuthenticator(row)
    }
    const answers = await Promise.all(rooms.map((room) => register(room)))
    expect(answers.map(errorOf)).to.deep.equal([null, null, null])
    expect(await namesOf(passkeyApp)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3', 'Passkey 4'])
  })

  it('does not depend on the passkeys of others', async () => {
    const passkeyApp = await signedUp()
    const browser = passkeyApp.testApp.browser()
    const device = new SoftAuthenticator(passkeyApp.testApp.origin)
    await register({ browser, device }, { email: 'eve@example.com' })
    const row = await passkeyApp.adapter.getAuthenticator(device.passkey.id.toString('base64'))
    expect(row?.name).to.equal('Passkey')
    expect(errorOf(await authenticate({ browser: passkeyApp.testApp.browser(), device }))).to.equal(null)
  })

  it('counts on from the model of the authenticator', () => {
    const taken = new Set(['iCloud Keychain', 'iCloud Keychain 2', 'Passkey'])
    expect(distinctName('iCloud Keychain', (name) => !taken.has(name))).to.equal('iCloud Keychain 3')
    expect(distinctName('Windows Hello', (name) => !taken.has(name))).to.equal('Windows Hello')
  })
})
