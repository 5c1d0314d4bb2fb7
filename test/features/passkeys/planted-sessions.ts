import { expect } from 'chai'
import type { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { newPerson, type Person } from '../../support/sign-ins.js'
import type { TestBrowser } from '../../support/test-app.js'
import { answer, ask, register } from './ceremonies.js'

/** An app, and how somebody signs in to it and plants their session in a browser of a victim. */
interface PlantedApp extends ReturnType<typeof openAccountApp> {
  readonly plantedBy: (person: Person) => Promise<{ there: TestBrowser; victim: TestBrowser; id: string }>
}

const OWN = 'authjs.own-sign-in'
const device = () => new SoftAuthenticator('http://app.example')

function add(setUp: () => PlantedApp): void {
  it('there are no options for a passkey, and an answer to earlier ones adds none', async () => {
    const { plantedBy, signIn, store } = setUp()
    const attacker = newPerson()
    const { victim, there, id } = await plantedBy(attacker)
    expect((await ask(victim, { action: 'register' })).status).to.equal(403)
    await signIn(there, attacker)
    const { options } = (await ask(there, { action: 'register' })).json()
    const thief = there.copy()
    thief.jar.delete(OWN)
    const { location } = await answer(thief, 'register', device().register(options))
    expect(location).to.include('error=RecentSignInRequired')
    expect(await store.listAuthenticatorsByUserId(id)).to.deep.equal([])
  })
}

export default {
  add,
  begin: {
    'a passkey': (_app: unknown, browser: TestBrowser) => register({ browser, device: device() }).catch(() => {}),
  },
}
