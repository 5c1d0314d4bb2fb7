import { expect } from 'chai'
import { isTimeout, isUnwantedError } from '../../lib/adapters/failures.js'
import { copyOf } from '../../lib/kernel/objects.js'
import { shareLookups } from '../../lib/sessions/lookups.js'
import { createSessionRows, type SessionRowsSettings } from '../../lib/sessions/session-rows.js'
import { createLog } from '../support/app.js'
import { failureOf } from '../support/failure.js'

/** A store whose answers come when they are let go, and that notes what it was asked. */
function slowStore<T>(answerOf: (key: string) => T) {
  const asked: string[] = []
  const open: (() => void)[] = []
  return {
    asked,
    lookUp: (key: string) => {
      asked.push(key)
      return new Promise<T>((resolve, reject) => {
        open.push(() => {
          try {
            resolve(answerOf(key))
          } catch (error) {
            reject(error as Error)
          }
        })
      })
    },
    /** Lets the oldest answer go, and whoever waits for it go on. */
    async answer() {
      open.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

const client = () => new AbortController()
/** As {@link shareLookups}. Some tests leave a look-up without an answer, and its failure comes when they are over. */
const sharing: typeof shareLookups = (lookUp, waitMs) => {
  const find = shareLookups(lookUp, waitMs)
  return (key, client) => {
    const found = find(key, client)
    if (found instanceof Promise) found.catch(() => {})
    return found
  }
}

describe('look-ups of one session by many requests', () => {
  it('run one at a time, and the next one is for all who came meanwhile', async () => {
    let version = 0
    const store = slowStore(() => ({ version: ++version }))
    const find = sharing(store.lookUp, 10_000)
    const first = find('a', undefined)
    const others = Array.from({ length: 60 }, () => find('a', undefined))
    expect(store.asked).to.deep.equal(['a'])
    await store.answer()
    expect(await first).to.deep.equal({ version: 1 })
    expect(store.asked).to.deep.equal(['a', 'a'])
    const later = find('a', undefined)
    await store.answer()
    expect((await Promise.all(others)).every((found) => found.version === 2)).to.equal(true)
    expect(store.asked).to.have.length(3)
    await store.answer()
    expect(await later).to.deep.equal({ version: 3 })
    void find('a', undefined)
    expect(store.asked).to.have.length(4)
  })

  it('SESS-14: never give what was read before a request came', async () => {
    let row: object | null = { session: 1 }
    const store = slowStore(() => row)
    const readAtOnce = (key: string) => {
      const found = row
      return store.lookUp(key).then(() => found)
    }
    const find = sharing(readAtOnce, 10_000)
    const before = find('a', undefined)
    row = null
    const after = find('a', undefined)
    await store.answer()
    await store.answer()
    expect(await before).to.deep.equal({ session: 1 })
    expect(await after).to.equal(null)
  })

  it('of different sessions do not wait for each other', () => {
    const store = slowStore(() => null)
    const find = sharing(store.lookUp, 10_000)
    for (const key of ['a', 'b', 'c', 'a']) void find(key, undefined)
    expect(store.asked).to.deep.equal(['a', 'b', 'c'])
  })

  it('give each request rows of its own', async () => {
    const store = slowStore(() => ({ user: { roles: ['reader'], since: new Date(7) } }))
    const find = sharing(store.lookUp, 10_000)
    void find('a', undefined)
    const both = [find('a', undefined), find('a', undefined)]
    await store.answer()
    await store.answer()
    const [one, other] = await Promise.all(both)
    one?.user.roles.push('admin')
    one?.user.since.setTime(0)
    expect(other).to.deep.equal({ user: { roles: ['reader'], since: new Date(7) } })
  })

  it('that give rows which cannot be copied are made by each request', async () => {
    class Row {
      #secret = 1
      get twice() {
        return this.#secret * 2
      }
    }
    const store = slowStore(() => ({ user: new Row() }))
    const find = sharing(store.lookUp, 10_000)
    void find('a', undefined)
    const both = [find('a', undefined), find('a', undefined)]
    for (let answers = 0; answers < 3; answers += 1) await store.answer()
    const [one, other] = await Promise.all(both)
    expect(one?.user).not.to.equal(other?.user)
    expect([one?.user.twice, other?.user.twice]).to.deep.equal([2, 2])
  })

  it('fail for all who waited for the one that failed, and the next one begins anew', async () => {
    const outcomes: (() => unknown)[] = [
      () => {
        throw new Error('down')
      },
      () => {
        throw new Error('still down')
      },
      () => 'up',
    ]
    const store = slowStore(() => outcomes.shift()?.())
    const find = sharing(store.lookUp, 10_000)
    const first = failureOf(find('a', undefined))
    const both = [failureOf(find('a', undefined)), failureOf(find('a', undefined))]
    await store.answer()
    const later = find('a', undefined)
    await store.answer()
    await store.answer()
    expect((await first).message).to.equal('down')
    expect((await Promise.all(both)).map(({ message }) => message)).to.deep.equal(['still down', 'still down'])
    expect(await later).to.equal('up')
  })

  it('fail in time for requests that wait behind a look-up that hangs, and are not made when nobody waits', async () => {
    const store = slowStore(() => null)
    const find = sharing(store.lookUp, 50)
    void find('a', undefined)
    const errors = await Promise.all(Array.from({ length: 60 }, () => failureOf(find('a', undefined))))
    expect(errors[0]?.message).to.equal(
      "The adapter's getSessionAndUser() gave no answer within 0.05 seconds (storeTimeout).",
    )
    await store.answer()
    expect(store.asked).to.deep.equal(['a'])
    void find('a', undefined)
    expect(store.asked).to.deep.equal(['a', 'a'])
  })

  it('take no longer than the limit for the first request, and ask nothing after it', async () => {
    const asked: string[] = []
    const rows = createSessionRows({
      store: {
        getSessionAndUser: async (token: string) => {
          asked.push(token)
          await new Promise((resolve) => setTimeout(resolve, 40))
          return null
        },
        has: () => true,
      } as unknown as SessionRowsSettings['store'],
      instance: undefined,
      logger: createLog().logger as SessionRowsSettings['logger'],
    })
    const find = sharing(rows.find, 60)
    // The first of all, and one of those that come when it is known that the store answers later.
    for (const key of ['first', 'second']) {
      asked.length = 0
      expect(isTimeout(await failureOf(find(key, undefined)))).to.equal(true)
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(asked).to.have.length(2)
    }
  })

  it('are not made when all who wait have left', async () => {
    const store = slowStore(() => null)
    const find = sharing(store.lookUp, 10_000)
    void find('a', undefined)
    const leaver = client()
    const left = failureOf(find('a', leaver.signal))
    leaver.abort()
    await store.answer()
    expect(isUnwantedError(await left)).to.equal(true)
    expect(store.asked).to.deep.equal(['a'])
    expect(isUnwantedError(await failureOf(find('a', leaver.signal)))).to.equal(true)
    expect(store.asked).to.deep.equal(['a'])
  })

  it('are made while one of them is there', async () => {
    const store = slowStore(() => 'found')
    const find = sharing(store.lookUp, 10_000)
    void find('a', undefined)
    const leaver = client()
    const both = [find('a', leaver.signal), find('a', client().signal)]
    leaver.abort()
    await store.answer()
    await store.answer()
    expect(await Promise.all(both)).to.deep.equal(['found', 'found'])
  })

  it('of a store that answers at once are made at once, by everybody', () => {
    let count = 0
    const find = sharing(() => (count += 1), 10_000)
    expect([find('a', undefined), find('a', undefined)]).to.deep.equal([1, 2])
  })
})

describe('copyOf()', () => {
  it('copies plain data, whatever its members are called', () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"list":[{"a":null}],"text":"x"}')
    const copy = copyOf({ ...value, when: new Date(5), nothing: undefined }) as Record<string, unknown>
    expect(copy).to.deep.equal({ ...value, when: new Date(5), nothing: undefined })
    expect((copy as { admin?: unknown }).admin).to.equal(undefined)
    expect(copyOf(value)).to.deep.equal(value)
  })

  it('gives nothing for what is no plain data', () => {
    for (const value of [
      new Map(),
      { a: () => 1 },
      { b: Buffer.from('x') },
      [new (class Row {})()],
      {
        get c() {
          return 1
        },
      },
    ]) {
      expect(copyOf(value)).to.equal(undefined)
    }
  })
})
