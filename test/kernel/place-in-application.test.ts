import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { placeInApplication } from '../../lib/kernel/logger.js'

describe('placeInApplication', () => {
  it('names the file and line that called', () => {
    expect(placeInApplication()).to.match(/place-in-application\.test\.ts:\d+:\d+$/)
  })

  it('names nothing if only modules of Node are on the stack', async () => {
    const storage = new AsyncLocalStorage()
    const found = Promise.resolve().then(storage.run.bind(storage, null, placeInApplication))
    // A promise that is awaited has the line of the `await` on its stack.
    await setImmediate()
    expect(await found).to.equal(null)
  })
})
