import { expect } from 'chai'
import { createKeyedLock } from '../../lib/users/keyed-lock.js'

describe('the lock of an account', () => {
  it('tells the work whether it had to wait, so that it looks again at what was looked up before', async () => {
    const withKey = createKeyedLock('account', 5000)
    const waited = (key: string) => withKey(key, async (hasWaited) => hasWaited)
    expect(await Promise.all([waited('ada'), waited('ada'), waited('eve')])).to.deep.equal([false, true, false])
    await new Promise((resolve) => setImmediate(resolve))
    expect(await waited('ada')).to.equal(false)
  })

  it('keeps no result of work that has ended, as long as somebody waits', async () => {
    const withKey = createKeyedLock('account', 5000)
    const results: WeakRef<object>[] = []
    const once = () =>
      withKey('ada', async () => {
        const result = { rows: new Array(1000).fill(0) }
        results.push(new WeakRef(result))
        await new Promise((resolve) => setImmediate(resolve))
        return result
      }).then(() => undefined)
    const { setFlagsFromString } = await import('node:v8')
    const { runInNewContext } = await import('node:vm')
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    let last = once()
    for (let n = 0; n < 20; n += 1) {
      const next = once()
      await last
      last = next
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
    collect()
    const kept = results.filter((result) => result.deref() !== undefined)
    expect(kept.length).to.be.lessThan(5)
    await last
  })
})
