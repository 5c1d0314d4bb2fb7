import { expect } from 'chai'
import type { AuthConfig } from '../../../lib/index.js'
import type { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import type { Person } from '../../support/sign-ins.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { answer, ask, authenticate, errorOf, register } from './ceremonies.js'

/** Opens an app for somebody who signed in that many seconds ago. */
type OpenBrowser = (
  seconds: number,
  options: Partial<AuthConfig>,
) => Promise<ReturnType<typeof openAccountApp> & { readonly ada: Person; readonly here: TestBrowser }>

const QUARTER_OF_AN_HOUR = 15 * 60
const AGAIN = 'http://app.example/auth/signin?error=RecentSignInRequired'

function add(open: OpenBrowser, session: object): void {
  it('by a passkey is refused when it is asked for', async () => {
    const { here, log } = await open(QUARTER_OF_AN_HOUR + 1, { session })
    const asked = await ask(here, { action: 'register' })
    expect([asked.status, asked.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
    expect(asked.setCookies).to.deep.equal([])
    expect(log.errors).to.deep.equal([])
  })

  it('by a passkey is refused when it comes, too, and nothing is stored', async () => {
    const { here, ada, clock, ownerOf, store, browser, origin } = await open(QUARTER_OF_AN_HOUR - 60, { session })
    const authenticator = new SoftAuthenticator(origin)
    const { options } = (await ask(here, { action: 'register' })).json()
    const data = authenticator.register(options)
    clock.advance(61)
    expect((await answer(here, 'register', data)).location).to.equal(AGAIN)
    expect(await store.listAuthenticatorsByUserId((await ownerOf(ada)) ?? '')).to.deep.equal([])
    expect(await whoIs(here), 'still signed in').to.equal(ada.email)
    const elsewhere = await authenticate({ browser: browser(), device: authenticator })
    expect(errorOf(elsewhere)).to.equal('WebAuthnVerificationError')
  })

  it('by a passkey is done within a quarter of an hour, and at any time with Infinity', async () => {
    const { here, clock, origin } = await open(QUARTER_OF_AN_HOUR, { session })
    expect(errorOf(await register({ browser: here, device: new SoftAuthenticator(origin) }))).to.equal(null)
    clock.advance(1)
    expect((await ask(here, { action: 'register' })).status).to.equal(403)
    const never = await open(20 * 24 * 60 * 60, { session: { ...session, recentAuthAge: Number.POSITIVE_INFINITY } })
    expect(errorOf(await register({ browser: never.here, device: new SoftAuthenticator(origin) }))).to.equal(null)
  })
}

export default {
  add,
  async way(browser: TestBrowser) {
    const device = new SoftAuthenticator(browser.origin)
    await register({ browser, device })
    return { 'a passkey': () => authenticate({ browser, device }) }
  },
  async expectRefused(browser: TestBrowser) {
    expect((await ask(browser, { action: 'register' })).status).to.equal(403)
  },
}
