import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { openStore } from '../../lib/adapters/gateway.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { markOwn } from '../../lib/adapters/methods.js'
import { AdapterError } from '../../lib/kernel/errors.js'

const ADA = { id: 'ada', email: 'ada@example.com', emailVerified: null }
const ACCOUNT = { userId: 'ada', type: 'oidc', provider: 'acme', providerAccountId: 'AbC' } as const
const PASSKEY = {
  credentialID: 'AbC=',
  userId: 'ada',
  providerAccountId: 'AbC=',
  credentialPublicKey: 'key',
  counter: 0,
  credentialBackedUp: false,
  credentialDeviceType: 'singleDevice',
}
const EXPIRES = new Date('2031-01-01')
const SESSION = { sessionToken: 'sha256:ab', userId: 'ada', expires: EXPIRES }
const RECORD = { kind: 'kind', key: 'key', owner: 'ada', value: '', expires: null, version: 1 }
const FOREIGN_RECORDS = [{ ...RECORD, key: 'KEY' }, { ...RECORD, kind: 'kínd' }, { ...RECORD, key: 'key ' }, {}, 'key']
const TOKEN = { identifier: 'ada@example.com', token: 'ab12', expires: EXPIRES }

/** The calls over an adapter that gives what a test chooses, whatever is asked. */
function callsOver(adapter: Adapter) {
  const warnings: unknown[] = []
  const logger = { warn: (code: string, metadata: unknown) => void warnings.push([code, metadata]) }
  return { calls: openStore(adapter, { timeout: 5, logger }), warnings }
}

/** Each look-up: what is asked, the row that is asked for, and rows that a careless store takes for it. */
const LOOK_UPS: Readonly<
  Partial<Record<keyof Adapter, { asked: readonly unknown[]; row: object; foreign: readonly unknown[] }>>
> = {
  getUser: {
    asked: ['ada'],
    row: ADA,
    foreign: [
      { ...ADA, id: 'ADA' },
      { ...ADA, id: 'ada ' },
      { ...ADA, id: 'àda' },
      { email: ADA.email },
      {},
      'ada',
      true,
    ],
  },
  getUserByEmail: {
    asked: ['ada@example.com'],
    row: ADA,
    foreign: ['ada@exámple.com', 'adà@example.com', 'ada@example.comm', '', null, undefined, 7].map((email) => ({
      ...ADA,
      email,
    })),
  },
  getRecord: { asked: ['kind', 'key'], row: RECORD, foreign: FOREIGN_RECORDS },
  deleteRecord: { asked: ['kind', 'key'], row: RECORD, foreign: FOREIGN_RECORDS },
  getAccount: {
    asked: ['AbC', 'acme'],
    row: ACCOUNT,
    foreign: [
      { ...ACCOUNT, providerAccountId: 'abc' },
      { ...ACCOUNT, providerAccountId: 'AbC ' },
      { ...ACCOUNT, provider: 'ACME' },
      { ...ACCOUNT, provider: undefined },
    ],
  },
  getSession: {
    asked: ['sha256:ab'],
    row: SESSION,
    foreign: [
      { ...SESSION, sessionToken: 'SHA256:ab' },
      { ...SESSION, sessionToken: 'sha256:AB' },
    ],
  },
  getSessionAndUser: {
    asked: ['sha256:ab'],
    row: { session: SESSION, user: ADA },
    foreign: [
      { session: { ...SESSION, sessionToken: 'sha256:ÁB' }, user: ADA },
      { session: SESSION, user: { ...ADA, id: 'mallory' } },
      { session: { ...SESSION, userId: 'ADA' }, user: ADA },
    ],
  },
  useVerificationToken: {
    asked: [{ identifier: 'ada@example.com', token: 'ab12' }],
    row: TOKEN,
    foreign: [
      { ...TOKEN, identifier: 'ada@exámple.com' },
      { ...TOKEN, identifier: 'ADA@example.com' },
      { ...TOKEN, token: 'AB12' },
      { ...TOKEN, token: undefined },
      { expires: EXPIRES },
    ],
  },
  getAuthenticator: { asked: ['AbC='], row: PASSKEY, foreign: [{ ...PASSKEY, credentialID: 'aBc=' }] },
}

describe('what an adapter gives', () => {
  for (const [name, { asked, row, foreign }] of Object.entries(LOOK_UPS)) {
    const call = (answer: unknown, isLate = false) => {
      const { calls, warnings } = callsOver({ [name]: () => (isLate ? Promise.resolve(answer) : answer) })
      const work = calls[name as 'getUser'] as (...asked: readonly unknown[]) => unknown
      return { outcome: work(...asked), warnings }
    }

    it(`counts as none where ${name}() finds another's row, and that is logged`, async () => {
      for (const answer of foreign) {
        for (const isLate of [false, true]) {
          const { outcome, warnings } = call(answer, isLate)
          expect(await outcome, JSON.stringify(answer)).to.equal(null)
          expect(warnings).to.deep.equal([['inexact-adapter', { method: name }]])
        }
      }
    })

    it(`is handed on as it is where ${name}() finds what was asked for, at once where it is there at once`, async () => {
      const { outcome, warnings } = call(row)
      expect(outcome).to.equal(row)
      expect(await call(row, true).outcome).to.equal(row)
      for (const nothing of [null, undefined]) expect(await call(nothing).outcome).to.equal(nothing)
      expect(warnings).to.deep.equal([])
    })
  }

  it('is found by an address in the letters that the application wrote it in', async () => {
    for (const email of ['Ada@Example.com', ' ada@example.com', 'ADA@EXAMPLE.COM ', 'ａda@example.com']) {
      const user = { ...ADA, email }
      expect(await callsOver({ getUserByEmail: () => user }).calls.getUserByEmail('ada@example.com'), email).to.equal(
        user,
      )
    }
    // An identifier of the application's own, which it tells apart by case.
    const lower = callsOver({ getUserByEmail: () => ({ ...ADA, email: 'ada' }) })
    expect(await lower.calls.getUserByEmail('Ada')).to.equal(null)
  })

  it('may have numbers for keys, and is asked with texts', async () => {
    const numbered = { ...ADA, id: 7 as unknown as string }
    expect(await callsOver({ getUser: () => numbered }).calls.getUser('7')).to.equal(numbered)
    expect(await callsOver({ getUser: () => numbered }).calls.getUser('07')).to.equal(null)
    expect(await callsOver({ getUser: () => numbered }).calls.getUser('7 apples')).to.equal(null)
  })

  it('leaves others out of the lists of a user', async () => {
    const others = [{ ...PASSKEY, userId: 'ADA' }, { ...PASSKEY, userId: undefined }, null]
    const { calls, warnings } = callsOver({
      listAuthenticatorsByUserId: () => [PASSKEY, ...others] as never,
      listAccountsByUserId: () => [{ ...ACCOUNT, userId: 'mallory' }, ACCOUNT],
      listRecordsByOwner: () => [{ ...RECORD, owner: 'mallory' }, RECORD, { ...RECORD, kind: 'kinds' }],
    })
    expect(await calls.listAuthenticatorsByUserId('ada')).to.deep.equal([PASSKEY])
    expect(await calls.listAccountsByUserId('ada')).to.deep.equal([ACCOUNT])
    expect(await calls.listRecordsByOwner('kind', 'ada')).to.deep.equal([RECORD])
    expect(warnings).to.have.lengthOf(3)
  })

  it('fails where a change gives the row of somebody else', async () => {
    const mallory = { ...ADA, id: 'mallory', email: 'mallory@example.com' }
    const { calls } = callsOver({
      createUser: () => mallory,
      createUserWithAccount: () => mallory,
      updateUser: () => mallory,
      updateAuthenticatorCounter: () => ({ ...PASSKEY, credentialID: 'abc=' }),
      updateAuthenticator: () => ({ ...PASSKEY, credentialID: 'abc=' }),
    })
    const changes: Readonly<Record<string, () => unknown>> = {
      createUser: () => calls.createUser(ADA),
      createUserWithAccount: () => calls.createUserWithAccount({ user: ADA, account: ACCOUNT }),
      updateUser: () => calls.updateUser({ id: 'ada' }),
      updateAuthenticatorCounter: () => calls.updateAuthenticatorCounter('AbC=', 1),
      updateAuthenticator: () => calls.updateAuthenticator('AbC=', {}),
    }
    for (const [name, call] of Object.entries(changes)) {
      const failure = await Promise.resolve()
        .then(call)
        .catch((error) => error)
      expect(failure, name).to.be.instanceOf(AdapterError)
      expect((failure as Error).message).to.equal(`The adapter's ${name}() gave a row that it was not asked for.`)
    }
  })

  it('is logged once for each method, however often a configuration is made with the adapter', async () => {
    const adapter: Adapter = { getUser: () => ({ ...ADA, id: 'ADA' }), getUserByEmail: () => ({ ...ADA, email: 'x' }) }
    const logged: unknown[] = []
    for (let count = 0; count < 3; count++) {
      const { calls, warnings } = callsOver(adapter)
      await calls.getUser('ada')
      await calls.getUserByEmail('ada@example.com')
      logged.push(...warnings)
    }
    expect(logged).to.deep.equal([
      ['inexact-adapter', { method: 'getUser' }],
      ['inexact-adapter', { method: 'getUserByEmail' }],
    ])
  })

  describe('the user of an account', () => {
    const key = { provider: 'acme', providerAccountId: 'AbC' }
    const owner = (getAccount?: Adapter['getAccount']) =>
      callsOver({ getUserByAccount: () => ADA, ...(getAccount && { getAccount }) }).calls.getUserByAccount(key)

    it('counts where the account itself is found and is theirs', async () => {
      expect(await owner(() => ACCOUNT)).to.equal(ADA)
      expect(await owner(async () => ACCOUNT)).to.equal(ADA)
    })

    it('counts where the account leaves out what only passkeys needed, but its id', async () => {
      expect(await owner(() => ({ providerAccountId: 'AbC', providerId: 'acme' }) as never)).to.equal(ADA)
      for (const account of [{}, { provider: 'acme', userId: 'ada' }, { providerAccountId: null }, 'AbC', true]) {
        expect(await owner(() => account as never), JSON.stringify(account)).to.equal(null)
      }
    })

    it('counts as none where the account is another one, or of another, or not there', async () => {
      for (const account of [
        { ...ACCOUNT, providerAccountId: 'abc' },
        { ...ACCOUNT, provider: 'Acme' },
        { ...ACCOUNT, userId: 'mallory' },
        null,
        undefined as never,
      ]) {
        expect(await owner(() => account)).to.equal(null)
        expect(await owner(async () => account)).to.equal(null)
      }
    })

    it('is no less in doubt where the account cannot be looked up', async () => {
      const failure = await Promise.resolve(owner(() => Promise.reject(new Error('down')))).catch((error) => error)
      expect(failure).to.be.instanceOf(AdapterError)
    })

    it('is believed of an adapter that cannot look accounts up', async () => {
      expect(await owner()).to.equal(ADA)
    })
  })

  it('costs the stores of this package no look-up more for an account, and nobody their sign-in', async () => {
    const memory = memoryAdapter()
    const getAccount = () => expect.fail('getAccount() was called')
    await memory.createUser(ADA as AdapterUser)
    await memory.linkAccount(ACCOUNT)
    const { calls, warnings } = callsOver(markOwn({ ...memory, getAccount }))
    expect(await calls.getUserByAccount({ provider: 'acme', providerAccountId: 'AbC' })).to.deep.equal(ADA)
    expect(await calls.getUserByAccount({ provider: 'acme', providerAccountId: 'abc' })).to.equal(null)
    expect(warnings).to.deep.equal([])
  })

  it('asks an application that hides accounts by a getAccount of its own', async () => {
    const memory = memoryAdapter()
    await memory.createUser(ADA as AdapterUser)
    await memory.linkAccount(ACCOUNT)
    const { calls } = callsOver({ ...memory, getAccount: () => null })
    expect(await calls.getUserByAccount({ provider: 'acme', providerAccountId: 'AbC' })).to.equal(null)
  })
})
