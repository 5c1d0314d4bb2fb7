import { expect } from 'chai'
import { callMethod } from '../../lib/adapters/call-method.js'

describe('the answer of an adapter', () => {
  const answerTo = (value: unknown) => callMethod({ getUser: () => value as never }, 'getUser', ['1'])

  it('becomes a native promise when it is the promise of another library', async () => {
    const user = { id: '1' }
    // biome-ignore lint/suspicious/noThenProperty: an object with this member is the promise of another library
    const promise: PromiseLike<unknown> = { then: (done, failed) => Promise.resolve(user).then(done, failed) }
    const answer = answerTo(promise)
    expect(answer).to.be.instanceOf(Promise)
    expect(await answer).to.equal(user)
  })

  it('stays without a promise when it is none, whatever a row has as `then`', () => {
    // biome-ignore lint/suspicious/noThenProperty: a column may have any name
    for (const value of [null, undefined, { id: '1' }, { then: 'soon' }]) expect(answerTo(value)).to.equal(value)
  })
})
