import { expect } from 'chai'
import { type Bounded, createSecretMemory } from '../../lib/kernel/memory-by-secret.js'
import { createOneTimeLedger, sharedLedger } from '../../lib/kernel/one-time.js'
import { processClock } from '../../lib/sessions/lifetime.js'
import { Clock } from '../support/test-app.js'

const LATER = 60_000

describe('one-time values of a secret', () => {
  it('are used for every process with the secret, and for no other', () => {
    const clock = new Clock()
    const [one, other] = [0, 1].map(() => sharedLedger(['secret'], 'transaction', clock.now))
    expect(one?.consume('a', clock.ms + LATER)).to.equal(true)
    expect(other?.has('a', clock.ms + LATER)).to.equal(true)
    expect(other?.consume('a', clock.ms + LATER)).to.equal(false)
    expect(sharedLedger(['another'], 'transaction', clock.now).has('a', clock.ms + LATER)).to.equal(false)
    expect(sharedLedger(['secret'], 'challenge', clock.now).has('a', clock.ms + LATER), 'another purpose').to.equal(
      false,
    )
    expect(
      sharedLedger(['secret'], 'transaction', () => clock.ms).has('a', clock.ms + LATER),
      'another clock',
    ).to.equal(false)
  })

  it('stay used up while the secret rotates', () => {
    const clock = new Clock()
    sharedLedger(['old'], 'transaction', clock.now).consume('a', clock.ms + LATER)
    const rotating = sharedLedger(['new', 'old'], 'transaction', clock.now)
    expect([rotating.has('a', clock.ms + LATER), rotating.consume('a', clock.ms + LATER)]).to.deep.equal([true, false])
    rotating.consume('b', clock.ms + LATER)
    expect(sharedLedger(['new'], 'transaction', clock.now).has('b', clock.ms + LATER)).to.equal(true)
  })

  it('end when they have expired by themselves, by the clock and by the machine', async () => {
    const clock = new Clock()
    const ledger = sharedLedger(['secret'], 'transaction', clock.now)
    ledger.consume('a', clock.ms + 20)
    clock.ms += 20
    expect(ledger.consume('a', clock.ms + 20)).to.equal(false)
    await new Promise((resolve) => setTimeout(resolve, 25))
    expect(ledger.consume('a', clock.ms + 20)).to.equal(true)
  })
})

describe('used values that made room for others', () => {
  it('OAUTH-05: never count again: what expires with them or earlier is refused, and what is newer counts', () => {
    const clock = new Clock()
    const ledger = createOneTimeLedger(clock.now, 100)
    const until = clock.ms + LATER
    ledger.consume('used', until)
    for (let n = 0; n < 1000; n += 1) ledger.consume(`made up ${n}`, until + n)
    expect(ledger.has('used', until + 2000), 'it is forgotten').to.equal(false)
    expect(ledger.has('used', until), 'and counts as used').to.equal(true)
    expect(ledger.consume('used', until)).to.equal(false)
    expect(ledger.consume('made up 500', until + 500)).to.equal(false)
    expect(ledger.consume('begun later', until + 2000)).to.equal(true)
  })

  it('never count again in a process with thousands of tenants, nor while a secret rotates, and a warning says so', () => {
    const clock = new Clock()
    let warnings = 0
    const of = (...secrets: string[]) => sharedLedger(secrets, 'transaction', clock.now, () => (warnings += 1))
    const until = clock.ms + LATER
    of('old').consume('used', until)
    for (let n = 0; n < 100_001; n += 1) of('old').consume(`made up ${n}`, until)
    expect(warnings).to.be.greaterThan(0)
    expect(of('new', 'old').has('used', until)).to.equal(true)
    expect(of('new', 'old').consume('used', until)).to.equal(false)
    expect(of('new', 'old').consume('begun later', until + 1)).to.equal(true)
  })
})

/** A copy of a module, as a bundler makes one for each part of an application. */
const copyOf = (module: string) => import(new URL(`../../lib/${module}?copy`, import.meta.url).href)

describe('two copies of Latchkey in one process', () => {
  it('have one clock, and remember together what was used up and who has signed out', async () => {
    const { createSecretMemory: createInCopy } = await copyOf('kernel/memory-by-secret.js')
    expect(createInCopy).not.to.equal(createSecretMemory)
    const { now } = new Clock()
    const until = now() + LATER
    const ledger = () => createOneTimeLedger(now, 10, now)
    const [one, other] = [createSecretMemory, createInCopy].map((create: typeof createSecretMemory) =>
      create('copies', ledger, 10)(['a secret'], 'any', now),
    )
    expect(one?.change((own) => own.consume('a', until))).to.equal(true)
    expect(other?.change((own) => own.consume('a', until))).to.equal(false)
    const { processClock: clockOfCopy } = await copyOf('sessions/lifetime.js')
    expect(clockOfCopy).to.equal(processClock)
  })

  it('OAUTH-05: refuse together a used value that one of them has forgotten', async () => {
    const { createOneTimeLedger: createInCopy } = await copyOf('kernel/one-time.js')
    expect(createInCopy).not.to.equal(createOneTimeLedger)
    const { now } = new Clock()
    const until = now() + LATER
    const flooded: ReturnType<typeof createOneTimeLedger> = createInCopy(now)
    flooded.consume('used', until)
    flooded.shrinkTo(0)
    const ledger = sharedLedger(['a secret'], 'transaction', now)
    expect([ledger.has('used', until), ledger.consume('used', until)]).to.deep.equal([true, false])
    expect(ledger.consume('begun later', until + 1)).to.equal(true)
  })
})

describe('what is remembered by secret', () => {
  const CAPACITY = 1000
  const open = (clock: Clock) => {
    let made: Bounded[] = []
    const memory = createSecretMemory(
      'test',
      (now) => {
        const ledger = createOneTimeLedger(now, 500, now)
        made.push(ledger)
        return ledger
      },
      CAPACITY,
    )
    const remembered = () => {
      // The memory has let go of what is empty.
      made = made.filter(({ size }) => size > 0)
      return made.reduce((sum, { size }) => sum + size, 0)
    }
    const of = (secret: string) => memory([secret], 'any', clock.now)
    return { of, remembered }
  }
  const has = ({ keys, memories }: ReturnType<ReturnType<typeof open>['of']>, id: string, until: number) =>
    memories.get(keys[0] ?? '')?.has(id, until)

  it('is bounded over all secrets, with thousands of tenants', function () {
    this.timeout(120_000)
    const clock = new Clock()
    const { of, remembered } = open(clock)
    let most = 0
    for (let tenant = 0; tenant < 5000; tenant += 1) {
      of(`tenant ${tenant}`).change((ledger) => ledger.consume('a', clock.ms + LATER))
      most = Math.max(most, remembered())
    }
    expect(most).to.be.within(CAPACITY * 0.9, CAPACITY + 1)
  })

  it('is taken from the tenant with most of it: one tenant cannot flush the others', () => {
    const clock = new Clock()
    const { of } = open(clock)
    for (let tenant = 0; tenant < 50; tenant += 1) {
      for (let n = 0; n < 10; n += 1) of(`tenant ${tenant}`).change((own) => own.consume(`${n}`, clock.ms + LATER))
    }
    for (let n = 0; n < 20_000; n += 1) of('flooder').change((own) => own.consume(`${n}`, clock.ms + LATER))
    for (let tenant = 0; tenant < 50; tenant += 1) {
      for (let n = 0; n < 10; n += 1) expect(has(of(`tenant ${tenant}`), `${n}`, clock.ms + LATER)).to.equal(true)
    }
  })

  it('is what has expired first, before anything that still counts', () => {
    const clock = new Clock()
    const { of, remembered } = open(clock)
    for (let n = 0; n < 450; n += 1) of('short').change((own) => own.consume(`${n}`, clock.ms + 10))
    for (let n = 0; n < 450; n += 1) of('long').change((own) => own.consume(`${n}`, clock.ms + LATER))
    clock.ms += 10
    for (let n = 0; n < 400; n += 1) of('third').change((own) => own.consume(`${n}`, clock.ms + LATER))
    expect(remembered()).to.equal(850)
    expect([has(of('long'), '0', clock.ms + LATER), has(of('third'), '0', clock.ms + LATER)]).to.deep.equal([
      true,
      true,
    ])
  })
})
