import { expect } from 'chai'
import { isTimeout, timeoutError } from '../../lib/adapters/failures.js'
import { openStore } from '../../lib/adapters/gateway.js'
import { toAdapterError } from '../../lib/adapters/sql/faults.js'
import { AdapterError, withoutDetails } from '../../lib/kernel/errors.js'

const quiet = { warn() {} }
const thrown = (message: string, members: object = {}) => Object.assign(new Error(message), members)

describe('isTimeout()', () => {
  const failures: readonly (readonly [string, Error])[] = [
    ['statement_timeout of PostgreSQL', thrown('canceling statement due to statement timeout', { code: '57014' })],
    ['lock_timeout of PostgreSQL', thrown('canceling statement due to lock timeout', { code: '55P03' })],
    [
      'max_statement_time of MariaDB',
      thrown('Query execution was interrupted (max_statement_time exceeded)', { errno: 1969 }),
    ],
    ['max_execution_time of MySQL', thrown('Query execution was interrupted', { code: 'ER_QUERY_TIMEOUT' })],
    ['a lock of MySQL', thrown('Lock wait timeout exceeded', { code: 'ER_LOCK_WAIT_TIMEOUT' })],
    ['query_timeout of pg', thrown('Query read timeout')],
    ['connectionTimeoutMillis of pg', thrown('timeout exceeded when trying to connect')],
    ['queryTimeout', thrown('The database gave no answer within 5 seconds (queryTimeout).')],
    ['a lock of SQLite', thrown('database is locked', { code: 'SQLITE_BUSY' })],
    ['a connection', thrown('connect ETIMEDOUT', { code: 'ETIMEDOUT' })],
    ['a socket of redis', thrown("Socket timeout timeout. Expecting data, but didn't receive any in 50ms.")],
    ['a signal with a timeout', thrown('The operation was aborted due to timeout', { name: 'TimeoutError' })],
  ]
  for (const [what, failure] of failures) {
    it(`knows ${what}, also as an adapter, and as what an application wraps it in, hands it on`, async () => {
      const methods = { getUser: () => Promise.reject(failure) }
      const called = await Promise.resolve(openStore(methods, { timeout: 5, logger: quiet }).getUser('ada')).then(
        () => expect.fail('it gave something'),
        (error: unknown) => error,
      )
      const wrapped = withoutDetails(new Error('The store failed.', { cause: failure }))
      const ours = toAdapterError(failure, 'getUser')
      const known = [failure, called, wrapped, ours].map((error) => isTimeout(error))
      expect(known).to.deep.equal([true, true, true, true])
    })
  }

  it("knows Latchkey's own limits", () => {
    for (const option of ['storeTimeout', 'queryTimeout', 'commandTimeout'] as const) {
      const error = timeoutError('The store gave no answer', { option, milliseconds: 1000 })
      expect([isTimeout(error), error.message]).to.deep.equal([
        true,
        `The store gave no answer within 1 second (${option}).`,
      ])
    }
  })

  it('takes no other failure for one', () => {
    const loop = new Error('round and round')
    loop.cause = loop
    const others = [
      thrown('duplicate key', { code: '23505' }),
      thrown('connect ECONNREFUSED', { code: 'ECONNREFUSED' }),
      new AdapterError('The adapter has no getUser().', { method: 'getUser' }),
      loop,
      'text',
      null,
    ]
    expect(others.filter((error) => isTimeout(error))).to.deep.equal([])
  })
})
