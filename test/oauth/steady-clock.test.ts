import { expect } from 'chai'
import { createSteadyClock } from '../../lib/oauth/times.js'

describe('a clock for ages', () => {
  it('goes on with whichever clock says more, and never back', () => {
    let wall = 1000
    let machine = 5
    const read = createSteadyClock(
      () => wall,
      () => machine,
    )
    const readingAfter = (wallMs: number, machineMs: number) => {
      wall += wallMs
      machine += machineMs
      return read()
    }
    expect(readingAfter(10, 10)).to.equal(10)
    expect(readingAfter(-500, 10), 'set back').to.equal(20)
    expect(readingAfter(600, 10), 'set right again').to.equal(620)
    expect(readingAfter(100, 0), 'the machine slept').to.equal(720)
    expect(readingAfter(-100, 0)).to.equal(720)
  })
})
