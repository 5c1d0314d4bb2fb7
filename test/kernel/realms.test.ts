import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { isError } from '../../lib/kernel/describe-value.js'
import { withoutDetails } from '../../lib/kernel/errors.js'

describe('an error', () => {
  it('is known in every realm, and by its name alone in none', () => {
    for (const error of [new RangeError('r'), runInNewContext('new RangeError("r")'), AbortSignal.abort().reason])
      expect(isError(error), String(error)).to.equal(true)
    for (const other of [{ name: 'Error', message: '', stack: '' }, null, undefined, 'Error', Error])
      expect(isError(other), String(other)).to.equal(false)
  })

  it('of another realm keeps its message, its code and its causes in a log', () => {
    const down = runInNewContext(
      'new Error("down", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) })',
    )
    const { message, cause } = withoutDetails(down)
    expect([message, (cause as Error).message, (cause as { code?: unknown }).code]).to.deep.equal([
      'down',
      'refused',
      'ECONNREFUSED',
    ])
  })

  it('stands for a thrown value that is none', () => {
    const said = [{}, [], null, undefined, 7, 'the text'].map((thrown) => withoutDetails(thrown).message)
    expect(said).to.deep.equal([
      'an object was thrown',
      'an object was thrown',
      'null was thrown',
      'undefined was thrown',
      'a number was thrown',
      'the text',
    ])
  })
})
