import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { encodeValue } from '../../lib/adapters/redis/rows.js'
import type { Dialect } from '../../lib/adapters/sql/dialects/dialect.js'
import { type BoundColumn, encode } from '../../lib/adapters/sql/table.js'
import { isError } from '../../lib/kernel/describe-value.js'
import { withoutDetails } from '../../lib/kernel/errors.js'
import { contextOf } from '../../lib/kernel/log-context.js'
import { date } from '../../lib/kernel/shape.js'

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
    const said = [{}, null, undefined, 7, 'the text'].map((thrown) => withoutDetails(thrown).message)
    const types = ['object', 'object', 'undefined', 'number']
    expect(said).to.deep.equal([...types.map((type) => `a value of type ${type} was thrown`), 'the text'])
  })
})

describe('a date of another realm, as structuredClone() gives in a test runner', () => {
  const moment: Date = runInNewContext('new Date(86400000)')

  it('is a date in options, and in the rows of stores', () => {
    expect(date.fits(moment)).to.equal(true)
    expect(encodeValue(moment)).to.equal('@1970-01-02T00:00:00.000Z')
    const column = { member: 'birthday', column: { type: 'datetime' } } as BoundColumn
    const dialect = { writeDate: (written: Date) => written } as unknown as Dialect
    expect(encode(moment, column, dialect)).to.equal(moment)
  })
})

describe('a promise of another realm', () => {
  it('ends no process when a function for the log gives it, and it is rejected', async () => {
    const rejected: unknown[] = []
    const note = (reason: unknown) => rejected.push(reason)
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
    try {
      const requestId = () => runInNewContext('Promise.reject("down")')
      contextOf({ method: 'GET', url: '/', headers: {} }, { requestId })
      await new Promise(setImmediate)
    } finally {
      process.removeListener('unhandledRejection', note)
      for (const other of others) process.on('unhandledRejection', other)
    }
    expect(rejected).to.deep.equal([])
  })
})
