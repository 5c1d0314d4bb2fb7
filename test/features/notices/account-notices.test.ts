import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { noticeTexts } from '../../../lib/features/notices/account-notices.js'
import { NOTICES } from '../../../lib/features/notices/index.js'
import { createMailWriter, type MailInput, type MailWriter } from '../../../lib/pages/mail.js'
import { BUILT_IN_LANGUAGES } from '../../../lib/pages/texts/text.js'
import Email from '../../../lib/providers/email.js'
import type { AccountNoticeKind, Provider, SendNotificationParams } from '../../../lib/providers/provider.js'
import { signInAs } from '../../../lib/testing/index.js'
import type { OperationName } from '../../../lib/visitor/visitor.js'
import { type AccountAppOptions, openAccountApp } from '../../support/account-app.js'
import { EDGES } from '../../support/edges.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { visibleText } from '../../support/html.js'
import { link } from '../../support/links.js'
import { expectWholeMail } from '../../support/mailbox.js'
import { ofFeatures } from '../../support/of-features.js'
import { newPerson } from '../../support/sign-ins.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { github, ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'

/** Ways to sign in that features let people add and remove. */
const OF_FEATURES = await ofFeatures<{
  readonly provider: () => Provider
  readonly kind: AccountNoticeKind
  readonly add: (browser: TestBrowser) => Promise<unknown>
  /** Gives somebody one, and the call that removes it. */
  readonly give: (
    adapter: Required<Adapter>,
    userId: string,
  ) => Promise<readonly [name: string, given: readonly unknown[]]>
}>('notices')

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const noticeMail = (
  write: MailWriter,
  { host, acceptLanguage, ...notice }: MailInput & Parameters<typeof noticeTexts>[0],
) => write({ host, acceptLanguage }, 'notice', noticeTexts(notice))

describe('the mail about a way to sign in', () => {
  const setUp = async ({ email = {}, ...options }: AccountAppOptions = {}) => {
    const sent: SendNotificationParams[] = []
    const app = openAccountApp(idp, {
      methods: ['email', 'passkey'],
      email: { sendNotification: (params) => void sent.push(params), ...email },
      ...options,
      // Mails go to confirmed addresses, and the word of a provider confirms one where the application trusts it.
      provider: { name: 'Acme', allowDangerousEmailAccountLinking: true, ...options.provider },
    })
    const browser = app.browser()
    const ada = { ...newPerson(), emailVerified: true }
    await app.signIn(browser, ada, 'other')
    return { ...app, idp, sent, ada, visitor: browser }
  }
  const unlinkAcme = async (browser: TestBrowser) => {
    const { accounts } = (await browser.get('/auth/accounts')).json()
    const { id } = accounts.find(({ provider }: { provider: string }) => provider === 'acme')
    return browser.postJson('/auth/accounts/unlink', { csrfToken: await browser.csrfToken(), id })
  }

  it('is sent when an account was added or removed, and says which and where', async () => {
    const app = await setUp()
    expect(app.sent, 'none for the sign-up').to.deep.equal([])
    await link(app.visitor, app, newPerson())
    await unlinkAcme(app.visitor)
    expect(app.sent.map(({ kind, identifier, url }) => [kind, identifier, url])).to.deep.equal([
      ['account-linked', app.ada.email, 'http://app.example'],
      ['account-unlinked', app.ada.email, 'http://app.example'],
    ])
    const [added, removed] = app.sent
    expect(added?.message.text).to.include('Acme was connected to your account on app.example')
    expect(removed?.message.text).to.include('Acme was disconnected from your account on app.example')
  })

  it('is sent when an account was added by its address, or by a sign-in of somebody who is signed in', async () => {
    const app = await setUp({ provider: { allowDangerousEmailAccountLinking: true } })
    await app.signIn(app.browser(), { ...app.ada, sub: newPerson().sub }, 'acme')
    await app.signIn(app.visitor, newPerson(), 'acme')
    expect(app.sent.map(({ kind }) => kind)).to.deep.equal(['account-linked', 'account-linked'])
  })

  for (const { kind, add } of OF_FEATURES) {
    it(`is sent when something was added: ${kind}`, async () => {
      const app = await setUp()
      await add(app.visitor)
      expect(app.sent.map((notice) => notice.kind)).to.deep.equal([kind])
    })
  }

  it('leads to those who run the site, where the theme says how they are reached', async () => {
    for (const [support, url] of [
      ['https://help.example/', 'https://help.example/'],
      ['/help', 'http://app.example/help'],
    ] as const) {
      const app = await setUp({ config: { theme: { links: { support } } } })
      await link(app.visitor, app, newPerson())
      expect(app.sent.at(-1)?.message.text).to.include(url)
      expect(app.sent.at(-1)?.message.html).to.include(`href="${url}"`)
    }
  })

  it('leads to them also where it leads to the page that helps', async () => {
    const write = createMailWriter({ theme: {} })
    const [remedyUrl, supportUrl] = ['https://app.example/auth/password', 'https://app.example/help']
    const notice = { kind: 'password-changed', providerName: null, remedyUrl, supportUrl } as const
    const mail = await noticeMail(write, { host: 'app.example', ...notice })
    expect(mail.text.trim().split(/\s+/).slice(-4)).to.deep.equal(['here:', remedyUrl, 'Help', supportUrl])
    for (const url of [remedyUrl, supportUrl]) expect(mail.html).to.include(`href="${url}"`)
    expect(visibleText(mail.html), 'with a button').to.match(
      /choose a new password here: Choose a password If the button/,
    )
  })

  it('has no token, no link and no id of an account in it', async () => {
    const app = await setUp()
    const work = newPerson()
    await link(app.visitor, app, work)
    const { message } = app.sent[0] ?? {}
    const all = JSON.stringify(message)
    for (const secret of ['marked-', work.sub, work.email ?? '', 'http', app.ada.sub.concat('"')]) {
      expect(all).not.to.include(secret)
    }
  })

  it('is sent to confirmed addresses only, and not where the application does not want it', async () => {
    const unconfirmed = await setUp({ methods: ['email', 'credentials'] })
    const browser = unconfirmed.browser()
    await browser.signIn({ email: newPerson().email ?? '' })
    await link(browser, unconfirmed, newPerson())
    expect(unconfirmed.sent).to.deep.equal([])
    const silent = await setUp({ config: { accountNotices: false } })
    await link(silent.visitor, silent, newPerson())
    expect(silent.sent).to.deep.equal([])
  })

  it('that cannot be sent changes nothing, and is in the log', async () => {
    const app = await setUp({ email: { sendNotification: () => Promise.reject(new Error('the mail server is down')) } })
    const work = newPerson()
    expect((await link(app.visitor, app, work)).location).to.equal('http://app.example')
    expect(await app.ownerOf(work)).to.be.a('string')
    expect(await whoIs(app.visitor)).to.equal(app.ada.email)
    expect(app.log.errors.at(-1)?.message).to.equal('Provider "email": a notice could not be sent.')
  })

  it('for which the store cannot be asked changes nothing either', async () => {
    const store = memoryAdapter()
    let isArmed = false
    let isDown = false
    const change: Partial<Adapter> = {
      getUser: (id) => (isDown ? Promise.reject(new Error('down')) : store.getUser(id)),
    }
    const linkAccount = () => {
      isDown = isArmed
    }
    const app = await setUp({ store, change, config: { events: { linkAccount }, session: { strategy: 'jwt' } } })
    isArmed = true
    const work = newPerson()
    await link(app.visitor, app, work)
    expect(await app.ownerOf(work)).to.be.a('string')
    expect(app.sent).to.deep.equal([])
  })

  it('is not offered by a provider whose application sends links itself', async () => {
    const app = await setUp({ email: { sendNotification: undefined as never } })
    await link(app.visitor, app, newPerson())
    expect(app.engine.config.services.get(NOTICES)).to.equal(null)
  })

  it('shows the name of a provider as text, whatever is in it', async () => {
    const write = createMailWriter({ theme: {} })
    const { html } = await noticeMail(write, {
      kind: 'account-linked',
      providerName: '<img src=x>',
      host: 'app.example',
    })
    expect(html).not.to.include('<img')
    for (const kind of [
      'account-linked',
      'account-unlinked',
      'passkey-added',
      'passkey-removed',
      'password-changed',
      'password-removed',
      'address-change-asked',
      'address-changed',
    ] as const) {
      const { subject, text } = await noticeMail(write, { kind, providerName: 'Acme', host: 'app.example' })
      expect(text).to.include(subject).and.to.include('If this was not you')
      // Whoever has another address on the account, or another password, cannot sign in to it.
      if (kind === 'address-changed' || kind === 'password-changed') expect(text).not.to.include('sign in,')
    }
  })

  it('says how to keep a stranger out: with a removal of what was added, with the words of the account page', async () => {
    const write = createMailWriter({ theme: {} })
    for (const kind of ['account-linked', 'passkey-added', 'address-added', 'passkey-removed'] as const) {
      const { text } = await noticeMail(write, { kind, providerName: 'Acme', host: 'app.example' })
      expect(/remove this way to sign in/.test(text.replace(/\s+/g, ' ')), kind).to.equal(kind !== 'passkey-removed')
      expect(text.replace(/\s+/g, ' ')).to.include('choose a new password if you have one, sign out everywhere else,')
    }
  })

  it('about a new password leads to where the owner chooses another one', async () => {
    const write = createMailWriter({ theme: {} })
    const remedyUrl = 'https://app.example/auth/password'
    const input = { kind: 'password-changed', providerName: null, host: 'app.example', remedyUrl } as const
    const { html, text } = await noticeMail(write, input)
    expect(html).to.include(`href="${remedyUrl}"`)
    expect(text).to.include(remedyUrl)
  })

  it('is in short lines, in every language', async () => {
    const write = createMailWriter({ theme: { name: 'Acme' } })
    for (const acceptLanguage of BUILT_IN_LANGUAGES) {
      const input = { kind: 'account-linked', providerName: 'GitHub', host: 'app.example', acceptLanguage } as const
      expectWholeMail(await noticeMail(write, input), acceptLanguage)
    }
  })

  for (const [edge, callerFor] of Object.entries(EDGES)) {
    it(`is sent in the language of the request where code of the application removes a way in, through ${edge}`, async () => {
      const adapter = memoryAdapter()
      const mails: string[] = []
      const sendNotification = ({ message }: SendNotificationParams) => void mails.push(message.subject)
      const config = webConfig({
        adapter,
        session: { strategy: 'database' },
        providers: [
          github,
          ...OF_FEATURES.map(({ provider }) => provider()),
          Email({ sendVerificationRequest() {}, sendNotification }),
        ],
      })
      const { id } = await adapter.createUser({ id: 'ada', email: 'ada@app.example', emailVerified: new Date() })
      const account = { userId: id, provider: 'github', providerAccountId: '1' }
      await adapter.linkAccount({ ...account, type: 'oauth' })
      const more = await Promise.all(OF_FEATURES.map(({ give }) => give(adapter, id)))
      const { cookie } = await signInAs(config, { id }, { origin: ORIGIN })
      const call = callerFor(config)
      const headers = { ...OWN_PAGE, cookie, 'accept-language': 'de' }
      await call('unlinkAccount', [account], headers)
      for (const [name, given] of more) await call(name as OperationName, given, headers)
      expect(mails).to.have.length(1 + more.length)
      for (const subject of mails) expect(subject).to.match(/^Eine Möglichkeit zur Anmeldung wurde entfernt/)
    })
  }
})
