import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { ADAPTER_METHODS } from '../../lib/adapters/adapter-methods.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { withStoreTimeout } from '../../lib/adapters/store-timeout.js'
import { isTimeout } from '../../lib/adapters/timeouts.js'
import { within } from '../../lib/awaitable.js'
import { AdapterError } from '../../lib/errors.js'
import { failureOf } from '../support/failure.js'

const never = () => new Promise<never>(() => {})
describe('withStoreTimeout()', () => {
  it('fails a call that hangs, with an error that names the method and the option', async () => {
    const error = await failureOf(withStoreTimeout({ getUser: never }, 0.05).getUser?.('ada'))
    expect(error).to.be.instanceOf(AdapterError)
    expect(isTimeout(error)).to.equal(true)
    expect(error.message).to.equal("The adapter's getUser() gave no answer within 0.05 seconds (storeTimeout).")
    expect(error.cause).to.deep.equal({ method: 'getUser', storeTimeout: 0.05 })
  })

  it('passes over what comes too late, an answer or a failure', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    for (const ends of ['resolve', 'reject'] as const) {
      const late = { resolve: (_: unknown) => {}, reject: (_: unknown) => {} }
      const getUser = () => new Promise<never>((resolve, reject) => Object.assign(late, { resolve, reject }))
      const error = await failureOf(withStoreTimeout({ getUser }, 0.01).getUser?.('ada'))
      expect(isTimeout(error)).to.equal(true)
      late[ends](new Error('late'))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', note)
    expect(unhandled).to.deep.equal([])
  })

  it('hands on at once what is there at once, and what is thrown', () => {
    const adapter = withStoreTimeout(
      {
        ...memoryAdapter(),
        getAccount() {
          throw new TypeError('broken')
        },
      },
      1,
    )
    expect(adapter.getUser?.('nobody')).to.equal(null)
    expect(() => adapter.getAccount?.('1', 'github')).to.throw(TypeError, 'broken')
  })

  it('has the methods that the adapter has, at any time', () => {
    const adapter: Adapter = { getUser: () => null }
    const limited = withStoreTimeout(adapter, 1)
    const methods = () => ADAPTER_METHODS.filter((name) => typeof limited[name] === 'function')
    expect(methods()).to.deep.equal(['getUser'])
    adapter.deleteUser = () => null
    expect(methods()).to.deep.equal(['getUser', 'deleteUser'])
    delete adapter.getUser
    expect(methods()).to.deep.equal(['deleteUser'])
    adapter.deleteUser = () => ({ id: 'replaced' }) as never
    expect(limited.deleteUser?.('ada')).to.deep.equal({ id: 'replaced' })
  })

  it('has no sign-up in one step where a step of it is the application’s own, which must be called', () => {
    const adapter: Adapter = memoryAdapter()
    expect(withStoreTimeout(adapter, 1).createUserWithAccount).to.be.a('function')
    const { createUser } = memoryAdapter()
    expect(withStoreTimeout({ ...adapter, createUser }, 1).createUserWithAccount).to.equal(undefined)
  })

  it('calls methods of a class as such', async () => {
    class Store {
      #name = 'ada'
      async getUser(id: string) {
        return { id, name: this.#name } as never
      }
    }
    expect(await withStoreTimeout(new Store(), 1).getUser?.('7')).to.deep.equal({ id: '7', name: 'ada' })
  })

  it('is one for each adapter and limit, and the adapter itself where there is none', () => {
    const adapter = memoryAdapter()
    expect(withStoreTimeout(adapter, 5)).to.equal(withStoreTimeout(adapter, 5))
    expect(withStoreTimeout(adapter, 5)).not.to.equal(withStoreTimeout(adapter, 6))
    expect(withStoreTimeout(adapter, Number.POSITIVE_INFINITY)).to.equal(adapter)
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
