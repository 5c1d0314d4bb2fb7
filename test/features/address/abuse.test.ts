import { expect } from 'chai'
import type { Adapter, AdapterRecord, AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { addressesIn } from '../../../lib/features/address/operations.js'
import Passkey from '../../../lib/providers/passkey.js'
import Password from '../../../lib/providers/password.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { elements, visibleText } from '../../support/html.js'
import { requestContext } from '../../support/request-context.js'
import type { TestBrowser } from '../../support/test-app.js'
import { whoIs } from '../../support/test-app.js'
import { ADA, EVE, expectRefused, isDone, NEW, openAddressApp, PAGE } from './address-app.js'

/** A store whose calls are noted, and can be replaced. */
function watched(replaced: Partial<Adapter> = {}) {
  const store = memoryAdapter()
  const calls: string[] = []
  const records = new Map<string, AdapterRecord>()
  const noted = Object.entries(store).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name)
      if (name === 'createRecord') records.set((args[0] as AdapterRecord).key, args[0] as AdapterRecord)
      const own = replaced[name as keyof Adapter] ?? method
      return (own as (...args: unknown[]) => unknown).apply(store, args)
    },
  ])
  return { store, adapter: Object.fromEntries(noted) as typeof store, calls, records, replaced }
}

describe('who would misuse the change of an address', () => {
  it('a stranger at an open browser, a page of another site, and a link change nothing', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const forged = await ada.post('/auth/address', { email: EVE })
    expect(forged.location).to.include('MissingCSRF')
    for (const path of ['', '/confirm']) {
      const old = await ada.post(`/auth/address${path}`, { email: EVE, token: 'x', callbackUrl: '/account' }, PAGE)
      expect([old.status, old.body.includes('Nothing was changed just now.')]).to.deep.equal([403, true])
    }
    expect((await ada.get(`/auth/address?email=${EVE}`, PAGE)).status).to.equal(200)
    app.clock.advance(901)
    for (const answer of [await ada.get('/auth/address', PAGE), await app.ask(ada, EVE, PAGE)]) {
      expect(answer.location).to.include('error=RecentSignInRequired&code=OpenPage').and.include('auth%2Faddress')
    }
    const toScript = await app.ask(ada, EVE)
    expect([toScript.status, toScript.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
    expect((await app.browser().get('/auth/address', PAGE)).location).to.include('error=SessionRequired')
    expect((await app.ask(app.browser(), EVE)).status).to.equal(401)
    expect(app.mails.map(({ kind }) => kind)).to.deep.equal(['sign-in-link'])
  })

  it('a session that somebody has planted in the browser gets no address of its victim', async () => {
    const app = openAddressApp()
    const eve = await app.signedIn(EVE)
    const victim = app.browser()
    for (const name of eve.sessionNames()) victim.plant(name, eve.jar.get(name)?.value ?? '')
    expect(await whoIs(victim)).to.equal(EVE)
    expect((await app.ask(victim, NEW, PAGE)).location).to.include('RecentSignInRequired')
  })

  it('a page of a front end on another origin asks for no address, but its visitor can', async () => {
    const app = openAddressApp(memoryAdapter(), { origins: ['https://front.example'] })
    const ada = await app.signedIn()
    const answer = await app.ask(ada, EVE, { origin: 'https://front.example', 'sec-fetch-site': 'cross-site' })
    expect(answer.location).to.equal('http://app.example/auth/address')
    expect(app.last('address-link')).to.equal(undefined)
    await app.tokenFor(ada)
  })

  it('a bearer token changes no address', async () => {
    const app = openAddressApp(memoryAdapter(), { bearer: true })
    const ada = await app.signedIn()
    const bearer = { authorization: `Bearer ${ada.jar.get(ada.sessionNames()[0] ?? '')?.value}` }
    const token = await app.tokenFor(ada)
    for (const [path, fields] of [
      ['/auth/address', { email: EVE }],
      ['/auth/address/confirm', { token }],
    ] as const) {
      expect((await app.browser().post(path, fields, bearer)).status).to.equal(403)
      expect((await app.browser().get(path, bearer)).status).to.equal(403)
    }
  })

  it('PWD-10: a new address that somebody has, and one that nobody has, get the same answer after the same calls', async () => {
    const { adapter, calls } = watched()
    const app = openAddressApp(adapter)
    await app.signedIn(EVE)
    const ada = await app.signedIn()
    const seen = []
    for (const headers of [{}, PAGE]) {
      for (const email of [EVE, 'eva@example.com']) {
        calls.length = 0
        const mails = app.mails.length
        const { status, location, body, setCookies } = await app.ask(ada, email, headers)
        const names = setCookies.map(({ name, value = '' }) => [name, value.length])
        const shown = body.replaceAll(email, 'x').replace(/nonce="[^"]*"|[0-9a-f]{64}/g, '')
        seen.push({ status, location, shown, names, calls: [...calls], mails: app.mails.length - mails })
      }
    }
    expect(seen[0]).to.deep.equal(seen[1])
    expect(seen[2]).to.deep.equal(seen[3])
    expect(app.last('address-taken')).to.include({ to: EVE, path: '/' })
    expect(app.last('address-taken')?.text).to.include('It has an account already')
    expect(await app.idOf(EVE)).to.be.a('string')
  })

  it('ACCT-06: scanners that open the link, HEAD, and a form of another site use nothing up', async () => {
    const app = openAddressApp()
    const token = await app.tokenFor(await app.signedIn())
    const path = app.last('address-link')?.path ?? ''
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await app.browser().get(path, PAGE)).status).to.equal(200)
      await app.browser().head(path)
    }
    expect((await app.browser().post('/auth/address/confirm', { token })).location).to.include('MissingCSRF')
    expect(await app.idOf(NEW)).to.equal(null)
    expect(isDone(await app.confirm(token))).to.equal(true)
    expectRefused(await app.confirm(token), 'link')
    expect((await app.browser().get(path, PAGE)).status).to.equal(400)
  })

  it('whoever else is signed in where the link is opened stays who they are', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const eve = await app.signedIn(EVE)
    expect(isDone(await app.confirm(await app.tokenFor(ada), eve))).to.equal(true)
    expect(await whoIs(eve)).to.equal(EVE)
    expect(await whoIs(ada)).to.equal(NEW)
  })

  it('ACCT-04: of two who use one link at once, one changes the address', async () => {
    const app = openAddressApp()
    const token = await app.tokenFor(await app.signedIn())
    const answers = await Promise.all([app.confirm(token), app.confirm(token)])
    expect(answers.map(isDone).sort()).to.deep.equal([false, true])
    expect(app.mails.filter(({ kind }) => kind === 'address-changed')).to.have.length(1)
  })

  it('ACCT-04: a link dies after an hour, with another change, with its user, and when somebody else gets the address', async () => {
    const adapter = memoryAdapter()
    const app = openAddressApp(adapter)
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    const late = await app.tokenFor(ada)
    app.clock.advance(3601)
    expectRefused(await app.confirm(late), 'link')

    const again = await app.signedIn()
    const [first, second] = [await app.tokenFor(again), await app.tokenFor(again, 'ada@other.example')]
    expect(isDone(await app.confirm(second))).to.equal(true)
    expectRefused(await app.confirm(first), 'link')

    const taken = await app.tokenFor(again)
    const rival = await app.signedIn(NEW)
    // Nobody is asked for what could not be done.
    expect((await again.get(`/auth/address/confirm?token=${taken}`, PAGE)).status).to.equal(400)
    expectRefused(await app.confirm(taken), 'link')
    expect(await whoIs(rival)).to.equal(NEW)

    const orphan = await app.tokenFor(again, 'ada@third.example')
    await adapter.deleteUser(id)
    expectRefused(await app.confirm(orphan), 'link')
    for (const token of ['', 'x', `${orphan}x`]) expectRefused(await app.confirm(token), 'link')
  })

  it('ACCT-05: who has changed it signs in again to add something, and is told before a passkey is made', async () => {
    const acme = {
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      issuer: 'https://acme.example',
      clientId: 'app',
      clientSecret: 'a secret',
    } as const
    const app = openAddressApp(memoryAdapter(), { providers: [Passkey(), acme] })
    const ada = await app.signedIn()
    const token = await app.tokenFor(ada)
    const begun = async () => [
      (await ada.get('/auth/webauthn-options/passkey?action=register')).status,
      (await ada.get('/auth/link/acme', PAGE)).location,
    ]
    expect(await begun()).to.deep.equal([200, null])
    app.clock.advance(5)
    expect(isDone(await app.confirm(token, ada))).to.equal(true)
    const [status, location] = await begun()
    expect(status).to.equal(403)
    expect(location).to.include('/auth/signin').and.to.include('RecentSignInRequired')
  })

  it('ACCT-04: what was asked for in a session ends with it', async () => {
    for (const session of [{ strategy: 'database' }, { strategy: 'jwt', revocation: true }] as const) {
      const adapter = memoryAdapter()
      const settings = 'revocation' in session ? { ...session, revocation: { store: adapter, checkEvery: 0 } } : session
      const app = openAddressApp(adapter, { session: settings })
      const thief = await app.signedIn()
      const [token, kept] = [await app.tokenFor(thief), await app.tokenFor(await app.signedIn(EVE), 'eve@new.example')]
      const ada = await app.signedIn()
      await app.send(ada, 'sessions/revoke', { others: 'true' })
      expect(await whoIs(thief), session.strategy).to.equal(null)
      expectRefused(await app.confirm(token), 'link')
      expect(isDone(await app.confirm(kept)), session.strategy).to.equal(true)
    }
  })

  it('ACCT-04: what was asked for with a copy of a cookie ends with the copy, when its owner proves more', async () => {
    for (const session of [{ strategy: 'database' }, { strategy: 'jwt', revocation: true }] as const) {
      const adapter = memoryAdapter()
      const settings = 'revocation' in session ? { ...session, revocation: { store: adapter, checkEvery: 0 } } : session
      const app = openAddressApp(adapter, { session: settings })
      const ada = await app.signedIn()
      const token = await app.tokenFor(ada.copy())
      app.clock.advance(60)
      const context = requestContext(ada.cookieHeader(), ada.origin)
      const { sessions } = app.engine.config.schemeFor(ada.origin)
      for (const { name, value } of (await sessions.raise(context, { factors: 2 })) ?? []) ada.plant(name, value)
      expectRefused(await app.confirm(token), 'link')
      expect(isDone(await app.confirm(await app.tokenFor(ada))), session.strategy).to.equal(true)
    }
  })

  it('ACCT-04: a session that began before sessions were stored asks for a link that works', async () => {
    const adapter = memoryAdapter()
    const before = openAddressApp(adapter, { session: { strategy: 'jwt' } })
    const ada = await before.signedIn()
    const after = openAddressApp(adapter, { session: { strategy: 'jwt', revocation: { store: adapter } } })
    const same = after.browser()
    for (const [name, cookie] of ada.jar) same.jar.set(name, cookie)
    expect(await whoIs(same)).to.equal(ADA)
    expect(isDone(await after.confirm(await after.tokenFor(same)))).to.equal(true)
  })

  it('two users who want one address at the same time do not both get it', async () => {
    const app = openAddressApp()
    const tokens = [await app.tokenFor(await app.signedIn()), await app.tokenFor(await app.signedIn(EVE))]
    const answers = await Promise.all(tokens.map((token) => app.confirm(token)))
    expect(answers.map(isDone).sort()).to.deep.equal([false, true])
    const left = [await app.idOf(ADA), await app.idOf(EVE), await app.idOf(NEW)]
    expect(new Set(left).size).to.equal(3)
    expect(left.filter((id) => id === null)).to.have.length(1)
  })

  it('a link in the place of that of another user changes nothing', async () => {
    const { adapter, records } = watched()
    const app = openAddressApp(adapter)
    const adas = await app.tokenFor(await app.signedIn())
    const eves = await app.tokenFor(await app.signedIn(EVE), 'eve@new.example')
    const [ofAda, ofEve] = [...records.values()]
    if (!ofAda || !ofEve) throw new Error('a link is missing')
    await adapter.updateRecord({ ...ofAda, value: ofEve.value, version: 2 })
    expectRefused(await app.confirm(adas), 'link')
    expect(isDone(await app.confirm(eves))).to.equal(true)
    expect(JSON.stringify([...records.values()]))
      .to.not.include(adas)
      .and.not.include(NEW)
  })

  it('a store that fails half-way leaves one address or the other, and the old one is told where its answer was lost', async () => {
    const { store, adapter, replaced } = watched()
    const app = openAddressApp(adapter)
    const ada = await app.signedIn()
    replaced.updateUser = () => Promise.reject(new Error('down'))
    expect((await app.confirm(await app.tokenFor(ada))).status).to.not.equal(200)
    expect(await app.idOf(ADA)).to.be.a('string')
    expect(app.last('address-changed')).to.equal(undefined)
    replaced.updateUser = async (changes) => {
      await store.updateUser(changes)
      throw new Error('the connection is lost')
    }
    expect(isDone(await app.confirm(await app.tokenFor(ada)))).to.equal(true)
    expect(app.last('address-changed')?.to).to.equal(ADA)
    expect(await app.idOf(NEW)).to.be.a('string')
  })

  it('a Host header leads no link elsewhere, and no log has a token or an address', async () => {
    const adapter = memoryAdapter()
    const app = openAddressApp(adapter)
    const ada = await app.signedIn()
    const evil = openAddressApp(adapter, { hosts: undefined, trustHost: true }, { origin: 'http://evil.example' })
    const copy = evil.browser()
    for (const [name, cookie] of ada.jar) copy.jar.set(name, cookie)
    const answer = await evil.ask(copy)
    expect(answer.status).to.equal(500)
    expect(evil.mails).to.deep.equal([])
    const token = await app.tokenFor(ada)
    await app.confirm(token)
    await app.confirm(token)
    const logged = JSON.stringify([app.log, evil.log])
    for (const secret of [token, NEW, ADA]) expect(logged).to.not.include(secret)
  })

  it('a disabled user neither asks nor confirms', async () => {
    const adapter = memoryAdapter()
    const app = openAddressApp(adapter, { session: { strategy: 'database', refreshUser: 0 } })
    const ada = await app.signedIn()
    const token = await app.tokenFor(ada)
    await adapter.updateUser({ id: (await app.idOf(ADA)) ?? '', disabled: true } as Partial<AdapterUser> & {
      id: string
    })
    expect((await app.ask(ada)).status).to.equal(401)
    expect((await app.confirm(token)).location).to.include('AccessDenied')
    expect(await app.idOf(NEW)).to.equal(null)
  })

  it('a sign-in link to the old address makes a new user, who has nothing of the other one', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    const id = await app.idOf(ADA)
    await app.send(app.browser(), 'signin/email', { email: ADA })
    const stale = app.last('sign-in-link')?.path ?? ''
    await app.confirm(await app.tokenFor(ada))
    const late = app.browser()
    const { body } = await late.get(stale, PAGE)
    expect(body).to.include(ADA)
    await app.send(late, 'callback/email', {
      token: new URL(stale, 'http://x').searchParams.get('token') ?? '',
      email: ADA,
    })
    expect(await whoIs(late)).to.equal(ADA)
    expect((await late.current())?.user?.id)
      .to.be.a('string')
      .and.not.equal(id)
  })

  it('RATE-02: mails to a new address, and of somebody signed in, are counted', async () => {
    const app = openAddressApp(memoryAdapter(), { limits: { mails: { account: { atOnce: 3, perHour: 3 } } } })
    const [ada, eve] = [await app.signedIn(), await app.signedIn(EVE)]
    const statuses = async (browser: TestBrowser, emails: readonly string[]) => {
      const all = []
      for (const email of emails) all.push((await app.ask(browser, email)).status)
      return all
    }
    expect(await statuses(ada, ['1@a.example', '2@a.example', '3@a.example', '4@a.example'])).to.deep.equal([
      302, 302, 302, 429,
    ])
    expect(await statuses(eve, [NEW, NEW, NEW, NEW])).to.deep.equal([302, 302, 302, 429])
  })
})

/** Ada has this address, and nobody has confirmed it. */
describe('a link that was mailed before', () => {
  it('ACCT-04: ends with a new password, and with another address, also when the first one comes back', async () => {
    const { adapter, store } = watched()
    const app = openAddressApp(adapter, { session: { strategy: 'jwt' } })
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    const thief = await app.tokenFor(ada)
    const service = await addressesIn(app.engine.config)
    await service.links.endAfter({ kind: 'password-changed', userId: id })
    expectRefused(await app.confirm(thief), 'link')
    const early = await app.tokenFor(ada)
    expect(isDone(await app.confirm(await app.tokenFor(ada, 'third@example.com'), ada))).to.equal(true)
    await store.updateUser({ id, email: ADA })
    expectRefused(await app.confirm(early), 'link')
    expect(await app.idOf(ADA)).to.equal(id)
  })

  it('ACCT-04: counts for nothing if its server has taken the mail and says that it failed, since its owner is not told', async () => {
    const app = openAddressApp()
    const ada = await app.signedIn()
    app.sending.fails = true
    for (const headers of [PAGE, {}]) {
      const answer = await app.ask(ada, EVE, headers)
      expect(answer.body + answer.location).to.match(/cannot send|EmailSignin/)
      expectRefused(await app.confirm(app.tokenIn(app.last('address-link')?.path)), 'link')
    }
    expect(app.last('address-change-asked')).to.equal(undefined)
  })

  it('ACCT-04: ends when code of the application sets a password, or disables the user, who gets no mail of it', async () => {
    const session = { strategy: 'jwt', refreshUser: Number.POSITIVE_INFINITY } as const
    const app = openAddressApp(memoryAdapter(), { providers: [Password()], session })
    const ada = await app.signedIn()
    const eves = await app.tokenFor(await app.signedIn(EVE), 'eve@new.example')
    const userId = (await app.idOf(ADA)) ?? ''
    const operator = operatorOf(() => app.engine.config)
    const password = 'copper lantern under seven bridges'
    for (const secure of [
      () => operator.setPassword({ userId, password }),
      async () => {
        await operator.disableUser(userId)
        await operator.enableUser(userId)
      },
    ]) {
      const thief = await app.tokenFor(ada)
      const before = app.mails.length
      await secure()
      expectRefused(await app.confirm(thief), 'link')
      expect(app.mails).to.have.length(before)
    }
    expect(isDone(await app.confirm(eves))).to.equal(true)
  })
})

describe('who has an address that nobody has confirmed', () => {
  async function open(replaced: Partial<Adapter> = {}) {
    const found = watched(replaced)
    const { store } = found
    const app = openAddressApp(found.adapter)
    const squatter = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    await store.linkAccount({ userId: id, provider: 'github', providerAccountId: '1', type: 'oauth' })
    await store.updateUser({ id, emailVerified: null })
    return { ...found, app, squatter, id, accounts: async () => (await store.listAccountsByUserId(id)).length }
  }

  it('ACCT-05: changes it only after a link to it has confirmed it', async () => {
    const { app, squatter, id } = await open()
    expectRefused(await app.ask(squatter), 'unconfirmed')
    expect((await squatter.get('/auth/address', PAGE)).status, 'before anything is sent').to.equal(403)
    expect(app.last('address-link')).to.equal(undefined)
    const owner = await app.signedIn()
    expect((await owner.current())?.user?.id).to.equal(id)
    expect(isDone(await app.confirm(await app.tokenFor(owner), owner))).to.equal(true)
    expect(await app.idOf(NEW)).to.equal(id)
  })

  it('is offered a mail that confirms it on the account page, and no change that would be refused', async () => {
    const { app, squatter, id, accounts } = await open()
    const { body: page } = await squatter.get('/auth/address', PAGE)
    expect(visibleText(page), 'as it is where they wanted another one').to.match(/E-mail me a link Go back$/)
    const { body } = await squatter.get('/auth/account', PAGE)
    const part = body.split('id="part-address"')[1]?.split('</section>')[0] ?? ''
    expect(visibleText(part)).to.match(/ada@example.com Not confirmed Confirm the address$/)
    expect(elements(part, 'form').map((form) => form.get('action'))).to.deep.equal([
      'http://app.example/auth/signin/email',
    ])
    const fields = Object.fromEntries(
      elements(part, 'input').map((input) => [input.get('name'), input.get('value') ?? '']),
    )
    await app.send(squatter, 'signin/email', fields, PAGE)
    const { location } = await squatter.get(app.last('sign-in-link')?.path ?? '', PAGE)
    expect(location).to.equal('http://app.example/auth/account')
    expect(await accounts(), 'what is theirs stays').to.equal(1)
    expect((await squatter.current())?.user?.id).to.equal(id)
    const confirmed = visibleText((await squatter.get('/auth/account', PAGE)).body)
    expect(confirmed).to.include('ada@example.com Change').and.not.include('Not confirmed')
  })

  it('ACCT-05: has no use of a link that was mailed while it was confirmed', async () => {
    const { app, squatter, id, store } = await open()
    await store.updateUser({ id, emailVerified: new Date() })
    const token = await app.tokenFor(squatter)
    await store.updateUser({ id, emailVerified: null })
    expectRefused(await app.confirm(token, squatter), 'link')
    expect(await store.getUser(id)).to.include({ email: ADA, emailVerified: null })
  })
})
