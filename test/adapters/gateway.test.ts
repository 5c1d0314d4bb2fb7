import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { isTimeout, isUnwantedError } from '../../lib/adapters/failures.js'
import { openStore } from '../../lib/adapters/gateway.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { ADAPTER_METHODS } from '../../lib/adapters/methods.js'
import { migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { within } from '../../lib/kernel/awaitable.js'
import { AdapterError } from '../../lib/kernel/errors.js'
import { failureOf } from '../support/failure.js'
import { sqlite, type TestDatabase } from './sql/databases.js'

const never = () => new Promise<never>(() => {})
const open = (adapter: Adapter, timeout = 1) => openStore(adapter, { timeout, logger: { warn() {} } })

describe('the answer of an adapter', () => {
  const answerTo = (value: unknown) => open({ getTokenSession: () => value as never }).getTokenSession('1')

  it('becomes a native promise when it is the promise of another library', async () => {
    const row = { id: '1' }
    // biome-ignore lint/suspicious/noThenProperty: an object with this member is the promise of another library
    const promise: PromiseLike<unknown> = { then: (done, failed) => Promise.resolve(row).then(done, failed) }
    const answer = answerTo(promise)
    expect(answer).to.be.instanceOf(Promise)
    expect(await answer).to.equal(row)
  })

  it('stays without a promise when it is none, whatever a row has as `then`', () => {
    // biome-ignore lint/suspicious/noThenProperty: a column may have any name
    for (const value of [null, undefined, { id: '1' }, { id: '1', then: 'soon' }]) {
      expect(answerTo(value)).to.equal(value)
    }
  })
})

describe('a call of an adapter', () => {
  it('fails when it hangs, with an error that names the method and the option', async () => {
    const error = await failureOf(open({ getUser: never }, 0.05).getUser('ada'))
    expect(error).to.be.instanceOf(AdapterError)
    expect(error.message).to.equal("The adapter's getUser() gave no answer within 0.05 seconds (storeTimeout).")
    expect(error.cause).to.deep.equal({ method: 'getUser', storeTimeout: 0.05 })
  })

  it('fails when the look-up of the account hangs that it makes for an adapter of others', async () => {
    const user = { id: 'ada', email: 'ada@example.com', emailVerified: null }
    const store = open({ getUserByAccount: () => user, getAccount: never }, 0.05)
    const error = await failureOf(store.getUserByAccount({ provider: 'acme', providerAccountId: '1' }))
    expect(isTimeout(error)).to.equal(true)
  })

  it('passes over what comes too late, an answer or a failure', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    for (const ends of ['resolve', 'reject'] as const) {
      const late = { resolve: (_: unknown) => {}, reject: (_: unknown) => {} }
      const getUser = () => new Promise<never>((resolve, reject) => Object.assign(late, { resolve, reject }))
      expect(isTimeout(await failureOf(open({ getUser }, 0.01).getUser('ada')))).to.equal(true)
      late[ends](new Error('late'))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(unhandled).to.deep.equal([])
  })

  it('always fails with a promise and an AdapterError, whatever is thrown, and where the method is missing', async () => {
    const broken = () => {
      throw new TypeError('broken')
    }
    const failures = [
      failureOf(open({ getAccount: broken }).getAccount('1', 'github')),
      failureOf(open({ getAccount: async () => broken() }).getAccount('1', 'github')),
      failureOf(open({}).getAccount('1', 'github')),
    ]
    const messages = (await Promise.all(failures)).map((error) => {
      expect(error).to.be.instanceOf(AdapterError)
      return error.message
    })
    const failed = "The adapter's getAccount() failed."
    expect(messages).to.deep.equal([failed, failed, 'The adapter has no getAccount().'])
  })

  it('calls the method that the adapter has at that moment', async () => {
    const adapter: Adapter = { getUser: () => null }
    const store = open(adapter)
    const methods = () => ADAPTER_METHODS.filter((name) => store.has(name))
    expect(methods()).to.deep.equal(['getUser'])
    adapter.deleteUser = () => null
    expect(methods()).to.deep.equal(['getUser', 'deleteUser'])
    delete adapter.getUser
    expect(methods()).to.deep.equal(['deleteUser'])
    adapter.deleteUser = () => ({ id: 'replaced' }) as never
    expect(store.deleteUser('ada')).to.deep.equal({ id: 'replaced' })
  })

  it('is no sign-up in one step where a step of it is the application’s own, which must be called', async () => {
    const adapter: Adapter = memoryAdapter()
    expect(open(adapter).has('createUserWithAccount')).to.equal(true)
    const { createUser } = memoryAdapter()
    const replaced = open({ ...adapter, createUser })
    expect(replaced.has('createUserWithAccount')).to.equal(false)
    const error = await failureOf(replaced.createUserWithAccount({} as never))
    expect(error.message).to.equal('The adapter has no createUserWithAccount().')
    adapter.linkAccount = () => null
    expect(open(adapter).has('createUserWithAccount')).to.equal(false)
  })

  it('calls methods of a class as such', async () => {
    class Store {
      #name = 'ada'
      async getUser(id: string) {
        return { id, name: this.#name } as never
      }
    }
    expect(await open(new Store()).getUser('7')).to.deep.equal({ id: '7', name: 'ada' })
  })
})

const LOOK_UPS = ['getSession', 'getSessionAndUser'] as const
const unwanted = { isWanted: () => false }
const session = { sessionToken: 'token', userId: 'ada', expires: new Date(Date.now() + 60_000) }
const user = { id: 'ada', name: 'Ada', email: 'ada@example.com', emailVerified: null, image: null }

describe('the options of a look-up', () => {
  let database: TestDatabase
  let adapter: ReturnType<typeof sqlAdapter>
  before(async () => {
    database = await sqlite.create()
    await migrateToLatest(database.connection)
    adapter = sqlAdapter(database.connection)
    await adapter.createUser(user)
    await adapter.createSession(session)
  })
  after(async () => {
    await adapter.close()
    await database.drop()
  })

  const forms: readonly (readonly [string, () => Adapter])[] = [
    ['an adapter of this package', () => adapter],
    ['a copy of one', () => ({ ...adapter })],
    ['several adapters combined', () => combineAdapters({ sessions: adapter, rest: adapter })],
    ['several adapters combined, with sessions in the main one', () => combineAdapters({ rest: adapter })],
  ]
  for (const [what, make] of forms) {
    it(`reach ${what}: a look-up that nobody waits for is not made`, async () => {
      const calls = open(make())
      for (const name of LOOK_UPS) {
        const failure = await Promise.resolve(calls[name]('token', unwanted)).catch((error: unknown) => error)
        expect(isUnwantedError(failure), name).to.equal(true)
        expect(await calls[name]('token', { isWanted: () => true }), name).to.be.an('object')
        expect(await calls[name]('token'), name).to.be.an('object')
      }
    })
  }

  it('do not reach adapters of others, which expect the arguments of the contract alone', async () => {
    const received: unknown[][] = []
    const record = (...args: unknown[]) => {
      received.push(args)
      return null
    }
    const calls = open({ ...memoryAdapter(), getSession: record, getSessionAndUser: record })
    for (const name of LOOK_UPS) await calls[name]('token', unwanted)
    expect(received).to.deep.equal([['token'], ['token']])
  })
})

describe('within()', () => {
  it('gives an answer that came while the process was busy', async () => {
    const { port, close } = await silence()
    const answer = within(
      fetch(`http://127.0.0.1:${port}`).then(({ status }) => status),
      100,
      () => new Error('late'),
    )
    await new Promise((resolve) => setTimeout(resolve, 40))
    const until = performance.now() + 200
    while (performance.now() < until);
    expect(await answer).to.equal(204)
    await close()
  })

  it('waits for longer than a timer of Node can', async () => {
    const soon = new Promise((resolve) => setTimeout(() => resolve('there'), 20))
    expect(await within(soon, 2 ** 40, () => new Error('late'))).to.equal('there')
  })
})

/** A server that answers while the process that asks it is busy. */
async function silence() {
  const { spawn } = await import('node:child_process')
  const code = `require('node:http').createServer((_q, s) => setTimeout(() => s.writeHead(204).end(), 100))
    .listen(0, function () { console.log(this.address().port) })`
  const server = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve) => server.stdout.once('data', (text) => resolve(Number(text))))
  return {
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.once('exit', () => resolve())
        server.kill()
      }),
  }
}
