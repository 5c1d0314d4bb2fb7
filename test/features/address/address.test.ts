import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { Session } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { elements, visibleText } from '../../support/html.js'
import { openTestApp, type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, expectRefused, isDone, NEW, openAddressApp, PAGE } from './address-app.js'

describe('the change of an address by its owner', () => {
  for (const session of [
    { strategy: 'database' },
    { strategy: 'jwt' },
    { strategy: 'jwt', refreshUser: 60 },
  ] as const) {
    it(`ACCT-04: counts once it is confirmed at the new address, and shows in the session at once (${JSON.stringify(session)})`, async () => {
      const app = openAddressApp(memoryAdapter(), { session })
      const ada = await app.signedIn()
      const id = await app.idOf(ADA)
      const form = await ada.get('/auth/address?callbackUrl=/account', PAGE)
      expect(visibleText(form.body)).to.include('Change your address')
      const sent = await app.ask(ada, NEW, PAGE)
      expect(visibleText(sent.body)).to.include(`We have sent a message to ${NEW}`)
      expect(await app.idOf(ADA)).to.equal(id)
      const path = app.last('address-link')?.path ?? ''
      const page = await ada.get(path, PAGE)
      expect(visibleText(page.body)).to.include(ADA).and.to.include(NEW)
      expect(isDone(await app.confirm(app.tokenIn(path), ada))).to.equal(true)
      expect(await app.idOf(NEW)).to.equal(id)
      expect(await app.idOf(ADA)).to.equal(null)
      expect(await whoIs(ada)).to.equal(NEW)
      const again = await app.signedIn(NEW)
      expect((await again.current())?.user?.id).to.equal(id)
    })
  }

  it('PWD-11: tells the present address when it is asked for, and once more when it is done', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const token = await app.tokenFor(ada)
    await app.confirm(token)
    const told = app.mails.filter(({ kind }) => kind !== 'sign-in-link').map(({ to, kind }) => [to, kind])
    expect(told).to.deep.equal([
      [NEW, 'address-link'],
      [ADA, 'address-change-asked'],
      [ADA, 'address-changed'],
    ])
    expect(app.last('address-changed')?.text).to.include('has another e-mail address now').and.not.include(NEW)
  })

  it('says that it is done, and leads on; and shows the form again if no mail can be sent, also to an address that is taken', async () => {
    let isDown = false
    const links: string[] = []
    const mail = Email({
      sendVerificationRequest: ({ url }) => void links.push(url),
      sendNotification({ url, kind }) {
        if (isDown) throw new Error('no connection')
        if (kind === 'address-link') links.push(url)
      },
    })
    const app = openTestApp({ adapter: memoryAdapter(), providers: [mail], session: { strategy: 'database' } })
    const send = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
      browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), callbackUrl: '/account', ...fields }, PAGE)
    const signIn = async (email: string) => {
      const browser = app.browser()
      await send(browser, 'signin/email', { email })
      await browser.get(links.at(-1)?.replace('http://app.example', '') ?? '')
      return browser
    }
    await signIn('eve@example.com')
    const ada = await signIn(ADA)
    isDown = true
    const refusals = [
      await send(ada, 'address', { email: NEW }),
      await send(ada, 'address', { email: 'eve@example.com' }),
    ]
    for (const refusal of refusals) expect(refusal.status).to.equal(503)
    expect(visibleText(refusals[0]?.body ?? ''))
      .to.include('We cannot send e-mails right now')
      .and.not.include('Check the address')
    expect(refusals[0]?.body).to.include(`value="${NEW}"`)
    isDown = false
    await send(ada, 'address', { email: NEW })
    const token = new URL(links.at(-1) ?? '').searchParams.get('token') ?? ''
    const done = await send(app.browser(), 'address/confirm', { token })
    expect(done.status).to.equal(200)
    expect(visibleText(done.body)).to.match(
      /^The address is confirmed \W*ada@new\.example\W* now belongs to the account that asked/,
    )
    expect(elements(done.body, 'a').map((link) => link.get('href'))).to.deep.equal(['http://app.example/account'])
  })

  it('shows no form to who opens a dead link and is not signed in, but the way to ask for another one', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const token = await app.tokenFor(ada)
    await app.confirm(token)
    const path = `/auth/address/confirm?token=${token}&callbackUrl=/account`
    const stranger = app.browser()
    const sent = await app.send(stranger, 'address/confirm', { token, callbackUrl: '/account' }, PAGE)
    for (const { status, body } of [await stranger.get(path, PAGE), sent]) {
      expect(status).to.equal(400)
      expect(visibleText(body)).to.match(/This link no longer works.* You can ask for a new one\. Go to sign-in$/)
      const [link] = elements(body, 'a')
      const target = new URL(link?.get('href') ?? '', 'http://app.example').searchParams.get('callbackUrl')
      expect(target).to.match(/^http:\/\/app\.example\/auth\/address\?callbackUrl=.*account/)
    }
    expect(visibleText((await ada.get(path, PAGE)).body), 'who is signed in asks at once').to.include('Send the link')
  })

  it('is confirmed in any browser, and signs nobody in there', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const token = await app.tokenFor(ada)
    const phone = app.browser()
    expect(isDone(await app.confirm(token, phone))).to.equal(true)
    expect(await whoIs(phone)).to.equal(null)
    expect(await whoIs(ada)).to.equal(NEW)
  })

  it('ACCT-08: stores the address in its one spelling, and says which entry is none or is the present one', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    for (const [entered, reason] of [
      [ADA, 'same'],
      [' ADA@Example.COM ', 'same'],
      ['', 'address'],
      ['no address', 'address'],
      ['eve@example.com,ada@new.example', 'address'],
      ['eve@example.com ada@new.example', 'address'],
      ['<ada@new.example>', 'address'],
      [`${'a'.repeat(64_000)}@new.example`, 'address'],
    ] as const) {
      expectRefused(await app.ask(ada, entered), reason)
    }
    expect(app.last('address-link')).to.equal(undefined)
    await app.confirm(await app.tokenFor(ada, ' Ada@NEW.example '))
    expect(await app.idOf(NEW)).to.be.a('string')
  })

  it('asks the signIn callback, which knows the address that is to be replaced', async () => {
    const asked: unknown[] = []
    const app = openAddressApp(memoryAdapter(), {
      callbacks: {
        signIn({ user, account, email }) {
          if (email?.replaces === undefined) return true
          asked.push([user.email, account?.providerAccountId, email.replaces])
          return !user.email?.endsWith('@evil.example')
        },
      },
    })
    const ada = await app.signedIn()
    expect((await app.ask(ada, 'ada@evil.example')).location).to.include('AccessDenied')
    await app.tokenFor(ada)
    expect(asked).to.deep.equal([
      ['ada@evil.example', 'ada@evil.example', ADA],
      [NEW, NEW, ADA],
    ])
  })

  it('leaves the password as it is, and ends the links to both addresses that choose one', async () => {
    const good = 'copper lantern under seven bridges'
    const app = openAddressApp(memoryAdapter(), { providers: [Password()] })
    const linkFor = async (email: string) => {
      const before = app.mails.length
      await app.send(app.browser(), 'password', { email })
      return app.tokenIn(app.mails.slice(before).find(({ kind }) => kind === 'password-link')?.path)
    }
    const choose = (token: string, password: string) =>
      app.send(app.browser(), 'password/choose', { token, newPassword: password })
    expect((await choose(await linkFor(ADA), good)).status).to.equal(302)
    const stale = [await linkFor(ADA), await linkFor(NEW)]
    await app.confirm(await app.tokenFor(await app.signedIn()))
    for (const token of stale) expect((await choose(token, `${good} again`)).status).to.not.equal(302)
    const browser = app.browser()
    await app.send(browser, 'callback/password', { email: NEW, password: good })
    expect(await whoIs(browser)).to.equal(NEW)
  })

  it('tells the jwt callback and the event of the user as they are now', async () => {
    const seen: unknown[] = []
    const app = openAddressApp(memoryAdapter(), {
      session: { strategy: 'jwt' },
      callbacks: {
        jwt({ token, user, trigger }) {
          if (trigger === 'refresh') seen.push([trigger, user?.email])
          return token
        },
        session: ({ session, token }): Session => ({
          ...session,
          user: { ...session.user, name: String(token?.email) },
        }),
      },
      events: { updateUser: ({ user }) => void seen.push(['updateUser', user.email]) },
    })
    const ada = await app.signedIn()
    seen.length = 0
    await app.confirm(await app.tokenFor(ada), ada)
    expect(seen).to.deep.equal([
      ['updateUser', NEW],
      ['refresh', NEW],
    ])
    expect((await ada.session())?.user?.name).to.equal(NEW)
  })

  it('gives an address to somebody who has none', async () => {
    const adapter = memoryAdapter()
    const app = openAddressApp(adapter)
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    await adapter.updateUser({ id, email: '', emailVerified: null })
    const token = await app.tokenFor(ada)
    expect(visibleText((await ada.get(app.last('address-link')?.path ?? '', PAGE)).body)).to.include(
      `Add the address ${NEW}`,
    )
    expect(isDone(await app.confirm(token, ada))).to.equal(true)
    expect(await app.idOf(NEW)).to.equal(id)
    expect(app.mails.map(({ to }) => to)).to.deep.equal([ADA, NEW])
  })

  it('is not there without an e-mail provider that sends, or an adapter that keeps records', async () => {
    const { createRecord: _, ...without } = memoryAdapter()
    const silent = openTestApp({ adapter: memoryAdapter(), providers: [Email({ sendVerificationRequest() {} })] })
    for (const app of [openAddressApp(without), silent])
      expect((await app.browser().get('/auth/address')).status).to.equal(404)
    expect((await openAddressApp().browser().get('/auth/address')).status).to.equal(401)
  })
})
