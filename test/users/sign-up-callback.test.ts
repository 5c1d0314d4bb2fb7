import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { SignUpCallback, SignUpCallbackParams } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import Password from '../../lib/providers/password.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { newPerson } from '../support/sign-ins.js'
import { openTestApp, whoIs } from '../support/test-app.js'

describe('the signUp callback', () => {
  let idp: FakeProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())

  const DENIED = 'http://app.example/auth/error?error=AccessDenied'
  const open = (
    signUp: SignUpCallback,
    store = memoryAdapter() as Parameters<typeof openAccountApp>[1] extends { store?: infer Store } | undefined
      ? NonNullable<Store>
      : never,
  ) => openAccountApp(idp, { store, config: { callbacks: { signUp } } })

  it('is asked before a user is created, and keeps nothing of who is refused', async () => {
    const asked: SignUpCallbackParams[] = []
    const app = open((params) => {
      asked.push(params)
      return false
    })
    const person = newPerson()
    expect((await app.signIn(app.browser(), person)).location).to.equal(DENIED)
    expect(await app.store.getUserByEmail(person.email ?? '')).to.equal(null)
    expect(app.calls).not.to.include.oneOf(['createUser', 'createUserWithAccount', 'linkAccount'])
    expect(asked).to.have.length(1)
    expect(asked[0]?.user).to.include({ email: person.email }).and.not.have.property('id')
    expect(asked[0]?.account.provider).to.equal('acme')
    expect(asked[0]?.profile?.sub).to.equal(person.sub)
  })

  it('is not asked about people who have a user', async () => {
    let isOpen = true
    const asked: unknown[] = []
    const app = open(({ account }) => {
      asked.push(account.provider)
      return isOpen
    })
    const person = newPerson()
    await app.signIn(app.browser(), person)
    isOpen = false
    const again = app.browser()
    await app.signIn(again, person)
    expect(await whoIs(again)).to.equal(person.email)
    // Whoever is signed in adds an account, and no user.
    await app.signIn(again, { ...person, sub: `${person.sub}-other` }, 'other')
    expect(asked).to.deep.equal(['acme'])
  })

  for (const [what, signUp] of Object.entries<SignUpCallback>({
    'gives nothing': () => undefined as never,
    'gives a text': () => 'yes' as never,
    'gives the rows of a query': () => [{ email: 'ada@example.com' }] as never,
    throws() {
      throw new Error('the list of the invited is down')
    },
  })) {
    it(`lets nobody new in if it ${what}`, async () => {
      const app = open(signUp)
      const visitor = app.browser()
      expect((await app.signIn(visitor, newPerson())).location).to.equal(DENIED)
      expect(await whoIs(visitor)).to.equal(null)
    })
  }

  it('closes mailed links and passwords to new people, who get the same mail as before', async () => {
    const urls: URL[] = []
    const mail = Email({
      confirm: 'never',
      sendVerificationRequest: ({ url }) => void urls.push(new URL(url)),
      sendNotification: ({ url }) => void urls.push(new URL(url)),
    })
    const adapter = memoryAdapter()
    const app = openTestApp({
      adapter,
      providers: [Password(), mail],
      callbacks: { signUp: ({ user }) => user.email === 'grace@example.com' && user.emailVerified !== null },
    })
    const send = async (path: string, fields: Record<string, string>, browser = app.browser()) => {
      const answer = await browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
      return { browser, answer }
    }
    for (const [email, isNew] of [
      ['ada@example.com', null],
      ['grace@example.com', 'grace@example.com'],
    ] as const) {
      const { browser } = await send('signin/email', { email })
      await browser.get(`${urls.at(-1)?.pathname}${urls.at(-1)?.search}`)
      expect(await whoIs(browser)).to.equal(isNew)
    }
    const { answer: known } = await send('password', { email: 'grace@example.com' })
    const { answer: unknown } = await send('password', { email: 'ada@example.com' })
    expect([unknown.status, unknown.location]).to.deep.equal([known.status, known.location])
    const token = urls.at(-1)?.searchParams.get('token') ?? ''
    const newPassword = 'copper lantern under seven bridges'
    const { answer, browser } = await send('password/choose', { token, newPassword })
    expect(answer.location).to.equal(DENIED)
    expect(await whoIs(browser)).to.equal(null)
    expect(await adapter.getUserByEmail('ada@example.com')).to.equal(null)
  })
})
