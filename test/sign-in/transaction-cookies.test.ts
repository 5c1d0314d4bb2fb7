import { expect } from 'chai'
import { EMAIL_TRANSACTION } from '../../lib/features/email/dependencies.js'
import { markBrowser } from '../../lib/features/email/requesting-browser.js'
import { saveTransaction } from '../../lib/features/oauth/authorization-transaction.js'
import { OAUTH_TRANSACTION } from '../../lib/features/oauth/dependencies.js'
import { type CookieChange, cookieSpecs } from '../../lib/kernel/cookies.js'
import { sha256Base64url } from '../../lib/kernel/digest.js'
import type { ResolvedEmailProvider, ResolvedOAuthProvider } from '../../lib/providers/provider.js'
import { COOKIES } from '../../lib/sign-in/cookies.js'
import { createTransactionCookies } from '../../lib/sign-in/transaction-cookies.js'
import type { TransactionKind } from '../../lib/sign-in/transaction-kinds.js'
import { NEW, OLD } from '../rotation/processes.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { Clock } from '../support/test-app.js'

/** A kind like that of ceremonies with passkeys, which the load of a page begins. */
const OFFERED: TransactionKind = {
  name: 'offered',
  cookies: { offered: { name: 'offered', purpose: 'offered' } },
  secretOption: 'jwt.secret',
  timeUnitMs: 1,
  isOffered: true,
  makesRoom: true,
}
/** A kind like that of sign-outs at providers. */
const STAYING: TransactionKind = {
  ...OFFERED,
  name: 'staying',
  cookies: { staying: { name: 'staying', purpose: 'staying' } },
  isOffered: false,
  makesRoom: false,
}
const TRANSACTION_KINDS = [OAUTH_TRANSACTION, EMAIL_TRANSACTION, OFFERED, STAYING]
const OWN_COOKIES = Object.fromEntries(TRANSACTION_KINDS.flatMap(({ cookies }) => Object.entries(cookies)))
const specs = cookieSpecs({ ...COOKIES, ...OWN_COOKIES }, true)

/** How much of a user, or how long a return target, a transaction keeps. */
interface Size {
  readonly characters?: number
}

/** What begins a transaction of one kind. */
type Begin = (cookies: ReadonlyMap<string, string>, size?: Size) => readonly CookieChange[]

let count = 0
const unique = (what: string) => {
  count += 1
  return `${what} ${count}`
}

/** What begins transactions in a process that has these secrets. */
function process(secrets: readonly string[], clock: Clock): Record<KindName, Begin> {
  const transactions = createTransactionCookies(
    TRANSACTION_KINDS,
    { secret: secrets, 'jwt.secret': secrets },
    clock.now,
  )
  const dependencies = { transactions, now: clock.now }
  const acme = { id: 'acme', checks: new Set(['state']), responseMode: 'query' } as unknown as ResolvedOAuthProvider
  const email = { id: 'email', maxAge: 600 } as ResolvedEmailProvider
  const own =
    (kind: TransactionKind): Begin =>
    (cookies, { characters = 0 } = {}) => {
      const contents = { [kind.name]: { t: clock.now(), text: 'u'.repeat(characters) } }
      const id = sha256Base64url(unique(kind.name))
      return transactions.open({ specs, cookies }, { kind, id, contents, lifetimeSeconds: 300 })
    }
  return {
    oauth: (cookies, { characters = 0 } = {}) => {
      const state = unique('state')
      const transaction = {
        values: { state },
        redirectUri: 'https://app.example/auth/callback/acme',
        issuer: null,
        maxAge: undefined,
        returnTarget: 'u'.repeat(characters),
        initiator: null,
        linkSessionDigest: null,
        isRemembered: false,
      }
      return saveTransaction({ specs, cookies }, acme, state, transaction, dependencies)
    },
    staying: own(STAYING),
    offered: own(OFFERED),
    email: (cookies) =>
      markBrowser(
        { ...dependencies, request: { specs, cookies }, provider: email },
        { token: unique('token'), identifier: 'ada@example.com' },
        false,
      ),
  }
}

const KINDS = {
  oauth: 'a sign-in at a provider',
  staying: 'one that stays, such as a sign-out at a provider',
  offered: 'one that a page offers, such as a ceremony with a passkey',
  email: 'a browser that requested a link',
}

type KindName = keyof typeof KINDS

/** A browser in which transactions begin one after the other, a second apart, in processes with different secrets. */
function openBrowser() {
  const clock = new Clock()
  const jar = new CookieJar()
  const [newer, older] = [process([NEW], clock), process([OLD], clock)]
  const begin = async (make: Begin, size?: Size) => {
    clock.advance(1)
    const names = new Set(jar.cookies.keys())
    jar.apply(make(jar.cookies, size))
    return [...jar.cookies.keys()].find((name) => !names.has(name)) ?? ''
  }
  const bytes = () => [...jar.cookies].reduce((sum, [name, value]) => sum + name.length + value.length + 3, 0)
  return {
    jar,
    clock,
    bytes,
    clearAll: createTransactionCookies(TRANSACTION_KINDS, { secret: [NEW], 'jwt.secret': [NEW] }, clock.now).clearAll,
    newer: (kind: KindName, size?: Size) => begin(newer[kind], size),
    older: (kind: KindName, size?: Size) => begin(older[kind], size),
  }
}

for (const [kind, what] of Object.entries(KINDS) as [KindName, string][]) {
  describe(`the cookies of a transaction: ${what}`, () => {
    it('have a name with a suffix of eight characters, and cannot be read or sent by scripts', async () => {
      const { jar, newer } = openBrowser()
      const name = await newer(kind)
      expect(name).to.match(/^__Host-(authjs\.state|authjs\.email-request|staying|offered)\.[\w-]{8}$/)
      expect(jar.changes[0]?.options).to.include({ httpOnly: true, secure: true, sameSite: 'lax', path: '/' })
    })

    it('are kept for five transactions; a sixth deletes the oldest', async () => {
      const { jar, newer } = openBrowser()
      const oldest = await newer(kind)
      const second = await newer(kind)
      for (const _ of [3, 4, 5, 6]) await newer(kind)
      expect(jar.cookies.size).to.equal(5)
      expect([jar.cookies.has(oldest), jar.cookies.has(second)]).to.deep.equal([false, true])
    })

    it('make room when they have expired, before those that still count', async () => {
      const { jar, clock, newer } = openBrowser()
      const expired = await newer(kind)
      const again = jar.cookies.get(expired) ?? ''
      jar.cookies.delete(expired)
      clock.advance(20 * 60)
      for (const _ of [1, 2, 3, 4]) await newer(kind)
      jar.cookies.set(expired, again)
      await newer(kind)
      expect([jar.cookies.size, jar.cookies.has(expired)]).to.deep.equal([5, false])
    })

    it('of an unknown secret are not taken for the oldest', async () => {
      const { jar, newer, older } = openBrowser()
      const oldest = await older(kind)
      for (const _ of [1, 2, 3]) await older(kind)
      const justNow = await newer(kind)
      await older(kind)
      expect(jar.cookies.size).to.equal(5)
      expect([jar.cookies.has(oldest), jar.cookies.has(justNow)]).to.deep.equal([false, true])
    })

    it('of an unknown secret make room when they are the oldest', async () => {
      const { jar, newer, older } = openBrowser()
      const oldest = await newer(kind)
      for (const _ of [1, 2, 3, 4, 5]) await older(kind)
      expect(jar.cookies.size).to.equal(5)
      expect(jar.cookies.has(oldest)).to.equal(false)
    })

    it('of an unknown secret are bounded like all others', async () => {
      const { jar, newer, older } = openBrowser()
      for (let each = 0; each < 20; each += 1) await (each % 2 === 0 ? newer(kind) : older(kind))
      expect(jar.cookies.size).to.equal(5)
    })

    it('of an unknown secret are not confused with damaged ones, which are deleted first', async () => {
      const { jar, older } = openBrowser()
      for (const _ of [1, 2, 3, 4]) await older(kind)
      const damaged = await older(kind)
      jar.cookies.set(damaged, `${jar.cookies.get(damaged)?.slice(0, -8)}AAAAAAAA`)
      await older(kind)
      expect([jar.cookies.size, jar.cookies.has(damaged)]).to.deep.equal([5, false])
    })

    it('are not deleted because there are many of another kind', async () => {
      for (const other of Object.keys(KINDS).filter((name) => name !== kind) as KindName[]) {
        const { jar, newer } = openBrowser()
        const first = await newer(kind)
        for (const _ of [1, 2, 3, 4, 5, 6, 7]) await newer(other)
        expect([other, jar.cookies.size, jar.cookies.has(first)]).to.deep.equal([other, 6, true])
      }
    })

    it('are all deleted when somebody signs in or out, whatever secret they were made with', async () => {
      const { jar, newer, older, clearAll } = openBrowser()
      await newer(kind)
      await older(kind)
      jar.cookies.set('authjs.session-token.12345678', 'not of a transaction')
      jar.cookies.set('__Host-authjs.state.short', 'not of a transaction')
      jar.apply(clearAll({ specs, cookies: jar.cookies }))
      expect([...jar.cookies.keys()]).to.deep.equal(['authjs.session-token.12345678', '__Host-authjs.state.short'])
    })
  })
}

describe('the cookies of all transactions together', () => {
  it('never grow into a Cookie header that servers refuse', async () => {
    const { jar, bytes, newer, older } = openBrowser()
    const kinds = Object.keys(KINDS) as KindName[]
    for (let each = 0; each < 40; each += 1) {
      const kind = kinds[each % kinds.length] ?? 'oauth'
      await (each % 7 === 0 ? older : newer)(kind, { characters: (each * 97) % 1000 })
      expect(bytes()).to.be.lessThan(6001)
    }
    expect(jar.cookies.size).to.be.greaterThan(4)
  })

  it('make room by bytes from the oldest on, of whichever kind that a person began', async () => {
    const { jar, bytes, newer } = openBrowser()
    const names = [await newer('email'), await newer('oauth', { characters: 1000 })]
    for (let more = 0; more < 2; more += 1) names.push(await newer('oauth', { characters: 1000 }))
    const [link, first, second, third] = names.map((name) => jar.cookies.has(name))
    expect([link, second, third]).to.deep.equal([false, true, true])
    expect([first, bytes() < 6001]).to.deep.equal([true, true])
  })

  it('CSRF-06: make room by bytes among ceremonies, which a page load begins, before a sign-in that a person began', async () => {
    const { jar, bytes, newer } = openBrowser()
    const tab = await newer('oauth', { characters: 1000 })
    const link = await newer('email')
    for (let load = 0; load < 12; load += 1) await newer('offered', { characters: 600 })
    const otherTab = await newer('oauth', { characters: 1000 })
    expect([tab, link, otherTab].map((name) => jar.cookies.has(name))).to.deep.equal([true, true, true])
    expect(bytes()).to.be.lessThan(6001)
  })

  it('of a kind that stays make no room for sign-ins that begin', async () => {
    const { jar, bytes, newer } = openBrowser()
    const leaving = await newer('staying')
    for (let more = 0; more < 6; more += 1) await newer('oauth', { characters: 1000 })
    expect([jar.cookies.has(leaving), bytes() < 6001]).to.deep.equal([true, true])
  })

  it('that are damaged make room by bytes before a ceremony does', async () => {
    const { jar, newer } = openBrowser()
    const ceremony = await newer('offered', { characters: 600 })
    const damaged = await newer('oauth', { characters: 1000 })
    jar.cookies.set(damaged, `${jar.cookies.get(damaged)?.slice(0, -8)}AAAAAAAA`)
    for (const _ of [1, 2]) await newer('oauth', { characters: 1000 })
    expect([jar.cookies.has(ceremony), jar.cookies.has(damaged)]).to.deep.equal([true, false])
  })

  it('make room for a passkey ceremony among ceremonies first: loading pages ends no sign-in at a provider', async () => {
    const { jar, bytes, newer } = openBrowser()
    const signIn = await newer('oauth', { characters: 1000 })
    const link = await newer('email')
    for (let load = 0; load < 30; load += 1) await newer('offered', { characters: 900 })
    expect([jar.cookies.has(signIn), jar.cookies.has(link)]).to.deep.equal([true, true])
    expect(bytes()).to.be.lessThan(6001)
  })

  it('make room for a ceremony that has no room otherwise', async () => {
    const { jar, bytes, newer } = openBrowser()
    const [first, second] = [await newer('oauth', { characters: 1000 }), await newer('oauth', { characters: 1000 })]
    const ceremony = await newer('offered', { characters: 1600 })
    expect([first, second, ceremony].map((name) => jar.cookies.has(name))).to.deep.equal([false, true, true])
    expect(bytes()).to.be.lessThan(6001)
  })
})

describe('an answer that reaches a process which does not know the secret of its sign-in', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  it('is refused, and leaves the sign-in open for one that knows it', async () => {
    const provider = resolved({
      id: 'fake',
      name: 'fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state', 'nonce'],
    })
    const jar = new CookieJar()
    const url = await new OAuthDriver({ secrets: [NEW] }).start(provider, jar)
    const answer = fake.authorize(url.href)
    await failure(new OAuthDriver({ secrets: [OLD] }).finish(provider, jar, answer), 'InvalidCheck')
    expect(jar.cookies.size).to.equal(3)
    identityOf(await new OAuthDriver({ secrets: [NEW, OLD] }).finish(provider, jar, answer))
    expect(jar.cookies.size).to.equal(0)
  })
})
