import { expect } from 'chai'
import { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { newPerson } from '../../support/sign-ins.js'
import { openTestApp, type TestBrowser } from '../../support/test-app.js'
import { register } from './ceremonies.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

interface Listed {
  readonly id: string
  readonly name: string
}

const listOf = async (browser: TestBrowser): Promise<Listed[]> => (await browser.get('/auth/passkeys')).json().passkeys

for (const strategy of ['jwt', 'database'] as const) {
  /** An app in which people sign up with a passkey. */
  const setUp = async () => {
    const app = openAccountApp(idp, { methods: ['passkey'], config: { session: { strategy }, bearer: true } })
    const join = async (count = 2) => {
      const browser = app.browser()
      const devices: SoftAuthenticator[] = []
      const { email } = newPerson()
      while (devices.length < count) {
        const device = new SoftAuthenticator(app.origin)
        await register({ browser, device }, devices.length === 0 ? { email: email ?? '' } : {})
        devices.push(device)
      }
      return { browser, devices }
    }
    const change = async (browser: TestBrowser, path: 'rename' | 'remove', fields: object) =>
      browser.postJson(`/auth/passkeys/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
    return { ...app, open: app.browser, join, change, ...(await join()) }
  }

  describe(`the passkeys of a person over HTTP, with ${strategy} sessions,`, () => {
    it('are listed without what verifies them, renamed, and removed with what the browser is told', async () => {
      const { browser, devices, change } = await setUp()
      const answer = await browser.get('/auth/passkeys')
      const [first, second] = answer.json().passkeys
      expect(Object.keys(first)).to.have.members(
        ['id', 'name', 'createdAt', 'lastUsedAt', 'kind', 'backedUp', 'transports'], //
      )
      expect(answer.body).not.to.match(/public|userId|counter/i)
      expect((await change(browser, 'rename', { id: first.id, name: ' My key ' })).json()).to.deep.equal({
        passkey: { ...first, name: 'My key' },
      })
      expect((await change(browser, 'remove', { id: second.id })).json()).to.deep.equal({
        removed: true,
        signal: { rpId: 'app.example', credentialId: devices[1]?.passkey.id.toString('base64url') },
      })
      expect((await listOf(browser)).map(({ name }) => name)).to.deep.equal(['My key'])
    })

    it('CSRF-01, CSRF-04: change only by a form of this browser, and by no link', async () => {
      const { browser, change } = await setUp()
      const before = await listOf(browser)
      const [{ id } = { id: '' }] = before
      const csrfToken = await browser.csrfToken()
      for (const path of ['rename', 'remove'] as const) {
        const fields = { id, name: 'x' }
        for (const wrong of [undefined, 'wrong']) {
          const refused = await change(browser, path, { ...fields, csrfToken: wrong })
          expect([refused.status, refused.json()]).to.deep.equal([403, { error: 'MissingCSRF' }])
        }
        for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
          const url = `/auth/passkeys/${path}`
          expect((await browser.post(url, { ...fields, csrfToken }, headers as never)).status).to.equal(403)
        }
        expect((await browser.get(`/auth/passkeys/${path}?id=${encodeURIComponent(id)}&name=x`)).status).to.equal(405)
      }
      expect(await listOf(browser)).to.deep.equal(before)
    })

    it('CVE-2025-71400: are nobody else’s, who learns nothing of them; and need a session', async () => {
      const { browser, open, join, change } = await setUp()
      const before = await listOf(browser)
      const [{ id } = { id: '' }] = before
      const eve = await join()
      for (const guess of [id, 'none', `${id}=`]) {
        expect((await change(eve.browser, 'rename', { id: guess, name: 'x' })).status).to.equal(404)
        expect((await change(eve.browser, 'remove', { id: guess })).status).to.equal(404)
      }
      const stranger = open()
      expect((await stranger.get('/auth/passkeys')).status).to.equal(401)
      expect((await change(stranger, 'rename', { id, name: 'x' })).status).to.equal(401)
      expect((await change(stranger, 'remove', { id })).status).to.equal(401)
      expect(await listOf(browser)).to.deep.equal(before)
    })

    it('WEBAUTHN-22, SESS-10: are removed after a recent sign-in only; a page leads through the sign-in page and back', async () => {
      const { browser, change, clock } = await setUp()
      const [{ id } = { id: '' }] = await listOf(browser)
      clock.advance(16 * 60)
      const refused = await change(browser, 'remove', { id })
      expect([refused.status, refused.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
      const fields = { csrfToken: await browser.csrfToken(), id, callbackUrl: '/settings' }
      const page = await browser.post('/auth/passkeys/remove', fields, { accept: 'text/html' })
      const { pathname, searchParams } = new URL(page.location ?? '')
      expect([pathname, searchParams.get('code')]).to.deep.equal(['/auth/signin', 'RemovePasskey'])
      expect((await browser.get(`${pathname}?${searchParams}`)).body).to.include('then remove the passkey')
      expect(await listOf(browser)).to.have.length(2)
    })

    it('ACCT-03: stay where they are the last way in; and a form of a page comes back to the page', async () => {
      const { browser, change } = await setUp()
      const [first, second] = await listOf(browser)
      const fields = { csrfToken: await browser.csrfToken(), id: first?.id ?? '', callbackUrl: '/settings' }
      const page = await browser.post('/auth/passkeys/remove', fields, { accept: 'text/html' })
      expect(page.location).to.equal('http://app.example/settings')
      expect((await change(browser, 'remove', { id: second?.id })).status).to.equal(409)
      expect(await listOf(browser)).to.deep.equal([second])
    })

    it('are no business of a bearer token, nor of HEAD', async () => {
      const { browser, change, calls } = await setUp()
      const [{ id } = { id: '' }] = await listOf(browser)
      const headers = { authorization: 'Bearer x' }
      expect((await browser.get('/auth/passkeys', headers)).status).to.equal(403)
      for (const path of ['rename', 'remove']) {
        expect((await browser.post(`/auth/passkeys/${path}`, { id, name: 'x' }, headers)).status).to.equal(403)
      }
      calls.length = 0
      expect((await browser.head('/auth/passkeys')).status).to.equal(200)
      expect(calls).to.deep.equal([])
      for (const bad of [
        { id, name: '' },
        { id, name: 'x'.repeat(101) },
        { id, name: 'two\nlines' },
        { name: 'x' },
        { id: 7 },
      ]) {
        expect((await change(browser, 'rename', bad)).status, JSON.stringify(bad)).to.equal(400)
      }
    })
  })
}

describe('the passkeys of a person over HTTP, where there are none,', () => {
  it('have no such path', async () => {
    const browser = openTestApp().browser()
    expect((await browser.get('/auth/passkeys')).status).to.equal(404)
    const fields = { csrfToken: await browser.csrfToken(), id: 'x' }
    expect((await browser.postJson('/auth/passkeys/remove', fields)).status).to.equal(404)
  })
})
