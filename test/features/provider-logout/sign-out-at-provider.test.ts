import { expect } from 'chai'
import { signOut as signOutOfSolid } from '../../../lib/frameworks/solid-start/index.js'
import type { AuthConfig } from '../../../lib/index.js'
import { event } from '../../frameworks/solid-start/event.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { goTo, newPerson, oauth, setProviderUser } from '../../support/sign-ins.js'
import { Clock, openTestApp } from '../../support/test-app.js'
import { ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'

describe('LOGOUT-03: signOut of an integration with endSession', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const open = () => {
    const endSession = { url: 'https://op.example/logout', returnParam: 'post_logout_redirect_uri' }
    return webConfig({ providers: [oauth(idp, 'oidc', { endSession: 'offer', tokenFacts: { endSession } })] })
  }

  /** The cookies of somebody who has signed in at the provider. */
  async function cookieOf(config: AuthConfig): Promise<string> {
    const app = openTestApp(config, { clock: new Clock(Date.now()), origin: ORIGIN })
    const browser = app.browser()
    setProviderUser(idp, app.clock, newPerson())
    await browser.get(await goTo(browser, idp))
    return browser.cookieHeader() ?? ''
  }

  it('leads to the provider in SolidStart, and only where it is asked for', async () => {
    const config = open()
    const headers = { ...OWN_PAGE, cookie: await cookieOf(config) }
    const leaving = { redirect: false, redirectTo: '/bye', endSession: true } as const
    const at = () => event('/_server?id=1', headers, 'POST')
    const url = await signOutOfSolid(at(), config, leaving)
    expect(url).to.equal(`${ORIGIN}/api/auth/signout?endSession=oidc`)
    const other = open()
    const stay = event('/_server?id=1', { ...OWN_PAGE, cookie: await cookieOf(other) }, 'POST')
    expect(await signOutOfSolid(stay, other, { redirect: false, redirectTo: '/bye' })).to.equal(`${ORIGIN}/bye`)
  })
})
