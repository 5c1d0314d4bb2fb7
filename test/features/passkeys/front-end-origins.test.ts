import { expect } from 'chai'
import Passkey from '../../../lib/providers/passkey.js'
import { whoIs } from '../../support/test-app.js'
import { ask, openPasskeyApp, register, signedUp } from './ceremonies.js'

const FRONT = 'https://app.example'
/** What a browser sends with a fetch of a page at an origin, with `credentials: 'include'`. */
const from = (origin: string) => ({
  origin,
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
})
const AS_JSON = { 'x-auth-return-redirect': '1', accept: 'application/json' }

describe('a front end that somebody has taken over', () => {
  // A page can have browsers leave its origin out (Referrer-Policy: no-referrer), so that it looks like no page of a front end.
  const HIDDEN: Record<string, Record<string, string>> = {
    'as current browsers say it': { origin: 'null', 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' },
    'as old browsers say it': { origin: 'null' },
  }
  for (const [how, headers] of Object.entries(HIDDEN)) {
    it(`WEBAUTHN-04: adds no passkey by hiding its origin, ${how}`, async () => {
      const relayingParty = { id: 'app.example', origin: ['http://app.example'] }
      const passkeys = await signedUp({ origins: [FRONT], providers: [Passkey({ relayingParty })] })
      const { options } = (await ask(passkeys.signedIn, { action: 'register' })).json()
      const data = passkeys.device.register({ ...options, excludeCredentials: [] })
      const fields = { action: 'register', data }
      const answer = await passkeys.signedIn.post('/auth/callback/passkey', fields, { ...headers, ...AS_JSON })
      expect(answer.json().url).to.include('error=MissingCSRF')
    })
  }

  it('WEBAUTHN-04: adds no passkey and signs in with none, unless the provider names it as well', async () => {
    const headers = { ...from(FRONT), ...AS_JSON }
    for (const isNamed of [false, true]) {
      const relayingParty = {
        id: 'app.example',
        origin: isNamed ? ['http://app.example', FRONT] : ['http://app.example'],
      }
      const app = await signedUp({ origins: [FRONT], providers: [Passkey({ relayingParty })] })
      const { signedIn, device } = app
      const { options } = (await ask(signedIn, { action: 'register' })).json()
      // An authenticator of the attacker claims that a page of the public origin asked.
      const data = device.register({ ...options, excludeCredentials: [] })
      const answer = await signedIn.post('/auth/callback/passkey', { action: 'register', data }, headers)
      expect(answer.json().url.includes('error=MissingCSRF'), `named: ${isNamed}`).to.equal(!isNamed)
    }
  })

  it('WEBAUTHN-04: a page that is not listed uses no passkey, whatever the provider names', async () => {
    const relayingParty = { id: 'app.example', origin: ['http://app.example', FRONT] }
    const app = openPasskeyApp({ providers: [Passkey({ relayingParty })] })
    await register(app, { email: 'ada@example.com' })
    const { options } = (await ask(app.browser, { action: 'register' })).json()
    const data = app.device.register({ ...options, excludeCredentials: [] })
    const answer = await app.browser.post(
      '/auth/callback/passkey',
      { action: 'register', data },
      { ...from(FRONT), ...AS_JSON },
    )
    expect(answer.json().url).to.include('error=MissingCSRF')
    expect(await whoIs(app.browser)).to.equal('ada@example.com')
  })
})
