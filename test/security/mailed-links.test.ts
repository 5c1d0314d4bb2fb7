import { expect } from 'chai'
import type { AdapterUser, VerificationToken } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { askForLink, confirmLink, Mailbox, newPerson } from '../support/sign-ins.js'
import { openTestApp, SESSION, whoIs } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const setUp = (options: AccountAppOptions = {}) => openAccountApp(idp, options)

const INVALID = 'http://app.example/auth/error?error=Verification'

describe('a mailed link', () => {
  for (const confirm of ['auto', 'always', 'never'] as const) {
    it(`ACCT-05: the name of the cookie of the request says nothing about a short token, with confirm: '${confirm}'`, async () => {
      const { browser } = openTestApp({
        adapter: memoryAdapter(),
        providers: [new Mailbox().provider({ confirm, generateVerificationToken: () => '123456' })],
      })
      const names = new Set<string>()
      for (let time = 0; time < 2; time += 1) {
        const mallory = browser()
        await mallory.post('/auth/signin/email', { csrfToken: await mallory.csrfToken(), email: 'victim@example.com' })
        for (const name of mallory.jar.keys()) if (name.includes('email-request')) names.add(name)
      }
      expect(names.size, 'the same link, and another name each time').to.equal(2)
    })
  }

  it('ACCT-05: the application learns that an address it has was never confirmed, and can end all that came before', async () => {
    const store = memoryAdapter()
    const { browser, mailbox } = setUp({
      store,
      config: {
        callbacks: {
          async signIn({ user, account, email }) {
            const isFollowed = account?.type === 'email' && !email?.verificationRequest
            const { emailVerified } = user as AdapterUser
            if (isFollowed && emailVerified === null && user.id) await store.deleteUser(user.id)
            return true
          },
        },
      },
    })
    const { email } = newPerson()
    const attacker = browser()
    await attacker.signIn({ email: email ?? '' })
    expect(await whoIs(attacker)).to.equal(email)
    const owner = browser()
    await owner.get(await askForLink(owner, mailbox, email))
    expect(await whoIs(owner)).to.equal(email)
    expect(await whoIs(attacker), 'the user who signed up with it before').to.equal(null)

    const again = browser()
    await again.get(await askForLink(again, mailbox, email))
    expect(await whoIs(owner), 'a confirmed one stays').to.equal(email)
  })

  it('ACCT-05: a link confirms the address once, and keeps the date', async () => {
    const { browser, store, clock, mailbox } = setUp({ config: { callbacks: { confirmEmail: () => true } } })
    const { email } = newPerson()
    await store.createUser({ id: '1815', email: email ?? '', emailVerified: null })
    const dates: unknown[] = []
    for (let time = 0; time < 2; time += 1) {
      const ada = browser()
      await ada.get(await askForLink(ada, mailbox, email))
      dates.push((store.getUserByEmail(email ?? '') as AdapterUser).emailVerified)
      clock.advance(3600)
    }
    expect(dates).to.deep.equal([new Date(clock.ms - 7200_000), new Date(clock.ms - 7200_000)])
  })

  it('ACCT-06: scanners that open a link with GET and HEAD, as often as they like, use nothing up', async () => {
    const { browser, engine, origin, mailbox } = setUp()
    const { email } = newPerson()
    const path = await askForLink(browser(), mailbox, email)
    for (let visit = 0; visit < 5; visit += 1) {
      const scanner = browser()
      const page = await scanner.get(path)
      expect([page.status, scanner.sessionNames()]).to.deep.equal([200, []])
    }
    const { incomingFromRequest } = await import('../../lib/kernel/incoming.js')
    const head = await engine.handle(incomingFromRequest(new Request(origin + path, { method: 'HEAD' })), {
      origin,
      basePath: '/auth',
    })
    expect(head.cookies ?? []).to.deep.equal([])
    const elsewhere = browser()
    await confirmLink(elsewhere, path)
    expect(await whoIs(elsewhere)).to.equal(email)
  })

  it('ACCT-06: a link works once, not past its end, for its own address, and whole', async () => {
    const { browser, clock, mailbox } = setUp({ email: { maxAge: 600 } })
    const [ada, mary] = [newPerson(), newPerson()]
    const asking = browser()
    const path = await askForLink(asking, mailbox, ada.email)
    const forAnother = path.replace(encodeURIComponent(ada.email ?? ''), encodeURIComponent(mary.email ?? ''))
    expect(forAnother).to.not.equal(path)
    expect((await confirmLink(browser(), forAnother)).location).to.equal(INVALID)
    expect((await confirmLink(browser(), path.replace(/token=./, 'token=x'))).location).to.equal(INVALID)
    expect((await asking.get(path)).location).to.equal('http://app.example')
    expect((await confirmLink(browser(), path)).location, 'a second time').to.equal(INVALID)

    const late = browser()
    const slow = await askForLink(late, mailbox, mary.email)
    clock.advance(600)
    expect((await late.get(slow)).location, 'when it has expired').to.equal(INVALID)
    expect(late.sessionNames()).to.deep.equal([])
  })

  it('ACCT-06: the button needs the CSRF token of the browser it is pressed in', async () => {
    const { browser, mailbox } = setUp()
    const { email } = newPerson()
    const path = await askForLink(browser(), mailbox, email)
    const query = new URLSearchParams(path.split('?')[1])
    const victim = browser()
    const fields = { token: query.get('token') ?? '', email: email ?? '' }
    for (const csrfToken of ['', await browser().csrfToken()]) {
      const answer = await victim.post('/auth/callback/email', { ...fields, csrfToken })
      expect(answer.location).to.include('error=MissingCSRF')
    }
    expect(victim.sessionNames()).to.deep.equal([])
    await confirmLink(victim, path)
    expect(await whoIs(victim)).to.equal(email)
  })

  it('ACCT-07: the token is in the store before the mail goes out', async () => {
    const order: string[] = []
    const store = memoryAdapter()
    const { browser } = setUp({
      store,
      change: {
        async createVerificationToken(row) {
          await new Promise((resolve) => setTimeout(resolve, 10))
          order.push('stored')
          return store.createVerificationToken(row)
        },
      },
      email: { sendVerificationRequest: () => void order.push('sent') },
    })
    const ada = browser()
    await ada.post('/auth/signin/email', { csrfToken: await ada.csrfToken(), email: newPerson().email ?? '' })
    expect(order).to.deep.equal(['stored', 'sent'])
  })

  for (const [how, send] of [
    ['throws', () => expect.fail('the mail server refused')],
    ['rejects', () => Promise.reject(new Error('the mail server refused'))],
  ] as const) {
    it(`ACCT-07: a mail whose sending ${how} leaves no token behind`, async () => {
      let link: string | undefined
      const { browser, store, rows } = setUp({
        email: {
          sendVerificationRequest(params) {
            link = params.url
            return send()
          },
        },
      })
      const ada = browser()
      const csrfToken = await ada.csrfToken()
      const answer = await ada.post('/auth/signin/email', { csrfToken, email: newPerson().email ?? '' })
      expect(answer.location).to.include('error=EmailSignin')
      const [row] = rows as [VerificationToken]
      expect(rows).to.have.length(1)
      expect(store.useVerificationToken(row)).to.equal(null)
      const { pathname, search } = new URL(link ?? '')
      expect((await confirmLink(browser(), pathname + search)).location).to.equal(INVALID)
    })
  }
})

describe('TOK-07: a mailed token', () => {
  it('is consumed by one call, before anything else is asked or written', async () => {
    const { browser, calls, mailbox } = setUp()
    const { email } = newPerson()
    const ada = browser()
    const path = await askForLink(ada, mailbox, email)
    calls.length = 0
    await ada.get(path)
    expect(calls).to.deep.equal([
      'useVerificationToken',
      'getUserByEmail',
      'getUserByEmail',
      'createUser',
      'createSession',
    ])
    calls.length = 0
    await confirmLink(browser(), path)
    expect(calls, 'when it was used already').to.deep.equal(['useVerificationToken'])
  })

  it('is gone when what follows it fails', async () => {
    let isDown = false
    const store = memoryAdapter()
    const { browser, mailbox } = setUp({
      store,
      change: {
        createUser(user) {
          if (isDown) throw new Error('connect ECONNREFUSED')
          return store.createUser(user)
        },
      },
    })
    const ada = browser()
    const path = await askForLink(ada, mailbox, newPerson().email)
    isDown = true
    await ada.get(path)
    isDown = false
    expect((await confirmLink(ada, path)).location).to.equal(INVALID)
    expect(ada.sessionNames()).to.deep.equal([])
  })

  it('is refused, and no store asked, when it is empty, twice there or no text', async () => {
    const { browser, calls, mailbox } = setUp({ email: { confirm: 'never' } })
    const { email } = newPerson()
    const path = await askForLink(browser(), mailbox, email)
    const token = new URLSearchParams(path.split('?')[1]).get('token') ?? ''
    const address = encodeURIComponent(email ?? '')
    calls.length = 0
    for (const query of [
      '',
      `email=${address}`,
      `token=${token}`,
      `token=&email=${address}`,
      `token=${token}&email=`,
      `token[]=${token}&email=${address}`,
      `token=${'a'.repeat(5000)}&email=${address}`,
    ]) {
      expect((await browser().get(`/auth/callback/email?${query}`)).location, query).to.equal(INVALID)
    }
    const twice = await browser().get(`/auth/callback/email?token=${token}&token=${token}&email=${address}`)
    expect(twice.status).to.equal(400)
    const json = browser()
    const csrfToken = await json.csrfToken()
    for (const odd of [[token], { token }, 7, true, null, '']) {
      const answer = await json.postJson('/auth/callback/email', { csrfToken, token: odd, email })
      expect(answer.location, JSON.stringify(odd)).to.equal(INVALID)
    }
    expect(calls).to.deep.equal([])
  })
})

describe('TOK-08: a token in the store', () => {
  it('is a hash that nobody can make without the secret', async () => {
    const hashes = new Set<string>()
    for (const secret of [SECRET, `another ${SECRET}`]) {
      const { browser, rows, mailbox } = setUp({
        config: { secret },
        email: { generateVerificationToken: () => 'the same token' },
      })
      await askForLink(browser(), mailbox, 'ada@example.com')
      const [row] = rows as [VerificationToken]
      expect(row.token).to.match(/^[0-9a-f]{64}$/)
      expect(row.identifier).to.equal('ada@example.com')
      hashes.add(row.token)
    }
    expect(hashes).to.have.property('size', 2)
  })

  it('signs nobody in: neither a link’s as a session or a link, nor a session’s as a link', async () => {
    const { browser, rows, mailbox } = setUp()
    const { email } = newPerson()
    const asking = browser()
    const path = await askForLink(asking, mailbox, email)
    const [{ token: hash }] = rows as [VerificationToken]
    const token = new URLSearchParams(path.split('?')[1]).get('token') ?? ''
    for (const value of [hash, token, `sha256:${hash}`]) {
      const thief = browser()
      thief.plant(SESSION, value)
      expect(await thief.session(), value).to.equal(null)
    }
    await asking.get(path)
    const session = asking.jar.get(SESSION)?.value ?? ''
    expect(session).to.match(/^[0-9a-f]{64}$/)
    for (const value of [hash, session, storedForm(session)]) {
      const query = new URLSearchParams({ token: value, email: email ?? '' })
      const answer = await confirmLink(browser(), `/auth/callback/email?${query}`)
      expect(answer.location, value).to.equal(INVALID)
    }
  })

  it('belongs to one address: another’s row does not open with it', async () => {
    const { browser, mailbox } = setUp({ email: { generateVerificationToken: () => 'the same token' } })
    const [ada, mary] = [newPerson(), newPerson()]
    const own = browser()
    const path = await askForLink(own, mailbox, ada.email)
    await askForLink(browser(), mailbox, mary.email)
    await own.get(path)
    expect(await whoIs(own)).to.equal(ada.email)
    expect((await confirmLink(browser(), path)).location, 'Mary’s is still there').to.equal(INVALID)
    const marys = browser()
    await confirmLink(marys, mailbox.pathFor(mary.email))
    expect(await whoIs(marys)).to.equal(mary.email)
  })
})
