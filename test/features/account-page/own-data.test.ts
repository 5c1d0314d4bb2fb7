import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { PASSWORDS } from '../../../lib/features/password/operations.js'
import type { AuthConfig } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import Credentials from '../../../lib/providers/credentials.js'
import Password from '../../../lib/providers/password.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { visibleText } from '../../support/html.js'
import { numberedUsers } from '../../support/numbered-users.js'
import { requestContext } from '../../support/request-context.js'
import { openTestApp } from '../../support/test-app.js'
import { ADA, EVE, openAddressApp, PAGE } from '../address/address-app.js'

const DELETES = { parts: ['profile', 'sessions', 'data', 'deletion'] } as const

const open = (config: Partial<AuthConfig> = {}, adapter = memoryAdapter()) => ({
  ...openAddressApp(adapter, {
    providers: [Password(), GitHub({ clientId: 'example', clientSecret: 'example' })],
    accountPage: DELETES,
    ...config,
  }),
  adapter,
})

describe('the data of an account', () => {
  it('are given to their owner as a file, without secrets', async () => {
    const app = open()
    const ada = await app.signedIn()
    const userId = (await app.idOf(ADA)) ?? ''
    const passwords = await app.engine.config.services.get(PASSWORDS)?.()
    await passwords?.set({ userId, password: 'copper lantern under seven bridges' })
    const account = {
      userId,
      provider: 'github',
      providerAccountId: '7',
      type: 'oauth',
      access_token: 'secret',
    } as const
    await app.adapter.linkAccount(account)
    const answer = await app.send(ada, 'export', {}, PAGE)
    expect(answer.headers.get('content-disposition')).to.equal('attachment; filename="account.json"')
    expect(answer.headers.get('cache-control')).to.include('no-store')
    expect(answer.json().user.email).to.equal(ADA)
    expect(answer.body, 'for people to read').to.match(/^{\n {2}"user": {\n {4}"/)
    expect(answer.json().accounts).to.deep.equal([{ provider: 'github', providerAccountId: '7', scope: null }])
    expect(answer.body).to.not.match(/secret|scrypt/)
  })

  it('are given to nobody else: signed out, a day after the sign-in, by a link, from another site, from a front end', async () => {
    const app = open({ origins: ['https://front.example'] })
    const ada = await app.signedIn()
    expect((await app.send(app.browser(), 'export', {})).status).to.equal(401)
    for (const origin of ['https://front.example', 'null']) {
      expect((await app.send(ada, 'export', {}, { origin })).body).to.not.include(ADA)
    }
    expect((await ada.get('/auth/export', PAGE)).status).to.equal(405)
    const forged = await ada.post('/auth/export', {}, PAGE)
    expect(forged.body).to.not.include(ADA)
    app.clock.advance(24 * 3600)
    expect((await app.send(ada, 'export', {})).status).to.equal(403)
    expect((await app.send(ada, 'export', {}, PAGE)).location).to.include('/auth/signin?error=RecentSignInRequired')
  })
})

describe('a session that another process has ended a moment ago', () => {
  it('gives nothing of what is stored about its user', async () => {
    const adapter = memoryAdapter()
    const config = { session: { strategy: 'jwt', revocation: { store: adapter, checkEvery: 60 } } } as const
    const [app, other] = [open(config, adapter), open(config, adapter)]
    const ada = await app.signedIn()
    expect((await app.send(ada, 'export', {})).status).to.equal(200)
    await operatorOf(() => other.engine.config).revokeAllSessions((await app.idOf(ADA)) ?? '')
    expect((await app.send(ada, 'export', {})).status).to.equal(401)
  })
})

describe('what is kept of people whom the store numbers', () => {
  const OPTIONS = {
    accountPage: { parts: ['password', 'accounts', 'data'] },
    securityEvents: true,
    session: { strategy: 'database', refreshUser: 1 },
  } as const

  async function openWithAda() {
    const told: unknown[] = []
    const app = open({ ...OPTIONS, events: { security: ({ userId }) => void told.push(userId) } }, numberedUsers())
    const ada = await app.signedIn()
    const [id, userId] = [(await app.idOf(ADA)) ?? '', String(await app.idOf(ADA))]
    expect(typeof id).to.equal('number')
    const passwords = await app.engine.config.services.get(PASSWORDS)?.()
    await passwords?.set({ userId, password: 'copper lantern under seven bridges' })
    await app.adapter.linkAccount({ userId, provider: 'github', providerAccountId: '7', type: 'oauth' })
    return { app, ada, id, userId, told, operator: operatorOf(() => app.engine.config) }
  }

  it('is shown to them, and given', async () => {
    const { app, ada, userId, told } = await openWithAda()
    const { body } = await ada.get('/auth/account', PAGE)
    expect(['part-password', 'part-accounts'].filter((part) => !body.includes(part))).to.deep.equal([])
    const { accounts } = (await ada.get('/auth/accounts')).json()
    expect((await app.send(ada, 'accounts/unlink', { id: accounts[0].id })).status).to.equal(200)
    expect(new Set(told)).to.deep.equal(new Set([userId]))
    const exported = (await app.send(ada, 'export', {})).json()
    expect(exported.records).to.deep.include({ password: 1 })
    expect(exported.securityEvents.map(({ type }: { type: string }) => type)).to.deep.equal([
      'account-unlinked',
      'sign-in',
    ])
  })

  it('is found by code that has the number', async () => {
    const { app, id, told, userId, operator } = await openWithAda()
    const password = 'copper lantern under seven bridges'
    expect(await operator.verifyPassword({ userId: id, password })).to.equal(true)
    expect(await operator.revokeAllSessions(id)).to.equal(1)
    expect(await operator.disableUser(id)).to.equal(true)
    expect(await operator.enableUser(id)).to.equal(true)
    expect((await operator.listSecurityEvents(id)).map(({ type }) => type)).to.deep.equal([
      'user-disabled',
      'session-ended',
      'sign-in',
    ])
    expect(new Set(told)).to.deep.equal(new Set([userId]))
    expect((await operator.exportUser(id))?.records).to.deep.include({ password: 1 })
    await operator.deleteUser(id)
    expect(await app.adapter.listRecordsByOwner?.('password', userId)).to.deep.equal([])
  })
})

describe('a program with a token of somebody', () => {
  it('changes no name, gets no data, deletes no account and sees no page', async () => {
    const app = open({ bearer: true })
    const ada = await app.signedIn()
    const { sessions } = app.engine.config.schemeFor(ada.origin)
    const { token } = await sessions.issueToken(requestContext(ada.cookieHeader(), ada.origin), { maxAge: 3600 })
    const authorization = `Bearer ${token}`
    const program = app.browser()
    for (const path of ['account', 'export', 'delete']) {
      const { body, status } = await program.post(`/auth/${path}`, { name: 'Eve' }, { authorization })
      expect(status, path).to.be.oneOf([401, 403])
      expect(body).to.not.include(ADA)
    }
    for (const path of ['account', 'delete']) {
      const { body, status } = await program.get(`/auth/${path}`, { authorization })
      expect(status, path).to.be.oneOf([302, 401, 403])
      expect(body).to.not.include(ADA)
    }
    const { id, name = null } = (await app.adapter.getUserByEmail(ADA)) ?? {}
    expect([typeof id, name ?? null]).to.deep.equal(['string', null])
  })
})

describe('people who sign in with credentials alone', () => {
  it('get their data, and can delete their account', async () => {
    const adapter = memoryAdapter()
    const grace = await adapter.createUser({ id: '', email: 'grace@example.com', emailVerified: new Date() } as never)
    const app = openTestApp({
      adapter,
      accountPage: DELETES,
      limits: false,
      providers: [Credentials({ credentials: {}, authorize: () => grace })],
    })
    const browser = app.browser()
    await browser.signIn({})
    const exported = await browser.post('/auth/export', { csrfToken: await browser.csrfToken() })
    expect(exported.json().user.email).to.equal('grace@example.com')
    const page = await browser.post('/auth/delete', { csrfToken: await browser.csrfToken() }, PAGE)
    expect(visibleText(page.body)).to.include('Your account was deleted')
    expect(await adapter.getUserByEmail('grace@example.com')).to.equal(null)
  })

  it('find no routes for users where there are none', async () => {
    const app = openTestApp({
      accountPage: DELETES,
      providers: [Credentials({ credentials: {}, authorize: () => null })],
    })
    for (const path of ['export', 'delete']) {
      const browser = app.browser()
      const { status } = await browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken() })
      expect(status).to.equal(404)
    }
  })
})

describe('the deletion of an account', () => {
  it('is offered where the configuration says so, and asks first', async () => {
    const without = await open({ accountPage: {} }).signedIn()
    expect((await without.get('/auth/account', PAGE)).body).to.not.include('/auth/delete')
    expect((await without.get('/auth/delete', PAGE)).status).to.equal(404)
    const app = open()
    const ada = await app.signedIn()
    expect((await ada.get('/auth/account', PAGE)).body).to.include('/auth/delete?callbackUrl=')
    expect(visibleText((await ada.get('/auth/delete', PAGE)).body)).to.include('Nobody can bring it back')
    expect(await app.idOf(ADA)).to.be.a('string')
  })

  for (const session of [{ strategy: 'database' }, { strategy: 'jwt', refreshUser: 1 }] as const) {
    it(`takes everything of the person, ends every session, and tells them by mail (${session.strategy})`, async () => {
      const app = open({ session, logger: { error() {}, warn() {}, debug() {} } })
      const ada = await app.signedIn()
      const phone = await app.signedIn()
      const eve = await app.signedIn(EVE)
      const page = await app.send(ada, 'delete', {}, PAGE)
      expect([page.status, visibleText(page.body)]).to.satisfy(
        ([status, text]: [number, string]) => status === 200 && text.includes('Your account was deleted'),
      )
      app.clock.advance(2)
      expect([await ada.current(), await phone.current(), await app.idOf(ADA)]).to.deep.equal([null, null, null])
      expect(ada.sessionNames()).to.deep.equal([])
      expect((await eve.current())?.user?.email).to.equal(EVE)
      expect(app.mails.filter(({ kind }) => kind === 'account-deleted').map(({ to }) => to)).to.deep.equal([ADA])
    })
  }

  it('leaves no record, no session and no way in, and the address is free for somebody new', async () => {
    const app = open()
    const ada = await app.signedIn()
    const userId = (await app.idOf(ADA)) ?? ''
    const passwords = await app.engine.config.services.get(PASSWORDS)?.()
    await passwords?.set({ userId, password: 'copper lantern under seven bridges' })
    await app.adapter.linkAccount({ userId, provider: 'github', providerAccountId: '7', type: 'oauth' })
    await app.send(ada, 'password', { email: ADA })
    const old = app.tokenIn(app.last('password-link')?.path)
    const again = await app.signedIn()
    await app.send(again, 'delete', {}, PAGE)
    expect(await app.adapter.getUserByAccount({ provider: 'github', providerAccountId: '7' })).to.equal(null)
    expect(await app.adapter.listSessionsByUserId(userId)).to.deep.equal([])
    expect(await passwords?.passwords.has(userId)).to.equal(false)
    const stale = await app.send(app.browser(), 'password/choose', {
      token: old,
      newPassword: 'nine quiet windows facing the harbour',
    })
    expect(stale.json()).to.deep.equal({ error: 'Password', reason: 'link' })
    const somebody = await app.signedIn()
    expect([(await somebody.current())?.user?.email, (await app.idOf(ADA)) === userId]).to.deep.equal([ADA, false])
    expect(await passwords?.passwords.has((await app.idOf(ADA)) ?? '')).to.equal(false)
  })

  it('is asked for by its owner alone: signed in, recently, in a form of this page', async () => {
    const app = open({ origins: ['https://front.example'] })
    const ada = await app.signedIn()
    expect((await app.send(app.browser(), 'delete', {})).status).to.equal(401)
    await ada.post('/auth/delete', {}, PAGE)
    await ada.get('/auth/delete?confirm=true', PAGE)
    await app.send(ada, 'delete', {}, { ...PAGE, origin: 'https://front.example' })
    await app.send(ada, 'delete', {}, { ...PAGE, origin: 'null' })
    await app.send(ada, 'delete', {}, { ...PAGE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    app.clock.advance(24 * 3600)
    expect((await app.send(ada, 'delete', {})).status).to.equal(403)
    expect(await app.idOf(ADA)).to.be.a('string')
  })

  it('leaves the account as it is when the store cannot delete it', async () => {
    const adapter = memoryAdapter()
    const app = open({ logger: { error() {}, warn() {}, debug() {} } }, adapter)
    const ada = await app.signedIn()
    adapter.deleteUser = async () => {
      throw new Error('down')
    }
    const { status, body } = await app.send(ada, 'delete', {}, PAGE)
    expect(status).to.not.equal(200)
    expect(visibleText(body)).to.not.include('was deleted')
    expect(await app.idOf(ADA)).to.be.a('string')
  })
})
