import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Passkey from '../../../lib/providers/passkey.js'
import { happened } from '../../../lib/sign-in/happened.js'
import { type Visit, withoutRequest } from '../../../lib/sign-in/visit.js'
import { testSecurityEvents } from '../../../lib/testing/index.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { openAccountApp } from '../../support/account-app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { failureOf } from '../../support/failure.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { visibleText } from '../../support/html.js'
import { requestContext } from '../../support/request-context.js'
import { newPerson } from '../../support/sign-ins.js'
import { openTestApp } from '../../support/test-app.js'
import { ADA, EVE, NEW, PAGE } from '../address/address-app.js'
import { register } from '../passkeys/ceremonies.js'
import { KINDS, logoutToken, openLogoutApp, sendLogout } from '../provider-logout/logout-app.js'
import { PASSWORD } from '../second-factor/second-factor-app.js'
import { FIREFOX, openEventsApp, typesOf } from './events-app.js'

describe('security events', () => {
  it('have every member of the schema, whatever they are about', async () => {
    const app = openEventsApp()
    await app.withPassword()
    app.told.clear()
    await app.enterPassword(app.from('203.0.113.7'), ADA, { 'user-agent': FIREFOX })
    await app.guess(app.from('203.0.113.8'))
    const shared = {
      at: '2031-05-04T03:02:01.000Z',
      userId: await app.idOf(ADA),
      actorId: null,
      provider: 'password',
      count: 1,
    }
    const client = { browser: 'Firefox 141', system: 'Linux', network: '203.0.113.0/24' }
    expect(await app.told.next('sign-in')).to.deep.equal({
      type: 'sign-in',
      ...shared,
      reason: null,
      amr: [],
      factors: null,
      ...client,
    })
    expect(await app.told.next('sign-in-failed')).to.deep.equal({
      type: 'sign-in-failed',
      ...shared,
      reason: 'CredentialsSignin',
      amr: [],
      factors: null,
      ...client,
      browser: null,
      system: null,
    })
  })

  it('EVENT-01: tell of what happens to an account, with nothing that is secret or that somebody entered', async () => {
    const app = openEventsApp({ bearer: true, url: 'http://app.example', session: { strategy: 'database' } })
    const entered: string[] = [ADA, NEW, PASSWORD, 'wrong password', '<b>agent</b>']
    const { browser, secret, codes, userId } = await app.withFactor()
    entered.push(secret, ...codes)
    const lost = app.browser()
    await app.guess(lost, ADA, {}, 'wrong password')
    await app.enterPassword(lost, ADA, { 'user-agent': '<b>agent</b> Firefox/141.0' })
    await app.enterCode(lost, '123456')
    await app.enterCode(lost, app.nextCode(secret))
    const found = app.browser()
    await app.enterPassword(found)
    await app.enterCode(found, codes[0] ?? '')
    const { token, id } = await app.engine.issueToken(requestContext(lost.cookieHeader(), app.origin), {
      maxAge: 600,
      name: 'Backup of Ada',
    })
    entered.push(token, 'Backup of Ada')
    await app.send(lost, 'sessions/revoke', { id })
    await app.send(lost, 'sessions/revoke', { others: 'true' })
    const link = await app.tokenFor(lost)
    entered.push(link)
    await app.confirm(link, lost)
    await app.adapter.linkAccount({ userId, provider: 'acme', providerAccountId: 'ada-at-acme', type: 'oidc' })
    const [account] = (await lost.get('/auth/accounts')).json().accounts
    await app.send(lost, 'accounts/unlink', { id: account.id })
    entered.push('ada-at-acme')
    for (const each of [browser, lost, found]) entered.push(...[...each.jar.values()].map(({ value }) => value))
    await lost.signOut()
    await app.told.next('sign-in-failed')
    await app.told.next('second-factor-failed')
    expect(typesOf(app.told.list)).to.deep.equal([
      'sign-in',
      'second-factor-added',
      'sign-in-failed',
      'second-factor-failed',
      'sign-in',
      'recovery-code-used',
      'sign-in',
      'token-issued',
      'token-revoked',
      'session-ended',
      'address-change-asked',
      'address-changed',
      'account-unlinked',
      'sign-out',
    ])
    expect(app.told.list.map((event) => event.userId)).to.deep.equal(app.told.list.map(() => userId))
    const withCode = app.told.list[4]
    expect([withCode?.amr, withCode?.factors]).to.deep.equal([['pwd', 'otp', 'mfa'], 2])
    const kept = await app.keptLater(NEW)
    // Failures come late.
    expect([...typesOf(kept)].sort()).to.deep.equal([...typesOf(app.told.list)].sort())
    const text = JSON.stringify([app.told.list, kept, app.log.warnings])
    for (const value of entered.filter(({ length }) => length > 8)) expect(text).to.not.include(value)
  })

  it('tell of an account that was connected, with the provider and without the id there', async () => {
    const idp = await FakeProvider.start()
    try {
      const told = testSecurityEvents()
      const app = openAccountApp(idp, { config: { events: { security: told.handler } } })
      const [one, other] = [newPerson(), newPerson()]
      const browser = app.browser()
      await app.signIn(browser, one)
      await app.signIn(browser, other, 'other')
      expect(told.list.map(({ type, provider }) => [type, provider])).to.deep.equal([
        ['sign-in', 'acme'],
        ['account-linked', 'other'],
      ])
      expect(JSON.stringify(told.list)).to.not.include(one.sub).and.not.include(other.sub)
    } finally {
      await idp.stop()
    }
  })

  it('tell of too many tries, and of failures that are about nobody', async () => {
    const told = testSecurityEvents()
    const app = openTestApp({ events: { security: told.handler }, limits: { guesses: { account: { atOnce: 1 } } } })
    const browser = app.browser()
    for (let turn = 0; turn < 2; turn += 1) await browser.signIn({ username: 'nobody', password: 'wrong' })
    const [failed, limited] = [await told.next('sign-in-failed'), await told.next('limit-reached')]
    expect([failed.userId, failed.provider, failed.reason]).to.deep.equal([null, 'credentials', 'CredentialsSignin'])
    expect([limited.userId, limited.provider, limited.reason]).to.deep.equal([null, 'credentials', 'RequestRefused'])
    // What is no sign-in is no event.
    await browser.get('/auth/nothing')
    await browser.post('/auth/callback/made-up', {})
    await browser.get('/auth/sessions')
    expect(told.list).to.have.lengthOf(2)
  })

  it('tell what a provider and code of the application did, without anything of a browser', async () => {
    const idp = await FakeProvider.start()
    try {
      for (const kind of [...KINDS, 'nobody stored'] as const) {
        const told = testSecurityEvents()
        const revocation = { store: memoryAdapter(), checkEvery: 0 }
        const app = openLogoutApp(idp, kind === 'nobody stored' ? KINDS[1] : kind, {
          events: { security: told.handler },
          bearer: true,
          ...(kind === 'nobody stored' && { adapter: undefined, session: { strategy: 'jwt', revocation } }),
        })
        for (const sid of ['session-1', 'session-2']) await app.signInAt(sid)
        expect((await sendLogout(app, await logoutToken(idp, { sid: 'session-1' }))).status).to.equal(200)
        const { userId, provider, count } = await told.next('session-ended')
        const isStored = kind !== 'nobody stored'
        const id = (await told.next('sign-in')).userId
        expect([userId, provider, count], kind).to.deep.equal([isStored ? id : null, 'op', 1])
        if (!isStored) continue
        await app.signInAt('session-3')
        expect(await app.engine.revokeAllSessions(id ?? '')).to.equal(2)
        const ended = await told.next('session-ended')
        expect([ended.userId, ended.provider, ended.count], kind).to.deep.equal([id, null, 2])
        expect(ended.network ?? ended.browser ?? ended.system).to.equal(null)
      }
    } finally {
      await idp.stop()
    }
  })

  it('are in the order of their time, also those that are stored later', async () => {
    const app = openEventsApp()
    await app.withPassword()
    const browser = app.browser()
    app.clock.advance(60)
    await app.guess(browser)
    app.clock.advance(60)
    await app.enterPassword(browser)
    expect(typesOf(await app.keptLater()).slice(0, 2)).to.deep.equal(['sign-in', 'sign-in-failed'])
  })

  it('are no failed sign-ins where somebody who is signed in sends a form in vain', async () => {
    const app = openEventsApp()
    const { browser } = await app.withFactor()
    await browser.post('/auth/second-factor/codes', {}, PAGE)
    await browser.post('/auth/password/change', {}, PAGE)
    expect(typesOf(app.told.list)).not.to.include('sign-in-failed')
  })

  it('are no failed sign-ins where somebody has signed in meanwhile in this browser, or another site sends a form', async () => {
    const app = openEventsApp()
    const browser = await app.withPassword()
    await browser.signOut()
    const form = { csrfToken: await browser.csrfToken(), email: ADA, password: PASSWORD }
    await app.enterPassword(browser)
    expect((await browser.post('/auth/callback/password', form, PAGE)).location).to.include('error=MissingCSRF')
    const forged = { ...PAGE, 'sec-fetch-site': 'cross-site' }
    expect((await browser.post('/auth/callback/password', form, forged)).location).to.include('error=MissingCSRF')
    await app.guess(app.browser())
    expect(await app.told.next('sign-in-failed')).to.include({ reason: 'CredentialsSignin' })
  })

  it('tell which administrator acts as a user, who learns neither who it is, nor from where', async () => {
    const app = openEventsApp({ actAs: { allow: () => true }, secondFactor: { required: () => false } })
    await app.signedIn(EVE)
    const [adas, eve] = [await app.withFactor(), (await app.idOf(EVE)) ?? '']
    adas.browser.address = '203.0.113.7'
    for (const path of ['act-as', 'act-as/end']) await app.send(adas.browser, path, { userId: eve })
    const [began, ended] = [await app.told.next('acting-began'), await app.told.next('acting-ended')]
    for (const { userId, actorId, network } of [began, ended]) {
      expect([userId, actorId, network]).to.deep.equal([eve, adas.userId, '203.0.113.0/24'])
    }
    const kept = await app.kept(EVE)
    expect(typesOf(kept)).to.deep.equal(['acting-ended', 'acting-began', 'sign-in'])
    expect(kept.map(({ actorId, network }) => [actorId, network])).to.deep.equal(kept.map(() => [null, null]))
  })

  it('are kept for 90 days or as long as configured, 50 of them and 10 failures', async () => {
    const app = openEventsApp({ securityEvents: { maxAge: 24 * 60 * 60 } })
    await app.withPassword()
    for (let turn = 0; turn < 55; turn += 1) await (await app.signedIn()).signOut()
    const events = await app.kept()
    expect(events).to.have.lengthOf(50)
    expect(typesOf(events.slice(0, 2))).to.deep.equal(['sign-out', 'sign-in'])
    app.clock.advance(24 * 60 * 60 + 1)
    expect(await app.kept()).to.deep.equal([])
    await app.signedIn()
    expect(typesOf(await app.kept())).to.deep.equal(['sign-in'])
  })

  it('show on the account page, the newest first, with browser, network and how often', async () => {
    const app = openEventsApp()
    await app.withPassword()
    for (let turn = 0; turn < 3; turn += 1) await app.guess(app.from('198.51.100.9'))
    await app.keptLater()
    app.clock.advance(60)
    const ada = app.from('203.0.113.7')
    await app.enterPassword(ada, ADA, { 'user-agent': FIREFOX })
    const { body } = await ada.get('/auth/account', PAGE)
    const part = visibleText(body.split('id="part-securityEvents"')[1]?.split('</section>')[0] ?? '')
    expect(part).to.match(
      /Recent activity\s+Signed in\s+On May 4, 2031, \d+:\d\d [AP]M UTC · password · Firefox 141, Linux · Network 203\.0\.113\.0\/24/i,
    )
    expect(part).to.match(/A sign-in failed\s+On .*2031.* UTC · 3 times · password · Network 198\.51\.100\.0\/24/i)
  })

  it('show on the account page in the language of the visitor, with the dates of their region', async () => {
    const app = openEventsApp()
    await app.withPassword()
    const ada = app.from('203.0.113.7')
    await app.enterPassword(ada)
    for (const [language, shown] of [
      ['en-GB,en;q=0.9', / 4 May 2031, \d\d:\d\d UTC · Password/],
      ['fr,en-GB;q=0.9', / 4 mai 2031, \d\d:\d\d UTC · Mot de passe/],
      ['x_y,de-AT', / 0?4\.0?5\.2031, \d\d:\d\d UTC · Passwort/],
    ] as const) {
      const { body } = await ada.get('/auth/account', { ...PAGE, 'accept-language': language })
      expect(visibleText(body.split('id="part-securityEvents"')[1] ?? ''), language).to.match(shown)
    }
  })

  it('show on the account page what was added, removed or refused', async () => {
    const app = openEventsApp()
    await app.withPassword()
    const ada = app.from('203.0.113.7')
    await app.enterPassword(ada)
    const { config } = app.engine
    const userId = String((await ada.current())?.user?.id)
    const told: [Parameters<typeof happened.changed>[1]['kind'], string?][] = [
      ['passkey-removed'],
      ['account-unlinked', 'github'],
      ['recovery-codes-renewed'],
      ['second-factor-guessed'],
    ]
    for (const [kind, provider] of told) await happened.changed(withoutRequest(config), { kind, userId, provider })
    const visit = { ...withoutRequest(config), keep: {} } as Visit
    happened.failed(visit, { kind: 'acting-refused', reason: 'RequestRefused', userId })
    await app.keptLater()
    const { body } = await ada.get('/auth/account', PAGE)
    expect(visibleText(body.split('id="part-securityEvents"')[1]?.split('</section>')[0] ?? ''))
      .to.include('A passkey was removed')
      .and.match(/An account was disconnected\s+On [^·]* · github/i)
      .and.include('New recovery codes were made')
      .and.include('Acting as another user was refused')
      .and.not.include('You may not')
      .and.not.match(/wrong codes/i)
  })

  it('show on the account page which sign-ins were with two factors', async () => {
    const app = openEventsApp()
    const { browser: ada, secret } = await app.withFactor()
    await app.enterPassword(ada)
    await app.enterCode(ada, app.nextCode(secret))
    const { body } = await ada.get('/auth/account', PAGE)
    const part = visibleText(body.split('id="part-securityEvents"')[1]?.split('</section>')[0] ?? '')
    expect(part).to.match(/^\W*Recent activity\s+Signed in\s+On [^·]* UTC · password · Two-step verification/i)
    expect(part.match(/Signed in/g)).to.have.lengthOf(2)
    expect(part.match(/· Two-step verification/g)).to.have.lengthOf(1)
  })

  it('show no second step where somebody has signed up with a passkey, which is two factors in one', async () => {
    const app = openEventsApp({ providers: [Passkey()] })
    const browser = app.browser()
    await register({ browser, device: new SoftAuthenticator(app.origin) }, { email: NEW })
    expect((await app.told.next('sign-in')).factors).to.equal(2)
    const { body } = await browser.get('/auth/account', PAGE)
    const part = visibleText(body.split('id="part-securityEvents"')[1]?.split('</section>')[0] ?? '')
    expect(part)
      .to.match(/Signed in\s+On [^·]* UTC · Passkey\b/)
      .and.not.to.include('Two-step')
  })

  it('are in an export', async () => {
    const app = openEventsApp()
    await app.signedIn()
    const operator = operatorOf(() => app.engine.config)
    const exported = await operator.exportUser((await app.idOf(ADA)) ?? '')
    expect(typesOf(exported?.securityEvents ?? [])).to.deep.equal(['sign-in'])
    const none = openEventsApp({ securityEvents: false })
    await none.signedIn()
    const without = await operatorOf(() => none.engine.config).exportUser((await none.idOf(ADA)) ?? '')
    expect(without?.securityEvents).to.equal(null)
  })

  it('need an adapter to be kept, and none to be told', async () => {
    const { adapter, ...tokens } = { adapter: memoryAdapter(), session: { strategy: 'jwt' } as const }
    expect(() => openTestApp({ ...tokens, securityEvents: true })).to.throw('`securityEvents` are kept in an adapter')
    const { createRecord: _, ...less } = adapter
    expect(() => openTestApp({ adapter: less, securityEvents: true })).to.throw('The adapter lacks createRecord')
    const told = testSecurityEvents()
    const app = openTestApp({ ...tokens, events: { security: told.handler } })
    await app.signedIn()
    expect(typesOf(told.list)).to.deep.equal(['sign-in'])
    const list = operatorOf(() => app.engine.config).listSecurityEvents('1815')
    expect((await failureOf(list)).message).to.include('Set `securityEvents`')
  })

  it('are expected in tests of an application, and say what came instead', async () => {
    const told = testSecurityEvents()
    const app = openTestApp({ events: { security: told.handler } })
    const waiting = told.next('sign-out')
    const ada = await app.signedIn()
    await ada.signOut()
    expect((await waiting).type).to.equal('sign-out')
    const failure = await failureOf(told.next('sign-out', { timeout: 20 }))
    expect(failure.message).to.equal('No event "sign-out" came in 20 ms. These came: sign-in, sign-out.')
    told.clear()
    expect(told.list).to.deep.equal([])
  })
})
