import { expect } from 'chai'
import type { AdapterUser } from '../../../lib/adapters/adapter.js'
import type { AuthConfig } from '../../../lib/index.js'
import type { SessionCallback } from '../../../lib/sessions/session-callback.js'
import type { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Pause } from '../../support/pause.js'
import { newPerson, type Person } from '../../support/sign-ins.js'
import { answer, ask } from './ceremonies.js'

interface Races {
  readonly setUp: (callbacks: AuthConfig['callbacks']) => ReturnType<typeof openAccountApp> & {
    /** The owner of an address follows a link that was mailed there. */
    readonly confirm: (person: Person) => Promise<void>
  }
  /** A `session` callback that takes a while, once. */
  readonly createSlowCallback: () => { readonly pause: Pause; readonly session: SessionCallback }
}

/** Adds a test of somebody who adds a passkey meanwhile. */
export default function add({ setUp, createSlowCallback }: Races): void {
  it('a passkey that an earlier session is adding is deleted again', async () => {
    const { pause, session } = createSlowCallback()
    const { browser, origin, store, signIn, confirm } = setUp({ session })
    const victim = newPerson()
    const attacker = browser()
    await signIn(attacker, { ...newPerson(), email: victim.email })
    const asked = await ask(attacker, { action: 'register' })
    const data = new SoftAuthenticator(origin).register(asked.json().options)
    pause.start()
    const finished = answer(attacker, 'register', data)
    await pause.reached
    await confirm(victim)
    pause.end()
    expect((await finished).location).to.include('error=')
    const { id } = (await store.getUserByEmail(victim.email ?? '')) as AdapterUser
    expect(await store.listAuthenticatorsByUserId(id)).to.deep.equal([])
    expect(await store.listAccountsByUserId(id)).to.deep.equal([])
  })
}
