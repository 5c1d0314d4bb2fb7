import { expect } from 'chai'
import type { Adapter, AdapterAccount } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import {
  createTokenEncryption,
  ENCRYPTED_PREFIX,
  type TokenMember,
} from '../../lib/features/account-tokens/token-rows.js'
import type { AuthConfig } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../support/refreshing-provider.js'
import { askForLink, Mailbox, newPerson, oauth, type Person } from '../support/sign-ins.js'
import { watched } from '../support/stores.js'
import type { TestApp } from '../support/test-app.js'

describe('OAUTH-14: tokens of accounts in a store', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  beforeEach(() => {
    idp.reset()
    provider = new RefreshingProvider(idp)
  })
  after(() => idp.stop())

  const keyOf = ({ sub }: Person) => ({ provider: 'oidc', providerAccountId: sub })
  const rowOf = async (store: Adapter, { sub }: Person) => (await store.getAccount?.(sub, 'oidc')) as AdapterAccount
  /** An app in which a person has signed in, and whose access token has expired. */
  const expired = async (adapter: Adapter, more: Partial<AuthConfig> = {}) => {
    const app = openTokenApp(provider, adapter, more)
    const person = newPerson()
    const browser = await signInAt(app, provider, person)
    app.clock.advance(3600)
    return { app, person, browser }
  }
  /** Nothing that a program logged has a token in it. */
  const expectNoTokenIn = ({ log }: Pick<TestApp, 'log'>) => {
    const texts = log.errors.map((error) => JSON.stringify([error.stack, error.cause, String(error.cause)]))
    expect(`${texts} ${log.lines}`).not.to.include(MARK)
  }

  it('TOK-01: are refused in another row, in another member, and in another instance', async () => {
    const store = memoryAdapter()
    const { app, person, browser } = await expired(store)
    const other = newPerson()
    await signInAt(app, provider, other)
    const [own, foreign] = [await rowOf(store, person), await rowOf(store, other)]
    const copies = {
      'the token of another account': foreign.refresh_token,
      'the access token as a refresh token': own.access_token,
      'a damaged one': `${own.refresh_token?.slice(0, -8)}AAAAAAAA`,
    }
    for (const [name, refresh_token] of Object.entries(copies)) {
      store.updateAccount(keyOf(person), { refresh_token: refresh_token ?? null })
      expect(await accessTokenOf(app, browser), name).to.include({ reason: 'no-refresh-token' })
    }
    store.updateAccount(keyOf(person), { access_token: foreign.access_token ?? null, expires_at: null })
    expect(await accessTokenOf(app, browser), 'as access token').to.include({ status: 'reauthorize' })
    expect(provider.used).to.deep.equal([])
    expect(app.log.errors.map(({ name }) => name)).to.include('AccountTokenError')
    expectNoTokenIn(app)

    const read = (secret: string, member: TokenMember) =>
      createTokenEncryption([secret], true, Date.now).read(own, member, own[member])
    expect(await read('a secret of another instance, long enough', 'access_token')).to.equal('unreadable')
    const tenant = openTokenApp(provider, store, { instance: 'another' })
    const there = await signInAt(tenant, provider, newPerson())
    expect(await accessTokenOf(tenant, there)).to.include({ status: 'ok' })
    expect(await accessTokenOf(tenant, browser), 'the session of another instance').to.equal(null)
  })

  it('TOK-04: are read with older secrets, and stored with the newest at the next use', async () => {
    const store = memoryAdapter()
    const person = newPerson()
    await signInAt(openTokenApp(provider, store), provider, person)
    const before = await rowOf(store, person)
    const secrets = ['the newest secret, which is long enough', SECRET]
    const rotated = openTokenApp(provider, store, { secret: secrets, session: { strategy: 'jwt' } })
    provider.onSignIn = ({ access_token: _, refresh_token: __, ...answer }) => ({
      ...answer,
      access_token: 'unused-one',
    })
    const again = await signInAt(rotated, provider, person)
    store.updateAccount(keyOf(person), { access_token: before.access_token ?? null })
    expect(await accessTokenOf(rotated, again)).to.include({ accessToken: `${MARK}-access-1` })
    const after = await rowOf(store, person)
    const newest = createTokenEncryption(secrets.slice(0, 1), true, Date.now)
    for (const member of ['access_token', 'refresh_token', 'id_token'] as const) {
      expect(await newest.read(after, member, after[member]), member).not.to.equal('unreadable')
    }
  })

  it('of Auth.js are read in plain, and encrypted at the next use', async () => {
    const store = memoryAdapter()
    const { app, clock } = { ...openTokenApp(provider, store), app: openTokenApp(provider, store) }
    const person = newPerson()
    const browser = await signInAt(app, provider, person)
    const tokens = { access_token: `${MARK}-old`, refresh_token: `${MARK}-old-refresh`, id_token: `${MARK}-old-id` }
    store.updateAccount(keyOf(person), { ...tokens, expires_at: clock.seconds + 600 })
    expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-old` })
    expect(JSON.stringify(await rowOf(store, person))).not.to.include(MARK)
    expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-old` })
  })

  it('are plain with `encrypt: false`, and encrypted ones are still read', async () => {
    const store = memoryAdapter()
    const person = newPerson()
    await signInAt(openTokenApp(provider, store), provider, person)
    const app = openTokenApp(provider, store, { accountTokens: { encrypt: false } })
    const encrypted = await rowOf(store, person)
    const browser = await signInAt(app, provider, person)
    expect(await rowOf(store, person)).to.include({ access_token: `${MARK}-access-2` })
    store.updateAccount(keyOf(person), { access_token: encrypted.access_token ?? null })
    expect(await accessTokenOf(app, browser)).to.include({ accessToken: `${MARK}-access-1` })
    const likeOurs = await createTokenEncryption([SECRET], false, Date.now).encrypt(
      keyOf(person),
      'access_token',
      `${ENCRYPTED_PREFIX}x`,
    )
    expect(likeOurs).not.to.equal(`${ENCRYPTED_PREFIX}x`)
  })

  it('reach events and callbacks in plain, and never the session of a browser', async () => {
    const seen: unknown[] = []
    const store = memoryAdapter()
    const app = openTokenApp(provider, store, {
      callbacks: { signIn: ({ account }) => Boolean(seen.push(account?.access_token)) },
      events: { linkAccount: ({ account }) => void seen.push(account.access_token) },
    })
    const browser = await signInAt(app, provider)
    expect(seen).to.deep.equal([`${MARK}-access-1`, `${MARK}-access-1`])
    await accessTokenOf(app, browser)
    expect(JSON.stringify(await browser.session()))
      .not.to.include(MARK)
      .and.not.include(ENCRYPTED_PREFIX)
    expect(browser.cookieHeader()).not.to.include(MARK)
  })

  it('are not given to another user who has the account by now', async () => {
    const store = memoryAdapter()
    const { app, person, browser } = await expired(store)
    store.createUser({ id: 'other', email: 'other@example.com', emailVerified: null })
    provider.onRefresh = () => {
      store.unlinkAccount(keyOf(person))
      store.linkAccount({ ...keyOf(person), type: 'oidc', userId: 'other', access_token: `${MARK}-of-other` })
      return undefined
    }
    expect(await accessTokenOf(app, browser)).to.include({ status: 'reauthorize', reason: 'no-account' })
    expect(await rowOf(store, person)).to.include({ userId: 'other', access_token: `${MARK}-of-other` })
  })

  it('of a sign-in during a refresh win', async () => {
    const store = memoryAdapter()
    const { app, person, browser } = await expired(store)
    const refreshing = new Promise<void>((resolve) => {
      provider.onRefresh = (answer) => {
        resolve()
        return { body: answer, delayMs: 300 }
      }
    })
    const asked = accessTokenOf(app, browser)
    await refreshing
    await signInAt(app, provider, person)
    expect(await asked).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
    expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
  })

  describe('when the store is down', () => {
    for (const method of ['listAccountsByUserId', 'updateAccount'] as const) {
      it(`at ${method}: the tokens are unavailable, nobody is sent away, and nothing unstored is given out`, async () => {
        const store = memoryAdapter()
        let isDown = false
        const failing = () => {
          if (isDown) throw new Error('down')
        }
        const { adapter } = watched(store, {
          [method]: (...args: never[]) => {
            failing()
            return (store[method] as (...args: never[]) => unknown)(...args)
          },
        })
        const { app, browser } = await expired(adapter)
        // The lease is taken before the store fails.
        if (method === 'updateAccount') {
          provider.onRefresh = () => {
            isDown = true
            return undefined
          }
        } else isDown = true
        expect(await accessTokenOf(app, browser)).to.deep.equal({ status: 'unavailable' })
        expectNoTokenIn(app)
      })
    }

    it('for a moment only: the new tokens are stored at the next try', async () => {
      const store = memoryAdapter()
      let failures = 0
      const { adapter } = watched(store, {
        updateAccount: (key, changes, expected) => {
          if (changes.access_token && failures < 2) {
            failures += 1
            throw new Error('down')
          }
          return store.updateAccount(key, changes, expected)
        },
      })
      const { app, browser } = await expired(adapter)
      expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect(failures).to.equal(2)
    })

    it('and the answer to a write is lost: the tokens count as stored', async () => {
      const store = memoryAdapter()
      let isLost = false
      const { adapter } = watched(store, {
        updateAccount: (key, changes, expected) => {
          const isChanged = store.updateAccount(key, changes, expected)
          if (changes.access_token && !isLost) {
            isLost = true
            throw new Error('the answer was lost')
          }
          return isChanged
        },
      })
      const { app, browser } = await expired(adapter)
      expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect(provider.used).to.have.length(1)
    })

    it('or `account()` of the provider throws, at a later sign-in: the sign-in succeeds', async () => {
      let isBroken = false
      const account = (tokens: object) => {
        if (isBroken) throw new Error('no column for that')
        return tokens
      }
      const app = openTokenApp(provider, memoryAdapter(), { providers: [oauth(idp, 'oidc', { account })] })
      const person = newPerson()
      await signInAt(app, provider, person)
      isBroken = true
      const again = await signInAt(app, provider, person)
      expect(await again.session()).not.to.equal(null)
      expect(app.log.errors.map(({ name }) => name)).to.deep.equal(['AccountTokenError'])
    })

    it('during a sign-in: the sign-in succeeds', async () => {
      const store = memoryAdapter()
      const { adapter } = watched(store, {
        updateAccount: () => {
          throw new Error('down')
        },
      })
      const app = openTokenApp(provider, adapter)
      const person = newPerson()
      await signInAt(app, provider, person)
      const again = await signInAt(app, provider, person)
      expect(await again.session()).not.to.equal(null)
      expect(app.log.errors.map(({ name }) => name)).to.deep.equal(['AccountTokenError'])
      expectNoTokenIn(app)
    })
  })

  describe('a lost answer of the provider', () => {
    const FACTS = {
      'the provider does not rotate': { facts: { rotates: false }, calls: 2 },
      'the old token works for a while': { facts: { rotates: true, graceSeconds: 30 }, calls: 2 },
      'the provider rotates': { facts: { rotates: true }, calls: 1 },
      'nothing is known': { facts: {}, calls: 1 },
      'the old token ends at once': { facts: { rotates: 'sometimes', graceSeconds: 0 }, calls: 1 },
    } as const
    for (const [name, { facts, calls }] of Object.entries(FACTS)) {
      it(`is ${calls === 2 ? 'asked for again' : 'not asked for again'} where ${name}`, async () => {
        let cuts = 0
        const cutting = async (input: string | URL | Request, init?: RequestInit) => {
          const answer = await fetch(input, init)
          if (!String(init?.body).includes('refresh_token') || cuts > 0) return answer
          cuts += 1
          throw new TypeError('fetch failed')
        }
        const { customFetch } = await import('../../lib/index.js')
        const custom = oauth(idp, 'oidc', { tokenFacts: facts, [customFetch]: cutting })
        provider.rotates = false
        const { app, browser } = await expired(memoryAdapter(), { providers: [custom] })
        const result = await accessTokenOf(app, browser)
        expect(provider.used).to.have.length(calls)
        expect(result?.status).to.equal(calls === 2 ? 'ok' : 'unavailable')
        expect(await accessTokenOf(app, browser), 'the next call').to.include({ status: 'ok' })
      })
    }
  })

  it('serve sessions in tokens, from one sign-in to the next', async () => {
    const store = memoryAdapter()
    const app = openTokenApp(provider, store, { session: { strategy: 'jwt' } })
    const person = newPerson()
    const first = await signInAt(app, provider, person)
    const second = await signInAt(app, provider, person)
    const stranger = await signInAt(app, provider)
    for (const browser of [first, second]) {
      expect(await accessTokenOf(app, browser)).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
    }
    expect(await accessTokenOf(app, stranger)).to.include({ accessToken: `${MARK}-access-3` })
    provider.play(app, person)
    app.clock.advance(3600)
    expect(await accessTokenOf(app, first)).to.include({ status: 'ok', accessToken: `${MARK}-access-4` })
    expect(provider.used).to.deep.equal([`${MARK}-refresh-2`])
    expect(JSON.stringify(await rowOf(store, person))).not.to.include(MARK)
  })

  describe('ACCT-05 an account that is not linked any more has none', () => {
    const setUp = async () => {
      const [store, mailbox] = [memoryAdapter(), new Mailbox()]
      const revoked: string[] = []
      const answering = async (input: string | URL | Request, init?: RequestInit) => {
        if (!String(input).includes('/revoke')) return fetch(input, init)
        revoked.push(String(new URLSearchParams(String(init?.body)).get('token')))
        return new Response('')
      }
      const { customFetch } = await import('../../lib/index.js')
      const facts = { revocation: { url: 'https://acme.example/revoke', dialect: 'rfc7009' } }
      const app = openTokenApp(provider, store, {
        session: { strategy: 'jwt' },
        providers: [oauth(idp, 'oidc', { tokenFacts: facts, [customFetch]: answering }), mailbox.provider()],
      })
      const person = newPerson()
      // The session of whoever signed up with the address, which goes on in this test.
      const there = await signInAt(app, provider, person)
      expect(await accessTokenOf(app, there)).to.include({ status: 'ok' })
      return { app, store, mailbox, person, there, revoked }
    }

    it('after its user has confirmed the address', async () => {
      const { app, store, mailbox, person, revoked } = await setUp()
      const own = app.browser()
      await own.get(await askForLink(own, mailbox, person.email))
      expect(await own.session()).not.to.equal(null)
      expect(await accessTokenOf(app, own)).to.include({ status: 'reauthorize', reason: 'no-account' })
      expect(await store.getAccount(person.sub, 'oidc')).to.equal(null)
      expect(revoked).to.have.members([`${MARK}-access-1`, `${MARK}-refresh-1`])
    })

    for (const [how, remove] of [
      ['unlinked it', (store, { sub }) => store.unlinkAccount({ provider: 'oidc', providerAccountId: sub })],
      [
        'given it to another user',
        (store, { sub }) => {
          store.unlinkAccount({ provider: 'oidc', providerAccountId: sub })
          store.createUser({ id: 'other', email: 'other@example.com', emailVerified: null })
          store.linkAccount({ provider: 'oidc', providerAccountId: sub, type: 'oidc', userId: 'other' })
        },
      ],
    ] as [string, (store: Required<Adapter>, person: Person) => unknown][]) {
      for (const age of [0, 3600]) {
        it(`after the application has ${how}, and the token ${age > 0 ? 'has expired' : 'lives'}`, async () => {
          const { app, store, person, there } = await setUp()
          await remove(store, person)
          app.clock.advance(age)
          expect(await accessTokenOf(app, there)).to.include({ status: 'reauthorize', reason: 'no-account' })
          expect(provider.used, 'nothing is refreshed').to.deep.equal([])
        })
      }
    }

    it('after the application has deleted the user: nobody gets them, with a new session neither', async () => {
      const { app, store, mailbox, person, there } = await setUp()
      const { userId } = await rowOf(store, person)
      await store.deleteUser(userId)
      expect(await accessTokenOf(app, there)).to.equal(null)
      // A store that gives the id again.
      const address = 'next@example.com'
      const next = await store.createUser({ id: userId, name: null, email: address, emailVerified: new Date() })
      const own = app.browser()
      await own.get(await askForLink(own, mailbox, next.email))
      expect(await accessTokenOf(app, own)).to.include({ status: 'reauthorize', reason: 'no-account' })
    })

    it('after it was unlinked during a refresh', async () => {
      const { app, store, person, there } = await setUp()
      app.clock.advance(3600)
      provider.onRefresh = () => {
        store.unlinkAccount(keyOf(person))
        return undefined
      }
      await accessTokenOf(app, there)
      expect(await accessTokenOf(app, there)).to.include({ status: 'reauthorize', reason: 'no-account' })
    })
  })

  it('are revoked and deleted at a sign-out that asks for it', async () => {
    const calls: string[] = []
    const { customFetch } = await import('../../lib/index.js')
    const counting = async (input: string | URL | Request, init?: RequestInit) => {
      if (!String(input).includes('/revoke')) return fetch(input, init)
      calls.push(String(new URLSearchParams(String(init?.body)).get('token')))
      return new Response('')
    }
    const facts = { revocation: { url: 'https://acme.example/revoke', dialect: 'rfc7009' } }
    const store = memoryAdapter()
    for (const revokeAtSignOut of [false, true]) {
      const app = openTokenApp(provider, store, {
        providers: [oauth(idp, 'oidc', { tokenFacts: facts, [customFetch]: counting })],
        accountTokens: { revokeAtSignOut },
      })
      const person = newPerson()
      const browser = await signInAt(app, provider, person)
      await browser.signOut()
      const { access_token } = await rowOf(store, person)
      expect(Boolean(access_token)).to.equal(!revokeAtSignOut)
      expect(calls).to.deep.equal(revokeAtSignOut ? [`${MARK}-refresh-2`, `${MARK}-access-2`] : [])
    }
  })
})
