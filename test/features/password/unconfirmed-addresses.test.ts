import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { exportUser } from '../../../lib/features/people/operations.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { createLog } from '../../support/app.js'
import { createIdentityResolver } from '../../support/identity-resolver.js'
import { storeOver } from '../../support/open-store.js'
import { openTestApp, type TestBrowser, whoIs } from '../../support/test-app.js'

const ADA = 'ada@example.com'
const EVE = 'eve@example.com'
const EVES = 'copper lantern under seven bridges'
const ADAS = 'nine quiet windows facing the harbour'

/** Eve has chosen a password, and then the application has given her user the address of Ada, which nobody has confirmed. */
async function openWithEve() {
  const adapter = memoryAdapter()
  const links: string[] = []
  const mail = Email({
    sendVerificationRequest: ({ url }) => void links.push(url),
    sendNotification: ({ url, kind }) => void (kind === 'password-link' && links.push(url)),
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
  return { ...app, userId, eve, ada, tokenFor, choose, signIn, followLink }
}

describe('ACCT-05 a password of somebody who has had an address before its owner', () => {
  it('ends with the sign-in by mail that confirms the address, and so do the sessions', async () => {
    const app = await openWithEve()
    expect(await whoIs(app.eve)).to.equal(ADA)
    await app.followLink()
    expect([await whoIs(app.ada), await whoIs(app.eve), await app.signIn(EVES)]).to.deep.equal([ADA, null, null])
    expect(app.log.warnings).to.deep.equal(['accounts-ended'])
    expect((await exportUser(app.engine.config, app.userId))?.records).to.deep.equal({ password: 0 })
  })

  it('ends with the password that the owner chooses by mail, which stays', async () => {
    const app = await openWithEve()
    await app.choose(await app.tokenFor(ADA), ADAS, app.ada)
    expect([await whoIs(app.ada), await whoIs(app.eve)]).to.deep.equal([ADA, null])
    expect([await app.signIn(EVES), await app.signIn(ADAS)]).to.deep.equal([null, ADA])
    await app.followLink()
    expect(await app.signIn(ADAS), 'a confirmed address ends nothing').to.equal(ADA)
    expect((await exportUser(app.engine.config, app.userId))?.records).to.deep.equal({ password: 1 })
  })
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
        holds: () => [{ kind: 'password', count: async () => count, revoke: async () => count }],
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
