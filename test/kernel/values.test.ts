import { expect } from 'chai'
import fc from 'fast-check'
import { equalInConstantTime, sha256Base64url, sha256Hex } from '../../lib/kernel/digest.js'
import { createOneTimeLedger } from '../../lib/kernel/one-time.js'
import { randomBytes, randomHex, randomId, randomToken } from '../../lib/kernel/random.js'
import { Clock } from '../support/test-app.js'

describe('digests', () => {
  it('are SHA-256 (FIPS 180-4, "abc")', () => {
    expect(sha256Hex('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(sha256Base64url('abc')).to.equal('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  })

  it('compare as === does', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(equalInConstantTime(left, right)).to.equal(left === right)
        expect(equalInConstantTime(left, left)).to.equal(true)
      }),
    )
  })
})

describe('random values', () => {
  it('have the length and letters they promise, and never repeat', () => {
    const many = Array.from({ length: 500 }, () => [randomToken(), randomHex(), randomId()])
    for (const [token, hex, id] of many) {
      expect(token).to.match(/^[\w-]{43}$/)
      expect(hex).to.match(/^[0-9a-f]{64}$/)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(many.flat()).size).to.equal(1500)
  })

  it('are new bytes each time, however many are asked for', () => {
    const taken = Array.from({ length: 1000 }, (_, call) => randomBytes(16 + (call % 97)))
    const large = randomBytes(10_000)
    const beginnings = [...taken, large, large.subarray(5000)].map((bytes) => bytes.toString('hex', 0, 16))
    expect(new Set(beginnings).size).to.equal(1002)
    expect(taken.map(({ length }) => length).slice(0, 3)).to.deep.equal([16, 17, 18])
    expect(beginnings).to.not.include('0'.repeat(32))
  })
})

describe('a one-time ledger', () => {
  it('lets a value be consumed once', () => {
    const clock = new Clock()
    const ledger = createOneTimeLedger(clock.now)
    expect(ledger.has('a', clock.ms + 1000)).to.equal(false)
    expect([ledger.consume('a', clock.ms + 1000), ledger.consume('a', clock.ms + 1000)]).to.deep.equal([true, false])
    expect(ledger.has('a', clock.ms + 1000)).to.equal(true)
    expect(ledger.consume('b', clock.ms + 1000)).to.equal(true)
  })

  it('forgets a value when it has expired by both clocks, and not before', () => {
    const clock = new Clock()
    let machine = 5
    const ledger = createOneTimeLedger(clock.now, 100, () => machine)
    ledger.consume('a', clock.ms + 1000)
    clock.ms += 1000
    machine += 999
    expect(ledger.consume('a', clock.ms + 5000)).to.equal(false)
    machine += 1
    clock.ms -= 1
    expect(ledger.has('a', clock.ms + 1000)).to.equal(true)
    clock.ms += 1
    expect(ledger.has('a', clock.ms + 1000)).to.equal(false)
    expect(ledger.consume('a', clock.ms + 1000)).to.equal(true)
    expect(ledger.size).to.equal(1)
  })

  it('forgets nothing because the clock goes forward and back', () => {
    const clock = new Clock()
    const ledger = createOneTimeLedger(clock.now)
    ledger.consume('a', clock.ms + 900_000)
    clock.advance(1800)
    for (const id of ['b', 'c', 'd']) ledger.consume(id, clock.ms + 900_000)
    ledger.shrinkTo(100)
    clock.advance(-1770)
    expect(ledger.consume('a', clock.ms + 900_000)).to.equal(false)
  })

  it('keeps no more values than its capacity: the oldest are deleted first', () => {
    const clock = new Clock()
    const ledger = createOneTimeLedger(clock.now, 3)
    for (const id of ['a', 'b', 'c', 'd']) ledger.consume(id, clock.ms + 1000)
    expect(['a', 'b', 'c', 'd'].map((id) => ledger.has(id, clock.ms + 1001))).to.deep.equal([false, true, true, true])
  })
})
