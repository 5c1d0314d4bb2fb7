import { expect } from 'chai'
import { distinctName } from '../../../lib/flows/webauthn/passkey-name.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { ADDRESS, authenticate, errorOf, register, type Scene, signedUp } from './ceremonies.js'

const namesOf = async ({ adapter }: Scene): Promise<string[]> => {
  const user = await adapter.getUserByEmail(ADDRESS)
  return (await adapter.listAuthenticatorsByUserId(user?.id ?? '')).map(({ name }) => String(name)).sort()
}

/** One more passkey for whoever is signed in, on a device of its own. */
const addOne = (scene: Scene & { signedIn: Scene['browser'] }) =>
  register({ browser: scene.signedIn, device: new SoftAuthenticator(scene.desk.origin) })

describe('the name that a new passkey gets', () => {
  it('has a number where the user has one of that name', async () => {
    const scene = await signedUp()
    await addOne(scene)
    await addOne(scene)
    expect(await namesOf(scene)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  it('is free again once the passkey is renamed, and never one that its owner has given', async () => {
    const scene = await signedUp()
    const rename = (name: string) =>
      scene.adapter.updateAuthenticator(scene.device.passkey.id.toString('base64'), { name })
    await rename('Passkey 2')
    await addOne(scene)
    expect(await namesOf(scene)).to.deep.equal(['Passkey', 'Passkey 2'])
    await addOne(scene)
    expect(await namesOf(scene)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3'])
  })

  it('differs from that of one which is made at the same moment', async () => {
    const scene = await signedUp()
    const { desk, device } = scene
    const rooms = [1, 2, 3].map(() => ({ browser: desk.browser(), device: new SoftAuthenticator(desk.origin) }))
    for (const { browser } of rooms) await authenticate({ browser, device })
    // None is stored before all have a name.
    const { createAuthenticator } = scene.adapter
    const named: (() => void)[] = []
    scene.adapter.createAuthenticator = async (row) => {
      await new Promise<void>((resolve) => {
        named.push(resolve)
        if (named.length === rooms.length) for (const go of named) go()
      })
      return createAuthenticator(row)
    }
    const answers = await Promise.all(rooms.map((room) => register(room)))
    expect(answers.map(errorOf)).to.deep.equal([null, null, null])
    expect(await namesOf(scene)).to.deep.equal(['Passkey', 'Passkey 2', 'Passkey 3', 'Passkey 4'])
  })

  it('does not depend on the passkeys of others', async () => {
    const scene = await signedUp()
    const browser = scene.desk.browser()
    const device = new SoftAuthenticator(scene.desk.origin)
    await register({ browser, device }, { email: 'eve@example.com' })
    const row = await scene.adapter.getAuthenticator(device.passkey.id.toString('base64'))
    expect(row?.name).to.equal('Passkey')
    expect(errorOf(await authenticate({ browser: scene.desk.browser(), device }))).to.equal(null)
  })

  it('counts on from the model of the authenticator', () => {
    const taken = new Set(['iCloud Keychain', 'iCloud Keychain 2', 'Passkey'])
    expect(distinctName('iCloud Keychain', (name) => !taken.has(name))).to.equal('iCloud Keychain 3')
    expect(distinctName('Windows Hello', (name) => !taken.has(name))).to.equal('Windows Hello')
  })
})
