import { expect } from 'chai'
import type { Adapter, VerificationToken } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { ConfirmEmailCallback } from '../../lib/users/ask-confirmation.js'
import { createLog } from '../support/app.js'
import { breakingAt, methodsOf } from '../support/breaking-store.js'
import { createIdentityResolver } from '../support/identity-resolver.js'
import { storeOver } from '../support/open-store.js'

const ADDRESS = 'victim@example.com'
const ATTACKER = 'mallory'

/** A store in which somebody has signed up with an address that nobody confirmed. */
function storeWithTakenAddress() {
  const store = memoryAdapter()
  store.createUser({ id: ATTACKER, name: null, email: ADDRESS, image: null, emailVerified: null })
  const link = (providerAccountId: string) =>
    store.linkAccount({ provider: 'acme', type: 'oidc', providerAccountId, userId: ATTACKER })
  link('first')
  const accounts = () =>
    (store.listAccountsByUserId(ATTACKER) as { providerAccountId: string }[]).map((row) => row.providerAccountId)
  const isConfirmed = () => Boolean((store.getUser(ATTACKER) as { emailVerified: unknown }).emailVerified)
  return { store, link, accounts, isConfirmed }
}

interface Setting {
  readonly principalId?: string
  readonly secrets?: readonly string[]
  readonly confirmEmail?: ConfirmEmailCallback
  /** Whether they come from a provider that is trusted with addresses, and not by the link. */
  readonly isFromProvider?: boolean
}

/** Follows a mailed link in a process of its own. Gives the user, or the error. */
function follow(
  adapter: Adapter,
  { principalId, secrets = ['secret'], confirmEmail, isFromProvider = false }: Setting = {},
): Promise<unknown> {
  const log = createLog()
  const resolver = createIdentityResolver({
    store: storeOver(adapter),
    sessionsNeedUser: true,
    refusesDisabledUsers: false,
    providers: [
      { id: 'email', type: 'email' },
      { id: 'acme', type: 'oidc' },
      { id: 'passkey', type: 'webauthn' },
    ],
    confirmEmail: confirmEmail ?? null,
    recentAuthAge: 900,
    emit: async () => {},
    logger: log.logger as Required<typeof log.logger>,
    storeTimeout: 5,
    secrets,
    now: Date.now,
  })
  const identity = isFromProvider
    ? {
        account: { provider: 'acme', type: 'oidc' as const, providerAccountId: 'first' },
        linking: { isEmailVerified: true, linksByEmail: true, storedTokens: () => ({}) },
      }
    : { account: { provider: 'email', type: 'email' as const, providerAccountId: ADDRESS } }
  const readPrincipal = async () =>
    principalId === undefined ? null : { id: principalId, authenticatedAt: Date.now(), signedInHere: true }
  return resolver.resolve({ user: { id: 'new', email: ADDRESS }, ...identity }, readPrincipal).catch((error) => error)
}

/** A store whose call for a confirmation fails, and which stores the confirmation later, when a test says so. */
function lateTo(store: Required<Adapter>) {
  let land: () => unknown = () => {}
  const updateUser: Required<Adapter>['updateUser'] = (user) => {
    land = () => store.updateUser(user)
    return Promise.reject(new Error('timeout'))
  }
  return { adapter: { ...store, updateUser }, land: () => land() }
}

/** A user whose address is stored as confirmed by a link that nobody completed, with a way in that came in between. */
async function incomplete(setting: Setting = {}) {
  const made = storeWithTakenAddress()
  const { adapter, land } = lateTo(made.store)
  expect(await follow(adapter, setting)).to.be.instanceOf(Error)
  made.link('between')
  await land()
  expect([made.isConfirmed(), made.accounts()]).to.deep.equal([true, ['between']])
  return made
}

describe('ACCT-05 a confirmation that is stored late', () => {
  it('is completed before the next mailed link signs anybody in, and leaves alone what comes after', async () => {
    const { store, link, accounts, isConfirmed } = await incomplete()
    expect(await follow(store)).to.have.nested.property('user.id', ATTACKER)
    expect([isConfirmed(), accounts()]).to.deep.equal([true, []])
    link('of the owner')
    expect(await follow(store)).to.have.nested.property('user.id', ATTACKER)
    expect(accounts()).to.deep.equal(['of the owner'])
  })

  it('is completed also if that user is signed in: the session may have begun in between', async () => {
    const { store, accounts } = await incomplete()
    await follow(store, { principalId: ATTACKER })
    expect(accounts()).to.deep.equal([])
  })

  it('is completed under a newer secret', async () => {
    const { store, accounts } = await incomplete({ secrets: ['old'] })
    await follow(store, { secrets: ['new', 'old'] })
    expect(accounts()).to.deep.equal([])
  })

  it('has a marker that no deletion of expired rows deletes, and that does not say whose it is', async () => {
    const { store } = storeWithTakenAddress()
    const rows: VerificationToken[] = []
    await follow({
      ...store,
      createVerificationToken(row) {
        rows.push(row)
        return store.createVerificationToken(row)
      },
    })
    const [{ identifier, token, expires } = expect.fail('no mark')] = rows
    expect(rows.length).to.equal(1)
    expect(expires.getTime()).to.be.above(Date.now() + 9 * 365 * 24 * 60 * 60 * 1000)
    expect([identifier, token].join()).to.match(/^confirming:[0-9a-f]{64},[0-9a-f]{64}$/)
  })

  it('lets nobody in while the application refuses, and is taken back', async () => {
    const { store, isConfirmed } = await incomplete()
    const { unlinkAccount: _, ...lame } = store
    const error = await follow(lame as Adapter, { confirmEmail: () => false })
    expect(error).to.have.property('type', 'EmailNotConfirmed')
    expect(isConfirmed()).to.equal(false)
  })

  it('ends once, by two links at the same time', async () => {
    const { store, link, accounts } = await incomplete()
    const slow = Object.fromEntries(
      methodsOf(store).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
          return method(...args)
        },
      ]),
    ) as Adapter
    await Promise.all([follow(slow), follow(slow), follow(slow)])
    expect(accounts()).to.deep.equal([])
    link('of the owner')
    await follow(store)
    expect(accounts()).to.deep.equal(['of the owner'])
  })
})

describe('ACCT-05 a confirmation that a link began, completed while the user is signed in', () => {
  it('keeps the sign-in methods, now and at the next link', async () => {
    const { store, accounts } = storeWithTakenAddress()
    const { adapter } = lateTo(store)
    await follow(adapter)
    store.linkAccount({ provider: 'acme', type: 'oidc', providerAccountId: 'own', userId: ATTACKER })
    await follow(store, { principalId: ATTACKER })
    await follow(store)
    expect(accounts()).to.deep.equal(['own'])
  })
})

/** A store that gives a row only to whoever uses it up, as one made for Auth.js does. */
const withoutLooking = ({ getVerificationToken: _, ...others }: Adapter): Adapter => others

describe('ACCT-05 a confirmation whose store breaks down', () => {
  for (const isDone of [false, true]) {
    it(`at any call, ${isDone ? 'which was done' : 'which was not done'}, leaves no sign-in method to a later visitor`, async () => {
      for (let call = 1; ; call += 1) {
        const { store, link, accounts, isConfirmed } = storeWithTakenAddress()
        const { adapter, asked } = breakingAt(store, call, isDone)
        const outcome = await follow(adapter)
        if (!(outcome instanceof Error)) break
        // All is done but that the answer to the last call was lost: whoever adds something now finds the address confirmed.
        if (isDone && asked[call - 1] === 'useVerificationToken') continue
        link('between')
        await follow(store)
        expect([isConfirmed(), accounts()], `call ${call}, ${asked[call - 1]}`).to.deep.equal([true, []])
      }
    })

    for (const mayLook of [true, false]) {
      it(`while it completes a late one, ${isDone ? 'with what it was asked' : 'without'}, leaves the rest to the next link${mayLook ? '' : ', where a row can only be used up'}`, async () => {
        for (let call = 1; ; call += 1) {
          const { store, accounts, isConfirmed } = await incomplete()
          const { adapter, asked } = breakingAt(mayLook ? store : withoutLooking(store), call, isDone)
          const outcome = await follow(adapter)
          const died = asked[call - 1]
          if (!(outcome instanceof Error)) break
          // The one moment in which the marker is nowhere.
          if (!mayLook && (isDone ? died === 'useVerificationToken' : died === 'createVerificationToken')) continue
          await follow(store)
          expect([isConfirmed(), accounts()], `call ${call}, ${died}`).to.deep.equal([true, []])
        }
      })

      it(`at any call, ${isDone ? 'which was done' : 'which was not done'}, costs the owner of an address that was confirmed before nothing${mayLook ? '' : ', also where a row can only be used up'}`, async () => {
        for (let call = 1; ; call += 1) {
          const { store, link, accounts } = storeWithTakenAddress()
          await follow(store)
          link('of the owner')
          const { adapter, asked } = breakingAt(mayLook ? store : withoutLooking(store), call, isDone, 1)
          const outcome = await follow(adapter)
          await follow(store)
          expect(accounts(), `call ${call}, ${asked[call - 1]}`).to.deep.equal(['of the owner'])
          if (!(outcome instanceof Error)) break
        }
      })
    }
  }

  it('for a moment after it has used the marker still has the marker', async () => {
    const { store, accounts } = await incomplete()
    let isFirst = true
    const flaky: Adapter = {
      ...store,
      async useVerificationToken(asked) {
        const row = await store.useVerificationToken(asked)
        if (!isFirst) return row
        isFirst = false
        throw new Error('the answer was lost')
      },
    }
    expect(await follow(flaky)).to.be.instanceOf(Error)
    await follow(store)
    expect(accounts()).to.deep.equal([])
  })
})

describe('ACCT-05 a user whom the application gives another address while one is confirmed', () => {
  for (const [name, setting, isConfirmedBefore] of [
    ['by a link in another browser', {}, false],
    ['by a link where they are signed in', { principalId: ATTACKER }, false],
    ['by a link, once more', {}, true],
    ['by a provider', { isFromProvider: true }, false],
  ] as const) {
    it(`has not confirmed that one, ${name}`, async () => {
      // At each call in turn. An application that knows of a confirmation takes it back itself.
      for (let call = 1, isOver = false; !isOver; call += 1) {
        const { store, isConfirmed } = storeWithTakenAddress()
        if (isConfirmedBefore) await follow(store)
        let asked = 0
        const entries = methodsOf(store).map(([name, method]) => [
          name,
          async (...args: unknown[]) => {
            asked += 1
            if (asked === call) {
              const isKnown = isConfirmed()
              store.updateUser({ id: ATTACKER, email: 'another@example.com', ...(isKnown && { emailVerified: null }) })
            }
            return method(...args)
          },
        ])
        await follow(Object.fromEntries(entries) as Adapter, setting)
        isOver = asked < call
        expect(isConfirmed(), `call ${call}`).to.equal(isOver)
      }
    })
  }
})

describe('ACCT-05 what is told of a confirmation', () => {
  it('has what was there before, and what was added meanwhile', async () => {
    const { store } = storeWithTakenAddress()
    const updateUser: Required<Adapter>['updateUser'] = (user) => {
      const passkey = { credentialID: 'a2V5', credentialPublicKey: 'cHVibGlj', counter: 0, providerAccountId: 'a2V5' }
      store.createAuthenticator({
        ...passkey,
        credentialBackedUp: false,
        credentialDeviceType: 'singleDevice',
        userId: ATTACKER,
      })
      return store.updateUser(user)
    }
    const settled = await follow({ ...store, updateUser })
    expect(settled).to.have.deep.property('revoked', ['accounts', 'passkeys'])
  })
})

describe('ACCT-05 a confirmation with an adapter that lists and unlinks no accounts', () => {
  it('is not good with an account that came while it was stored, unless the application ends that, too', async () => {
    for (const endsAll of [true, false]) {
      const { store, link, accounts, isConfirmed } = storeWithTakenAddress()
      const { unlinkAccount: _, listAccountsByUserId: __, ...lame } = store
      let asked = 0
      const updateUser: Required<Adapter>['updateUser'] = (user) => {
        if (user.emailVerified) link('between')
        return store.updateUser(user)
      }
      const outcome = await follow({ ...lame, updateUser } as Adapter, {
        confirmEmail() {
          asked += 1
          if (!endsAll && asked > 1) return false
          for (const id of accounts()) store.unlinkAccount({ provider: 'acme', providerAccountId: id })
          return true
        },
      })
      expect(asked).to.equal(2)
      expect(outcome instanceof Error).to.equal(!endsAll)
      expect([isConfirmed(), accounts()]).to.deep.equal(endsAll ? [true, []] : [false, ['between']])
    }
  })
})
