import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter, AdapterRecord } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { resolveConfig } from '../../../lib/compose.js'
import { readEnv } from '../../../lib/config/env.js'
import { type AuthConfig, defineAuth, inviteUser } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Passkey from '../../../lib/providers/passkey.js'
import Password from '../../../lib/providers/password.js'
import type { SendNotificationParams, SendVerificationRequestParams } from '../../../lib/providers/provider.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { openAccountApp } from '../../support/account-app.js'
import { SECRET, testConfig } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { failureOf } from '../../support/failure.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { elements, visibleText } from '../../support/html.js'
import { askForLink, newPerson, type Person } from '../../support/sign-ins.js'
import { asAuthjsHasIt, STORES } from '../../support/stores.js'
import { type TestBrowser, type TestResponse, whoIs } from '../../support/test-app.js'
import { register } from '../passkeys/ceremonies.js'

const DENIED = 'http://app.example/auth/error?error=AccessDenied&code=NoSignUp'
const GOOD = 'copper lantern under seven bridges'
const TRUSTED = { allowDangerousEmailAccountLinking: true }

describe('who becomes a user', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  /** An app with every way to sign in, whose mails stay here. */
  function open(config: Partial<AuthConfig> = {}, more: Parameters<typeof openAccountApp>[1] = {}) {
    const mails: SendNotificationParams[] = []
    const app = openAccountApp(idp, {
      methods: ['email', 'passkey'],
      ...more,
      email: { sendNotification: (mail) => void mails.push(mail), ...more.email },
      more: [Password()],
      config: { url: 'http://app.example', signUp: 'invited', session: { strategy: 'database' }, ...config },
    })
    const operator = operatorOf(() => app.engine.config)
    const send = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
      browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
    return {
      ...app,
      ...operator,
      mails,
      send,
      /** The page to which the link of an invitation leads. */
      async opened(link: string) {
        const browser = app.browser()
        const { location, body } = await browser.get(link.replace(app.origin, ''))
        return location ? (await browser.get(location.replace(app.origin, ''))).body : body
      },
      async byMail(email: string, browser = app.browser()) {
        await send(browser, 'signin/email', { email })
        return browser.get(app.mailbox.pathFor(more.email?.normalizeIdentifier?.(email) ?? email))
      },
      async byPassword(email: string, browser = app.browser()) {
        await send(browser, 'password', { email })
        const token = new URL(mails.at(-1)?.url ?? '').searchParams.get('token') ?? ''
        return send(browser, 'password/choose', { token, newPassword: GOOD })
      },
      byPasskey: (email: string, browser = app.browser()) =>
        register({ browser, device: new SoftAuthenticator(app.origin) }, { email }),
      userOf: async (email: string | null) => (await app.store.getUserByEmail(email ?? '')) as { role?: string } | null,
    }
  }

  type App = ReturnType<typeof open>
  const verified = (email: string): Person => ({ ...newPerson(), email, emailVerified: true })

  /** Every way to sign in: whether it confirms the address, and the options of the provider that it needs. */
  const WAYS: Readonly<
    Record<
      string,
      {
        confirms: boolean
        provider?: object
        come: (app: App, email: string, browser: TestBrowser) => Promise<TestResponse>
      }
    >
  > = {
    'a mailed link': { confirms: true, come: (app, email, browser) => app.byMail(email, browser) },
    'a link for a password': { confirms: true, come: (app, email, browser) => app.byPassword(email, browser) },
    'a provider that is trusted with addresses': {
      confirms: true,
      provider: TRUSTED,
      come: (app, email, browser) => app.signIn(browser, verified(email)),
    },
    'a provider that has not verified the address': {
      confirms: false,
      provider: TRUSTED,
      come: (app, email, browser) => app.signIn(browser, { ...newPerson(), email, emailVerified: false }),
    },
    'a provider that is not trusted with addresses': {
      confirms: false,
      come: (app, email, browser) => app.signIn(browser, verified(email)),
    },
    'a passkey': { confirms: false, come: (app, email, browser) => app.byPasskey(email, browser) },
  }

  for (const [way, { confirms, provider = {}, come }] of Object.entries(WAYS)) {
    it(`ACCT-13: nobody by ${way} without an invitation, or where sign-ups are closed`, async () => {
      for (const signUp of ['invited', 'closed'] as const) {
        const app = open({ signUp }, { provider })
        const browser = app.browser()
        const email = newPerson().email ?? ''
        expect((await come(app, email, browser)).location).to.equal(DENIED)
        expect(await whoIs(browser)).to.equal(null)
        expect(await app.userOf(email)).to.equal(null)
        expect(app.calls).not.to.include.oneOf([
          'createUser',
          'createUserWithAccount',
          'linkAccount',
          'createAuthenticator',
        ])
      }
    })

    it(`ACCT-14: ${confirms ? 'somebody' : 'nobody'} by ${way} whose address is invited`, async () => {
      const app = open({}, { provider })
      const browser = app.browser()
      const email = newPerson().email ?? ''
      expect(await app.inviteUser({ email, user: { role: 'editor' } })).to.equal(true)
      const { location } = await come(app, email, browser)
      expect(await whoIs(browser)).to.equal(confirms ? email : null)
      expect((await app.userOf(email))?.role).to.equal(confirms ? 'editor' : undefined)
      if (!confirms) expect(location).to.equal(DENIED)
      // What was not used stays, for the one who proves the address.
      if (!confirms) expect((await app.byMail(email)).location).to.equal('http://app.example')
    })

    if (confirms)
      it(`ACCT-14: by ${way}, an invitation is found in the one form that the application gives an address`, async () => {
        const normalizeIdentifier = (entered: string) =>
          entered
            .trim()
            .toLowerCase()
            .replace(/\+[^@]*/, '')
        for (const spelling of ['grace+work@example.com', 'Grace@example.com']) {
          const app = open({}, { provider, email: { normalizeIdentifier } })
          await app.inviteUser({ email: 'Grace+invited@example.com', user: { role: 'editor' } })
          expect((await come(app, 'eve@example.com', app.browser())).location).to.equal(DENIED)
          await come(app, spelling, app.browser())
          const found = [await app.userOf('grace@example.com'), await app.userOf('grace+work@example.com')]
          expect(found.map((user) => user?.role)).to.include('editor')
          expect(await app.revokeInvitation('grace+other@example.com')).to.equal(false)
        }
      })
  }

  it('offers new people no account, and says that they need an invitation', async () => {
    for (const signUp of ['open', 'invited', 'closed'] as const) {
      const app = open({ signUp })
      const { body: text } = await app.browser().get('/auth/signin')
      const offers = [text.includes('Create an account'), text.includes('data-register')]
      expect(offers, signUp).to.deep.equal([signUp === 'open', signUp === 'open'])
      expect(visibleText(text), signUp).to.include('Forgot your password?')
      expect(visibleText(text).includes('New here? You need an invitation.'), signUp).to.equal(signUp !== 'open')
    }
    const page = await open().browser().get(DENIED.slice('http://app.example'.length))
    expect(page.status).to.equal(403)
    expect(visibleText(page.body))
      .to.include('If you were invited, first sign in by e-mail')
      .and.not.include('You signed in')
  })

  it('tells whoever has no account and asks for a link that they need an invitation, and nobody else', async () => {
    for (const signUp of ['open', 'invited', 'closed'] as const) {
      const texts: string[] = []
      const sendVerificationRequest = ({ message }: SendVerificationRequestParams) =>
        void texts.push(message?.text ?? '')
      const app = open({ signUp }, { email: { sendVerificationRequest } })
      await app.store.createUser?.({ id: '1', email: 'ada@example.com', emailVerified: new Date(0), name: null })
      const answers: string[] = []
      for (const [email, needsOne] of [
        ['ada@example.com', false],
        ['eve@example.com', signUp !== 'open'],
      ] as const) {
        const asked = await app.send(app.browser(), 'password', { email })
        const mailed = await app.send(app.browser(), 'signin/email', { email })
        texts.push(app.mails.at(-1)?.message.text ?? '')
        expect(texts.splice(0).map((text) => text.includes('If you were invited'))).to.deep.equal([needsOne, needsOne])
        answers.push([asked, mailed].map(({ status, body, location }) => `${status} ${location} ${body}`).join())
      }
      expect(answers[0]).to.equal(answers[1])
    }
  })

  it('ACCT-13: nobody by credentials of the application, which make no users', async () => {
    const store = memoryAdapter()
    const app = open({ signUp: 'closed' }, { store, methods: ['email', 'credentials'] })
    // The application itself makes its users, and may.
    const ada = await app.send(app.browser(), 'callback/credentials', { email: 'ada@example.com' })
    expect(ada.location).to.equal('http://app.example')
    expect(app.calls).not.to.include('createUser')
  })

  it('ACCT-13: people who have a user come in, and add accounts, as before', async () => {
    const app = open({ signUp: 'closed' }, { provider: TRUSTED })
    const person = verified(newPerson().email ?? '')
    await app.store.createUser({ id: '', email: person.email ?? '', emailVerified: new Date(0) })
    const browser = app.browser()
    await app.byMail(person.email ?? '', browser)
    expect(await whoIs(browser)).to.equal(person.email)
    expect((await app.signIn(app.browser(), person)).location).to.equal('http://app.example')
    expect(await app.ownerOf(person)).to.be.a('string')
  })

  it('ACCT-14: an invitation counts once, for its own address, in every spelling of that', async () => {
    const app = open()
    await app.inviteUser({ email: ' Grace@Example.COM ' })
    expect((await app.byMail('eve@example.com')).location).to.equal(DENIED)
    expect((await app.byMail('grace@example.com.evil.example')).location).to.equal(DENIED)
    const browser = app.browser()
    await app.send(browser, 'signin/email', { email: 'GRACE@example.com' })
    expect((await browser.get(app.mailbox.pathFor('grace@example.com'))).location).to.equal('http://app.example')
    const grace = await app.store.getUserByEmail('grace@example.com')
    await app.store.deleteUser(grace?.id ?? '')
    expect((await app.byMail('grace@example.com')).location).to.equal(DENIED)
  })

  it('ACCT-14: it counts until it expires, is taken back, or is replaced', async () => {
    const app = open()
    const invited = async (more: object = {}) => {
      const email = newPerson().email ?? ''
      await app.inviteUser({ email, ...more })
      return email
    }
    const late = await invited({ maxAge: 60 })
    const early = await invited({ maxAge: 62 })
    app.clock.advance(60)
    expect((await app.byMail(late)).location).to.equal(DENIED)
    expect((await app.byMail(early)).location).to.equal('http://app.example')
    const unwanted = await invited()
    expect(await app.revokeInvitation(unwanted.toUpperCase())).to.equal(true)
    expect(await app.revokeInvitation(unwanted)).to.equal(false)
    expect((await app.byMail(unwanted)).location).to.equal(DENIED)
    const again = await invited({ user: { role: 'owner' } })
    await app.inviteUser({ email: again, user: { role: 'reader' } })
    await app.byMail(again)
    expect((await app.userOf(again))?.role).to.equal('reader')
    const asked = await failureOf(app.revokeInvitation('no address'))
    expect(asked.name).to.equal('EmailSignInError')
  })

  it('ACCT-14: it counts after the secret was exchanged, and is taken back then', async () => {
    const store = memoryAdapter()
    const before = open({}, { store })
    await before.inviteUser({ email: 'a@example.com' })
    await before.inviteUser({ email: 'b@example.com' })
    const after = open({ secret: ['the next secret, of thirty-two characters', ...[SECRET].flat()] }, { store })
    expect((await after.byMail('a@example.com')).location).to.equal('http://app.example')
    expect(await after.revokeInvitation('b@example.com')).to.equal(true)
    expect((await after.byMail('b@example.com')).location).to.equal(DENIED)
  })

  for (const kind of STORES) {
    describe(`over ${kind.name}`, () => {
      before(kind.requireServer)

      it('ACCT-14: two who use one invitation at once, in two processes, make one user', async () => {
        const opened = await kind.open()
        try {
          const one = open({}, { store: opened.adapter, provider: TRUSTED })
          const other = open({}, { store: await opened.another(), provider: TRUSTED })
          const email = newPerson().email ?? ''
          await one.inviteUser({ email })
          const [first, second] = [one.browser(), other.browser()]
          const [path, otherPath] = [
            await askForLink(first, one.mailbox, email),
            await askForLink(second, other.mailbox, email),
          ]
          const { users } = await opened.count()
          await Promise.all([first.get(path), second.get(otherPath)])
          expect((await opened.count()).users).to.equal(users + 1)
          expect([await whoIs(first), await whoIs(second)]).to.include(email)
          const user = await opened.adapter.getUserByEmail(email)
          expect(await one.deleteUser(user?.id ?? '')).to.deep.equal([])
          expect((await other.byMail(email)).location).to.equal(DENIED)
        } finally {
          await opened.close()
        }
      })
    })
  }

  it('ACCT-14: whoever signs in cannot choose what they are', async () => {
    const app = open(
      {},
      { provider: { ...TRUSTED, profile: (claims: object) => ({ ...claims, id: 'x', role: 'admin' }) } },
    )
    await app.inviteUser({ email: 'a@example.com', user: { role: 'reader' } })
    const browser = app.browser()
    const fields = { email: 'a@example.com', role: 'admin', user: '{"role":"admin"}' }
    await app.send(browser, 'signin/email', fields)
    await browser.get(`${app.mailbox.pathFor('a@example.com')}&role=admin`)
    expect((await app.userOf('a@example.com'))?.role).to.equal('reader')
    await app.inviteUser({ email: 'b@example.com', user: { role: 'reader' } })
    await app.signIn(app.browser(), verified('b@example.com'))
    expect((await app.userOf('b@example.com'))?.role).to.equal('reader')
    for (const name of ['id', 'email', 'emailVerified']) {
      const failure = await failureOf(app.inviteUser({ email: 'c@example.com', user: { [name]: 'x' } }))
      expect(failure.name).to.equal('InvalidConfiguration')
    }
    expect(await app.revokeInvitation('c@example.com')).to.equal(false)
  })

  it('ACCT-14: a record that was put in the place of another one invites nobody', async () => {
    const store = memoryAdapter()
    const records: AdapterRecord[] = []
    const app = open(
      {},
      {
        store,
        change: {
          createRecord(row) {
            records.push(row)
            return store.createRecord(row)
          },
        },
      },
    )
    for (const email of ['admin@example.com', 'eve@example.com']) await app.inviteUser({ email, user: { role: email } })
    const [admins, eves] = records.filter(({ kind }) => kind === 'invitation')
    if (!admins || !eves) throw new Error('no records')
    expect(admins.key).to.match(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(records)).not.to.include('example.com')
    await store.deleteRecord(eves.kind, eves.key)
    await store.createRecord({ ...eves, value: admins.value })
    expect((await app.byMail('eve@example.com')).location).to.equal(DENIED)
    await store.createRecord({ ...eves, value: 'nonsense', key: eves.key })
    expect((await app.byMail('eve@example.com')).location).to.equal(DENIED)
  })

  it('ACCT-14: nobody is invited if the mail cannot be sent', async () => {
    let isDown = true
    const app = open(
      {},
      {
        email: {
          sendNotification() {
            if (isDown) throw new Error('smtp: 421, for ada@example.com')
          },
        },
      },
    )
    const failure = await failureOf(app.inviteUser({ email: 'ada@example.com' }))
    expect(failure.name).to.equal('EmailSignInError')
    expect(failure.message).not.to.include('ada@')
    expect((await app.byMail('ada@example.com')).location).to.equal(DENIED)
    isDown = false
    expect(await app.inviteUser({ email: 'ada@example.com' })).to.equal(true)
    expect((await app.byMail('ada@example.com')).location).to.equal('http://app.example')
  })

  it('ACCT-14: an earlier invitation stays if the mail of the next one cannot be sent, and is not made anew once it was used', async () => {
    let sending: () => unknown = () => {}
    const app = open({}, { email: { sendNotification: () => sending() as void } })
    const [email = '', quick = ''] = ['ada@example.com', 'bob@example.com']
    await app.inviteUser({ email, user: { role: 'reader' } })
    await app.inviteUser({ email: quick })
    sending = () => {
      throw new Error('smtp: 421')
    }
    expect((await failureOf(app.inviteUser({ email, user: { role: 'owner' } }))).name).to.equal('EmailSignInError')
    expect((await app.byMail(email)).location).to.equal('http://app.example')
    expect((await app.userOf(email))?.role).to.equal('reader')
    sending = async () => {
      await app.byMail(quick)
      throw new Error('smtp: 421')
    }
    await failureOf(app.inviteUser({ email: quick }))
    await app.deleteUser((await app.store.getUserByEmail(quick))?.id ?? '')
    expect((await app.byMail(quick)).location).to.equal(DENIED)
    expect(await app.revokeInvitation(quick)).to.equal(false)
  })

  it('ACCT-14: an earlier invitation stays if the next one cannot be stored, also that of an earlier secret', async () => {
    for (const secrets of [[SECRET].flat(), ['the next secret, of thirty-two characters', ...[SECRET].flat()]]) {
      const store = memoryAdapter()
      let isDown = false
      const whileUp =
        (method: 'createRecord' | 'updateRecord') =>
        (record: AdapterRecord): Promise<boolean> => {
          if (isDown) throw new Error('down')
          return Promise.resolve(store[method](record))
        }
      const change = { createRecord: whileUp('createRecord'), updateRecord: whileUp('updateRecord') }
      const email = newPerson().email ?? ''
      await open({}, { store }).inviteUser({ email, user: { role: 'reader' } })
      const app = open({ secret: [...secrets] }, { store, change })
      await failureOf(app.inviteUser({ email, user: { role: 1n } }))
      isDown = true
      await failureOf(app.inviteUser({ email, user: { role: 'owner' } }))
      isDown = false
      expect((await app.byMail(email)).location).to.equal('http://app.example')
      expect((await app.userOf(email))?.role).to.equal('reader')
    }
  })

  it('ACCT-14: somebody who signs in twice at once with one invitation, in two processes, comes in twice', async () => {
    const store = memoryAdapter()
    const person = verified(newPerson().email ?? '')
    let second: Promise<unknown> | undefined
    const change: Partial<Adapter> = {
      async createUserWithAccount(row) {
        second ??= other.signIn(otherBrowser, person)
        await setTimeout(100)
        return store.createUserWithAccount(row)
      },
    }
    const other = open({}, { store, provider: TRUSTED })
    const app = open({}, { store, change, provider: TRUSTED })
    const [browser, otherBrowser] = [app.browser(), other.browser()]
    await app.inviteUser({ email: person.email ?? '' })
    await app.signIn(browser, person)
    await second
    expect([await whoIs(browser), await whoIs(otherBrowser)]).to.deep.equal([person.email, person.email])
  })

  it('ACCT-13: whoever may not become a user is told so at once', async () => {
    const refusing: readonly Partial<AuthConfig>[] = [
      { signUp: 'closed' },
      { signUp: 'invited' },
      { signUp: 'open', callbacks: { signUp: () => false } },
    ]
    for (const config of refusing) {
      const app = open(config, { provider: TRUSTED })
      await app.signIn(app.browser(), verified(newPerson().email ?? ''))
      expect(app.calls.filter((call) => call === 'getUserByAccount')).to.have.length.at.most(2)
    }
  })

  it('ACCT-17: a user is not deleted while the store cannot take their invitation, and the next call does both', async () => {
    const store = memoryAdapter()
    let isDown = false
    const change: Partial<Adapter> = {
      updateRecord(record) {
        if (isDown) throw new Error('down')
        return store.updateRecord(record)
      },
    }
    const app = open({}, { store, change })
    const email = 'ada@example.com'
    await app.inviteUser({ email, user: { role: 'owner' } })
    const { id } = await store.createUser({ id: '', email, emailVerified: null })
    isDown = true
    expect((await failureOf(app.deleteUser(id))).name).to.equal('AdapterError')
    expect(await store.getUser(id)).to.include({ email })
    isDown = false
    expect(await app.deleteUser(id)).to.deep.equal([])
    expect((await app.byMail(email)).location).to.equal(DENIED)
  })

  it('ACCT-14: an invitation stays if its user could not be made, or the callback refuses them', async () => {
    for (const [method, way] of [
      ['createUser', 'mail'],
      ['createUserWithAccount', 'provider'],
      ['linkAccount', 'provider'],
    ] as const) {
      const store = memoryAdapter()
      let isDown = true
      const change: Partial<Adapter> = {
        [method]: (...args: never[]) => {
          if (isDown) throw new Error('down')
          return (store[method] as (...args: never[]) => unknown)(...args)
        },
      }
      let mayCome = true
      const config = { callbacks: { signUp: () => mayCome } }
      const app = open(config, { store, change, provider: TRUSTED })
      const email = newPerson().email ?? ''
      const person = verified(email)
      const come = () => (way === 'mail' ? app.byMail(email) : app.signIn(app.browser(), person))
      await app.inviteUser({ email, user: { role: 'editor' } })
      expect((await come()).location, method).to.include('error=')
      expect(await app.userOf(email)).to.equal(null)
      isDown = false
      mayCome = false
      expect((await come()).location).to.equal('http://app.example/auth/error?error=AccessDenied')
      mayCome = true
      expect((await come()).location, method).to.equal('http://app.example')
      expect((await app.userOf(email))?.role).to.equal('editor')
    }
  })

  it('ACCT-14: an invitation that is taken back stays so, also if a sign-up had it and fails', async () => {
    for (const [secrets, isInvitedAgain] of [
      [[SECRET].flat(), false],
      [['the next secret, of thirty-two characters', ...[SECRET].flat()], false],
      [[SECRET].flat(), true],
    ] as const) {
      const store = memoryAdapter()
      let atSignUp: () => Promise<boolean> = async () => true
      const email = newPerson().email ?? ''
      await open({}, { store }).inviteUser({ email, user: { role: 'owner' } })
      const app = open({ secret: [...secrets], callbacks: { signUp: () => atSignUp() } }, { store })
      atSignUp = async () => {
        expect(await app.revokeInvitation(email)).to.equal(false)
        if (isInvitedAgain) await app.inviteUser({ email, user: { role: 'reader' } })
        return false
      }
      expect((await app.byMail(email)).location).to.include('error=AccessDenied')
      atSignUp = async () => true
      await app.byMail(email)
      expect((await app.userOf(email))?.role).to.equal(isInvitedAgain ? 'reader' : undefined)
    }
  })

  it('ACCT-14: nobody comes in with an invitation that a process took before it died, until they are invited again', async () => {
    const store = memoryAdapter()
    let die = () => {}
    const isDead = new Promise<void>((resolve) => {
      die = resolve
    })
    const signUp = () => {
      die()
      return new Promise<boolean>(() => {})
    }
    const dying = open({ callbacks: { signUp } }, { store })
    const app = open({}, { store })
    const email = newPerson().email ?? ''
    await app.inviteUser({ email })
    void dying.byMail(email)
    await isDead
    expect((await app.byMail(email)).location).to.equal(DENIED)
    await app.inviteUser({ email })
    expect((await app.byMail(email)).location).to.equal('http://app.example')
  })

  for (const [what, more] of Object.entries({
    'whom a sign-up left behind': { deleteUser: () => Promise.reject(new Error('down')) },
    'whom the store makes too late': {},
  })) {
    it(`ACCT-14: an invitation makes no second user beside one ${what}`, async () => {
      const store = memoryAdapter()
      let isDown = true
      let makeLate: () => unknown = () => {}
      const change: Partial<Adapter> = {
        ...more,
        createUserWithAccount: undefined as never,
        async createUser(user) {
          if (!isDown || 'deleteUser' in more) return store.createUser(user)
          makeLate = () => store.createUser(user)
          throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
        },
        linkAccount(account) {
          if (isDown) throw new Error('down')
          return store.linkAccount(account)
        },
      }
      const app = open({}, { store, change, provider: TRUSTED })
      const email = newPerson().email ?? ''
      const person = verified(email)
      await app.inviteUser({ email, user: { role: 'owner' } })
      expect((await app.signIn(app.browser(), person)).location).to.include('error=')
      isDown = false
      await makeLate()
      const browser = app.browser()
      await app.signIn(browser, person)
      expect(await whoIs(browser)).to.equal(email)
      const user = await store.getUserByEmail(email)
      await store.updateUser({ id: user?.id ?? '', email: 'moved@example.com' })
      expect((await app.byMail(email)).location).to.equal(DENIED)
      expect(await app.userOf(email)).to.equal(null)
    })
  }

  it('ACCT-14: nobody comes in while the store cannot say who is invited, and the invitation stays', async () => {
    const store = memoryAdapter()
    let isDown = false
    const app = open(
      {},
      {
        store,
        change: {
          updateRecord(record) {
            if (isDown) throw new Error('down')
            return store.updateRecord(record)
          },
        },
      },
    )
    await app.inviteUser({ email: 'ada@example.com' })
    const browser = app.browser()
    isDown = true
    expect((await app.byMail('ada@example.com', browser)).location).to.include('error=')
    expect(await whoIs(browser)).to.equal(null)
    isDown = false
    expect((await app.byMail('ada@example.com')).location).to.equal('http://app.example')
  })

  it('ACCT-14: a callback is told what the invitation says of the user', async () => {
    const seen: unknown[] = []
    const app = open({ callbacks: { signUp: ({ user }) => seen.push(user) > 0 } })
    await app.inviteUser({ email: 'ada@example.com', user: { role: 'editor' } })
    await app.byMail('ada@example.com')
    expect(seen[0]).to.include({ email: 'ada@example.com', role: 'editor' })
  })

  it('ACCT-15: whether an address is invited shows neither in the form for a link nor in that for a password', async () => {
    const app = open()
    await app.inviteUser({ email: 'ada@example.com' })
    for (const path of ['signin/email', 'password']) {
      const answers = []
      for (const email of ['ada@example.com', 'eve@example.com']) {
        app.calls.length = 0
        const { status, location, body, setCookies } = await app.send(app.browser(), path, { email })
        const names = setCookies.map(({ name, value = '' }) => [name.replace(/\.[\w-]{8}$/, ''), value.length])
        answers.push({ status, location, body, names, calls: [...app.calls] })
      }
      expect(answers[0]).to.deep.equal(answers[1])
    }
  })

  it('the mail has a button to the sign-in page, and no secret; it is in the language that is asked for', async () => {
    const app = open({ callbacks: {} })
    await app.inviteUser({
      email: 'ada@example.com',
      language: 'de',
      callbackUrl: '/welcome',
      maxAge: 3 * 24 * 60 * 60,
    })
    await app.inviteUser({ email: 'bob@example.com', callbackUrl: 'https://evil.example/' })
    const [german, english] = app.mails
    expect(german).to.include({ kind: 'invitation', identifier: 'ada@example.com' })
    const page = 'http://app.example/auth/signin?callbackUrl=http%3A%2F%2Fapp.example'
    expect(german?.url.split('&')[0]).to.equal(`${page}%2Fwelcome`)
    expect(german?.message.text)
      .to.include('Einladung')
      .and.include('3 Tage')
      .and.include(german?.url ?? '')
    expect(english?.message.subject).to.equal('You are invited to app.example')
    expect(english?.message.html).to.include('If you do not know app.example')
    expect(english?.url.split('&')[0]).to.equal(page)
    expect(await app.opened(german?.url ?? '')).to.include('value="http://app.example/welcome"')
  })

  it('ACCT-15: the link of an invitation fills in the address, which the link does not show, until it expires', async () => {
    const app = open()
    const email = newPerson().email ?? ''
    await app.inviteUser({ email, maxAge: 60, callbackUrl: '/welcome' })
    const { pathname, search, searchParams } = new URL(app.mails.at(-1)?.url ?? '')
    expect([pathname, searchParams.get('callbackUrl')]).to.deep.equal(['/auth/signin', 'http://app.example/welcome'])
    expect(decodeURIComponent(search)).to.not.include(email.split('@')[0])
    const page = await app.opened(pathname + search)
    expect(page).to.include(`value="${email}"`)
    expect(visibleText(page), 'and asks for no password that nobody has yet').to.match(
      /^You are invited to app\.example We send a link to this address\. With it you choose a password\. E-mail Send the link/,
    )
    expect(await app.opened('/auth/signin?invited=x')).to.not.include(`value="${email}"`)
    app.clock.advance(121)
    expect(await app.opened(pathname + search)).to.not.include(`value="${email}"`)
    // Nor once it is taken back, or used: the link may be in a log.
    await app.inviteUser({ email })
    const next = new URL(app.mails.at(-1)?.url ?? '')
    const shown = async () => (await app.opened(next.pathname + next.search)).includes(`value="${email}"`)
    expect(await shown()).to.equal(true)
    await app.revokeInvitation(email)
    expect(await shown()).to.equal(false)
    app.store.getRecord = () => {
      throw new Error('the store is down')
    }
    expect(await shown()).to.equal(false)
    const own = open({ pages: { signIn: '/login' } })
    await own.inviteUser({ email })
    expect(new URL(own.mails.at(-1)?.url ?? '').searchParams.has('invited')).to.equal(false)
  })

  it('ACCT-15: whoever is invited keeps the address and every way to sign in, at each page that follows', async () => {
    const app = open()
    const email = newPerson().email ?? ''
    await app.inviteUser({ email, callbackUrl: '/welcome' })
    const browser = app.browser()
    const { pathname, search } = new URL(app.mails.at(-1)?.url ?? '')
    const { location } = await browser.get(pathname + search)
    const asking = (location ?? '').replace(app.origin, '')
    const expectInvited = (body: string, value = email) => {
      expect(visibleText(body)).to.match(/^You are invited to app\.example/)
      expect(body).to.include(`value="${value}"`)
    }
    for (const _turn of ['opened', 'loaded again']) expectInvited((await browser.get(asking)).body)
    const [, action = ''] = /action="([^"]*\/password[^"]*)"/.exec((await browser.get(asking)).body) ?? []
    const refused = await browser.post(
      action.replaceAll('&amp;', '&').replace(app.origin, ''),
      { csrfToken: await browser.csrfToken(), email: 'nobody' },
      { accept: 'text/html' },
    )
    expectInvited(refused.body, 'nobody')
    for (const body of [(await browser.get(asking)).body, refused.body]) {
      const toSignIn = elements(body, 'a').find((link) => link.get('href')?.includes('/signin'))
      const page = await browser.get((toSignIn?.get('href') ?? '').replace(app.origin, ''))
      expect(page.status, 'no circle').to.equal(200)
      expect(visibleText(page.body)).to.not.include('You need an invitation')
      expect(page.body).to.include(`value="${email}"`).and.include('value="http://app.example/welcome"')
    }
  })

  it('ACCT-15: whoever is invited is offered the ways that confirm the address, and reads that others can be added later', async () => {
    for (const [provider, isOffered] of [
      [{}, false],
      [TRUSTED, true],
    ] as const) {
      const links: string[] = []
      const app = openAccountApp(idp, {
        methods: ['email', 'passkey'],
        provider,
        email: { sendNotification: ({ url }) => void links.push(url) },
        config: { url: 'http://app.example', signUp: 'invited', session: { strategy: 'database' } },
      })
      await operatorOf(() => app.engine.config).inviteUser({ email: newPerson().email ?? '' })
      const { body } = await app.browser().get(String(links[0]).replace(app.origin, ''))
      expect(visibleText(body)).to.match(/^You are invited to app\.example Sign in with this address first/)
      expect(body).to.include('/auth/signin/email').and.not.include('data-use')
      expect(/action="[^"]*\/auth\/signin\/(?!email)/.test(body), 'the provider').to.equal(isOffered)
      expect((await app.browser().get('/auth/signin')).body, 'who has a user').to.include('data-use')
    }
  })

  it('ACCT-15: whoever opens a link of an invitation that does not count reads that, the same for every reason', async () => {
    const app = open()
    const email = newPerson().email ?? ''
    const link = async (more: object = {}) => {
      await app.inviteUser({ email, ...more })
      const { pathname, search } = new URL(app.mails.at(-1)?.url ?? '')
      return pathname + search
    }
    const late = await link({ maxAge: 60 })
    const good = await app.opened(late)
    app.clock.advance(121)
    const used = await link()
    await app.byMail(email)
    const says = (body: string) => visibleText(body).replaceAll(/\s+/g, ' ')
    expect(says(good)).to.not.include('has expired')
    const pages = await Promise.all(['/auth/signin?invited=x', late, used].map((path) => app.opened(path)))
    const [text = '', ...others] = pages.map(says)
    expect(text).to.match(
      /^Sign in .*This invitation has expired, or was used already\. If you have used it, sign in\. Otherwise, ask for a new one\./,
    )
    expect(others).to.deep.equal([text, text])
    // Of a time when people were invited.
    expect(says(await open({ signUp: 'open' }).opened(used))).to.not.include('has expired')
    app.store.getRecord = () => {
      throw new Error('the store is down')
    }
    expect(says(await app.opened(used)), 'nobody knows').to.not.include('has expired')
  })

  it('ACCT-15: whoever opens it while somebody else is signed in reads that, and the same as everybody', async () => {
    const app = open()
    await app.store.createUser({ id: '', email: 'ada@example.com', emailVerified: new Date(0) })
    const browser = app.browser()
    await app.byMail('ada@example.com', browser)
    await app.inviteUser({ email: 'grace@example.com' })
    const { pathname, search } = new URL(app.mails.at(-1)?.url ?? '')
    const { location } = await browser.get(pathname + search)
    const { body } = await browser.get((location ?? '').replace(app.origin, ''))
    expect(visibleText(body)).to.match(
      /^You are invited to app\.example We send .* password\. You are signed in as\W+ada@example\.com\W+ If you sign in as somebody else, this session ends in this browser\. Continue Sign out E-mail/,
    )
    expect(body).to.include('value="grace@example.com"')
    // The other ways, on the page that also says so.
    const toSignIn = elements(body, 'a').find((link) => link.get('href')?.includes('/signin'))
    const others = visibleText((await browser.get((toSignIn?.get('href') ?? '').replace(app.origin, ''))).body)
    expect(others)
      .to.match(/^You are invited to app\.example Sign in with this address first/)
      .and.include('signed in as')
      .and.not.include('Used last')
  })

  it('whoever corrects the address of a mailed link is invited nowhere', async () => {
    const app = open({ signUp: 'open' })
    const browser = app.browser()
    const sent = await app.send(browser, 'signin/email', { email: 'ada@exmaple.com' })
    const asked = await browser.get((sent.location ?? '').replace(app.origin, ''))
    const other = elements(asked.body, 'a').find((link) => link.get('href')?.includes('/signin'))
    const page = await browser.get((other?.get('href') ?? '').replace(app.origin, ''))
    expect(page.status).to.equal(200)
    expect(visibleText(page.body)).to.match(/^Sign in/)
    expect(page.body).to.include('value="ada@exmaple.com"')
  })

  it('an address that somebody has is not invited, and gets no mail', async () => {
    const app = open()
    await app.store.createUser({ id: '', email: 'ada@example.com', emailVerified: null })
    expect(await app.inviteUser({ email: 'ADA@example.com' })).to.equal(false)
    expect(app.mails).to.deep.equal([])
  })

  it('a call that cannot work says what is missing', async () => {
    const app = open()
    for (const wrong of [
      {},
      { email: '' },
      { email: 'a@b@c' },
      { email: 'a@example.com\r\nBcc: b@example.com' },
    ] as never[])
      expect((await failureOf(app.inviteUser(wrong))).name).to.equal('EmailSignInError')
    for (const wrong of [
      { email: 'a@example.com', role: 'admin' },
      { email: 'a@example.com', maxAge: Number.POSITIVE_INFINITY },
      { email: 'a@example.com', maxAge: 0 },
      { email: 'a@example.com', user: [] },
      'a@example.com',
      undefined,
    ] as never[])
      expect((await failureOf(app.inviteUser(wrong))).name).to.equal('InvalidConfiguration')
    expect(app.mails).to.deep.equal([])
    const isOpen = open({ signUp: 'open' })
    for (const work of [isOpen.inviteUser({ email: 'a@example.com' }), isOpen.revokeInvitation('a@example.com')])
      expect((await failureOf(work)).message).to.include('`signUp: "invited"`')
  })

  describe('a configuration', () => {
    const mail = Email({ sendVerificationRequest() {}, sendNotification() {} })
    const refusal = async (options: Partial<AuthConfig>) =>
      (await failureOf((async () => defineAuth(testConfig(options)))())).message

    it('ACCT-13: that cannot keep people out is refused at the start, with what it lacks', async () => {
      for (const signUp of ['invited', 'closed'] as const)
        expect(await refusal({ signUp, providers: [] })).to.include('without an adapter there are no users')
      expect(await refusal({ signUp: 'invited', adapter: memoryAdapter(), providers: [Passkey()] })).to.include(
        'no e-mail provider can send them',
      )
      expect(
        await refusal({ signUp: 'invited', adapter: asAuthjsHasIt(memoryAdapter()), providers: [mail] }),
      ).to.include('The adapter lacks createRecord')
      const inviting: Partial<AuthConfig> = { signUp: 'invited', adapter: memoryAdapter(), providers: [mail] }
      expect(await refusal(inviting)).to.include('Set `url` or AUTH_URL')
      resolveConfig(testConfig(inviting), { env: readEnv({ AUTH_URL: 'https://app.example' }), now: Date.now })
      expect(await refusal({ signUp: true as never })).to.include('`signUp`')
      expect(await refusal({ callbacks: { signup: () => true } as never })).to.include('callbacks.signUp')
    })

    it('is needed itself, and no function', async () => {
      const failure = await failureOf(inviteUser((() => testConfig()) as never, { email: 'a@example.com' }))
      expect(failure.message).to.include('inviteUser(config, …) has no request')
    })
  })
})
