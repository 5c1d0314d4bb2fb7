import { expect } from 'chai'
import type { AdapterUser } from '../../lib/adapters/adapter.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { askForLink, goTo, newPerson, setProviderUser } from '../support/sign-ins.js'
import { whoIs } from '../support/test-app.js'
import { inAHurry } from '../support/timers.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const setUp = (options: AccountAppOptions = {}) => openAccountApp(idp, options)

/** The sign-in page, with a hint for the visitor where it can say more. */
const REFUSED = /^http:\/\/app\.example\/auth\/signin\?error=OAuthAccountNotLinked$/

describe('account linking', () => {
  inAHurry()
  for (const emailVerified of [null, new Date(0)]) {
    for (const claims of [{}, { email_verified: false }, { email_verified: 'true' }, { email_verified: true }]) {
      const title = `${emailVerified ? 'a confirmed' : 'an unconfirmed'} address is not linked by ${JSON.stringify(claims)}`

      it(`ACCT-01, CVE-2026-53516: ${title}`, async () => {
        const { browser, store, signIn } = setUp()
        const person = newPerson()
        await store.createUser({ id: '1815', email: person.email ?? '', emailVerified })
        const visitor = browser()
        const answer = await signIn(visitor, person, 'acme', claims)
        expect(answer.location).to.match(REFUSED)
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
        const { browser, store, signIn } = setUp({ provider: { allowDangerousEmailAccountLinking: true } })
        const person = newPerson()
        const { id } = await store.createUser({ id: '1815', email: person.email ?? '', emailVerified })
        const visitor = browser()
        const answer = await signIn(visitor, person, 'acme', claims)
        const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub }) as AdapterUser | null
        expect(owner?.id ?? null).to.equal(isLinked ? id : null)
        if (!isLinked) expect(answer.location).to.match(REFUSED)
        expect(visitor.sessionNames()).to.have.length(isLinked ? 1 : 0)
      })
    }
  }

  const spelled: readonly (readonly [string, (local: string) => string, boolean])[] = [
    ['full-width letters', (local) => `\uff56${local.slice(1)}`, false],
    ['a letter of mathematics', (local) => `\u{1d42f}${local.slice(1)}`, false],
    ['the sign of the kelvin', (local) => local.replace('k', '\u212a'), false],
    ['capitals', (local) => local.toUpperCase(), true],
    ['blanks around it', (local) => ` ${local}`, true],
  ]
  for (const [how, spell, isLinked] of spelled) {
    it(`ACCT-01, ACCT-08: a verified mailbox is ${isLinked ? '' : 'not '}that of a user if it is spelled with ${how}`, async () => {
      const { store, browser, signIn } = setUp({ provider: { allowDangerousEmailAccountLinking: true } })
      const person = newPerson()
      const host = `${person.sub}.example`
      await store.createUser({ id: 'victim', email: `vik@${host}`, emailVerified: new Date(0) })
      await signIn(browser(), { ...person, email: `${spell('vik')}@${host}` }, 'acme', { email_verified: true })
      const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub }) as AdapterUser | null
      expect(owner?.id ?? null).to.equal(isLinked ? 'victim' : null)
    })
  }

  it('ACCT-08: a verified domain may be spelled in any way that leads to it', async () => {
    const { store, browser, signIn } = setUp({ provider: { allowDangerousEmailAccountLinking: true } })
    const person = newPerson()
    await store.createUser({ id: 'victim', email: 'ada@b\u00fccher.example', emailVerified: new Date(0) })
    await signIn(browser(), { ...person, email: 'ada@XN--BCHER-KVA.example' }, 'acme', { email_verified: true })
    expect(await store.getUserByAccount({ provider: 'acme', providerAccountId: person.sub })).to.include({
      id: 'victim',
    })
  })

  it('ACCT-01, OIDC-19: a provider that verifies all addresses says so in its entry, and one that verifies none as well', async () => {
    const linked = async (verifiedEmail: unknown, claims: object = {}) => {
      const { browser, store, signIn } = setUp({
        provider: { allowDangerousEmailAccountLinking: true, verifiedEmail },
      })
      const person = newPerson()
      await store.createUser({ id: '1815', email: person.email ?? '', emailVerified: new Date(0) })
      await signIn(browser(), person, 'acme', claims)
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
    const { browser, store, signIn } = setUp({
      provider: {
        allowDangerousEmailAccountLinking: true,
        profile: ({ sub, upn }: { sub: string; upn: string }) => ({ id: sub, email: upn }),
      },
    })
    await store.createUser({ id: '1815', email: victim.email ?? '', emailVerified: new Date(0) })
    await signIn(browser(), thief, 'acme', { upn: victim.email, email_verified: true })
    expect(store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub })).to.equal(null)
  })

  it('ACCT-01: an entry whose verifiedEmail is no function stops the start', () => {
    for (const verifiedEmail of [true, 'email', {}]) {
      expect(() => setUp({ provider: { verifiedEmail } })).to.throw('`verifiedEmail` is ')
    }
  })

  it('ACCT-01: an entry whose verifiedEmail throws signs nobody in', async () => {
    const { browser, log, signIn } = setUp({ provider: { verifiedEmail: () => expect.fail('no such member') } })
    const visitor = browser()
    expect((await signIn(visitor, newPerson())).location).to.include('error=Configuration')
    expect(visitor.sessionNames()).to.deep.equal([])
    expect(log.errors.at(-1)?.message).to.equal('Provider "acme": verifiedEmail() threw.')
  })

  it('ACCT-01: a user who signs in first may link, by a transaction that this browser began', async () => {
    const { browser, store, clock, mailbox, signIn } = setUp()
    const [ada, thief] = [newPerson(), newPerson()]
    const own = browser()
    await own.get(await askForLink(own, mailbox, ada.email))
    const elsewhere = browser()
    setProviderUser(idp, clock, thief)
    const path = await goTo(elsewhere, idp, 'acme')
    expect((await own.get(path)).location, 'an answer that somebody else began').to.include('error=OAuthCallbackError')
    expect(store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub })).to.equal(null)

    await signIn(own, { ...ada, email: 'ada@work.example' })
    const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: ada.sub }) as AdapterUser
    expect(owner.email).to.equal(ada.email)
  })

  it('ACCT-01: what answers a callback never names the user to link to', async () => {
    const { browser, store, clock } = setUp()
    const [ada, thief] = [newPerson(), newPerson()]
    const victim = (await store.createUser({ id: '1815', email: ada.email ?? '', emailVerified: new Date(0) })).id
    const own = browser()
    setProviderUser(idp, clock, thief)
    idp.faults.token = (answer) => void Object.assign(answer, { userId: victim, user_id: victim })
    const path = await goTo(own, idp, 'acme')
    await own.get(`${path}&userId=${victim}&user=${victim}`)
    const owner = store.getUserByAccount({ provider: 'acme', providerAccountId: thief.sub }) as AdapterUser
    expect(owner.id).to.not.equal(victim)
  })

  it('ACCT-08: every spelling of an address is one user, whichever way they come', async () => {
    const { browser, store, mailbox, signIn } = setUp()
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
    const other = await signIn(browser(), { sub, name, email: address.toUpperCase() })
    expect(other.location).to.include('OAuthAccountNotLinked')
  })
})
