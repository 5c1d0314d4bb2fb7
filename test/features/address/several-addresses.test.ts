import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { addressesIn, listAddresses } from '../../../lib/features/address/operations.js'
import type { AuthConfig } from '../../../lib/index.js'
import { sha256Base64url } from '../../../lib/kernel/digest.js'
import Passkey from '../../../lib/providers/passkey.js'
import Password from '../../../lib/providers/password.js'
import { carryOut } from '../../../lib/sign-in/operation.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { elements, visibleText } from '../../support/html.js'
import { callerWith, requestContext } from '../../support/request-context.js'
import { goTo, newPerson, oauth, setProviderUser } from '../../support/sign-ins.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, EVE, expectRefused, isDone, NEW, openAddressApp, PAGE } from './address-app.js'

const THIRD = 'ada@third.example'
const GOOD = 'copper lantern under seven bridges'
const ACCOUNT = { callbackUrl: '/auth/account' }

function openApp(more: Partial<AuthConfig> = {}, adapter: Adapter = memoryAdapter()) {
  const app = openAddressApp(adapter, { maxAddresses: 3, url: 'http://app.example', ...more })
  const make =
    (path: string) =>
    (browser: TestBrowser, email: string, headers: Record<string, string> = {}) =>
      app.send(browser, `address/${path}`, { email, ...ACCOUNT }, headers)
  return {
    ...app,
    operator: operatorOf(() => app.engine.config),
    makePrimary: make('primary'),
    remove: make('remove'),
    addressesOf: async (browser: TestBrowser) =>
      carryOut(listAddresses, callerWith(app.engine, requestContext(browser.cookieHeader(), app.origin)), []),
    async add(browser: TestBrowser, email: string) {
      expect(isDone(await app.confirm(await app.tokenFor(browser, email)))).to.equal(true)
    },
    /** Ada, with two addresses. */
    async withTwo() {
      const ada = await app.signedIn()
      await this.add(ada, NEW)
      app.mails.length = 0
      return { ada, id: (await app.idOf(ADA)) ?? '' }
    },
    /** Id of whoever gets in by a link to an address. */
    async whoGetsIn(email: string) {
      return (await (await app.signedIn(email)).current())?.user?.id
    },
  }
}

describe('several addresses of one user', () => {
  it('ACCT-04: a confirmed one is added, the present one is told, and each signs its user in', async () => {
    const app = openApp()
    const ada = await app.signedIn()
    const id = await app.idOf(ADA)
    expect(visibleText((await ada.get('/auth/address', PAGE)).body)).to.include('Add an address')
    const token = await app.tokenFor(ada)
    expect(await app.addressesOf(ada)).to.deep.equal([ADA])
    const asked = await ada.get(`/auth/address/confirm?token=${token}`, PAGE)
    expect(visibleText(asked.body))
      .to.match(/Add \W*ada@new\.example\W* to the account of \W*ada@example\.com/)
      .and.match(/Add this address Go back$/)
    const confirmed = await app.send(app.browser(), 'address/confirm', { token }, PAGE)
    expect(visibleText(confirmed.body), 'true for whoever is signed in').to.match(
      /^The address is confirmed \W*ada@new\.example\W* now belongs to the account that asked for it/,
    )
    expect(app.mails.slice(-2).map(({ to, kind }) => [to, kind])).to.deep.equal([
      [NEW, 'address-link'],
      [ADA, 'address-added'],
    ])
    expect(await app.addressesOf(ada)).to.deep.equal([ADA, NEW])
    expect(await whoIs(ada)).to.equal(ADA)
    for (const email of [ADA, NEW, NEW.toUpperCase()]) expect(await app.whoGetsIn(email), email).to.equal(id)
    expect(app.mails.map(({ to }) => to)).to.include(NEW)
  })

  for (const session of [{ strategy: 'database' }, { strategy: 'jwt' }] as const) {
    it(`the main one is chosen and told, shows in the session, and the former one stays (${session.strategy})`, async () => {
      const app = openApp({ session })
      const { ada, id } = await app.withTwo()
      app.clock.advance(10)
      const answer = await app.makePrimary(ada, NEW, PAGE)
      expect(answer.location).to.equal('http://app.example/auth/account?done=primaryAddress')
      expect(await whoIs(ada)).to.equal(NEW)
      expect(await app.addressesOf(ada)).to.deep.equal([NEW, ADA])
      expect(app.mails.map(({ to, kind }) => [to, kind])).to.deep.equal([[ADA, 'primary-address-changed']])
      expect(await app.whoGetsIn(ADA)).to.equal(id)
      // The sign-in of before is recent still.
      expect((await app.remove(ada, ADA)).status).to.equal(200)
    })
  }

  it('one that is removed is told, signs nobody in any more, and ends the links of before', async () => {
    const app = openApp()
    const { ada, id } = await app.withTwo()
    await app.send(app.browser(), 'signin/email', { email: NEW })
    const stale = app.last('sign-in-link')?.path ?? ''
    const asked = await app.tokenFor(ada, THIRD)
    expect((await app.remove(ada, NEW, PAGE)).location).to.equal('http://app.example/auth/account?done=addressRemoved')
    expect(app.mails.slice(-1).map(({ to, kind }) => [to, kind])).to.deep.equal([[NEW, 'address-removed']])
    expect(await app.addressesOf(ada)).to.deep.equal([ADA])
    const late = app.browser()
    const url = new URL(stale, 'http://app.example')
    await app.send(late, 'callback/email', { token: url.searchParams.get('token') ?? '', email: NEW })
    expect((await late.current())?.user?.id).to.not.equal(id)
    expectRefused(await app.confirm(asked), 'link')
  })

  it('the account page shows them, the main one marked, and what can be done about each', async () => {
    const app = openApp()
    const { ada } = await app.withTwo()
    const { body } = await ada.get('/auth/account', PAGE)
    const text = visibleText(body)
    expect(text).to.match(/ada@example\.com\s*Main address/)
    expect(text).to.include(`Remove ${NEW}? You cannot sign in with it any more.`)
    const actions = elements(body, 'form').map((form) => form.get('action'))
    for (const path of ['primary', 'remove']) expect(actions).to.include(`http://app.example/auth/address/${path}`)
    expect(elements(body, 'a').some((link) => link.get('href')?.includes('/auth/address?'))).to.equal(true)
    await app.add(ada, THIRD)
    const full = await ada.get('/auth/account', PAGE)
    expect(elements(full.body, 'a').some((link) => link.get('href')?.includes('/auth/address?'))).to.equal(false)
    const why = 'You have as many addresses as you can have here. To add another one, remove one first.'
    expect([text.includes(why), visibleText(full.body).includes(why)]).to.deep.equal([false, true])
  })

  it('a password signs in with each, and a link to each changes it, while the address is theirs', async () => {
    const app = openApp({ providers: [Password()] })
    const { ada, id } = await app.withTwo()
    await app.operator.setPassword({ userId: id, password: GOOD })
    const byPassword = async (email: string) => {
      const browser = app.browser()
      await app.send(browser, 'callback/password', { email, password: GOOD })
      return (await browser.current())?.user?.id
    }
    expect([await byPassword(ADA), await byPassword(NEW)]).to.deep.equal([id, id])
    await app.send(app.browser(), 'password', { email: NEW })
    const link = app.tokenIn(app.last('password-link')?.path)
    const again = await app.signedIn()
    await app.remove(again, NEW)
    const browser = app.browser()
    expect((await app.send(browser, 'password/choose', { token: link, newPassword: `${GOOD}!` })).status).to.equal(400)
    expect(await byPassword(NEW)).to.equal(undefined)
    expect(await whoIs(ada)).to.equal(null)
  })

  it('an export has them, and a deleted user has none', async () => {
    const app = openApp()
    const { id } = await app.withTwo()
    const exported = await app.operator.exportUser(id)
    expect([exported?.otherAddresses, exported?.records['address']]).to.deep.equal([[NEW], 1])
    await app.operator.deleteUser(id)
    expect(await app.whoGetsIn(NEW)).to.not.equal(id)
    app.mails.length = 0
    const eve = await app.signedIn(EVE)
    expect(
      app.mails.map(({ kind }) => kind),
      'the address that was removed is not that of Eve',
    ).to.deep.equal(['sign-in-link'])
    await app.add(eve, ADA)
    expect(await app.addressesOf(eve)).to.deep.equal([EVE, ADA])
  })

  it('is off where it is not configured: a new address takes the place of the present one', async () => {
    const app = openApp({ maxAddresses: 1 })
    const ada = await app.signedIn()
    await app.add(ada, NEW)
    expect(await app.addressesOf(ada)).to.deep.equal([NEW])
    for (const answer of [await app.makePrimary(ada, ADA), await app.remove(ada, NEW)])
      expect(answer.status).to.equal(404)
  })

  it('needs what keeps addresses and mails links, and a number that makes sense', () => {
    const { listRecordsByOwner: _, ...lacking } = memoryAdapter()
    expect(() => openApp({}, lacking)).to.throw(/`maxAddresses` needs/)
    for (const maxAddresses of [0, 1.5, 21, Number.POSITIVE_INFINITY, '2'])
      expect(() => openApp({ maxAddresses: maxAddresses as number }), String(maxAddresses)).to.throw(/1 to 20/)
  })
})

describe('who would misuse several addresses', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  it('a stranger at an open browser, a page of another site, a link and a program change nothing', async () => {
    const app = openApp({ bearer: true })
    const { ada } = await app.withTwo()
    const bearer = { authorization: `Bearer ${ada.jar.get(ada.sessionNames()[0] ?? '')?.value}` }
    for (const path of ['primary', 'remove']) {
      const forged = await ada.post(`/auth/address/${path}`, { email: NEW })
      expect([forged.status, forged.json()]).to.deep.equal([403, { error: 'MissingCSRF' }])
      expect((await ada.get(`/auth/address/${path}?email=${NEW}`, PAGE)).status).to.equal(405)
      expect((await app.browser().post(`/auth/address/${path}`, { email: NEW }, bearer)).status).to.equal(403)
      expect((await app.send(app.browser(), `address/${path}`, { email: NEW })).status).to.equal(401)
    }
    app.clock.advance(901)
    for (const change of [app.makePrimary, app.remove]) {
      expect((await change(ada, NEW)).json()).to.deep.equal({ error: 'RecentSignInRequired' })
      expect((await change(ada, NEW, PAGE)).location).to.include('error=RecentSignInRequired')
    }
    expect(await app.addressesOf(ada)).to.deep.equal([ADA, NEW])
    expect(app.mails).to.deep.equal([])
  })

  it('nobody takes, removes or makes theirs what is another user’s, or nobody’s', async () => {
    const app = openApp()
    const { ada } = await app.withTwo()
    const eve = await app.signedIn(EVE)
    for (const email of [ADA, NEW, EVE, THIRD, '', 'x'.repeat(64_000)]) {
      for (const change of [app.makePrimary, app.remove])
        expect((await change(eve, email)).status, email.slice(0, 20)).to.be.within(400, 413)
    }
    await app.ask(eve, NEW)
    expect(app.last('address-taken')?.to).to.equal(NEW)
    expectRefused(await app.ask(ada, NEW), 'same')
    expect(await app.addressesOf(ada)).to.deep.equal([ADA, NEW])
    expect(await app.addressesOf(eve)).to.deep.equal([EVE])
  })

  it('an address that two want at once is one’s; and whoever signs up with it meanwhile keeps it', async () => {
    const app = openApp()
    const [ada, eve] = [await app.signedIn(), await app.signedIn(EVE)]
    const tokens = [await app.tokenFor(ada, NEW), await app.tokenFor(eve, NEW)]
    const answers = await Promise.all(tokens.map((token) => app.confirm(token)))
    expect(answers.map(isDone).sort()).to.deep.equal([false, true])
    const token = await app.tokenFor(ada, THIRD)
    const rival = await app.signedIn(THIRD)
    expectRefused(await app.confirm(token), 'link')
    expect(await app.addressesOf(rival)).to.deep.equal([THIRD])
  })

  it('a sign-up at the moment of the confirmation leaves the address with whoever signed up', async () => {
    const store = memoryAdapter()
    const adapter: Adapter = {
      ...store,
      async createRecord(record) {
        const isMade = await store.createRecord(record)
        if (record.kind === 'address') await store.createUser({ id: 'rival', email: NEW, emailVerified: new Date() })
        return isMade
      },
    }
    const app = openApp({}, adapter)
    const ada = await app.signedIn()
    expectRefused(await app.confirm(await app.tokenFor(ada, NEW)), 'link')
    expect(await app.addressesOf(ada)).to.deep.equal([ADA])
    expect(await app.whoGetsIn(NEW)).to.equal('rival')
  })

  it('nobody has more than configured, also with two links at once', async () => {
    const app = openApp({ maxAddresses: 2 })
    const ada = await app.signedIn()
    const tokens = [await app.tokenFor(ada, NEW), await app.tokenFor(ada, THIRD)]
    const answers = await Promise.all(tokens.map((token) => app.confirm(token)))
    expect(answers.map(isDone).sort()).to.deep.equal([false, true])
    expectRefused(await app.ask(ada, 'fourth@example.com'), 'full')
    const page = await ada.get('/auth/address', PAGE)
    expect(visibleText(page.body)).to.match(/Add an address You have as many addresses .*, remove one first\. Go back$/)
    expect(elements(page.body, 'input').every((field) => field.get('type') === 'hidden')).to.equal(true)
    expect(await app.addressesOf(ada)).to.have.length(2)
  })

  it('one that is removed while it is made the main one is the main one or gone, and the other one stays', async () => {
    const app = openApp()
    const { ada } = await app.withTwo()
    await Promise.all([app.makePrimary(ada, NEW), app.remove(ada, NEW)])
    expect(await app.addressesOf(ada)).to.be.deep.oneOf([[NEW, ADA], [ADA]])
  })

  it('PWD-11: two that are made the main one at once lose none, in whatever order the store works, and the former one is told', async () => {
    const store = memoryAdapter()
    let wait = 0
    // Each call waits a little, another time with each run.
    const slow = Object.entries(store).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        wait = (wait * 7 + 3) % 11
        for (let turn = wait; turn > 0; turn -= 1) await null
        return (method as (...args: never[]) => unknown)(...args)
      },
    ])
    const app = openApp({}, Object.fromEntries(slow))
    const { ada } = await app.withTwo()
    await app.add(ada, THIRD)
    for (let turn = 0; turn < 30; turn += 1) {
      const [main = '', ...others] = await app.addressesOf(ada)
      app.mails.length = 0
      await Promise.all(others.map((email) => app.makePrimary(ada, email)))
      const after = await app.addressesOf(ada)
      expect([...after].sort()).to.deep.equal([ADA, NEW, THIRD].sort())
      if (after[0] !== main) expect(app.mails.map(({ to }) => to)).to.include(main)
    }
  })

  it('PWD-11: a store that fails half-way, or loses its answer, loses no address, and what may have changed is told', async () => {
    for (const lost of ['updateUser', 'deleteRecord', 'createRecord', 'getUser'] as const) {
      for (const when of ['before', 'later', 'never']) {
        const store = memoryAdapter()
        let isDown = false
        const adapter: Adapter = {
          ...store,
          async [lost](...args: never[]) {
            const call = () => (store[lost] as (...args: never[]) => unknown)(...args)
            if (!isDown) return call()
            if (when === 'before') await call()
            // Later than Latchkey waits.
            if (when === 'later') return setTimeout(100).then(call)
            throw new Error('down')
          },
        }
        const app = openApp({ session: { strategy: 'jwt' }, storeTimeout: 0.05 }, adapter)
        const { ada } = await app.withTwo()
        for (const change of [app.makePrimary, app.remove]) {
          isDown = true
          await change(ada, NEW)
          isDown = false
          if (when === 'later') await setTimeout(250)
          const left = await app.addressesOf(ada)
          const name = `${lost} ${when} ${change === app.remove ? 'remove' : 'primary'}: ${left.join()}`
          expect(left, name).to.include(ADA)
          if (left.length === 1) expect(app.last('address-removed')?.to, name).to.equal(NEW)
          if (left[0] === NEW) expect(app.last('primary-address-changed')?.to, name).to.equal(ADA)
        }
      }
    }
  })

  it('ACCT-05: no address becomes confirmed by being the main one for a time', async () => {
    const app = openApp()
    const { ada, id } = await app.withTwo()
    await app.engine.config.store?.updateUser({ id, email: EVE, emailVerified: null })
    expect((await app.makePrimary(ada, NEW)).status).to.equal(404)
    expect(visibleText((await ada.get('/auth/account', PAGE)).body)).to.not.include('Make it the main address')
    expect((await app.engine.config.store?.getUser(id))?.email).to.equal(EVE)
    expect(await app.addressesOf(ada)).to.deep.equal([])
  })

  it('the account page shows them beside a main one that is not confirmed, and they can be removed', async () => {
    const app = openApp()
    const { ada, id } = await app.withTwo()
    await app.engine.config.store?.updateUser({ id, email: EVE, emailVerified: null })
    const shown = visibleText((await ada.get('/auth/account', PAGE)).body)
    expect(shown)
      .to.match(/eve@example\.com\s*Not confirmed/)
      .and.include(`Remove ${NEW}?`)
    expect((await app.remove(ada, NEW, PAGE)).location).to.include('done=addressRemoved')
    expect(app.mails.slice(-1).map(({ to, kind }) => [to, kind])).to.deep.equal([[NEW, 'address-removed']])
    expect(visibleText((await ada.get('/auth/account', PAGE)).body)).to.not.include(NEW)
    expect((await app.remove(ada, NEW)).status).to.equal(404)
  })

  it('ACCT-05: whoever confirms the main one ends the others in a process without the option, too', async () => {
    const adapter = memoryAdapter()
    const app = openApp({}, adapter)
    const { id } = await app.withTwo()
    await adapter.updateUser({ id, email: EVE, emailVerified: null })
    const plain = openApp({ maxAddresses: 1 }, adapter)
    expect(await plain.whoGetsIn(EVE)).to.equal(id)
    expect(await app.whoGetsIn(NEW)).to.not.equal(id)
  })

  it('an address that two users have, as after a race, stays with whose main one it is', async () => {
    const adapter = memoryAdapter()
    const app = openApp({}, adapter)
    await app.withTwo()
    // Signed up in a process that does not know of the other addresses.
    const eve = await openApp({ maxAddresses: 1 }, adapter).signedIn(NEW)
    const eves = (await eve.current())?.user?.id
    const same = app.browser()
    for (const [name, cookie] of eve.jar) same.jar.set(name, cookie)
    await app.add(same, EVE)
    expect((await app.makePrimary(same, EVE)).status).to.equal(200)
    expect(await app.addressesOf(same)).to.deep.equal([EVE, NEW])
    expect(await app.whoGetsIn(NEW)).to.equal(eves)
  })

  it('the address of a user whom code of the application has deleted is free', async () => {
    const adapter = memoryAdapter()
    const app = openApp({}, adapter)
    const { id } = await app.withTwo()
    const [record] = await adapter.listRecordsByOwner('address', id)
    await adapter.deleteUser(id)
    if (record) await adapter.createRecord(record)
    const eve = await app.signedIn(EVE)
    await app.add(eve, NEW)
    expect(await app.addressesOf(eve)).to.deep.equal([EVE, NEW])
  })

  it('an application that tells addresses apart by more than others do has its own rule for these, too', async () => {
    const app = openApp()
    const { others, store } = await addressesIn(app.engine.config)
    const user = await store.createUser({ id: 'a', email: ADA, emailVerified: new Date() })
    expect(await others.keep(user, 'Bob@example.com')).to.equal(true)
    expect((await store.getUserByEmail('Bob@example.com'))?.id).to.equal('a')
    expect(await store.getUserByEmail('bob@example.com')).to.equal(null)
  })

  it('WEBAUTHN-14: passkeys do not say that two addresses are one person’s', async () => {
    const app = openApp({ providers: [Passkey()] })
    const { id } = await app.withTwo()
    const { store } = app.engine.config
    const account = { userId: id, provider: 'passkey', providerAccountId: 'cGFzc2tleQ==' }
    await store?.linkAccount({ ...account, type: 'webauthn' })
    await store?.createAuthenticator({
      ...{ ...account, credentialID: 'cGFzc2tleQ==', credentialPublicKey: 'cHVibGlj', counter: 0 },
      ...{ credentialDeviceType: 'multiDevice', credentialBackedUp: true },
    })
    const listed = async (email: string) => {
      const path = `/auth/webauthn-options/passkey?action=authenticate&email=${email}`
      const { options } = (await app.browser().get(path)).json() as { options: { allowCredentials: { id: string }[] } }
      return options.allowCredentials.map((each) => each.id)
    }
    const [main, other, again] = [await listed(ADA), await listed(NEW), await listed(NEW)]
    expect(main).to.deep.equal(['cGFzc2tleQ'])
    expect(other).to.have.length.above(0)
    expect(other).to.deep.equal(again).and.to.not.include('cGFzc2tleQ')
  })

  it('a page of a front end on another origin changes nothing, but its visitor can', async () => {
    const app = openApp({ origins: ['https://front.example'] })
    const { ada } = await app.withTwo()
    for (const change of [app.makePrimary, app.remove]) {
      const answer = await change(ada, NEW, { origin: 'https://front.example', 'sec-fetch-site': 'cross-site' })
      expect(answer.location).to.equal('http://app.example/auth/account')
    }
    expect(await app.addressesOf(ada)).to.deep.equal([ADA, NEW])
  })

  it('a deleted user does not come back by an invitation to one of them', async () => {
    const app = openApp({ signUp: 'invited' })
    for (const email of [ADA, NEW]) await app.operator.inviteUser({ email })
    const { id } = await app.withTwo()
    await app.operator.deleteUser(id)
    expect(await app.whoGetsIn(NEW)).to.equal(undefined)
  })

  it('ACCT-05: they count for nothing while the main one is not confirmed, and are not its owner’s', async () => {
    const app = openApp()
    const { id } = await app.withTwo()
    // Code of the application stores what somebody entered.
    await app.engine.config.store?.updateUser({ id, email: EVE, emailVerified: null })
    expect(await app.whoGetsIn(NEW)).to.not.equal(id)
    app.mails.length = 0
    const eve = await app.signedIn(EVE)
    expect(
      app.mails.map(({ kind }) => kind),
      'the address that was removed is not that of Eve',
    ).to.deep.equal(['sign-in-link'])
    expect((await eve.current())?.user?.id).to.equal(id)
    expect(await app.addressesOf(eve)).to.deep.equal([EVE])
  })

  it('ACCT-02: a provider that says the address is theirs gets nobody in whom it would not get in with the main one', async () => {
    for (const [more, isLinked] of [
      [{}, false],
      [{ allowDangerousEmailAccountLinking: true }, true],
    ] as const) {
      const app = openApp({ providers: [oauth(idp, 'oidc', more)] })
      const { id } = await app.withTwo()
      for (const emailVerified of [false, true]) {
        setProviderUser(idp, app.clock, { ...newPerson(), email: NEW, emailVerified })
        const browser = app.browser()
        await browser.get(await goTo(browser, idp))
        expect((await browser.current())?.user?.id).to.equal(isLinked && emailVerified ? id : undefined)
      }
    }
  })

  it('PWD-10: an address that is somebody’s main one, one beside it, and one that nobody has get the same answer after as many calls', async () => {
    const store = memoryAdapter()
    let calls = 0
    const counted = Object.entries(store).map(([name, method]) => [
      name,
      (...args: never[]) => {
        calls += 1
        return (method as (...args: never[]) => unknown)(...args)
      },
    ])
    const app = openApp({ providers: [Password()] }, Object.fromEntries(counted))
    const { id } = await app.withTwo()
    await app.operator.setPassword({ userId: id, password: GOOD })
    const eve = await app.signedIn(EVE)
    const asking = async (path: string, browser: TestBrowser, email: string, more = {}) => {
      const before = calls
      const { status, location, body } = await app.send(browser, path, { email, ...more })
      return [status, location, body.replaceAll(email, 'x'), calls - before]
    }
    for (const [path, more] of [
      ['callback/password', { password: 'nothing of the kind is right' }],
      ['signin/email', {}],
      ['password', {}],
      ['address', {}],
    ] as const) {
      const seen = []
      for (const email of [ADA, NEW, 'nob@nowhere.example'])
        seen.push(await asking(path, path === 'address' ? eve : app.browser(), email, more))
      expect(seen[1], path).to.deep.equal(seen[0])
      expect(seen[2], path).to.deep.equal(seen[0])
    }
  })

  it('an invitation to one of them is none', async () => {
    const app = openApp({ signUp: 'invited' })
    await app.operator.inviteUser({ email: ADA })
    const { ada } = await app.withTwo()
    expect(await app.operator.inviteUser({ email: NEW })).to.equal(false)
    expect(await app.addressesOf(ada)).to.deep.equal([ADA, NEW])
  })

  it('asks the signIn callback about a new one, as that of the user', async () => {
    const asked: unknown[] = []
    const app = openApp({
      callbacks: {
        signIn({ user, email }) {
          asked.push([user.email, email?.replaces])
          return user.email?.endsWith('@example.com') ?? false
        },
      },
    })
    const ada = await app.signedIn()
    expect((await app.ask(ada, NEW)).location).to.include('AccessDenied')
    expect(asked.at(-1)).to.deep.equal([NEW, ADA])
    await app.add(ada, 'ada.l@example.com')
  })

  it('no log has an address', async () => {
    const app = openApp()
    const { ada } = await app.withTwo()
    await app.makePrimary(ada, NEW)
    await app.remove(ada, ADA)
    await app.remove(ada, ADA)
    for (const address of [ADA, NEW]) expect(JSON.stringify(app.log)).to.not.include(address)
  })

  it('a record in the place of another one gives nobody its address', async () => {
    const app = openApp()
    const { ada, id } = await app.withTwo()
    const { store } = app.engine.config
    const [record] = (await store?.listRecordsByOwner('address', id)) ?? []
    if (!store || !record) throw new Error('no address is stored')
    await store.updateRecord({ ...record, value: EVE, version: record.version + 1 })
    expect(await app.addressesOf(ada)).to.deep.equal([ADA])
    expect((await app.makePrimary(ada, EVE)).status).to.equal(404)
    await store.createRecord({ ...record, key: sha256Base64url(EVE), version: 1 })
    expect(await app.whoGetsIn(EVE)).to.not.equal(id)
  })
})

for (const { name, requireServer, open } of STORES) {
  describe(`several addresses, over ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    it('are added, chosen and removed, each by one of two requests at once', async () => {
      const app = openApp({}, store.adapter)
      const [own = '', wanted = ''] = [0, 1].map(() => String(newPerson().email))
      const ada = await app.signedIn(own)
      const id = (await ada.current())?.user?.id
      const rival = await app.signedIn(String(newPerson().email))
      const tokens = [await app.tokenFor(ada, wanted), await app.tokenFor(rival, wanted)]
      const added = await Promise.all(tokens.map((token) => app.confirm(token)))
      expect(added.map(isDone).sort()).to.deep.equal([false, true])
      const holder = added.findIndex(isDone) === 0 ? ada : rival
      const holderId = holder === ada ? id : (await rival.current())?.user?.id
      expect(await app.whoGetsIn(wanted)).to.equal(holderId)
      await Promise.all([app.makePrimary(holder, wanted), app.makePrimary(holder, wanted)])
      const all = await app.addressesOf(holder)
      expect([all[0], all.length]).to.deep.equal([wanted, 2])
      const gone = await Promise.all([0, 1].map(() => app.remove(holder, all[1] ?? '')))
      expect(gone.filter(({ status }) => status === 200)).to.have.length(1)
      expect(await app.addressesOf(holder)).to.deep.equal([wanted])
      const user = (await store.adapter.getUserByEmail?.(wanted)) as AdapterUser
      expect(user.emailVerified).to.be.an.instanceOf(Date)
    })
  })
}
