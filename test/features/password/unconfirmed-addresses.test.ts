import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { exportUser } from '../../../lib/features/people/operations.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { openAccountApp } from '../../support/account-app.js'
import { createLog } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { createIdentityResolver } from '../../support/identity-resolver.js'
import { storeOver } from '../../support/open-store.js'
import { newPerson } from '../../support/sign-ins.js'
import { openTestApp, type TestBrowser, whoIs } from '../../support/test-app.js'
import { register } from '../passkeys/ceremonies.js'

const ADA = 'ada@example.com'
const EVE = 'eve@example.com'
const EVES = 'copper lantern under seven bridges'
const ADAS = 'nine quiet windows facing the harbour'

/** Eve has chosen a password, and then the application has given her user the address of Ada, which nobody has confirmed. */
async function openWithEve() {
  const adapter = memoryAdapter()
  const links: string[] = []
  const told: string[] = []
  const mail = Email({
    sendVerificationRequest: ({ url }) => void links.push(url),
    sendNotification: ({ url, kind }) => void (kind === 'password-link' ? links.push(url) : told.push(kind)),
  })
  const session = { strategy: 'database' } as const
  const app = openTestApp({ adapter, providers: [Password(), mail], limits: false, session })
  const send = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
    browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
  const tokenFor = async (email: string) => {
    await send(app.browser(), 'password', { email })
    return new URL(links.at(-1) ?? '').searchParams.get('token') ?? ''
  }
  const choose = (token: string, newPassword: string, browser = app.browser()) =>
    send(browser, 'password/choose', { token, newPassword })
  const signIn = async (password: string) => {
    const browser = app.browser()
    await send(browser, 'callback/password', { email: ADA, password })
    return whoIs(browser)
  }
  const eve = app.browser()
  await choose(await tokenFor(EVE), EVES, eve)
  const userId = (await adapter.getUserByEmail(EVE))?.id ?? ''
  await adapter.updateUser({ id: userId, email: ADA, emailVerified: null })
  const ada = app.browser()
  const followLink = async () => {
    await send(ada, 'signin/email', { email: ADA })
    await ada.get((links.at(-1) ?? '').replace('http://app.example', ''))
  }
  return { ...app, told, userId, eve, ada, tokenFor, choose, signIn, followLink }
}

describe('ACCT-05 a password of somebody who has had an address before its owner', () => {
  it('ends with the sign-in by mail that confirms the address, and so do the sessions', async () => {
    const app = await openWithEve()
    expect(await whoIs(app.eve)).to.equal(ADA)
    await app.followLink()
    expect([await whoIs(app.ada), await whoIs(app.eve), await app.signIn(EVES)]).to.deep.equal([ADA, null, null])
    expect(app.log.warnings).to.deep.equal(['accounts-ended'])
    expect(app.told).to.deep.equal(['password-removed'])
    expect((await exportUser(app.engine.config, app.userId))?.records).to.include({ password: 0 })
  })

  it('ends with the password that the owner chooses by mail, which stays', async () => {
    const app = await openWithEve()
    await app.choose(await app.tokenFor(ADA), ADAS, app.ada)
    expect([await whoIs(app.ada), await whoIs(app.eve)]).to.deep.equal([ADA, null])
    expect([await app.signIn(EVES), await app.signIn(ADAS)]).to.deep.equal([null, ADA])
    await app.followLink()
    expect(await app.signIn(ADAS), 'a confirmed address ends nothing').to.equal(ADA)
    expect((await exportUser(app.engine.config, app.userId))?.records).to.include({ password: 1 })
  })
})

describe('ACCT-05 the first password of somebody whose address nobody has confirmed', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  /** Somebody has signed in at a provider in two browsers, and has added a passkey; then a password is chosen by mail in another. */
  async function choosing(strategy: 'database' | 'jwt', whose: 'own' | 'another') {
    const links: string[] = []
    const told: string[] = []
    const app = openAccountApp(idp, {
      methods: ['email', 'passkey'],
      more: [Password()],
      email: {
        sendNotification: ({ kind, url }) => void (kind === 'password-link' ? links.push(url) : told.push(kind)),
      },
      config: { session: { strategy } },
    })
    const person = newPerson()
    const email = person.email ?? ''
    const [own, phone, other] = [app.browser(), app.browser(), app.browser()]
    await app.signIn(phone, person)
    await app.signIn(own, person)
    await register({ browser: own, device: new SoftAuthenticator(app.origin) })
    const userId = String(await app.ownerOf(person))
    const send = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
      browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
    const chooser = whose === 'own' ? own : other
    await send(chooser, 'password', { email })
    const token = new URL(links.at(-1) ?? '').searchParams.get('token') ?? ''
    await send(chooser, 'password/choose', { token, newPassword: ADAS })
    const later = app.browser()
    await send(later, 'callback/password', { email, password: ADAS })
    return {
      chooser: (await whoIs(chooser)) === email,
      own: (await whoIs(own)) === email,
      phone: (await whoIs(phone)) === email,
      withPassword: (await whoIs(later)) === email,
      account: (await app.ownerOf(person)) === userId,
      passkeys: (await app.store.listAuthenticatorsByUserId(userId)).length,
      told: told.sort(),
    }
  }

  for (const strategy of ['database', 'jwt'] as const) {
    it(`leaves accounts and passkeys to whoever chooses it where they are signed in, with ${strategy} sessions`, async () => {
      expect(await choosing(strategy, 'own')).to.deep.equal({
        chooser: true,
        own: true,
        phone: false,
        withPassword: true,
        account: true,
        passkeys: 1,
        told: ['password-changed'],
      })
    })

    it(`ends what a stranger has, with ${strategy} sessions`, async () => {
      expect(await choosing(strategy, 'another')).to.deep.equal({
        chooser: true,
        own: false,
        phone: false,
        withPassword: true,
        account: false,
        passkeys: 0,
        told: ['account-unlinked', 'passkey-removed', 'password-changed'],
      })
    })
  }
})

describe('ACCT-05 where Latchkey keeps passwords, a provider that is trusted with addresses', () => {
  for (const [count, isConfirmed] of [
    [0, true],
    [1, false],
  ] as const) {
    it(`${isConfirmed ? 'confirms' : 'does not confirm'} the address of a user who has ${count} of them`, async () => {
      const adapter = memoryAdapter()
      const { logger } = createLog()
      adapter.createUser({ id: 'ada', name: null, email: ADA, image: null, emailVerified: null })
      const account = { provider: 'oidc', type: 'oidc', providerAccountId: 'ada-1' } as const
      adapter.linkAccount({ ...account, userId: 'ada' })
      const resolver = createIdentityResolver({
        store: storeOver(adapter),
        sessionsNeedUser: true,
        refusesDisabledUsers: false,
        providers: [
          { id: 'oidc', type: 'oidc' },
          { id: 'password', type: 'credentials', password: {} },
        ],
        holds: () => [
          {
            kind: 'password',
            removal: 'password-removed',
            count: async () => count,
            revoke: async () => count,
          },
        ],
        confirmEmail: null,
        recentAuthAge: 900,
        storeTimeout: 5,
        emit: async () => {},
        logger: logger as Required<typeof logger>,
        secrets: ['secret'],
        now: Date.now,
      })
      const linking = { isEmailVerified: true, linksByEmail: true, storedTokens: () => undefined }
      await resolver.resolve({ user: { id: 'new', email: ADA }, account, linking }, async () => null)
      expect(Boolean((await adapter.getUser('ada'))?.emailVerified)).to.equal(isConfirmed)
    })
  }
})
