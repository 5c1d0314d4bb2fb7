import { expect } from 'chai'
import type { Adapter, AdapterUser, VerificationToken } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import type { EmailUserConfig } from '../../lib/providers/provider.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import {
  askForLink,
  confirmLink,
  goTo,
  Mailbox,
  newPerson,
  oauth,
  type Person,
  registering,
  seat,
} from '../support/sign-ins.js'
import { watched } from '../support/stores.js'
import { Clock, openTestApp, SESSION, type TestBrowser } from '../support/test-app.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

interface Setting {
  readonly store?: Required<Adapter>
  readonly change?: Partial<Adapter>
  readonly email?: EmailUserConfig
  readonly provider?: object
  readonly config?: Partial<AuthConfig>
}

function setUp({ store = memoryAdapter(), change = {}, email = {}, provider = {}, config = {} }: Setting = {}) {
  const mailbox = new Mailbox()
  const { adapter, calls } = watched<Required<Adapter>>(store, change)
  const rows: VerificationToken[] = []
  const { createVerificationToken } = adapter
  adapter.createVerificationToken = (row) => {
    rows.push(row)
    return createVerificationToken(row)
  }
  const testApp = openTestApp(
    {
      adapter,
      providers: [
        mailbox.provider(email),
        registering(store),
        oauth(idp, 'oidc', { id: 'acme', ...provider }),
        oauth(idp, 'oidc', { id: 'other', ...provider }),
      ],
      ...config,
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  const withProvider = async (browser: TestBrowser, person: Person, claims: object = {}, id = 'acme') => {
    seat(idp, testApp.clock, person)
    Object.assign(idp.profile, claims)
    return browser.get(await goTo(browser, idp, id))
  }
  return { ...testApp, store, calls, rows, mailbox, withProvider }
}

const whoIs = async (browser: TestBrowser) => (await browser.session())?.user?.email
const INVALID = 'http://app.example/auth/error?error=Verification'

/** Linking and mailed links by the ids of security-requirements.md, part B. */
describe('ACCT', () => {
  for (const emailVerified of [null, new Date(0)]) {
    for (const claims of [{}, { email_verified: false }, { email_verified: 'true' }, { email_verified: true }]) {
      const title = `${emailVerified ? 'a confirmed' : 'an unconfirmed'} address is not linked by ${JSON.stringify(claims)}`

      it(`ACCT-01, CVE-2026-53516: ${title}`, async () => {
        const { browser, store, withProvider } = setUp()
        const person = newPerson()
        await store.createUser({ id: '1815', email: person.email ?? '', emailVerified })
        const visitor = browser()
        const answer = await withProvider(visitor, person, claims)
        expect(answer.location).to.equal('http://app.example/auth/signin?error=OAuthAccountNotLinked')
        expect(visitor.sessionNames()).to.deep.equal([])
        expect(store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub })).to.equal(null)
      })
    }
  }

  /** What a provider may say of an address, and whether it says that it has verified it. */
  const CLAIMS: readonly (readonly [string, object, boolean])[] = [
    ['true', { email_verified: true }, true],
    ['the text true', { email_verified: 'true' }, true],
    ['nothing', {}, false],
    ...[false, 'false', 'False', 'TRUE', 0, 1, '1', null, '', [true], { value: true }].map(
      (email_verified) => [JSON.stringify(email_verified), { email_verified }, false] as const,
    ),
  ]

  for (const emailVerified of [null, new Date(0)]) {
    for (const [said, claims, isVerified] of CLAIMS) {
      const isLinked = isVerified && emailVerified !== null
      const title = `${emailVerified ? 'a confirmed' : 'an unconfirmed'} address ${isLinked ? 'is' : 'is not'} linked by ${said}`

      it(`ACCT-01, OIDC-19, CVE-2026-53516: with allowDangerousEmailAccountLinking ${title}`, async () => {
        const { browser, store, withProvider } = setUp({ provider: { allowDangerousEmailAccountLinking: true } })
        const person = newPerson()
        const { id } = await store.createUser({ id: '1815', email: person.email ?? '', emailVerified })
        const visitor = browser()
        const answer = await withProvider(visitor, person, claims)
        const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub }) as AdapterUser | null
        expect(owner?.id ?? null).to.equal(isLinked ? id : null)
        if (!isLinked) expect(answer.location).to.equal('http://app.example/auth/signin?error=OAuthAccountNotLinked')
        expect(visitor.sessionNames()).to.have.length(isLinked ? 1 : 0)
      })
    }
  }

  it('ACCT-01, OIDC-19: a provider that verifies all addresses says so in its entry, and one that verifies none as well', async () => {
    const linked = async (verifiedEmail: unknown, claims: object = {}) => {
      const { browser, store, withProvider } = setUp({
        provider: { allowDangerousEmailAccountLinking: true, verifiedEmail },
      })
      const person = newPerson()
      await store.createUser({ id: '1815', email: person.email ?? '', emailVerified: new Date(0) })
      await withProvider(browser(), person, claims)
      return store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub }) !== null
    }
    const all = ({ email }: { email: string }) => email
    expect(await linked(all)).to.equal(true)
    expect(await linked(({ email }: { email: string }) => email.toUpperCase()), 'in any spelling').to.equal(true)
    expect(await linked(() => null, { email_verified: true })).to.equal(false)
    expect(await linked(() => 'somebody.else@example.com', { email_verified: true })).to.equal(false)
    expect(await linked(() => true)).to.equal(false)
    expect(await linked(undefined, { email_verified: true })).to.equal(true)
  })

  it('ACCT-01, OIDC-19: what the provider verified is no word on another address that profile() takes', async () => {
    const [victim, thief] = [newPerson(), newPerson()]
    const { browser, store, withProvider } = setUp({
      provider: {
        allowDangerousEmailAccountLinking: true,
        profile: ({ sub, upn }: { sub: string; upn: string }) => ({ id: sub, email: upn }),
      },
    })
    await store.createUser({ id: '1815', email: victim.email ?? '', emailVerified: new Date(0) })
    await withProvider(browser(), thief, { upn: victim.email, email_verified: true })
    expect(store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub })).to.equal(null)
  })

  it('ACCT-01: an entry whose verifiedEmail is no function stops the start', () => {
    for (const verifiedEmail of [true, 'email', {}]) {
      expect(() => setUp({ provider: { verifiedEmail } })).to.throw('`verifiedEmail` is ')
    }
  })

  it('ACCT-01: an entry whose verifiedEmail throws signs nobody in', async () => {
    const { browser, log, withProvider } = setUp({ provider: { verifiedEmail: () => expect.fail('no such member') } })
    const visitor = browser()
    expect((await withProvider(visitor, newPerson())).location).to.include('error=OAuthCallbackError')
    expect(visitor.sessionNames()).to.deep.equal([])
    expect(log.errors.at(-1)?.message).to.equal('Provider "acme": verifiedEmail() threw.')
  })

  it('ACCT-01: who signs in first may link, by an attempt that this browser began', async () => {
    const { browser, store, clock, mailbox, withProvider } = setUp()
    const [ada, thief] = [newPerson(), newPerson()]
    const own = browser()
    await own.get(await askForLink(own, mailbox, ada.email))
    const elsewhere = browser()
    seat(idp, clock, thief)
    const path = await goTo(elsewhere, idp, 'acme')
    expect((await own.get(path)).location, 'an answer that somebody else began').to.include('error=SessionChanged')
    expect(store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub })).to.equal(null)

    await withProvider(own, { ...ada, email: 'ada@work.example' })
    const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: ada.sub }) as AdapterUser
    expect(owner.email).to.equal(ada.email)
  })

  it('ACCT-01: what answers a callback never names the user to link to', async () => {
    const { browser, store, clock } = setUp()
    const [ada, thief] = [newPerson(), newPerson()]
    const victim = (await store.createUser({ id: '1815', email: ada.email ?? '', emailVerified: new Date(0) })).id
    const own = browser()
    seat(idp, clock, thief)
    idp.faults.token = (answer) => void Object.assign(answer, { userId: victim, user_id: victim })
    const path = await goTo(own, idp, 'acme')
    await own.get(`${path}&userId=${victim}&user=${victim}`)
    const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub }) as AdapterUser
    expect(owner.id).to.not.equal(victim)
  })

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
    const squatter = browser()
    await squatter.signIn({ email: email ?? '' })
    expect(await whoIs(squatter)).to.equal(email)
    const owner = browser()
    await owner.get(await askForLink(owner, mailbox, email))
    expect(await whoIs(owner)).to.equal(email)
    expect(await whoIs(squatter), 'who had claimed it before').to.equal(undefined)

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
    const { incomingFromRequest } = await import('../../lib/http/incoming.js')
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

  it('ACCT-08: every spelling of an address is one user, whichever way they come', async () => {
    const { browser, store, mailbox, withProvider } = setUp()
    const { sub, email, name } = newPerson()
    const address = email ?? ''
    const [local = '', domain = ''] = address.split('@')
    const wide = String.fromCodePoint(
      ...[...local].map((c) => (/[a-z]/.test(c) ? c.charCodeAt(0) + 0xfee0 : c.charCodeAt(0))),
    )
    const ids = new Set<string>()
    for (const spelling of [
      address,
      ` ${address} `,
      address.toUpperCase(),
      `${local}@${domain.toUpperCase()}`,
      `${wide}@${domain}`,
    ]) {
      const ada = browser()
      await ada.post('/auth/signin/email', { csrfToken: await ada.csrfToken(), email: spelling })
      await ada.get(mailbox.pathFor(address))
      expect(await whoIs(ada), JSON.stringify(spelling)).to.equal(address)
      ids.add((store.getUserByEmail(address) as AdapterUser).id)
    }
    expect([...mailbox.links.keys()]).to.deep.equal([address])
    expect(ids).to.have.property('size', 1)
    const other = await withProvider(browser(), { sub, name, email: address.toUpperCase() })
    expect(other.location).to.include('OAuthAccountNotLinked')
  })
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
  it('is a hash that only a holder of the secret can make', async () => {
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
