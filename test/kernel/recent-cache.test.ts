import { expect } from 'chai'
import { createRecentCache } from '../../lib/kernel/recent-cache.js'

describe('a cache of recent values', () => {
  it('never has more values than its size, among a million', () => {
    const cache = createRecentCache<string, number>(1000)
    for (let key = 0; key < 1_000_000; key += 1) cache.set(`key ${key}`, key)
    let kept = 0
    for (let key = 0; key < 1_000_000; key += 1) if (cache.get(`key ${key}`) !== undefined) kept += 1
    expect(kept).to.be.within(500, 1000)
  })

  it('keeps a value that is read again and again, and keeps nothing if its size is 0', () => {
    const cache = createRecentCache<string, string>(10)
    cache.set('hot', 'kept')
    for (let key = 0; key < 100; key += 1) {
      cache.set(`key ${key}`, 'other')
      expect(cache.get('hot')).to.equal('kept')
    }
    const off = createRecentCache<string, string>(0)
    off.set('any', 'value')
    expect(off.get('any')).to.equal(undefined)
  })
})

describe('a cache of recent values that is limited by bytes', () => {
  it('never has more bytes than its limit, however large the values are', () => {
    let kept = 0
    const cache = createRecentCache<number, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    for (let key = 0; key < 5000; key += 1) cache.set(key, 'x'.repeat(1 + ((key * 7919) % 20_000)))
    for (let key = 0; key < 5000; key += 1) kept += cache.get(key)?.length ?? 0
    expect(kept).to.be.within(30_000, 100_000)
  })

  it('keeps a small value that is read again and again, while large ones come and go', () => {
    const cache = createRecentCache<string, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    cache.set('hot', 'small')
    for (let key = 0; key < 100; key += 1) {
      cache.set(`large ${key}`, 'x'.repeat(30_000))
      expect(cache.get('hot')).to.equal('small')
    }
  })

  it('does not take a value that would fill it alone', () => {
    const cache = createRecentCache<string, string>(1000, { bytes: 100_000, sizeOf: (text) => text.length })
    cache.set('hot', 'small')
    cache.set('huge', 'x'.repeat(60_000))
    expect([cache.get('huge'), cache.get('hot')]).to.deep.equal([undefined, 'small'])
  })
})
