import { expect } from 'chai'
import { createEndedRows, endedRowsOf } from '../../lib/sessions/deletion-retries.js'

describe('the memory of stored sessions that this process has ended', () => {
  it('keeps each for a minute', () => {
    let time = 0
    const ended = createEndedRows(() => time)
    ended.add('one')
    time = 59_999
    ended.add('two')
    expect(['one', 'two', 'three'].map(ended.has)).to.deep.equal([true, true, false])
    time = 60_000
    expect(['one', 'two'].map(ended.has)).to.deep.equal([false, true])
    ended.add('three')
    expect(ended.size, 'what is over is dropped').to.equal(2)
  })

  it('takes limited memory: the oldest makes room', () => {
    const ended = createEndedRows(() => 0, 3)
    for (const stored of ['one', 'two', 'three', 'one', 'four']) ended.add(stored)
    expect(['one', 'two', 'three', 'four'].filter(ended.has)).to.deep.equal(['one', 'three', 'four'])
    expect(ended.size).to.equal(3)
  })

  it('forgets a token that begins a session again, and is one for each store', () => {
    const [store, other] = [{}, {}]
    endedRowsOf(store).add('one')
    expect([endedRowsOf(store).has('one'), endedRowsOf(other).has('one')]).to.deep.equal([true, false])
    endedRowsOf(store).forget('one')
    expect(endedRowsOf(store).has('one')).to.equal(false)
  })
})
