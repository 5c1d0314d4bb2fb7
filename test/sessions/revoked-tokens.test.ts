import { expect } from 'chai'
import { createRevocationList } from '../../lib/sessions/revoked-tokens.js'
import { personDigestWithoutId, type SessionClaim } from '../../lib/sessions/session-claim.js'
import { Clock } from '../support/test-app.js'

const DAY = 24 * 60 * 60 * 1000
const CAPACITY = 1000

let count = 0

function open(clock = new Clock()) {
  const list = createRevocationList(clock.now, CAPACITY)
  const begin = (personDigest: string | null, authenticatedAt: number | null = clock.ms): SessionClaim => {
    count += 1
    return { id: `session ${count}`, personDigest, authenticatedAt }
  }
  const end = (session: SessionClaim) => list.add(session, clock.ms + 30 * DAY)
  return { clock, list, begin, end }
}

describe('the list of signed-out sessions', () => {
  it('knows a session until no form of it can be honoured any more', () => {
    const { clock, list, begin, end } = open()
    const session = begin('ada')
    expect(list.has(session)).to.equal(false)
    end(session)
    expect(list.has(session)).to.equal(true)
    clock.ms += 30 * DAY
    expect(list.has(session)).to.equal(false)
  })

  it('LOGOUT-02: is not flushed by one account, however often it signs in and out', () => {
    const { clock, list, begin, end } = open()
    const others = Array.from({ length: 50 }, (_, n) => begin(`person ${n}`))
    for (const session of others) end(session)
    const own: SessionClaim[] = []
    for (let n = 0; n < 20 * CAPACITY; n += 1) {
      clock.ms += 1000
      const session = begin('mallory')
      end(session)
      if (n % 100 === 0) own.push(session)
      expect(list.size).to.be.at.most(CAPACITY)
    }
    for (const session of others) expect(list.has(session)).to.equal(true)
    for (const session of own) expect(list.has(session), 'nor does one bring its own back').to.equal(true)
    expect(list.forgotten).to.equal(0)
  })

  it('ends the earlier sessions of a user who overflows it, but not later ones, nor those of other users', () => {
    const { clock, list, begin, end } = open()
    const earlier = begin('mallory')
    const ada = begin('ada')
    for (let n = 0; n < 2 * CAPACITY; n += 1) {
      clock.ms += 1000
      end(begin('mallory'))
    }
    clock.ms += 1000
    const later = begin('mallory')
    expect([list.has(earlier), list.has(later), list.has(ada)]).to.deep.equal([true, false, false])
    expect(list.has(begin('mallory', null)), 'of which nobody knows when it began').to.equal(true)
  })

  it('ends nothing that was not signed out as long as there is room', () => {
    const { clock, list, begin, end } = open()
    const phone = begin('ada')
    for (let n = 0; n < CAPACITY; n += 1) {
      clock.ms += 1000
      end(begin('ada'))
    }
    expect(list.has(phone)).to.equal(false)
  })

  it('forgets the oldest, and says so, when more people than it has room for have signed out', () => {
    const { clock, list, begin, end } = open()
    const sessions = Array.from({ length: CAPACITY + 200 }, (_, n) => begin(`person ${n}`))
    for (const session of sessions) {
      clock.ms += 1
      end(session)
    }
    expect(list.size).to.be.at.most(CAPACITY)
    expect(list.forgotten).to.be.within(200, 400)
    expect([list.has(sessions[0] as SessionClaim), list.has(sessions.at(-1) as SessionClaim)]).to.deep.equal([
      false,
      true,
    ])
  })

  it('LOGOUT-02: is not flushed under names that somebody makes up, and ends the earlier sessions of that provider instead', () => {
    const { clock, list, begin, end } = open()
    const madeUp = (name: string) => begin(personDigestWithoutId('guests', name))
    const victims = [begin('ada'), madeUp('grace'), begin(null)]
    for (const session of victims) end(session)
    const [open1, otherProvider, stored] = [
      madeUp('open'),
      begin(personDigestWithoutId('staff', 'open')),
      begin('stored'),
    ]
    const own: SessionClaim[] = []
    for (let n = 0; n < 5 * CAPACITY; n += 1) {
      clock.ms += 1000
      const session = madeUp(`mallory ${n}`)
      end(session)
      own.push(session)
      expect(list.size).to.be.at.most(CAPACITY)
    }
    for (const session of [...victims, ...own]) expect(list.has(session)).to.equal(true)
    expect(list.has(open1), 'signed out rather than revived').to.equal(true)
    clock.ms += 1000
    expect([otherProvider, stored, madeUp('later')].map(list.has)).to.deep.equal([false, false, false])
    expect(list.forgotten).to.equal(0)
  })

  it('ends the sessions of one who signs in again and again before those of others who have no id either', () => {
    const { clock, list, begin, end } = open()
    const ada = begin(personDigestWithoutId('passwords', 'ada@example.com'))
    for (let n = 0; n < 5 * CAPACITY; n += 1) {
      clock.ms += 1000
      end(begin(personDigestWithoutId('passwords', 'mallory@example.com')))
    }
    expect(list.has(ada)).to.equal(false)
    expect(list.forgotten).to.equal(0)
  })

  it('never ends sessions of nobody in particular because others like them were signed out', () => {
    const { clock, list, begin, end } = open()
    const other = begin(null)
    for (let n = 0; n < 2 * CAPACITY; n += 1) {
      clock.ms += 1
      end(begin(null))
    }
    expect(list.has(other)).to.equal(false)
    expect(list.size).to.be.at.most(CAPACITY)
  })

  it('makes room by what has expired, before anything that still counts', () => {
    const { clock, list, begin, end } = open()
    for (let n = 0; n < CAPACITY - 1; n += 1) end(begin('mallory'))
    clock.ms += 30 * DAY
    const phone = begin('mallory')
    for (let n = 0; n < CAPACITY - 1; n += 1) end(begin('mallory'))
    expect(list.has(phone)).to.equal(false)
    expect(list.forgotten).to.equal(0)
  })

  it('forgets the time of an overflow when every earlier session has expired', () => {
    const { clock, list, begin, end } = open()
    for (let n = 0; n < 2 * CAPACITY; n += 1) end(begin('mallory'))
    expect(list.has(begin('mallory'))).to.equal(true)
    clock.ms += 30 * DAY
    expect(list.has(begin('mallory', clock.ms - 30 * DAY))).to.equal(false)
  })
})
